"""A part of a vector as a message: where its entries are, as a list or as a bitmap, and their values.

A part with entries at more than one place in sixteen travels as a bitmap, others as a list in
variable-length bytes (Ueno and Suzumura's rule). Each message says which it is, so that ranks need
not agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anypair.backends.wire.codec import decode_places, encode_places, mark, positions
from anypair.dtypes import Array, DType

DENSE = 16  # a bitmap, where there is more than one entry for so many places
MODES = ("auto", "bitmap", "list")
LIST, BITMAP, FAILED = 0, 1, 2
HEADER = 8  # bytes: the count, the padding of the places, whether they are fresh, and the kind


@dataclass(frozen=True)
class Form:
    """How places are written: `auto` chooses by density; `lanes` is the layout of lists."""

    mode: str = "auto"
    lanes: int = 1

    def is_bitmap(self, count: int, size: int) -> bool:
        """Whether so many places of so many are sent as a bitmap."""
        return count * DENSE > size if self.mode == "auto" else self.mode == "bitmap"


@dataclass(frozen=True)
class Content:
    """What a message says: `count` places, in the form of its kind, and their values or none."""

    kind: int
    count: int
    fresh: bool
    data: Array
    values: Array

    @property
    def failed(self) -> bool:
        return self.kind == FAILED


def list_message(
    places: Array, size: int, values: Array | None, form: Form, *, fresh: bool = False
) -> Array:
    """A message of places that rise, below `size`, with a value for each or none."""
    if form.is_bitmap(len(places), size):
        words = np.zeros(-(-size // 64), np.uint64)
        mark(places, words, 0)
        return bitmap_message(words, len(places), values, fresh=fresh)
    return _message(LIST, len(places), fresh, encode_places(places, form.lanes), values)


def bitmap_message(words: Array, count: int, values: Array | None, *, fresh: bool = False) -> Array:
    """A message of the `count` places whose bits are set."""
    return _message(BITMAP, count, fresh, words.view(np.uint8), values)


def failure_message() -> Array:
    """What a rank sends when it has nothing to send because it failed."""
    return _message(FAILED, 0, False, np.empty(0, np.uint8), None)


def _message(kind: int, count: int, fresh: bool, data: Array, values: Array | None) -> Array:
    raw = np.empty(0, np.uint8) if values is None else np.ascontiguousarray(values).view(np.uint8)
    middle = HEADER + padded(len(data))
    message = np.empty(middle + padded(len(raw)), np.uint8)
    padding = middle - HEADER - len(data)
    message[:HEADER].view(np.int64)[0] = head_of(kind, count, padding, fresh)
    message[HEADER : HEADER + len(data)] = data
    message[middle : middle + len(raw)] = raw
    return message


def head_of(kind: int, count: int, padding: int, fresh: bool) -> int:
    """What is known of a message before it is read, as one number."""
    return (count << 6) + (padding << 3) + (fresh << 2) + kind


def in_head(head: int) -> tuple[int, int, int, bool]:
    """The reverse: kind, count, padding, and whether the places are fresh.

    >>> in_head(head_of(BITMAP, 1000, 4, False))
    (1, 1000, 4, False)
    """
    return head & 3, head >> 6, head >> 3 & 7, bool(head >> 2 & 1)


def padded(length: int) -> int:
    """Whole words, so that what follows is aligned wherever messages are put side by side."""
    return -(-length // 8) * 8


def read(message: Array, dtype: DType | None) -> Content:
    """A message taken apart; its values, if it has any, are of `dtype`."""
    kind, count, padding, fresh = in_head(int(message[:HEADER].view(np.int64)[0]))
    nbytes = 0 if dtype is None else count * dtype.itemsize
    middle = len(message) - padded(nbytes)
    values = message[middle : middle + nbytes]
    data = message[HEADER : middle - padding]
    return Content(kind, count, fresh, data, values if dtype is None else values.view(dtype))


def places_of(part: Content, out: Array, offset: int, form: Form) -> None:
    """Fill `out` with the places of a part, each moved by `offset`."""
    if part.kind == BITMAP:
        positions(part.data.view(np.uint64), out, offset)
    else:
        decode_places(part.data, out, offset, form.lanes)


def as_list(parts: Sequence[Content], starts: Sequence[int], form: Form, dtype: DType) -> Array:
    """The places of all parts, one after the other, part p moved to starts[p]."""
    out = np.empty(sum(part.count for part in parts), dtype)
    at = 0
    for part, start in zip(parts, starts, strict=False):
        places_of(part, out[at : at + part.count], start, form)
        at += part.count
    return out


def into_words(part: Content, words: Array, form: Form) -> None:
    """Set the bits of a part's places in words of its own."""
    if part.kind == BITMAP:
        words |= part.data.view(np.uint64)
    else:
        places = np.empty(part.count, np.int64)
        places_of(part, places, 0, form)
        mark(places, words, 0)


def rehearse(lanes: int) -> None:
    """Have everything compiled that messages may need."""
    for mode in ("bitmap", "list"):
        form = Form(mode, lanes)
        for dtype in (np.uint32, np.int64):
            places = np.arange(3, dtype=dtype)
            part = read(list_message(places, 64, None, form), None)
            places_of(part, places, 0, form)
            into_words(part, np.zeros(1, np.uint64), form)
