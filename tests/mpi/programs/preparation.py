"""What ranks compile or load in searches, after they have prepared for them; nothing, it should be."""

from mpi4py import MPI

import anypair
from anypair import Matrix
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.graph500 import kronecker_edges
from tests.support.compilations import compilations

found = []
with anypair.using("mpi"):
    for scale in (10, 13):
        sources, targets = kronecker_edges(scale)
        graph = Matrix.from_edges(sources, targets, symmetric=True, self_loops=False)
        for search in (bfs_parents, bfs_levels):
            graph.prepare(search, 0)
            with compilations() as seen:
                for root in sources[:16]:
                    search(graph, int(root)).finish()
            found += seen
everybody = [what for seen in MPI.COMM_WORLD.allgather(found) for what in seen]
if MPI.COMM_WORLD.rank == 0:
    print(everybody)
