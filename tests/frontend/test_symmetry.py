"""What is known to be symmetric is, keeps being known, and is never merely believed."""

import copy
import gc
import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import ref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypair
from anypair import Matrix, Vector, apply, assign, binary_op, index_unary_op, mxv, select, transpose, vxm
from anypair.errors import InvalidValue
from anypair.semiring import (
    absolute,
    column,
    diagonal,
    gt,
    lower,
    minimum,
    off_diagonal,
    plus_times,
    position,
    strict_upper,
    times,
)
from tests.support.compare import assert_same, entries


@binary_op
def _shifted(x: Any, y: Any) -> Any:
    return x + 3 * y


@index_unary_op(result=bool)
def _above(x: Any, i: Any, j: Any) -> Any:
    return i < j


def weighted() -> Matrix:
    return Matrix.from_edges(
        [0, 1, 2, 3, 3], [1, 2, 0, 3, 1], [2.5, -1.0, 4.0, 7.0, 0.5], n=5, symmetric=True
    )


KEPT: dict[str, Callable[[Matrix], Matrix]] = {
    "copy": Matrix.copy,
    "copy.copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "cast": lambda A: A.cast(np.float32),
    "cast to bool": lambda A: A.cast(bool),
    "to": lambda A: A.to("reference" if A.backend.name != "reference" else "scipy"),
    "to and back": lambda A: A.to("reference").to(A.backend),
    "transpose": transpose,
    "apply": lambda A: apply(A, absolute),
    "apply a number": lambda A: apply(A, times, right=3),
    "apply a user's": lambda A: apply(A, _shifted, left=2.0),
    "apply to the diagonal": lambda A: apply(A, diagonal),
    "select values": lambda A: select(A, gt, right=0),
    "select places": lambda A: select(A, off_diagonal),
    "select the diagonal": lambda A: select(A, diagonal),
    "by_degree": lambda A: A.by_degree().graph,
    "shuffled": lambda A: A.shuffled(seed=3).graph,
}

LOST: dict[str, Callable[[Matrix], Matrix]] = {
    "apply rows": lambda A: apply(A, position),
    "apply columns": lambda A: apply(A, column),
    "select a triangle": lambda A: select(A, strict_upper),
    "select a user's": lambda A: select(A, _above),
    "select the lower": lambda A: select(A, lower),
    "apply under a mask": lambda A: apply(A, absolute, mask=select(A, strict_upper).structure),
    "select under a mask": lambda A: select(A, gt, right=0, mask=select(A, lower).structure),
    "into out": lambda A: apply(A, absolute, out=Matrix.from_edges([0], [4], [1.0]), accum=minimum),
    "transpose under a mask": lambda A: transpose(A, mask=select(A, lower).structure),
    "assign": lambda A: assign(A.copy(), 9.0, 0, [4]),
}


def check_transposes(A: Matrix) -> None:
    """Reading, and multiplying from either side, agree with entries put in by hand."""
    rows, cols, values = A.to_entries()
    plain = Matrix.from_entries(cols, rows, values, A.shape[::-1], backend="reference")
    assert_same(A.T.to("reference"), plain)
    u = Vector.from_numpy(np.arange(1.0, A.nrows + 1), backend="reference")
    here = u.to(A.backend)
    assert_same(mxv(A.T, here, plus_times).to("reference"), mxv(plain, u, plus_times))
    assert_same(vxm(here, A, plus_times).to("reference"), mxv(plain, u, plus_times))
    assert_same(mxv(A, here, plus_times).to("reference"), vxm(u, plain, plus_times))


@pytest.mark.parametrize("name", KEPT)
def test_kept(backend: str, name: str) -> None:
    made = KEPT[name](weighted())
    assert made.is_symmetric
    assert made.T is made
    check_transposes(made)


@pytest.mark.parametrize("name", LOST)
def test_lost(backend: str, name: str) -> None:
    made = LOST[name](weighted())
    assert not made.is_symmetric
    check_transposes(made)


def test_a_copy_does_not_follow_what_is_written_to_the_original(backend: str) -> None:
    A = weighted()
    kept = A.copy()
    assign(A, 9.0, 0, [4])
    assert not A.is_symmetric
    assert kept.is_symmetric
    check_transposes(A)
    check_transposes(kept)


