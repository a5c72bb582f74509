"""Native operators made of Python functions: compiled by Numba, called by the library entry by entry.

Operators are defined on Python's numbers, so inside the function integers are 64 bits wide and
floats double. Where Numba differs from Python this backend does: there `math.sqrt(-1)` is NaN, not an
error. The machine code is kept on disk like that of kernels, by the text of the operator.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import types

from anypair.backends.suitesparse.external import bind, pointer_type
from anypair.backends.suitesparse.library import NULL, call, ffi, lib, new_object, symbol
from anypair.compiling.caching import compile_callback
from anypair.compiling.modules import load_source
from anypair.compiling.prelude import Prelude
from anypair.dtypes import INT64, Array, DType
from anypair.errors import OperatorError
from anypair.semiring import TypedBinary, TypedUnary
from anypair.semiring.numba_form import jitted, refusal

TEMPLATE = Path(__file__).parent / "templates" / "callback.py"
HEADER = """import math

import numpy as np

from anypair.backends.suitesparse.external import external
from anypair.compiling import casting
from anypair.compiling.caching import checked, compiled

"""
FAILED = ("failed_x", "failed_y", "failed_k", "failed_i", "failed_j")
WIDE = {"b": types.boolean, "i": types.int64, "u": types.int64, "f": types.float64}
_numbers = count()  # of operators without a text


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """Whether a callback has raised, and its arguments then; compiled code writes into the arrays."""

    raised: Array
    arguments: tuple[Array, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """What a callback has noted, and the operator that it is made of."""

    definition: TypedBinary | TypedUnary
    record: Record

    def take(self) -> bool:
        """Whether the function has raised since the last time this was asked."""
        raised = bool(self.record.raised[0])
        self.record.raised[0] = False
        return raised

    def throw(self) -> None:
        """Raise what the Python function raises for those arguments."""
        arguments = tuple(argument.item() for argument in self.record.arguments)
        self.definition(*arguments)
        raise OperatorError(
            f"operator {self.definition.op.name!r} raised when compiled, for arguments {arguments}, "
            "though not in Python; keep to what both do alike"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """A native operator with all that has to live as long."""

    pointer: Any
    failure: Failure
    parts: tuple[Any, ...]


def compile_binary(op: TypedBinary, stored: tuple[DType, DType], final: DType) -> Compiled:
    """op for operands stored as these dtypes, with its result cast to `final`."""
    prelude = Prelude(wide=True)
    prelude.binary("operate", op, term_of=final)
    z, x, y = (pointer_type(dtype) for dtype in (final, *stored))
    signature = [symbol("GrB", dtype) for dtype in (final, *stored)]
    if not op.op.positional:
        callback, failure = _compile(op, prelude, stored, "binary", z, x, y)
        function = _as_argument(callback, lib.GrB_BinaryOp_new)
        pointer = new_object("GrB_BinaryOp", lib.GrB_BinaryOp_new, function, *signature)
        return Compiled(pointer, failure, (callback,))
    i, j = types.uint64, types.uint64
    form = "placed" if op.op.sees_place else "positional"
    callback, failure = _compile(op, prelude, stored, form, z, x, i, j, y, i, j, types.voidptr)
    function = _as_argument(callback, lib.GxB_IndexBinaryOp_new)
    unused = new_object("GrB_Scalar", lib.GrB_Scalar_new, lib.GrB_BOOL)
    call(lib.GrB_Scalar_setElement_BOOL, unused[0], False)
    arguments = (function, *signature, lib.GrB_BOOL, NULL, NULL)
    indexed = new_object("GxB_IndexBinaryOp", lib.GxB_IndexBinaryOp_new, *arguments)
    pointer = new_object("GrB_BinaryOp", lib.GxB_BinaryOp_new_IndexOp, indexed[0], unused[0])
    return Compiled(pointer, failure, (callback, indexed, unused))


def compile_unary(op: TypedUnary) -> Compiled:
    """op as a GrB_UnaryOp, or as a GrB_IndexUnaryOp if it sees the place of an entry."""
    prelude = Prelude(wide=True)
    prelude.unary("operate", op)
    stored = (op.operand, INT64)
    z, x = (pointer_type(dtype) for dtype in (op.result, op.operand))
    signature = [symbol("GrB", dtype) for dtype in (op.result, op.operand)]
    if not op.op.indexed:
        callback, failure = _compile(op, prelude, stored, "unary", z, x)
        function = _as_argument(callback, lib.GrB_UnaryOp_new)
        pointer = new_object("GrB_UnaryOp", lib.GrB_UnaryOp_new, function, *signature)
        return Compiled(pointer, failure, (callback,))
    i, j = types.uint64, types.uint64
    form, number = ("indexed", INT64) if op.number is None else ("numbered", op.number)
    callback, failure = _compile(op, prelude, stored, form, z, x, i, j, pointer_type(number))
    function = _as_argument(callback, lib.GrB_IndexUnaryOp_new)
    arguments = (function, *signature, symbol("GrB", number))
    pointer = new_object("GrB_IndexUnaryOp", lib.GrB_IndexUnaryOp_new, *arguments)
    return Compiled(pointer, failure, (callback,))


def _compile(
    op: TypedBinary | TypedUnary,
    prelude: Prelude,
    stored: tuple[DType, DType],
    form: str,
    *signature: Any,
) -> tuple[Any, Failure]:
    """The callback of that form in the template, compiled or loaded, and what it notes."""
    name = _name(prelude, stored)
    noted = (*stored, *(INT64,) * (3 if form == "placed" else 1))
    variables = zip(FAILED, noted, strict=False)
    notes = "".join(f"{each} = external('{name}_{each}', '{dtype}')\n" for each, dtype in variables)
    notes += f"raised = external('{name}_raised', 'int8')\n"
    source = f"{HEADER}{prelude.text}\n{notes}\n{_template()}"
    record = _record(name, noted)
    try:
        module = load_source("callback", source, prelude.injected, operators=prelude.operators)
        return compile_callback(getattr(module, form), types.void(*signature)), Failure(op, record)
    except Exception as error:  # not all that Numba raises are its own errors
        raise _refusal(op, error) from None


def _name(prelude: Prelude, stored: tuple[DType, DType]) -> str:
    """What begins the names of the variables of an operator: one for each text."""
    number = next(_numbers) if prelude.injected else ""
    text = f"{number}{stored}\n{prelude.text}"
    return f"anypair_callback_{hashlib.sha256(text.encode()).hexdigest()[:24]}"


@cache
def _record(name: str, noted: tuple[DType, ...]) -> Record:
    """The record of the callbacks of that name; like their machine code, it stays."""
    arguments = tuple(np.zeros(1, dtype) for dtype in noted)
    record = Record(np.zeros(1, np.int8), arguments)
    for each, array in zip(("raised", *FAILED), (record.raised, *arguments), strict=False):
        bind(f"{name}_{each}", array)
    return record


@cache
def _template() -> str:
    return TEMPLATE.read_text("utf-8")


def _refusal(op: TypedBinary | TypedUnary, error: Exception) -> OperatorError:
    """Why Numba does not compile an operator: found by compiling its function on its own."""
    operands = (op.operand,) if isinstance(op, TypedUnary) else (op.left, op.right)
    signature = tuple(WIDE[dtype.kind] for dtype in operands)
    signature += (types.int64,) * (len(op.op.arguments) - len(operands))
    function = jitted(op.op.function)
    try:
        function.compile(signature)
    except Exception as why:
        return OperatorError(refusal(repr(op.op.name), "suitesparse", why), operator=op.op.name)
    returned = function.overloads[signature].signature.return_type
    if not isinstance(returned, types.Integer | types.Float | types.Boolean):
        return OperatorError(
            f"operator {op.op.name!r} returns {returned}; it has to return a number on every path",
            operator=op.op.name,
        )
    return OperatorError(refusal(repr(op.op.name), "suitesparse", error), operator=op.op.name)


def _as_argument(callback: Any, constructor: Any) -> Any:
    return ffi.cast(ffi.typeof(constructor).args[1], callback.address)
