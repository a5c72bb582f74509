"""The first search of a process: with an empty cache of compiled code, and with the cache it left."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anypair.graph500 import kronecker_edges
from benchmarks import processes
from benchmarks.progress import say
from benchmarks.results import Timing

START = "start"
FIRST = "first process ever, import included"
LATER = "later process, after import"
IMPORT = "import"
SCALE = 14
GRAPH = f"kron{SCALE}"


def measure(backends: Sequence[str], repeats: int) -> list[Timing]:
    """Seconds until the first tree of a small Kronecker graph stands."""
    return [timing for backend in backends for timing in _measure(backend, repeats)]


def _measure(backend: str, repeats: int) -> list[Timing]:
    engine = f"anypair-{backend}"
    say(f"starting processes that search with {engine}")
    first, later, importing = (Timing(START, what, GRAPH, engine) for what in (FIRST, LATER, IMPORT))
    with first.noting_problems(), tempfile.TemporaryDirectory() as cache:
        environment = {"ANYPAIR_CACHE": cache, "NUMBA_CACHE_DIR": cache}
        file = Path(cache) / "edges.npy"
        np.save(file, np.array(kronecker_edges(SCALE)))
        for turn in range(1 + repeats):
            took = processes.run("first_search", backend, str(file), environment=environment)
            after_import = took["build"] + took["search"]
            if turn == 0:
                first.seconds.append(took["import"] + after_import)
            else:
                later.seconds.append(after_import)
                importing.seconds.append(took["import"])
    return [timing for timing in (first, later, importing) if timing.seconds or timing.problem]
