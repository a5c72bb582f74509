"""The five rules of the specification, for trees of kernel 2 and kernel 3.

1. The tree is a tree and has no cycles.
2. Each tree edge joins vertices whose levels differ by exactly one (whose distances differ by the
   weight of the edge; the root is at 0).
3. Each edge of the list that lies in the tree joins levels that differ by at most one (distances
   that differ by at most its weight).
4. The tree spans a whole component: no edge of the list has one end in the tree.
5. A vertex and its parent are joined by an edge of the list.

A level is a distance with all weights 1, so both kernels share one pass over the edges. That pass
takes any slice of the list, with any numbering of vertices on which edges and parents agree. A process
that has only a slice needs from others the parents and distances of the ends of its edges; what it
finds out about vertices goes to those that have them.

For kernel 3 the specification's rule 2 only says "at most the weight", which distances of 0 everywhere
fulfil. Here they have to be reached: an edge of the list makes up the difference exactly.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anypair.backends.processes import Processes
from anypair.dtypes import Array
from anypair.errors import InvalidArgument, SizeMismatch
from anypair.graph500.compiled import loops, on_threads
from anypair.graph500.edges import EdgeList, EdgeSource
from anypair.graph500.process_edges import ProcessEdges
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


def broken_rules(
    edges: EdgeSource,
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
    unweighted = any(each.weights is None for each in edges.parts())
    if distances is not None and (levels is not None or unweighted):
        raise InvalidArgument("broken_rules: distances go with the weights of edges, without levels")
    known = None
    if distances is not None:
        known = as_values("broken_rules", "distances", distances, np.float64, len(above))
    elif levels is not None:
        known = as_values("broken_rules", "levels", levels, np.int64, len(above))
    part = ProcessEdges.of(edges, Processes(), len(above))
    return check_tree(part, start, above, known, weighted=distances is not None, threads=threads)


def check_tree(
    part: ProcessEdges,
    root: int,
    parents: Array,
    known: Array | None,
    *,
    weighted: bool,
    threads: int = 0,
) -> list[Broken]:
    """The rules that a tree breaks, of which each process has its block of parents.

    `known` are the levels or, if the edges count with their weights, the distances.
    """
    levels, found = tree_levels(parents, root, threads, part)
    if found:
        return [found]
    distances = levels if known is None else known
    of_ends = part.own_numbers(part.fetch(parents)), part.fetch(distances)
    findings = judge_parts(part.edges, *of_ends, weighted=weighted, threads=threads)
    counts = [part.add(flags.astype(np.int32)) for flags in (findings.joined, findings.tight)]
    findings = replace(findings, joined=counts[0], tight=counts[1])
    broken = (*check_vertices(root, parents, distances, findings, part.start), *check_edges(findings))
    return merged(part.processes, broken)


def merged(processes: Processes, found: Sequence[Broken]) -> list[Broken]:
    """What all processes have found: each broken rule once, with the first example."""
    all_found = [broken for part in processes.gather(list(found)) for broken in part]
    return [
        Broken(rule, sum(b.count for b in all_found if b.rule == rule), example)
        for rule, example in sorted({b.rule: b.example for b in reversed(all_found)}.items())
    ]


def tree_levels(
    parents: Array, root: int, threads: int = 0, part: ProcessEdges | None = None
) -> tuple[Array, Broken | None]:
    """Rule 1, and the level of each vertex of the tree, by pointers that reach twice as far each time.

    >>> tree_levels(np.array([1, 1, 0, -1]), root=1)
    (array([ 1,  0,  2, -1]), None)
    """
    part = part or ProcessEdges(EdgeList(parents[:0], parents[:0]), len(parents), Processes())
    start, processes = part.start, part.processes
    inside = parents != NONE
    levels = np.where(inside, 1, NONE)
    found = []
    if len(wrong := np.flatnonzero(inside & ((parents < 0) | (parents >= part.n)))):
        example = f"the parent {parents[wrong[0]]} of vertex {start + wrong[0]} is no vertex"
        found.append(Broken(1, len(wrong), example))
    if start <= root < start + len(parents):
        levels[root - start] = 0
        if parents[root - start] != root and not found:
            example = f"the root {root} has the parent {parents[root - start]}, not itself"
            found.append(Broken(1, 1, example))
    if broken := merged(processes, found):
        return levels, broken[0]
    ups = parents.astype(np.int64)
    for _ in range(max(part.n, 1).bit_length()):
        known = _above(processes, ups, levels, part.n)
        further = np.empty_like(ups), np.empty_like(levels)
        loop = loops("judging").jump
        todo = sum(on_threads(threads, loop, len(ups), root, ups, levels, *known, *further))
        ups, levels = further
        if not processes.totals(np.array([todo]))[0]:
            return levels, None
    lost = np.flatnonzero(inside & (ups != root))
    if len(lost):
        example = f"from vertex {start + lost[0]} no way up the tree leads to the root {root}"
        found.append(Broken(1, len(lost), example))
    return levels, merged(processes, found)[0]


def _above(processes: Processes, ups: Array, levels: Array, n: int) -> tuple[Array, Array, Array]:
    """Where in the two other arrays the pointers and levels of what each vertex points to stand."""
    if processes.count == 1:
        return ups, ups, levels
    known, at = np.unique(ups[ups >= 0], return_inverse=True)
    routes = processes.routes(known, n)
    places = np.zeros(len(ups), np.int64)
    places[ups >= 0] = at
    return places, routes.fetch(ups), routes.fetch(levels)


def judge_parts(
    edges: EdgeSource, parents: Array, distances: Array, *, weighted: bool, threads: int = 0
) -> Findings:
    """One pass over a slice of the edges, for rules 2 to 5."""
    none = np.empty(0, np.int64)
    total = judge_edges(EdgeList(none, none), None, parents, distances, threads)
    first = 0
    for part in edges.parts():
        weights = part.weights if weighted else None
        found = judge_edges(part, weights, parents, distances, threads, first)
        first += len(part)
        total = Findings(
            total.joined | found.joined,
            total.tight | found.tight,
            total.too_far + found.too_far,
            found.too_far_example or total.too_far_example,
            total.one_end + found.one_end,
            found.one_end_example or total.one_end_example,
        )
    return total


def judge_edges(
    edges: EdgeList,
    weights: Array | None,
    parents: Array,
    distances: Array,
    threads: int = 0,
    first: int = 0,
) -> Findings:
    """What edges in memory, numbered from `first`, say; without weights each counts 1."""
    joined, tight = np.zeros(len(parents), np.uint8), np.zeros(len(parents), np.uint8)
    lengths = np.broadcast_to(np.int64(1), len(edges)) if weights is None else weights
    arguments = (edges.sources, edges.targets, lengths, parents, distances, joined, tight)
    found = on_threads(threads, loops("judging").judge_edges, len(edges), *arguments)
    too_far, too_far_at, one_end, one_end_at = np.transpose(found).tolist()
    return Findings(
        joined,
        tight,
        sum(too_far),
        _edge(edges, max(too_far_at), first, "{} lies within the tree and is longer than it may be"),
        sum(one_end),
        _edge(edges, max(one_end_at), first, "{} has one end in the tree"),
    )


def check_vertices(
    root: int, parents: Array, distances: Array, findings: Findings, start: int = 0
) -> Iterator[Broken]:
    """Rules 2 and 5, which need no more than is known of each vertex; they are numbered from `start`."""
    inside = parents >= 0
    here = np.arange(start, start + len(parents)) == root
    wrong = inside != (distances >= 0)
    wrong |= inside & (findings.joined > 0) & (findings.tight == 0)
    wrong = np.where(here, distances != 0, wrong)
    if wrong.any():
        v = int(np.argmax(wrong))
        above = f"its parent is {parents[v]}" if inside[v] else "it is not in the tree"
        yield Broken(2, int(wrong.sum()), f"vertex {start + v} is at {distances[v]}, and {above}")
    alone = inside & (findings.joined == 0) & ~here
    if alone.any():
        v = int(np.argmax(alone))
        example = f"no edge joins vertex {start + v} and its parent {parents[v]}"
        yield Broken(5, int(alone.sum()), example)


def check_edges(findings: Findings) -> Iterator[Broken]:
    """Rules 3 and 4."""
    if findings.too_far:
        yield Broken(3, findings.too_far, findings.too_far_example)
    if findings.one_end:
        yield Broken(4, findings.one_end, findings.one_end_example)


def _edge(edges: EdgeList, at: int, first: int, text: str) -> str:
    if at < 0:
        return ""
    return text.format(f"edge {first + at} from {edges.sources[at]} to {edges.targets[at]}")
