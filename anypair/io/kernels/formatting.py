"""Entries as lines of text, floats with as few digits as give the same number back."""

from typing import Any

import numpy as np
from numba import njit

from anypair.compiling.caching import kernel
from anypair.io.kernels.codes import NO_WEIGHTS, REAL, SIGNED
from anypair.io.kernels.numbers import GREATEST_POWER, LEAST_POWER, UPPER_POWERS, to_float
from anypair.io.kernels.words import as_bits, multiply_high

NEWLINE, MINUS, POINT, ZERO, LETTER_E = 10, 45, 46, 48, 101
FRACTION = np.uint64((1 << 52) - 1)
HIDDEN = np.uint64(1 << 52)
TEN = np.uint64(10)
TENS = np.array([10**k for k in range(20)], np.uint64)


@njit(nogil=True)
def _put_digits(out: Any, p: Any, value: Any) -> Any:
    """A uint64 in decimal; returns the place after it."""
    digits = 1
    while digits < 20 and value >= TENS[digits]:
        digits += 1
    for k in range(digits - 1, -1, -1):
        rest = value // TEN
        out[p + k] = ZERO + np.int64(value - rest * TEN)
        value = rest
    return p + digits


@njit(nogil=True)
def _scaled(number: Any, power: Any) -> Any:
    """About number * 10**power rounded, for a normal number and a result of 15 to 18 digits."""
    bits = as_bits(number)
    exponent = np.int64(bits >> np.uint64(52)) - 1075
    mantissa = ((bits & FRACTION) | HIDDEN) << np.uint64(11)
    product = multiply_high(mantissa, UPPER_POWERS[power - LEAST_POWER])
    # 152170 / 2**16 is a little more than log2(5).
    shift = np.uint64(10 - ((152170 * power) >> 16) - exponent - power)
    return ((product >> (shift - np.uint64(1))) + np.uint64(1)) >> np.uint64(1)


@njit(nogil=True)
def shortest_digits(number: Any) -> Any:
    """(digits, exponent, found): the fewest digits that give a positive normal number back."""
    binary = np.int64(as_bits(number) >> np.uint64(52)) - 1023
    if binary == -1023:
        return np.uint64(0), 0, False
    decimal = (binary * 78913) >> 18  # log10(2); at most one too small
    for precision in range(15, 18):
        power = precision - 1 - decimal
        if power > GREATEST_POWER or power < LEAST_POWER:
            return np.uint64(0), 0, False
        digits = _scaled(number, power)
        if digits >= TENS[precision]:
            power -= 1
            if power < LEAST_POWER:
                return np.uint64(0), 0, False
            digits = _scaled(number, power)
        back, known = to_float(digits, -power)
        if known and back == number:
            exponent = -power
            while digits % TEN == 0:
                digits //= TEN
                exponent += 1
            return digits, exponent, True
    return np.uint64(0), 0, False


@njit(nogil=True)
def _put_float(out: Any, p: Any, number: Any) -> Any:
    """A finite float as Python writes it; returns the place after it, or -1 if Python has to."""
    if number < 0 or (number == 0 and as_bits(number) != 0):
        out[p] = MINUS
        p += 1
        number = -number
    if number == 0:
        out[p], out[p + 1], out[p + 2] = ZERO, POINT, ZERO
        return p + 3
    if not number < np.inf:
        return -1
    digits, exponent, found = shortest_digits(number)
    if not found:
        return -1
    length = 1
    while length < 20 and digits >= TENS[length]:
        length += 1
    point = length + exponent  # digits before the decimal point
    if -4 < point <= 16:
        if point <= 0:
            out[p], out[p + 1] = ZERO, POINT
            p += 2
            for _ in range(-point):
                out[p] = ZERO
                p += 1
            return _put_digits(out, p, digits)
        end = _put_digits(out, p, digits)
        if point >= length:
            for _ in range(point - length):
                out[end] = ZERO
                end += 1
            out[end], out[end + 1] = POINT, ZERO
            return end + 2
        for k in range(end, p + point, -1):
            out[k] = out[k - 1]
        out[p + point] = POINT
        return end + 1
    end = _put_digits(out, p, digits)
    if length > 1:
        for k in range(end, p + 1, -1):
            out[k] = out[k - 1]
        out[p + 1] = POINT
        end += 1
    out[end] = LETTER_E
    end += 1
    point -= 1
    out[end] = MINUS if point < 0 else 43
    end += 1
    point = abs(point)
    if point < 10:
        out[end] = ZERO
        end += 1
    return _put_digits(out, end, np.uint64(point))


@njit(nogil=True)
def _put_vertex(out: Any, p: Any, vertex: Any, base: Any, letters: Any, starts: Any) -> Any:
    if len(starts):
        for k in range(starts[vertex], starts[vertex + 1]):
            out[p] = letters[k]
            p += 1
        return p
    number = vertex + base
    if number < 0:
        out[p] = MINUS
        return _put_digits(out, p + 1, np.uint64(-number))
    return _put_digits(out, p, np.uint64(number))


@kernel
def format_lines(
    begin: Any,
    end: Any,
    sources: Any,
    targets: Any,
    whole: Any,
    real: Any,
    mode: Any,
    base: Any,
    delimiter: Any,
    letters: Any,
    starts: Any,
    out: Any,
) -> Any:
    """Lines for entries begin to end; stops at a weight that Python has to write.

    Returns (entries written, bytes written, without the line that is left to Python).
    """
    p = 0
    for k in range(begin, end):
        line = p
        p = _put_vertex(out, p, sources[k], base, letters, starts)
        out[p] = delimiter
        p = _put_vertex(out, p + 1, targets[k], base, letters, starts)
        if mode != NO_WEIGHTS:
            out[p] = delimiter
            p += 1
            if mode == REAL:
                p = _put_float(out, p, real[k])
                if p < 0:
                    return k - begin, line
            elif mode == SIGNED and whole[k] < 0:
                out[p] = MINUS
                p = _put_digits(out, p + 1, np.uint64(-whole[k]))
            else:
                p = _put_digits(out, p, np.uint64(whole[k]))
        out[p] = NEWLINE
        p += 1
    return end - begin, p
