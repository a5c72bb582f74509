"""The result dtype of a user's function, found by Numba's typing and never guessed from a sample."""

from types import FunctionType

from anypair.dtypes import DType, as_dtype
from anypair.errors import OperatorError, UnsupportedDType
from anypair.semiring.numba_form import reason
from anypair.semiring.typing_only import return_type


def infer_result(
    name: str, function: FunctionType, operands: tuple[DType, ...], decorator: str
) -> DType:
    """What `function` returns for operands of these dtypes; messages name the decorator.

    >>> import numpy as np
    >>> infer_result("half", lambda x: x / 2, (np.dtype("int32"),), "@unary_op")
    dtype('float64')
    """
    import numba
    from numba.core.errors import NumbaNotImplementedError
    from numba.np.numpy_support import as_dtype as to_numpy

    types = tuple(numba.from_dtype(dtype) for dtype in operands)
    shown = ", ".join(map(str, operands))
    remedy = f"or state the result, as in {stating(decorator)}"
    try:
        returned = return_type(function, types)
    except Exception as error:  # not all that Numba raises are its own errors
        raise OperatorError(
            f"operator {name!r} cannot be typed for ({shown}): {reason(error)}; "
            f"keep to what Numba compiles, {remedy}",
            operator=name,
        ) from None
    try:
        return as_dtype(to_numpy(returned))
    except (NumbaNotImplementedError, UnsupportedDType):
        raise OperatorError(
            f"operator {name!r} returns {returned} for ({shown}), not a number that can be stored; "
            f"return one number on every path, {remedy}",
            operator=name,
        ) from None


def stating(decorator: str) -> str:
    """The decorator with a result stated.

    >>> stating("@binary_op(positional=True)")
    '@binary_op(positional=True, result=np.float64)'
    """
    called = decorator.removesuffix(")")
    return f"{called}{', ' if called != decorator else '('}result=np.float64)"
