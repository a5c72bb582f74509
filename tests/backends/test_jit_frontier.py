"""A push reads a bitmap or lists it first: the same bits by both, and in the trace which one and why."""

from typing import Any

import numpy as np
import pytest

import anypair
from anypair import Matrix, Semiring, Vector, binary_op, mxm, mxv, trace, update, vxm
from anypair.algorithms import bfs_parents
from anypair.backends.jit.products import VectorProduct
from anypair.errors import OperatorError
from anypair.graph500 import kronecker_edges
from anypair.semiring import (
    any_pair,
    any_second,
    min_monoid,
    min_plus,
    min_source,
    plus_monoid,
    plus_times,
)
from tests.support.cutting import cut_all_work

WAYS = ("queue", "read", "auto")


@binary_op
def checked(edge: float, value: float) -> float:
    if value == 7.25:
        raise ValueError("seven and a quarter")
    return edge * value


SEMIRINGS = {
    "one value": any_pair,
    "any value": any_second,
    "indices": min_source,
    "rounded": plus_times,
    "selecting": min_plus,
    "may raise": Semiring(plus_monoid, checked),
}


def answers(options: dict[str, Any], semiring: Semiring, size: int, share: float, form: str) -> Any:
    """Every result of one product, masked and not, from a vector of this form."""
    random = np.random.default_rng([size, int(100 * share)])
    rows, columns = random.integers(size, size=(2, 8 * size))
    wide = 3 * size + 1  # far from square
    places = np.flatnonzero(random.random(size) < share)
    with anypair.using("jit", **options):
        A = Matrix.from_entries(
            rows, 3 * columns, random.random(8 * size), (size, wide), duplicates=plus_monoid
        )
        if form == "unsorted":
            places = places[::-1]
        u = Vector.from_entries(places, random.random(len(places)), size)
        if form == "bitmap":
            written = Vector.empty(size, float)
            update(written, Vector.full(size, 0.5))
            u = anypair.extract(u, None)
            update(u, u)
            u.storage.bitmap(u.backend.workspace.get)
        closed = Vector.from_entries(np.arange(0, wide, 2), True, wide)
        found = []
        for mask in (None, closed.structure, ~closed.structure):
            t = vxm(u, A, semiring, mask=mask)
            found.append([array.tobytes() for array in t.to_entries()])
        found.append([array.tobytes() for array in mxv(A.T, u, semiring).to_entries()])
        return found


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", SEMIRINGS)
def test_the_same_bits(name: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if threads > 1:
        cut_all_work(monkeypatch)
    for size, share, form in [
        (1, 1.0, "list"),
        (64, 0.0, "list"),
        (65, 0.5, "bitmap"),
        (320, 1.0, "bitmap"),
        (1000, 0.3, "bitmap"),
        (1000, 0.02, "bitmap"),
        (1000, 0.3, "list"),
    ]:
        given = (SEMIRINGS[name], size, share, form)
        alone = answers({"threads": 1, "direction": "push", "frontier": "queue"}, *given)
        for way in WAYS:
            options = {"threads": threads, "direction": "push", "frontier": way}
            assert answers(options, *given) == alone, (way, given)


@pytest.mark.parametrize("way", WAYS)
def test_an_operator_that_raises_is_named(way: str) -> None:
    """Reading sends to blocked places too: there it may raise, and nobody hears of it."""
    size = 256
    edges = np.arange(size)
    with anypair.using("jit", direction="push", frontier=way):
        A = Matrix.from_entries(edges, edges, 1.0, (size, size))
        u = Vector.from_numpy(np.where(edges == 9, 7.25, 1.0))
        outside = Vector.from_entries([9], True, size)
        found = vxm(u, A, SEMIRINGS["may raise"], mask=~outside.structure)
        assert found.nvals == size - 1
        before = u.to_entries()[1].tobytes()
        with pytest.raises(OperatorError, match="seven and a quarter"):
            vxm(u, A, SEMIRINGS["may raise"], out=u)
        assert u.to_entries()[1].tobytes() == before


def test_a_vector_is_its_own_mask_and_output() -> None:
    found = {}
    edges = np.arange(200)
    for way in WAYS:
        with anypair.using("jit", direction="push", frontier=way):
            A = Matrix.from_entries(edges, (7 * edges) % 200, 1, (200, 200))
            u = Vector.from_entries(edges[::3], edges[::3], 200)
            vxm(u, A, min_source, out=u, mask=~u.structure)
            vxm(u, A, min_source, out=u, mask=u.structure)
            found[way] = u.to_dict()
    assert found["queue"] == found["read"] == found["auto"]


def test_a_batch_of_frontiers() -> None:
    sources, targets = kronecker_edges(13)
    found = {}
    for way in WAYS:
        with anypair.using("jit", direction="push", frontier=way):
            graph = Matrix.from_edges(sources, targets, n=1 << 13, symmetric=True)
            starts = Matrix.from_entries([0, 1], sources[:2], 1, (2, 1 << 13))
            two = mxm(starts, graph, any_pair)
            with trace() as seen:
                three = mxm(two, graph, Semiring(min_monoid, any_pair.multiply))
            found[way] = [array.tobytes() for array in three.to_entries()]
            assert seen.records[0].method in ((way,) if way != "auto" else ("queue", "read"))
    assert found["queue"] == found["read"] == found["auto"]


def test_the_trace_says_which_and_why() -> None:
    sources, targets = kronecker_edges(12)
    seen = {}
    for way in WAYS:
        with anypair.using("jit", threads=1, direction="push", frontier=way):
            graph = Matrix.from_edges(sources, targets, n=1 << 12, symmetric=True)
            with trace() as recorded:
                bfs_parents(graph, int(sources[0]))
        seen[way] = [(r.method, r.reason) for r in recorded.records if r.operation == "vxm"]
        assert {r.method for r in recorded.records if r.operation == "update"} == {""}
        assert "method" in str(recorded).splitlines()[0]
    for way in ("queue", "read"):
        assert set(seen[way]) == {(way, "asked for")}
    assert seen["auto"][0] == ("queue", "few edges")
    by_cost = [pair for pair in seen["auto"] if pair[1] != "few edges"]
    assert "read" in dict(by_cost)
    for method, reason in by_cost:
        queue, read = (float(part.split()[1]) for part in reason.split(", "))
        assert method == ("read" if read < queue else "queue")


def test_reading_makes_no_list(monkeypatch: pytest.MonkeyPatch) -> None:
    sources, targets = kronecker_edges(10)
    with anypair.using("jit", direction="push", frontier="read"):
        graph = Matrix.from_edges(sources, targets, n=1 << 10, symmetric=True)
        expected = bfs_parents(graph, int(sources[0])).to_dict()
        monkeypatch.setattr(VectorProduct, "_frontier", None)  # nobody may ask
        assert bfs_parents(graph, int(sources[0])).to_dict() == expected
