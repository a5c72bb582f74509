"""What lies inside a mask, and masks of several."""

from typing import Any

from anypair.backends.base import Backend, StructuralMask
from anypair.backends.tree import Step
from anypair.errors import InvalidArgument, shown
from anypair.handle import Handle
from anypair.mask import Mask
from anypair.memory import naming_memory_errors
from anypair.operations.elementwise import check_alike
from anypair.operations.output import HandleType, Output, agree, type_on
from anypair.semiring import lor


@naming_memory_errors
def where(x: HandleType, mask: Mask) -> HandleType:
    """The entries of x inside the mask."""
    output = Output("where", None, None, mask, None, False, x=x)
    if mask is None:
        raise InvalidArgument(
            "where: mask=None is not a mask; give x.structure, x.true, or ~ of one of them"
        )
    inside = output.prepare(type(x), x.shape, x.dtype)
    t = output.backend.evaluate(Step("restrict", (x.storage,), inside))
    result: HandleType = output.write(t, masked=True)
    result.values_are_indices = x.values_are_indices
    return result


@naming_memory_errors
def both(one: Mask, other: Any) -> Mask:
    """The mask of the places that are in both."""
    backend = _agree(one, other)
    if one.complemented and other.complemented:
        return ~_in_either(backend, one.handle, other.handle)
    if one.complemented:
        one, other = other, one
    x = one.handle
    t = backend.restrict(x.storage, StructuralMask(other.handle.storage, other.complemented))
    return Mask(type(x)(x.shape, x.dtype, t, backend))


@naming_memory_errors
def either(one: Mask, other: Any) -> Mask:
    """The mask of the places that are in one of them, or in both."""
    backend = _agree(one, other)
    if not (one.complemented or other.complemented):
        return _in_either(backend, one.handle, other.handle)
    return ~both(~one, ~other)


def _agree(one: Mask, other: Any) -> Backend:
    if not isinstance(other, Mask):
        raise InvalidArgument(
            f"masks: {shown(other)} is not a mask; give x.structure, x.true, or ~ of one of them"
        )
    backend = agree("masks", {"one": one.handle, "other": other.handle})
    check_alike("masks", one.handle, other.handle)
    return backend


def _in_either(backend: Backend, x: Handle, y: Handle) -> Mask:
    in_one = type_on(backend, lor, x.dtype, y.dtype)
    t = backend.ewise_add(x.storage, y.storage, in_one)
    return Mask(type(x)(x.shape, in_one.result, t, backend))
