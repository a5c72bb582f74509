"""The C library: started once, its names by dtype, and its error codes as Python errors."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from suitesparse_graphblas import ffi, initialize, is_initialized, lib

from anypair.dtypes import BOOL, SUPPORTED, Array, DType, Scalar
from anypair.errors import NotEnoughMemory

__all__ = [
    "NULL",
    "SUFFIX",
    "Refused",
    "call",
    "ffi",
    "index_buffer",
    "lib",
    "new_object",
    "query",
    "query_scalar",
    "symbol",
    "value_buffer",
]

NULL = ffi.NULL

if not is_initialized():  # python-graphblas, in the same process, may have been first
    initialize(blocking=False, memory_manager="numpy")

_LETTERS = {"i": "INT", "u": "UINT", "f": "FP"}
SUFFIX: dict[DType, str] = {
    dtype: "BOOL" if dtype == BOOL else f"{_LETTERS[dtype.kind]}{8 * dtype.itemsize}"
    for dtype in SUPPORTED
}
_C_TYPE: dict[DType, str] = {
    dtype: {"b": "_Bool", "f": "float" if dtype.itemsize == 4 else "double"}.get(
        dtype.kind, f"{dtype}_t"
    )
    for dtype in SUPPORTED
}
_CODES = (
    "UNINITIALIZED_OBJECT NULL_POINTER INVALID_VALUE INVALID_INDEX DOMAIN_MISMATCH DIMENSION_MISMATCH "
    "OUTPUT_NOT_EMPTY NOT_IMPLEMENTED EMPTY_OBJECT PANIC OUT_OF_MEMORY INSUFFICIENT_SPACE "
    "INVALID_OBJECT INDEX_OUT_OF_BOUNDS"
)
_MEANING = {getattr(lib, f"GrB_{code}"): code for code in _CODES.split()}


@cache
def symbol(name: str, dtype: DType) -> Any:
    """What the library calls `name` for `dtype`, such as GrB_PLUS_INT8; None if it has no such thing."""
    return getattr(lib, f"{name}_{SUFFIX[dtype]}", None)


class Refused(RuntimeError):
    """The library's answer was an error code."""

    def __init__(self, function: str, info: int) -> None:
        super().__init__(f"SuiteSparse:GraphBLAS: {function} answers {_MEANING.get(info, info)}")
        self.info = info


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Call the library; anything but success raises."""
    if info := function(*arguments):
        refused = Refused(function.__name__, info)
        raise NotEnoughMemory(str(refused)) if info == lib.GrB_OUT_OF_MEMORY else refused


def new_object(kind: str, function: Callable[..., int], *arguments: Any) -> Any:
    """A new object of that kind, such as GrB_Vector: a pointer that frees it when it goes."""
    pointer = ffi.new(f"{kind}*")
    call(function, pointer, *arguments)
    return ffi.gc(pointer, getattr(lib, f"{kind}_free"))


def query(c_type: str, function: Callable[..., int], *arguments: Any) -> Any:
    """The number that a function writes through its first argument."""
    answer = ffi.new(f"{c_type}*")
    call(function, answer, *arguments)
    return answer[0]


def query_scalar(function: Callable[..., int], dtype: DType, *arguments: Any) -> Scalar:
    """`asked` for a value of `dtype`."""
    answer: Scalar = query(_C_TYPE[dtype], function, *arguments)
    return answer


def index_buffer(indices: Array) -> Any:
    """int64 indices, none negative, as the library reads and writes them."""
    return ffi.from_buffer("uint64_t[]", np.ascontiguousarray(indices))


def value_buffer(values: Array) -> Any:
    """Values as the library reads and writes them."""
    return ffi.from_buffer(f"{_C_TYPE[values.dtype]}[]", np.ascontiguousarray(values))
