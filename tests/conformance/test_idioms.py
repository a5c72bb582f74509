"""Names for what is composed of operations: on every backend what `reference` gives, and what NumPy says."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import Mask, Matrix, Vector, apply, reduce, same
from anypair.errors import AnypairError, BackendMismatch, InvalidArgument, SizeMismatch
from anypair.semiring import identity, minus, plus, times
from tests.conformance.cases import move
from tests.support.compare import assert_entries, assert_same, entries

NAN = float("nan")


def samples(like: Any = None) -> dict[str, Any]:
    """A vector and a matrix that is not square, with values of two kinds; on `reference` unless like says."""
    where: dict[str, Any] = {"backend": "reference"} if like is None else {"like": like}
    return {
        "v": Vector.from_entries([5, 0, 3, 2], [4.5, -1.0, NAN, 4.5], 6, **where),
        "w": Vector.from_entries([4, 0, 2], [7, 2, -1], 6, **where),
        "A": Matrix.from_entries([2, 0, 2, 1], [3, 1, 0, 1], [9, 8, -7, 8], (3, 5), **where),
        "B": Matrix.from_entries([2, 0, 1], [3, 0, 1], [0.5, 2.0, NAN], (3, 5), **where),
    }


def places(x: Any) -> set[tuple[int, ...]]:
    return set(entries(x))


def all_places(shape: tuple[int, ...]) -> set[tuple[int, ...]]:
    return set(np.ndindex(*shape))


def inside(mask: Mask) -> set[tuple[int, ...]]:
    has = places(mask.handle)
    return all_places(mask.handle.shape) - has if mask.complemented else has


@pytest.mark.parametrize("pair", ["vw", "AB"])
def test_where_and_masks_of_masks(backend: str, pair: str) -> None:
    """Every way to combine two masks, against sets of places."""
    one, other = (move(samples()[name], backend) for name in pair)
    for m in (one.structure, ~one.structure):
        assert_same(other.where(m), apply(other, identity, mask=m))
        for n in (other.structure, ~other.structure):
            assert inside(m & n) == inside(m) & inside(n)
            assert inside(m | n) == inside(m) | inside(n)
            found = one.where(m & n)
            assert places(found) == places(one) & inside(m) & inside(n)
            assert found.dtype == one.dtype
            found.to_entries()  # which may have been of the form of a mask


def test_masks_of_masks_are_of_now(backend: str) -> None:
    x, y = Vector.from_entries([0, 1], 1, 4), Vector.from_entries([1, 2], 1, 4)
    both, either = x.structure & y.structure, x.structure | y.structure
    anypair.update(y, Vector.from_entries([0, 3], 1, 4))
    anypair.update(x, Vector.from_entries([2], 1, 4))
    assert inside(both) == {(1,)}
    assert inside(either) == {(0,), (1,), (2,)}
    kept = x.where(y.structure)
    anypair.assign(x, 9)
    assert set(kept.to_dict().values()) == {1}


def test_where_knows_what_the_values_are(backend: str) -> None:
    numbers = Vector.range(5)
    kept = numbers.where(Vector.from_entries([1, 4], 1, 5).structure)
    assert numbers.values_are_indices
    assert kept.values_are_indices
    assert kept.to_dict() == {1: 1, 4: 4}


def test_full_range_and_identity(backend: str) -> None:
    for n in (0, 1, 7):
        assert_same(Vector.range(n), Vector.from_numpy(np.arange(n), backend="reference"))
        eye = Matrix.identity(n, 0.5)
        assert_same(eye, Matrix.from_entries(range(n), range(n), 0.5, (n, n), backend="reference"))
        assert eye.is_symmetric
        eye.to_scipy()
    for shape in ((0, 3), (2, 0), (1, 4), (5, 2), (3, 3)):
        for value in (True, 3, 2.5):
            full = Matrix.full(shape, value)
            assert_same(full, Matrix.from_numpy(np.full(shape, value), backend="reference"))
            assert full.is_symmetric == (shape[0] == shape[1])
    assert Matrix.full((2, 2), 1, np.int8).dtype == np.int8
    assert same(Matrix.identity(2).T, Matrix.identity(2))


def test_an_operator_stands_for_its_monoid(backend: str) -> None:
    A = move(samples()["A"], backend)
    for op in (plus, anypair.semiring.minimum, anypair.semiring.lor, anypair.semiring.lxor):
        monoid = anypair.semiring.monoid_of(op)
        assert monoid is not None
        assert reduce(A, op) == reduce(A, monoid)
        assert_same(reduce(A, op, by="columns"), reduce(A, monoid, by="columns"))


def test_union_with_a_default(backend: str) -> None:
    v, w, A, B = (move(x, backend) for x in samples().values())
    w = w.cast(np.int8)
    for x, y in ((v, w), (w, v), (A, B), (w, w)):
        for op in (minus, anypair.semiring.lt, anypair.semiring.second):
            for default in (0, 0.5, np.float32(2)):
                found = anypair.union(x, y, op, default=default)
                p, q = entries(x), entries(y)
                number = default.item() if isinstance(default, np.generic) else default
                expected = {at: op(p.get(at, number), q.get(at, number)) for at in p.keys() | q.keys()}
                assert_entries(entries(found), expected)
                ref = [z.to("reference") for z in (x, y)]
                assert_same(found, anypair.union(*ref, op, default=default))


@pytest.mark.parametrize("name", ["rows", "columns", "both"])
def test_scale(backend: str, name: str) -> None:
    A = move(samples()["A"], backend)
    for some in (False, True):
        r = Vector.from_entries([0, 1, 2][some:], [2.0, 3.0, 5.0][some:], 3)
        c = Vector.from_entries([0, 1, 2, 3, 4][some:], [7, 6, 5, 4, 3][some:], 5)
        given = {"rows": {"rows": r}, "columns": {"columns": c}, "both": {"rows": r, "columns": c}}[name]
        for op in (times, minus, anypair.semiring.second):
            expected = {}
            for (i, j), value in entries(A).items():
                for u, at in ((given.get("rows"), i), (given.get("columns"), j)):
                    known = None if u is None else u.get(at)
                    if u is not None:
                        value = None if known is None or value is None else op(value, known)
                expected |= {} if value is None else {(i, j): value}
            found = A.scale(**given, op=op)
            assert entries(found) == expected
            moved = {key: u.to("reference") for key, u in given.items()}
            assert_same(found, A.to("reference").scale(**moved, op=op))


def test_gather_and_scatter(backend: str) -> None:
    x, full = move(samples()["v"], backend), Vector.from_numpy([3, 1, 4, 1, 5, 9])
    for dtype in (np.int64, np.uint8):
        p = Vector.from_entries([0, 1, 3, 6], [5, 2, 2, 4], 7, dtype=dtype)
        for u in (x, full):
            found = u[p]
            values = entries(u)
            expected = {(i,): values[to,] for i, to in p.to_dict().items() if (to,) in values}
            assert_entries(entries(found), expected)
            assert found.shape == p.shape
            assert found.dtype == u.dtype
        y = Vector.from_entries([0, 1, 2, 3], [1.5, 2.0, 3.0, 4.0], 7)
        assert anypair.scatter(y, p, 6, plus).to_dict() == {2: 6.0, 5: 1.5}
        assert anypair.scatter(y, p, 9, anypair.semiring.min_monoid).to_dict() == {2: 2.0, 5: 1.5}
    wrong = Vector.from_entries([2], [-1], 7)
    for call in (lambda: x[wrong], lambda: anypair.scatter(wrong, wrong, 6, plus)):
        with pytest.raises(anypair.errors.IndexOutOfRange, match="indices hold -1 at 2, which is out"):
            call()


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool"])
def test_random_numbers_are_the_same_everywhere(backend: str, dtype: str) -> None:
    for n in (0, 1, 100):
        found = Vector.random(n, 12, dtype)
        assert_same(found, Vector.random(n, 12, dtype, backend="reference"))
        assert found.nvals == n
    assert found.to_entries()[1].tolist() == Vector.random(200, 12, dtype)[:100].to_entries()[1].tolist()
    assert not same(found, Vector.random(100, 13, dtype))


def test_random_numbers_are_spread_evenly() -> None:
    numbers = Vector.random(20_000, 5, backend="scipy").to_entries()[1]
    counts, _ = np.histogram(numbers, bins=50, range=(0, 1))
    assert ((counts - 400) ** 2 / 400).sum() < 100  # chi squared with 49 degrees of freedom
    assert abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < 0.02
    other = Vector.random(20_000, 6, backend="scipy").to_entries()[1]
    assert abs(np.corrcoef(numbers, other)[0, 1]) < 0.02


VALUES = {
    "floats": [2.5, NAN, -1.0, 2.5, float("inf"), -0.5],
    "integers": [7, -(2**63), 2**63 - 1, 7, 0, -3],
    "unsigned": [7, 0, 2**64 - 1, 7, 3, 2],
    "bools": [True, False, True, True, False, False],
}


@pytest.mark.parametrize("kind", VALUES)
def test_order_sort_top_and_extremes(backend: str, kind: str) -> None:
    values = VALUES[kind]
    at = [1, 2, 4, 5, 7, 8]
    x = Vector.from_entries(at, values, 10)
    numbers = [v for v in values if v == v]
    stable = sorted((v, i) for v, i in zip(values, at, strict=True) if v == v)
    falling = sorted(stable, key=lambda pair: (-pair[0], pair[1]))
    not_numbers = [i for v, i in zip(values, at, strict=True) if v != v]
    for descending, pairs in ((False, stable), (True, falling)):
        p = anypair.order(x, descending=descending)
        assert p.to_dict() == dict(enumerate([i for _, i in pairs] + not_numbers))
        sorted_values = anypair.sort(x, descending=descending)
        assert_same(sorted_values, x[p])
        assert sorted_values.to_entries()[1][: len(numbers)].tolist() == [v for v, _ in pairs]
    for k in (0, 2, 4, 20):
        for smallest, pairs in ((True, stable), (False, falling)):
            found = anypair.top(x, k, smallest=smallest)
            assert set(found.to_dict()) == set(([i for _, i in pairs] + not_numbers)[:k])
            assert found.dtype == x.dtype
    assert x.argmin() == stable[0][1]
    assert x.argmax() == falling[0][1]
    found, counts = anypair.unique(x)
    assert found[: len(set(numbers))].tolist() == sorted(set(numbers))
    assert counts.sum() == len(values)


def test_rows_in_order(backend: str) -> None:
    A = Matrix.from_entries(
        [0, 0, 0, 2, 2, 2, 2, 4], [4, 1, 0, 3, 2, 1, 0, 2], [5, 9, 5, -1, 4, 4, 0, 7], (5, 6)
    )
    rows = A.to_numpy(missing=-99)
    for k in (0, 1, 2, 9):
        first = {(i, j) for i, row in enumerate(rows) for j in np.flatnonzero(row != -99)[:k]}
        assert places(anypair.head(A, k)) == first
        most = {
            (i, j) for i, row in enumerate(rows)
            for j in sorted(np.flatnonzero(row != -99), key=lambda j: (-row[j], j))[:k]
        }  # fmt: skip
        assert places(anypair.top(A, k)) == most
        some = anypair.sample(A, k, seed=3)
        assert_same(some, anypair.sample(A.to("reference"), k, seed=3))
        assert [len([p for p in places(some) if p[0] == i]) for i in range(5)] == [
            min(k, n) for n in (3, 0, 4, 0, 1)
        ]
    assert A.argmax(by="rows").to_dict() == {0: 1, 2: 1, 4: 2}
    assert A.argmin(by="rows").to_dict() == {0: 0, 2: 3, 4: 2}
    assert A.argmax(by="columns").to_dict() == {0: 0, 1: 0, 2: 4, 3: 2, 4: 0}
    drawn = {frozenset(places(anypair.sample(A, 1, seed=s))) for s in range(20)}
    assert len(drawn) > 4


def test_running_sums(backend: str) -> None:
    x = Vector.from_entries([1, 2, 5, 6, 7], [3, -1, 4, 100, 4], 9, dtype=np.int8)
    assert anypair.cumulate(x, plus).to_dict() == {1: 3, 2: 2, 5: 6, 6: 106, 7: 110}
    assert anypair.cumulate(x, anypair.semiring.min_monoid).to_dict() == {
        1: 3,
        2: -1,
        5: -1,
        6: -1,
        7: -1,
    }
    A = move(samples()["A"], backend)
    for monoid in (plus, anypair.semiring.maximum, anypair.semiring.lxor):
        for y in (x, A, A.cast(float), A.cast(np.uint8)):
            assert_same(anypair.cumulate(y, monoid), running(y.to("reference"), monoid))


def running(x: Any, op: Any) -> Any:
    """One after another."""
    monoid = anypair.semiring.monoid_of(op).typed(x.dtype)  # type: ignore[union-attr]
    sums: dict[Any, Any] = {}
    before: Any = None
    for place, value in sorted(entries(x).items()):
        follows = before is not None and (len(place) == 1 or before[0] == place[0])
        sums[place] = monoid.op(sums[before], value) if follows else monoid.op(monoid.identity, value)
        before = place
    *at, values = *zip(*sums, strict=True), list(sums.values())
    storage = x.backend.build(tuple(map(np.array, at)), np.array(values, monoid.domain), x.shape, None)
    return type(x)(x.shape, monoid.domain, storage, x.backend)


WRONG: list[tuple[Callable[[], Any], type[AnypairError], str]] = [
    (lambda: Vector.full(2, 1).where(None), InvalidArgument, "where: mask=None is not a mask"),  # type: ignore[arg-type]
    (lambda: Vector.full(2, 1).where(Vector.full(2, 1)), InvalidArgument, "is not a mask"),  # type: ignore[arg-type]
    (lambda: Vector.full(2, 1).where(Vector.full(3, 1).structure), SizeMismatch, "the mask is of size 3"),
    (lambda: Vector.full(2, 1).structure & Vector.full(2, 1), InvalidArgument, "give x.structure"),  # type: ignore[operator]
    (lambda: Vector.full(2, 1).structure | True, InvalidArgument, "True is not a mask"),  # type: ignore[operator]
    (lambda: Vector.full(2, 1).structure & Vector.full(3, 1).structure, SizeMismatch, "size 2 and of size 3"),
    (
        lambda: Vector.full(2, 1, backend="reference").structure
        & Vector.full(2, 1, backend="scipy").structure,
        BackendMismatch,
        "masks: operands live on different backends",
    ),
    (lambda: Vector.range(-1), AnypairError, "Vector.range: size=-1 is negative"),
    (lambda: Matrix.identity(2.5), AnypairError, "Matrix.identity: n=2.5 is not a whole number"),  # type: ignore[arg-type]
    (lambda: Matrix.full((2, 2), "x"), AnypairError, "'x' is not a number"),  # type: ignore[arg-type]
    (lambda: Matrix.full((2**40, 2**40), 1), AnypairError, r"nrows \* ncols=.* is too large"),
    (lambda: reduce(Vector.full(2, 1), anypair.semiring.minus), InvalidArgument, "an operator that has just one"),  # type: ignore[call-overload]
    (lambda: anypair.union(Vector.full(2, 1), Vector.full(2, 1), plus, default="x"), AnypairError, "union: default: 'x'"),  # type: ignore[arg-type]
    (lambda: anypair.union(Vector.full(2, 1), Vector.full(3, 1), plus, default=0), SizeMismatch, "union: "),
    (lambda: Matrix.identity(2).scale(), InvalidArgument, "give rows=, columns= or both"),
    (lambda: Matrix.identity(2).scale(rows=Vector.full(3, 1)), SizeMismatch, "A has 2 rows and rows= has size 3"),
    (lambda: Matrix.identity(2).scale(columns=[1, 2]), InvalidArgument, "columns has to be a Vector"),  # type: ignore[arg-type]
    (lambda: Vector.full(2, 1)[Vector.full(2, 1.0)], AnypairError, "gather: indices are float64"),
    (lambda: anypair.scatter(Vector.full(2, 1), Vector.full(3, 1), 2, plus), SizeMismatch, "size 2 and indices 3"),
    (lambda: anypair.scatter(Vector.full(2, 1), Vector.full(2, 1), 2, minus), InvalidArgument, "scatter: monoid="),
    (lambda: anypair.top(Vector.full(2, 1), -1), AnypairError, "top: k=-1 is negative"),
    (lambda: anypair.sample(Matrix.identity(2), 1, seed=0.5), AnypairError, "seed=0.5 is not a whole number"),  # type: ignore[arg-type]
    (lambda: anypair.order(Matrix.identity(2)), InvalidArgument, "x has to be a Vector"),  # type: ignore[arg-type]
    (lambda: Vector.empty(2).argmin(), AnypairError, "argmin: size=2 has no entry that is a number"),
    (lambda: Matrix.identity(2).argmax(by="x"), InvalidArgument, "give by='rows' or by='columns'"),  # type: ignore[arg-type]
    (lambda: Vector.random(2, seed=-1), AnypairError, "seed=-1 is negative"),
    (lambda: reduce(Vector.full(2, 1), sum), InvalidArgument, "is not a monoid"),  # type: ignore[call-overload]
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_is_wrong_is_named(number: int) -> None:
    call, error, words = WRONG[number]
    with anypair.using("reference"), pytest.raises(error, match=words):
        call()
