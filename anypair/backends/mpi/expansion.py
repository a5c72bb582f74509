"""Expand: every rank of a line learns the vector entries that its matrix block can meet."""

from collections.abc import Sequence
from dataclasses import dataclass

from anypair.backends.base import Storage
from anypair.backends.mpi.folding import Failed
from anypair.backends.mpi.layout import Line
from anypair.backends.mpi.messages import LIST, Form, Part
from anypair.backends.mpi.stage import Message, Stage, Staged
from anypair.backends.mpi.storage import MpiVector
from anypair.dtypes import Array, DType


@dataclass(frozen=True)
class Expanded:
    """Entries along a line: a bitmap or a list of places, and values if they were asked for."""

    stage: Stage
    size: int
    words: Staged | None
    places: Staged | None
    values: Staged | None

    def listed(self) -> Staged:
        """The places as a list."""
        return self.places if self.words is None else self.stage.listed(self.words, self.size)


def outgoing(stage: Stage, u: MpiVector, count: int, form: Form, *, with_values: bool) -> Message:
    """What this rank sends of its block, which has `count` places."""
    nvals = stage.local.nvals(u.structure)
    if form.is_bitmap(nvals, count):
        values = stage.peek(u.structure, values=True)[1] if with_values else None
        return stage.bitmap_message(stage.words(u.structure, count), nvals, values)
    places, values = stage.peek(u.structure, values=with_values)
    return stage.list_message(places, count, values, form)


def expand(stage: Stage, line: Line, message: Message) -> list[Message]:
    """Exchange the blocks of a vector along a line."""
    with line.group.traffic.phase("expand"):
        return stage.allgather(line.group, message)


def put_together(
    stage: Stage, line: Line, received: Sequence[Message], dtype: DType | None, form: Form
) -> Expanded:
    """What the members of a line have sent, with values of `dtype` or none; `Failed` if one has."""
    parts = [stage.read(each, dtype) for each in received]
    if any(part.failed for part in parts):
        raise Failed
    starts, size = line.side.starts, line.side.size
    values = None if dtype is None else stage.values_of(parts)
    words = joined(stage, parts, starts, form)
    places = stage.as_list(parts, starts, size, form) if words is None else None
    return Expanded(stage, size, words, places, values)


def joined(stage: Stage, parts: Sequence[Part], starts: Sequence[int], form: Form) -> Staged | None:
    """The bitmap of all parts side by side, if that is worth while: one is a bitmap, all are aligned."""
    if all(part.kind == LIST for part in parts) or any(start % stage.word for start in starts[:-1]):
        return None
    words = stage.no_words(starts[-1])
    for part, start, end in zip(parts, starts, starts[1:], strict=False):
        stage.into_words(part, words[start // stage.word : -(-end // stage.word)], form)
    return words


def operand(expanded: Expanded, filler: Array, kept: Array | None) -> Storage:
    """The expanded entries as a vector of the local backend; `filler` is a value where none were sent.

    Of a block that keeps some rows (columns) only, those are the places.
    """
    stage, size, values = expanded.stage, expanded.size, expanded.values
    if kept is not None:
        places, values = stage.among(kept, expanded.listed(), values)
        return stage.vector(places, len(kept), values, filler)
    if expanded.words is not None:
        return stage.vector_of_words(expanded.words, size, values, filler)
    return stage.vector(expanded.places, size, values, filler)
