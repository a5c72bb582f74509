"""Native operators made of Python functions: compiled by Numba, called by the library entry by entry.

Operators are defined on Python's numbers, so inside the function integers are 64 bits wide and
floats double. An exception must not leave a C callback: it is noted, and raised afterwards.
Where Numba differs from Python this backend does: there `math.sqrt(-1)` is NaN, not an error.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba.core import types

from anypair.backends.suitesparse.conversion import POINTER, cast, fits, pointer, signed, wide
from anypair.backends.suitesparse.library import NULL, call, ffi, lib, new_object, symbol
from anypair.dtypes import INT64, Array, DType
from anypair.errors import OperatorError
from anypair.semiring import TypedBinary, TypedUnary
from anypair.semiring.numba_form import jitted, refusal

Function = Callable[..., Any]
WIDE = {"b": types.boolean, "i": types.int64, "u": types.int64, "f": types.float64}


@dataclass(slots=True, eq=False)
class Failure:
    """Whether a function has raised, and its arguments then; compiled code writes into the arrays."""

    definition: TypedBinary | TypedUnary
    raised: Array
    arguments: tuple[Array, ...]

    def take(self) -> bool:
        """Whether the function has raised since the last time this was asked."""
        raised = bool(self.raised[0])
        self.raised[0] = False
        return raised

    def throw(self) -> None:
        """Raise what the Python function raises for those arguments."""
        arguments = tuple(argument.item() for argument in self.arguments)
        self.definition(*arguments)
        raise OperatorError(
            f"operator {self.definition.op.name!r} raised when compiled, for arguments {arguments}, "
            "though not in Python; keep to what both do alike",
            operator=self.definition.op.name,
            arguments=arguments,
        )


@dataclass(slots=True, eq=False)
class Compiled:
    """A native operator with all that has to live as long."""

    pointer: Any
    failure: Failure
    parts: tuple[Any, ...]


def compile_binary(op: TypedBinary, stored: tuple[DType, DType], final: DType) -> Compiled:
    """op for operands stored as these dtypes, with its result cast to `final`."""
    compiled = jitted(op.op.function)
    called = (
        (lambda x, y, k: compiled(x, y, k)) if op.op.positional else (lambda x, y, k: compiled(x, y))
    )
    evaluate, failure = _evaluator(op, called, stored, (op.left, op.right), final)

    def binary(z: Any, x: Any, y: Any) -> None:
        z[0] = evaluate(x[0], y[0], 0)

    def positional(z: Any, x: Any, ix: Any, jx: Any, y: Any, iy: Any, jy: Any, theta: Any) -> None:
        z[0] = evaluate(x[0], y[0], types.int64(iy))

    z, x, y = (_pointer_type(dtype) for dtype in (final, *stored))
    signature = [symbol("GrB", dtype) for dtype in (final, *stored)]
    if not op.op.positional:
        callback = _callback(op, binary, z, x, y)
        function = _as_argument(callback, lib.GrB_BinaryOp_new)
        pointer = new_object("GrB_BinaryOp", lib.GrB_BinaryOp_new, function, *signature)
        return Compiled(pointer, failure, (callback,))
    index = types.uint64
    callback = _callback(op, positional, z, x, index, index, y, index, index, types.voidptr)
    function = _as_argument(callback, lib.GxB_IndexBinaryOp_new)
    unused = new_object("GrB_Scalar", lib.GrB_Scalar_new, lib.GrB_BOOL)
    call(lib.GrB_Scalar_setElement_BOOL, unused[0], False)
    arguments = (function, *signature, lib.GrB_BOOL, NULL, NULL)
    indexed = new_object("GxB_IndexBinaryOp", lib.GxB_IndexBinaryOp_new, *arguments)
    pointer = new_object("GrB_BinaryOp", lib.GxB_BinaryOp_new_IndexOp, indexed[0], unused[0])
    return Compiled(pointer, failure, (callback, indexed, unused))


def compile_unary(op: TypedUnary) -> Compiled:
    """op as a GrB_UnaryOp, or as a GrB_IndexUnaryOp if it sees the place of an entry."""
    compiled = jitted(op.op.function)
    called = (lambda x, i, j: compiled(x, i, j)) if op.op.indexed else (lambda x, i, j: compiled(x))
    operands = (op.operand, INT64)
    evaluate, failure = _evaluator(op, called, operands, operands, op.result)

    def unary(z: Any, x: Any) -> None:
        z[0] = evaluate(x[0], 0, 0)

    def indexed(z: Any, x: Any, i: Any, j: Any, thunk: Any) -> None:
        z[0] = evaluate(x[0], types.int64(i), types.int64(j))

    z, x = (_pointer_type(dtype) for dtype in (op.result, op.operand))
    signature = [symbol("GrB", dtype) for dtype in (op.result, op.operand)]
    if not op.op.indexed:
        callback = _callback(op, unary, z, x)
        function = _as_argument(callback, lib.GrB_UnaryOp_new)
        return Compiled(
            new_object("GrB_UnaryOp", lib.GrB_UnaryOp_new, function, *signature), failure, (callback,)
        )
    callback = _callback(op, indexed, z, x, types.uint64, types.uint64, types.voidptr)
    function = _as_argument(callback, lib.GrB_IndexUnaryOp_new)
    arguments = (function, *signature, lib.GrB_INT64)
    pointer = new_object("GrB_IndexUnaryOp", lib.GrB_IndexUnaryOp_new, *arguments)
    return Compiled(pointer, failure, (callback,))


def _evaluator(
    definition: TypedBinary | TypedUnary,
    function: Function,
    stored: tuple[DType, DType],
    operands: tuple[DType, DType],
    final: DType,
) -> tuple[Function, Failure]:
    """The compiled definition: casts, the function of three arguments, casts; and its failures."""
    compiled: Any = numba.njit(function)
    _check(definition, compiled, operands)
    failure = Failure(
        definition, np.zeros(1, np.int8), tuple(np.zeros(1, dtype) for dtype in (*stored, INT64))
    )
    stored_x, stored_y, left, right, computed, result, last = (
        dtype.type(0) for dtype in (*stored, *operands, definition.computed, definition.result, final)
    )
    raised, at_x, at_y, at_k = (array.ctypes.data for array in (failure.raised, *failure.arguments))
    yes = np.int8(1)

    def evaluate(a: Any, b: Any, k: Any) -> Any:
        try:
            x, y = cast(cast(a, stored_x), left), cast(cast(b, stored_y), right)
            if fits(x) and fits(y):
                return cast(cast(cast(compiled(signed(x), signed(y), k), computed), result), last)
            return cast(cast(cast(compiled(wide(x), wide(y), k), computed), result), last)
        except Exception:
            pointer(at_x, a)[0] = a
            pointer(at_y, b)[0] = b
            pointer(at_k, k)[0] = k
            pointer(raised, yes)[0] = yes
            return last

    return numba.njit(evaluate), failure


def _check(op: TypedBinary | TypedUnary, compiled: Any, operands: tuple[DType, DType]) -> None:
    """Raise unless Numba compiles the function and finds that it always returns a number."""
    signature = (*(WIDE[dtype.kind] for dtype in operands), types.int64)
    try:
        compiled.compile(signature)
    except Exception as error:  # not all that Numba raises are its own errors
        raise _refusal(op, error) from None
    returned = compiled.overloads[signature].signature.return_type
    if not isinstance(returned, types.Integer | types.Float | types.Boolean):
        raise OperatorError(
            f"operator {op.op.name!r} returns {returned}; it has to return a number on every path",
            operator=op.op.name,
        )


def _callback(op: TypedBinary | TypedUnary, function: Function, *arguments: Any) -> Any:
    try:
        return numba.cfunc(types.void(*arguments))(function)
    except Exception as error:
        raise _refusal(op, error) from None


def _refusal(op: TypedBinary | TypedUnary, error: Exception) -> OperatorError:
    return OperatorError(refusal(repr(op.op.name), "suitesparse", error), operator=op.op.name)


def _as_argument(callback: Any, constructor: Any) -> Any:
    return ffi.cast(ffi.typeof(constructor).args[1], callback.address)


def _pointer_type(dtype: DType) -> Any:
    # Numba keeps a bool in one bit, the library in one byte.
    return POINTER(types.int8 if dtype.kind == "b" else numba.from_dtype(dtype))
