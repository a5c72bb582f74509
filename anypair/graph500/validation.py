"""The five rules of the specification, for trees of kernel 2 and kernel 3.

1. The tree is a tree and has no cycles.
2. Each tree edge joins vertices whose levels differ by exactly one (whose distances differ by the
   weight of the edge; the root is at 0).
3. Each edge of the list that lies in the tree joins levels that differ by at most one (distances
   that differ by at most its weight).
4. The tree spans a whole component: no edge of the list has one end in the tree.
5. A vertex and its parent are joined by an edge of the list.

A level is a distance with all weights 1, so both kernels share one pass over the edges. That pass
takes any slice of the list, and any numbering of vertices on which edges and parents agree: a process
that knows only the ends of its own edges numbers those from 0, and gives a parent that is not among
them the number of its vertices. What it needs from others are the parents and distances of these
ends; what it finds is merged by `Findings.merged`, its flags by whoever owns the vertex.

For kernel 3 the specification's rule 2 only says "at most the weight", which distances of 0 everywhere
fulfil. Here they have to be reached: an edge of the list makes up the difference exactly.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anypair.dtypes import Array
from anypair.errors import InvalidArgument, SizeMismatch
from anypair.graph500.compiled import loops, shared
from anypair.graph500.edges import EdgeList
from anypair.inputs import as_index, as_values

NONE = -1  # the parent, level and distance of a vertex outside the tree


@dataclass(frozen=True)
class Broken:
    """A rule that does not hold, how often, and an example."""

    rule: int
    count: int
    example: str

    def __str__(self) -> str:
        return f"rule {self.rule} is broken {self.count} times: {self.example}"


@dataclass(frozen=True, eq=False)
class Findings:
    """What a slice of the edges says about a tree."""

    joined: Array  # whether an edge leads to the parent of each vertex
    tight: Array  # whether one of them is as long as the distances differ
    too_far: int
    too_far_example: str
    one_end: int
    one_end_example: str

    def merged(self, other: "Findings") -> "Findings":
        """What two slices say together."""
        return Findings(
            self.joined | other.joined,
            self.tight | other.tight,
            self.too_far + other.too_far,
            self.too_far_example or other.too_far_example,
            self.one_end + other.one_end,
            self.one_end_example or other.one_end_example,
        )


def broken_rules(
    edges: EdgeList,
    root: int,
    parents: Array,
    *,
    levels: Array | None = None,
    distances: Array | None = None,
    threads: int = 0,
) -> list[Broken]:
    """The rules that a tree breaks, in order; none for a right answer. -1 stands for no parent.

    `distances` makes it a tree of shortest paths over the weights of the edges. A breadth-first tree
    has the levels that its parents give, unless the search has some of its own and hands them in.

    >>> path = EdgeList([0, 1], [1, 2])
    >>> broken_rules(path, 0, [0, 0, 1])
    []
    >>> print(*broken_rules(path, 0, [0, 0, 0]))
    rule 5 is broken 1 times: no edge joins vertex 2 and its parent 0
    """
    above = as_values("broken_rules", "parents", parents, np.int64, None)
    start = as_index("broken_rules", "root", root, len(above))
    if len(above) < edges.n:
        raise SizeMismatch(
            f"broken_rules: {len(above)} parents are too few; edges go up to vertex {edges.n - 1}"
        )
    if distances is not None and (levels is not None or edges.weights is None):
        raise InvalidArgument("broken_rules: distances go with the weights of edges, without levels")
    own_levels, not_a_tree = tree_levels(above, start, threads)
    if not_a_tree:
        return [not_a_tree]
    if distances is not None:
        known = as_values("broken_rules", "distances", distances, np.float64, len(above))
    elif levels is not None:
        known = as_values("broken_rules", "levels", levels, np.int64, len(above))
    else:
        known = own_levels
    weights = edges.weights if distances is not None else None
    findings = judge_edges(edges, weights, above, known, threads)
    found = (*check_vertices(start, above, known, findings), *check_edges(findings))
    return sorted(found, key=lambda broken: broken.rule)


def tree_levels(parents: Array, root: int, threads: int = 0) -> tuple[Array, Broken | None]:
    """Rule 1, and the level of each vertex of the tree, by pointers that reach twice as far each time.

    >>> tree_levels(np.array([1, 1, 0, -1]), root=1)
    (array([ 1,  0,  2, -1]), None)
    """
    n = len(parents)
    inside = parents != NONE
    levels = np.where(inside, 1, NONE)
    if wrong := np.flatnonzero(inside & ((parents < 0) | (parents >= n))).tolist():
        example = f"the parent {parents[wrong[0]]} of vertex {wrong[0]} is no vertex"
        return levels, Broken(1, len(wrong), example)
    if parents[root] != root:
        return levels, Broken(1, 1, f"the root {root} has the parent {parents[root]}, not itself")
    levels[root] = 0
    ups, more = parents.astype(np.int64), (np.empty(n, np.int64), np.empty(n, np.int64))
    for _ in range(n.bit_length()):
        todo = sum(shared(threads, loops("judging").jump, n, root, ups, levels, *more))
        (ups, levels), more = more, (ups, levels)
        if not todo:
            return levels, None
    lost = np.flatnonzero(inside & (ups != root))
    example = f"from vertex {lost[0]} no way up the tree leads to the root {root}"
    return levels, Broken(1, len(lost), example)


def judge_edges(
    edges: EdgeList, weights: Array | None, parents: Array, distances: Array, threads: int = 0
) -> Findings:
    """One pass over a slice of the edges, for rules 2 to 5; without weights each counts 1."""
    joined, tight = np.zeros(len(parents), np.uint8), np.zeros(len(parents), np.uint8)
    lengths = np.broadcast_to(np.int64(1), len(edges)) if weights is None else weights
    arguments = (edges.sources, edges.targets, lengths, parents, distances, joined, tight)
    found = shared(threads, loops("judging").judge_edges, len(edges), *arguments)
    too_far, too_far_at, one_end, one_end_at = np.transpose(found).tolist()
    return Findings(
        joined,
        tight,
        sum(too_far),
        _edge(edges, max(too_far_at), "{} lies within the tree and is longer than it may be"),
        sum(one_end),
        _edge(edges, max(one_end_at), "{} has one end in the tree"),
    )


def check_vertices(root: int, parents: Array, distances: Array, findings: Findings) -> Iterator[Broken]:
    """Rules 2 and 5, which need no more than is known of each vertex."""
    inside = parents >= 0
    wrong = inside != (distances >= 0)
    wrong |= inside & (findings.joined > 0) & (findings.tight == 0)
    wrong[root] = distances[root] != 0
    if wrong.any():
        v = int(np.argmax(wrong))
        above = f"its parent {parents[v]} at {distances[parents[v]]}" if inside[v] else "not in the tree"
        yield Broken(2, int(wrong.sum()), f"vertex {v} is at {distances[v]} and {above}")
    alone = inside & (findings.joined == 0)
    alone[root] = False
    if alone.any():
        v = int(np.argmax(alone))
        yield Broken(5, int(alone.sum()), f"no edge joins vertex {v} and its parent {parents[v]}")


def check_edges(findings: Findings) -> Iterator[Broken]:
    """Rules 3 and 4."""
    if findings.too_far:
        yield Broken(3, findings.too_far, findings.too_far_example)
    if findings.one_end:
        yield Broken(4, findings.one_end, findings.one_end_example)


def _edge(edges: EdgeList, at: int, text: str) -> str:
    return "" if at < 0 else text.format(f"edge {at} from {edges.sources[at]} to {edges.targets[at]}")
