"""How long a user's twin of a catalogue semiring takes: `python -m benchmarks.twins [scale]`.

Each pair is run in turns, in one process, and the least of each is compared. The bar is 1.15.
"""

import sys
from collections.abc import Callable
from time import perf_counter

from anypair import MAX, Matrix, Semiring, Vector, apply, binary_op, monoid, using, vxm
from anypair.graph500 import kronecker_edges
from anypair.semiring import (
    any_pair,
    min_plus,
    min_select,
    min_source,
    plus_times,
    position,
)

TURNS = 15
least = monoid(identity=MAX)(lambda x, y: x if x < y or y != y else y)
total = monoid(identity=0)(lambda x, y: x + y)
PAIRS: dict[str, tuple[Semiring, Semiring]] = {
    "min_source": (min_source, Semiring(least, binary_op(positional=True)(lambda x, y, k: k))),
    "min_select": (min_select, Semiring(least, binary_op(lambda x, y: y))),
    "min_plus": (min_plus, Semiring(least, binary_op(lambda x, y: x + y))),
    "plus_times": (plus_times, Semiring(total, binary_op(lambda x, y: x * y))),
    "any_pair": (any_pair, Semiring(least, binary_op(result=bool)(lambda x, y: True))),
}


def fastest(calls: list[Callable[[], object]]) -> list[float]:
    """The least seconds of each call, which take turns."""
    seconds = [float("inf")] * len(calls)
    for turn in range(TURNS + 1):
        for number, call in enumerate(calls):
            begin = perf_counter()
            call()
            if turn:  # the first compiles
                seconds[number] = min(seconds[number], perf_counter() - begin)
    return seconds


def compare(direction: str, scale: int) -> None:
    """Print a line for each pair."""
    sources, targets = kronecker_edges(scale)
    graph = Matrix.from_edges(sources, targets, n=1 << scale, symmetric=True)
    places = range(0, 1 << scale, 4)
    u = Vector.from_entries(places, places, 1 << scale)

    def product(semiring: Semiring) -> Callable[[], object]:
        return lambda: vxm(u, graph, semiring, mask=~u.structure)

    calls = {name: [product(one), product(other)] for name, (one, other) in PAIRS.items()}
    calls["min_select over apply(position)"] = [
        product(min_source),
        lambda: vxm(apply(u, position), graph, min_select, mask=~u.structure),
    ]
    for name, both in calls.items():
        built_in, twin = fastest(both)
        print(f"{direction} {name}: {built_in * 1e3:.2f} ms, twin / built-in {twin / built_in:.2f}")


if __name__ == "__main__":
    for way in ("push", "pull"):
        with using("jit", threads=1, direction=way):
            compare(way, int(sys.argv[1]) if len(sys.argv) > 1 else 16)
