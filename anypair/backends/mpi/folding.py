"""Fold: the sums that the ranks of a line have found for a place are added up by its owner.

Three ways, all with the semiring's own monoid and in the order of the members: `alltoall` sends
each part to its owner; `scan` adds up along the line in log2 steps, member p taking in p - 1, p -
2, p - 4 (Fu et al.), and the last member, who then has the sums, hands them out; `wave` does so
from neighbour to neighbour and back (Checconi and Petrini). A rank that failed says so in place of
its part.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from anypair.backends.base import Storage
from anypair.backends.mpi.rank_layout import Line
from anypair.backends.wire.array_layer import AnyArray, ArrayLayer, Message
from anypair.backends.wire.messages import Form
from anypair.dtypes import Array, DType
from anypair.semiring import TypedMonoid


@dataclass(frozen=True)
class Sums:
    """Sums by place along a line, sorted; `values` is None if all are the `filler`."""

    places: AnyArray
    values: AnyArray | None


class Failed(Exception):
    """Another rank of the line has failed."""


@dataclass(frozen=True)
class Fold:
    """One fold along a line. Values travel as `sent`, or not at all if all are the `filler`."""

    arrays: ArrayLayer
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
        arrays, group = self.arrays, self.line.group
        parts = self._cut(sums, range(group.size + 1))
        messages = [
            arrays.no_message() if piece == group.rank else self._message(part, piece, piece + 1)
            for piece, part in enumerate(parts)
        ]
        received = arrays.alltoall(group, messages)
        own = parts[group.rank]
        if sums is None or own is None:
            raise Failed
        group.traffic.count_entries(sums.places.shape[0] - own.places.shape[0])
        return self._added(
            [
                self._vector(own, self.line.own_count) if member == group.rank else self._block(message)
                for member, message in enumerate(received)
            ]
        )

    def _scan(self, sums: Sums | None) -> Storage:
        group = self.line.group
        total, distance = self._whole(sums), 1
        while distance < group.size:
            to, source = group.rank + distance, group.rank - distance
            total = self._step(total, to if to < group.size else None, source if source >= 0 else None)
            distance *= 2
        last = group.rank == group.size - 1
        pieces = range(group.size + 1)
        messages = self._messages(total, pieces) if last else [self.arrays.no_message()] * group.size
        received = self.arrays.alltoall(group, messages)
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
            message = self.arrays.shift(group, None, None, right)
            assert message is not None
            total = self._storage(message, 0, group.rank + 1)
        if left is not None:
            (message,) = self._messages(total, (0, group.rank))
            self.arrays.shift(group, message, left, None)
        (own,) = self._cut(self._sums(total), (group.rank, group.rank + 1))
        if own is None:
            raise Failed
        return self._vector(own, self.line.own_count)

    def _step(self, total: Storage | None, to: int | None, source: int | None) -> Storage | None:
        """Send the sums so far to one member, and add those of another before them."""
        group = self.line.group
        message = None if to is None else self._messages(total, (0, group.size))[0]
        if to is not None and total is not None:
            group.traffic.count_entries(self.arrays.local.nvals(total))
        received = self.arrays.shift(group, message, to, source)
        if received is None:
            return total
        earlier = self._storage(received, 0, group.size)
        if earlier is None or total is None:
            return None
        return self.arrays.local.ewise_add(earlier, total, self.monoid.op)

    def _added(self, blocks: list[Storage]) -> Storage:
        total = blocks[0]
        for block in blocks[1:]:
            total = self.arrays.local.ewise_add(total, block, self.monoid.op)
        return total

    # Sums as messages, and messages as local vectors

    def _cut(self, sums: Sums | None, pieces: Sequence[int]) -> list[Sums | None]:
        """The sums from each of these pieces to the next, numbered from the first place of the piece."""
        if sums is None:
            return [None] * (len(pieces) - 1)
        starts = [self.line.side.starts[piece] for piece in pieces]
        ends = pairwise(self.arrays.cuts(sums.places, starts))
        # Small unsigned numbers stay so; none falls below zero here.
        return [
            Sums(sums.places[a:b] - start, None if sums.values is None else sums.values[a:b])
            for start, (a, b) in zip(starts, ends, strict=False)
        ]

    def _message(self, part: Sums | None, begin: int, end: int) -> Message:
        """The sums of pieces begin to end; None if this rank has failed."""
        if part is None:
            return self.arrays.failure_message()
        starts = self.line.side.starts
        values = None if self.sent is None else self.arrays.cast(part.values, self.sent)
        return self.arrays.list_message(part.places, starts[end] - starts[begin], values, self.form)

    def _messages(self, total: Storage | None, pieces: Sequence[int]) -> list[Message]:
        parts = self._cut(self._sums(total), pieces)
        return [self._message(part, *ends) for part, ends in zip(parts, pairwise(pieces), strict=True)]

    def _sums(self, total: Storage | None) -> Sums | None:
        if total is None:
            return None
        return Sums(*self.arrays.peek(total, values=self.sent is not None))

    def _whole(self, sums: Sums | None) -> Storage | None:
        return None if sums is None else self._vector(sums, self.line.side.size)

    def _storage(self, message: Message, begin: int, end: int) -> Storage | None:
        """A message of pieces begin to end as a vector; None if its sender has failed."""
        part = self.arrays.read(message, self.sent)
        if part.failed:
            return None
        starts = self.line.side.starts
        size = starts[end] - starts[begin]
        places = self.arrays.as_list([part], [0], size, self.form)
        return self._vector(Sums(places, None if self.sent is None else part.values), size)

    def _block(self, message: Message) -> Storage:
        """A message of this member's piece as a vector."""
        rank = self.line.group.rank
        found = self._storage(message, rank, rank + 1)
        if found is None:
            raise Failed
        return found

    def _vector(self, sums: Sums, size: int) -> Storage:
        values = None if sums.values is None else self.arrays.cast(sums.values, self.monoid.domain)
        return self.arrays.vector(sums.places, size, values, self.filler)
