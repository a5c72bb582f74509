"""The end of every operation: `out`, `mask`, `accum` and `replace`, checked and obeyed in one place."""

from typing import Any, NoReturn, TypeVar

from anypair.backends.base import Backend, Shape, Storage, StructuralMask
from anypair.backends.tree import Step
from anypair.config import computing_for
from anypair.dtypes import DType, loses_kind
from anypair.errors import AnypairError, BackendMismatch, InvalidArgument, LossyCast, SizeMismatch, shown
from anypair.handle import Handle
from anypair.held import make_writable
from anypair.inputs import as_binary
from anypair.mask import Mask
from anypair.semiring import BinaryOp, Monoid, Semiring, TypedBinary
from anypair.trace import current as current_trace

HandleType = TypeVar("HandleType", bound=Handle)


class Output:
    """Where the result t of an operation goes: out<mask, replace> accum= t, or a new handle.

    `operands` are those of the operation, by name. `backend` is what computes on them; all of them, the
    mask and the output have to live on it.
    """

    __slots__ = (
        "accum", "backend", "begin", "dtype", "inside", "kind", "mask", "nvals_in", "operation",
        "operator", "out", "replace", "shape", "trace", "typed_accum",
    )  # fmt: skip

    def __init__(
        self,
        operation: str,
        operator: Any,
        out: Handle | None,
        mask: Mask | None,
        accum: BinaryOp | Monoid | None,
        replace: bool,
        /,
        **operands: Handle,
    ) -> None:
        self.operation = operation
        self.operator = operator
        self.out = out
        self.mask = mask
        self.accum = accum
        self.replace = replace
        self.trace = trace = current_trace()
        traced = () if trace is None else tuple(operands)
        if trace is not None:
            self.begin = trace.begin()
        if out is not None:
            operands["out"] = out
        elif accum is not None or replace:
            given = "accum" if accum is not None else "replace"
            raise InvalidArgument(f"{operation}: {given}= needs out=, the handle that is written into")
        if mask is not None:
            if not isinstance(mask, Mask):
                raise InvalidArgument(
                    f"{operation}: mask={shown(mask)} is not a mask; give x.structure, x.true, or ~ of "
                    "one of them"
                )
            operands["mask"] = mask.handle
        self.backend = backend = agree(operation, operands)
        if trace is not None:
            self.nvals_in = {name: backend.nvals_here(operands[name].storage) for name in traced}

    def prepare(self, kind: type[Handle], shape: Shape, dtype: DType) -> StructuralMask | None:
        """Check that mask and out fit a result of this kind, shape and dtype; the mask for backends."""
        if (out := self.out) is not None:
            if not isinstance(out, kind) or out.shape != shape:
                self._refuse_out(out, kind, shape)
            if self.accum is None and dtype is out.dtype:  # as in a search
                self.typed_accum = None
            else:
                self.typed_accum = self._check_dtypes(out.dtype, dtype)
        self.kind = kind
        self.shape = shape
        self.dtype = dtype
        if (mask := self.mask) is None:
            self.inside = None
            return None
        handle = mask.handle
        if handle.shape != shape:
            raise SizeMismatch(
                f"{self.operation}: the mask is {describe(handle.shape)}, "
                f"the result {describe(shape)}; they have to be equal"
            )
        self.inside = inside = StructuralMask(handle.storage, mask.complemented)
        return inside

    def accumulate_with(self, typed: TypedBinary) -> None:
        """Write as if `accum` had been given, and is typed for out and what is written."""
        self.typed_accum = typed

    def _refuse_out(self, out: Handle, kind: type[Handle], shape: Shape) -> NoReturn:
        if not isinstance(out, kind):
            raise InvalidArgument(f"{self.operation}: out has to be a {kind.kind}, not {shown(out)}")
        raise SizeMismatch(
            f"{self.operation}: out is {describe(out.shape)}, "
            f"the result {describe(shape)}; they have to be equal"
        )

    def _check_dtypes(self, out: DType, t: DType) -> TypedBinary | None:
        """The accumulator for out and t; neither t nor what it gives may be of a wider kind than out."""
        if loses_kind(t, out):
            self._refuse_dtype("what is written", t, out)
        if self.accum is None:
            return None
        assert self.out is not None
        accum = as_binary(self.operation, "accum", self.accum)
        typed: TypedBinary = type_on(self.out.backend, accum, out, t)
        if loses_kind(typed.result, out):
            self._refuse_dtype(f"what accum={self.accum!r} gives", typed.result, out)
        return typed.into(out)

    def _refuse_dtype(self, what: str, dtype: DType, out: DType) -> None:
        lost = "all but zero or not zero" if out.kind == "b" else "fractions"
        raise LossyCast(
            f"{self.operation}: out has dtype {out}, {what} has {dtype}, so {lost} would be lost; "
            f'give an out of dtype {dtype}, or cast what is written, as in x.cast("{out}")'
        )

    def write(self, t: Storage, *, masked: bool = False) -> Any:
        """Write t and return the handle it is now in; `masked` says that t lies inside the mask."""
        backend = self.backend
        if self.inside is not None and not masked:
            t = backend.restrict(t, self.inside)
        result = self.out
        if result is None:
            result = self.kind(self.shape, self.dtype, t, backend)
        elif self.typed_accum is not None and self.puts_t_over_out:
            return self.merge(t)
        else:
            make_writable(result)
            result.replace_storage(
                backend.write(
                    result.storage, t, self.inside, self.typed_accum, self.replace, result.dtype
                )
            )
        if self.trace is not None:
            self.record(backend.nvals_here(result.storage))
        return result

    def write_step(self, step: Step) -> Any:
        """Compute an element-wise operation, and write that; inside the mask only, if the backend does
        both in one loop and nobody can tell.
        """
        backend, inside = self.backend, self.inside
        if inside is not None and backend.fuses and step.given.op.never_raises:
            return self.write(backend.evaluate(Step("restrict", (step,), inside)), masked=True)
        return self.write(getattr(backend, step.operation)(*step.operands, step.given))

    @property
    def puts_t_over_out(self) -> bool:
        """Whether each entry of t, inside the mask, ends up in out as it is, and no entry of out is lost
        because of the mask.
        """
        if self.replace and self.mask is not None:
            return False
        accum = self.typed_accum
        return accum is None or accum.replaces

    def merge(self, t: Storage) -> Any:
        """Put the entries of t over those of out, which keeps its others; return out."""
        backend, out = self.backend, self.out
        assert out is not None
        make_writable(out)
        out.replace_storage(backend.merge(out.storage, t, out.dtype))
        if self.trace is not None:
            self.record(backend.nvals_here(out.storage))
        return out

    def record(self, nvals_out: int) -> None:
        """Tell the trace, if there is one, that the operation is done, with so many entries here."""
        if self.trace is not None:
            name, processes = self.backend.name, self.backend.processes
            rank = processes.rank if processes.count > 1 else None
            self.trace.add(
                self.operation, self.operator, name, self.nvals_in, nvals_out, self.begin, rank
            )


