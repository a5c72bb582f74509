"""Relabelling: other numbers for the vertices of a graph, and the way back."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anypair.dtypes import INT64, Array
from anypair.errors import IndexOutOfRange, SizeMismatch, UnsupportedDType
from anypair.inputs import as_index, as_whole
from anypair.matrix import Matrix
from anypair.operations import ewise_add, mxv, reduce, vxm
from anypair.semiring import any_of, any_pair, max_monoid, min_monoid, one, plus_monoid
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
        _check_restored("Shuffled.restore", u, self.permutation.n, vertices=vertices)
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


class Packing:
    """Numbers without gaps for some of the numbers below n, in the same order; a quarter of a byte each.

    A bit for each number says whether it is in use, and for each word of bits it is known how many come
    before it: the usage bitmap and the packed-index lookup of the SEI note (Fig. 6 and 9).

    >>> packing = Packing(np.array([True, False, True, True]))
    >>> packing.new(np.array([0, 2, 3])).tolist(), packing.original(np.array([0, 1, 2])).tolist()
    ([0, 1, 2], [0, 2, 3])
    """

    WORD = 64

    def __init__(self, used: Array) -> None:
        self.n = len(used)
        bits = np.zeros((self.n // self.WORD + 1) * self.WORD, np.bool_)
        bits[: self.n] = used
        self._words = np.packbits(bits, bitorder="little").view(np.uint64)
        counts = np.bitwise_count(self._words)
        self._before = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])

    @property
    def count(self) -> int:
        """How many numbers are in use."""
        return int(self._before[-1])

    def has(self, number: int) -> bool:
        """Whether this number is in use."""
        return bool(int(self._words[number // self.WORD]) >> number % self.WORD & 1)

    def new(self, numbers: Array) -> Array:
        """The new numbers of original ones: how many in use come before each."""
        place = numbers.astype(np.uint64)
        word, bit = place // np.uint64(self.WORD), place % np.uint64(self.WORD)
        lower = self._words[word] & ((np.uint64(1) << bit) - np.uint64(1))
        found: Array = self._before[word] + np.bitwise_count(lower)
        return found

    def original(self, numbers: Array) -> Array:
        """The original numbers of new ones."""
        word = np.searchsorted(self._before, numbers, side="right") - 1
        left = numbers - self._before[word]
        bits = self._words[word]
        place = np.zeros(len(numbers), np.uint64)
        for half in (32, 16, 8, 4, 2, 1):  # is it among the upper ones of the bits that are left?
            step = np.uint64(half)
            below = np.bitwise_count((bits >> place) & ((np.uint64(1) << step) - np.uint64(1)))
            upper = left >= below
            left = left - below * upper
            place += step * upper
        found: Array = word * self.WORD + place.astype(np.int64)
        return found


@dataclass(frozen=True)
class Compacted:
    """A graph without the vertices that had no edge, the others in their order, and the way back."""

    graph: Matrix
    packing: Packing

    def new(self, vertex: int) -> int:
        """The number that a vertex has now.

        >>> Matrix.from_edges([3], [7]).compact().new(7)
        1
        """
        place = as_index("Compacted.new", "vertex", vertex, self.packing.n)
        if not self.packing.has(place):
            raise _left_out("Compacted.new", vertex)
        return int(self.packing.new(np.array([place]))[0])

    def restore(self, u: Vector, *, vertices: bool) -> Vector:
        """A result for the original vertices; `vertices` says that the values are vertices as well.

        >>> from anypair.algorithms import bfs_parents
        >>> path = Matrix.from_edges([7, 7], [3, 4], symmetric=True).compact()
        >>> path.restore(bfs_parents(path.graph, path.new(3)), vertices=True).to_dict()
        {3: 3, 4: 7, 7: 3}
        """
        count = self.packing.count
        _check_restored("Compacted.restore", u, count, vertices=vertices)
        if vertices and u.nvals:
            for extreme in (reduce(u, min_monoid), reduce(u, max_monoid)):
                if not 0 <= extreme < count:
                    raise IndexOutOfRange(
                        f"Compacted.restore: {extreme} is not a vertex; there are {count}",
                        value=int(extreme),
                    )
        shape = (self.packing.n,)
        storage = u.backend.relabel(u.storage, self.packing.original, shape, values=vertices)
        return Vector(shape, u.dtype, storage, u.backend)


def compact(graph: Matrix) -> Compacted:
    """Leave out vertices without edges, and number the others as they come."""
    if graph.nrows != graph.ncols:
        raise SizeMismatch(f"compact: a graph is square, not {graph.nrows}x{graph.ncols}")
    every = Vector.full(graph.nrows, True, like=graph)
    found = mxv(graph, every, any_pair)
    if not graph.is_symmetric:
        found = ewise_add(found, vxm(every, graph, any_pair), any_of)
    backend, processes = graph.backend, graph.backend.processes
    here = backend.block(found.storage, found.size, missing=False)
    blocks = zip(
        processes.gather_arrays(np.packbits(here)), processes.gather(len(here)), strict=True
    )  # an eighth of the bytes to send
    used = [np.unpackbits(bits, count=count).view(np.bool_) for bits, count in blocks]
    packing = Packing(np.concatenate(used))
    shape = (packing.count, packing.count)
    storage = backend.relabel(graph.storage, packing.new, shape, values=False)
    return Compacted(graph.hand_on(Matrix(shape, graph.dtype, storage, backend), values=True), packing)


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
            raise _left_out("Relabelled.new", vertex)
        return number

    def restore(self, u: Vector, *, vertices: bool) -> Vector:
        """A result for the original vertices; `vertices` says that the values are vertices as well.

        >>> from anypair.algorithms import bfs_parents
        >>> path = Matrix.from_edges([7, 7], [3, 4], symmetric=True).by_degree()
        >>> path.restore(bfs_parents(path.graph, path.new(3)), vertices=True).to_dict()
        {3: 3, 4: 7, 7: 3}
        """
        _check_restored("Relabelled.restore", u, len(self.original), vertices=vertices)
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


def _check_restored(operation: str, u: Vector, n: int, *, vertices: bool) -> None:
    """Raise unless u is a result for n vertices, the values of which may be vertices too."""
    if u.size != n:
        raise SizeMismatch(f"{operation}: the vector has size {u.size}, the graph {n}")
    if vertices and u.dtype.kind not in "iu":
        raise UnsupportedDType(f"{operation}: values of dtype {u.dtype} are not vertices")


def _left_out(operation: str, vertex: int) -> IndexOutOfRange:
    return IndexOutOfRange(f"{operation}: vertex={vertex} has no edge and was left out", value=vertex)
