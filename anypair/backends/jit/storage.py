"""Storage: vectors as lists or bitmaps or both, matrices in compressed rows (CSR).

The forms of a vector, and who may write what:

| form               | arrays                   | who may write                                    |
| ------------------ | ------------------------ | ------------------------------------------------ |
| list               | places, values           | nobody: they are shared freely                   |
| bitmap             | words, dense values      | nobody, until the vector is written to           |
| bitmap that owns   | words, a `DenseBuffer`   | the owner, where no borrower has values, and a   |
|                    |                          | borrower, by a lease, where the owner has none   |
| bitmap that borrows| words, a lender's buffer | the product that made it, once                   |
| full               | dense values, in order   | as a list or as a bitmap, whichever it is        |

A list becomes a bitmap that owns when it is written to, as does a bitmap that borrows, by a copy. A
bitmap is listed on demand, and the list kept until the next write. Lists are sorted. What borrows may
have a list of places in place of the words.

`merge(out, t)` writes into out's buffer, or into a copy of it if a borrower would see that; if t borrows
from out, it only joins the words. A value that all entries share is stored once, as an array that is
broadcast (its stride is 0); nobody writes to that either.
"""

from collections.abc import Callable
from copy import copy
from functools import cached_property, lru_cache

import numpy as np

from anypair.backends.jit.dense_buffer import NONE, DenseBuffer
from anypair.backends.jit.kernels import plain_kernels
from anypair.backends.known_transpose import KnownTranspose
from anypair.dtypes import Array, DType, index_dtype


def nwords(size: int) -> int:
    """How many 64-bit words hold one bit for each place."""
    return (size + 63) >> 6


@lru_cache(maxsize=4)
def all_indices(size: int) -> Array:
    """0 to size - 1: one array for all full vectors, so that equal structures are seen at a glance."""
    return np.arange(size, dtype=index_dtype(size))


@lru_cache(maxsize=4)
def no_bits(size: int) -> Array:
    """A bitmap of zeros; nobody writes to it."""
    return np.zeros(nwords(size), np.uint64)


def is_broadcast(values: Array) -> bool:
    """Whether one stored value stands for all entries."""
    return len(values) > 1 and values.strides == (0,)


def broadcast(value: Array, count: int) -> Array:
    """One value for `count` entries; made by hand, as `np.broadcast_to` takes longer than a product."""
    if not count:
        return np.empty(0, value.dtype)
    return np.ndarray((count,), value.dtype, value[:1].copy(), strides=(0,))


@lru_cache(maxsize=16)
def unread(dtype: DType) -> Array:
    """Values for a kernel that does not read them, as many as it likes."""
    return broadcast(np.zeros(1, dtype), 1 << 40)


def take(values: Array, chosen: Array, count: int) -> Array:
    """values[chosen]; what is broadcast stays so."""
    return broadcast(values, count) if is_broadcast(values) else values[chosen]


def stored_bytes(*arrays: Array | None) -> int:
    """Bytes of memory behind these arrays."""
    return sum(0 if a is None else a.itemsize if is_broadcast(a) else a.nbytes for a in arrays)


