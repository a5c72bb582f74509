"""Masked products of a vector and a matrix: expand, multiply each block, fold."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from anypair.backends.base import Backend, Storage, StructuralMask
from anypair.backends.mpi.agreement import Agreement
from anypair.backends.mpi.blocks import whole
from anypair.backends.mpi.calls import mask_text, semiring_text
from anypair.backends.mpi.direction import Directions
from anypair.backends.mpi.expansion import Expanded, expand, operand, outgoing, put_together
from anypair.backends.mpi.folding import Failed, Fold, Sums
from anypair.backends.mpi.masks import mask_of_line
from anypair.backends.mpi.numbering import numbering_for
from anypair.backends.mpi.rank_layout import Line, RankLayout
from anypair.backends.mpi.storage import MatrixBlock, MpiMatrix, MpiVector
from anypair.backends.wire.array_layer import ArrayLayer
from anypair.backends.wire.messages import Form
from anypair.dtypes import Array, DType, index_dtype
from anypair.semiring import TypedMonoid, TypedSemiring


@dataclass(frozen=True, eq=False)
class Engine:
    """What products need of the backend."""

    layout: RankLayout
    arrays: ArrayLayer
    local: Backend
    by_direction: Mapping[str, Backend]  # the local backend, made to push or to pull
    agreement: Agreement
    form: Form
    fold: str

    def fold_along(
        self, line: Line, sums: Sums | None, monoid: TypedMonoid, filler: Array, sent: DType | None
    ) -> Storage:
        """This rank's block of sums along a line; None stands for a rank that failed."""
        fold = Fold(self.arrays, line, monoid, filler, sent, Form("auto", self.form.lanes))
        return fold.run(self.fold, sums)


@dataclass(frozen=True, eq=False)
class Found:
    """What this rank's block gave: sums by place along the fold line, and what they were made of."""

    storage: Storage
    operand: Storage
    block: MatrixBlock


