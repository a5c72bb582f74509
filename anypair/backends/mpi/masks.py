"""A mask where it saves most: at the rank that would send, before anything is sent.

Each rank keeps the mask of all the places that its matrix block can reach. What is new in a block
since the last product is shared along the line, not the whole mask (Ueno and Suzumura's shared
visited bitmap).
"""

from itertools import pairwise

import numpy as np

from anypair.backends.base import Backend, StructuralMask
from anypair.backends.mpi.layout import Line
from anypair.backends.mpi.messages import Form, bitmap_message, into_words, list_message, read
from anypair.backends.mpi.storage import MpiVector
from anypair.dtypes import BOOL, Array

TRUE = np.ones(1, np.bool_)


class SharedMask:
    """The structure of a vector over all places of a line, as of the last time it was shared."""

    def __init__(self, line: Line) -> None:
        self.line = line
        starts = line.side.starts
        self.size = starts[-1]
        self.is_aligned = not any(start % 64 for start in starts[:-1])
        self.words = np.zeros(-(-self.size // 64), np.uint64)
        self.pieces = [
            self.words[start >> 6 : -(-end // 64)]
            if self.is_aligned
            else np.zeros(-(-(end - start) // 64), np.uint64)
            for start, end in pairwise(starts)
        ]

    def share(self, now: Array, form: Form) -> None:
        """Tell the line what is new in this rank's block, and learn what is new in others'."""
        group = self.line.group
        before = self.pieces[group.rank]
        new = now & ~before
        shrunk = bool((before & ~now).any())
        if shrunk:
            new = now.copy()
        count = int(np.bitwise_count(new).sum())
        size = self.line.own_count
        if form.is_bitmap(count, size):
            message = bitmap_message(new, count, None, fresh=shrunk)
        else:
            bits = np.unpackbits(new.view(np.uint8), bitorder="little")
            message = list_message(np.flatnonzero(bits), size, None, form, fresh=shrunk)
        for piece, received in zip(self.pieces, group.allgather(message), strict=True):
            part = read(received, None)
            if part.fresh:
                piece[:] = 0
            into_words(part, piece, form)
        if not self.is_aligned:
            self.words = self._packed()

    def _packed(self) -> Array:
        """The pieces, of any length, side by side."""
        lengths = np.diff(self.line.side.starts)
        bits = [
            np.unpackbits(piece.view(np.uint8), count=int(n), bitorder="little")
            for piece, n in zip(self.pieces, lengths, strict=True)
        ]
        words = np.zeros(-(-self.size // 64), np.uint64)
        packed = np.packbits(np.concatenate(bits), bitorder="little")
        words.view(np.uint8)[: len(packed)] = packed
        return words


def mask_of_line(
    local: Backend, mask: StructuralMask, line: Line, kept: Array | None, form: Form
) -> StructuralMask:
    """The mask for all places of a block along a line; `kept` are those it has kept, if not all."""
    vector: MpiVector = mask.storage
    if line.group.size == 1:
        storage, size = vector.structure, line.side.size
        words = local.words(storage, size) if kept is not None else None
    else:
        if line.name not in vector.shared:
            vector.shared[line.name] = SharedMask(line)
        shared = vector.shared[line.name]
        with line.group.traffic.phase("mask"):
            shared.share(local.words(vector.structure, line.own_count), form)
        words, size = shared.words, shared.size
        storage = None if kept is not None else local.build_from_words(words, TRUE, size)
    if kept is not None:
        assert words is not None
        inside = (words[kept >> 6] >> (kept & 63).astype(np.uint64)) & np.uint64(1)
        places = np.flatnonzero(inside)
        values = np.broadcast_to(np.True_, len(places)).astype(BOOL)
        storage = local.build((places,), values, (len(kept),), None)
    return StructuralMask(storage, mask.complemented)
