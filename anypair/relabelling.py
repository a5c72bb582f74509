"""Relabelling: other numbers for the vertices of a graph, and the way back."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anypair.dtypes import INT64, Array
from anypair.errors import IndexOutOfRange, SizeMismatch, UnsupportedDType
from anypair.inputs import as_index, as_whole
from anypair.matrix import Matrix
from anypair.semiring import one, plus_monoid
from anypair.vector import Vector


class Permutation:
    """A permutation of the numbers below n that looks random, computed and never stored.

    >>> shuffle = Permutation(10, seed=1)
    >>> sorted(shuffle.new(np.arange(10)).tolist()) == list(range(10))
    True
    >>> shuffle.original(shuffle.new(np.array([3, 7]))).tolist()
    [3, 7]
    """

    ROUNDS = 3

    def __init__(self, n: int, seed: int) -> None:
        self.n = n
        bits = max(n - 1, 1).bit_length()
        self._half = np.uint64((bits + 1) // 2)
        self._mask = np.uint64(2**bits - 1)
        factors = np.random.default_rng(seed).integers(0, 2**62, self.ROUNDS) * 2 + 1
        self._factors = [int(factor) % 2**bits | 1 for factor in factors]
        self._inverses = [pow(factor, -1, 2**bits) for factor in reversed(self._factors)]

    def new(self, numbers: Array) -> Array:
        """The new numbers of original ones."""
        return self._walk(numbers, self._forward)

    def original(self, numbers: Array) -> Array:
        """The original numbers of new ones."""
        return self._walk(numbers, self._backward)

    def _walk(self, numbers: Array, step: Callable[[Array], Array]) -> Array:
        """Steps, each of which permutes the numbers of so many bits, until all are below n again."""
        walked = step(numbers.astype(np.uint64))
        while len(outside := np.flatnonzero(walked >= self.n)):
            walked[outside] = step(walked[outside])
        return walked.astype(np.int64)

    def _forward(self, x: Array) -> Array:
        for factor in self._factors:
            x = (x * np.uint64(factor)) & self._mask
            x = x ^ (x >> self._half)  # its own inverse, as half of the bits are shifted out
        return x

    def _backward(self, x: Array) -> Array:
        for factor in self._inverses:
            x = x ^ (x >> self._half)
            x = (x * np.uint64(factor)) & self._mask
        return x


@dataclass(frozen=True)
class Shuffled:
    """A graph whose vertices were renumbered at random, and the way there and back."""

    graph: Matrix
    permutation: Permutation

    def new(self, vertex: int) -> int:
        """The number that a vertex has now.

        >>> shuffled = Matrix.from_edges([0], [2]).shuffled(seed=1)
        >>> shuffled.graph.get(shuffled.new(0), shuffled.new(2))
        True
        """
        place = as_index("Shuffled.new", "vertex", vertex, self.permutation.n)
        return int(self.permutation.new(np.array([place]))[0])

    def restore(self, u: Vector, *, vertices: bool) -> Vector:
        """A result for the original vertices; `vertices` says that the values are vertices as well.

        >>> from anypair.algorithms import bfs_parents
        >>> path = Matrix.from_edges([2, 2], [0, 1], symmetric=True).shuffled(seed=1)
        >>> path.restore(bfs_parents(path.graph, path.new(0)), vertices=True).to_dict()
        {0: 0, 1: 2, 2: 0}
        """
        if u.size != self.permutation.n:
            raise SizeMismatch(
                f"Shuffled.restore: the vector has size {u.size}, the graph {self.permutation.n}"
            )
        storage = u.backend.relabel(u.storage, self.permutation.original, u.shape, values=vertices)
        return Vector(u.shape, u.dtype, storage, u.backend)


def shuffled(graph: Matrix, seed: int) -> Shuffled:
    """Number the vertices at random."""
    if graph.nrows != graph.ncols:
        raise SizeMismatch(f"shuffled: a graph is square, not {graph.nrows}x{graph.ncols}")
    permutation = Permutation(graph.nrows, as_whole("shuffled", "seed", seed))
    storage = graph.backend.relabel(graph.storage, permutation.new, graph.shape, values=False)
    renumbered = Matrix(graph.shape, graph.dtype, storage, graph.backend)
    if graph.is_symmetric:
        renumbered.assume_symmetric()
    return Shuffled(renumbered, permutation)


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
            raise IndexOutOfRange(
                f"Relabelled.new: vertex={vertex} has no edge and was left out", value=vertex
            )
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
        except IndexOutOfRange as error:
            raise error.reworded(
                f"Relabelled.restore: {error.value} at {error.place} is not a vertex; "
                f"there are {len(self.original)}"
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
    for storage in (ones,) if graph.is_symmetric else (ones, backend.transpose(ones)):
        indices, counts = backend.entries(backend.reduce_rows(storage, counter))
        degrees[indices] += counts
    order = np.argsort(-degrees, kind="stable")
    order = order[: np.count_nonzero(degrees)]
    shape = (len(order), len(order))
    storage = backend.extract(graph.storage, (order, order))
    relabelled = Matrix(shape, graph.dtype, storage, backend)
    if graph.is_symmetric:
        relabelled.assume_symmetric()
    # Half as many bytes to move, each time a result is translated.
    numbers = np.int32 if graph.nrows < 2**31 else np.int64
    new = np.full(graph.nrows, -1, numbers)
    new[order] = np.arange(len(order))
    return Relabelled(relabelled, order.astype(numbers), new)
