"""assign: write a number, a vector or a matrix into a part of another."""

from math import prod
from typing import Any

import numpy as np

from anypair.backends.base import Backend, Indices, Storage, StructuralMask
from anypair.backends.places import listed
from anypair.dtypes import INT64, DType, caster, scalar_dtype
from anypair.errors import InvalidArgument, InvalidValue, SizeMismatch
from anypair.handle import Handle, bytes_to_build
from anypair.mask import Mask
from anypair.memory import naming_memory_errors
from anypair.operations.indexing import Axis, as_axis
from anypair.operations.output import HandleType, Output, describe
from anypair.operations.shaping import constant
from anypair.semiring import BinaryOp, Monoid, second
from anypair.vector import Vector


@naming_memory_errors
def assign(
    out: HandleType,
    value: Any,
    rows: Any = None,
    columns: Any = None,
    *,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> HandleType:
    """out(rows, columns)<mask> accum= value, a number, a vector or a matrix; returns out.

    A number fills every place that is named, and under a mask every place inside it. A vector or
    matrix replaces the named part: without `accum`, places where it has no entry lose theirs.
    Indices are as in `extract`, but may not repeat.

    >>> levels = Vector.from_entries([0], [0], size=4)
    >>> reached = Vector.from_entries([1, 2], [True, True], size=4)
    >>> assign(levels, 7, mask=reached.structure).to_dict()
    {0: 0, 1: 7, 2: 7}
    >>> assign(levels, Vector.from_entries([1], [9], size=2), [2, 3]).to_dict()
    {0: 0, 1: 7, 3: 9}
    """
    operands = {"value": value} if isinstance(value, Handle) else {}
    output = Output("assign", None, out, mask, accum, replace, **operands)
    backend = output.backend
    axes = _axes(out, rows, columns)
    result: HandleType
    if not isinstance(value, Handle):
        try:
            dtype = scalar_dtype(value, beside=out.dtype)
        except InvalidValue as error:
            raise InvalidValue(f"assign: value: {error}, or a Vector or Matrix") from None
        output.prepare(type(out), out.shape, dtype)
        t, fills_mask = _scalar_everywhere(output, backend, out, value, dtype, axes)
        if fills_mask and output.puts_t_over_out:
            result = output.merge(t)
        else:
            result = output.write(t, masked=fills_mask)
        return result
    output.prepare(type(out), out.shape, value.dtype)
    if _is_structure_of(mask, value, axes) and output.puts_t_over_out:
        result = output.merge(value.storage)
        return result
    t = backend.place(_as_shape_of_axes(backend, value, axes), tuple(a.places for a in axes), out.shape)
    if accum is None and any(axis.places is not None for axis in axes):
        t = _with_the_rest(backend, out, t, value.dtype, tuple(a.places for a in axes))
    result = output.write(t)
    return result


def _is_structure_of(mask: Mask | None, value: Handle, axes: tuple[Axis, ...]) -> bool:
    """Whether the mask has exactly the places that the value brings entries for."""
    if mask is None or mask.complemented or any(axis.places is not None for axis in axes):
        return False
    return mask.handle.storage is value.storage


def _axes(out: Handle, rows: Any, columns: Any) -> tuple[Axis, ...]:
    if isinstance(out, Vector) and columns is not None:
        raise InvalidArgument(f"assign: columns={columns!r} given for a Vector")
    if rows is None and columns is None:
        return tuple(Axis(None, length) for length in out.shape)
    wanted = {"rows": rows} if isinstance(out, Vector) else {"rows": rows, "columns": columns}
    axes = tuple(
        as_axis("assign", name, places, length)
        for (name, places), length in zip(wanted.items(), out.shape, strict=True)
    )
    for name, axis in zip(wanted, axes, strict=True):
        if isinstance(axis.places, np.ndarray) and len(np.unique(axis.places)) < axis.length:
            raise InvalidValue(f"assign: {name} names a place twice; give each index once")
    return axes


def _scalar_everywhere(
    output: Output, backend: Backend, out: Handle, value: Any, dtype: DType, axes: tuple[Axis, ...]
) -> tuple[Storage, bool]:
    """The number at every place that is named, and whether these are exactly those of the mask."""
    number = value.item() if hasattr(value, "item") else value
    everything = all(axis.places is None for axis in axes)
    mask = output.mask
    if everything and mask is not None and not mask.complemented:
        return constant(mask.handle, mask.handle.storage, number, dtype), True
    t = _filled(out, number, dtype, axes)
    if not everything and output.accum is None:
        t = _with_the_rest(backend, out, t, dtype, tuple(a.places for a in axes))
    return t, False


def _filled(out: Handle, value: Any, dtype: DType, axes: tuple[Axis, ...]) -> Storage:
    """Storage with `value` at every place of out that the axes name."""
    backend, shape = out.backend, out.shape
    if len(axes) == 1 and axes[0].places is None:
        return backend.build_full(axes[0].length, np.array([caster(dtype)(value)], dtype))
    count = prod(axis.length for axis in axes)
    out.require(bytes_to_build(count, dtype), f"filling {count} places")
    lists = [listed(range(a.length) if a.places is None else a.places) for a in axes]
    places = tuple(grid.ravel() for grid in np.meshgrid(*lists, indexing="ij"))
    values = np.broadcast_to(np.array(caster(dtype)(value), dtype), count)
    return backend.build(places, values, shape, None)


def _with_the_rest(backend: Backend, out: Handle, t: Storage, dtype: DType, indices: Indices) -> Storage:
    """t, of that dtype, and those entries of out that lie outside the assigned part, of out's."""
    inside = backend.place(backend.extract(out.storage, indices), indices, out.shape)
    outside = backend.restrict(out.storage, StructuralMask(inside, True))
    return backend.ewise_add(outside, t, second.typed(out.dtype, dtype).into(out.dtype))


def _as_shape_of_axes(backend: Backend, value: Handle, axes: tuple[Axis, ...]) -> Storage:
    """The storage of `value` in the shape that the axes ask for; a vector may be one row or column."""
    wanted = tuple(axis.length for axis in axes)
    if isinstance(value, Vector) and len(axes) == 2:
        single = [axis.single for axis in axes]
        if single == [True, False] or single == [False, True]:
            _check_part(value.shape, (wanted[single.index(False)],))
            zeros = constant(value, value.storage, 0, INT64)
            as_column = backend.rowwise(zeros, value.storage, 1)
            return backend.transpose(as_column) if single[0] else as_column
    if value.kind != ("Vector" if len(axes) == 1 else "Matrix"):
        raise InvalidArgument(
            f"assign: a {value.kind} cannot fill a part of shape {wanted}; "
            "a Vector fills one row or one column"
        )
    _check_part(value.shape, wanted)
    return value.storage


def _check_part(given: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    if given != wanted:
        raise SizeMismatch(
            f"assign: value is {describe(given)}, the assigned part {describe(wanted)}; "
            "they have to be equal"
        )
