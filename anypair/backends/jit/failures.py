"""What went wrong in an operator: which one it was, what it was given, and why Numba refused it."""

from collections.abc import Callable
from typing import Any

from numba import from_dtype, int64
from numba.core.errors import NumbaError

from anypair.backends.operator_names import Operators, names_of, parts_of, quoted
from anypair.errors import AnypairError, OperatorError
from anypair.semiring import TypedNary, TypedUnary
from anypair.semiring.numba_form import jitted, refusal


def named(
    error: Exception, op: Operators | None, find: Callable[[], OperatorError | None] | None = None
) -> Exception:
    """What compiling or running an operator has raised, as an error that names it.

    `find` looks for the call that raised.
    """
    if op is None or isinstance(error, AnypairError | MemoryError):
        return error
    if isinstance(error, NumbaError):
        return _refused(error, op)
    if find is not None and (found := find()) is not None:
        return found
    said = next((line for line in str(error).splitlines() if line.strip()), "")
    words = f"operator {quoted(op)} raised {type(error).__name__}: {said}"
    return OperatorError(words, operator=names_of(op))


def _refused(error: Exception, op: Operators) -> OperatorError:
    """Of several operators the one that Numba does not take, found by compiling each on its own."""
    for part in parts_of(op):
        if isinstance(part, TypedNary):
            operands = [*part.operands]
        else:
            operands = [part.operand] if isinstance(part, TypedUnary) else [part.left, part.right]
        types: list[Any] = [from_dtype(dtype) for dtype in operands]
        types += [int64] * (len(part.op.arguments) - len(types))
        try:
            jitted(part.op.function).compile(tuple(types))
        except Exception as why:  # not all that Numba raises are its own errors
            return OperatorError(refusal(repr(part.op.name), "jit", why), operator=part.op.name)
    return OperatorError(refusal(quoted(op), "jit", error), operator=names_of(op))
