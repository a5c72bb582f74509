"""Expand: every rank of a line learns the vector entries that its matrix block can meet."""

from dataclasses import dataclass

import numpy as np

from anypair.backends.base import Backend, Storage
from anypair.backends.mpi.layout import Line
from anypair.backends.mpi.messages import Form, as_list, bitmap_message, joined, list_message, read
from anypair.backends.mpi.packing import index_dtype
from anypair.backends.mpi.storage import MpiVector
from anypair.dtypes import Array


@dataclass(frozen=True)
class Expanded:
    """Entries along a line: a bitmap or a list of places, and values if they were asked for."""

    size: int
    words: Array | None
    places: Array | None
    values: Array | None

    def listed(self) -> Array:
        """The places as a list."""
        if self.places is not None:
            return self.places
        assert self.words is not None
        bits = np.unpackbits(self.words.view(np.uint8), count=self.size, bitorder="little")
        return np.flatnonzero(bits)


def outgoing(local: Backend, u: MpiVector, count: int, form: Form, *, with_values: bool) -> Array:
    """What this rank sends of its block, which has `count` places."""
    nvals = local.nvals(u.structure)
    values = local.peek(u.structure)[-1] if with_values else None
    if form.is_bitmap(nvals, count):
        return bitmap_message(local.words(u.structure, count), nvals, values)
    return list_message(local.peek(u.structure)[0], count, values, form)


def expand(line: Line, u: MpiVector, message: Array, form: Form, *, with_values: bool) -> Expanded:
    """Exchange the blocks of u along a line."""
    with line.group.traffic.phase("expand"):
        received = line.group.allgather(message)
    parts = [read(each, u.dtype if with_values else None) for each in received]
    starts, size = line.side.starts, line.side.size
    values = np.concatenate([part.values for part in parts]) if with_values else None
    words = joined(parts, starts, form)
    places = as_list(parts, starts, form, index_dtype(size)) if words is None else None
    return Expanded(size, words, places, values)


def operand(local: Backend, expanded: Expanded, filler: Array, kept: Array | None) -> Storage:
    """The expanded entries as a vector of the local backend; `filler` is a value where none were sent.

    Of a block that keeps some rows (columns) only, those are the places.
    """
    size, values = expanded.size, expanded.values
    if kept is not None:
        size, places = len(kept), expanded.listed()
        at = np.searchsorted(kept, places)
        found = at < size
        found[found] = kept[at[found]] == places[found]
        places = at[found]
        values = None if values is None else values[found]
    elif expanded.words is not None:
        return local.build_from_words(expanded.words, filler if values is None else values, size)
    else:
        assert expanded.places is not None
        places = expanded.places
    if values is None:
        values = np.broadcast_to(filler[0], len(places))
    return local.build((places,), values, (size,), None)
