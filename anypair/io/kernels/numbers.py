"""Decimal numbers of a byte array, exactly as Python reads them, or word that Python has to.

Digits are read eight at a time: a word of eight bytes becomes a number in three multiplications.
Floats follow Eisel and Lemire (Number Parsing at a Gigabyte per Second, 2021): the decimal mantissa
times the leading 128 bits of a power of five settles all but a few cases in a million.
"""

from typing import Any

import numpy as np
from numba import njit

from anypair.compiling.bits import trailing_zeros
from anypair.io.kernels.words import as_float, leading_zeros, load_word, multiply_high

ZEROS = np.uint64(0x3030303030303030)
TENS = np.uint64(0x7676767676767676)  # added to a byte of ten or more, its highest bit is set
TOP_BITS = np.uint64(0x8080808080808080)
PAIRS = np.uint64(0x000000FF000000FF)
HUNDREDS = np.uint64(0x000F424000000064)
MYRIADS = np.uint64(0x0000271000000001)
SMALL_POWERS = np.array([10**k for k in range(9)], np.uint64)

LEAST_POWER, GREATEST_POWER = -342, 308
MOST_DIGITS = 19  # any number of so many digits fits into 64 bits
EXACT_POWERS = np.array([10.0**k for k in range(23)])
EXACT_MANTISSA = np.uint64(1 << 53)
ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)


def _power_of_five(exponent: int) -> int:
    """The leading 128 bits of 5**exponent; of a fraction one more, so that it is never too small."""
    if exponent >= 0:
        power = 5**exponent
        return power << 128 >> power.bit_length()
    power = 5**-exponent
    quotient = (1 << 2 * power.bit_length() + 128) // power
    shift = quotient.bit_length() - 128
    # Powers down to -27 are exact up to the last bit only if rounded up after the cut.
    return (quotient >> shift) + 1 if exponent >= -27 else (quotient + 1) >> shift


_POWERS = [_power_of_five(exponent) for exponent in range(LEAST_POWER, GREATEST_POWER + 1)]
UPPER_POWERS = np.array([power >> 64 for power in _POWERS], np.uint64)
LOWER_POWERS = np.array([power & (1 << 64) - 1 for power in _POWERS], np.uint64)


@njit(nogil=True)
def read_word(data: Any, p: Any) -> Any:
    """The number that up to eight digits from p on make, and how many they are."""
    lows = load_word(data, p) ^ ZEROS
    others = ((lows + TENS) | lows) & TOP_BITS
    if others == 0:
        digits = 8
    else:
        digits = np.int64(trailing_zeros(others) >> np.uint64(3))
        if digits == 0:
            return np.uint64(0), 0
        lows <<= np.uint64(64 - 8 * digits)
    lows = lows * np.uint64(10) + (lows >> np.uint64(8))
    upper, lower = (lows & PAIRS) * HUNDREDS, ((lows >> np.uint64(16)) & PAIRS) * MYRIADS
    return (upper + lower) >> np.uint64(32), digits


@njit(nogil=True)
def read_digits(data: Any, p: Any, value: Any) -> Any:
    """The digits from p on, appended to value (a uint64, which may wrap around), and their end."""
    while True:
        more, digits = read_word(data, p)
        value = value * SMALL_POWERS[digits] + more
        p += digits
        if digits < 8:
            return value, p


@njit(nogil=True)
def read_decimal(data: Any, p: Any) -> Any:
    """A number without its sign: (mantissa, exponent, whether it has only digits, understood, end)."""
    begin = p
    mantissa, p = read_digits(data, p, np.uint64(0))
    digits = p - begin
    if digits > MOST_DIGITS:
        return mantissa, 0, True, False, p
    before = digits if mantissa else 0  # zeros in front do not count
    exponent = 0
    whole = True
    if data[p] == 46:  # .
        whole = False
        p += 1
        point = p
        if mantissa == 0:
            while data[p] == 48:
                p += 1
        significant = p
        mantissa, p = read_digits(data, p, mantissa)
        exponent = point - p
        if before + p - significant > MOST_DIGITS:
            return mantissa, exponent, False, False, p
        digits += p - point
    if digits == 0:
        return mantissa, 0, False, False, p
    if data[p] == 101 or data[p] == 69:  # e, E
        whole = False
        p += 1
        negative = data[p] == 45
        if negative or data[p] == 43:
            p += 1
        first = p
        power, p = read_digits(data, p, np.uint64(0))
        if p == first or p - first > 6:
            return mantissa, exponent, False, False, p
        exponent += -np.int64(power) if negative else np.int64(power)
    return mantissa, exponent, whole, True, p


@njit(nogil=True)
def to_float(mantissa: Any, exponent: Any) -> Any:
    """The float64 nearest to mantissa * 10**exponent, and whether it is known."""
    if mantissa == 0:
        return 0.0, True
    if mantissa < EXACT_MANTISSA and -22 <= exponent <= 22:
        # Both are exact, so one operation rounds once.
        exact = np.float64(mantissa)
        if exponent < 0:
            return exact / EXACT_POWERS[-exponent], True
        return exact * EXACT_POWERS[exponent], True
    if exponent < LEAST_POWER or exponent > GREATEST_POWER:
        return 0.0, False
    shift = leading_zeros(mantissa)
    scaled = mantissa << shift
    upper_power = UPPER_POWERS[exponent - LEAST_POWER]
    upper, lower = multiply_high(scaled, upper_power), scaled * upper_power
    if upper & np.uint64(0x1FF) == np.uint64(0x1FF):
        correction = multiply_high(scaled, LOWER_POWERS[exponent - LEAST_POWER])
        lower += correction
        if lower < correction:
            upper += np.uint64(1)
    if lower == ALL_ONES and not -27 <= exponent <= 55:
        return 0.0, False
    top = upper >> np.uint64(63)
    cut = top + np.uint64(9)
    bits = upper >> cut
    # 217706 / 2**16 is a little more than log2(10): the binary exponent of this power of ten.
    binary = np.int64((217706 * exponent) >> 16) + 1086 + np.int64(top) - np.int64(shift)
    if binary <= 0:
        return 0.0, False
    halfway = lower <= np.uint64(1) and -4 <= exponent <= 23 and bits & np.uint64(3) == np.uint64(1)
    if halfway and bits << cut == upper:
        bits &= ~np.uint64(1)  # exactly between two: to the even one
    bits = (bits + (bits & np.uint64(1))) >> np.uint64(1)
    if bits >= EXACT_MANTISSA:
        bits = EXACT_MANTISSA >> np.uint64(1)
        binary += 1
    if binary >= 2047:
        return 0.0, False
    return as_float((bits & np.uint64(0xFFFFFFFFFFFFF)) | (np.uint64(binary) << np.uint64(52))), True