class JitVector:
    """A vector that has a list (`indices`, `values`), a bitmap (`words`, `dense`), or both.

    A list is made when somebody asks for it: the steps of a search, mostly, do not. Several threads may
    read one vector: what it finds out is filled in first, and then kept.
    """

    __slots__ = (
        "_dense", "_places", "_words", "buffer", "dtype", "kept_list", "lender", "nvals", "size",
    )  # fmt: skip

    def __init__(
        self,
        size: int,
        indices: Array | None,
        values: Array | None,
        words: Array | None = None,
        dense: Array | None = None,
        nvals: int | None = None,
        *,
        places: Array | None = None,
        lender: DenseBuffer | None = None,
    ) -> None:
        self.size = size
        #: Indices and values, by index, where there is a list.
        self.kept_list: tuple[Array, Array] | None = None
        self._places = places  # the indices where there is no list of values
        self._words = words
        self._dense = dense
        #: Where the values by place lie once they are written to; others may borrow it.
        self.buffer: DenseBuffer | None = None
        #: The buffer of another vector, if the values by place lie there.
        self.lender = lender
        stored = dense
        if indices is not None and values is not None:
            stored = values
            self.kept_list = indices, values
        assert stored is not None
        self.dtype: DType = stored.dtype
        self.nvals = len(stored) if nvals is None else nvals

    @property
    def is_full(self) -> bool:
        return self.nvals == self.size

    @property
    def has_list(self) -> bool:
        """Whether there is a list, or of what borrows its values one of the places alone."""
        return self.kept_list is not None or (self._words is None and self._places is not None)

    @property
    def has_indices(self) -> bool:
        """Whether `indices` are at hand."""
        return self.kept_list is not None or self._places is not None or self.is_full

    @property
    def format(self) -> str:
        """How the entries are kept now."""
        if self.is_full:
            return "full"
        return "bitmap" if self._words is not None and self._dense is not None else "list"

    @property
    def indices(self) -> Array:
        """The places with an entry, sorted; values are not listed for that."""
        if (kept := self.kept_list) is not None:
            return kept[0]
        if (places := self._places) is None:
            assert self._words is not None
            if self.is_full:
                return all_indices(self.size)
            places = np.empty(self.nvals, index_dtype(self.size))
            plain_kernels("structure").positions(self._words, places)
            self._places = places
        return places

    @property
    def values(self) -> Array:
        """The values in the order of `indices`."""
        return self.sorted_list()[1]

    def sorted_list(self) -> tuple[Array, Array]:
        """Indices and values, by index."""
        if (kept := self.kept_list) is None:
            assert self._dense is not None
            indices = self.indices
            if self.is_full:
                values = self._dense.copy()
            elif is_broadcast(self._dense):
                values = broadcast(self._dense, self.nvals)
            else:
                values = np.empty(self.nvals, self.dtype)
                plain_kernels("structure").gather(indices, self._dense, values)
            self.kept_list = kept = indices, values
        return kept

    @property
    def words(self) -> Array:
        """One bit for each place, set where there is an entry."""
        if (words := self._words) is None:
            words = np.zeros(nwords(self.size), np.uint64)
            plain_kernels("structure").mark(self.indices, words)
            self._words = words
        return words

    @property
    def has_words(self) -> bool:
        return self._words is not None

    def copy_words(self, x: "JitVector") -> None:
        """Have the bitmap of x, which has the same places, if it is at hand."""
        if x._words is not None:
            self._words = x._words.copy()

    @property
    def has_dense(self) -> bool:
        return self._dense is not None

    @property
    def stored_values(self) -> Array:
        """The values of the list if there is one, else by place."""
        if (kept := self.kept_list) is not None:
            return kept[1]
        assert self._dense is not None
        return self._dense

    @property
    def own_values(self) -> Array | None:
        """The values by place, if this vector alone has them; None if they are not at hand."""
        if self.lender is not None or self.buffer is not None or not self.has_values_by_place:
            return None
        values = self.by_place
        return None if is_broadcast(values) or len(values) != self.size else values

    @property
    def has_values_by_place(self) -> bool:
        """Whether `by_place` is at hand."""
        return self._dense is not None or self.is_full

    def search(self, places: Array) -> tuple[Array, Array]:
        """Whether there is an entry at each of these places, and where it is in the sorted list."""
        indices = self.indices
        at = np.searchsorted(indices, places.astype(indices.dtype, copy=False))
        found = at < len(indices)
        found[found] = indices[at[found]] == places[found]
        return found, at

    @property
    def by_place(self) -> Array:
        """The values by place, to be read only where there is an entry."""
        if self._dense is not None:
            return self._dense
        if self.is_full:
            return self.values
        dense = np.empty(self.size, self.dtype)
        plain_kernels("structure").scatter(*self.sorted_list(), dense)
        return dense

    def bitmap(
        self, allocate: Callable[[int, DType], Array], added: "JitVector | None" = None
    ) -> tuple[Array, Array]:
        """Words and values by place, to be changed in place where `added` has entries, or everywhere.

        The list is dropped. `allocate` makes an array for values of a size and a dtype.
        """
        words, buffer = self.words, self.buffer
        if buffer is None:
            dense = self._dense
            if dense is None or is_broadcast(dense) or self.lender is not None:
                dense = self._copied_values(allocate)
            buffer = DenseBuffer(dense)
            self.buffer, self.lender = buffer, None
        elif not buffer.may_write(words, added):
            self.buffer = buffer = DenseBuffer(self._copied_values(allocate), leasable=False)
        self._dense = buffer.values
        self.drop_list()
        return words, self._dense

    def _copied_values(self, allocate: Callable[[int, DType], Array]) -> Array:
        dense = allocate(self.size, self.dtype)
        if self.kept_list is None or self.is_full:
            dense[:] = self.by_place
        else:
            plain_kernels("structure").scatter(*self.sorted_list(), dense)
        return dense

    def join(self, borrower: "JitVector") -> None:
        """Have the entries of one that borrows from this vector, whose values are in place."""
        assert self.buffer is not None
        if borrower.has_words:
            new = plain_kernels("structure").join_words(self.words, borrower.words)
        else:
            new = plain_kernels("structure").join_places(self.words, borrower.indices)
        self.buffer.merged(new)
        self.nvals += new
        self.drop_list()

    def drop_list(self) -> None:
        """Forget the list, as the bitmap changes."""
        self.kept_list = self._places = None

    def recount(self) -> None:
        """Find out again what follows from the bitmap, if there is one, as a write was interrupted."""
        if self._words is not None and self._dense is not None:
            self.drop_list()
            self.nvals = plain_kernels("structure").count_bits(self._words, NONE, self._words)

    def as_list(self) -> "JitVector":
        """The same as a list with its bitmap; values are no longer kept by place."""
        indices, values = self.sorted_list()
        return JitVector(self.size, indices, values, self.words)

    def with_values(self, values: Array) -> "JitVector":
        """The same places with other values, which come in the order of `indices`."""
        if is_broadcast(values) and not self.has_list:
            words = self.words.copy()
            return JitVector(self.size, None, None, words, broadcast(values, self.size), self.nvals)
        return JitVector(self.size, self.indices, values)

    @property
    def nbytes(self) -> int:
        indices, values = self.kept_list or (self._places, None)
        return stored_bytes(indices, values, self._words, self._dense)


