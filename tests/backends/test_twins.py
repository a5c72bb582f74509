"""A catalogue semiring written again with plain functions looks at the same edges, and gives the same."""

import re
from typing import Any

import pytest

import anypair
from anypair import Matrix, Semiring, Vector, binary_op, monoid
from anypair.backends.plan import plan_for
from anypair.compiling.prelude import product_prelude
from anypair.semiring import index_unary_op, min_select, min_source, position
from tests.support.compare import assert_same
from tests.support.covering import FULL
from tests.support.strategies import SEMIRINGS
from tests.support.twins import dtype_of, graph_and_vector, twin_of


def traced(
    semiring: Semiring, graph: Matrix, u: Vector, mask: Vector | None = None
) -> tuple[Vector, Any]:
    with anypair.trace() as trace:
        found = anypair.vxm(u, graph, semiring, mask=None if mask is None else ~mask.structure)
    return found, trace.records[-1]


def what_is_known(name: str, semiring: Semiring) -> dict[str, Any]:
    """All that a product goes by, but for what the operators compute: its plan, and constants of kernels."""
    dtype = dtype_of(name)
    typed = semiring.typed(dtype, dtype)
    constants = re.findall(r"^([A-Z_]+) = (.*)", product_prelude(typed).text, re.M)
    return {"plan": plan_for(typed), **dict(constants)}


@pytest.mark.parametrize("name", sorted(SEMIRINGS))
def test_the_same_is_known_of_a_twin(name: str) -> None:
    twin = twin_of(SEMIRINGS[name], dtype_of(name))
    known = what_is_known(name, twin)
    assert known == what_is_known(name, SEMIRINGS[name])
    assert known.keys() > {"plan", "FIRST_HIT", "STOPS"}


def one_of_each_kind() -> list[str]:
    """A semiring for each way in which a kernel goes through a row; all of them in a full run."""
    kinds = {}
    for name, semiring in sorted(SEMIRINGS.items()):
        known = what_is_known(name, semiring)
        kinds[tuple(known[c] for c in ("ANY", "FIRST_HIT", "CONSTANT", "COUNTED", "STOPS"))] = name
    return sorted(SEMIRINGS if FULL else kinds.values())


@pytest.mark.parametrize("direction", ["push", "pull"])
@pytest.mark.parametrize("name", one_of_each_kind())
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
