"""From the start of Python to the first tree: import anypair, build a graph, search it.

usage: python -m benchmarks.processes.first_search BACKEND EDGES.npy

The edges come from a file, since to make them would import Numba, which is part of the start.
"""

import json
import sys
from time import perf_counter


def main() -> None:
    """Time the three steps; nothing of anypair is imported before."""
    backend, file = sys.argv[1:]
    begin = perf_counter()
    from anypair import Matrix
    from anypair.algorithms import bfs_parents

    imported = perf_counter()
    import numpy as np  # not before: anypair's import of it counts

    sources, targets = np.load(file)
    loaded = perf_counter()
    graph = Matrix.from_edges(sources, targets, symmetric=True, backend=backend).finish()
    built = perf_counter()
    parents = bfs_parents(graph, int(sources[0])).finish()
    searched = perf_counter()
    answer = {"import": imported - begin, "build": built - loaded, "search": searched - built}
    print(json.dumps(answer | {"reached": parents.nvals}))


if __name__ == "__main__":
    main()
