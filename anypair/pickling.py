"""Handles as they travel between processes: shape, dtype, entries and backend.

A backend goes by name and options, so what comes back lives on the backend that has these there.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from anypair.backends.base import Backend
from anypair.dtypes import Array, DType, as_dtype
from anypair.errors import NotSupported

if TYPE_CHECKING:
    from anypair.handle import Handle


def parts_of(x: "Handle") -> tuple[Any, ...]:
    """What `restored` makes a handle of."""
    if x.backend.is_distributed:
        raise NotSupported(
            f"a {x.kind} on backend {x.backend.name!r} cannot be pickled, as its parts lie on several "
            'processes; gather it first, as in x.to("jit"), which every rank has to call'
        )
    *indices, values = x.to_entries()
    places = tuple(_narrow(axis, length) for axis, length in zip(indices, x.shape, strict=True))
    return type(x), x.shape, x.dtype, places, _once(values), x.backend


def restored(
    kind: type["Handle"],
    shape: tuple[int, ...],
    dtype: DType,
    places: tuple[Array, ...],
    values: Array,
    backend: Backend,
) -> "Handle":
    """The handle of these parts; `values` has one for each place, or one for all."""
    wide = tuple(axis.astype(np.int64) for axis in places)
    native = as_dtype(dtype)  # another machine may have another byte order
    values = values.astype(native, copy=False)
    spread = np.broadcast_to(values, len(wide[0])) if len(values) == 1 else values
    return kind(shape, native, backend.build(wide, spread, shape, None), backend)


def _narrow(indices: Array, bound: int) -> Array:
    """Indices below a bound in as few bytes as will do."""
    return indices.astype(np.min_scalar_type(max(bound - 1, 0)), copy=False)


def _once(values: Array) -> Array:
    """A value that all entries share only once, bit for bit."""
    bits = values.view(np.dtype(f"u{values.itemsize}"))
    return values[:1] if len(bits) and (bits == bits[0]).all() else values
