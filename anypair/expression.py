"""Expressions: operations that are put off until somebody looks at what they give.

`x + y` is a handle whose storage is not there yet: it holds the operation and its operands, as they are
at that moment, and is evaluated by whoever asks for its storage first. All checks of arguments are made
when it is written. It is evaluated at once on several processes, so that no rank looks alone, at a depth
of `DEEPEST`, and with ANYPAIR_EAGER=1.

Element-wise operations on vectors whose results nobody else can look at are one tree, which a backend
may compute in one loop (`Backend.evaluate`): `abs(x - y).sum()`, or `base + damping * product`.
"""

import os
import sys
from collections.abc import Callable
from threading import Lock
from typing import Any, NamedTuple, NoReturn, TypeVar
from weakref import ref

import numpy as np

from anypair.backends.base import Backend, Shape
from anypair.backends.tree import Step
from anypair.config import computing_for, in_use
from anypair.dtypes import BOOL, DType, Scalar
from anypair.errors import AnypairError, InvalidArgument
from anypair.handle import Handle
from anypair.held import snapshot
from anypair.mask import Mask
from anypair.matrix import Matrix
from anypair.memory import named_memory_error
from anypair.operations.elementwise import (
    apply,
    check_alike,
    ewise_add,
    ewise_mult,
    select,
    typed_for_apply,
)
from anypair.operations.output import HandleType, Output, agree, type_on
from anypair.operations.products import mxm, mxv, refuse_sizes, typed_for_product, vxm
from anypair.operations.shaping import reduce
from anypair.semiring import BinaryOp, BoundOp, Monoid, Semiring, UnaryOp, is_true
from anypair.trace import current as current_trace
from anypair.vector import Vector

#: Operations on top of each other that are put off; more are evaluated as they are written.
DEEPEST = 32
NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)

#: Modules between a line that writes an expression and what is made of it.
_PASSED = (__name__, "anypair.arithmetic", "anypair.semiring.algebra")

Result = TypeVar("Result")
Made = TypeVar("Made", bound=Handle)


class Expression:
    """One operation that is put off, with its operands: handles as they were, or expressions."""

    __slots__ = ("__weakref__", "_lock", "backend", "depth", "handle", "keywords", "operands",
                 "operation", "result", "typed", "users", "written")  # fmt: skip

    def __init__(
        self,
        operation: Callable[..., Handle],
        operands: "tuple[Any, ...]",
        keywords: dict[str, Any],
        backend: Backend,
        typed: Any = None,
    ) -> None:
        self.operation = operation
        #: The typed operator of an element-wise operation on vectors, if it may be part of a tree.
        self.typed = typed
        #: How many expressions have it for an operand, and the handle that it was written as.
        self.users = 0
        self.handle: ref[Handle] | None = None
        self.operands = operands
        self.keywords = keywords
        self.backend = backend
        self.depth: int = 1 + max((o.depth for o in operands if isinstance(o, Expression)), default=0)
        #: The line that wrote it, for errors of operators.
        self.written = _line_outside()
        #: What it gives, once it is evaluated.
        self.result: Handle | None = None
        self._lock = Lock()

    def evaluate(self) -> Handle:
        """What it gives; computed once, also when two threads look."""
        with self._lock:
            if self.result is None:
                self.result = self._once()
                self.operands, self.keywords = (), {}
            return self.result

    def given_to(self, operation: Callable[..., Result]) -> Result | None:
        """What another operation gives of the operands, for which this one need not be evaluated; None
        if it has been meanwhile.
        """
        with self._lock:
            if self.result is not None:
                return None
            return self._computed(lambda: self._alone(operation))  # type: ignore[no-any-return]

    def sum(self, monoid: Monoid) -> Scalar:
        """The sum of what it gives, which nobody else will look at, so that it need not be made."""
        with self._lock:
            if self.result is None and self.typed is not None and self.backend.fuses:
                return self._computed(lambda: self._fused(monoid))  # type: ignore[no-any-return]
        return reduce(self.evaluate(), monoid)

    def _once(self) -> Any:
        """What it gives, computed again each time."""
        return self._computed(self._fused if self._has_parts else self._alone)

    def _computed(self, compute: Callable[[], Any]) -> Any:
        try:
            if computing_for(self.operands[0].backend) is self.backend:
                return compute()
            with in_use(self.backend):  # it was written inside a `using` that is over, or before one
                return compute()
        except AnypairError as error:
            file, line = self.written
            error.add_note(f"in the expression of {file}, line {line}")
            raise

    def _alone(self, operation: Callable[..., Any] | None = None) -> Any:
        operands = [o.evaluate() if isinstance(o, Expression) else o for o in self.operands]
        return (operation or self.operation)(*operands, **self.keywords)

    @property
    def _has_parts(self) -> bool:
        """Whether it is worth a tree: an operand would be made for it alone."""
        return (
            self.typed is not None
            and self.backend.fuses
            and any(isinstance(o, Expression) and o._is_unseen for o in self.operands)
        )

    @property
    def _is_unseen(self) -> bool:
        """Whether nobody else can look at what it gives."""
        is_named = self.handle is None or self.handle() is not None
        return self.result is None and self.users == 1 and not is_named

    def _fused(self, monoid: Monoid | None = None) -> Any:
        """What it gives, or the sum of that, all that is element-wise in it computed as one tree."""
        backend = self.backend
        leaves: list[Handle] = []
        spare: list[Any] = []
        tree, text = self._tree(leaves, spare)
        trace = current_trace()
        begin = 0.0 if trace is None else trace.begin()
        if monoid is not None:
            typed = type_on(backend, monoid, self.typed_result)
            tree, text = Step("reduce", (tree,), typed), f"{monoid.name}({text})"
        try:
            found = backend.evaluate(tree, spare)
        except MemoryError as error:
            raise named_memory_error(error, "expression") from error
        if trace is not None:
            nvals = {
                name: backend.nvals_here(x.storage) for name, x in zip("xyzuvw", leaves, strict=False)
            }
            count = 1 if monoid is not None else backend.nvals_here(found)
            trace.add("expression", _Named(text), backend.name, nvals, count, begin)
        if monoid is not None:
            return found
        return Vector(leaves[0].shape, self.typed_result, found, backend)

    @property
    def typed_result(self) -> DType:
        """The dtype of what it gives, of an element-wise operation."""
        first = self.operands[0]
        if self.operation is select:  # which leaves values as they are
            return first.typed_result if isinstance(first, Expression) else first.dtype
        return self.typed.result  # type: ignore[no-any-return]

    def _tree(self, leaves: list[Handle], spare: list[Any]) -> tuple[Step, str]:
        """Its tree, and how to write that; handles of operands that are not part of it are appended."""
        operands, texts = [], []
        for operand in self.operands:
            if not isinstance(operand, Expression | Handle):
                continue
            if isinstance(operand, Expression) and operand.typed is not None and operand._is_unseen:
                part, text = operand._tree(leaves, spare)
                operands.append(part)
                texts.append(text)
                continue
            if isinstance(operand, Expression) and operand._is_unseen:
                # A product, in whose place the result of the tree may come: it is not kept, as it is
                # needed again if Ctrl-C ends the tree half-way.
                handle = operand._once()
                spare.append(handle.storage)
            else:
                handle = operand.evaluate() if isinstance(operand, Expression) else operand
            known = [k for k, leaf in enumerate(leaves) if leaf.storage is handle.storage]
            if not known:
                leaves.append(handle)
            operands.append(handle.storage)
            texts.append("xyzuvw"[min(known[0] if known else len(leaves) - 1, 5)])
        name = self.typed.op.name
        if isinstance(self.typed, BoundOp):
            number = f"{self.typed.scalar:g}"
            texts = [number, *texts] if self.typed.scalar_is_left else [*texts, number]
        operation: Any = self.operation.__name__
        return Step(operation, tuple(operands), self.typed), f"{name}({', '.join(texts)})"


