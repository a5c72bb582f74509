"""How a record lies in a word of 64 bits, so that words are in the order of records.

Each field has a code, an integer from 0 on that rises with its value: an unsigned integer as it is, a
signed one from its least on, a float32 by its sign, exponent and fraction. Codes lie side by side, the
last field in the lowest bits. The first field has all bits that are left, and the sign: a word is an
int64, and comparing two words compares their records.

What is made here becomes part of operators: plain functions of numbers, which Python runs and Numba
compiles, for GPUs as well.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from anypair.dtypes import BOOL, DType, Scalar
from anypair.errors import InvalidArgument

WIDTH = 64
CODES = 1 << 32  # of float32
ZERO = 1 << 31  # the code of 0.0
INFINITE = 0x7F800000  # how far the code of an infinity is from that of zero; NaN is one further
TOO_LARGE = 3.4028235677973366e38  # what float32 rounds to infinity
NORMAL = 2.0**-126  # the least float32 that has all bits of its fraction
INTEGER = re.compile(r"(u?)int([1-9][0-9]?)")


@dataclass(frozen=True)
class Field:
    """A field: its name, its kind of number, how many bits it has, and below it how many others."""

    name: str
    letter: str  # "b", "i", "u" or "f", as of dtypes
    bits: int
    shift: int = 0
    is_first: bool = False
    fills: bool = False  # whether fields have all bits of a word

    @property
    def kind(self) -> str:
        """Its dtype, of as many bits as it has."""
        return "bool" if self.letter == "b" else f"{_KINDS[self.letter]}{self.bits}"

    def __str__(self) -> str:
        return f"{self.name}={self.kind}"

    @property
    def dtype(self) -> DType:
        """The dtype of its values where they are by themselves."""
        if self.letter == "b":
            return BOOL
        bits = next(n for n in (8, 16, 32, 64) if n >= self.bits)
        return np.dtype(f"{_KINDS[self.letter]}{bits}")

    @property
    def least(self) -> Scalar:
        if self.letter == "f":
            return -math.inf
        return -(1 << self.bits - 1) if self.letter == "i" else False if self.letter == "b" else 0

    @property
    def greatest(self) -> Scalar:
        if self.letter == "f":
            return math.inf
        if self.letter == "b":
            return True
        return (1 << self.bits - (self.letter == "i")) - 1

    @property
    def offset(self) -> int:
        """What is taken off the code in a word: half of the codes of the first field are below zero."""
        below = self.is_first and (self.fills or self.letter == "i")
        return 1 << self.bits - 1 if below else 0


_KINDS = {"i": "int", "u": "uint", "f": "float"}


def field_of(name: str, dtype: Any) -> Field:
    """A field of that dtype, or of "int20" and others that NumPy does not have."""
    if isinstance(dtype, str) and (found := INTEGER.fullmatch(dtype)) and int(found[2]) < WIDTH:
        return Field(name, "u" if found[1] else "i", int(found[2]))
    try:
        known = None if dtype is None else np.dtype(dtype)
    except TypeError:
        known = None
    if known == BOOL:
        return Field(name, "b", 1)
    if known == np.float32:
        return Field(name, "f", 32)
    if known is not None and known.kind in "iu":
        return Field(name, known.kind, 8 * known.itemsize)
    hint = "; float64 leaves no bit for others: take float32" if known == np.float64 else ""
    raise InvalidArgument(
        f"record: {name}={dtype!r} is no dtype of a field; take bool, float32, or an integer of up to "
        f'63 bits, such as "int32" or "uint20"{hint}'
    )


def laid_out(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """The fields with their places in a word."""
    bits = sum(field.bits for field in fields)
    made, below = [], bits
    for number, field in enumerate(fields):
        below -= field.bits
        made.append(replace(field, shift=below, is_first=number == 0, fills=bits == WIDTH))
    return tuple(made)


@lru_cache(maxsize=256)
def giving(field: Field) -> Callable[[Any], Any]:
    """The function of a value that gives its part of a word; integers wrap around."""
    encode, shift, offset = _encoding(field), field.shift, field.offset

    def give(value: Any) -> Any:
        return (encode(value) - offset) << shift

    return give


@lru_cache(maxsize=256)
def taking(field: Field) -> Callable[[Any], Any]:
    """The function of a word that gives the value; the ends of int64 are the ends of all fields."""
    decode, shift, offset = _decoding(field), field.shift, field.offset
    mask = (1 << field.bits) - 1

    def take(word: Any) -> Any:
        return decode((word >> shift) & mask)

    def take_first(word: Any) -> Any:
        return decode((word >> shift) + offset)

    def take_first_within(word: Any) -> Any:
        code = (word >> shift) + offset
        return decode(0 if code < 0 else mask if code > mask else code)

    if not field.is_first:
        return take
    return take_first if field.fills else take_first_within


def packing(fields: tuple[Field, ...]) -> Callable[[Any], Any]:
    """The function of a tuple of values that gives their word."""
    parts: tuple[Any, ...] = (*map(giving, fields), None)
    first, second, third = parts[:3]

    def pack_two(x: Any) -> Any:
        a, b = x
        return first(a) | second(b)

    def pack_three(x: Any) -> Any:
        a, b, c = x
        return first(a) | second(b) | third(c)

    return pack_two if third is None else pack_three


def unpacking(fields: tuple[Field, ...]) -> Callable[[Any], Any]:
    """The function of a word that gives the tuple of its values."""
    parts: tuple[Any, ...] = (*map(taking, fields), None)
    first, second, third = parts[:3]

    def unpack_two(word: Any) -> Any:
        return first(word), second(word)

    def unpack_three(word: Any) -> Any:
        return first(word), second(word), third(word)

    return unpack_two if third is None else unpack_three


def _encoding(field: Field) -> Callable[[Any], Any]:
    """From a value to its code."""
    mask, half = (1 << field.bits) - 1, 1 << field.bits - 1

    def of_signed(value: Any) -> Any:
        return (value + half) & mask

    def of_unsigned(value: Any) -> Any:
        return value & mask

    def of_truth(value: Any) -> Any:
        return 1 if value else 0

    kinds = {"i": of_signed, "u": of_unsigned, "b": of_truth, "f": code_of_float}
    return kinds[field.letter]


def _decoding(field: Field) -> Callable[[Any], Any]:
    """From a code to the value."""
    half = 1 << field.bits - 1

    def signed(code: Any) -> Any:
        return code - half

    def unsigned(code: Any) -> Any:
        return code

    def truth(code: Any) -> Any:
        return code != 0

    kinds = {"i": signed, "u": unsigned, "b": truth, "f": float_of_code}
    return kinds[field.letter]


def code_of_float(value: Any) -> Any:
    """The code of the nearest float32: in its order, with one zero, and NaN after infinity.

    >>> code_of_float(-1.5) < code_of_float(0.0) == code_of_float(-0.0) < code_of_float(1e-45)
    True
    """
    x = float(value)
    size = abs(x)
    if x != x:
        return ZERO + INFINITE + 1
    if size >= TOO_LARGE:
        return ZERO + INFINITE if x > 0.0 else ZERO - INFINITE
    if size < NORMAL:
        scaled, before = size * 2.0**149, 0
    else:
        fraction, exponent = math.frexp(size)
        scaled, before = fraction * 2.0**24, (exponent + 125) << 23
    whole = int(scaled)
    rest = scaled - whole
    if rest > 0.5 or (rest == 0.5 and (whole & 1) == 1):  # to the nearest, from the middle to the even
        whole += 1
    return ZERO + before + whole if x >= 0.0 else ZERO - before - whole


def float_of_code(code: Any) -> Any:
    """The float32 that has this code.

    >>> float_of_code(code_of_float(0.1)) == float(np.float32(0.1))
    True
    """
    away = code - ZERO
    size = abs(away)
    if away == INFINITE + 1:
        return math.nan
    if size >= INFINITE:
        return math.inf if away > 0 else -math.inf
    if size < 1 << 23:
        found = size * 2.0**-149
    else:
        found = math.ldexp(float((size & 0x7FFFFF) | 0x800000), (size >> 23) - 150)
    return found if away >= 0 else -found
