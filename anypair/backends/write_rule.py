"""The one write rule, out<mask, replace> accum= t, by the contract's own operations.

`Backend.write` follows it on every backend; those that can do it in one pass, or in place, override that
with what gives the same.
"""

from typing import TYPE_CHECKING

from anypair.dtypes import DType
from anypair.semiring import TypedBinary

if TYPE_CHECKING:
    from anypair.backends.base import Backend, Storage, StructuralMask


def written(
    backend: "Backend", out: "Storage", t: "Storage", mask: "StructuralMask | None",
    accum: TypedBinary | None, replace: bool, dtype: DType,
) -> "Storage":  # fmt: skip
    """What out is after t, which lies inside the mask, was written to it; `dtype` is that of out."""
    z = backend.cast(t, dtype) if accum is None else backend.ewise_add(out, t, accum)
    if mask is None:
        return z
    if accum is not None:
        z = backend.restrict(z, mask)
    if replace:
        return z
    return backend.merge(backend.restrict(out, ~mask), z, dtype)


def only_adds(
    backend: "Backend",
    t: "Storage",
    mask: "StructuralMask | None",
    accum: TypedBinary | None,
    replace: bool,
) -> bool:
    """Whether a write of t leaves every entry of its output there, so that it can work in place."""
    if replace and mask is not None:
        return False
    if accum is not None:
        return True
    return mask is not None and not mask.complemented and backend.nvals(t) == backend.nvals(mask.storage)
