"""Small graphs on which searches are tried before a timer starts."""

from typing import Any

import numpy as np

from anypair.backends.base import Backend, Storage
from anypair.dtypes import Array, DType
from anypair.semiring import first


def sample_edges(vertices: Array, n: int, degree: int) -> tuple[Array, Array]:
    """Edges from these vertices of n to vertex 0, which so has a long row, and to those after them.

    >>> sample_edges(np.arange(3), 3, 2)
    (array([0, 1, 2, 0, 1, 2]), array([0, 0, 0, 1, 2, 0]))
    """
    ends = [np.zeros_like(vertices), *((vertices + step) % n for step in range(1, degree))]
    return np.tile(vertices, len(ends)), np.concatenate(ends)


def sample_graph(
    backend: Backend, vertices: Array, n: int, degree: int, dtype: DType, *, symmetric: bool
) -> Storage:
    """A graph of those edges and their reverses, of which each process gives those of its vertices."""
    sources, targets = sample_edges(vertices, n, degree)
    if not symmetric:
        sources, targets = np.concatenate([sources, targets]), np.concatenate([targets, sources])
    values: Any = np.broadcast_to(np.ones((), dtype), len(sources))
    if dtype.kind != "b":  # graphs without weights have True once, for all edges
        values = values.copy()
    duplicates = first.typed(dtype, dtype)
    kinds = {"symmetric": symmetric, "self_loops": False}
    return backend.build_graph_of_slices(sources, targets, values, n, duplicates, **kinds)
