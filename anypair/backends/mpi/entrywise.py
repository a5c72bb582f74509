"""Element-wise operations: nothing is sent, as blocks of one shape are on one rank.

Only a failure of one rank has to be told to the others.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from anypair.backends.base import Applied, Backend, Shape, Storage, StructuralMask
from anypair.backends.mpi.agreement import Agreement
from anypair.backends.mpi.blocks import alike, block_entries, build_block, like
from anypair.backends.mpi.calls import dtype_text, mask_text, operator_text, stored_text
from anypair.backends.mpi.deferral import Deferral
from anypair.backends.mpi.moving import Mover
from anypair.backends.mpi.rank_layout import RankLayout
from anypair.backends.mpi.storage import MpiMatrix, MpiVector, Stored
from anypair.backends.orderly import random_at
from anypair.dtypes import Array, DType
from anypair.semiring import TypedBinary, TypedNary, TypedUnary

Result = TypeVar("Result")


class Entrywise(Backend):
    """The part of the contract that is local."""

    layout: RankLayout
    local: Backend
    agreement: Agreement
    mover: Mover
    deferral: Deferral | None

    def ewise_add(self, x: Any, y: Any, op: TypedBinary) -> Any:
        return self._merge("ewise_add", self.local.ewise_add, x, y, op)

    def ewise_mult(self, x: Any, y: Any, op: TypedBinary) -> Any:
        return self._merge("ewise_mult", self.local.ewise_mult, x, y, op)

    def ewise_all(self, x: Any, op: TypedNary, shape: Shape, *others: Any) -> Any:
        self._settle(x, *others)
        call = f"ewise_all({operator_text(op)}, {stored_text(x)})"
        local = self.local
        if isinstance(x, MpiVector):
            here = (self.layout.count(x.size),)
            given = [y.local for y in others]
            t = self._together(call, op, lambda: local.ewise_all(x.local, op, here, *given))
            return MpiVector(x.size, op.result, t)
        one, *rest = alike(local, x.block, *(y.block for y in others))
        a, blocks = one.storage, [block.storage for block in rest]
        t = self._together(call, op, lambda: local.ewise_all(a, op, local.shape_of(a), *blocks))
        return MpiMatrix(x.shape, op.result, like(one, t))

    def _merge(self, name: str, merge: Callable[..., Storage], x: Any, y: Any, op: TypedBinary) -> Any:
        self._settle(x, y)
        call = f"{name}({operator_text(op)}, {stored_text(x)})"
        if isinstance(x, MpiVector):
            t = self._together(call, op, lambda: merge(x.local, y.local, op))
            return MpiVector(x.size, op.result, t)
        one, other = alike(self.local, x.block, y.block)
        t = self._together(call, op, lambda: merge(one.storage, other.storage, op))
        return MpiMatrix(x.shape, op.result, like(one, t))

    def apply(self, x: Any, op: Applied) -> Any:
        if op.reads_entries:
            self._settle(x)
        call = f"apply({operator_text(op)}, {stored_text(x)})"
        if isinstance(op, TypedUnary) and op.op.indexed:
            values = self._values_by_place(call, x, op)
            return self._rebuilt(x, slice(None), values, op.result, x.nvals)
        t = self._together(call, op, lambda: self.local.apply(held_by(x), op))
        return _revalued(x, t, op.result)

    def select(self, x: Any, op: Applied) -> Any:
        self._settle(x)
        call = f"select({operator_text(op)}, {stored_text(x)})"
        if isinstance(op, TypedUnary) and op.op.indexed:
            kept = self._values_by_place(call, x, op)
            return self._rebuilt(x, kept, self.local.peek(held_by(x))[-1][kept], x.dtype, None)
        t = self._together(call, op, lambda: self.local.select(held_by(x), op))
        return _with(x, t, x.dtype, None)

    def _values_by_place(self, call: str, x: Stored, op: TypedUnary) -> Array:
        """What an operator that sees global indices makes of this rank's entries."""
        *places, _ = self.mover.entries(x)
        return self._together(
            call, op, lambda: self.local.apply_at(held_by(x), op, tuple(places), x.shape)
        )

    def _rebuilt(self, x: Stored, kept: Any, values: Array, dtype: DType, nvals: int | None) -> Stored:
        """Some of this rank's entries with new values."""
        if isinstance(x, MpiVector):
            places = self.local.peek(x.local)[0][kept]
            size = self.layout.count(x.size)
            return MpiVector(x.size, dtype, self.local.build((places,), values, (size,), None), nvals)
        rows, columns, _ = block_entries(self.local, x.block)
        block = build_block(self.local, rows[kept], columns[kept], values, x.block.shape, None)
        return MpiMatrix(x.shape, dtype, block, nvals=nvals)

    def restrict(self, x: Any, mask: StructuralMask) -> Any:
        self._settle(x)
        call = f"restrict({stored_text(x)}{mask_text(mask)})"
        if isinstance(x, MpiVector):
            inside = StructuralMask(mask.storage.local, mask.complemented)
            t = self._together(call, None, lambda: self.local.restrict(x.local, inside))
            return _with(x, t, x.dtype, None)
        own, other = alike(self.local, x.block, mask.storage.block)
        inside = StructuralMask(other.storage, mask.complemented)
        t = self._together(call, None, lambda: self.local.restrict(own.storage, inside))
        return MpiMatrix(x.shape, x.dtype, like(own, t))

    def cast(self, x: Any, dtype: DType) -> Any:
        self._settle(x)
        call = f"cast({stored_text(x)}, {dtype_text(dtype)})"
        t = self._together(call, None, lambda: self.local.cast(held_by(x), dtype))
        return _revalued(x, t, dtype)

    def random(self, x: Any, shape: tuple[int, ...], seed: int, dtype: DType) -> Any:
        places = self.mover.entries(x)[:-1]
        call = f"random({stored_text(x)}, {seed}, {dtype_text(dtype)})"
        values = self._together(call, None, lambda: random_at(places, seed, dtype))
        return self._rebuilt(x, slice(None), values, dtype, x.nvals)

    # The write rule

    def write(
        self,
        out: Any,
        t: Any,
        mask: StructuralMask | None,
        accum: TypedBinary | None,
        replace: bool,
        dtype: DType,
    ) -> Any:
        how = f"{mask_text(mask)}, {replace=}"
        call = f"write({stored_text(out)}, {dtype_text(dtype)}, accum {operator_text(accum)}{how})"
        if isinstance(out, MpiMatrix):
            return self._write_matrix(call, out, t, mask, accum, replace, dtype)
        self._settle(out, t)
        inside = None if mask is None else StructuralMask(mask.storage.local, mask.complemented)
        held = out.local
        if accum is not None and not accum.op.never_raises:
            held = self.local.cast(
                held, dtype
            )  # where another rank fails this one must not have written
        out.local = self._together(
            call, accum, lambda: self.local.write(held, t.local, inside, accum, replace, dtype)
        )
        out.nvals = None
        return out

    def merge(self, out: Any, t: Any, dtype: DType) -> Any:
        call = f"merge({stored_text(out)}, {stored_text(t)}, {dtype_text(dtype)})"
        if isinstance(out, MpiMatrix):
            own, new = alike(self.local, out.block, t.block)
            storage = self._together(
                call, None, lambda: self.local.merge(own.storage, new.storage, dtype)
            )
            return MpiMatrix(out.shape, dtype, like(own, storage))
        if self.deferral is not None and self.deferral.takes_over(out, t):
            self.agreement.note(call)
            self.deferral.merge(out, t)
            return out
        self._settle(out, t)
        out.local = self._together(call, None, lambda: self.local.merge(out.local, t.local, dtype))
        out.nvals = None
        return out

    def _write_matrix(
        self,
        call: str,
        out: MpiMatrix,
        t: MpiMatrix,
        mask: StructuralMask | None,
        accum: TypedBinary | None,
        replace: bool,
        dtype: DType,
    ) -> MpiMatrix:
        blocks = [out.block, t.block] if mask is None else [out.block, t.block, mask.storage.block]
        own, new, *rest = alike(self.local, *blocks)
        inside = None if mask is None else StructuralMask(rest[0].storage, mask.complemented)
        storage = self._together(
            call,
            accum,
            lambda: self.local.write(own.storage, new.storage, inside, accum, replace, dtype),
        )
        return MpiMatrix(out.shape, dtype, like(own, storage))

    # What the others are told

    def _together(self, call: str, op: Any, compute: Callable[[], Result]) -> Result:
        """Local work; an operator of a user may fail on one rank, and then fails on all.

        Nothing else is likely to fail, so nothing is sent for it: others hear of a lack of memory in
        the next call that sends something.
        """
        if op is None or op.op.never_raises:
            self.agreement.note(call)
            try:
                return compute()
            except Exception as error:
                self.agreement.fail(error)
        failure: Exception | None = None
        result: Any = None
        try:
            result = compute()
        except Exception as error:
            failure = error
        self.agreement.check(call, (), failure)
        return result  # type: ignore[no-any-return]

    def _settle(self, *stored: Any) -> None:
        """Find the values that a search has left for later."""
        if self.deferral is not None:
            for x in stored:
                if isinstance(x, MpiVector) and x.awaited:
                    self.deferral.settle(x)


def held_by(x: Stored) -> Storage:
    """What the local backend keeps of x."""
    return x.local if isinstance(x, MpiVector) else x.block.storage


def _revalued(x: Stored, storage: Storage, dtype: DType) -> Any:
    """As x, with other values, and what is known of its structure."""
    made = _with(x, storage, dtype, x.nvals)
    if isinstance(x, MpiMatrix):
        made.degrees = x.degrees
    return made


def _with(x: Stored, storage: Storage, dtype: DType, nvals: int | None) -> Any:
    """As x, with other storage of the same places or fewer."""
    if isinstance(x, MpiVector):
        return MpiVector(x.size, dtype, storage, nvals)
    return MpiMatrix(x.shape, dtype, like(x.block, storage), nvals=nvals)
