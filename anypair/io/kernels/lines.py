"""Lines of an edge list or of Matrix Market coordinates, parsed into arrays.

Given is a byte array of whole lines, each with its newline, and eight readable bytes after the last.
"""

from typing import Any

import numpy as np
from numba import njit

from anypair.compiling.bits import count_ones
from anypair.compiling.caching import kernel
from anypair.io.kernels.codes import IDS, NAME_BITS, NAMES, NUMBERS, REAL, UNSIGNED
from anypair.io.kernels.numbers import TOP_BITS, read_decimal, read_digits, read_word, to_float
from anypair.io.kernels.problems import (
    BELOW_BASE,
    EMPTY_NAME,
    INDEX_OVERFLOW,
    LEADING_ZERO,
    LONE_RETURN,
    NEGATIVE_INDEX,
    NONE,
    NOT_A_WEIGHT,
    NOT_AN_INDEX,
    NUL_BYTE,
    OPEN_QUOTE,
    SOURCE_BEYOND,
    TARGET_BEYOND,
    TOO_FEW_FIELDS,
    TOO_MANY_FIELDS,
    TOO_MANY_LINES,
    WEIGHT_NOT_WHOLE,
    WEIGHT_OVERFLOW,
)
from anypair.io.kernels.words import load_word

TAB, NEWLINE, RETURN, SPACE, QUOTE, PLUS, MINUS, ZERO = 9, 10, 13, 32, 34, 43, 45, 48
NEWLINES = np.uint64(0x0A0A0A0A0A0A0A0A)
LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
GREATEST = np.uint64(2**63 - 1)
SAFE_DIGITS = 18


@kernel
def count_lines(begin: Any, end: Any, data: Any) -> Any:
    """How many lines end in this range."""
    count = 0
    p = begin
    while p + 8 <= end:
        others = load_word(data, p) ^ NEWLINES
        p += 8
        # The top bit of a byte stays 0 only if the byte is 0, that is if it was a newline.
        marked = ((others & LOW_BITS) + LOW_BITS) | others
        count += np.int64(count_ones(~marked & TOP_BITS))
    while p < end:
        count += data[p] == NEWLINE
        p += 1
    return count


@njit(nogil=True)
def _ends_field(byte: Any, delimiter: Any) -> Any:
    if byte == NEWLINE or byte == RETURN:
        return True
    return byte == delimiter if delimiter else byte == SPACE or byte == TAB


@njit(nogil=True)
def _skip_blanks(data: Any, p: Any, delimiter: Any) -> Any:
    while data[p] == SPACE or (data[p] == TAB and delimiter != TAB):
        p += 1
    return p


@njit(nogil=True)
def _has_overflown(data: Any, begin: Any, end: Any) -> Any:
    """Whether these many digits are more than an int64 can hold."""
    while begin < end and data[begin] == 48:
        begin += 1
    if end - begin != SAFE_DIGITS + 1:
        return end - begin > SAFE_DIGITS
    return read_digits(data, begin, np.uint64(0))[0] > GREATEST


@njit(nogil=True)
def _name_end(data: Any, p: Any, delimiter: Any) -> Any:
    """Where a name that begins at p ends, or -1 if its quote is still open at the end of the line."""
    if delimiter and data[p] == QUOTE:
        p += 1
        while True:
            while data[p] != QUOTE:
                if data[p] == NEWLINE:
                    return -1
                p += 1
            p += 1
            if data[p] != QUOTE:
                return p
            p += 1
    begin = p
    while not _ends_field(data[p], delimiter):
        p += 1
    while p > begin and (data[p - 1] == SPACE or data[p - 1] == TAB):
        p -= 1
    return p


@njit(nogil=True)
def _read_weight(data: Any, p: Any, mode: Any) -> Any:
    """(bits of the weight as an int64, end, problem); NOT_A_WEIGHT may still be one for Python."""
    begin = p
    negative = data[p] == MINUS
    if negative or data[p] == PLUS:
        p += 1
    first = p
    mantissa, exponent, whole, understood, p = read_decimal(data, p)
    if mode == REAL:
        number, known = to_float(mantissa, exponent)
        if understood and known:
            return (-number if negative else number), np.int64(0), p, NONE
        return 0.0, np.int64(0), begin, NOT_A_WEIGHT
    if not whole:
        return 0.0, np.int64(0), begin, WEIGHT_NOT_WHOLE
    if mode == UNSIGNED:
        wrapped = p - first == SAFE_DIGITS + 2 and mantissa < np.uint64(10**19)
        if p - first > SAFE_DIGITS + 2 or wrapped or (negative and mantissa > 0):
            return 0.0, np.int64(0), begin, WEIGHT_OVERFLOW
        return 0.0, np.int64(mantissa), p, NONE
    if p - first > SAFE_DIGITS and _has_overflown(data, first, p):
        if not negative or mantissa != GREATEST + np.uint64(1) or p - first != SAFE_DIGITS + 1:
            return 0.0, np.int64(0), begin, WEIGHT_OVERFLOW
    return 0.0, (-np.int64(mantissa) if negative else np.int64(mantissa)), p, NONE


