"""Vectors of `jit` whose values lie between those of others: nobody sees that they do."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypair
from anypair import Matrix, Semiring, Vector, assign, update, vxm
from anypair.backends.jit.backend import JitBackend
from anypair.errors import OperatorError
from anypair.semiring import min_monoid, min_select, min_source, plus, second
from tests.support.compare import assert_same
from tests.support.cutting import cut_all_work

SIZE = 130  # two words and a bit


@pytest.fixture(autouse=True)
def work_is_never_small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        cut_all_work(patch)
        yield


def graph(backend: Any = None) -> Matrix:
    vertices = np.arange(SIZE)
    steps = [1, 2, 5, 40]
    sources = np.tile(vertices, len(steps))
    targets = (sources + np.repeat(steps, SIZE)) % SIZE
    return Matrix.from_edges(sources, targets, n=SIZE, backend=backend)


def take_in_something(reached: Vector, A: Matrix) -> None:
    """Let `reached` be a bitmap that is known to take in what is found beside it."""
    one = Vector.from_entries([3], [3], SIZE, backend=A.backend)
    update(reached, vxm(one, A, min_source, mask=~reached.structure))


def values_of(vector: Vector) -> Any:
    return vector.storage.by_place


@pytest.mark.parametrize("direction", ["pull", "push"])
def test_what_a_product_finds_lies_between_the_values_of_its_mask(direction: str) -> None:
    with anypair.using("jit", direction=direction):
        A = graph()
        reached = Vector.from_entries(range(0, SIZE, 20), range(0, SIZE, 20), SIZE)
        take_in_something(reached, A)
        found = vxm(reached, A, min_source, mask=~reached.structure)
        assert values_of(found) is values_of(reached)
        again = vxm(reached, A, min_source, mask=~reached.structure)
        assert values_of(again) is not values_of(reached)  # `found` has not been added to it
        update(reached, found)
        assert values_of(found) is values_of(reached)
        more = vxm(found, A, min_source, mask=~reached.structure)
        assert values_of(more) is values_of(reached)
        update(reached, more)
        update(reached, Vector.from_entries([21], [-1], SIZE))
        assert values_of(found) is not values_of(reached)
        assert (reached.get(21), found.get(21), again.get(21)) == (-1, 20, 20)


def test_a_vector_that_has_moved_away_from_its_guests_has_no_more() -> None:
    """Levels, by products whose values are of their dtype: what the steps find is not taken in."""
    with anypair.using("jit", direction="pull"):
        A = graph()
        levels = Vector.from_entries([0, 60], 0, SIZE)
        assert values_of(vxm(levels, A, min_source, mask=~levels.structure)) is not values_of(levels)
        take_in_something(levels, A)
        found = vxm(levels, A, min_source, mask=~levels.structure)
        assert values_of(found) is values_of(levels)
        for depth in (1, 2):
            expected = found.to_dict()
            assign(levels, depth, mask=found.structure)
            assert {levels.get(place) for place in expected} == {depth}
            assert found.to_dict() == expected
            take_in_something(levels, A)
            found = vxm(levels, A, min_source, mask=~levels.structure)
            assert values_of(found) is not values_of(levels)


def test_what_was_found_elsewhere_keeps_nothing_alive() -> None:
    with anypair.using("jit") as backend:
        assert isinstance(backend, JitBackend)
        reached = Vector.from_entries([0, 3], [0, 3], SIZE)
        take_in_something(reached, graph())
        found = vxm(reached.cast(float), graph(), min_select, mask=~reached.structure)  # other values
        address = id(values_of(reached))
        del reached
        assert id(backend.workspace.get(SIZE, np.dtype(int))) == address  # free to be used again
        assert found.nvals


def test_a_product_that_fails_gives_the_ground_back() -> None:
    @anypair.binary_op
    def fails_for_large_values(edge, value):  # type: ignore[no-untyped-def]
        if value > 100:
            raise ValueError("too large")
        return value

    picky = Semiring(min_monoid, fails_for_large_values)
    with anypair.using("jit", direction="pull"):
        A = graph()
        reached = Vector.from_entries(range(0, SIZE, 3), 1, SIZE)
        take_in_something(reached, A)
        before = reached.to_dict()
        with pytest.raises(OperatorError, match="too large"):
            vxm(Vector.full(SIZE, 101), A, picky, mask=~reached.structure)
        found = vxm(Vector.full(SIZE, 7), A, picky, mask=~reached.structure)
        assert values_of(found) is values_of(reached)
        assert set(found.to_dict().values()) == {7}
        assert reached.to_dict() == before


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["product", "product", "product", "update", "accumulate", "put", "drop"]),
        st.integers(0, 2),
        st.integers(0, 2),
        st.sampled_from([min_source, min_source, min_select]),
        st.lists(st.integers(0, SIZE - 1), max_size=4, unique=True),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("direction", ["pull", "push"])
@settings(max_examples=4 * settings().max_examples)
@given(steps=STEPS)
def test_vectors_change_only_when_they_are_written_to(direction: str, steps: list[Any]) -> None:
    """After any products and writes, the vectors of `jit` are those of `reference`."""
    with anypair.using("jit", threads=2, direction=direction) as backend:
        graphs = graph(backend), graph("reference")
        pool = [
            [Vector.from_entries(places, places, SIZE, backend=A.backend) for A in graphs]
            for places in (range(0, SIZE, 3), range(50))
        ]
        for pair in pool:
            for reached, A in zip(pair, graphs, strict=True):
                take_in_something(reached, A)
        for action, one, other, semiring, places in steps:
            first, second_ = pool[one % len(pool)], pool[other % len(pool)]
            if action == "product":
                made = [
                    vxm(u, A, semiring, mask=~p.structure)
                    for u, p, A in zip(first, second_, graphs, strict=True)
                ]
                pool.append(made)
            elif action == "drop" and len(pool) > 1:
                del pool[one % len(pool)]
            elif action == "update":
                for out, t in zip(first, second_, strict=True):
                    update(out, t)
            elif action == "accumulate":
                for out, t, A in zip(first, second_, graphs, strict=True):
                    vxm(t, A, semiring, out=out, mask=~out.structure, accum=plus if places else second)
            else:
                for out in first:
                    assign(out, -1, places)
        for found, expected in pool:  # not before: what was looked at has a list besides
            assert_same(found, expected)
