"""NetworkX graphs, both ways."""

from typing import Any

import numpy as np

from anypair.backends.base import Backend
from anypair.errors import InvalidArgument, SizeMismatch
from anypair.handle import Handle, backend_for
from anypair.inputs import as_values
from anypair.io.edges import GENERAL, SYMMETRIC, Edges, Loaded, check_names
from anypair.io.formats import require_library
from anypair.io.reading import assemble
from anypair.io.tables import sorted_names
from anypair.matrix import Matrix
from anypair.semiring import BinaryOp, Monoid


def from_networkx(
    graph: Any,
    weight: str | None = "weight",
    *,
    dtype: Any = None,
    duplicates: BinaryOp | Monoid | None = None,
    backend: str | Backend | None = None,
    like: Handle | None = None,
) -> Loaded:
    """The adjacency matrix of a NetworkX graph; undirected edges go both ways.

    Edges without the attribute `weight` weigh 1; if no edge has it, there are no weights. Nodes are
    numbered in sorted order, if they have one. `duplicates` is for graphs with parallel edges.

    >>> import networkx
    >>> from_networkx(networkx.path_graph(3)).matrix.nvals
    4
    """
    if not hasattr(graph, "edges") or not hasattr(graph, "is_directed"):
        raise InvalidArgument(f"from_networkx: {type(graph).__name__} is no NetworkX graph")
    nodes = sorted_names(graph)
    place = {node: number for number, node in enumerate(nodes)}
    edges = list(graph.edges(data=weight))
    count = len(edges)
    sources = np.fromiter((place[u] for u, _, _ in edges), np.int64, count)
    targets = np.fromiter((place[v] for _, v, _ in edges), np.int64, count)
    found = [data for *_, data in edges] if weight is not None else []
    weights = None
    if any(value is not None for value in found):
        plain = [1 if value is None else value for value in found]
        weights = as_values("from_networkx", weight or "", plain, dtype, count)
    symmetry = GENERAL if graph.is_directed() else SYMMETRIC
    shape = (len(nodes), len(nodes))
    are_numbers = nodes == list(range(len(nodes)))
    names = None if are_numbers else check_names("from_networkx", nodes, Matrix.empty(shape))
    all_edges = Edges(sources, targets, weights, shape, names, symmetry)
    engine = backend_for("from_networkx", backend, like)
    matrix = assemble(all_edges, None, dtype, duplicates, True, engine, "from_networkx")
    return Loaded(matrix, names, "networkx", None, matrix.is_symmetric)


def to_networkx(matrix: Matrix, names: Any = None, *, directed: bool | None = None) -> Any:
    """A NetworkX graph with an edge for each entry and its value as `weight`, unless that is True.

    By default it is directed, unless the matrix is known to be symmetric.

    >>> sorted(to_networkx(Matrix.from_edges([0], [1], n=3)).nodes)
    [0, 1, 2]
    """
    networkx = require_library("networkx", "pip install networkx", "to_networkx")
    if matrix.nrows != matrix.ncols:
        raise SizeMismatch(f"to_networkx: a graph is square, not {matrix.nrows}x{matrix.ncols}")
    called = check_names("to_networkx", names, matrix)
    listed = list(range(matrix.nrows)) if called is None else called.tolist()
    is_directed = not matrix.is_symmetric if directed is None else directed
    graph = networkx.DiGraph() if is_directed else networkx.Graph()
    graph.add_nodes_from(listed)
    rows, columns, values = (column.tolist() for column in matrix.to_entries())
    ends = ((listed[i], listed[j]) for i, j in zip(rows, columns, strict=True))
    if matrix.dtype == bool and all(values):
        graph.add_edges_from(ends)
    else:
        graph.add_weighted_edges_from((u, v, x) for (u, v), x in zip(ends, values, strict=True))
    return graph
