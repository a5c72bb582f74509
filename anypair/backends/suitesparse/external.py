"""Variables outside of compiled code, by name: machine code on disk knows no address of a process."""

from typing import Any

import numba
import numpy as np
from llvmlite import binding, ir
from numba.core import types
from numba.extending import intrinsic

from anypair.dtypes import Array, DType


def pointer_type(dtype: DType) -> Any:
    """A pointer to such a value; Numba keeps a bool in one bit, the library in one byte."""
    pointer: Any = types.CPointer
    return pointer(types.int8 if dtype.kind == "b" else numba.from_dtype(dtype))


def external(name: str, dtype: str) -> Any:
    """A function for compiled code: the pointer to the variable of that name, `bind` says which."""
    pointer = pointer_type(np.dtype(dtype))

    def address(typing_context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = context.get_value_type(pointer.dtype)
            variable = builder.module.globals.get(name)
            return variable or ir.GlobalVariable(builder.module, kind, name)

        return pointer(), generate

    return intrinsic(address)


def bind(name: str, array: Array) -> None:
    """Let compiled code that is loaded from now on find the variable in the first element of `array`."""
    binding.add_symbol(name, array.ctypes.data)
