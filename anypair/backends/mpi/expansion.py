"""Expand: every rank of a line learns the vector entries that its matrix block can meet."""

from collections.abc import Sequence
from dataclasses import dataclass

from anypair.backends.base import Storage
from anypair.backends.mpi.folding import Failed
from anypair.backends.mpi.rank_layout import Line
from anypair.backends.mpi.storage import MpiVector
from anypair.backends.wire.array_layer import AnyArray, ArrayLayer, Message
from anypair.backends.wire.messages import LIST, Content, Form
from anypair.dtypes import Array, DType


@dataclass(frozen=True)
class Expanded:
    """Entries along a line: a bitmap or a list of places, and values if they were asked for."""

    arrays: ArrayLayer
    size: int
    words: AnyArray | None
    places: AnyArray | None
    values: AnyArray | None

    def listed(self) -> AnyArray:
        """The places as a list."""
        return self.places if self.words is None else self.arrays.listed(self.words, self.size)


def outgoing(arrays: ArrayLayer, u: MpiVector, count: int, form: Form, *, with_values: bool) -> Message:
    """What this rank sends of its block, which has `count` places."""
    nvals = arrays.local.nvals(u.local)
    if form.is_bitmap(nvals, count):
        values = arrays.peek(u.local, values=True)[1] if with_values else None
        return arrays.bitmap_message(arrays.words(u.local, count), nvals, values)
    places, values = arrays.peek(u.local, values=with_values)
    return arrays.list_message(places, count, values, form)


def expand(arrays: ArrayLayer, line: Line, message: Message) -> list[Message]:
    """Exchange the blocks of a vector along a line."""
    with line.group.traffic.phase("expand"):
        return arrays.allgather(line.group, message)


def put_together(
    arrays: ArrayLayer, line: Line, received: Sequence[Message], dtype: DType | None, form: Form
) -> Expanded:
    """What the members of a line have sent, with values of `dtype` or none; `Failed` if one has."""
    parts = [arrays.read(each, dtype) for each in received]
    if any(part.failed for part in parts):
        raise Failed
    starts, size = line.side.starts, line.side.size
    values = None if dtype is None else arrays.values_of(parts)
    words = joined(arrays, parts, starts, form)
    places = arrays.as_list(parts, starts, size, form) if words is None else None
    return Expanded(arrays, size, words, places, values)


def joined(
    arrays: ArrayLayer, parts: Sequence[Content], starts: Sequence[int], form: Form
) -> AnyArray | None:
    """The bitmap of all parts side by side, if that is worth while: one is a bitmap, all are aligned."""
    if all(part.kind == LIST for part in parts) or any(start % arrays.word for start in starts[:-1]):
        return None
    words = arrays.no_words(starts[-1])
    for part, start, end in zip(parts, starts, starts[1:], strict=False):
        arrays.into_words(part, words[start // arrays.word : -(-end // arrays.word)], form)
    return words


def operand(expanded: Expanded, filler: Array, kept: Array | None) -> Storage:
    """The expanded entries as a vector of the local backend; `filler` is a value where none were sent.

    Of a block that keeps some rows (columns) only, those are the places.
    """
    arrays, size, values = expanded.arrays, expanded.size, expanded.values
    if kept is not None:
        places, values = arrays.among(kept, expanded.listed(), values)
        return arrays.vector(places, len(kept), values, filler)
    if expanded.words is not None:
        return arrays.vector_of_words(expanded.words, size, values, filler)
    return arrays.vector(expanded.places, size, values, filler)
