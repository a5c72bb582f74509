"""Vectors as lists or bitmaps, matrices as sorted rows, all in device memory.

Index and value arrays are shared freely between objects and never changed; only a vector's own bitmap
is, by `write`. An array of one value may stand for as many as there are entries.
"""

from copy import copy
from functools import cached_property

from anypair.backends.cuda.arrays import INT32, WORD, Arrays, DeviceArray, index_dtype, nwords
from anypair.backends.known_transpose import KnownTranspose
from anypair.dtypes import DType


class CudaVector:
    """Places and values: a list, sorted or not, or a bitmap with a value at every place, or both.

    The one value of a bitmap may stand for all.
    """

    def __init__(
        self,
        arrays: Arrays,
        size: int,
        dtype: DType,
        listed: tuple[DeviceArray, DeviceArray] | None,
        *,
        is_sorted: bool = True,
        words: DeviceArray | None = None,
        dense: DeviceArray | None = None,
        nvals: int | None = None,
    ) -> None:
        self.arrays = arrays
        self.size = size
        self.shape = (size,)
        self.dtype = dtype
        self._listed = listed
        self.is_sorted = is_sorted
        self._words = words
        self._dense = dense
        if listed is not None:
            nvals = listed[0].shape[0]
        assert nvals is not None
        self.nvals = nvals

    @property
    def is_full(self) -> bool:
        return self.nvals == self.size

    @property
    def format(self) -> str:
        """How the entries are kept, for the trace."""
        return "full" if self.is_full else "list" if self._listed is not None else "bitmap"

    def any_list(self) -> tuple[DeviceArray, DeviceArray]:
        """Places and values, in the order in which they are kept."""
        if self._listed is None:
            places = self.arrays.listed(self.words, index_dtype(self.size))
            values = self.arrays.take_values(self._dense, places)
            self._listed, self.is_sorted = (places, values), True
        return self._listed

    def sorted_list(self) -> tuple[DeviceArray, DeviceArray]:
        """Places and values, by place."""
        indices, values = self.any_list()
        if not self.is_sorted:
            order = self.arrays.order(indices)
            values = self.arrays.take_values(values, order)
            indices = self.arrays.take(indices, order)
            self._listed, self.is_sorted = (indices, values), True
        return indices, values

    @property
    def indices(self) -> DeviceArray:
        return self.sorted_list()[0]

    @property
    def values(self) -> DeviceArray:
        return self.sorted_list()[1]

    @property
    def has_words(self) -> bool:
        return self._words is not None

    @property
    def words(self) -> DeviceArray:
        """A bit for each place, set where there is an entry."""
        if self._words is None:
            self._words = self.arrays.bitmap(self.size, self.any_list()[0])
        return self._words

    @property
    def by_place(self) -> DeviceArray:
        """A value for each place, of which those without an entry mean nothing; or one for all."""
        if self._dense is None:
            indices, values = self.any_list()
            if values.shape[0] == 1 and self.nvals != 1:
                return values
            self._dense = self.arrays.scatter(indices, values, self.arrays.empty(self.size, self.dtype))
        return self._dense

    def bitmap(self) -> tuple[DeviceArray, DeviceArray]:
        """Bits and values of its own, to be changed in place; the list is given up."""
        words, dense = self.words, self.by_place
        # One value for all, which others may have too.
        if self._dense is None or dense.shape[0] != self.size:
            dense = self.arrays.take(dense, self.arrays.zeros(self.size, INT32))
        self._dense, self._listed = dense, None
        return words, dense

    @property
    def nbytes(self) -> int:
        """Bytes of all the forms that there are."""
        held = [*(self._listed or ()), self._words, self._dense]
        return sum(self.arrays.device.nbytes(array) for array in held if array is not None)


class CudaMatrix(KnownTranspose):
    """Rows of sorted columns: where each row begins, the columns, the values."""

    def __init__(
        self,
        arrays: Arrays,
        shape: tuple[int, int],
        dtype: DType,
        starts: DeviceArray,
        indices: DeviceArray,
        values: DeviceArray,
    ) -> None:
        self.arrays = arrays
        self.shape = shape
        self.dtype = dtype
        self.starts = starts
        self.indices = indices
        self.values = values

    def with_values(self, values: DeviceArray, dtype: DType) -> "CudaMatrix":
        """The same structure, and all that is known of it, with other values."""
        other = copy(self)
        other.values, other.dtype = values, dtype
        other.forget_transposed()
        return other

    @property
    def nvals(self) -> int:
        count: int = self.indices.shape[0]
        return count

    def rows(self) -> DeviceArray:
        """The row of every entry."""
        return self.arrays.rows_of(self.starts, self.nvals)

    @cached_property
    def degrees(self) -> DeviceArray:
        """How many entries each row has."""
        return self.starts[1:] - self.starts[:-1]

    @cached_property
    def max_degree(self) -> int:
        return int(self.arrays.xp.max(self.degrees)) if self.shape[0] else 0

    @cached_property
    def nonempty(self) -> tuple[DeviceArray, int]:
        """Bits of the rows that have entries, and how many that are."""
        words = self.arrays.empty(nwords(self.shape[0]), WORD)
        arrays = self.arrays
        arrays.run(arrays.structure.mark_rows, words.shape[0], self.starts, words)
        return words, arrays.count_bits(words)

    def transpose(self) -> "CudaMatrix":
        """Made once."""
        if (made := self.transposed) is None:
            arrays = self.arrays
            order = arrays.order(self.indices)  # stable: rows stay in order within a column
            columns = arrays.take(self.indices, order)
            made = CudaMatrix(
                arrays,
                (self.shape[1], self.shape[0]),
                self.dtype,
                arrays.starts_of(columns, self.shape[1]),
                arrays.as_type(arrays.take(self.rows(), order), index_dtype(self.shape[0])),
                arrays.take_values(self.values, order),
            )
            self.set_transposed(made)
        return made

    @property
    def nbytes(self) -> int:
        """Bytes of the rows, and of the columns where they are other arrays."""
        held = {id(array): array for array in self._held()}
        return sum(map(self.arrays.device.nbytes, held.values()))

    def _held(self) -> list[DeviceArray]:
        own = [self.starts, self.indices, self.values]
        other = self.transposed
        return own if other is None else [*own, other.starts, other.indices, other.values]
