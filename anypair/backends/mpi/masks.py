"""A mask where it saves most: at the rank that would send, before anything is sent.

Each rank keeps the mask of all the places that its matrix block can reach. What is new in a block
since the last product is shared along the line, not the whole mask (Ueno and Suzumura's shared
visited bitmap).
"""

from itertools import pairwise

import numpy as np

from anypair.backends.base import StructuralMask
from anypair.backends.mpi.layout import Line
from anypair.backends.mpi.messages import Form
from anypair.backends.mpi.stage import Stage, Staged
from anypair.backends.mpi.storage import MpiVector
from anypair.dtypes import Array

TRUE = np.ones(1, np.bool_)


class SharedMask:
    """The structure of a vector over all places of a line, as of the last time it was shared."""

    def __init__(self, stage: Stage, line: Line) -> None:
        self.stage = stage
        self.line = line
        starts = line.side.starts
        self.size = starts[-1]
        self.is_aligned = not any(start % stage.word for start in starts[:-1])
        self.words = stage.no_words(self.size)
        self.pieces = [
            self.words[start // stage.word : -(-end // stage.word)]
            if self.is_aligned
            else stage.no_words(end - start)
            for start, end in pairwise(starts)
        ]

    def share(self, now: Staged, form: Form) -> None:
        """Tell the line what is new in this rank's block, and learn what is new in others'."""
        stage, group = self.stage, self.line.group
        before = self.pieces[group.rank]
        new = now & ~before
        shrunk = stage.has_bits(before & ~now)
        if shrunk:
            new = now
        count = stage.count_bits(new)
        size = self.line.own_count
        if form.is_bitmap(count, size):
            message = stage.bitmap_message(new, count, None, fresh=shrunk)
        else:
            message = stage.list_message(stage.listed(new, size), size, None, form, fresh=shrunk)
        for piece, received in zip(self.pieces, stage.allgather(group, message), strict=True):
            part = stage.read(received, None)
            if part.fresh:
                piece[:] = 0
            stage.into_words(part, piece, form)
        if not self.is_aligned:
            self.words = stage.side_by_side(self.pieces, self.line.side.starts)


def mask_of_line(
    stage: Stage, mask: StructuralMask, line: Line, kept: Array | None, form: Form
) -> StructuralMask:
    """The mask for all places of a block along a line; `kept` are those it has kept, if not all."""
    vector: MpiVector = mask.storage
    if line.group.size == 1:
        storage, size = vector.structure, line.side.size
        words = stage.words(storage, size) if kept is not None else None
    else:
        if line.name not in vector.shared:
            vector.shared[line.name] = SharedMask(stage, line)
        shared = vector.shared[line.name]
        with line.group.traffic.phase("mask"):
            shared.share(stage.words(vector.structure, line.own_count), form)
        words, size = shared.words, shared.size
        storage = None if kept is not None else stage.vector_of_words(words, size, None, TRUE)
    if kept is not None:
        storage = stage.vector(stage.inside(words, kept), len(kept), None, TRUE)
    return StructuralMask(storage, mask.complemented)
