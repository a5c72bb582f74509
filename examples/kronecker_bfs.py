"""Breadth-first search of a Kronecker graph: how many vertices lie how far from a root.

usage: python examples/kronecker_bfs.py [SCALE]
"""

import sys
from time import perf_counter

import numpy as np

from anypair import Matrix
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.graph500 import kronecker_edges


def main() -> None:
    scale = int(sys.argv[1]) if len(sys.argv) > 1 else 14
    sources, targets = kronecker_edges(scale)
    begin = perf_counter()
    graph = Matrix.from_edges(sources, targets, n=2**scale, symmetric=True, self_loops=False).finish()
    print(f"Kronecker graph of scale {scale}, built in {perf_counter() - begin:.2f} s")
    print(graph)

    root = int(sources[sources != targets][0])
    begin = perf_counter()
    parents = bfs_parents(graph, root).finish()
    seconds = perf_counter() - begin
    levels = bfs_levels(graph, root)

    print(f"\nBreadth-first search from vertex {root}: {seconds:.3f} s")
    print(f"{parents.nvals} of {graph.nrows} vertices reached\n")
    print("level   vertices")
    counts = np.bincount(levels.to_entries()[1])
    for level, count in enumerate(counts):
        bar = "#" * round(50 * count / counts.max())
        print(f"{level:5d} {count:10d}  {bar}")
    print("\nThe first parents:", dict(list(parents.to_dict().items())[:5]))


if __name__ == "__main__":
    main()