@kernel
def parse_lines(
    begin: Any,
    end: Any,
    data: Any,
    layout: Any,
    at: Any,
    capacity: Any,
    sources: Any,
    targets: Any,
    whole_weights: Any,
    real_weights: Any,
    hard_entries: Any,
    hard_places: Any,
) -> Any:
    """Entries of the lines in data[begin:end], stored from `at` on.

    Returns (how many entries, how many weights are left for Python, problem, place of the problem).
    """
    delimiter, fields, source, target, weight, kind, mode = layout[:7]
    base, nrows, ncols, comment, other_comment, canonical = layout[7:]
    is_canonical = canonical != 0
    is_simple = kind == NUMBERS and source == 0 and target == 1
    blank, other_blank = delimiter or SPACE, delimiter or TAB
    count = 0
    hard = 0
    p = begin
    while p < end:
        p = _skip_blanks(data, p, delimiter)
        byte = data[p]
        if byte == NEWLINE:
            p += 1
            continue
        if byte == comment or byte == other_comment:
            while data[p] != NEWLINE:
                p += 1
            p += 1
            continue
        if byte == RETURN:
            p += 1
            if data[p] != NEWLINE:
                return count, hard, LONE_RETURN, p - 1
            continue
        if count == capacity:
            return count, hard, TOO_MANY_LINES, p
        done = 0  # fields
        if is_simple:
            # Nearly all lines of nearly all files: two short numbers, one byte between them.
            value, digits = read_word(data, p)
            middle = p + digits
            byte = data[middle]
            if digits and (byte == blank or byte == other_blank):
                other, digits = read_word(data, middle + 1)
                after = middle + 1 + digits
                byte = data[after]
                i, j = np.int64(value) - base, np.int64(other) - base
                fits = 0 <= i < nrows and 0 <= j < ncols
                # Without branches, for this is never so.
                padded = (data[p] == ZERO) & (middle - p > 1)
                padded |= (data[middle + 1] == ZERO) & (digits > 1)
                fits = fits and not (padded & is_canonical)
                if digits and fits and (byte == NEWLINE or byte == blank or byte == other_blank):
                    sources[at + count] = i
                    targets[at + count] = j
                    p = after
                    done = 2
                    if fields == 2 and byte == NEWLINE:
                        p += 1
                        count += 1
                        continue
        for field in range(done, fields):
            if field:
                p = _skip_blanks(data, p, delimiter)
                if delimiter:
                    if data[p] != delimiter:
                        missing = data[p] == NEWLINE or data[p] == RETURN
                        return count, hard, TOO_FEW_FIELDS if missing else NOT_AN_INDEX, p
                    p = _skip_blanks(data, p + 1, delimiter)
                elif data[p] == NEWLINE or data[p] == RETURN:
                    return count, hard, TOO_FEW_FIELDS, p
            first = p
            if field == source or field == target:
                if kind == NAMES:
                    p = _name_end(data, p, delimiter)
                    if p < 0:
                        return count, hard, OPEN_QUOTE, first
                    if p == first:
                        return count, hard, EMPTY_NAME, first
                    number = (first << NAME_BITS) | (p - first)
                else:
                    quoted = delimiter and data[p] == QUOTE
                    p += quoted
                    negative = kind == IDS and data[p] == MINUS
                    p += negative
                    digits = p
                    value, p = read_digits(data, p, np.uint64(0))
                    if p == digits:
                        problem = NEGATIVE_INDEX if data[p] == MINUS else NOT_AN_INDEX
                        return count, hard, problem, first
                    if is_canonical and data[digits] == ZERO and p - digits > 1:
                        return count, hard, LEADING_ZERO, first
                    if p - digits > SAFE_DIGITS and _has_overflown(data, digits, p):
                        return count, hard, INDEX_OVERFLOW, first
                    number = -np.int64(value) if negative else np.int64(value) - base
                    if quoted:
                        if data[p] != QUOTE:
                            return count, hard, NOT_AN_INDEX, first
                        p += 1
                    if kind == NUMBERS and number < 0:
                        return count, hard, BELOW_BASE, first
                if field == source:
                    if number >= nrows and kind == NUMBERS:
                        return count, hard, SOURCE_BEYOND, first
                    sources[at + count] = number
                else:
                    if number >= ncols and kind == NUMBERS:
                        return count, hard, TARGET_BEYOND, first
                    targets[at + count] = number
            elif field == weight:
                real, bits, p, problem = _read_weight(data, p, mode)
                if problem == NONE and not _ends_field(data[p], delimiter) and data[p] != SPACE:
                    problem = WEIGHT_NOT_WHOLE if mode != REAL else NOT_A_WEIGHT
                if problem == NOT_A_WEIGHT:
                    hard_entries[hard] = at + count
                    hard_places[hard] = first
                    hard += 1
                    p = first
                    while not _ends_field(data[p], delimiter):
                        p += 1
                elif problem != NONE:
                    return count, hard, problem, first
                elif mode == REAL:
                    real_weights[at + count] = real
                else:
                    whole_weights[at + count] = bits
            else:
                p = _name_end(data, p, delimiter)
                if p < 0:
                    return count, hard, OPEN_QUOTE, first
            byte = data[p]
            if not (byte == SPACE or byte == TAB or _ends_field(byte, delimiter)):
                return count, hard, NUL_BYTE if byte == 0 else NOT_AN_INDEX, first
        p = _skip_blanks(data, p, delimiter)
        if data[p] == RETURN:
            p += 1
            if data[p] != NEWLINE:
                return count, hard, LONE_RETURN, p - 1
        if data[p] != NEWLINE:
            return count, hard, TOO_MANY_FIELDS, p
        p += 1
        count += 1
    return count, hard, NONE, p
