"""Entries as one sorted array of keys: the index in a vector, row * ncols + column in a matrix.

Nothing here is ever changed in place, so arrays are shared freely.
"""

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from anypair.backends.base import Shape
from anypair.backends.known_transpose import KnownTranspose
from anypair.backends.scipy.ordering import order_of
from anypair.dtypes import Array
from anypair.errors import NotSupported
from anypair.memory import require

STRUCTURAL = {"_split", "row_starts"}  # what is found out of a matrix, whatever its values


@dataclass(eq=False)
class Coordinates(KnownTranspose):
    """Entries of a vector or a matrix, sorted by key, each key once."""

    keys: Array
    values: Array
    shape: Shape

    @cached_property
    def _split(self) -> tuple[Array, Array]:
        rows, cols = np.divmod(self.keys, max(self.shape[1], 1))
        return rows, cols

    @property
    def rows(self) -> Array:
        return self._split[0]

    @property
    def cols(self) -> Array:
        return self._split[1]

    @property
    def indices(self) -> tuple[Array, ...]:
        """The index arrays: one of a vector, two of a matrix."""
        return (self.keys,) if len(self.shape) == 1 else self._split

    @cached_property
    def row_starts(self) -> Array:
        """Where each row begins among the entries, and at last their number."""
        require(24 * self.shape[0], f"an index of {self.shape[0]} rows")
        return np.concatenate([[0], np.cumsum(np.bincount(self.rows, minlength=self.shape[0]))])

    def transpose(self) -> "Coordinates":
        """Made once."""
        if (made := self.transposed) is None:
            nrows, ncols = self.shape
            order = order_of(self.cols, ncols)
            keys = self.cols[order] * nrows + self.rows[order]
            made = Coordinates(keys, self.values[order], (ncols, nrows))
            self.set_transposed(made)
        return made

    def take(self, positions: Array) -> "Coordinates":
        """Some of the entries: a boolean or a sorted index array."""
        return Coordinates(self.keys[positions], self.values[positions], self.shape)

    def with_values(self, values: Array) -> "Coordinates":
        """The same structure, and what is known of it, with other values."""
        other = Coordinates(self.keys, values, self.shape)
        for name in STRUCTURAL & self.__dict__.keys():
            other.__dict__[name] = self.__dict__[name]
        return other

    def copied(self) -> "Coordinates":
        """The same entries."""
        other = self.with_values(self.values.copy())
        other.share_transposed(self)
        return other

    @property
    def nbytes(self) -> int:
        cached = (self.__dict__.get(name) for name in STRUCTURAL)
        arrays = [self.keys, self.values]
        for found in cached:
            arrays += [] if found is None else found if isinstance(found, tuple) else [found]
        return sum(array.nbytes for array in arrays)


def keys_of(indices: tuple[Array, ...], shape: Shape) -> Array:
    """The keys of these places."""
    if prod(shape) >= 2**63:
        raise NotSupported(
            f"backend 'scipy' numbers the {shape[0]} x {shape[1]} places of a matrix in 64 bits, "
            "which is too few here; use another backend"
        )
    places = [axis.astype(np.int64, copy=False) for axis in indices]
    return places[0] if len(shape) == 1 else places[0] * shape[1] + places[1]
