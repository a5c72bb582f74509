"""Operations that give entries other places: they travel to the owners of those."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from anypair.backends.base import Indices, Shape
from anypair.backends.mpi.blocks import block_entries
from anypair.backends.mpi.building import Builder
from anypair.backends.mpi.calls import indices_text, operator_text, renaming_text
from anypair.backends.mpi.packing import pack, unpacked
from anypair.backends.mpi.storage import MpiMatrix, MpiVector, Stored
from anypair.backends.places import (
    count_of,
    found_in,
    kron_places,
    new_numbers,
    place_of_each,
    require_below,
)
from anypair.backends.wire.traffic import OTHER
from anypair.dtypes import INT64, Array, DType
from anypair.errors import IndexOutOfRange
from anypair.semiring import TypedBinary


class Mover:
    """Moves entries between ranks."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.layout = builder.layout
        self.local = builder.local

    def entries(self, x: Stored) -> tuple[Array, ...]:
        """This rank's entries, by global numbers; the values are only to be read."""
        if isinstance(x, MpiVector):
            places, values = self.local.peek(x.local)
            return places.astype(np.int64) + self.layout.start(x.size), values
        rows, columns, values = block_entries(self.local, x.block)
        lines = self.layout.rows(x.shape[0]), self.layout.columns(x.shape[1])
        return (
            lines[0].side.to_global(rows.astype(np.int64, copy=False)),
            lines[1].side.to_global(columns.astype(np.int64, copy=False)),
            values,
        )

    def gathered(self, x: Stored) -> tuple[Array, ...]:
        """All entries, on every rank, sorted."""
        *indices, values = self.entries(x)
        message = pack((*indices, values))
        dtypes = [*(INT64 for _ in indices), values.dtype]
        with self.layout.world.traffic.phase(OTHER):
            received = self.layout.world.allgather(message)
        parts = [unpacked(each, dtypes) for each in received]
        columns = [np.concatenate([part[c] for part in parts]) for c in range(len(dtypes))]
        if len(indices) == 2 and self.layout.world.size > 1:
            order = np.lexsort((columns[1], columns[0]))
            columns = [column[order] for column in columns]
        return tuple(columns)

    def moved(self, indices: tuple[Array, ...], values: Array, shape: Shape, call: str) -> Stored:
        """Storage of entries that this rank has, and others have, at new places."""
        return self.builder.from_slices(indices, values, shape, None, call)

    def transpose(self, a: MpiMatrix) -> MpiMatrix:
        rows, columns, values = self.entries(a)
        t = self.moved((columns, rows), values, a.shape[::-1], "transpose")
        assert isinstance(t, MpiMatrix)
        return t

    def place(self, x: Stored, indices: Indices, shape: Shape) -> Stored:
        *own, values = self.entries(x)
        moved = tuple(map(place_of_each, indices, own))
        return self.moved(moved, values, shape, f"place({x.shape} at {indices_text(indices)})")

    def renumber(self, u: MpiVector, old: Array, size: int, *, values: bool) -> Stored:
        call = f"renumber({u.size} places by {indices_text((old,))}, {values=})"
        places, numbers = self.entries(u)
        if values:
            self._agree_on_numbers(call, places, numbers, len(old))
            numbers = old[numbers].astype(numbers.dtype)
        return self.moved((old[places].astype(np.int64),), numbers, (size,), call)

    def _agree_on_numbers(self, call: str, places: Array, numbers: Array, bound: int) -> None:
        """Raise, on all ranks, if a rank has a number that is not below `bound`."""
        failure = None
        try:
            require_below(bound, numbers, places)
        except IndexOutOfRange as error:
            failure = error
        self.builder.agreement.check(call, (), failure)

    def relabel(
        self, x: Stored, rename: Callable[[Array], Array], shape: Shape, *, values: bool
    ) -> Stored:
        *indices, numbers = self.entries(x)
        if values:
            numbers = rename(numbers).astype(numbers.dtype)
        call = f"relabel({x.shape} by {renaming_text(rename, max(x.shape))}, {values=})"
        return self.moved(tuple(rename(axis) for axis in indices), numbers, shape, call)

    def extract(self, x: Stored, wanted: Indices) -> Stored:
        if isinstance(x, MpiVector):
            (places,) = wanted
            assert places is not None
            if isinstance(places, range):
                own, values = self.entries(x)
                origin, new = found_in(places, own)
                call = f"extract({x.shape} at {indices_text(wanted)})"
                return self.moved((new,), values[origin], (len(places),), call)
            return self._extract_vector(x, places)
        rows, columns, values = self.entries(x)
        shape = tuple(map(count_of, wanted, x.shape))
        if wanted[0] is not None:
            rows, origin = new_numbers(rows, wanted[0])
            columns, values = columns[origin], values[origin]
        if wanted[1] is not None:
            columns, origin = new_numbers(columns, wanted[1])
            rows, values = rows[origin], values[origin]
        return self.moved(
            (rows, columns), values, shape, f"extract({x.shape} at {indices_text(wanted)})"
        )

    def _extract_vector(self, x: MpiVector, wanted: Array) -> MpiVector:
        """This rank asks the owners for the entries that its block of the result is made of."""
        layout, world = self.layout, self.layout.world
        self.builder.agreement.check(f"extract({x.shape} at {indices_text((wanted,))})")
        begin, count = layout.start(len(wanted)), layout.count(len(wanted))
        mine = wanted[begin : begin + count]
        owners = layout.grid.owner(x.shape, (mine,))
        order = np.argsort(owners, kind="stable")
        bounds = np.searchsorted(owners[order], np.arange(world.size + 1))
        length = layout.grid.blocks(x.size).length
        asked = [pack(((mine[order[b:e]] % length).astype(np.int64),)) for b, e in pairwise(bounds)]
        with world.traffic.phase(OTHER):
            requests = world.alltoall(asked)
        replies = []
        for request in requests:
            found = self.local.extract(x.local, (unpacked(request, [INT64])[0],))
            replies.append(pack(self.local.entries(found)))
        with world.traffic.phase(OTHER):
            answers = world.alltoall(replies)
        places, values = [], []
        for answered, begin in zip(answers, bounds, strict=False):
            at, numbers = unpacked(answered, [INT64, x.dtype])
            places.append(order[begin + at])
            values.append(numbers)
        part = self.local.build((np.concatenate(places),), np.concatenate(values), (count,), None)
        return MpiVector(len(wanted), x.dtype, part)

    def rowwise(self, columns: MpiVector, values: MpiVector, ncols: int) -> Stored:
        places, targets = self.entries(columns)
        self._agree_on_numbers(f"rowwise({columns.size}, {ncols})", places, targets, ncols)
        numbers = self.local.peek(values.local)[-1]
        return self.moved((places, targets.astype(np.int64)), numbers, (columns.size, ncols), "rowwise")

    def kron(self, a: MpiMatrix, b: MpiMatrix, op: TypedBinary) -> Stored:
        """Each rank's part of b visits all ranks, where it meets their parts of a."""
        layout, world = self.layout, self.layout.world
        shape = (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
        self.builder.agreement.check(f"kron({operator_text(op)}, {a.shape}, {b.shape})")
        a_rows, a_columns, x = self.entries(a)
        mine = pack(self.entries(b))
        dtypes: list[DType] = [INT64, INT64, b.dtype]
        failure: Exception | None = None
        found: list[tuple[Array, ...]] = []
        for visitor in range(world.size):
            with world.traffic.phase(OTHER):
                message = world.broadcast(mine if visitor == layout.rank else None, visitor)
            rows, columns, y = unpacked(message, dtypes)
            try:
                values = self._products(np.repeat(x, len(y)), np.tile(y, len(x)), op)
            except Exception as error:
                failure, values = error, np.empty(0, op.result)
                rows = columns = rows[:0]
            if failure is None:
                places = kron_places((a_rows, a_columns), (rows, columns), b.shape)
                found.append((*places, values))
        self.builder.agreement.check("kron of blocks", (), failure)
        new = [np.concatenate([part[c] for part in found]) for c in range(3)]
        return self.moved((new[0], new[1]), new[2], shape, "the end of kron")

    def _products(self, x: Array, y: Array, op: TypedBinary) -> Array:
        """op of two lists of values, by the local backend."""
        places = (np.arange(len(x)),)
        left, right = (self.local.build(places, v, (len(x),), None) for v in (x, y))
        return self.local.entries(self.local.ewise_mult(left, right, op))[-1]