class _Named(NamedTuple):
    """What a trace calls an operator."""

    name: str


def _line_outside() -> tuple[str, int]:
    """File and line that wrote an expression: the first that is not of the modules it goes through."""
    frame = sys._getframe(2)
    while frame.f_globals.get("__name__") in _PASSED and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def _deferred(
    kind: type[Made],
    shape: Shape,
    dtype: DType,
    backend: Backend,
    operation: Callable[..., Any],
    *operands: Any,
    keywords: dict[str, Any] | None = None,
    typed: Any = None,
) -> Made:
    """A handle of what the operation gives, when somebody looks."""
    held = tuple(_held(x) if isinstance(x, Handle) else x for x in operands)
    for x in held:
        if isinstance(x, Expression):
            x.users += 1
    fusable = typed if issubclass(kind, Vector) else None
    expression = Expression(operation, held, keywords or {}, backend, fusable)
    made = kind.put_off(shape, dtype, expression, backend)
    expression.handle = ref(made)
    if (
        expression.depth > DEEPEST
        or backend.processes.count > 1
        or os.environ.get("ANYPAIR_EAGER", "0") not in ("", "0")
    ):
        made.finish()
    elif (trace := current_trace()) is not None:
        trace.finish_at_end(made)
    return made


def _held(x: Handle) -> "Handle | Expression":
    """What an expression holds of an operand."""
    pending = x.pending
    return snapshot(x) if pending is None else pending


def _evaluated(x: Handle) -> Handle:
    held = _held(x)
    return held.evaluate() if isinstance(held, Expression) else held


def union(x: HandleType, y: Any, op: BinaryOp) -> HandleType:
    """op of both where both have an entry, else the one that is there; of a number, `apply`."""
    return _pairwise(x, y, op, ewise_add)


def intersection(x: HandleType, y: Any, op: BinaryOp) -> HandleType:
    """op where both have an entry; of a number, `apply`."""
    return _pairwise(x, y, op, ewise_mult)


def _pairwise(x: HandleType, y: Any, op: BinaryOp, operation: Callable[..., Any]) -> HandleType:
    if isinstance(y, NUMBERS):
        return applied(x, op, right=_plain(y))
    if not isinstance(y, Handle):
        return _not_implemented(x, y)  # type: ignore[no-any-return]
    name = operation.__name__
    backend = agree(name, {"x": x, "y": y})
    check_alike(name, x, y)
    typed = type_on(backend, op, x.dtype, y.dtype)
    return _deferred(type(x), x.shape, typed.result, backend, operation, x, y, op, typed=typed)


