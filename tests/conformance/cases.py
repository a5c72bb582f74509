"""One strategy for each operation: arguments on the reference backend, ready to run on any other."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import anypair
from anypair import nary_op
from anypair.config import resolve
from anypair.dtypes import DType
from anypair.handle import Handle
from anypair.semiring import BinaryOp, TypedMonoid, TypedSemiring
from tests.support.compare import assert_same
from tests.support.strategies import (
    BINARY,
    MONOIDS,
    SEMIRINGS,
    UNARY,
    dtypes,
    handles_of,
    matrices,
    shapes,
    sizes,
    values,
    vectors,
)


@dataclass
class Case:
    """An operation with its arguments."""

    operation: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)

    def run(self, backend: str, **closing: Any) -> Any:
        """The result on a backend; the arguments are shown to be left alone."""
        moved = tuple(move(x, backend) for x in self.arguments)
        before = [x.copy() if isinstance(x, Handle) else None for x in moved]
        result = self.operation(*moved, **self.keywords, **closing)
        for argument, copy in zip(moved, before, strict=True):
            assert copy is None or anypair.same(argument, copy), "an argument was changed"
        return result


def on_gpu(backend: str) -> bool:
    """Whether a GPU computes, or a GPU and a CPU by turns."""
    return backend == "cuda" or getattr(resolve(backend), "device", None) is not None


def move(x: Any, backend: Any) -> Any:
    """A copy of a handle on that backend; anything else as it is."""
    return x.to(backend).copy() if isinstance(x, Handle) else x


#: Results of which kinds an output of each kind takes: narrower numbers, but no other kind of number.
TAKEN_BY = {"b": "b", "i": "biu", "u": "biu", "f": "biuf"}


def is_refused(out: DType, t: DType, accum: BinaryOp | None) -> bool:
    """Whether an output would take the result, or what the accumulator makes of it, only with loss."""
    written = [t] if accum is None else [t, accum.typed(out, t).result]
    return any(dtype.kind not in TAKEN_BY[out.kind] for dtype in written)


@contextmanager
def leaves_alone(out: Handle, error: type[Exception]) -> Iterator[Any]:
    """Inside it that error is raised, and out stays as it is."""
    before = out.copy()
    with pytest.raises(error):
        yield out
    assert_same(out, before)


def is_exact(monoid: TypedMonoid) -> bool:
    """Whether sums do not depend on their order, so that values may be as large as they like."""
    return monoid.domain.kind != "f" or monoid.monoid.name in ("min", "max")


def gives_one_answer(typed: TypedSemiring) -> bool:
    """Whether every backend has to give the same value: `any` may choose, unless all are alike."""
    op = typed.multiply.op
    return not typed.add.takes_any or not (op.reads_left or op.reads_right or op.positional)


@st.composite
def typed_semirings(draw: Any) -> tuple[Any, DType, DType, bool]:
    """A catalogue semiring with one answer, dtypes for its operands, and whether it is exact."""
    semiring = draw(st.sampled_from([SEMIRINGS[name] for name in sorted(SEMIRINGS)]))
    left, right = draw(dtypes), draw(dtypes)
    typed = semiring.typed(left, right)
    if not gives_one_answer(typed):
        return draw(typed_semirings())
    return semiring, left, right, is_exact(typed.add)


@st.composite
def mxv_cases(draw: Any) -> Case:
    semiring, edge, value, ends = draw(typed_semirings())
    m, n = draw(sizes), draw(sizes)
    a, u = draw(matrices((m, n), edge, ends=ends)), draw(vectors(n, value, ends=ends))
    return Case(anypair.mxv, (a, u, semiring))


@st.composite
def vxm_cases(draw: Any) -> Case:
    semiring, edge, value, ends = draw(typed_semirings())
    m, n = draw(sizes), draw(sizes)
    a, u = draw(matrices((m, n), edge, ends=ends)), draw(vectors(m, value, ends=ends))
    return Case(anypair.vxm, (u, a, semiring))


@st.composite
def mxm_cases(draw: Any) -> Case:
    semiring, left, right, ends = draw(typed_semirings())
    m, k, n = draw(sizes), draw(sizes), draw(sizes)
    a, b = draw(matrices((m, k), left, ends=ends)), draw(matrices((k, n), right, ends=ends))
    return Case(anypair.mxm, (a, b, semiring))


@st.composite
def kron_cases(draw: Any) -> Case:
    op = BINARY[draw(st.sampled_from(sorted(BINARY)))]
    small = st.tuples(st.integers(0, 3), st.integers(0, 3))
    return Case(anypair.kron, (draw(matrices(draw(small))), draw(matrices(draw(small))), op))


@st.composite
def ewise_cases(draw: Any, operation: Callable[..., Any]) -> Case:
    op = BINARY[draw(st.sampled_from(sorted(BINARY)))]
    shape = draw(shapes)
    x, y = (draw(handles_of(shape, specials=True)) for _ in range(2))
    return Case(operation, (x, y, op))


@nary_op
def _blended(x: Any, y: Any, share: Any) -> Any:
    return share * x + (1 - share) * y


@st.composite
def ewise_all_cases(draw: Any) -> Case:
    shape = draw(shapes)
    kind = draw(dtypes)
    operands = (draw(handles_of(shape, kind, ends=False)) for _ in range(3))
    return Case(partial(anypair.ewise_all, _blended), tuple(operands))


@st.composite
def applied_cases(draw: Any, operation: Callable[..., Any]) -> Case:
    x = draw(handles_of(draw(shapes), specials=True))
    if draw(st.booleans()):
        return Case(operation, (x, UNARY[draw(st.sampled_from(sorted(UNARY)))]))
    op = BINARY[draw(st.sampled_from(sorted(BINARY)))]
    dtype = draw(dtypes)
    number = dtype.type(draw(values(dtype)))
    scalar = number if draw(st.booleans()) else number.item()
    return Case(operation, (x, op), {draw(st.sampled_from(["left", "right"])): scalar})


@st.composite
def reduce_cases(draw: Any) -> Case:
    monoid = MONOIDS[draw(st.sampled_from([m for m in sorted(MONOIDS) if m != "any_monoid"]))]
    dtype = draw(dtypes)
    x = draw(matrices(dtype=dtype, ends=is_exact(monoid.typed(dtype))))
    return Case(anypair.reduce, (x, monoid), {"by": draw(st.sampled_from(["rows", "columns"]))})


def index_lists(length: int, *, unique: bool = False) -> st.SearchStrategy[Any]:
    """None, a slice or a list of indices; only lists may repeat themselves."""
    some = st.lists(st.integers(0, length - 1), max_size=6, unique=unique) if length else st.just([])
    step = st.sampled_from([None, 1, 2, -1])
    parts = st.builds(slice, st.integers(0, length), st.integers(0, length), step)
    return st.none() | parts | some | some.map(lambda places: np.array(places, np.int32))


@st.composite
def extract_cases(draw: Any) -> Case:
    x = draw(handles_of(draw(shapes)))
    indices = [draw(index_lists(n)) for n in x.shape]
    if len(x.shape) == 2 and draw(st.booleans()):
        axis = draw(st.integers(0, 1))
        if x.shape[axis]:
            indices[axis] = draw(st.integers(0, x.shape[axis] - 1))
    return Case(anypair.extract, (x, *indices))


@st.composite
def transpose_cases(draw: Any) -> Case:
    return Case(anypair.transpose, (draw(matrices()),))


@st.composite
def diag_cases(draw: Any) -> Case:
    return Case(anypair.diag, (draw(handles_of(draw(shapes))),))


@st.composite
def selection_cases(draw: Any) -> Case:
    ncols = draw(st.integers(1, 6))
    places = draw(st.sets(st.integers(0, 5)))
    kind = draw(st.sampled_from(["int64", "int32", "uint8"]))
    targets = [draw(st.integers(0, ncols - 1)) for _ in places]
    u = anypair.Vector.from_entries(sorted(places), targets, 6, dtype=kind, backend="reference")
    return Case(anypair.selection, (u, ncols))


@st.composite
def closure_cases(draw: Any) -> Case:
    """A closure that there is; `test_closure.py` has those that are refused."""
    name = draw(
        st.sampled_from(["min_plus", "max_min", "min_select", "min_source", "lor_land", "any_pair"])
    )
    n, kind = draw(sizes), np.dtype(bool) if name in ("lor_land", "any_pair") else draw(dtypes)
    a, u = draw(matrices((n, n), kind, ends=False)), draw(vectors(n, kind, ends=False))
    if name == "min_source" and not np.can_cast(kind, np.int64):
        u = u.cast(np.int64)
    if name == "min_plus" and kind.kind in "if":
        a = anypair.apply(a, anypair.semiring.absolute)
    return Case(anypair.closure, (u, a, SEMIRINGS[name]))


CASES: dict[str, st.SearchStrategy[Case]] = {
    "mxv": mxv_cases(),
    "vxm": vxm_cases(),
    "mxm": mxm_cases(),
    "closure": closure_cases(),
    "kron": kron_cases(),
    "ewise_add": ewise_cases(anypair.ewise_add),
    "ewise_mult": ewise_cases(anypair.ewise_mult),
    "ewise_all": ewise_all_cases(),
    "apply": applied_cases(anypair.apply),
    "select": applied_cases(anypair.select),
    "reduce": reduce_cases(),
    "extract": extract_cases(),
    "transpose": transpose_cases(),
    "diag": diag_cases(),
    "selection": selection_cases(),
}
