"""The three kernels, with public names only: build the graph, search it, find shortest paths."""

from typing import NamedTuple

from anypair import Matrix, Vector
from anypair.algorithms import bellman_ford, bfs_parents, shortest_path_parents
from anypair.backends.base import Backend
from anypair.graph500.edges import EdgeList, EdgeSource
from anypair.semiring import minimum


def construct(edges: EdgeSource, backend: str | Backend | None = None) -> Matrix:
    """Kernel 1: the undirected graph of the edges, of which each process has its own slice.

    As the specification has it, the number of vertices is found out here. Self-loops are left out; of
    edges between the same two vertices the one with the smallest weight counts, in both directions.
    """
    if isinstance(edges, EdgeList):
        graph = Matrix.from_edges(
            edges.sources,
            edges.targets,
            edges.weights,
            distributed=True,
            symmetric=True,
            self_loops=False,
            duplicates=None if edges.weights is None else minimum,
            backend=backend,
        )
    else:
        graph = Matrix.from_edge_parts(
            ((part.sources, part.targets, part.weights) for part in edges.parts()),
            symmetric=True,
            self_loops=False,
            duplicates=minimum,
            backend=backend,
        )
    return graph.finish()


class Tree(NamedTuple):
    """What a search returns: the parents, and of shortest paths the distances."""

    parents: Vector
    distances: Vector | None = None


def search(graph: Matrix, root: int) -> Tree:
    """Kernel 2: a breadth-first tree.

    >>> search(construct(EdgeList([0, 1], [1, 2])), 0).parents.to_dict()
    {0: 0, 1: 0, 2: 1}
    """
    return Tree(bfs_parents(graph, root).finish())


def shortest_paths(graph: Matrix, root: int) -> Tree:
    """Kernel 3: a tree of shortest paths, and the distances."""
    distances = bellman_ford(graph, root)
    parents = shortest_path_parents(graph, root, distances)
    return Tree(parents.finish(), distances.finish())
