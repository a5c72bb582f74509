"""From the start of Python to the first tree: import anypair, build a graph, search it.

usage: python -m benchmarks.processes.first_search BACKEND SCALE
"""

import json
import sys
from time import perf_counter


def main() -> None:
    """Time the three steps; nothing of anypair is imported before."""
    backend, scale = sys.argv[1], int(sys.argv[2])
    begin = perf_counter()
    from anypair import Matrix
    from anypair.algorithms import bfs_parents
    from anypair.graph500 import kronecker_edges

    imported = perf_counter()
    sources, targets = kronecker_edges(scale)
    made = perf_counter()
    graph = Matrix.from_edges(sources, targets, n=2**scale, symmetric=True, backend=backend)
    built = perf_counter()
    parents = bfs_parents(graph, int(sources[0]))
    searched = perf_counter()
    answer = {"import": imported - begin, "build": built - made, "search": searched - built}
    print(json.dumps(answer | {"reached": parents.nvals}))


if __name__ == "__main__":
    main()