class JitMatrix(KnownTranspose):
    """A matrix of compressed rows; `starts[i]` to `starts[i + 1]` are the entries of row i, sorted."""

    def __init__(self, shape: tuple[int, int], starts: Array, indices: Array, values: Array) -> None:
        self.shape = shape
        self.starts = starts
        self.indices = indices
        self.values = values
        self.nvals = len(indices)
        self.dtype: DType = values.dtype
        self._pieces: dict[tuple[int, int], list[int]] = {}

    @property
    def stored_values(self) -> Array:
        return self.values

    def with_values(self, values: Array) -> "JitMatrix":
        """The same structure, and all that is known of it, with other values."""
        other = copy(self)
        other.values, other.dtype = values, values.dtype
        other.forget_transposed()
        if is_broadcast(values) and (known := self.transposed) not in (None, self):
            assert known is not None
            turned = copy(known)
            turned.values, turned.dtype = values, values.dtype
            other.set_transposed(turned)
        return other

    def has_structure_of(self, other: "JitMatrix") -> bool:
        """Whether entries are where the other one has them; if so, both have one set of arrays."""
        for name in ("starts", "indices"):
            own, others = getattr(self, name), getattr(other, name)
            if own is others:
                continue
            if own.dtype != others.dtype or len(own) != len(others):
                return False
            if not plain_kernels("structure").are_equal(own, others):
                return False
        self.starts, self.indices = other.starts, other.indices
        return True

    @cached_property
    def nonempty(self) -> tuple[Array, int]:
        """One bit for each row that has entries, and how many there are."""
        present = self.starts[1:] != self.starts[:-1]
        words = np.zeros(nwords(self.shape[0]), np.uint64)
        packed = np.packbits(present, bitorder="little")
        words.view(np.uint8)[: len(packed)] = packed
        return words, int(np.count_nonzero(present))

    @cached_property
    def row_prefix(self) -> tuple[Array, Array]:
        """The first entry of each row, and the three after it, side by side."""
        nrows = self.shape[0]
        first, more = np.zeros(nrows, self.indices.dtype), np.zeros((nrows, 3), self.indices.dtype)
        plain_kernels("structure").first_entries(0, nrows, self.starts, self.indices, first, more)
        return first, more

    @cached_property
    def max_degree(self) -> int:
        """How many entries the longest row has."""
        return int(np.diff(self.starts).max(initial=0))

    def pieces(self, count: int, align: int) -> list[int]:
        """Bounds, in units of `align` rows, of about `count` pieces with equally many entries."""
        key = count, align
        if key not in self._pieces:
            nrows = self.shape[0]
            marks = np.arange(1, count) * (self.nvals / count)
            rows = np.searchsorted(self.starts, marks)
            last = (nrows + align - 1) // align
            between = {*np.minimum(rows // align, last).tolist()} - {0, last}
            self._pieces[key] = [0, *sorted(between), last]
        return self._pieces[key]

    @property
    def nbytes(self) -> int:
        other = self.transposed
        return self._own_bytes + (0 if other is None or other is self else other._own_bytes)

    @property
    def _own_bytes(self) -> int:
        prefix = self.__dict__.get("row_prefix", ())  # where nobody has asked for it, none
        return stored_bytes(self.starts, self.indices, self.values, *prefix)
