"""The sum of a product of matrices that is put off is that of the product, whether that is made or not."""

from typing import Any

import numpy as np
import pytest

import anypair
from anypair import MAX, Matrix, Semiring, Vector, ewise_add, monoid, mxm, reduce, select
from anypair.algorithms import triangle_count
from anypair.errors import InvalidArgument
from anypair.semiring import (
    any_of,
    lor_land,
    max_monoid,
    min_plus,
    pair,
    plus,
    plus_monoid,
    plus_pair,
    plus_times,
    strict_lower,
    times_monoid,
)
from tests.support.cutting import cut_all_work

BYTE = Semiring(plus_monoid, pair.returning(np.dtype(np.uint8)))
SEMIRINGS = [plus_pair, BYTE, plus_pair.returning("int8"), plus_times, min_plus, lor_land]


def matrix(seed: int, shape: tuple[int, int], entries: int, dtype: Any = np.int64) -> Matrix:
    random = np.random.default_rng(seed)
    keys = random.permutation(shape[0] * shape[1])[: min(entries, shape[0] * shape[1])]
    values = random.integers(0, 5, len(keys)).astype(dtype)
    return Matrix.from_entries(keys // max(shape[1], 1), keys % max(shape[1], 1), values, shape)


@pytest.mark.parametrize("semiring", SEMIRINGS, ids=lambda s: f"{s.name}")
@pytest.mark.parametrize("total", [plus_monoid, max_monoid, times_monoid], ids=lambda m: m.name)
@pytest.mark.parametrize("masked", ["", "inside", "outside"])
@pytest.mark.parametrize("shape", [(7, 5, 9), (1, 120, 1), (40, 1, 40), (0, 3, 2), (3, 0, 2)], ids=str)
def test_equals_the_sum_of_what_is_made(
    backend: str, semiring: Semiring, total: Any, masked: str, shape: tuple[int, int, int]
) -> None:
    nrows, between, ncols = shape
    A, B = matrix(1, (nrows, between), 300), matrix(2, (between, ncols), 300)
    M = matrix(3, (nrows, ncols), 500)
    mask = {"": None, "inside": M.structure, "outside": ~M.structure}[masked]
    expected = reduce(mxm(A, B, semiring, mask=mask), total)
    found = reduce(semiring(A @ B, mask=mask), total)
    assert found == expected
    assert type(found) is type(expected)


def lower(count: int, chance: float, seed: int) -> Matrix:
    """The edges of a graph to smaller vertices, with hubs."""
    random = np.random.default_rng(seed)
    weights = random.random(count) ** 3
    present = np.tril(np.outer(weights, weights) * random.random((count, count)) > chance, -1)
    return Matrix.from_numpy(present, missing=False)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("chance", [0.0, 0.02, 0.3, 2.0])
def test_vertices_may_be_numbered_by_degree(
    threads: int, chance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_all_work(monkeypatch)
    monkeypatch.setattr("anypair.backends.jit.closed_wedges.ORDERED_FROM", 0)
    monkeypatch.setattr("anypair.backends.jit.closed_wedges.SAMPLED", 3)
    with anypair.using("jit", threads=threads):
        L = lower(90, chance, 5)
        plain = L.to_numpy(False).astype(int)
        expected = int((plain @ plain * plain).sum())
        assert reduce(plus_pair(L @ L, mask=L.structure), plus_monoid) == expected
        # What is no triangle in one order of the vertices may be one in another: these stay as they are.
        whole = Matrix.from_numpy(plain | plain.T | np.eye(90, dtype=int), missing=0)
        dense = whole.to_numpy(0)
        for A, a in ((whole, dense), (select(whole, strict_lower).T, plain.T), (L, plain)):
            for M, m in ((whole, dense), (L.T, plain.T), (L, plain)):
                expected = int((a @ a * m).sum())
                assert reduce(plus_pair(A @ A, mask=M.structure), plus_monoid) == expected


def test_a_users_monoid_is_asked_too(backend: str) -> None:
    @monoid(identity=MAX)
    def least(x, y):  # type: ignore[no-untyped-def]
        return x if x < y else y

    A = matrix(4, (20, 20), 100)
    assert reduce(plus_pair(A @ A, mask=A.structure), least) == reduce(
        mxm(A, A, plus_pair, mask=A.structure), least
    )


@pytest.mark.parametrize("keyword", ["out", "accum", "replace"])
def test_keywords_of_vectors_are_refused(backend: str, keyword: str) -> None:
    A = matrix(4, (20, 20), 100)
    out = Vector.full(20, 7)
    given: Any = {"out": out, "accum": plus, "replace": True}[keyword]
    with pytest.raises(InvalidArgument, match="reduce: "):
        reduce(plus_times(A @ A), plus_monoid, **{keyword: given})
    assert out.to_dict() == dict.fromkeys(range(20), 7)


def test_sums_written_short_are_one_step_too() -> None:
    with anypair.using("jit"), anypair.trace() as trace:
        L = lower(60, 0.02, 6)
        plus_pair(L @ L, mask=L.structure).sum()
        product = plus_pair(L @ L, mask=L.structure)
        product.sum()
        triangle_count(ewise_add(L, L.T, any_of))
    steps = [record.operation for record in trace.records if record.operation.startswith("reduce")]
    assert steps == ["reduce(mxm)"] * 3


def test_it_is_one_step_and_the_product_is_still_there_to_look_at() -> None:
    with anypair.using("jit"):
        L = lower(60, 0.02, 6)
        product = plus_pair(L @ L, mask=L.structure)
        with anypair.trace() as trace:
            total = reduce(product, plus_monoid)
        assert [record.operation for record in trace.records] == ["reduce(mxm)"]
        assert trace.records[0].edges
        assert reduce(mxm(L, L, plus_pair, mask=L.structure), plus_monoid) == total
        assert sum(product.to_entries()[2]) == total
        assert reduce(product, plus_monoid) == total
