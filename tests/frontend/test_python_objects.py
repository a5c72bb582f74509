"""Handles in the hands of Python: comparing, hashing, NumPy, weak references, notebooks."""

import copy
import weakref
from typing import Any

import numpy as np
import pytest

from anypair import Matrix, Vector, same, update
from anypair.errors import IndexOutOfRange, InvalidArgument, InvalidValue, LossyCast, NoEntry

SIZE = 1000


def vectors() -> dict[str, Vector]:
    bitmap = Vector.from_entries(range(0, SIZE, 7), range(0, SIZE, 7), SIZE)
    update(bitmap, Vector.from_entries(range(3, SIZE, 5), range(3, SIZE, 5), SIZE))
    return {
        "list": Vector.from_entries([900, 5, 71], [9.5, 0.5, 7.5], SIZE),
        "bitmap": bitmap,
        "full": Vector.full(SIZE, 3),
        "empty": Vector.empty(SIZE),
        "nothing": Vector.empty(0),
    }


def test_equality_is_refused_with_advice(backend: str) -> None:
    for x in (Vector.full(2, 1), Matrix.from_edges([0], [1])):
        for other in (x, x.copy(), 1, None):
            with pytest.raises(InvalidArgument, match=r"not compared by == or !=; ask same\(x, y\)"):
                x == other  # noqa: B015
            with pytest.raises(InvalidArgument, match="not compared"):
                x != other  # noqa: B015
        assert x in [x]
        assert {x: 5}[x] == 5
        assert len({x, x.copy(), x}) == 2


def test_numpy_takes_what_has_no_gaps(backend: str) -> None:
    v, A = Vector.from_numpy([3, 1, 2]), Matrix.full((2, 3), 0.5)
    assert np.asarray(v).tolist() == [3, 1, 2]
    assert np.asarray(A).tolist() == [[0.5] * 3] * 2
    assert np.asarray(v, np.float32).dtype == np.float32
    assert np.array([v, v]).shape == (2, 3)
    for x in (Vector.from_entries([1], [1], 2), Matrix.from_edges([0], [1])):
        for call in (np.asarray, np.array, lambda x: np.array([x, x])):
            with pytest.raises(InvalidArgument, match=r"x\.to_numpy\(missing=0\)"):
                call(x)


def test_reading_by_place(backend: str) -> None:
    x = Vector.from_entries([0, 2, 5], [5, 7, 9], 6)
    A = Matrix.from_entries([0, 1, 1], [2, 0, 3], [1.5, 2.5, 3.5], (3, 4))
    assert x[2] == x[np.int32(2)] == 7
    assert A[1, 3] == 3.5
    assert x[1:4].to_dict() == {1: 7}
    assert x[:].to_dict() == x[()].to_dict() == x.to_dict()
    assert same(A[()], A)
    assert x[[5, 1, 0, 5]].to_dict() == {0: 9, 2: 5, 3: 9}
    assert A[1].to_dict() == A[1, :].to_dict() == {0: 2.5, 3: 3.5}
    assert A[:, 2].to_dict() == {0: 1.5}
    assert same(A[[1, 0], 1:], Matrix.from_entries([0, 1], [2, 1], [3.5, 1.5], (2, 3)))
    for missing in (lambda: x[1], lambda: A[0, 0]):
        with pytest.raises(NoEntry, match="there is no entry at") as caught:
            missing()
        assert isinstance(caught.value, KeyError)
    assert caught.value.place == (0, 0)
    for wrong, error, words in (
        (lambda: x[6], IndexOutOfRange, "give 0 to 5"),
        (lambda: x[-1], IndexOutOfRange, "give 0 to 5"),
        (lambda: A[0, 9], IndexOutOfRange, "give 0 to 3"),
        (lambda: x[1, 2], InvalidArgument, "Vector has 1 dimension; several"),
        (lambda: A[1, 2, 3], InvalidArgument, "Matrix has 2 dimensions"),
        (lambda: x["a"], InvalidValue, "'a', which is no index"),
    ):
        with pytest.raises(error, match=words):
            wrong()


