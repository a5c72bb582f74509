"""The graphs that every algorithm runs on, all of them small: named ones, and some drawn by seed.

Each edge has the integer weight "steps", a quarter of it as "weight", so that sums are exact, and a
"chance" from 1/16 to 13/16.
"""

from collections.abc import Callable
from typing import Any

import networkx as nx

from tests.support.graphs import NAMED


def _numbered(graph: Any) -> Any:
    return nx.convert_node_labels_to_integers(graph)


def _directed(*edges: tuple[int, int], n: int) -> Any:
    graph = nx.empty_graph(n, create_using=nx.DiGraph)
    graph.add_edges_from(edges)
    return graph


def _acyclic(n: int, chance: float, seed: int) -> Any:
    drawn = nx.gnp_random_graph(n, chance, seed=seed, directed=True)
    return _directed(*((u, v) for u, v in drawn.edges if u < v), n=n)


def _with_loops(graph: Any) -> Any:
    graph.add_edges_from((v, v) for v in list(graph)[::3])
    return graph


MORE: dict[str, Any] = {
    "no vertices": nx.empty_graph(0),
    "no directed edges": _directed(n=4),
    "nothing but loops": nx.Graph([(v, v) for v in range(4)]),
    "long path": nx.path_graph(40),
    "long directed cycle": nx.cycle_graph(30, create_using=nx.DiGraph),
    "odd cycle": nx.cycle_graph(9),
    "wheel": nx.wheel_graph(8),
    "ladder": nx.ladder_graph(6),
    "lollipop": nx.lollipop_graph(5, 4),
    "caves": nx.connected_caveman_graph(4, 4),
    "friendship": nx.windmill_graph(4, 3),
    "octahedron": nx.octahedral_graph(),
    "cube": _numbered(nx.hypercube_graph(4)),
    "small world": nx.connected_watts_strogatz_graph(16, 4, 0.2, seed=5),
    "random tree": nx.random_labeled_tree(18, seed=6),
    "three components": nx.disjoint_union_all([nx.complete_graph(4), nx.cycle_graph(5), nx.empty_graph(2)]),
    "dense": nx.gnp_random_graph(12, 0.7, seed=7),
    "sparse": nx.gnp_random_graph(24, 0.06, seed=8),
    "random with loops": _with_loops(nx.gnp_random_graph(14, 0.25, seed=9)),
    "arrow in": _directed((1, 0), (2, 0), (3, 0), n=4),
    "arrow out": _directed((0, 1), (0, 2), (0, 3), n=4),
    "to and fro": _directed((0, 1), (1, 0), (1, 2), (3, 2), n=4),
    "diamond": _directed((0, 1), (0, 2), (1, 3), (2, 3), (3, 4), n=5),
    "cycles in a row": _directed(
        (0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (4, 5), (5, 6), (6, 7), (7, 5), (8, 0), n=9
    ),
    "complete directed": nx.complete_graph(5, create_using=nx.DiGraph),
    "tournament": _acyclic(8, 1.0, 0),
    "acyclic": _acyclic(16, 0.25, 10),
    "sparse acyclic": _acyclic(20, 0.08, 11),
    "sparse directed": nx.gnp_random_graph(24, 0.05, seed=12, directed=True),
    "dense directed": nx.gnp_random_graph(10, 0.5, seed=13, directed=True),
    "directed with loops": _with_loops(nx.gnp_random_graph(12, 0.2, seed=14, directed=True)),
}  # fmt: skip


def prepared(name: str, graph: Any) -> Any:
    """A copy that knows its name, with its weights."""
    copy = type(graph)()
    copy.add_nodes_from(range(len(graph)))
    copy.add_edges_from(graph.edges)
    copy.graph["name"] = name
    for u, v, data in copy.edges(data=True):
        low, high = (u, v) if copy.is_directed() else sorted((u, v))
        steps = (3 * low + 5 * high) % 12 + 1
        data |= {"steps": steps, "weight": steps / 4, "chance": steps / 16}
    return copy


GRAPHS: dict[str, Any] = {name: prepared(name, graph) for name, graph in {**NAMED, **MORE}.items()}

Suits = Callable[[Any], bool]


def any_graph(graph: Any) -> bool:
    return True


def with_vertices(graph: Any) -> bool:
    return len(graph) > 0


def with_edges(graph: Any) -> bool:
    return graph.number_of_edges() > 0


def without_cycles(graph: Any) -> Any:
    """Directed, with those edges only that lead to a vertex of a larger number."""
    copy = nx.empty_graph(len(graph), create_using=nx.DiGraph)
    copy.add_edges_from((min(u, v), max(u, v), data) for u, v, data in graph.edges(data=True) if u != v)
    copy.graph |= graph.graph
    return copy
