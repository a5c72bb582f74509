"""Vectors and matrices from entries: those that every rank has, or of which each has a slice."""

from typing import Any

import numpy as np

from anypair.backends.base import Backend, Shape
from anypair.backends.mpi.agreement import Agreement
from anypair.backends.mpi.blocks import build_block
from anypair.backends.mpi.calls import operator_text
from anypair.backends.mpi.digests import digest_of_arrays
from anypair.backends.mpi.exchange import ROUND, Exchange
from anypair.backends.mpi.rank_layout import RankLayout
from anypair.backends.mpi.storage import MatrixBlock, MpiMatrix, MpiVector, Stored
from anypair.backends.places import places_of_edges
from anypair.dtypes import Array, DType
from anypair.errors import DistributedError, DuplicateEntries
from anypair.semiring import TypedBinary


class Builder:
    """Builds storage of this rank's part."""

    def __init__(self, layout: RankLayout, local: Backend, agreement: Agreement) -> None:
        self.layout = layout
        self.local = local
        self.agreement = agreement

    def from_everywhere(
        self,
        indices: tuple[Array, ...],
        values: Array,
        shape: Shape,
        duplicates: TypedBinary | None,
    ) -> Stored:
        """Of entries that all ranks have, the part of this one; nothing is sent."""
        single = _single(values)
        exchange = Exchange(self.layout, shape, None if single is not None else values.dtype)
        exchange.keep(indices, None if single is not None else values)
        entries = f"{len(values)} entries"
        if self.layout.world.size > 1:
            entries += f" #{digest_of_arrays(*indices, values)}"
        call = f"build({shape}, {values.dtype}, {entries}, duplicates {operator_text(duplicates)})"
        return self.finish(exchange, single, shape, values.dtype, duplicates, call)

    def from_slices(
        self,
        indices: tuple[Array, ...],
        values: Array,
        shape: Shape,
        duplicates: TypedBinary | None,
        call: str,
    ) -> Stored:
        """Of entries that each rank has some of, the part of this one, in bounded rounds."""
        self.agreement.check(
            f"{call} into {shape}, {values.dtype}, duplicates {operator_text(duplicates)}"
        )
        single = self._common(values)
        exchange = Exchange(self.layout, shape, None if single is not None else values.dtype)
        for turn in range(exchange.rounds(len(values))):
            some = slice(turn * ROUND, (turn + 1) * ROUND)
            exchange.send(
                tuple(axis[some] for axis in indices), None if single is not None else values[some]
            )
        return self.finish(exchange, single, shape, values.dtype, duplicates, f"the end of {call}")

    def graph(
        self,
        sources: Array,
        targets: Array,
        values: Array,
        n: int,
        duplicates: TypedBinary | None,
        *,
        symmetric: bool,
        self_loops: bool,
        everywhere: bool,
    ) -> MpiMatrix:
        """A graph of the ranks' slices of an edge list, or of one that all ranks have."""
        kinds = {"symmetric": symmetric, "self_loops": self_loops}
        if self.layout.world.size == 1:
            storage = self.local.build_graph(sources, targets, values, n, duplicates, **kinds)
            nvals = self.local.nvals(storage)
            return MpiMatrix((n, n), values.dtype, MatrixBlock(storage, (n, n)), nvals=nvals)
        edges = "edges of every rank"
        if everywhere:
            edges = f"{len(values)} edges #{digest_of_arrays(sources, targets, values)}"
        call = (
            f"build_graph({edges}, n={n}, {values.dtype}, duplicates {operator_text(duplicates)}, "
            f"{symmetric=}, {self_loops=})"
        )
        try:
            self.agreement.check(call)
        except DistributedError as error:
            if str(error).count(" edges #") < 2:
                raise
            hint = "edges of which each rank has its own slice need distributed=True"
            raise DistributedError(f"{error}; {hint}") from None
        single = _single(values) if everywhere else self._common(values)
        exchange = Exchange(self.layout, (n, n), None if single is not None else values.dtype)
        turns = -(-len(values) // ROUND) if everywhere else exchange.rounds(len(values))
        for turn in range(turns):
            some = slice(turn * ROUND, (turn + 1) * ROUND)
            places, kept = places_of_edges(sources[some], targets[some], **kinds)
            part = None if single is not None else np.repeat(values[some], 2 if symmetric else 1)[kept]
            (exchange.keep if everywhere else exchange.send)(places, part)
        matrix = self.finish(exchange, single, (n, n), values.dtype, duplicates, f"the end of {call}")
        assert isinstance(matrix, MpiMatrix)
        return matrix

    def finish(
        self,
        exchange: Exchange,
        single: Array | None,
        shape: Shape,
        dtype: DType,
        duplicates: TypedBinary | None,
        call: str,
    ) -> Stored:
        """Storage of what has come; entries at one place are an error on all ranks if on one."""
        failure: Exception | None = None
        stored: Stored | None = None
        nvals = 0
        try:
            indices, values = exchange.take()
            if values is None:
                assert single is not None
                values = np.broadcast_to(single[0], len(indices[0]))
            stored = self.part(indices, values, shape, dtype, duplicates)
            held = stored.local if isinstance(stored, MpiVector) else stored.block.storage
            nvals = self.local.nvals(held)
        except DuplicateEntries as error:
            failure = DuplicateEntries(place=self._global_place(error.place, shape))
        except Exception as error:
            failure = error
        (total,) = self.agreement.check(call, (nvals,), failure)
        assert stored is not None
        stored.nvals = total
        return stored

    def part(
        self,
        indices: tuple[Array, ...],
        values: Array,
        shape: Shape,
        dtype: DType,
        duplicates: TypedBinary | None,
    ) -> Stored:
        """Storage of these entries of this rank's part."""
        own = self.layout.local_shape(shape)
        if len(shape) == 1:
            return MpiVector(shape[0], dtype, self.local.build(indices, values, own, duplicates))
        rows, columns = indices
        block = build_block(self.local, rows, columns, values, (own[0], own[1]), duplicates)
        return MpiMatrix((shape[0], shape[1]), dtype, block)

    def _global_place(self, place: Any, shape: Shape) -> Any:
        """A place of this rank's part by global numbers."""
        if len(shape) == 1:
            return place + self.layout.start(shape[0])
        lines = (self.layout.rows(shape[0]), self.layout.columns(shape[1]))
        return tuple(
            int(line.side.to_global(np.array([x]))[0]) for line, x in zip(lines, place, strict=True)
        )

    def _common(self, values: Array) -> Array | None:
        """The one value that all entries of all ranks have, if they are known to."""
        single = _single(values)
        given = self.layout.world.objects(
            None if single is None else single.tobytes() if len(values) else b""
        )
        different = {each for each in given if each}
        if None in given or len(different) > 1:
            return None
        return np.frombuffer(different.pop(), values.dtype) if different else single


def _single(values: Array) -> Array | None:
    """The value that stands for all, if the array says so by its stride."""
    if values.strides == (0,) or not len(values):
        return np.array(values[:1] if len(values) else [0], values.dtype)
    return None