def test_writing_by_place(backend: str) -> None:
    x = Vector.from_entries([0, 2, 5], [5, 7, 9], 6)
    held = x + 1
    x[1] = 4
    x[2:4] = 0
    assert x.to_dict() == {0: 5, 1: 4, 2: 0, 3: 0, 5: 9}
    x[[0, 5]] = Vector.from_entries([1], [8], 2)
    del x[3]
    del x[[1, 4]]
    assert x.to_dict() == {2: 0, 5: 8}
    assert held.to_dict() == {0: 6, 2: 8, 5: 10}
    with pytest.raises(LossyCast):
        x[0] = 0.5
    A = Matrix.from_entries([0, 1, 1], [2, 0, 3], [1.5, 2.5, 3.5], (3, 4))
    A[2, 2] = 7
    A[0] = Vector.from_entries([3], [1.0], 4)
    del A[1, 3]
    assert sorted(A) == [(0, 3, 1.0), (1, 0, 2.5), (2, 2, 7.0)]
    del A[:, 0]
    del A[2]
    assert list(A) == [(0, 3, 1.0)]
    del A[:, :]
    assert not A.nvals


def test_entries_are_what_is_in_it(backend: str) -> None:
    x = Vector.from_entries([0, 2, 5], [0, 7, 9], 6)
    A = Matrix.from_entries([0, 1, 1], [2, 0, 3], True, (3, 4))
    assert len(x) == len(A) == len(list(x)) == 3
    assert list(x) == [(0, 0), (2, 7), (5, 9)]
    assert list(A) == [(0, 2, True), (1, 0, True), (1, 3, True)]
    assert [i in x for i in (0, 1, 5, 6, -1, 2**70)] == [True, False, True, False, False, False]
    assert [place in A for place in ((0, 2), (2, 0), (7, 0))] == [True, False, False]
    with pytest.raises(InvalidArgument, match="Matrix has places such as"):
        1 in A  # noqa: B015
    copied = copy.deepcopy({"x": x, "again": x})
    assert copied["x"] is copied["again"] is not x
    x[1] = 4
    assert copied["x"].to_dict() == {0: 0, 2: 7, 5: 9}


def test_weak_references(backend: str) -> None:
    x = Vector.full(2, 1)
    held: Any = weakref.WeakValueDictionary(x=x)
    assert held["x"] is x
    del x
    assert "x" not in held


@pytest.mark.parametrize("name", ["list", "bitmap", "full", "empty", "nothing"])
def test_html_shows_the_first_entries(backend: str, name: str) -> None:
    v = vectors()[name]
    for count in (0, 1, 8, 2 * SIZE):
        first = v.backend.first_entries(v.storage, v.shape, count)
        for found, expected in zip(first, v.to_entries(), strict=True):
            assert found.tolist() == expected[:count].tolist()
            assert found.dtype == expected.dtype
    shown = v._repr_html_()
    assert shown.count("<tr>") == 1 + min(8, v.nvals)
    assert ("more entries" in shown) == (v.nvals > 8)


def test_html_of_matrices(backend: str) -> None:
    graph = Matrix.from_edges([5, 5, 0, 9, 9, 9], [1, 2, 3, 4, 5, 6], n=12)
    for count in (0, 3, 8):
        first = graph.backend.first_entries(graph.storage, graph.shape, count)
        assert [c.tolist() for c in first] == [c[:count].tolist() for c in graph.to_entries()]


@pytest.mark.parametrize("backend", ["jit", "scipy"], indirect=True)
def test_html_reads_no_more_than_it_shows(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Matrix.from_edges(np.arange(SIZE), np.arange(SIZE)[::-1], n=SIZE)
    asked = []
    entries = type(graph.backend).entries

    def counted(self: Any, x: Any) -> Any:
        found = entries(self, x)
        asked.append(len(found[-1]))
        return found

    monkeypatch.setattr(type(graph.backend), "entries", counted)
    graph._repr_html_()
    assert max(asked, default=0) <= 8
