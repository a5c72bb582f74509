"""SUMMA in the form of this layout: the product of two matrices, in one step for each grid column.

In step t the blocks of A at grid column t go along the rows, and the stripes t of B's rows along
the columns: together they are all that meets. The mask is local.
"""

import numpy as np

from anypair.backends.base import Storage, StructuralMask
from anypair.backends.grid import Side
from anypair.backends.mpi.blocks import block_entries, whole
from anypair.backends.mpi.calls import mask_text, semiring_text
from anypair.backends.mpi.numbering import numbering_for
from anypair.backends.mpi.packing import pack, unpacked
from anypair.backends.mpi.products import Engine
from anypair.backends.mpi.storage import MatrixBlock, MpiMatrix
from anypair.backends.wire.array_layer import numbers_as_values
from anypair.dtypes import Array, index_dtype
from anypair.semiring import TypedSemiring


class MatrixProduct:
    """t(i, j) = sum over k of multiply(a(i, k), b(k, j)), for one call."""

    def __init__(self, engine: Engine, a: MpiMatrix, b: MpiMatrix, semiring: TypedSemiring) -> None:
        self.engine = engine
        self.a = a
        self.b = b
        self.semiring = semiring
        self.shape = (a.shape[0], b.shape[1])

    def run(self, mask: StructuralMask | None) -> MpiMatrix:
        """The product, inside the mask."""
        engine, layout = self.engine, self.engine.layout
        engine.agreement.check(
            f"mxm({semiring_text(self.semiring)}, {self.a.shape}, {self.b.shape}{mask_text(mask)})"
        )
        local_shape = layout.local_shape(self.shape)
        inside = None
        if mask is not None:
            kept = whole(engine.local, mask.storage.block)
            inside = StructuralMask(kept.storage, mask.complemented)
        total: Storage | None = None
        failure: Exception | None = None
        for step in range(layout.grid.columns):
            left, right = self._blocks_of_a(step), self._stripes_of_b(step)
            if failure is not None:
                continue
            try:
                with layout.world.traffic.phase("local"):
                    total = self._add_step(step, left, right, inside, total)
            except Exception as error:
                failure = error
        nvals = 0 if total is None else engine.local.nvals(total)
        (count,) = engine.agreement.check("the end of mxm", (nvals,), failure)
        block = MatrixBlock(total, (local_shape[0], local_shape[1]))
        return MpiMatrix(self.shape, self.semiring.result, block, nvals=count)

    def _blocks_of_a(self, step: int) -> list[Array]:
        """The entries of the block of A at this grid row and grid column `step`."""
        group = self.engine.layout.row_group
        own = block_entries(self.engine.local, self.a.block) if group.rank == step else None
        inner = index_dtype(max(self.a.shape))
        message = None
        if own is not None:
            message = pack((own[0].astype(inner), own[1].astype(inner), own[2]))
        with group.traffic.phase("expand"):
            received = group.broadcast(message, step)
        return unpacked(received, [inner, inner, self.a.dtype])

    def _stripes_of_b(self, step: int) -> list[Array]:
        """The entries of B in the rows that grid column `step` has of A as columns."""
        layout = self.engine.layout
        starts = layout.rows(self.b.shape[0]).side.starts
        rows, columns, values = block_entries(self.engine.local, self.b.block)
        first, last = np.searchsorted(rows, [starts[step], starts[step + 1]])
        inner = index_dtype(max(self.b.shape))
        own = (
            (rows[first:last] - rows.dtype.type(starts[step])).astype(inner),
            columns[first:last].astype(inner),
            values[first:last],
        )
        group = layout.column_group
        with group.traffic.phase("expand"):
            received = group.allgather(pack(own))
        side = self._inner_side(step)
        parts = [unpacked(each, [inner, inner, self.b.dtype]) for each in received]
        for part, start in zip(parts, side.starts, strict=False):
            part[0] += inner.type(start)
        return [np.concatenate([part[c] for part in parts]) for c in range(3)]

    def _inner_side(self, step: int) -> Side:
        """The numbers that are summed over in a step."""
        grid = self.engine.layout.grid
        return grid.column_side(self.b.shape[0], grid.rank(0, step))

    def _add_step(
        self,
        step: int,
        left: list[Array],
        right: list[Array],
        mask: StructuralMask | None,
        total: Storage | None,
    ) -> Storage:
        local, layout = self.engine.local, self.engine.layout
        side = self._inner_side(step)
        numbering = numbering_for(local, self.semiring, side)
        if numbering.numbers_before is not None:
            right[2] = numbers_as_values(
                numbering.numbers_before, side.to_global(right[0].astype(np.int64))
            )
        rows, columns = layout.local_shape(self.shape)
        a = local.build((left[0], left[1]), left[2], (rows, side.size), None)
        b = local.build((right[0], right[1]), right[2], (side.size, columns), None)
        product = local.mxm(a, b, numbering.semiring, mask)
        if numbering.numbers_after and not side.is_global:
            i, j, numbers = local.peek(product)
            product = local.build((i, j), side.to_global(numbers), (rows, columns), None)
        return product if total is None else local.ewise_add(total, product, self.semiring.add.op)
