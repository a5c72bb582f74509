"""How long a user's twin of each catalogue semiring takes: `python -m benchmarks.twins [scale [turns]]`.

Each pair is run in turns, in one process, and the least of each is compared. The bar is 1.15.
"""

import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np

from anypair import Matrix, Semiring, Vector, apply, using, vxm
from anypair.dtypes import BOOL
from anypair.graph500 import kronecker_edges
from anypair.semiring import first, min_select, min_source, position
from tests.support.strategies import SEMIRINGS
from tests.support.twins import dtype_of, twin_of


def fastest(calls: list[Callable[[], object]], turns: int) -> list[float]:
    """The least seconds of each call, which take turns."""
    seconds = [float("inf")] * len(calls)
    for turn in range(turns + 1):
        for number, call in enumerate(calls):
            begin = perf_counter()
            call()
            if turn:  # the first compiles
                seconds[number] = min(seconds[number], perf_counter() - begin)
    return seconds


def compare(direction: str, scale: int, turns: int) -> None:
    """Print a line for each pair."""
    sources, targets = kronecker_edges(scale)
    n, places = 1 << scale, np.arange(0, 1 << scale, 4)

    def inputs(logical: bool) -> tuple[Vector, Matrix]:
        weights = (sources + targets) % 2 == 0 if logical else (sources + targets) % 11 + 1
        graph = Matrix.from_edges(
            sources, targets, weights, n=n, duplicates=first, symmetric=True, self_loops=False
        )
        return Vector.from_entries(places, places % 3 != 0 if logical else places, n), graph

    of_kind = {logical: inputs(logical) for logical in (False, True)}
    u, graph = of_kind[False]

    def product(semiring: Semiring, u: Vector, graph: Matrix) -> Callable[[], object]:
        return lambda: vxm(u, graph, semiring, mask=~u.structure)

    calls = {}
    for name, semiring in sorted(SEMIRINGS.items()):
        given = of_kind[dtype_of(name) == BOOL]
        twin = twin_of(semiring, dtype_of(name))
        calls[name] = [product(semiring, *given), product(twin, *given)]
    calls["min_select over apply(position)"] = [
        product(min_source, u, graph),
        lambda: vxm(apply(u, position), graph, min_select, mask=~u.structure),
    ]
    for name, both in calls.items():
        built_in, twin_seconds = fastest(both, turns)
        ratio = twin_seconds / built_in
        print(f"{direction} {name}: {built_in * 1e3:.3f} ms, twin / built-in {ratio:.2f}", flush=True)


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    for way in ("push", "pull"):
        with using("jit", threads=1, direction=way):
            compare(way, *(given + [16, 15][len(given) :]))
