"""Options of execution, such as threads and direction, are no part of what an object is."""

from typing import Any

import numpy as np
import pytest

import anypair
from anypair import Matrix, Vector, apply, assign, ewise_add, mxv, reduce, same, trace, update, vxm
from anypair.algorithms import bfs_parents
from anypair.backends.registry import load
from anypair.errors import BackendMismatch
from anypair.semiring import identity, min_source, plus, plus_monoid, plus_times
from tests.mpi.threaded import run_ranks

EDGES = np.random.default_rng(5).integers(0, 60, (2, 300))
#: For each backend two values of an option of execution.
EXECUTION = {
    "jit": ({"threads": 1}, {"threads": 2}),
    "suitesparse": ({"threads": 1}, {"threads": 2}),
    "hybrid": ({"method": "queue"}, {"threads": 2}),
    "cuda": ({"direction": "push"}, {"direction": "pull"}),
}


@pytest.fixture
def others(backend: str) -> tuple[dict[str, Any], dict[str, Any]]:
    if backend not in EXECUTION:
        pytest.skip("has no options of execution, or is tested below")
    return EXECUTION[backend]


def test_handles_of_different_executions_mix(backend: str, others: Any) -> None:
    one, two = others
    with anypair.using(backend, **one) as first:
        graph = Matrix.from_edges(*EDGES, n=60, symmetric=True)
    with anypair.using(backend, **two) as second:
        ones = Vector.full(60, 1)
        out = Vector.full(60, 5)
    assert first is not second
    expected = mxv(graph.to("reference"), ones.to("reference"), plus_times)
    with anypair.using("reference"):  # another backend: then the first operand says how to compute
        product = mxv(graph, ones, plus_times)
        assert product.backend is first
        assert vxm(ones, graph, plus_times).backend is second
    assert same(product.to("reference"), expected)
    mxv(graph, ones, plus_times, out=out, mask=ones.structure, accum=plus)
    assert out.backend is second
    assert same(out.to("reference"), apply(expected, plus, right=5))
    update(out, product)
    assert same(out, product)
    assign(out, 3, mask=product.structure)
    assert reduce(ewise_add(out, ones, plus), plus_monoid) == 4 * 60


def test_the_execution_in_use_computes(backend: str, others: Any) -> None:
    one, two = others
    with anypair.using(backend, **one) as first:
        graph = Matrix.from_edges(*EDGES, n=60, symmetric=True)
    with anypair.using(backend, **two) as second:
        assert apply(graph, identity).backend is second
        parents = bfs_parents(graph, 0)
        assert parents.backend is first  # made like the graph, before anything is computed
    with anypair.using("reference"):
        assert apply(graph, identity).backend is first
    assert same(parents.to("reference"), bfs_parents(graph.to("reference"), 0))


def test_direction_follows_the_call() -> None:
    with anypair.using("jit", direction="push"):
        graph = Matrix.from_edges(*EDGES, n=60, symmetric=True)
        start = Vector.from_entries([0], [0], size=60)

    def direction() -> str | None:
        with trace() as events:
            vxm(start, graph, min_source)
        return events.records[0].direction

    assert direction() == "push"
    with anypair.using("jit", direction="pull"):
        assert direction() == "pull"
    with anypair.using("scipy"):
        assert direction() == "push"


def test_another_execution_takes_the_storage(
    backend: str, others: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = others
    with anypair.using(backend, **one) as first:
        graph = Matrix.from_edges(*EDGES, n=60, symmetric=True)
    entries = graph.to_entries()
    monkeypatch.setattr(type(first), "entries", None)  # nothing is taken apart
    moved = graph.to(load(backend, two))
    monkeypatch.undo()
    assert moved.backend is load(backend, two)
    assert moved.is_symmetric
    assert all((x == y).all() for x, y in zip(moved.to_entries(), entries, strict=True))
    assign(moved, False, rows=[0])
    assert all((x == y).all() for x, y in zip(graph.to_entries(), entries, strict=True))


def test_what_is_prepared_does_not_depend_on_what_is_in_use() -> None:
    seen = []
    with anypair.using("jit", direction="pull"):
        graph = Matrix.from_edges(*EDGES, n=60, symmetric=True)
        graph.prepare(lambda sample: seen.append(apply(sample, identity).backend is sample.backend))
    assert seen
    assert all(seen)


def test_what_objects_are_stays_apart_on_a_grid() -> None:
    pytest.importorskip("mpi4py")
    from anypair.backends.mpi import MpiBackend

    def mix(world: Any) -> Any:
        options = {"local": "scipy", "threads": 1, "world": world}
        plain = MpiBackend(**options)
        x = Vector.full(100, 1, backend=plain)
        for alike in ({"fold": "scan"}, {"expand": "bitmap"}, {"timeout": 60}):
            y = Vector.full(100, 2, backend=MpiBackend(**{**options, **alike}))
            assert reduce(ewise_add(x, y, plus), plus_monoid) == 300
            assert same(y.to(plain), y)
        for different in ({"unit": 1}, {"grid": "1x4"}, {"local": "reference"}, {"parents": "final"}):
            y = Vector.full(100, 2, backend=MpiBackend(**{**options, **different}))
            with pytest.raises(BackendMismatch, match="backends with different options"):
                ewise_add(x, y, plus)
            assert reduce(ewise_add(x, y.to(plain), plus), plus_monoid) == 300
        return True

    assert all(run_ranks(4, mix))
