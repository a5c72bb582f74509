"""Graph500 on ranks: the roots, the counts and the trees of one process, and the same rules broken."""

import numpy as np
from mpi4py import MPI

import anypair
from anypair.backends.processes import Processes
from anypair.graph500 import Settings, broken_rules, choose_roots, generate, run
from anypair.graph500.kernels import construct, search, shortest_paths
from anypair.graph500.process_edges import ProcessEdges
from anypair.graph500.validation import check_tree

SETTINGS = Settings(scale=8, edgefactor=5, roots=3, seed=4, sssp=True)


def spoilt(parents, distances, root, rng):
    """Answers with something wrong, of many kinds, and the right one."""
    n = len(parents)
    yield parents, distances
    for _ in range(7):  # on each of three grids
        wrong, far = parents.copy(), distances.copy()
        for v in rng.integers(0, n, rng.integers(1, 4)):
            if rng.integers(2):
                wrong[v] = rng.choice([-1, root, v, rng.integers(0, n)])
            else:
                far[v] = rng.choice([-1.0, 0.0, distances[v] + 0.5])
        yield wrong, far
    yield np.where(np.arange(n) == root, n + 7, parents), distances


expected = run(SETTINGS, backend="scipy")
whole = generate(SETTINGS)
ranks = MPI.COMM_WORLD.size
checked = 0
for grid in [f"{r}x{ranks // r}" for r in range(1, ranks + 1) if ranks % r == 0]:
    with anypair.using("mpi", grid=grid, local="scipy") as backend:
        processes = backend.processes
        found = run(SETTINGS)
        assert found.roots == expected.roots
        assert found.bfs.nedges == expected.bfs.nedges
        assert found.sssp.nedges == expected.sssp.nedges
        assert (found.ranks, found.grid) == (ranks, grid)
        slice_ = generate(SETTINGS, processes=processes)
        assert sum(processes.gather(len(slice_))) == len(whole)
        graph = construct(slice_)
        share = ProcessEdges.of(slice_, processes, graph.nrows)
        assert choose_roots(3, 8, 4, share.connected) == expected.roots
        root = expected.roots[0]
        tree = shortest_paths(graph, root)
        parents, distances = (u.to_numpy(-1) for u in tree)
        local = construct(whole, "scipy")
        assert search(graph, root).parents.to_dict() == search(local, root).parents.to_dict()
        mine = slice(share.start, share.start + processes.held(graph.nrows))
        alone = ProcessEdges.of(whole, Processes(), graph.nrows)
        for above, far in spoilt(parents, distances, root, np.random.default_rng(checked)):
            right = broken_rules(whole, root, above, distances=far)
            seen = check_tree(share, root, above[mine], far[mine], weighted=True)
            assert [(b.rule, b.count) for b in seen] == [(b.rule, b.count) for b in right], (seen, right)
            assert seen == processes.gather(seen)[0]
            inside = np.where((above < 0) | (above >= graph.nrows), -1, above)
            assert share.traversed(inside[mine]) == alone.traversed(inside)
            checked += 1
if MPI.COMM_WORLD.rank == 0:
    print(f"{checked} answers")