def agree(operation: str, operands: dict[str, Handle]) -> Backend:
    """The backend to compute on these operands with.

    They have to live on one: they may differ in options of execution, of which those in use are taken,
    or else those of the first operand.
    """
    backend: Backend | None = None
    for operand in operands.values():
        if not isinstance(operand, Handle):
            name = next(name for name, x in operands.items() if x is operand)
            raise InvalidArgument(f"{operation}: {name}={shown(operand)} is not a Matrix or Vector")
        if backend is None:
            backend = operand.backend
        elif operand.backend is not backend and operand.backend.identity != backend.identity:
            raise _mismatch(operation, operands)
    assert backend is not None
    return computing_for(backend)


def _mismatch(operation: str, operands: dict[str, Handle]) -> BackendMismatch:
    """Which operands live where, and how to move those that cost less: vectors to a matrix."""
    where = ", ".join(f"{name} on {x.backend.name!r}" for name, x in operands.items())
    by_weight = sorted(operands, key=lambda name: len(operands[name].shape), reverse=True)
    stays = by_weight[0]
    there = operands[stays].backend
    moves = [name for name in by_weight if operands[name].backend.identity != there.identity]
    to = f"to({stays}.backend)"
    moved = f"mask=x.{to}.structure" if moves[0] == "mask" else f"{moves[0]}.{to}"
    names = {x.backend.name for x in operands.values()}
    kind = "different backends" if len(names) > 1 else "backends with different options"
    return BackendMismatch(
        f"{operation}: operands live on {kind} ({where}); make new ones with like={stays}, "
        f"or move them, as in {moved}"
    )


def type_on(backend: Backend, operator: Any, *operands: DType) -> Any:
    """The operator for operands of these dtypes; if it cannot be typed, all processes raise that."""
    try:
        return operator.typed(*operands)
    except AnypairError as error:
        backend.processes.fail(error)


def expect(operation: str, argument: str, value: Any, kind: type[HandleType]) -> HandleType:
    """`value`, if it is a handle of that kind."""
    if not isinstance(value, kind):
        raise InvalidArgument(f"{operation}: {argument} has to be a {kind.kind}, not {shown(value)}")
    return value


def as_semiring(operation: str, semiring: Any) -> Semiring:
    """`semiring`, if it is one."""
    if not isinstance(semiring, Semiring):
        raise InvalidArgument(
            f"{operation}: {shown(semiring)} is not a semiring; "
            "take one from anypair.semiring or make one with Semiring(monoid, operator)"
        )
    return semiring


def describe(shape: Shape) -> str:
    """A shape in words."""
    return f"of size {shape[0]}" if len(shape) == 1 else f"{shape[0]}x{shape[1]}"
