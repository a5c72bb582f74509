"""Breadth-first searches."""

from typing import Any

import networkx as nx

from anypair.algorithms import (
    bfs_levels,
    bfs_parents,
    bidirectional_path,
    multi_source_levels,
    multi_source_parents,
    nearest_sources,
    neighbourhood,
)
from anypair.errors import InvalidValue
from tests.algorithms.graphs import with_vertices
from tests.algorithms.row import Row
from tests.algorithms.verifiers import verify_tree


def middle(graph: Any) -> dict[str, Any]:
    """A vertex in the middle of the table's order as the source."""
    return {"source": len(graph) // 2}


def ends(graph: Any) -> dict[str, Any]:
    """From one of the first vertices to one of the last."""
    return {"source": len(graph) // 4, "target": len(graph) - 1}


def several(graph: Any) -> dict[str, Any]:
    """Some vertices as sources, not in order, one of them twice."""
    n = len(graph)
    return {"sources": [n // 2, n - 1, 0, n // 2] if n else []}


def levels(graph: Any, source: int) -> dict[int, int]:
    return dict(nx.single_source_shortest_path_length(graph, source))


def smallest_parents(graph: Any, source: int) -> dict[int, int]:
    """Each vertex's smallest in-neighbour that is one level nearer."""
    reached = levels(graph, source)
    before = graph.reverse() if graph.is_directed() else graph
    parents = {v: [u for u in before[v] if reached.get(u) == reached[v] - 1] for v in reached}
    return {v: v if v == source else min(found) for v, found in parents.items()}


def is_a_tree(graph: Any, parents: dict[int, int], source: int) -> None:
    verify_tree(graph, source, parents)


def of_each(search: Any) -> Any:
    """An oracle for rows of several sources, by one for a single source."""

    def oracle(graph: Any, sources: list[int]) -> dict[tuple[int, int], int]:
        return {
            (i, vertex): value
            for i, source in enumerate(sources)
            for vertex, value in search(graph, source).items()
        }

    return oracle


def nearest(graph: Any, sources: list[int]) -> tuple[dict[int, int], dict[int, int]]:
    found = [(level, s, v) for s in sources for v, level in levels(graph, s).items()]
    best = {v: (level, s) for level, s, v in sorted(found, reverse=True)}
    return {v: s for v, (_, s) in best.items()}, {v: level for v, (level, _) in best.items()}


def nearby(graph: Any, sources: list[int], hops: int) -> dict[int, int]:
    return {v: level for v, level in nearest(graph, sources)[1].items() if level <= hops}


def is_a_path(graph: Any, path: list[int], source: int, target: int) -> None:
    """One of the fewest edges."""
    if not nx.has_path(graph, source, target):
        assert path == []
        return
    assert (path[:1], path[-1:]) == ([source], [target])
    assert nx.is_path(graph, path)
    assert len(path) - 1 == nx.shortest_path_length(graph, source, target)


OTHER_ENDS = (lambda path: [path[0], path[0], *path[1:]], lambda path: path[::-1], lambda path: [])

ROWS = [
    Row(bfs_levels, levels, arguments=middle, suits=with_vertices, dtypes=("int64",)),
    Row(
        bfs_parents, smallest_parents, is_a_tree,
        arguments=middle, suits=with_vertices, dtypes=("int64",),
    ),
    Row(multi_source_levels, of_each(levels), arguments=several, dtypes=("int64",)),
    Row(multi_source_parents, of_each(smallest_parents), arguments=several, dtypes=("int64",)),
    Row(nearest_sources, nearest, arguments=several, dtypes=("int64", "int64")),
    Row(
        neighbourhood, nearby, arguments=lambda graph: several(graph) | {"hops": 2}, dtypes=("int64",),
        bad=(({"hops": -1}, InvalidValue, "hops=-1"), ({"hops": "two"}, InvalidValue, "hops='two'")),
    ),
    Row(
        bidirectional_path, verify=is_a_path, arguments=ends, suits=with_vertices, spoilers=OTHER_ENDS,
    ),
]  # fmt: skip