def test_mark_symmetric_checks(backend: str) -> None:
    one_way = Matrix.from_edges([0], [1], n=2)
    with pytest.raises(InvalidValue, match=r"mark_symmetric: .* is not its own transpose"):
        one_way.mark_symmetric()
    assert not one_way.is_symmetric
    assert entries(one_way.T) == {(1, 0): True}
    unequal = Matrix.from_entries([0, 1], [1, 0], [1.0, 2.0], (2, 2))
    with pytest.raises(InvalidValue, match="every entry"):
        unequal.mark_symmetric()
    with pytest.raises(InvalidValue, match="2x3"):
        Matrix.empty((2, 3)).mark_symmetric()
    zeros = Matrix.from_entries([0, 1], [1, 0], [0.0, -0.0], (2, 2))
    with pytest.raises(InvalidValue):
        zeros.mark_symmetric()


@pytest.mark.parametrize("dtype", [bool, "int8", "uint64", "float32"])
def test_marked(backend: str, dtype: Any) -> None:
    A = Matrix.from_entries(
        [0, 1, 2, 2], [1, 0, 2, 2], [1, 1, 0, 1], (3, 3), dtype=dtype, duplicates=minimum
    )
    A.T  # noqa: B018  one that is made before does not stay
    A.mark_symmetric()
    A.mark_symmetric()
    assert A.is_symmetric
    assert A.T is A
    check_transposes(A.cast(float))
    Matrix.empty((3, 3)).mark_symmetric()
    Matrix.empty((0, 0)).mark_symmetric()


def test_nan_is_as_nan(backend: str) -> None:
    A = Matrix.from_entries([0, 1], [1, 0], [math.nan, math.nan], (2, 2))
    A.mark_symmetric()
    assert A.is_symmetric


@given(
    edges=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(-1, 1)), max_size=12),
)
def test_marking_by_definition(backend: str, edges: list[tuple[int, int, int]]) -> None:
    at = {(i, j): w for i, j, w in edges}
    A = Matrix.from_entries([i for i, _ in at], [j for _, j in at], list(at.values()), (5, 5), dtype=int)
    assert A.has_symmetric_structure == all((j, i) in at for i, j in at)
    if all(at.get((j, i)) == w for (i, j), w in at.items()):
        A.mark_symmetric()
        assert A.is_symmetric
    else:
        with pytest.raises(InvalidValue):
            A.mark_symmetric()
    check_transposes(A.cast(float))


def test_structure_is_found_anew_after_a_write(backend: str) -> None:
    A = Matrix.from_edges([0, 1], [1, 0], [3, 5], n=3)
    assert A.has_symmetric_structure
    assert not A.is_symmetric
    assign(A, 1, 0, [2])
    assert not A.has_symmetric_structure
    assert not Matrix.empty((2, 3)).has_symmetric_structure
    assert Matrix.from_edges([0], [1], symmetric=True).has_symmetric_structure


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, -5], (-5, 3)),
        ([2.5, math.inf], (2.5, math.inf)),
        ([-math.inf, 1.0], (-math.inf, 1.0)),
        ([2**63 - 1, -(2**63)], (-(2**63), 2**63 - 1)),
        (np.array([2**64 - 1, 1], np.uint64), (1, 2**64 - 1)),
        ([True, False], (False, True)),
    ],
)
def test_value_range(backend: str, values: Any, expected: Any) -> None:
    A = Matrix.from_entries([0, 1], [1, 0], values, (2, 2))
    assert A.value_range == expected
    assign(A, A.dtype.type(1))
    assert A.value_range == (1, 1)


def test_value_range_of_nan_and_of_nothing(backend: str) -> None:
    A = Matrix.from_entries([0, 1], [1, 0], [math.nan, 3.0], (2, 2))
    assert all(map(math.isnan, A.value_range))
    assert Matrix.empty((3, 3)).value_range == (0, 0)


def test_a_symmetric_graph_is_freed_without_the_collector(backend: str) -> None:
    """It referred to itself."""
    import gc
    import weakref

    graph = anypair.Matrix.from_edges([0], [1], symmetric=True)
    gone = weakref.ref(graph)
    gc.disable()
    try:
        del graph
        assert gone() is None
    finally:
        gc.enable()


ALL_OF_IT: dict[str, Callable[[Matrix], Matrix]] = {
    "copy": Matrix.copy,
    "cast to itself": lambda A: A.cast(A.dtype),
    "to": lambda A: A.to("reference" if A.backend.name != "reference" else "scipy"),
    "transpose": transpose,
    "T": lambda A: A.T,
}
STRUCTURE: dict[str, Callable[[Matrix], Matrix]] = {
    "cast": lambda A: A.cast(np.float32),
    "apply": lambda A: apply(A, absolute),
    "apply rows": lambda A: apply(A, position),
}


