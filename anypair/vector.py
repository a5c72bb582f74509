"""Sparse vectors."""

from typing import Any

import numpy as np

from anypair.backends.base import Backend
from anypair.dtypes import BOOL, INT64, Array, Scalar, as_dtype
from anypair.handle import Handle, backend_for, build
from anypair.inputs import (
    as_index,
    as_indices,
    as_size,
    as_values,
    as_whole,
    dtype_with,
    entries_of_dense,
    one_value,
)
from anypair.memory import naming_memory_errors
from anypair.semiring import BinaryOp, Monoid, position


class Vector(Handle):
    """A vector of `size` places, some of which have an entry.

    >>> v = Vector.from_entries([1, 3], [10.0, 30.0], size=5)
    >>> v.size, v.nvals, v.dtype
    (5, 2, dtype('float64'))
    >>> v.to_dict()
    {1: 10.0, 3: 30.0}
    """

    __slots__ = ()
    kind = "Vector"
    _columns = ("index", "value")

    @classmethod
    @naming_memory_errors
    def from_entries(
        cls,
        indices: Any,
        values: Any,
        size: int,
        *,
        dtype: Any = None,
        duplicates: BinaryOp | Monoid | None = None,
        backend: str | Backend | None = None,
        like: Handle | None = None,
    ) -> "Vector":
        """A vector with `values[k]` at `indices[k]`; one value may stand for all.

        `duplicates` combines the values of an index that comes more than once, in the order given.
        """
        size = as_size("Vector.from_entries", "size", size)
        places = as_indices("Vector.from_entries", "indices", indices, size)
        checked = as_values("Vector.from_entries", "values", values, dtype, len(places))
        engine = backend_for("Vector.from_entries", backend, like)
        storage = build(
            "Vector.from_entries",
            lambda combine: engine.build((places,), checked, (size,), combine),
            checked,
            duplicates,
            engine.processes,
        )
        return cls((size,), checked.dtype, storage, engine)

    @classmethod
    def empty(
        cls,
        size: int,
        dtype: Any = np.float64,
        *,
        backend: str | Backend | None = None,
        like: Handle | None = None,
    ) -> "Vector":
        """A vector without entries.

        >>> Vector.empty(4).nvals
        0
        """
        return cls.from_entries([], [], size, dtype=dtype, backend=backend, like=like)

    @classmethod
    @naming_memory_errors
    def full(
        cls,
        size: int,
        value: Scalar,
        dtype: Any = None,
        *,
        backend: str | Backend | None = None,
        like: Handle | None = None,
    ) -> "Vector":
        """A vector with `value` at every place.

        >>> Vector.full(3, 0.5).to_dict()
        {0: 0.5, 1: 0.5, 2: 0.5}
        """
        size = as_size("Vector.full", "size", size)
        checked = one_value("Vector.full", value, dtype)
        engine = backend_for("Vector.full", backend, like)
        return cls((size,), checked.dtype, engine.build_full(size, checked), engine)

    @classmethod
    @naming_memory_errors
    def range(
        cls, size: int, *, backend: str | Backend | None = None, like: Handle | None = None
    ) -> "Vector":
        """The vector whose value at every place is the number of that place.

        >>> Vector.range(3).to_dict()
        {0: 0, 1: 1, 2: 2}
        """
        size = as_size("Vector.range", "size", size)
        engine = backend_for("Vector.range", backend, like)
        places = engine.apply(engine.build_full(size, np.ones(1, BOOL)), position.typed(BOOL))
        made = cls((size,), INT64, places, engine)
        made.values_are_indices = True
        return made

    @classmethod
    @naming_memory_errors
    def from_numpy(
        cls,
        array: Any,
        *,
        missing: Scalar | None = None,
        backend: str | Backend | None = None,
        like: Handle | None = None,
    ) -> "Vector":
        """A vector with an entry for each element, zeros too, except those equal to `missing`.

        >>> Vector.from_numpy([0, 4, 0], missing=0).to_dict()
        {1: 4}
        """
        (size,), (places,), values = entries_of_dense("Vector.from_numpy", array, 1, missing)
        return cls.from_entries(places, values, size, backend=backend, like=like)

    @classmethod
    @naming_memory_errors
    def random(
        cls,
        size: int,
        seed: int,
        dtype: Any = np.float64,
        *,
        backend: str | Backend | None = None,
        like: Handle | None = None,
    ) -> "Vector":
        """A random number at every place: floats lie in [0, 1), all integers of the dtype are as likely.

        Each follows from the seed and its place alone, on every backend and any number of ranks.

        >>> once, again = Vector.random(3, seed=7), Vector.random(5, seed=7)
        >>> once[2] == again[2], 0 <= once[2] < 1
        (True, True)
        """
        size = as_size("Vector.random", "size", size)
        seed = as_whole("Vector.random", "seed", seed)
        wanted = as_dtype(dtype)
        engine = backend_for("Vector.random", backend, like)
        places = engine.build_full(size, np.ones(1, BOOL))
        return cls((size,), wanted, engine.random(places, (size,), seed, wanted), engine)

    @property
    def size(self) -> int:
        """How many places there are."""
        return self.shape[0]

    def argmin(self) -> int:
        """The first place of the smallest entry.

        >>> Vector.from_entries([0, 2, 3], [5, 1, 1], size=4).argmin()
        2
        """
        from anypair.operations.ordering import extreme  # which needs this class

        return extreme(self, "argmin", None)

    def argmax(self) -> int:
        """The first place of the greatest entry.

        >>> Vector.from_entries([0, 2, 3], [5, 1, 1], size=4).argmax()
        0
        """
        from anypair.operations.ordering import extreme  # which needs this class

        return extreme(self, "argmax", None)

    def to_dict(self) -> dict[int, Scalar]:
        """The entries as a dict from index to value."""
        indices, values = self.to_entries()
        return dict(zip(indices.tolist(), values.tolist(), strict=True))

    @naming_memory_errors
    def to_numpy(self, missing: Scalar) -> Array:
        """A dense array with `missing` where there is no entry.

        >>> Vector.from_entries([1], [7], size=3).to_numpy(missing=-1)
        array([-1,  7, -1])
        """
        dtype = dtype_with("Vector.to_numpy", self.dtype, missing)
        self.require(self.size * dtype.itemsize, "the dense array")
        indices, values = self.to_entries()
        dense = np.full(self.size, missing, dtype)
        dense[indices] = values
        return dense

    @naming_memory_errors
    def get(self, index: int, default: Any = None) -> Any:
        """The value at `index`, or `default` if there is no entry.

        >>> Vector.from_entries([1], [7], size=3).get(1)
        7
        """
        place = as_index("Vector.get", "index", index, self.size)
        found = self.backend.extract(self.storage, (np.array([place]),))
        values = self.backend.entries(found)[-1]
        return values.item() if values.size else default

    @property
    def described_shape(self) -> str:
        return f"size={self.size}"
