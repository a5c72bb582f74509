"""Building a graph from its unsorted edge list: anypair on each backend against SciPy."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from anypair import Matrix
from benchmarks.engines import anypair
from benchmarks.graphs import EdgeList, make_edges, symmetric_csr
from benchmarks.progress import say
from benchmarks.results import Timing
from benchmarks.timing import settle, stopwatch

BUILD = "build"
SCIPY = ("scipy-int64", "scipy-int32")  # indices as they come, or made narrow first

Builder = Callable[[EdgeList], Any]


def builders(backends: Sequence[str]) -> dict[str, Builder]:
    """Every way to build, by the name of the engine."""
    ours = {f"anypair-{backend}": partial(anypair.build, backend=backend) for backend in backends}
    peers = [partial(symmetric_csr, index_dtype=dtype) for dtype in (np.int64, np.int32)]
    return ours | dict(zip(SCIPY, peers, strict=True))


def measure(graph: str, backends: Sequence[str], repeats: int, seed: int) -> list[Timing]:
    """Time every builder in turn, `repeats` times, after one small untimed build each."""
    say(f"{graph}: making the edge list to build from")
    edges = make_edges(graph, seed)
    warm_up = make_edges("kron8", seed)
    runs = {build: Timing(BUILD, BUILD, graph, name) for name, build in builders(backends).items()}
    for build, timing in runs.items():
        with timing.noting_problems():
            build(warm_up)
    entries = 0
    for turn in range(repeats):
        # SciPy comes first: it says how many entries there have to be.
        for build, timing in sorted(runs.items(), key=lambda run: run[1].engine not in SCIPY):
            if timing.problem:
                continue
            say(f"{graph}: building with {timing.engine}, {turn + 1} of {repeats}")
            with timing.noting_problems():
                found, seconds = _build(build, edges)
                timing.seconds.append(seconds)
                entries = entries or found
                if found != entries:
                    timing.problem = f"{found} entries, SciPy has {entries}"
    return list(runs.values())


def _build(build: Builder, edges: EdgeList) -> tuple[int, float]:
    """How many entries there are, and the seconds; what was built is freed outside the timer."""
    settle()
    built, seconds = stopwatch(lambda: build(edges))
    return built.nvals if isinstance(built, Matrix) else built.nnz, seconds
