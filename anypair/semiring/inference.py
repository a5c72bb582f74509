"""The result dtype of a user's function, found by Numba's typing and never guessed from a sample."""

from collections.abc import Callable
from typing import Any

from anypair.dtypes import DType, as_dtype
from anypair.errors import OperatorError, UnsupportedDType


def infer_result(name: str, function: Callable[..., Any], operands: tuple[DType, ...]) -> DType:
    """What `function` returns for operands of these dtypes.

    >>> import numpy as np
    >>> infer_result("half", lambda x: x / 2, (np.dtype("int32"),))
    dtype('float64')
    """
    import numba
    from numba.core.errors import NumbaError, NumbaNotImplementedError
    from numba.np.numpy_support import as_dtype as to_numpy

    types = tuple(numba.from_dtype(dtype) for dtype in operands)
    shown = ", ".join(map(str, operands))
    remedy = "or state the result, as in @binary_op(result=np.float64)"
    try:
        dispatcher = numba.njit(function)
        dispatcher.compile(types)
    except (NumbaError, TypeError) as error:
        reason = _first_line(str(error))
        raise OperatorError(
            f"operator {name!r} cannot be typed for ({shown}): {reason}; "
            f"keep to what Numba compiles, {remedy}"
        ) from error
    returned: Any = numba.types.unliteral(dispatcher.overloads[types].signature.return_type)  # type: ignore[no-untyped-call]
    try:
        return as_dtype(to_numpy(returned))
    except (NumbaNotImplementedError, UnsupportedDType) as error:
        raise OperatorError(
            f"operator {name!r} returns {returned} for ({shown}), not a number that can be stored; "
            f"return one number on every path, {remedy}"
        ) from error


def _first_line(text: str) -> str:
    """The line of a Numba message that says what is wrong, without its trail of locations."""
    lines = [line.strip() for line in text.splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "File", "-", "During"))]
    return said[0] if said else "Numba refused it"
