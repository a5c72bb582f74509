"""Messages on a device: as in `messages.py`, but what is known before reading stays on the host.

The bytes of a message are places, filled up to whole words, then values. Lists are those of
`messages.py` with 32 lanes, a bitmap has words of 32 bits. Nothing here brings an array to the host.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anypair.backends.cuda.arrays import WORD, Arrays, DeviceArray
from anypair.backends.cuda.codec import BYTE, decode_places, encode_places, group_starts
from anypair.backends.wire.group import Group
from anypair.backends.wire.memories import Memory, slices
from anypair.backends.wire.messages import BITMAP, FAILED, LIST, Content, Form, head_of, in_head, padded
from anypair.dtypes import INT64, Array, DType


@dataclass(frozen=True)
class DeviceMessage:
    """The head, as in `messages.py`, and the bytes on the device."""

    head: int
    body: DeviceArray


class DeviceMemory:
    """Bytes in the device's pool. The stream has to be done with them before MPI gets any."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays

    def empty(self, length: int) -> DeviceArray:
        return self.arrays.empty(length, BYTE)

    def joined(self, parts: Sequence[DeviceArray]) -> DeviceArray:
        return self.arrays.concatenate(list(parts))

    def split(self, whole: DeviceArray, lengths: Sequence[int]) -> list[DeviceArray]:
        return slices(whole, lengths)

    def ready(self) -> None:
        self.arrays.device.synchronize()


# Making


def list_message(
    arrays: Arrays,
    places: DeviceArray,
    size: int,
    values: DeviceArray | None,
    form: Form,
    *,
    fresh: bool = False,
) -> DeviceMessage:
    """A message of sorted places below `size`, with a value for each or none."""
    count = places.shape[0]
    if form.is_bitmap(count, size):
        return bitmap_message(arrays, arrays.bitmap(size, places), count, values, fresh=fresh)
    return _message(arrays, LIST, count, fresh, encode_places(arrays, places)[0], values)


def bitmap_message(
    arrays: Arrays, words: DeviceArray, count: int, values: DeviceArray | None, *, fresh: bool = False
) -> DeviceMessage:
    """A message of the `count` places whose bits are set."""
    return _message(arrays, BITMAP, count, fresh, arrays.device.as_bytes(words), values)


def failure_message(arrays: Arrays) -> DeviceMessage:
    """What a rank sends when it has nothing to send because it failed."""
    return DeviceMessage(head_of(FAILED, 0, 0, False), arrays.empty(0, BYTE))


def _message(
    arrays: Arrays,
    kind: int,
    count: int,
    fresh: bool,
    data: DeviceArray,
    values: DeviceArray | None,
) -> DeviceMessage:
    length = data.shape[0]
    middle = padded(length)
    head = head_of(kind, count, middle - length, fresh)
    if values is None and middle == length:
        return DeviceMessage(head, data)
    raw = arrays.empty(0, BYTE) if values is None else arrays.device.as_bytes(values)
    body = arrays.empty(middle + padded(raw.shape[0]), BYTE)
    body[:length] = data
    body[middle : middle + raw.shape[0]] = raw
    return DeviceMessage(head, body)


# Reading


def read(arrays: Arrays, message: DeviceMessage, dtype: DType | None) -> Content:
    """A message taken apart; its values, if it has any, are of `dtype`."""
    kind, count, padding, fresh = in_head(message.head)
    nbytes = 0 if dtype is None else count * dtype.itemsize
    middle = message.body.shape[0] - padded(nbytes)
    values = arrays.device.from_bytes(message.body[middle : middle + nbytes], dtype or BYTE)
    return Content(kind, count, fresh, message.body[: middle - padding], values)


def places_of(arrays: Arrays, part: Content, dtype: DType) -> DeviceArray:
    """The places of a part."""
    if part.kind == BITMAP:
        return arrays.listed(arrays.device.from_bytes(part.data, WORD), dtype)
    return decode_places(arrays, part.data, group_starts(arrays, part.data), part.count, dtype)


def into_words(arrays: Arrays, part: Content, words: DeviceArray) -> None:
    """Set the bits of a part's places in words of its own."""
    if part.kind == BITMAP:
        words |= arrays.device.from_bytes(part.data, WORD)
    else:
        arrays.run(arrays.structure.mark, part.count, places_of(arrays, part, INT64), words)


# Exchanging: heads and lengths by way of the host, then the bytes, of which MPI alone takes notice


def allgather(group: Group, memory: Memory, message: DeviceMessage) -> list[DeviceMessage]:
    """The message of every member."""
    if group.size == 1:
        return [message]
    length = message.body.shape[0]
    came = [_numbers(each) for each in group.allgather(_as_bytes(length, message.head))]
    bodies = group.allgather_in(memory, message.body, [n for n, _ in came])
    return [DeviceMessage(head, body) for (_, head), body in zip(came, bodies, strict=True)]


def alltoall(group: Group, memory: Memory, messages: Sequence[DeviceMessage]) -> list[DeviceMessage]:
    """messages[p] goes to member p; what comes back is from each."""
    if group.size == 1:
        return [messages[0]]
    lengths = [message.body.shape[0] for message in messages]
    longest = max(lengths)
    heads = [_as_bytes(n, m.head, longest) for n, m in zip(lengths, messages, strict=True)]
    came = [_numbers(each) for each in group.alltoall(heads)]
    longest = max(of_all for _, _, of_all in came)
    bodies = group.alltoall_in(memory, [m.body for m in messages], [n for n, _, _ in came], longest)
    return [DeviceMessage(head, body) for (_, head, _), body in zip(came, bodies, strict=True)]


def shift(
    group: Group, memory: Memory, message: DeviceMessage | None, to: int | None, source: int | None
) -> DeviceMessage | None:
    """Send to one member and receive from another, each if there is one."""
    given = None if message is None else _as_bytes(message.body.shape[0], message.head)
    came = group.shift(given, to, source)
    length, head = (0, 0) if came is None else _numbers(came)
    body = group.shift_in(memory, None if message is None else message.body, to, source, length)
    return None if source is None else DeviceMessage(head, body)


def _as_bytes(*numbers: int) -> Array:
    return np.array(numbers, np.int64).view(np.uint8)


def _numbers(message: Array) -> list[int]:
    numbers: list[int] = message.view(np.int64).tolist()
    return numbers
