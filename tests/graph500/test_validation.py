"""Right trees pass; a tree spoiled in one of five ways is rejected by the rule that names it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anypair.errors import IndexOutOfRange, InvalidArgument, SizeMismatch
from anypair.graph500 import EdgeList, broken_rules, generate
from anypair.graph500.kernels import construct, search, shortest_paths
from anypair.graph500.settings import Settings
from anypair.graph500.validation import judge_edges, tree_levels
from tests.graph500.oracles import is_shortest_path_tree
from tests.graph500.strategies import edge_list, multigraphs, right_answers, unit_weights

# A square 0 1 2 3 with a tail 4 at 2, a loose edge between 5 and 6, a loop and an edge given twice;
# vertex 7 has no edge.
SQUARE = EdgeList(
    [0, 1, 2, 3, 4, 5, 2, 1], [1, 2, 3, 0, 2, 6, 2, 0], [0.25, 0.5, 0.25, 0.25, 0.125, 0.5, 0.75, 0.75]
)
TREE = [0, 0, 1, 0, 2, -1, -1, -1]
LEVELS = [0, 1, 2, 1, 3, -1, -1, -1]
SHORTEST = [0, 0, 3, 0, 2, -1, -1, -1]
DISTANCES = [0, 0.25, 0.5, 0.25, 0.625, -1, -1, -1]


def rules(broken: Any) -> list[int]:
    return [found.rule for found in broken]


def changed(answer: list[Any], changes: dict[int, Any]) -> list[Any]:
    return [changes.get(k, value) for k, value in enumerate(answer)]


def test_a_right_tree_breaks_no_rule() -> None:
    assert broken_rules(SQUARE, 0, TREE) == []
    assert broken_rules(SQUARE, 0, TREE, levels=LEVELS) == []
    assert broken_rules(SQUARE, 0, changed(TREE, {2: 3})) == []
    assert broken_rules(SQUARE, 0, SHORTEST, distances=DISTANCES) == []


@pytest.mark.parametrize(
    ("rule", "parents", "reason"),
    [
        pytest.param(1, {2: 4}, "from vertex 2 no way up the tree leads to the root 0", id="a cycle"),
        pytest.param(1, {2: 2}, "from vertex 2 no way", id="its own parent"),
        pytest.param(1, {2: 7}, "from vertex 2 no way", id="a parent outside the tree"),
        pytest.param(1, {0: 1}, "the root 0 has the parent 1, not itself", id="a root with a parent"),
        pytest.param(1, {0: -1}, "the root 0 has the parent -1", id="no root"),
        pytest.param(1, {2: 8}, "the parent 8 of vertex 2 is no vertex", id="a parent too large"),
        pytest.param(1, {2: -2}, "the parent -2 of vertex 2 is no vertex", id="a negative parent"),
        pytest.param(1, {5: 6, 6: 5}, "from vertex 5 no way", id="a second tree"),
        pytest.param(3, {3: 2}, "edge 3 from 3 to 0 lies within the tree", id="a detour"),
        pytest.param(4, {4: -1}, "edge 4 from 4 to 2 has one end in the tree", id="a leaf missing"),
        pytest.param(4, {2: -1, 4: -1}, "edge 2 from 2 to 3 has one end", id="a branch missing"),
        pytest.param(5, {7: 0}, "no edge joins vertex 7 and its parent 0", id="a vertex too many"),
        pytest.param(5, {5: 0, 6: 0}, "no edge joins vertex 5 and its parent 0", id="no such edges"),
    ],
)
def test_a_spoiled_tree_is_rejected_by_its_rule(rule: int, parents: dict[int, int], reason: str) -> None:
    broken = broken_rules(SQUARE, 0, changed(TREE, parents))
    assert rules(broken) == [rule]
    assert reason in broken[0].example


@pytest.mark.parametrize(
    ("levels", "reason"),
    [
        ({4: 2}, "vertex 4 is at 2, and its parent is 2"),
        ({0: 1}, "vertex 0 is at 1, and its parent is 0"),
        ({7: 1}, "vertex 7 is at 1, and it is not in the tree"),
    ],
    ids=["as deep as its parent", "a root that is not at 0", "a level without a parent"],
)
def test_levels_that_do_not_fit_the_tree_break_rule_2(levels: dict[int, int], reason: str) -> None:
    broken = broken_rules(SQUARE, 0, TREE, levels=changed(LEVELS, levels))
    assert 2 in rules(broken)
    assert set(rules(broken)) <= {2, 3}
    assert reason in broken[0].example


def test_a_level_spoils_rule_2_alone() -> None:
    assert rules(broken_rules(SQUARE, 0, TREE, levels=changed(LEVELS, {4: 2}))) == [2]


@pytest.mark.parametrize(
    ("rule", "parents", "distances"),
    [
        pytest.param(1, {2: 4}, {}, id="a cycle"),
        pytest.param(2, {}, {4: 0.5}, id="nearer than its path"),
        pytest.param(2, {}, {1: 0, 2: 0, 3: 0, 4: 0}, id="all at 0"),
        pytest.param(2, {}, {7: 1.0}, id="a distance without a parent"),
        pytest.param(2, {}, {4: float("nan")}, id="not a number"),
        pytest.param(2, {}, {v: d + 0.25 for v, d in enumerate(DISTANCES[:5])}, id="all too far"),
        pytest.param(3, {2: 1}, {2: 0.75, 4: 0.875}, id="a detour"),
        pytest.param(3, {}, {1: 0.75}, id="along the longer of two edges"),
        pytest.param(4, {4: -1}, {4: -1}, id="a leaf missing"),
        pytest.param(5, {4: 3}, {}, id="no such edge"),
    ],
)
def test_spoiled_shortest_paths_are_rejected_by_their_rule(
    rule: int, parents: dict[int, int], distances: dict[int, float]
) -> None:
    answer = changed(SHORTEST, parents), changed(DISTANCES, distances)
    assert rules(broken_rules(SQUARE, 0, answer[0], distances=answer[1])) == [rule]


def test_a_cycle_of_length_0_is_a_cycle() -> None:
    edges = EdgeList([0, 1], [1, 2], [0.5, 0.0])
    assert broken_rules(edges, 0, [0, 0, 1], distances=[0, 0.5, 0.5]) == []
    assert rules(broken_rules(edges, 0, [0, 2, 1], distances=[0, 0.5, 0.5])) == [1]


def spoiled(data: Any, answer: list[Any], values: Any) -> list[Any]:
    changes = st.dictionaries(st.integers(0, len(answer) - 1), values, max_size=3)
    return changed(answer, data.draw(changes))


@given(graph=multigraphs(), data=st.data())
def test_exactly_the_right_breadth_first_trees_pass(graph: Any, data: Any) -> None:
    n, weighted, root = graph
    edges = unit_weights(weighted)
    parents, levels = data.draw(right_answers(n, edges, root))
    parents = spoiled(data, parents, st.integers(-2, n))
    found = broken_rules(edge_list(edges), root, parents)
    assert bool(found) != is_shortest_path_tree(n, edges, root, parents, levels)
    assert all(str(broken).startswith(f"rule {broken.rule} is broken") for broken in found)


@given(graph=multigraphs(), data=st.data())
def test_exactly_the_right_shortest_paths_pass(graph: Any, data: Any) -> None:
    n, edges, root = graph
    parents, distances = data.draw(right_answers(n, edges, root))
    parents = spoiled(data, parents, st.integers(-2, n))
    distances = spoiled(data, distances, st.integers(-8, 20).map(lambda eighths: eighths / 8))
    assume(all(d >= 0 or d == -1 for d in distances))
    found = broken_rules(edge_list(edges), root, parents, distances=distances)
    assert bool(found) != is_shortest_path_tree(n, edges, root, parents, distances)


@given(n=st.integers(1, 40), data=st.data())
def test_levels_and_cycles_of_any_parents(n: int, data: Any) -> None:
    """Against walking up step by step."""
    root = data.draw(st.integers(0, n - 1))
    parents = data.draw(st.lists(st.integers(-1, n - 1), min_size=n, max_size=n))
    parents[root] = root

    def steps(v: int) -> int | None:
        for count in range(n):
            if v == root:
                return count
            if v == -1:
                return None
            v = parents[v]
        return None

    levels, broken = tree_levels(np.array(parents), root)
    expected = [-1 if parents[v] == -1 else steps(v) for v in range(n)]
    if None in expected:
        assert broken is not None
        assert (broken.rule, broken.count) == (1, expected.count(None))
    else:
        assert broken is None
        assert levels.tolist() == expected


def test_a_path_as_long_as_there_are_vertices() -> None:
    n = 1 << 16
    levels, broken = tree_levels(np.maximum(np.arange(n) - 1, 0), 0)
    assert broken is None
    np.testing.assert_array_equal(levels, np.arange(n))
    levels, broken = tree_levels(np.concatenate([[0], np.roll(np.arange(1, n), 1)]), 0)
    assert broken is not None
    assert broken.count == n - 1


def local(edges: EdgeList, part: slice, parents: Any, distances: Any) -> Any:
    """What a process that knows only the ends of its own edges finds, by its own numbers."""
    sources, targets = edges.sources[part], edges.targets[part]
    names = np.unique(np.concatenate([sources, targets]))
    position = {int(name): k for k, name in enumerate(names)} | {-1: -1}
    own = EdgeList(np.searchsorted(names, sources), np.searchsorted(names, targets))
    own_parents = np.array([position.get(int(p), len(names)) for p in parents[names]], np.int64)
    weights = edges.weights[part]
    return names, judge_edges(own, weights, own_parents, distances[names])


@given(graph=multigraphs(), data=st.data(), length=st.integers(1, 9))
def test_slices_with_numbers_of_their_own_find_the_same(graph: Any, data: Any, length: int) -> None:
    n, plain, root = graph
    edges = edge_list(plain)
    parents, distances = data.draw(right_answers(n, plain, root))
    parents = np.array(spoiled(data, parents, st.integers(-1, n - 1)))
    distances = np.array(distances, np.float64)
    whole = judge_edges(edges, edges.weights, parents, distances)
    joined, tight, counts = np.zeros(n, np.uint8), np.zeros(n, np.uint8), np.zeros(2, np.int64)
    merged = judge_edges(EdgeList([], []), None, parents, distances)
    for start in range(0, len(edges), length):
        part = slice(start, start + length)
        names, found = local(edges, part, parents, distances)
        joined[names] |= found.joined
        tight[names] |= found.tight
        counts += found.too_far, found.one_end
        own = EdgeList(edges.sources[part], edges.targets[part])
        also = judge_edges(own, edges.weights[part], parents, distances)
        merged = replace(
            merged,
            joined=merged.joined | also.joined,
            tight=merged.tight | also.tight,
            too_far=merged.too_far + also.too_far,
            one_end=merged.one_end + also.one_end,
        )
    for one, other in ((joined, tight), (merged.joined, merged.tight)):
        np.testing.assert_array_equal(one, whole.joined)
        np.testing.assert_array_equal(other, whole.tight)
    assert counts.tolist() == [whole.too_far, whole.one_end] == [merged.too_far, merged.one_end]


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_find_the_same_in_a_large_graph(threads: int) -> None:
    edges = generate(Settings(scale=12, sssp=True))
    graph = construct(edges)
    root = int(edges.sources[0])
    parents = search(graph, root).parents.to_numpy(-1)
    assert broken_rules(edges, root, parents, threads=threads) == []
    spoiled = parents.copy()
    spoiled[np.flatnonzero(parents >= 0)[::7]] = root
    assert rules(broken_rules(edges, root, spoiled, threads=threads)) == rules(
        broken_rules(edges, root, spoiled)
    )
    tree = shortest_paths(graph, root)
    assert tree.distances is not None
    answer = tree.parents.to_numpy(-1), tree.distances.to_numpy(-1)
    assert broken_rules(edges, root, answer[0], distances=answer[1], threads=threads) == []


def test_bad_arguments() -> None:
    with pytest.raises(SizeMismatch, match="6 parents are too few; edges go up to vertex 6"):
        broken_rules(SQUARE, 0, TREE[:6])
    with pytest.raises(SizeMismatch, match="distances has 3 values for 8"):
        broken_rules(SQUARE, 0, TREE, distances=[0.0, 0.0, 0.0])
    with pytest.raises(IndexOutOfRange, match="root"):
        broken_rules(SQUARE, 8, TREE)
    with pytest.raises(InvalidArgument, match="distances go with the weights of edges"):
        broken_rules(EdgeList([0], [1]), 0, [0, 0], distances=[0.0, 1.0])
    with pytest.raises(InvalidArgument, match="without levels"):
        broken_rules(SQUARE, 0, TREE, levels=LEVELS, distances=DISTANCES)
