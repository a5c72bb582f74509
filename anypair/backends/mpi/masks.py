"""Shared visited bitmap (Ueno and Suzumura): the mask is applied by the rank that would send.

Each rank keeps the mask of all the places that its matrix block can reach. What is new in a block
since the last product is sent along the line, not the whole mask.
"""

from itertools import pairwise

import numpy as np

from anypair.backends.base import StructuralMask
from anypair.backends.mpi.rank_layout import Line
from anypair.backends.mpi.storage import MpiVector
from anypair.backends.wire.array_layer import AnyArray, ArrayLayer
from anypair.backends.wire.messages import Form
from anypair.dtypes import Array

TRUE = np.ones(1, np.bool_)


class SharedMask:
    """The structure of a vector over all places of a line, as of the last time it was shared."""

    def __init__(self, arrays: ArrayLayer, line: Line) -> None:
        self.arrays = arrays
        self.line = line
        starts = line.side.starts
        self.size = starts[-1]
        self.is_aligned = not any(start % arrays.word for start in starts[:-1])
        self.words = arrays.no_words(self.size)
        self.pieces = [
            self.words[start // arrays.word : -(-end // arrays.word)]
            if self.is_aligned
            else arrays.no_words(end - start)
            for start, end in pairwise(starts)
        ]

    def exchange(self, now: AnyArray, form: Form) -> None:
        """Tell the line what is new in this rank's block, and learn what is new in others'."""
        arrays, group = self.arrays, self.line.group
        before = self.pieces[group.rank]
        new = now & ~before
        shrunk = arrays.has_bits(before & ~now)
        if shrunk:
            new = now
        count = arrays.count_bits(new)
        size = self.line.own_count
        if form.is_bitmap(count, size):
            message = arrays.bitmap_message(new, count, None, fresh=shrunk)
        else:
            message = arrays.list_message(arrays.listed(new, size), size, None, form, fresh=shrunk)
        for piece, received in zip(self.pieces, arrays.allgather(group, message), strict=True):
            part = arrays.read(received, None)
            if part.fresh:
                piece[:] = 0
            arrays.into_words(part, piece, form)
        if not self.is_aligned:
            self.words = arrays.side_by_side(self.pieces, self.line.side.starts)


def mask_of_line(
    arrays: ArrayLayer, mask: StructuralMask, line: Line, kept: Array | None, form: Form
) -> StructuralMask:
    """The mask for all places of a block along a line; `kept` are those it has kept, if not all."""
    vector: MpiVector = mask.storage
    if line.group.size == 1:
        storage, size = vector.local, line.side.size
        words = arrays.words(storage, size) if kept is not None else None
    else:
        if line.name not in vector.shared:
            vector.shared[line.name] = SharedMask(arrays, line)
        shared = vector.shared[line.name]
        with line.group.traffic.phase("mask"):
            shared.exchange(arrays.words(vector.local, line.own_count), form)
        words, size = shared.words, shared.size
        storage = None if kept is not None else arrays.vector_of_words(words, size, None, TRUE)
    if kept is not None:
        storage = arrays.vector(arrays.inside(words, kept), len(kept), None, TRUE)
    return StructuralMask(storage, mask.complemented)