class DistributedProduct:
    """t(i) = sum over k of multiply(a(i, k), u(k)), or of a's transpose, for one call."""

    def __init__(self, engine: Engine, operation: str, a: MpiMatrix, semiring: TypedSemiring) -> None:
        self.engine = engine
        self.operation = operation
        self.a = a
        self.semiring = semiring
        rows, columns = engine.layout.rows(a.shape[0]), engine.layout.columns(a.shape[1])
        self.by_columns = operation == "mxv"
        if a.symmetric:
            # Either side will do: the shorter line is the one along which values are folded.
            self.by_columns = rows.group.size <= columns.group.size
        self.expand_line, self.fold_line = (columns, rows) if self.by_columns else (rows, columns)
        side = self.expand_line.side
        self.numbering = numbering = numbering_for(engine.local, semiring, side)
        self.found: Found | None = None
        block = a.block
        kept = (block.columns, block.rows) if self.by_columns else (block.rows, block.columns)
        # What the block has kept along the expand line and along the fold line.
        self.kept = expand_kept, fold_kept = (None, None) if numbering.needs_whole_block else kept
        translated = numbering.numbers_after and not (side.is_global and expand_kept is None)
        # Whether the local result is this rank's block of the result.
        self.stays_as_it_is = self.fold_line.group.size == 1 and fold_kept is None and not translated

    def run(self, u: MpiVector, mask: StructuralMask | None, directions: Directions) -> MpiVector:
        """The product, inside the mask."""
        engine, line = self.engine, self.expand_line
        failure: Exception | None = None
        call = self._call(u, mask)
        directions.prepare(self, call)
        opened = engine.agreement.start(call, directions.counts(self, u, mask))
        try:
            message = outgoing(
                engine.arrays, u, engine.layout.count(u.size), engine.form,
                with_values=self.numbering.reads_values,
            )  # fmt: skip
        except Exception as error:
            failure, message = error, engine.arrays.failure_message()
        direction = directions.choose(self, opened(), u, mask)
        received = expand(engine.arrays, line, message)
        inside = self._mask(mask)
        sums: Sums | None = None
        try:
            dtype = u.dtype if self.numbering.reads_values else None
            expanded = put_together(engine.arrays, line, received, dtype, engine.form)
            self.found = self.multiply(expanded, u.dtype, inside, engine.by_direction[direction])
            sums = self.sums(self.found)
        except Failed:
            pass  # who has failed says why at the end
        except Exception as error:
            failure = error
        block = self.fold(sums, None if self.found is None else self.found.storage)
        nvals = 0 if block is None else engine.local.nvals(block)
        (total,) = engine.agreement.check(f"the end of {self.operation}", (nvals,), failure)
        return MpiVector(self.size, self.numbering.result, block, total, pulled=direction == "pull")

    @property
    def size(self) -> int:
        """How long the result is."""
        return self.fold_line.side.blocks.size

    def _mask(self, mask: StructuralMask | None) -> StructuralMask | None:
        if mask is None:
            return None
        return mask_of_line(
            self.engine.arrays, mask, self.fold_line, self.kept[1], Form("auto", self.engine.form.lanes)
        )

    def multiply(
        self, expanded: Expanded, dtype: DType, mask: StructuralMask | None, local: Backend
    ) -> Found:
        """This rank's block times the expanded vector."""
        engine, numbering = self.engine, self.numbering
        with engine.layout.world.traffic.phase("local"):
            block = whole(engine.local, self.a.block) if numbering.needs_whole_block else self.a.block
            if (op := numbering.numbers_before) is not None:
                side, dtype = self.expand_line.side, op.result
                values = engine.arrays.numbers_as_values(op, expanded.listed(), side)
                expanded = replace(expanded, values=values)
            kept, _ = self.kept
            vector = operand(expanded, np.zeros(1, dtype), kept)
            if self.by_columns:
                storage = local.mxv(block.storage, vector, numbering.semiring, mask)
            else:
                storage = local.vxm(vector, block.storage, numbering.semiring, mask)
            return Found(storage, vector, block)

    def sums(self, found: Found) -> Sums | None:
        """What was found as lists with global values; None if it is this rank's result as it is."""
        expand_kept, fold_kept = self.kept
        if self.stays_as_it_is:
            return None
        arrays = self.engine.arrays
        places, values = arrays.peek(found.storage, values=self.numbering.constant is None)
        if fold_kept is not None:
            places = arrays.taken(fold_kept, places)
        if self.numbering.numbers_after:
            values = values if expand_kept is None else arrays.taken(expand_kept, values)
            values = self.expand_line.side.to_global(values)
        return Sums(places, values)

    def fold(self, sums: Sums | None, storage: Storage | None) -> Storage | None:
        """This rank's block of the result; None if this rank or another of the line has failed."""
        if self.stays_as_it_is:
            return storage
        numbering, result = self.numbering, self.numbering.result
        sent: DType | None = result
        if numbering.constant is not None:
            sent = None
        elif numbering.numbers_after:
            sent = index_dtype(self.expand_line.side.blocks.size)
        filler = np.array([0 if numbering.constant is None else numbering.constant]).astype(result)
        try:
            return self.engine.fold_along(self.fold_line, sums, numbering.semiring.add, filler, sent)
        except Failed:
            return None

    def _call(self, u: MpiVector, mask: StructuralMask | None) -> str:
        semiring, inside = semiring_text(self.semiring), mask_text(mask)
        return _described(self.operation, semiring, self.a.dtype, self.a.shape, u.dtype, u.size, inside)


@lru_cache(maxsize=256)
def _described(
    operation: str,
    semiring: str,
    edges: DType,
    shape: tuple[int, int],
    values: DType,
    size: int,
    mask: str,
) -> str:
    """A call in words, for ranks to compare."""
    return f"{operation}({semiring}, {edges} {shape}, {values} of {size}{mask})"
