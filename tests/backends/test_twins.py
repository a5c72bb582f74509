"""A catalogue semiring written again with plain functions looks at the same edges, and gives the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import MAX, MIN, Matrix, Semiring, Vector, binary_op, monoid
from anypair.graph500 import kronecker_edges
from anypair.semiring import ANYTHING, Monoid, index_unary_op, min_select, min_source, position
from tests.support.compare import assert_same
from tests.support.covering import FULL
from tests.support.strategies import SEMIRINGS

SCALE = 6
SOURCES, TARGETS = kronecker_edges(SCALE, edgefactor=6)
N = 1 << SCALE

ADD: dict[str, Monoid] = {
    "plus": monoid(identity=0)(lambda x, y: x + y),
    "min": monoid(identity=MAX)(lambda x, y: x if x < y or y != y else y),
    "max": monoid(identity=MIN)(lambda x, y: x if x > y or y != y else y),
    "lor": monoid(identity=False, result=bool)(lambda x, y: x or y),
    "land": monoid(identity=True, result=bool)(lambda x, y: x and y),
    "xor": monoid(identity=False, result=bool)(lambda x, y: x != y),
    "eq": monoid(identity=True, result=bool)(lambda x, y: x == y),
    "any": monoid(identity=0, terminal=ANYTHING)(lambda x, y: x),
}
MULTIPLY: dict[str, Callable[..., Any]] = {
    "plus": lambda x, y: x + y,
    "times": lambda x, y: x * y,
    "min": lambda x, y: x if x < y or y != y else y,
    "max": lambda x, y: x if x > y or y != y else y,
    "first": lambda x, y: x,
    "second": lambda x, y: y,
    "pair": lambda x, y: 1,
    "source": lambda x, y, k: k,
    "eq": lambda x, y: x == y,
    "lor": lambda x, y: x or y,
    "land": lambda x, y: x and y,
}


def twin_of(semiring: Semiring, dtype: Any) -> Semiring:
    """The same semiring as a user writes it, without a declared fact."""
    multiply = semiring.multiply
    result = semiring.typed(dtype, dtype).result
    made = binary_op(result=result, positional=multiply.positional)(MULTIPLY[multiply.name])
    return Semiring(ADD[semiring.add.name], made)


def graph_and_vector(name: str, backend: Any) -> tuple[Matrix, Vector]:
    logical = name.startswith(("lor", "land", "xor", "eq")) or name.endswith(("lor", "land"))
    weights = (SOURCES + TARGETS) % 2 == 0 if logical else (SOURCES * 7 + TARGETS) % 11 + 1
    first = anypair.semiring.first
    graph = Matrix.from_edges(
        SOURCES, TARGETS, np.asarray(weights), n=N, duplicates=first, backend=backend
    )
    places = np.arange(0, N, 3)
    values = places % 2 == 0 if logical else places + 5
    return graph, Vector.from_entries(places, values, N, backend=backend)


def traced(
    semiring: Semiring, graph: Matrix, u: Vector, mask: Vector | None = None
) -> tuple[Vector, Any]:
    with anypair.trace() as trace:
        found = anypair.vxm(u, graph, semiring, mask=None if mask is None else ~mask.structure)
    return found, trace.records[-1]


@pytest.mark.parametrize(
    ("name", "direction"),
    [(name, "pull") for name in sorted(SEMIRINGS)]
    + [(name, "push") for name in sorted(SEMIRINGS)[:: 1 if FULL else 3]],
)
def test_a_twin_looks_at_the_same_edges(name: str, direction: str) -> None:
    """A pull may stop early, by what it knows of each operator; a push looks at all edges of a vertex."""
    with anypair.using("jit", direction=direction) as backend:
        graph, u = graph_and_vector(name, backend)
        twin = twin_of(SEMIRINGS[name], graph.dtype)
        (found, record), (again, other) = (traced(x, graph, u, u) for x in (SEMIRINGS[name], twin))
    assert_same(again, found)
    assert (other.edges, other.direction, other.formats) == (record.edges, direction, record.formats)
    assert other.missing == (record.missing and record.missing.replace("'eq'", "'<lambda>'").replace(
        f"{SEMIRINGS[name].add.name!r}", "'<lambda>'"))  # fmt: skip


@pytest.mark.parametrize("direction", ["push", "pull"])
def test_values_that_are_indices_need_not_be_looked_at(direction: str) -> None:
    mine = index_unary_op(lambda x, i, j: i)
    with anypair.using("jit", direction=direction) as backend:
        graph, u = graph_and_vector("min_select", backend)
        expected, record = traced(min_source, graph, u)
        for op in (position, mine):
            ids = anypair.apply(u, op)
            found, other = traced(min_select, graph, ids)
            assert_same(found, expected)
            assert other.edges == record.edges
            written = anypair.update(ids.copy(), u)
            _, slower = traced(min_select, graph, written)
            assert direction == "push" or slower.edges > record.edges


def test_what_is_written_to_is_known_no_more() -> None:
    u = Vector.from_entries([0, 2, 3], [5, 6, 7], 4, backend="reference")
    edges = Matrix.from_edges([0, 2, 3], [1, 1, 1], n=4, backend="reference")
    ids = anypair.apply(u, position)
    assert ids.values_are_indices
    assert not ids.copy().values_are_indices
    assert not u.values_are_indices
    assert not anypair.apply(u, position, out=u.copy()).values_are_indices
    assert not anypair.apply(edges, position).values_are_indices
    anypair.update(ids, Vector.from_entries([0], [9], 4, backend="reference"))
    assert not ids.values_are_indices
    assert anypair.vxm(ids, edges, min_select).to_dict() == {1: 2}


def test_the_trace_names_the_fact_that_was_missing() -> None:
    sum_of = Semiring(monoid(identity=0)(lambda x, y: x + y), binary_op(lambda e, v: v))
    with anypair.using("jit"):
        graph, u = graph_and_vector("plus_second", "jit")
        with anypair.trace() as trace:
            anypair.vxm(u, graph, sum_of)
            anypair.vxm(u, graph, min_source)
    missing = "no early stop: add '<lambda>' is not known to select, and has no terminal"
    assert [record.missing for record in trace.records] == [missing, None]
    assert str(trace).splitlines()[-1] == f"<lambda>_<lambda>: {missing}"
