"""Records, operators of several values and of places, on ranks that are threads."""

from typing import Any

import numpy as np
import pytest

from anypair import MAX, Matrix, Semiring, Vector, binary_op, ewise_all, mxv, nary_op, record, vxm
from anypair.errors import AnypairError, DistributedError, InvalidValue, NotSupported, OperatorError
from anypair.semiring import plus_monoid
from tests.mpi.threaded import ThreadGroup, run_ranks
from tests.support.compare import entries

pytest.importorskip("mpi4py")

from anypair.backends.mpi import MpiBackend

SIZE = 40
shortest = record(distance="int32", count="uint32")


@shortest.monoid(identity=(MAX, 0))
def shorter(x: Any, y: Any) -> Any:
    if x[0] == y[0]:
        return x[0], x[1] + y[1]
    return x if x[0] < y[0] else y


along = shortest.semiring(shorter, lambda edge, x: (edge + x[0], x[1]))


@nary_op(result=np.int64)
def apart(x: Any, y: Any, z: Any) -> Any:
    return x + 100 * y + 10_000 * z


@nary_op(result=np.int64)
def dividing(x: Any, y: Any, z: Any) -> Any:
    return y // (x - 37)


def on(world: ThreadGroup, **options: Any) -> MpiBackend:
    return MpiBackend(local="scipy", threads=1, unit=1, world=world, **options)


def graph_on(backend: Any) -> Matrix:
    rng = np.random.default_rng(2)
    rows, cols = np.divmod(np.flatnonzero(rng.random(SIZE * SIZE) < 0.2), SIZE)
    weights = rng.integers(1, 4, len(rows))
    return Matrix.from_entries(rows, cols, weights, shape=(SIZE, SIZE), backend=backend)


def failure(call: Any) -> tuple[type[AnypairError], str]:
    with pytest.raises(AnypairError) as found:
        call()
    return type(found.value), str(found.value)


@pytest.mark.parametrize("grid", ["2x2", "3x1"])
def test_records_and_several_values(grid: str) -> None:
    def work(backend: Any) -> list[Any]:
        graph = graph_on(backend)
        start = shortest.pack(Vector.from_entries([3], [0], size=SIZE, like=graph), 1)
        once = vxm(start, graph, along)
        twice = vxm(once, graph, along, mask=~once.structure)
        made = [once, twice, *shortest.unpack(twice), shortest.pack(graph, graph)]
        numbers = Vector.range(SIZE, like=graph)
        distances = shortest.field(once, "distance")
        made += [ewise_all(apart, distances, numbers, once.cast(bool))]
        made += [ewise_all(apart, graph, graph, graph), ewise_all(apart, graph, graph.T, graph)]
        return [entries(x) for x in made]

    expected = work("reference")
    for found in run_ranks(4 if grid == "2x2" else 3, lambda world: work(on(world, grid=grid))):
        assert found == expected


def test_all_ranks_fail_alike() -> None:
    @binary_op(positional=True)
    def target(x: Any, y: Any, k: Any, i: Any, j: Any) -> Any:
        return i

    def work(world: ThreadGroup) -> list[tuple[type[AnypairError], str]]:
        graph = graph_on(on(world))
        numbers = Vector.range(SIZE, like=graph)
        found = [
            failure(lambda: ewise_all(dividing, numbers, numbers, numbers)),
            failure(lambda: mxv(graph, numbers, Semiring(plus_monoid, target))),
            failure(lambda: shortest.pack(numbers, numbers.cast(np.int64) - 39)),
        ]
        assert ewise_all(apart, numbers, numbers, numbers).nvals == SIZE  # they go on together
        return found

    first, *others = run_ranks(4, work)
    assert [kind for kind, _ in first] == [OperatorError, NotSupported, InvalidValue]
    assert "dividing" in first[0][1]
    assert "'target' sees the place" in first[1][1]
    assert "count=uint32 does not hold -39" in first[2][1]
    for other in others:
        assert [kind for kind, _ in other] == [kind for kind, _ in first]


def test_operators_that_differ_between_ranks() -> None:
    def work(world: ThreadGroup) -> type[AnypairError]:
        by = world.rank
        numbers = Vector.range(SIZE, backend=on(world))
        different = nary_op(lambda x, y, z: (x + y + z) // (by + 1))
        return failure(lambda: ewise_all(different, numbers, numbers, numbers).to_dict())[0]

    assert run_ranks(3, work) == [DistributedError] * 3