def after_number(x: HandleType, number: Any, op: BinaryOp) -> HandleType:
    """op of a number and every entry."""
    if not isinstance(number, NUMBERS):
        return _not_implemented(x, number)  # type: ignore[no-any-return]
    return applied(x, op, left=_plain(number))


def _plain(number: Any) -> Scalar:
    plain: Scalar = number.item() if isinstance(number, np.generic) else number
    return plain


def _not_implemented(x: Handle, other: Any) -> Any:
    """Let Python look further, and say which types it cannot combine; what NumPy says would mislead."""
    if isinstance(other, np.ndarray):
        kind = Matrix.kind if other.ndim == 2 else Vector.kind
        raise InvalidArgument(
            f"a {x.kind} is not combined with an array of NumPy, as places may have no entry; "
            f"make a {kind} of the array first, as in {kind}.from_numpy(array, like=x)"
        )
    return NotImplemented


def applied(
    x: HandleType, op: UnaryOp | BinaryOp, *, left: Scalar | None = None, right: Scalar | None = None
) -> HandleType:
    """op of every entry, and of a number if it takes two."""
    backend = agree("apply", {"x": x})
    typed = typed_for_apply("apply", backend, op, x.dtype, left, right)
    given = {name: n for name, n in (("left", left), ("right", right)) if n is not None}
    return _deferred(type(x), x.shape, typed.result, backend, apply, x, op, keywords=given, typed=typed)


def where_true(x: Any) -> Mask:
    """The mask of the entries that are true."""
    backend = agree("true", {"x": x})
    typed = typed_for_apply("select", backend, is_true, x.dtype, None, None).into(BOOL)
    return Mask(_deferred(type(x), x.shape, x.dtype, backend, select, x, is_true, typed=typed))


def total(x: Any, monoid: Monoid, *, temporary: bool) -> Scalar:
    """The sum of all entries; of a handle that is `temporary`, nobody will look at them."""
    pending = x.pending
    if not temporary or pending is None or pending.users or pending.typed is None:
        return reduce(x, monoid)  # which knows of products that are put off
    return pending.sum(monoid)  # type: ignore[no-any-return]


class Product:
    """Two operands that are to be multiplied over a semiring: `plus_times(A @ x)`."""

    __slots__ = ("left", "operation", "right")

    def __init__(self, left: Matrix | Vector, right: Matrix | Vector, operation: Any) -> None:
        self.left = left
        self.right = right
        self.operation = operation

    def over(
        self, semiring: Semiring, *, out: Handle | None = None, mask: Mask | None = None, **keywords: Any
    ) -> Any:
        """The product over this semiring; the keywords are those of `mxv`, `vxm` and `mxm`."""
        left, right, name = self.left, self.right, self.operation.__name__
        if out is not None or keywords:
            return self.operation(left, right, semiring, out=out, mask=mask, **keywords)
        edges, values = (right, left) if name == "vxm" else (left, right)
        output = Output(name, semiring, None, mask, None, False, A=left, B=right)
        backend = output.backend
        typed = typed_for_product(name, backend, semiring, edges.dtype, values.dtype)
        shape = left.shape[:-1] + right.shape[1:]
        kind: type[Matrix | Vector] = Matrix if len(shape) == 2 else Vector
        output.prepare(kind, shape, typed.result)
        held = None if mask is None else Mask(_evaluated(mask.handle), mask.complemented)
        return _deferred(
            kind, shape, typed.result, backend, self.operation, left, right, semiring,
            keywords={"mask": held},
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"Product({self.left.kind} @ {self.right.kind})"

    def _refuse(self, *_: Any) -> NoReturn:
        x, y = ("A" if isinstance(each, Matrix) else "x" for each in (self.left, self.right))
        raise InvalidArgument(
            f"{self!r} has no semiring yet; call one with it, as in plus_times({x} @ {y}), or take the "
            f"operation, as in {self.operation.__name__}({x}, {y}, plus_times)"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __abs__ = __matmul__ = __rmatmul__ = _refuse
    __bool__ = __iter__ = __len__ = _refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()


def product(x: Any, y: Any) -> Any:
    """x times y, whose sizes are checked, to be given to a semiring."""
    if not isinstance(y, Matrix | Vector):
        return _not_implemented(x, y)
    if isinstance(x, Vector) and isinstance(y, Vector):
        raise InvalidArgument(
            "Vector @ Vector: one of the two has to be a Matrix; "
            "(x * y).sum() is the dot product over plus_times"
        )
    assert isinstance(x, Matrix | Vector)
    operation: Any = vxm if isinstance(x, Vector) else mxv if isinstance(y, Vector) else mxm
    agree(operation.__name__, {"left": x, "right": y})
    if x.shape[-1] != y.shape[0]:
        refuse_sizes(operation.__name__, x, y)
    return Product(x, y, operation)
