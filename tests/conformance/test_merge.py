"""One meaning, three spellings: entries put over others are merged, on every backend by one method."""

from collections.abc import Callable
from typing import Any

import pytest

import anypair
from anypair import Matrix, Vector, assign, binary_op, ewise_add, update, vxm
from anypair.backends.base import Backend
from anypair.errors import LossyCast
from anypair.semiring import first, min_source, second
from tests.support.compare import assert_same

SIZE = 150


@binary_op
def newer(old, new):  # type: ignore[no-untyped-def]
    return new


SPELLINGS: dict[str, Callable[[Any, Any], Any]] = {
    "update": update,
    "assign": lambda out, t: assign(out, t, mask=t.structure),
    "ewise_add": lambda out, t: ewise_add(out, t, second, out=out),
    "a user's ewise_add": lambda out, t: ewise_add(out, t, newer, out=out),
    "assign with accum": lambda out, t: assign(out, t, accum=second),
    "assign with both": lambda out, t: assign(out, t, mask=t.structure, accum=newer),
}


@pytest.fixture
def merged(monkeypatch: pytest.MonkeyPatch, backend: str) -> list[str]:
    """The names of the methods by which something is written on the backend in use, from now on."""
    kind = type(anypair.Vector.empty(1).backend)
    seen: list[str] = []

    def spy(name: str) -> None:
        original = getattr(kind, name)
        depth = [0]

        def method(self: Backend, *arguments: Any) -> Any:
            if not depth[0]:
                seen.append(name)
            depth[0] += 1
            try:
                return original(self, *arguments)
            finally:
                depth[0] -= 1

        monkeypatch.setattr(kind, name, method)

    for name in ("merge", "write", "ewise_add"):
        spy(name)
    return seen


def vectors() -> tuple[Vector, Vector]:
    out = Vector.from_entries(range(0, SIZE, 3), range(0, SIZE, 3), SIZE)
    return out, Vector.from_entries(range(0, SIZE, 2), -1, SIZE, dtype=int)


def matrices() -> tuple[Matrix, Matrix]:
    out = Matrix.from_entries([0, 1, 2], [2, 1, 0], [1, 2, 3], (3, 4))
    return out, Matrix.from_entries([1, 2], [1, 3], [7, 8], (3, 4))


def at(x: Vector | Matrix) -> dict[Any, Any]:
    """Values by place."""
    *places, values = x.to_entries()
    return dict(zip(zip(*places, strict=True), values.tolist(), strict=True))


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("made", [vectors, matrices], ids=["vectors", "matrices"])
def test_each_spelling_merges(merged: list[str], spelling: str, made: Any) -> None:
    out, t = made()
    before, expected = at(t), {**at(out), **at(t)}
    merged.clear()
    assert SPELLINGS[spelling](out, t) is out
    assert merged[0] == "merge"
    assert at(out) == expected
    assert at(t) == before


def test_a_number_under_a_mask_is_merged(merged: list[str]) -> None:
    out, t = vectors()
    expected = {**at(out), **dict.fromkeys(at(t), 5)}
    merged.clear()
    assign(out, 5, mask=t.structure)
    assert merged[0] == "merge"
    assert at(out) == expected


@pytest.mark.parametrize("spelling", ["update", "assign", "ewise_add"])
def test_merging_something_into_itself(backend: str, spelling: str) -> None:
    out, _ = vectors()
    expected = out.to_dict()
    assert SPELLINGS[spelling](out, out).to_dict() == expected


@pytest.mark.parametrize("spelling", ["update", "assign", "assign with accum"])
def test_what_is_merged_is_cast(backend: str, spelling: str) -> None:
    floats = Vector.from_entries([0, 1], [0.5, 1.5], 3)
    SPELLINGS[spelling](floats, Vector.from_entries([1, 2], [7, 8], 3))
    assert floats.to_dict() == {0: 0.5, 1: 7.0, 2: 8.0}
    assert floats.dtype == float
    narrow = Vector.from_entries([0], [1], 3, dtype="int8")
    SPELLINGS[spelling](narrow, Vector.from_entries([1], [300], 3))
    assert narrow.to_dict() == {0: 1, 1: 44}
    with pytest.raises(LossyCast):
        SPELLINGS[spelling](narrow, floats)
    assert narrow.to_dict() == {0: 1, 1: 44}


def test_what_looks_alike_and_is_no_merge(backend: str) -> None:
    """Entries that are lost, values that change on the way, another output."""
    out, t = vectors()
    kept = out.cast(int)
    assert assign(out, t, mask=t.structure, replace=True).to_dict() == t.to_dict()
    assert ewise_add(kept, t, first, out=kept).to_dict() == {**t.to_dict(), **vectors()[0].to_dict()}
    floats = Vector.from_entries([0, 1], [0.5, 1.5], 3)
    whole = Vector.from_entries([1], [7], 3)
    assert ewise_add(floats, whole, second, out=floats).to_dict() == {0: 0.0, 1: 7.0}  # of t's dtype
    other = Vector.from_entries([2], [9], 3)
    assert ewise_add(whole, other, second, out=Vector.empty(3, int)).to_dict() == {1: 7, 2: 9}
    assert whole.to_dict() == {1: 7}


def test_a_search_step_by_step(backend: str) -> None:
    """A product beside what was reached, merged into it by each spelling in turn."""
    places = list(range(SIZE))
    graph = Matrix.from_edges(
        places, [(3 * place + 1) % SIZE for place in places], n=SIZE, symmetric=True
    )
    found = []
    for spelling in SPELLINGS.values():
        reached = Vector.from_entries([0], [0], SIZE)
        frontier = reached
        while frontier.nvals:
            frontier = vxm(frontier, graph, min_source, mask=~reached.structure)
            spelling(reached, frontier)
        found.append(reached)
    for other in found[1:]:
        assert_same(other, found[0])
