"""A multiply that sees the place (i, j) of the result: the same everywhere, or refused."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypair
from anypair import Matrix, Semiring, Vector, binary_op, closure, kron, mxm, mxv, vxm
from anypair.errors import InvalidArgument, NotSupported, OperatorError
from anypair.semiring import any_monoid, max_monoid, min_monoid, plus, plus_monoid
from tests.conformance.cases import Case, move
from tests.support.compare import assert_same
from tests.support.strategies import matrices, sizes, vectors

TELLING = {"reference", "scipy", "jit", "suitesparse", "list"}


@binary_op(positional=True, result=np.int64)
def everything(x: Any, y: Any, k: Any, i: Any, j: Any) -> Any:
    """Tells all five apart."""
    return x + 3 * y + 100 * k + 10_000 * i + 1_000_000 * j


@binary_op(positional=True)
def target(x: Any, y: Any, k: Any, i: Any, j: Any) -> Any:
    return i + 7 * j


@binary_op(positional=True, result=float)
def distance(x: Any, y: Any, k: Any, i: Any, j: Any) -> Any:
    return y / (1 + abs(i - k))


@binary_op(positional=True)
def source(x: Any, y: Any, k: Any, i: Any, j: Any) -> Any:
    return k


SEMIRINGS = {
    "sum": Semiring(plus_monoid, everything),
    "min": Semiring(min_monoid, everything),
    "max": Semiring(max_monoid, target),
    "floats": Semiring(plus_monoid, distance),
    "sources": Semiring(min_monoid, source),
    "any": Semiring(any_monoid, target),
}


@pytest.fixture
def telling(backend: str) -> str:
    if backend not in TELLING:
        pytest.skip("refuses operators of places")
    return backend


@pytest.mark.parametrize("name", SEMIRINGS)
@settings(max_examples=15)
@given(data=st.data())
def test_products_tell_their_multiply_the_place(telling: str, name: str, data: st.DataObject) -> None:
    semiring, dtype = SEMIRINGS[name], np.dtype(data.draw(st.sampled_from(["int64", "uint8", "bool"])))
    m, n, o = data.draw(sizes), data.draw(sizes), data.draw(sizes)
    a = data.draw(matrices((m, n), dtype, ends=False))
    cases = {
        mxv: (a, data.draw(vectors(n, dtype, ends=False))),
        vxm: (data.draw(vectors(m, dtype, ends=False)), a),
        mxm: (a, data.draw(matrices((n, o), dtype, ends=False))),
    }
    for operation, operands in cases.items():
        t = Case(operation, (*operands, semiring)).run("reference")
        assert_same(Case(operation, (*operands, semiring)).run(telling), t)
        inside = data.draw(vectors(t.shape[0], dtype) if len(t.shape) == 1 else matrices(t.shape, dtype))
        for complemented in (False, True):

            def masks(handle: Any, complemented: bool = complemented) -> Any:
                return ~handle.structure if complemented else handle.structure

            found = operation(
                *(move(x, telling) for x in operands), semiring, mask=masks(move(inside, telling))
            )
            assert_same(found, operation(*operands, semiring, mask=masks(inside)))
            out = t.copy()
            expected = operation(*operands, semiring, out=out, mask=masks(inside), accum=plus)
            out = move(t, telling)
            found = operation(
                *(move(x, telling) for x in operands), semiring,
                out=out, mask=masks(move(inside, telling)), accum=plus,
            )  # fmt: skip
            assert_same(found, expected)


def test_places_are_those_of_the_result(telling: str) -> None:
    A = Matrix.from_entries([0, 2], [1, 1], [1, 1], shape=(3, 2))
    u, w = Vector.from_entries([1], [5], size=2), Vector.from_entries([2], [5], size=3)
    total = SEMIRINGS["sum"]
    assert mxv(A, u, total).to_dict() == {0: 116, 2: 20_116}
    assert vxm(w, A, total).to_dict() == {1: 10_216}
    assert vxm(w, A, total).to_dict() == mxv(A.T, w, total).to_dict()
    B = Matrix.from_entries([1], [3], [2], shape=(2, 4))
    assert list(mxm(A, B, total)) == [(0, 3, 3_000_107), (2, 3, 3_020_107)]
    assert list(total(A @ B)) == [(0, 3, 3_000_107), (2, 3, 3_020_107)]
    assert total(A @ B).sum() == 6_020_214
    assert mxv(A, u, SEMIRINGS["sources"]).to_dict() == {0: 1, 2: 1}


def test_one_value_for_all_entries(telling: str) -> None:
    """Which is stored once, and is not one result for all."""
    A = Matrix.from_edges([0, 0, 1, 3, 4], [1, 2, 3, 0, 4], symmetric=True)
    full, u = Matrix.full((5, 5), 1), Vector.full(5, 2)
    a, f, w = (x.to("reference") for x in (A, full, u))
    for s in (SEMIRINGS["sum"], SEMIRINGS["max"]):
        for left, right in ((A, full), (full, A), (full, full), (A, A)):
            moved = (x.to("reference") for x in (left, right))
            assert_same(mxm(left, right, s).to("reference"), mxm(*moved, s))
            inside = A.structure
            found = mxm(left, right, s, mask=inside)
            assert_same(found.to("reference"), mxm(left, right, s).where(inside).to("reference"))
        assert_same(mxv(A, u, s).to("reference"), mxv(a, w, s))
        assert_same(vxm(u, full, s).to("reference"), vxm(w, f, s))


@pytest.mark.parametrize("wide", [1, 4])
def test_scaling_by_a_diagonal_and_long_rows(telling: str, wide: int) -> None:
    """The ways that a product of matrices takes: diagonals, few terms, many, and hash tables."""
    n = 40
    rows, cols = np.divmod(np.arange(0, n * n, 3), n)
    A = Matrix.from_entries(rows, cols, rows + cols, shape=(n, n), backend="reference")
    D = anypair.diag(Vector.from_entries([0, 7, 39], [1, 2, 3], size=n, backend="reference"))
    W = Matrix.from_entries(rows, cols * 10**wide, cols, shape=(n, n * 10**wide), backend="reference")
    for left, right in ((A, D), (D, A), (D, D), (A, A), (A, W), (D, W)):
        found = mxm(move(left, telling), move(right, telling), SEMIRINGS["sum"])
        assert_same(found, mxm(left, right, SEMIRINGS["sum"]))
        inside = found.to("reference")
        masked = mxm(move(left, telling), move(right, telling), SEMIRINGS["sum"], mask=found.structure)
        assert_same(masked, inside)


def test_a_batch_of_vectors(telling: str) -> None:
    """Few rows that are wide: `jit` keeps these as vectors, which have no number of their own."""
    n = 1 << 14
    chain = np.arange(n - 1)
    A = Matrix.from_entries(chain, chain + 1, np.ones(n - 1, int), shape=(n, n))
    B = Matrix.from_entries([0, 1, 2], [5, 9, n - 2], [1, 2, 3], shape=(3, n))
    found = mxm(B, A, SEMIRINGS["sum"])
    expected = [
        (0, 6, 4 + 500 + 6_000_000),
        (1, 10, 5 + 900 + 10_000 + 10_000_000),
        (2, n - 1, 6 + 100 * (n - 2) + 20_000 + 1_000_000 * (n - 1)),
    ]
    assert list(found) == expected


@pytest.mark.parametrize("direction", ["push", "pull"])
@pytest.mark.parametrize("dtypes", [("int64", "int64"), ("float32", "int8"), ("bool", "float64")])
def test_either_direction_and_dtypes_that_differ(
    telling: str, direction: str, dtypes: tuple[str, str]
) -> None:
    """Which libraries cast on the way, and which transpose."""
    rng = np.random.default_rng(5)
    rows, cols = np.divmod(np.flatnonzero(rng.random(20 * 30) < 0.3), 30)
    A = Matrix.from_entries(
        rows, cols, (rows + cols).astype(dtypes[0]), shape=(20, 30), backend="reference"
    )
    u = Vector.from_numpy(np.arange(30).astype(dtypes[1]), backend="reference")
    w = Vector.from_entries([1, 5], np.array([3, 4], dtypes[1]), size=20, backend="reference")
    B = A.T.cast(dtypes[1])
    forced = {"direction": direction} if "direction" in anypair.default_backend().options else {}
    with anypair.using(telling, **forced):
        for name in ("sum", "max"):
            s = SEMIRINGS[name]
            assert_same(mxv(move(A, telling), move(u, telling), s), mxv(A, u, s))
            assert_same(vxm(move(w, telling), move(A, telling), s), vxm(w, A, s))
            assert_same(mxm(move(A, telling), move(B, telling), s), mxm(A, B, s))


@binary_op(positional=True, result=np.int64)
def dividing(x: Any, y: Any, k: Any, i: Any, j: Any) -> Any:
    return x // (i - 2)


def test_an_error_says_for_which_place(telling: str) -> None:
    A, u = Matrix.full((4, 3), 1), Vector.full(3, 1)
    raising = Semiring(plus_monoid, dividing)
    for call in (
        lambda: mxv(A, u, raising),
        lambda: vxm(u, Matrix.full((3, 4), 1), raising),
        lambda: mxm(A, Matrix.full((3, 2), 1), raising),
    ):
        with pytest.raises(OperatorError, match=r"dividing.*\(1, 1, [012], 2, [01]\)"):
            call()


def test_elsewhere_it_is_refused_with_the_reason(backend: str) -> None:
    if backend in TELLING:
        pytest.skip("tells places")
    A, u = Matrix.full((2, 2), 1), Vector.full(2, 1)
    s = SEMIRINGS["sum"]
    for operation, call in (
        ("mxv", lambda: mxv(A, u, s)),
        ("vxm", lambda: vxm(u, A, s)),
        ("mxm", lambda: mxm(A, A, s)),
        ("mxv", lambda: s(A @ u)),
        ("mxm", lambda: s(A @ A)),
    ):
        with pytest.raises(NotSupported, match=rf"^{operation}: .*'everything'.*'{backend}'"):
            call()


def test_where_there_is_no_place_it_is_refused() -> None:
    A, u = Matrix.full((2, 2), 1), Vector.full(2, 1)
    with pytest.raises(InvalidArgument, match=r"closure: .*'target' sees the place"):
        closure(u, A, Semiring(min_monoid, target))
    with pytest.raises(InvalidArgument, match="binary operator of two values"):
        kron(A, A, everything)
    with pytest.raises(InvalidArgument, match="takes"):
        binary_op(lambda x, y, k, i, j: i)  # not declared positional
    with pytest.raises(InvalidArgument, match=r"\(x, y, k\)"):
        binary_op(positional=True)(lambda x, y, k, i: i)


def test_facts_and_travels() -> None:
    assert target.gives is None  # not "constant", although it reads no value and no k
    assert source.gives == "source"
    assert (target.reads_place, source.reads_place, plus.reads_place) == (True, False, False)
    assert binary_op(positional=True)(lambda x, y, k, i, j: 4).gives == "constant"
    untold = binary_op(positional=True, result=int)(lambda x, y, k, i, j: int(str(j)))
    assert untold.gives is None
    for op in (everything, everything.returning(np.dtype("int32")), everything.declaring(monotone=True)):
        again = pickle.loads(pickle.dumps(op))
        assert again.sees_place
        assert again(1, 2, 3, 4, 5) == everything(1, 2, 3, 4, 5)
    anypair.check(Semiring(min_monoid, everything.declaring(monotone=True)), dtype=np.int64)
