"""How much memory building a graph takes at its peak, and how much the graph holds after a search.

usage: python -m benchmarks.processes.building_memory ENGINE GRAPH SEED
"""

import json
import resource
import sys
from pathlib import Path

from anypair import Matrix
from anypair.algorithms import bfs_parents
from benchmarks.build import builders
from benchmarks.graphs import make_edges


def main() -> None:
    """Count what comes on top of the interpreter, the imports and the compiled code."""
    engine, graph, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
    backends = [engine.removeprefix("anypair-")] if engine.startswith("anypair-") else []
    build = builders(backends)[engine]
    build(make_edges("kron8", seed))
    before = resident("VmRSS")
    edges = make_edges(graph, seed)
    built = build(edges)
    answer = {"peak": resident("VmHWM") - before, "edge_list": edges.nbytes}
    if isinstance(built, Matrix):
        bfs_parents(built, int(edges.sources[0]))  # a search may leave cached forms behind
        answer |= {"nbytes": built.nbytes, "nvals": built.nvals, "n": built.nrows}
    print(json.dumps(answer))


def resident(field: str) -> int:
    """Bytes of this process in memory: VmRSS is now, VmHWM the most so far.

    Linux says it best: ru_maxrss survives fork and exec, so it may be that of the parent.
    """
    try:
        for line in Path("/proc/self/status").read_text("ascii").splitlines():
            if line.startswith(field):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    main()
