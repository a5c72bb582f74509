"""The trace of operations."""

import json
from pathlib import Path

import numpy as np
import pytest

import anypair
from anypair import Matrix, trace
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.graph500 import kronecker_edges
from anypair.trace import COLUMNS, current
from tests.support.graphs import SEI_SOURCE, sei_graph


def test_each_operation_is_recorded(backend: str) -> None:
    graph = sei_graph()
    with trace() as seen:
        bfs_parents(graph, SEI_SOURCE)
    assert [r.operation for r in seen.records] == ["vxm", "update"] * 4
    first = seen.records[0]
    assert (first.operator, first.backend) == ("min_source", backend)
    assert (first.nvals_in, first.nvals_out) == ({"u": 1, "A": 20}, 2)
    assert [r.nvals_out for r in seen.records if r.operation == "vxm"] == [2, 3, 2, 0]
    assert all(r.seconds >= 0 for r in seen.records)
    assert current() is None


def test_scalar_results_are_recorded(backend: str) -> None:
    with trace() as seen:
        anypair.reduce(sei_graph(), anypair.semiring.plus_monoid)
    assert [(r.operation, r.operator, r.nvals_out) for r in seen.records] == [("reduce", "plus", 1)]


def test_nothing_is_recorded_outside(backend: str) -> None:
    with pytest.raises(RuntimeError, match="inside"), trace() as seen:
        raise RuntimeError("inside")
    bfs_levels(sei_graph(), SEI_SOURCE)
    assert seen.records == []


def test_a_closure_is_one_record_with_its_products_as_parts(backend: str) -> None:
    graph = sei_graph()
    start = anypair.Vector.from_entries([SEI_SOURCE], [True], size=9)
    with trace() as seen:
        anypair.reduce(start, anypair.semiring.lor_monoid)
        anypair.closure(start, graph, anypair.semiring.any_pair)
        anypair.reduce(start, anypair.semiring.lor_monoid)
    before, found, after = seen.records
    assert (found.operation, found.operator, found.backend) == ("closure", "any_pair", backend)
    assert (found.nvals_in, found.nvals_out, found.rounds) == ({"u": 1, "A": 20}, 8, 4)
    assert [part.operation for part in found.parts] == ["vxm"] * 4
    assert found.parts[0].nvals_in == {"u": 1, "A": 20}
    assert sum(part.seconds for part in found.parts) <= found.seconds
    known = [part.edges for part in found.parts if part.edges is not None]
    assert found.edges == (sum(known) if known else None)
    assert before.parts == after.parts == ()
    assert before.rounds is after.rounds is None


def test_a_closure_by_hooking_has_its_products_as_parts() -> None:
    numbers = anypair.apply(anypair.Vector.full(9, 0, backend="scipy"), anypair.position)
    with trace() as seen:
        anypair.closure(numbers, sei_graph().to("scipy"), anypair.semiring.min_select)
    (found,) = seen.records
    assert found.rounds is not None
    assert [part.operation for part in found.parts] == ["mxv", "vxm", "mxv"] * found.rounds + [
        "vxm",
        "mxv",
    ]
    drawn = str(seen).splitlines()[1].split()
    assert str(found.rounds) in drawn


def test_hooking_takes_few_rounds_whatever_the_diameter() -> None:
    order = np.random.default_rng(3).permutation(600)
    path = Matrix.from_edges(order[:-1], order[1:], n=600, symmetric=True, backend="scipy")
    numbers = anypair.apply(anypair.Vector.full(600, 0, like=path), anypair.position)
    with trace() as seen:
        found = anypair.closure(numbers, path, anypair.semiring.min_select)
    assert set(found.to_dict().values()) == {0}
    assert seen.records[0].rounds is not None
    assert seen.records[0].rounds <= 12


def test_what_does_not_depend_on_values_is_offered_once() -> None:
    """Over min_source a vertex whose value has become better has nothing new to say."""
    ring = Matrix.from_edges([0, 1, 2, 3, 0, 2], [1, 2, 3, 0, 3, 1], backend="scipy")
    with trace() as seen:
        found = anypair.closure(
            anypair.Vector.from_entries([2], [2], size=4, like=ring), ring, anypair.semiring.min_source
        )
    assert found.to_dict() == {0: 3, 1: 0, 2: 1, 3: 0}
    assert sum(part.nvals_in["u"] for part in seen.records[0].parts) == 4


def test_direction_and_edges_on_jit() -> None:
    sources, targets = kronecker_edges(9)
    graph = Matrix.from_edges(sources, targets, n=1 << 9, symmetric=True, backend="jit")
    with trace() as seen:
        bfs_parents(graph, int(sources[0]))
    products = [r for r in seen.records if r.operation == "vxm"]
    assert {r.direction for r in products} == {"push", "pull"}
    assert all(r.edges is not None and 0 <= r.edges <= graph.nvals for r in products)
    assert products[0].edges == products[0].nvals_out
    assert "list" in products[0].formats


def test_direction_on_suitesparse() -> None:
    pytest.importorskip("suitesparse_graphblas")
    sources, targets = kronecker_edges(9)
    graph = Matrix.from_edges(sources, targets, n=1 << 9, symmetric=True, backend="suitesparse")
    with trace() as seen:
        bfs_parents(graph, int(sources[0]))
    directions = [r.direction for r in seen.records if r.operation == "vxm"]
    assert directions[0] == "push"
    assert set(directions) == {"push", "pull"}


def test_table_frame_file_and_chart(tmp_path: Path) -> None:
    with trace() as seen:
        bfs_parents(sei_graph(), SEI_SOURCE)
    lines = str(seen).splitlines()
    assert lines[0].split() == list(COLUMNS)
    assert len(lines) == 1 + len(seen.records)
    frame = seen.to_dataframe()
    assert list(frame.columns) == list(COLUMNS)
    assert len(frame) == 8
    seen.to_json(tmp_path / "trace.json")
    content = json.loads((tmp_path / "trace.json").read_text())
    assert content["anypair"] == anypair.__version__
    assert len(content["operations"]) == 8
    seen.to_svg(tmp_path / "trace.svg")
    drawn = (tmp_path / "trace.svg").read_text()
    assert drawn.count("<rect") == 4
    assert drawn.startswith("<svg")


def test_a_trace_inside_another_belongs_to_both() -> None:
    x = anypair.Vector.full(3, 1, backend="reference")
    with anypair.trace() as outer:
        anypair.reduce(x, anypair.semiring.plus_monoid)
        with anypair.trace() as inner:
            anypair.apply(x, anypair.semiring.negate)
        anypair.reduce(x, anypair.semiring.min_monoid)
    assert [record.operation for record in inner.records] == ["apply"]
    assert [record.operation for record in outer.records] == ["reduce", "apply", "reduce"]
