"""Entries on their way to the ranks that own them, in rounds of bounded size."""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from anypair.backends.base import Shape
from anypair.backends.mpi.packing import pack, unpack
from anypair.backends.mpi.rank_layout import RankLayout
from anypair.backends.wire.traffic import OTHER
from anypair.dtypes import Array, DType, index_dtype

ROUND = 1 << 20  # entries that a rank sends in one round

Triples = tuple[tuple[Array, ...], Array | None]  # global indices, and values unless all are one value


class Exchange:
    """Collects the entries of this rank's part of a vector or matrix, numbered within it.

    They come in the order of the ranks that sent them, and of each in the order given.
    """

    def __init__(self, layout: RankLayout, shape: Shape, dtype: DType | None) -> None:
        self.layout = layout
        self.shape = shape
        self.dtype = dtype
        blocks = [layout.grid.blocks(n).length for n in shape]
        lengths = (layout.grid.columns, layout.grid.rows) if len(shape) == 2 else (1,)
        self.indices = tuple(
            index_dtype(length * pieces) for length, pieces in zip(blocks, lengths, strict=True)
        )
        self.received: list[list[Array]] = [[] for _ in range(layout.world.size)]

    def send(self, indices: tuple[Array, ...], values: Array | None) -> None:
        """Send entries at these global places; all ranks call this equally often."""
        world = self.layout.world
        owners = self.layout.grid.owner(self.shape, indices)
        order = np.argsort(owners, kind="stable")
        bounds = np.searchsorted(owners[order], np.arange(world.size + 1))
        columns = [axis[order] for axis in self._within_owner(indices)] + (
            [] if values is None else [values[order]]
        )
        messages = [
            pack(tuple(column[begin:end] for column in columns)) for begin, end in pairwise(bounds)
        ]
        with world.traffic.phase(OTHER):
            received = world.alltoall(messages)
        for kept, message in zip(self.received, received, strict=True):
            kept.append(message)

    def keep(self, indices: tuple[Array, ...], values: Array | None) -> None:
        """Keep what belongs to this rank of entries that all ranks have."""
        mine = np.flatnonzero(self.layout.grid.owner(self.shape, indices) == self.layout.rank)
        columns = [axis[mine] for axis in self._within_owner(indices)]
        columns += [] if values is None else [values[mine]]
        self.received[self.layout.rank].append(pack(tuple(columns)))

    def _within_owner(self, indices: tuple[Array, ...]) -> Iterable[Array]:
        """The places as numbers within the owner's part."""
        grid = self.layout.grid
        lengths = [grid.blocks(n).length for n in self.shape]
        if len(indices) == 1:
            yield (indices[0] % lengths[0]).astype(self.indices[0])
            return
        row_block, row = np.divmod(indices[0], lengths[0])
        yield (row_block // grid.rows * lengths[0] + row).astype(self.indices[0])
        column_block, column = np.divmod(indices[1], lengths[1])
        yield (column_block % grid.rows * lengths[1] + column).astype(self.indices[1])

    def take(self) -> Triples:
        """The entries that have come, and room for new ones."""
        dtypes = self.indices if self.dtype is None else (*self.indices, self.dtype)
        width = sum(dtype.itemsize for dtype in dtypes)
        total = sum(len(message) for kept in self.received for message in kept) // width
        columns = [np.empty(total, dtype) for dtype in dtypes]
        begin = 0
        for kept in self.received:
            kept.reverse()
            while kept:  # each message is let go as soon as it is copied
                message = kept.pop()
                end = begin + len(message) // width
                unpack(message, [column[begin:end] for column in columns])
                begin = end
        values = None if self.dtype is None else columns.pop()
        return tuple(columns), values

    def rounds(self, count: int) -> int:
        """How many rounds all ranks make, if this one has so many entries to send."""
        return int(max(self.layout.world.objects(-(-count // ROUND))))