def one_sided() -> Matrix:
    """Symmetric in structure, not in values."""
    return Matrix.from_entries([0, 1, 1, 2, 4], [1, 0, 2, 1, 4], [2.0, 3.0, -1.0, 4.0, 7.0], (5, 5))


def forbidden(*arguments: Any, **keywords: Any) -> Any:
    raise AssertionError("what was known has been looked at again")


def knows_all(A: Matrix, *, values: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        for name in ("transpose", "restrict", *(["reduce"] if values else [])):
            patched.setattr(type(A.backend), name, forbidden)
        assert A.has_symmetric_structure
        if values:
            assert A.value_range == (-1.0, 7.0)


@pytest.mark.parametrize("name", [*ALL_OF_IT, *STRUCTURE])
def test_what_is_known_of_structure_and_values_survives(
    backend: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    A = one_sided()
    assert A.has_symmetric_structure
    assert A.value_range == (-1.0, 7.0)
    made = (ALL_OF_IT | STRUCTURE)[name](A)
    assert not made.is_symmetric
    knows_all(made, values=name in ALL_OF_IT, monkeypatch=monkeypatch)
    check_transposes(made)
    if name not in ALL_OF_IT:
        low, high = made.value_range
        assert (low, high) == (min(made.to_entries()[2]), max(made.to_entries()[2]))


def test_what_is_written_to_is_not_known(backend: str) -> None:
    A = one_sided()
    assert A.has_symmetric_structure
    assert A.value_range == (-1.0, 7.0)
    made = A.copy()
    assign(made, 9.0, 3, [0])
    assert not made.has_symmetric_structure
    assert made.value_range == (-1.0, 9.0)
    assert A.value_range == (-1.0, 7.0)


def test_a_transpose_that_is_there_is_not_made_for_a_check(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    A = Matrix.from_entries([0, 1], [1, 0], [5, 5], (2, 2))
    assert A.T is not A
    monkeypatch.setattr(type(A.backend), "transpose", forbidden)
    A.mark_symmetric()
    B = Matrix.from_entries([0], [1], [5], (2, 2))
    B._symmetric_structure = False
    with pytest.raises(InvalidValue, match="not its own transpose"):
        B.mark_symmetric()


@pytest.mark.parametrize("name", ["copy", "cast of one value"])
def test_the_other_direction_of_products_is_not_made_again(backend: str, name: str) -> None:
    engine = anypair.config.resolve()
    if backend not in ("jit", "cuda", "scipy") or (name != "copy" and backend != "jit"):
        pytest.skip("keeps no transpose beside a matrix, or makes it anew")
    A = Matrix.from_edges([0, 1, 1, 3], [1, 2, 3, 0], n=4)
    engine.transpose(A.storage)
    made = A.copy() if name == "copy" else A.cast(np.int8)
    assert made.storage.transposed is not None
    check_transposes(made)
    check_transposes(A)


def test_what_is_known_of_rows_is_shared_by_values() -> None:
    with anypair.using("jit"):
        A = Matrix.from_edges([0, 1, 1, 3], [1, 2, 3, 0], [1.0, 2.0, 3.0, 4.0], n=4)
        known = A.storage.nonempty, A.storage.max_degree
        made = apply(A.cast(np.float32), absolute)
        found = made.storage.__dict__
        assert (found["nonempty"], found["max_degree"]) == known
        check_transposes(made)


@pytest.mark.parametrize("make", [lambda A: A, lambda A: A.T, lambda A: apply(A, times, right=2.0)])
def test_what_nobody_refers_to_is_gone_at_once(make: Callable[[Matrix], Matrix], backend: str) -> None:
    """A matrix and its transpose, or itself, in a circle would keep their memory until it is collected."""
    gc.disable()
    try:
        for symmetric in (False, True):
            graph = Matrix.from_edges([0, 1], [1, 2], [2.0, 3.0], symmetric=symmetric)
            made = make(graph)
            assert made.T.T is made
            mxv(made, Vector.full(3, 1.0), plus_times)
            vxm(Vector.full(3, 1.0), made, plus_times)
            seen = [ref(x) for x in (graph, made, made.T)]
            with suppress(TypeError):  # some kinds of storage cannot be referred to weakly
                seen += [ref(x.storage) for x in (graph, made, made.T)]
            del graph, made
            assert [x() for x in seen] == [None] * len(seen)
    finally:
        gc.enable()
