"""Processes that are forked after a backend was used: the same answers, and no waiting for ever."""

import os
import subprocess
import sys

import pytest

from anypair.backends.registry import default_options

PROGRAM = """
import multiprocessing, sys
import numpy as np
import anypair
from anypair import Matrix, Vector, binary_op, ewise_add, mxm, reduce, vxm
from anypair.algorithms import bfs_levels
from anypair.semiring import plus, plus_monoid, plus_pair, plus_times

@binary_op
def mean(x, y):
    return (x + y) / 2

def work(root):
    ones = Vector.full(graph.nrows, 1.0)
    sums = vxm(ones, graph, plus_times)
    triangles = reduce(mxm(graph, graph, plus_pair, mask=graph.structure), plus_monoid)
    means = reduce(ewise_add(sums, ones, mean), plus_monoid)
    built = Matrix.from_edges(edges[0], edges[1], n=n).nvals
    return reduce(sums, plus_monoid), bfs_levels(graph, root).nvals, triangles, means, built

def threads(_):
    return graph.backend.threads

name, n = sys.argv[1], int(sys.argv[2])
with anypair.using(name, **eval(sys.argv[3])):
    edges = np.random.default_rng(1).integers(0, n, (2, 8 * n))
    graph = Matrix.from_edges(*edges, np.ones(8 * n), n=n, duplicates=plus)
    expected = [work(root) for root in range(3)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(work, range(3)).get(60)
        used = pool.map_async(threads, [0]).get(60)
    assert found == expected, (found, expected)
    assert [work(root) for root in range(3)] == expected  # the parent goes on
    print("the same", used[0], graph.backend.threads)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("threads", [0, 2])
def test_children_compute_the_same(backend: str, threads: int) -> None:
    if backend in ("mpi", "cuda"):
        pytest.skip("neither MPI nor CUDA can be used by a child of a process that has begun to")
    if threads and "threads" not in default_options(backend):
        pytest.skip("has one thread")
    options = repr({"threads": threads} if threads else {})
    size = "300" if backend == "reference" else "20000"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, backend, size, options],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("the same")
    if backend == "suitesparse":
        assert done.stdout.split()[2] == "1"
    if threads:
        assert done.stdout.split()[3] == str(threads)
