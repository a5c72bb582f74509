"""Push or pull on a grid: decided once, for all ranks, and told to their local backends."""

from typing import Any

import numpy as np
import pytest

from anypair import Matrix, Vector, apply, trace, update, vxm
from anypair.backends.mpi import MpiBackend
from anypair.backends.plan import Plan
from anypair.semiring import absolute, min_source, plus_times
from tests.mpi.threaded import ThreadGroup, run_ranks

N, RANKS = 4096, 4


def graph(backend: Any) -> Matrix:
    """A ring, and one vertex with an edge to all others."""
    ring = np.arange(N)
    edges = np.concatenate([ring, np.zeros(N, int)]), np.concatenate([np.roll(ring, 1), ring])
    return Matrix.from_edges(*edges, n=N, symmetric=True, self_loops=False, backend=backend)


@pytest.mark.parametrize("local", ["jit", "suitesparse"])
def test_each_rank_decides_once_and_is_told(monkeypatch: pytest.MonkeyPatch, local: str) -> None:
    asked: list[tuple[int, int]] = []
    original = Plan.direction

    def spy(self: Plan, work: Any, tuning: Any) -> Any:
        asked.append((work.entries, work.nvals))
        return original(self, work, tuning)

    def search(world: ThreadGroup) -> list[Any]:
        backend = MpiBackend(grid="2x2", local=local, threads=1, world=world)
        A = graph(backend)
        few = Vector.from_entries([9], [9], N, backend=backend)
        many = Vector.from_entries(range(0, N, 2), range(0, N, 2), N, backend=backend)
        vxm(few, A, min_source)  # counts what decisions are made by
        world.objects(None)
        if world.rank == 0:
            monkeypatch.setattr(Plan, "direction", spy)
        world.objects(None)
        with trace() as seen:
            vxm(few, A, min_source, mask=~few.structure)
            vxm(many, A, min_source, mask=~many.structure)
        return [record.direction for record in seen.records]

    for directions in run_ranks(RANKS, search):
        assert directions == ["push", "pull"]
    edges = 2 * (N - 1) + 2 * (N - 2)  # of all blocks: nobody has asked for one of them
    assert sorted(asked) == [(1, edges)] * RANKS + [(N // 2, edges)] * RANKS


@pytest.mark.parametrize("forced", ["push", "pull"])
def test_a_forced_direction_is_not_asked_for(monkeypatch: pytest.MonkeyPatch, forced: str) -> None:
    monkeypatch.setattr(Plan, "direction", None)  # nobody may ask

    def search(world: ThreadGroup) -> None:
        backend = MpiBackend(grid="2x2", local="jit", threads=1, direction=forced, world=world)
        A, ones = graph(backend), Vector.full(N, 1, backend=backend)
        with trace() as seen:
            assert vxm(ones, A, plus_times).nvals == N
        assert [record.direction for record in seen.records] == [forced]

    run_ranks(RANKS, search)


def test_degrees_are_counted_once_for_what_has_one_structure() -> None:
    def search(world: ThreadGroup) -> bool:
        A = graph(MpiBackend(local="jit", threads=1, world=world))
        vxm(Vector.from_entries([0], [0], size=N, like=A), A, min_source)
        degrees = A.storage.degrees["symmetric"]
        made = (A.copy(), A.cast(int), apply(A, absolute))
        return all(each.storage.degrees["symmetric"] is degrees for each in made)

    assert all(run_ranks(RANKS, search))


def test_degrees_that_another_matrix_has_counted_do_not_stand_for_the_number_of_entries() -> None:
    def search(world: ThreadGroup) -> int:
        A = graph(MpiBackend(local="jit", threads=1, world=world))
        update(A, A)  # forgets how many entries there are
        few = Vector.from_entries([9], [9], size=N, like=A)
        vxm(few, apply(A, absolute), min_source)  # counts the degrees of both
        return vxm(few, A, min_source).nvals

    assert run_ranks(RANKS, search) == [3] * RANKS
