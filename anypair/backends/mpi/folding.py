"""Fold: the sums that the ranks of a line have found for a place are added up by its owner.

Three ways, all with the semiring's own monoid and in the order of the members: `alltoall` sends
each part to its owner; `scan` adds up along the line in log2 steps, member p taking in p - 1, p -
2, p - 4 (Fu et al.), and the last member, who then has the sums, hands them out; `wave` does so
from neighbour to neighbour and back (Checconi and Petrini). A rank that failed says so in place of
its part.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anypair.backends.base import Backend, Storage
from anypair.backends.mpi.layout import Line
from anypair.backends.mpi.messages import Form, as_list, failure_message, list_message, read
from anypair.backends.mpi.packing import index_dtype
from anypair.dtypes import Array, DType
from anypair.semiring import TypedMonoid

NOTHING = np.empty(0, np.uint8)


@dataclass(frozen=True)
class Sums:
    """Sums by place along a line, sorted; `values` is None if all are the `filler`."""

    places: Array
    values: Array | None


class Failed(Exception):
    """Another rank of the line has failed."""


@dataclass(frozen=True)
class Fold:
    """One fold along a line. Values travel as `sent`, or not at all if all are the `filler`."""

    local: Backend
    line: Line
    monoid: TypedMonoid
    filler: Array
    sent: DType | None
    form: Form

    METHODS: ClassVar[tuple[str, ...]] = ("alltoall", "scan", "wave")

    def run(self, method: str, sums: Sums | None) -> Storage:
        """This rank's block of the sums, as a local vector. Without `sums` this rank has failed."""
        ways: dict[str, Callable[[Sums | None], Storage]] = {
            "alltoall": self._alltoall,
            "scan": self._scan,
            "wave": self._wave,
        }
        with self.line.group.traffic.phase("fold"):
            return ways[method](sums)

    def _alltoall(self, sums: Sums | None) -> Storage:
        group = self.line.group
        received = group.alltoall(
            [
                NOTHING if piece == group.rank else self._message(sums, piece, piece + 1)
                for piece in range(group.size)
            ]
        )
        if sums is None:
            raise Failed
        own = self._cut(sums, group.rank, group.rank + 1)
        group.traffic.count_entries(len(sums.places) - len(own.places))
        starts = self.line.side.starts
        blocks = [
            self._vector(own, starts[member + 1] - starts[member])
            if member == group.rank
            else self._block(message)
            for member, message in enumerate(received)
        ]
        return self._added(blocks)

    def _scan(self, sums: Sums | None) -> Storage:
        group = self.line.group
        total, distance = self._whole(sums), 1
        while distance < group.size:
            to, source = group.rank + distance, group.rank - distance
            total = self._step(total, to if to < group.size else None, source if source >= 0 else None)
            distance *= 2
        last = group.rank == group.size - 1
        pieces = self._pieces(total) if last else [NOTHING] * group.size
        received = group.alltoall(pieces)
        return self._block(received[-1])

    def _wave(self, sums: Sums | None) -> Storage:
        group = self.line.group
        left = group.rank - 1 if group.rank else None
        right = group.rank + 1 if group.rank < group.size - 1 else None
        total = self._whole(sums)
        if left is not None:
            total = self._step(total, None, left)
        if right is not None:
            self._step(total, right, None)
            # Back comes what belongs to this member and to those before it.
            message = group.shift(None, None, right)
            assert message is not None
            total = self._storage(message, 0, group.rank + 1)
        if left is not None:
            group.shift(self._from_storage(total, 0, group.rank), left, None)
        if total is None:
            raise Failed
        return self._block(self._from_storage(total, group.rank, group.rank + 1))

    def _step(self, total: Storage | None, to: int | None, source: int | None) -> Storage | None:
        """Send the sums so far to one member, and add those of another before them."""
        group = self.line.group
        message = None if to is None else self._from_storage(total, 0, group.size)
        if to is not None and total is not None:
            group.traffic.count_entries(self.local.nvals(total))
        received = group.shift(message, to, source)
        if received is None:
            return total
        earlier = self._storage(received, 0, group.size)
        if earlier is None or total is None:
            return None
        return self.local.ewise_add(earlier, total, self.monoid.op)

    def _pieces(self, total: Storage | None) -> list[Array]:
        return [self._from_storage(total, p, p + 1) for p in range(self.line.group.size)]

    def _added(self, blocks: list[Storage]) -> Storage:
        total = blocks[0]
        for block in blocks[1:]:
            total = self.local.ewise_add(total, block, self.monoid.op)
        return total

    # Sums as messages, and messages as local vectors

    def _cut(self, sums: Sums, begin: int, end: int) -> Sums:
        """The sums of pieces begin to end, numbered from the first of them."""
        starts = self.line.side.starts
        first, last = sums.places.searchsorted((starts[begin], starts[end])).tolist()
        values = None if sums.values is None else sums.values[first:last]
        places = sums.places[first:last]
        # Small unsigned numbers stay so; those with a sign never fall below zero here.
        return Sums(places - places.dtype.type(starts[begin]), values)

    def _message(self, sums: Sums | None, begin: int, end: int) -> Array:
        if sums is None:
            return failure_message()
        part = self._cut(sums, begin, end)
        starts = self.line.side.starts
        values = None if self.sent is None else _given(part.values).astype(self.sent, copy=False)
        return list_message(part.places, starts[end] - starts[begin], values, self.form)

    def _from_storage(self, total: Storage | None, begin: int, end: int) -> Array:
        if total is None:
            return failure_message()
        places, values = self.local.peek(total)
        return self._message(Sums(places, None if self.sent is None else values), begin, end)

    def _whole(self, sums: Sums | None) -> Storage | None:
        return None if sums is None else self._vector(sums, self.line.side.size)

    def _storage(self, message: Array, begin: int, end: int) -> Storage | None:
        """A message of pieces begin to end as a vector; None if its sender has failed."""
        part = read(message, self.sent)
        if part.failed:
            return None
        starts = self.line.side.starts
        size = starts[end] - starts[begin]
        places = as_list([part], [0], self.form, index_dtype(size))
        return self._vector(Sums(places, None if self.sent is None else part.values), size)

    def _block(self, message: Array) -> Storage:
        """A message of one piece as a vector."""
        part = read(message, self.sent)
        if part.failed:
            raise Failed
        rank = self.line.group.rank
        starts = self.line.side.starts
        size = starts[rank + 1] - starts[rank]
        places = as_list([part], [0], self.form, index_dtype(size))
        return self._vector(Sums(places, None if self.sent is None else part.values), size)

    def _vector(self, sums: Sums, size: int) -> Storage:
        values = sums.values
        if values is None:
            values = np.broadcast_to(self.filler[0], len(sums.places))
        return self.local.build(
            (sums.places,), values.astype(self.monoid.domain, copy=False), (size,), None
        )


def _given(values: Array | None) -> Array:
    assert values is not None
    return values
