"""Other numbers for the vertices of a graph, and the way back."""

from dataclasses import dataclass

import numpy as np

from anypair.dtypes import INT64, Array
from anypair.errors import IndexOutOfRange, SizeMismatch, UnsupportedDType
from anypair.inputs import as_index
from anypair.matrix import Matrix
from anypair.semiring import one, plus_monoid
from anypair.vector import Vector


@dataclass(frozen=True)
class Relabelled:
    """A graph with other vertex numbers, and the way there and back."""

    graph: Matrix
    original: Array  # original[v] is what vertex v of the graph was before
    _new: Array  # the way back: -1 for vertices that were left out

    def new(self, vertex: int) -> int:
        """The number that a vertex has now.

        >>> Matrix.from_edges([0], [2], symmetric=True).by_degree().new(2)
        1
        """
        place = as_index("Relabelled.new", "vertex", vertex, len(self._new))
        number = int(self._new[place])
        if number < 0:
            raise IndexOutOfRange(f"Relabelled.new: vertex={vertex} has no edge and was left out")
        return number

    def restore(self, u: Vector, *, vertices: bool) -> Vector:
        """A result for the original vertices; `vertices` says that the values are vertices as well.

        >>> from anypair.algorithms import bfs_parents
        >>> path = Matrix.from_edges([7, 7], [3, 4], symmetric=True).by_degree()
        >>> path.restore(bfs_parents(path.graph, path.new(3)), vertices=True).to_dict()
        {3: 3, 4: 7, 7: 3}
        """
        if u.size != len(self.original):
            raise SizeMismatch(
                f"Relabelled.restore: the vector has size {u.size}, the graph {len(self.original)}"
            )
        if vertices and u.dtype.kind not in "iu":
            raise UnsupportedDType(f"Relabelled.restore: values of dtype {u.dtype} are not vertices")
        size = len(self._new)
        try:
            storage = u.backend.renumber(u.storage, self.original, size, values=vertices)
        except IndexOutOfRange as wrong:
            raise IndexOutOfRange(
                f"Relabelled.restore: {wrong} is not a vertex; there are {len(self.original)}"
            ) from None
        return Vector((size,), u.dtype, storage, u.backend)


def by_degree(graph: Matrix) -> Relabelled:
    """Number the vertices by how many edges they have, most first, ties as they were."""
    if graph.nrows != graph.ncols:
        raise SizeMismatch(f"by_degree: a graph is square, not {graph.nrows}x{graph.ncols}")
    backend = graph.backend
    ones = backend.apply(graph.storage, one.typed(graph.dtype).into(INT64))
    counter = plus_monoid.typed(INT64)
    degrees = np.zeros(graph.nrows, np.int64)
    for storage in (ones,) if graph.T is graph else (ones, backend.transpose(ones)):
        indices, counts = backend.entries(backend.reduce_rows(storage, counter))
        degrees[indices] += counts
    order = np.argsort(-degrees, kind="stable")
    order = order[: np.count_nonzero(degrees)]
    shape = (len(order), len(order))
    storage = backend.extract(graph.storage, (order, order))
    relabelled = Matrix(shape, graph.dtype, storage, backend)
    if graph.T is graph:
        relabelled.mark_symmetric()
    # Half as many bytes to move, each time a result is translated.
    numbers = np.int32 if graph.nrows < 2**31 else np.int64
    new = np.full(graph.nrows, -1, numbers)
    new[order] = np.arange(len(order))
    return Relabelled(relabelled, order.astype(numbers), new)
