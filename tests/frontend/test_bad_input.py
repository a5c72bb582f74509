"""Bad input is refused before anything changes, with a message that says what to do."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import Matrix, Vector, assign, diag, extract, kron, mxm, mxv, reduce, select, vxm
from anypair import apply as apply_
from anypair.backends.options import Option
from anypair.backends.reference import ReferenceBackend
from anypair.errors import (
    AnypairError,
    BackendMismatch,
    DuplicateEntries,
    IndexOutOfRange,
    InvalidArgument,
    InvalidValue,
    NotEnoughMemory,
    NotSupported,
    SizeMismatch,
    UnsupportedDType,
)
from anypair.semiring import (
    Semiring,
    absolute,
    binary_op,
    gt,
    lower,
    min_plus,
    plus,
    plus_monoid,
    plus_times,
    source,
    times,
)

with anypair.using("scipy"):
    A = Matrix.from_entries([0, 1], [1, 2], [2.0, 3.0], shape=(2, 3))
    SQUARE = Matrix.from_edges([0, 1], [1, 2])
    U2, U3 = Vector.full(2, 1.0), Vector.full(3, 1.0)
ELSEWHERE = Vector.full(3, 1.0, backend="reference")
NAN = float("nan")
MASKED = np.ma.array([1, 2], mask=[False, True])

Call = Callable[[], Any]

BAD: list[tuple[Call, type[AnypairError], str]] = [
    # sizes that do not fit
    (lambda: mxv(A, U2, plus_times), SizeMismatch, "mxv: A has 3 columns and u has size 2"),
    (lambda: vxm(U3, A, plus_times), SizeMismatch, "vxm: A has 2 rows and u has size 3"),
    (lambda: mxm(A, A, plus_times), SizeMismatch, "mxm: A is 2x3 and B is 2x3"),
    (lambda: anypair.ewise_add(U2, U3, plus), SizeMismatch, "ewise_add: the operands are of size 2 and"),
    (lambda: anypair.ewise_mult(A, SQUARE, plus), SizeMismatch, "ewise_mult: the operands are 2x3 and"),
    (lambda: anypair.update(U2, U3), SizeMismatch, "update: the operands are of size 2"),
    (lambda: mxv(A, U3, plus_times, mask=U3.structure), SizeMismatch, "mxv: the mask is of size 3"),
    (
        lambda: mxv(A, U3, plus_times, out=U3),
        SizeMismatch,
        "mxv: out is of size 3, the result of size 2",
    ),
    (lambda: assign(U3, U2), SizeMismatch, "assign: value is of size 2, the assigned part of size 3"),
    (lambda: assign(A, U2, 0), SizeMismatch, "assign: value is of size 2"),
    (
        lambda: Matrix.from_entries([0], [0, 1], [1], (2, 2)),
        SizeMismatch,
        "Matrix.from_entries: rows has 1 elements and cols has 2",
    ),
    (lambda: Vector.from_entries([0, 1], [1], 3), SizeMismatch, "values has 1 values for 2 indices"),
    (lambda: Matrix.from_numpy([1, 2]), SizeMismatch, "array has 1 dimensions, not 2"),
    (lambda: Vector.from_numpy(5), SizeMismatch, "Vector.from_numpy: array has 0 dimensions, not 1"),
    (lambda: Matrix.from_edges(3, 4), InvalidValue, "sources has to be a list or a 1D array, not 3"),  # type: ignore[arg-type]
    (
        lambda: Matrix.from_numpy([[1], [2, 3]]),
        InvalidValue,
        "Matrix.from_numpy: array .* inhomogeneous",
    ),
    (lambda: Matrix.from_numpy([["x"]]), UnsupportedDType, "Matrix.from_numpy: array: dtype"),
    (
        lambda: Matrix.from_numpy([[2**64 - 1, -1]]),
        InvalidValue,
        "array holds -1 and 18446744073709551615",
    ),
    (lambda: Vector.from_numpy([1], missing="no"), InvalidValue, "missing: 'no' is not a number"),  # type: ignore[arg-type]
    (lambda: Vector.from_numpy(MASKED), InvalidValue, "Vector.from_numpy: array has masked elements"),
    (lambda: Vector.from_entries([0, 1], MASKED, 2), InvalidValue, "values has masked elements"),
    # indices
    (lambda: Vector.from_entries([3], [1], 3), IndexOutOfRange, r"indices\[0\] = 3.*give 0 to 2"),
    (lambda: Vector.from_entries([0, -1], [1, 1], 3), IndexOutOfRange, r"indices\[1\] = -1"),
    (lambda: Vector.from_entries([0], [1], 0), IndexOutOfRange, "no valid index in a size of 0"),
    (lambda: Matrix.from_entries([0], [5], [1], (2, 3)), IndexOutOfRange, r"cols\[0\] = 5"),
    (lambda: Matrix.from_edges([0], [7], n=5), IndexOutOfRange, r"from_edges: targets\[0\] = 7"),
    (lambda: Matrix.from_edges([-2], [1]), IndexOutOfRange, r"sources\[0\] = -2.*give 0 or more"),
    (lambda: Matrix.from_edges([2**64 - 1], [1]), IndexOutOfRange, "sources"),
    (
        lambda: Matrix.from_edges([0, 2**63], [1, 1]),
        IndexOutOfRange,
        r"sources\[1\] = 9223372036854775808",
    ),
    (lambda: U3.get(2**70), IndexOutOfRange, r"index\[0\] = 1180591620717411303424"),
    (lambda: extract(U3, [0, -(2**70)]), IndexOutOfRange, r"rows\[1\] = -1180591620717411303424"),
    (lambda: extract(U3, [3]), IndexOutOfRange, r"extract: rows\[0\] = 3"),
    (lambda: extract(A, [0], [3]), IndexOutOfRange, r"extract: columns\[0\] = 3"),
    (lambda: assign(U3, 1.0, [9]), IndexOutOfRange, r"assign: rows\[0\] = 9"),
    (lambda: U3.get(3), IndexOutOfRange, "Vector.get: index"),
    (lambda: A.get(0, -1), IndexOutOfRange, "Matrix.get: col"),
    (lambda: anypair.selection(Vector.full(2, 5), 3), IndexOutOfRange, "selection: indices hold 5 at 0"),
    # what is no index
    (lambda: Vector.from_entries([0.5], [1], 3), InvalidValue, "indices holds 0.5, which is no index"),
    (lambda: Vector.from_entries([NAN], [1], 3), InvalidValue, "indices holds nan"),
    (lambda: Vector.from_entries([None], [1], 3), InvalidValue, "indices holds None"),
    (lambda: Vector.from_entries([True], [1], 3), InvalidValue, "indices holds True"),
    (lambda: Vector.from_entries(["a"], [1], 3), InvalidValue, "indices holds 'a'"),
    (lambda: Vector.from_entries([[0]], [1], 3), InvalidValue, "indices has to be a list or a 1D array"),
    (lambda: Vector.from_entries(0, 1, 3), InvalidValue, "indices has to be a list or a 1D array"),
    (lambda: Vector.from_entries([0, 2**70, 0.5], [1] * 3, 3), InvalidValue, "indices holds 0.5"),
    (lambda: extract(A, U3.where(~U3.structure)), InvalidArgument, "extract: rows=.* places without"),
    (lambda: assign(U3, 1.0, [1, 1]), InvalidValue, "assign: rows names a place twice"),
    # what is no value
    (lambda: Vector.from_entries([0], [None], 3), InvalidValue, "values holds None, which is not a"),
    (
        lambda: Vector.from_entries([0], [NAN], 3, dtype=int),
        InvalidValue,
        "values holds nan, which int64",
    ),
    (lambda: Matrix.from_edges([0], [1], [None]), InvalidValue, "weights holds None"),
    (lambda: Vector.from_entries([0], ["x"], 3), UnsupportedDType, "values: dtype dtype"),
    (lambda: Vector.from_entries([0], [1j], 3), UnsupportedDType, "complex128"),
    (lambda: Vector.empty(3, "float16"), UnsupportedDType, "'float16' is not supported"),
    (lambda: U3.cast(complex), UnsupportedDType, "complex"),
    (lambda: apply_(U3, plus, right="1"), InvalidValue, "apply: right: '1' is not a number"),
    (lambda: assign(U3, "1"), InvalidValue, "assign: value: '1' is not a number"),
    (lambda: assign(U3, [1, 2], [0, 2]), InvalidValue, r"assign: value: \[1, 2\] is not a number"),
    # sizes that are none
    (lambda: Vector.empty(-1), InvalidValue, "size=-1 is negative"),
    (lambda: Vector.empty(2.5), InvalidValue, "size=2.5 is not a whole number"),  # type: ignore[arg-type]
    (lambda: Matrix.empty(3), InvalidValue, r"shape=3 is not a pair"),  # type: ignore[arg-type]
    (lambda: Matrix.empty((3, NAN)), InvalidValue, "ncols=nan"),  # type: ignore[arg-type]
    # duplicates
    (
        lambda: Vector.from_entries([1, 1], [1, 2], 3),
        DuplicateEntries,
        "Vector.from_entries: more than one entry at 1; say how.*duplicates=",
    ),
    (lambda: Matrix.from_entries([1, 1], [0, 0], 1, (2, 2)), DuplicateEntries, r"at \(1, 0\)"),
    (
        lambda: Matrix.from_edges([0, 0], [1, 1], [1, 2]),
        DuplicateEntries,
        r"Matrix.from_edges.*\(0, 1\)",
    ),
    # arguments of the wrong kind
    (lambda: mxv(U3, A, plus_times), InvalidArgument, "mxv: A has to be a Matrix"),  # type: ignore[arg-type]
    (lambda: vxm(A, A, plus_times), InvalidArgument, "vxm: u has to be a Vector"),  # type: ignore[arg-type]
    (lambda: mxv(A, U3, plus), InvalidArgument, "mxv: .*plus.* is not a semiring"),  # type: ignore[arg-type]
    (lambda: mxv(A, U3, plus_times, mask=U2), InvalidArgument, "is not a mask; give x.structure"),  # type: ignore[arg-type]
    (lambda: mxv(A, U3, plus_times, accum=plus), InvalidArgument, "mxv: accum= needs out="),
    (lambda: mxv(A, U3, plus_times, replace=True), InvalidArgument, "mxv: replace= needs out="),
    (lambda: mxv(A, U3, plus_times, out=A), InvalidArgument, "mxv: out has to be a Vector"),  # type: ignore[arg-type]
    (
        lambda: anypair.ewise_add(U3, U3, min_plus),
        InvalidArgument,
        "ewise_add: op=.*not a binary operator",
    ),  # type: ignore[arg-type]
    (lambda: anypair.ewise_add(U3, U3, source), InvalidArgument, "source.*not a binary operator of two"),
    (lambda: anypair.ewise_add(U3, 5, plus), InvalidArgument, "y=5 is not a Matrix or Vector"),  # type: ignore[type-var]
    (lambda: apply_(U3, plus), InvalidArgument, "needs either left= or right="),
    (lambda: apply_(U3, plus, left=1, right=1), InvalidArgument, "needs either left= or right="),
    (lambda: apply_(U3, absolute, right=1), InvalidArgument, "takes no left= or right="),
    (lambda: select(U3, gt), InvalidArgument, "select: .* needs either left= or right="),
    (lambda: reduce(U3, gt), InvalidArgument, "reduce: .* is not a monoid"),  # type: ignore[call-overload]
    (lambda: reduce(A, plus_monoid, by="cells"), InvalidArgument, "by='cells' is neither"),  # type: ignore[call-overload]
    (lambda: reduce(U3, plus_monoid, by="rows"), InvalidArgument, "reduce: x has to be a Matrix"),  # type: ignore[call-overload]
    (lambda: reduce(A, plus_monoid, mask=A.structure), InvalidArgument, "need by="),  # type: ignore[call-overload]
    (lambda: extract(U3, 1), InvalidArgument, "use v.get"),
    (lambda: extract(A, 1, 1), InvalidArgument, "use A.get"),
    (lambda: extract(U3, [1], [1]), InvalidArgument, r"columns=\[1\] given for a Vector"),  # type: ignore[call-overload]
    (lambda: assign(U3, 1.0, None, [1]), InvalidArgument, r"columns=\[1\] given for a Vector"),
    (lambda: assign(A, U3), InvalidArgument, "assign: a Vector cannot fill"),
    (lambda: assign(U3, SQUARE), InvalidArgument, "assign: a Matrix cannot fill"),
    (lambda: Matrix.from_scipy([[1]]), InvalidArgument, "list is no SciPy sparse array"),
    (lambda: anypair.selection(U3, 3), UnsupportedDType, "selection: indices are float64"),
    (lambda: bool(U3), InvalidArgument, "a Vector is neither true nor false"),
    (lambda: U3.structure and ~U3.structure, InvalidArgument, "a mask is neither true nor false; m & n"),
    (lambda: (1, 2, 3) in A, InvalidArgument, r"a Matrix has places such as \(3, 5\)"),
    (lambda: (1, 2) in U3, InvalidArgument, "a Vector has places such as 3"),
    (lambda: select(A, lower, left=1), InvalidArgument, "lower.* takes its number as right="),
    (
        lambda: Vector.full(3, 1, dtype="uint64").to_numpy(missing=-1),
        InvalidValue,
        "Vector.to_numpy: missing=-1 and values of uint64 have no integer dtype in common",
    ),
    (lambda: A.to_numpy(missing="no"), InvalidValue, "Matrix.to_numpy: missing: 'no' is not a number"),  # type: ignore[arg-type]
    (lambda: Semiring(plus, times), InvalidArgument, "Semiring: add=.*plus.* is not a monoid"),  # type: ignore[arg-type]
    (lambda: Semiring(plus_monoid, absolute), InvalidArgument, "multiply=.*absolute.* not a binary"),  # type: ignore[arg-type]
    (
        lambda: binary_op(partial(pow, exp=2)),  # as y would be exp, too
        InvalidArgument,
        r"takes \(base, \*, exp=2, mod=None\), but a binary operator is called with \(x, y\)",
    ),
    (lambda: Vector.full(3, 1, backend=5), InvalidArgument, "backend=5 is neither a name"),  # type: ignore[arg-type]
    # backends that do not mix
    (
        lambda: mxv(SQUARE, ELSEWHERE, min_plus),
        BackendMismatch,
        r"mxv: operands live on different backends \(A on 'scipy', u on 'reference'\).*u\.to\(A\.backend\)",
    ),
    (lambda: anypair.update(U3, ELSEWHERE), BackendMismatch, "update: operands live on different"),
    (lambda: anypair.same(U3, ELSEWHERE), BackendMismatch, "same: operands live on different"),
    (
        lambda: mxv(SQUARE, U3, min_plus, mask=ELSEWHERE.structure),
        BackendMismatch,
        "mask on 'reference'",
    ),
    (lambda: mxv(SQUARE, U3, min_plus, out=ELSEWHERE), BackendMismatch, "out on 'reference'"),
    # what cannot fit
    (
        lambda: Vector.full(10**13, 1.0),
        NotEnoughMemory,
        "Vector.full: a vector with 10000000000000 entries needs",
    ),
    (
        lambda: Matrix.empty((10**8, 10**8)).to_numpy(0.0),
        NotEnoughMemory,
        "Matrix.to_numpy: the dense array needs about",
    ),
    (lambda: assign(Matrix.empty((10**7, 10**7)), 1.0), NotEnoughMemory, "assign: filling 1000000"),
    (
        lambda: Matrix.empty((2**40, 2**40), backend="scipy"),
        NotSupported,
        "backend 'scipy'.*use another backend",
    ),
    (
        lambda: Matrix.empty((2**40, 2**40), backend="jit"),
        NotEnoughMemory,
        "1099511627776 rows.*needs about",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=[m for _, _, m in BAD])
def test_bad_input_is_refused(call: Call, error: type[AnypairError], message: str) -> None:
    before = [x.copy() for x in (A, SQUARE, U2, U3, ELSEWHERE)]
    with pytest.raises(error, match=message):
        call()
    for x, copy in zip((A, SQUARE, U2, U3, ELSEWHERE), before, strict=True):
        assert anypair.same(x, copy)


def test_every_error_is_the_built_in_one_that_people_expect() -> None:
    assert issubclass(SizeMismatch, ValueError)
    assert issubclass(IndexOutOfRange, IndexError)
    assert issubclass(BackendMismatch, TypeError)
    assert issubclass(NotEnoughMemory, MemoryError)


@pytest.mark.parametrize("operation", [anypair.transpose, diag, kron])
def test_what_is_no_handle_is_refused_by_all(operation: Any) -> None:
    arguments = (np.eye(2), np.eye(2), plus) if operation is kron else (np.eye(2),)
    with pytest.raises(InvalidArgument, match=operation.__name__):
        operation(*arguments)


def test_one_backend_with_different_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReferenceBackend, "declared", {"place": Option("here")})
    A = Matrix.from_edges([0], [1], backend=ReferenceBackend(place="there"))
    u = Vector.full(2, 1, backend=ReferenceBackend())
    said = r"different options \(A on 'reference', u on 'reference'\).*u\.to\(A\.backend\)"
    with pytest.raises(BackendMismatch, match=said):
        mxv(A, u, min_plus)
    assert mxv(A, u.to(A.backend), min_plus).to_dict() == {0: 2}


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ([2**63 + 1, 1], None, np.uint64),
        ([2**63 + 1, 1], np.uint64, np.uint64),
        ([np.uint64(2**63 + 1), 1], None, np.uint64),
        (np.array([2**63 + 1, 1], object), None, np.uint64),
        (np.array([1, 2], object), None, np.int64),
    ],
)
def test_whole_numbers_are_kept_as_they_are(values: Any, dtype: Any, expected: Any) -> None:
    v = Vector.from_entries([0, 1], values, 2, dtype=dtype, backend="reference")
    assert v.dtype == expected
    assert list(v.to_dict().values()) == [int(x) for x in values]


def test_lists_of_different_lengths_inside_a_list() -> None:
    for places, values in (([0, 1], [[1], [1, 2]]), ([[1], [1, 2]], [0, 1])):
        with pytest.raises(InvalidValue, match=r"has to be a list or an array; .* inhomogeneous"):
            Vector.from_entries(places, values, 2, backend="reference")


def test_whole_numbers_that_no_dtype_holds_together() -> None:
    with pytest.raises(
        InvalidValue, match="values holds -1 and 18446744073709551615, and no integer of 64"
    ):
        Vector.from_entries([0, 1], [2**64 - 1, -1], 2, backend="reference")
    with pytest.raises(InvalidValue, match="no integer of 64 bits can be both"):
        Vector.from_entries([0, 1], [2**64 - 1, -1], 2, dtype=np.uint64, backend="reference")
    v = Vector.from_entries([0, 1], [2**64 - 1, -1], 2, dtype=float, backend="reference")
    assert v.to_dict() == {0: 2.0**64, 1: -1.0}
