"""Handles in the hands of Python: comparing, hashing, NumPy, weak references, notebooks."""

import weakref
from typing import Any

import numpy as np
import pytest

from anypair import Matrix, Vector, update
from anypair.errors import InvalidArgument

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


def test_numpy_is_refused_with_advice(backend: str) -> None:
    for x in (Vector.full(2, 1), Matrix.from_edges([0], [1])):
        for call in (np.asarray, np.array, lambda x: np.array([x, x])):
            with pytest.raises(InvalidArgument, match=r"x\.to_numpy\(missing=0\)"):
                call(x)


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
        first = v.backend.first_entries(v.storage, count)
        for found, expected in zip(first, v.to_entries(), strict=True):
            assert found.tolist() == expected[:count].tolist()
            assert found.dtype == expected.dtype
    shown = v._repr_html_()
    assert shown.count("<tr>") == 1 + min(8, v.nvals)
    assert ("more entries" in shown) == (v.nvals > 8)


def test_html_of_matrices(backend: str) -> None:
    graph = Matrix.from_edges([5, 5, 0, 9, 9, 9], [1, 2, 3, 4, 5, 6], n=12)
    for count in (0, 3, 8):
        first = graph.backend.first_entries(graph.storage, count)
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
