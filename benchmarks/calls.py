"""What one call costs: a masked vxm on a matrix of ten entries, which is nearly all overhead."""

from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec

import numpy as np

from anypair import Matrix, Vector, vxm
from anypair.semiring import any_pair
from benchmarks.progress import say
from benchmarks.results import Timing
from benchmarks.timing import settle, stopwatch

CALLS = "calls"
TINY_VXM = "tiny vxm"
GRAPH = "ring10"
SIZE = 10
BATCH = 100  # calls timed together; a single one is too short for the clock


def measure(backends: Sequence[str], batches: int) -> list[Timing]:
    """Seconds for each call, a figure for each batch; engines take turns, as in searches."""
    makers: dict[str, Callable[[], Callable[[], object]]] = {
        f"anypair-{backend}": partial(_anypair, backend) for backend in backends
    }
    if find_spec("graphblas"):
        makers["python-graphblas"] = _graphblas
    say(f"timing tiny calls of {', '.join(makers)}")
    timings = {name: Timing(CALLS, TINY_VXM, GRAPH, name) for name in makers}
    calls: dict[str, Callable[[], object]] = {}
    for name, make in makers.items():
        with timings[name].noting_problems():
            calls[name] = make()
            _repeat(calls[name])
    for _ in range(batches):
        for name, call in calls.items():
            with timings[name].noting_problems():
                settle()
                timings[name].seconds.append(stopwatch(partial(_repeat, call))[1] / BATCH)
    return [*timings.values()]


def _repeat(call: Callable[[], object]) -> None:
    for _ in range(BATCH):
        call()


def _anypair(backend: str) -> Callable[[], object]:
    vertices = np.arange(SIZE)
    ring = Matrix.from_edges(vertices, (vertices + 1) % SIZE, backend=backend)
    frontier = Vector.from_entries(vertices, True, SIZE, backend=backend)
    reached = Vector.from_entries(vertices[: SIZE // 2], 0, SIZE, backend=backend)
    return lambda: vxm(frontier, ring, any_pair, mask=~reached.structure)


def _graphblas() -> Callable[[], object]:
    import graphblas
    from graphblas.semiring import any_pair as pairing

    vertices = np.arange(SIZE)
    ring = graphblas.Matrix.from_coo(vertices, (vertices + 1) % SIZE, True)
    frontier = graphblas.Vector.from_coo(vertices, True)
    reached = graphblas.Vector.from_coo(vertices[: SIZE // 2], 0, size=SIZE)
    step = pairing[graphblas.dtypes.BOOL]
    return lambda: step(frontier @ ring).new(mask=~reached.S)
