"""Every exchange with messages of all lengths, in calls of a few bytes each."""

import numpy as np
from mpi4py import MPI

import anypair
from anypair import Matrix
from anypair.algorithms import bfs_parents
from anypair.backends.mpi.communicator import SHORT, Communicator
from anypair.graph500 import kronecker_edges

for chunk in (7, 64, 1 << 20):
    group = Communicator.world(chunk)
    number, cores = group.place_here()
    assert (number, len(cores)) == (group.rank, group.size)  # all are on this machine
    for length in (0, 1, 50, SHORT, SHORT + 1, 2000):
        messages = [
            np.random.default_rng(100 * length + rank).integers(0, 256, length * (rank + 1) // 2)
            for rank in range(group.size)
        ]
        messages = [m.astype(np.uint8) for m in messages]
        own = messages[group.rank]
        for found, sent in zip(group.allgather(own), messages, strict=True):
            assert found.tobytes() == sent.tobytes()
        # To member p goes the first part of p / (p + 1) of the message.
        parts = [[m[: len(m) * p // (p + 1)] for p in range(group.size)] for m in messages]
        received = group.alltoall(parts[group.rank])
        for found, sent in zip(received, parts, strict=True):
            assert found.tobytes() == sent[group.rank].tobytes()
        right, left = (group.rank + 1) % group.size, (group.rank - 1) % group.size
        assert group.shift(own, right, left).tobytes() == messages[left].tobytes()
        last = group.size - 1
        to = group.rank + 1 if group.rank < last else None
        source = group.rank - 1 if group.rank else None
        found = group.shift(own, to, source)
        assert (found is None) == (source is None)
        assert found is None or found.tobytes() == messages[source].tobytes()
        for root in range(group.size):
            found = group.broadcast(own if root == group.rank else None, root)
            assert found.tobytes() == messages[root].tobytes()
    assert group.start_sum(np.array([group.rank, 1]))().tolist() == [last * (last + 1) // 2, last + 1]

sources, targets = kronecker_edges(7)
trees = []
for options in ({"backend": "reference"}, {"chunk": 100, "grid": f"1x{MPI.COMM_WORLD.size}"}):
    with anypair.using(options.pop("backend", "mpi"), **options):
        graph = Matrix.from_edges(sources, targets, n=128, symmetric=True)
        trees.append(bfs_parents(graph, int(sources[0])).to_dict())
assert trees[0] == trees[1]
if not MPI.COMM_WORLD.rank:
    print("as sent")
