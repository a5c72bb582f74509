"""The edge list: what is counted in it, and what it refuses."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair.backends.processes import Processes
from anypair.errors import FileUnreadable, IndexOutOfRange, InvalidValue, SizeMismatch
from anypair.graph500 import (
    EdgeList,
    Settings,
    broken_rules,
    generate,
    kronecker_edges,
    kronecker_weights,
)
from anypair.graph500.edges import CHUNK, EdgeFile, generated
from anypair.graph500.kernels import construct, search
from anypair.graph500.process_edges import ProcessEdges
from tests.graph500.oracles import graph_of, traversed_edges
from tests.graph500.strategies import edge_list, multigraphs


@given(graph=multigraphs())
def test_traversed_edges_are_input_edges_of_the_component(graph: Any) -> None:
    """Counted one by one: loops once, repeated edges as often as they are given."""
    n, edges, root = graph
    component = nx.node_connected_component(graph_of(n, edges), root)
    parents = np.array([root if v in component else -1 for v in range(n)], np.int64)
    assert ProcessEdges.of(edge_list(edges), Processes(), n).traversed(parents) == traversed_edges(
        n, edges, root
    )


def test_traversed_edges_of_a_search(backend: str) -> None:
    edges = EdgeList([0, 1, 1, 2, 3, 5, 5], [1, 0, 1, 1, 4, 5, 5])
    tree = search(construct(edges), 0)
    assert ProcessEdges.of(edges, Processes(), 6).traversed(tree.parents.to_numpy(-1)) == 4


@given(graph=multigraphs())
def test_connected_vertices_have_another_neighbour(graph: Any) -> None:
    n, edges, _ = graph
    others = {v: set(graph_of(n, edges)[v]) - {v} for v in range(n)}
    found = ProcessEdges.of(edge_list(edges), Processes(), n).connected(np.arange(n + 3))
    assert found.tolist() == [*(bool(others[v]) for v in range(n)), *3 * [False]]


@pytest.mark.parametrize("sssp", [False, True])
def test_generate_makes_the_list_of_the_generator(sssp: bool) -> None:
    edges = generate(Settings(scale=6, edgefactor=5, seed=9, sssp=sssp))
    np.testing.assert_array_equal([edges.sources, edges.targets], kronecker_edges(6, 5, 9))
    if sssp:
        np.testing.assert_array_equal(edges.weights, kronecker_weights(6, 5, 9))
    else:
        assert edges.weights is None


def test_generate_in_several_chunks_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert CHUNK > 100
    monkeypatch.setattr("anypair.graph500.edges.CHUNK", 100)
    told: list[tuple[str, int, int]] = []
    edges = generate(Settings(scale=4), progress=lambda *now: told.append(now))
    np.testing.assert_array_equal([edges.sources, edges.targets], kronecker_edges(4))
    assert told == [("generate edges", done, 256) for done in (0, 100, 200, 256)]


def test_no_edges() -> None:
    edges = EdgeList([], [])
    assert (len(edges), edges.n, edges.ends.tolist()) == (0, 0, [])
    assert ProcessEdges.of(edges, Processes(), 0).connected(np.arange(2)).tolist() == [False, False]


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        (([0], [1, 2]), SizeMismatch, "1 sources and 2 targets"),
        (([0, -1], [1, 2]), IndexOutOfRange, r"sources\[1\] = -1"),
        (([0], [0.5]), InvalidValue, "targets holds 0.5"),
        (([0], [1], [0.5, 0.5]), SizeMismatch, "weights has 2 values"),
        (([0], [1], ["x"]), Exception, "weights"),
    ],
)
def test_bad_lists(arguments: Any, error: Any, reason: str) -> None:
    with pytest.raises(error, match=f"EdgeList: {reason}"):
        EdgeList(*arguments)


@given(threads=st.integers(0, 3))
def test_threads_make_no_difference(threads: int) -> None:
    one, other = generate(Settings(scale=11), threads), generate(Settings(scale=11))
    np.testing.assert_array_equal(one.sources, other.sources)


@pytest.mark.parametrize("sssp", [False, True])
def test_edges_in_a_file_are_those_in_memory(sssp: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anypair.graph500.edges.CHUNK", 100)
    settings = Settings(scale=6, sssp=sssp)
    inside, kept = generate(settings), EdgeFile(generated(settings))
    assert len([*kept.parts()]) == 11
    for name in ("sources", "targets", "weights")[: 2 + sssp]:
        found = np.concatenate([getattr(part, name) for part in kept.parts()])
        assert found.tolist() == getattr(inside, name).tolist()
    assert (len(kept), kept.n) == (len(inside), inside.n)
    assert (kept.ends.tolist(), kept.loops.tolist()) == (inside.ends.tolist(), inside.loops.tolist())
    both = zip(kept.parts(), kept.parts(), strict=True)  # at once
    assert all(a.sources.tolist() == b.sources.tolist() for a, b in both)


def test_edges_in_a_file_are_judged_as_those_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """An edge that breaks a rule is found in any part, and named by its number in the list."""
    monkeypatch.setattr("anypair.graph500.edges.CHUNK", 2)
    sources, targets = [0, 1, 2, 3, 4, 0], [1, 2, 3, 4, 5, 5]
    whole = EdgeList(sources, targets)
    kept = EdgeFile([EdgeList(sources[at : at + 2], targets[at : at + 2]) for at in (0, 2, 4)])
    for parents in ([0, 0, 1, 2, 5, 0], [0, 0, 1, 2, 3, 4], [0, 0, 1, -1, -1, -1], [0, 0, 1, 2, 5, 1]):
        said = [*map(str, broken_rules(whole, 0, parents))]
        assert [*map(str, broken_rules(kept, 0, parents))] == said
    assert any(
        "edge 5 from 0 to 5" in each for each in map(str, broken_rules(kept, 0, [0, 0, 1, 2, 3, 4]))
    )


def test_a_disk_that_takes_no_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**keywords: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    with pytest.raises(FileUnreadable, match="/some/where: edges cannot be written: No space left"):
        EdgeFile([EdgeList([0], [1])], "/some/where")
