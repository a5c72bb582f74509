"""Compilation before a timer starts: a small graph is searched in every direction and with every kind
of message, by local backends that do everything in all ways.
"""

from collections.abc import Iterator

import numpy as np

from anypair.backends.base import Backend, Storage
from anypair.backends.mpi.backend import MpiBackend
from anypair.backends.mpi.storage import MpiMatrix
from anypair.backends.plan import DIRECTIONS
from anypair.backends.samples import sample_graph
from anypair.backends.wire.messages import MODES, rehearse

EACH = 4096  # vertices for each rank
DEGREE = 14  # edges of a vertex, each of which has a reverse


class RehearsingBackend(MpiBackend):
    """A grid whose local backends do everything in all ways; not for timing."""

    def _load_local(self, name: str, threads: int, number: int) -> dict[str, Backend]:
        found = super()._load_local(name, threads, number)
        return {direction: local.rehearsing() for direction, local in found.items()}


def rehearsals(backend: MpiBackend, a: MpiMatrix) -> Iterator[tuple[Backend, Storage, int]]:
    """Backends with the same options but for directions and messages, each with a graph like a."""
    rehearse(backend.options["lanes"])
    for direction in DIRECTIONS if backend.directions.is_told else ("auto",):
        for messages in MODES:
            options = {**backend.options, "direction": direction, "expand": messages}
            rehearsing = RehearsingBackend(**options, world=backend.layout.world)
            count, rank = backend.processes.count, backend.processes.rank
            n, mine = EACH * count, EACH * rank + np.arange(EACH)
            sample = sample_graph(rehearsing, mine, n, DEGREE, a.dtype, symmetric=a.symmetric)
            yield rehearsing, sample, n
