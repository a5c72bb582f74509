"""Timers never run while something is compiled: `Matrix.prepare` has compiled, or loaded, all of it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import anypair
from anypair import Matrix
from anypair.algorithms import bfs_parents
from tests.mpi.jobs import ROOT, run_program
from tests.support.covering import FULL


def run(*arguments: str, **environment: str) -> Any:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def missed_by(search: str, direction: str, threads: str, **environment: str) -> Any:
    return run("-m", "tests.support.prepared_searches", search, direction, threads, **environment)


@pytest.mark.long
@pytest.mark.parametrize(
    ("search", "direction", "threads"),
    [
        ("shortest_paths", "auto", "1"),
        ("own_semiring", "push", "2"),
    ]
    + [("bfs_levels", "auto", "2"), ("bfs_parents", "pull", "2")] * FULL,
)
def test_searches_compile_and_load_nothing(search: str, direction: str, threads: str) -> None:
    assert missed_by(search, direction, threads) == []


@pytest.mark.long
def test_neither_from_an_empty_folder_of_kernels_nor_from_a_full_one(tmp_path: Path) -> None:
    for _ in range(2):
        assert missed_by("bfs_parents", "auto", "2", ANYPAIR_CACHE=str(tmp_path)) == []


BENCHMARK = """
import json
from anypair.graph500 import Settings, benchmark
from tests.support.compilations import compilations
real, seen = benchmark.timed, []

def timed(function, *arguments):
    with compilations() as compiled:
        answer = real(function, *arguments)
    if function in (benchmark.search, benchmark.shortest_paths):
        seen.append(compiled)
    return answer

benchmark.timed = timed
benchmark.run(Settings(scale=16, roots=6, seed=2, validate=False, sssp=True), backend="jit")
print(json.dumps([len(seen), seen[-12:]]))
"""


@pytest.mark.long
def test_the_benchmark_times_no_compilation() -> None:
    count, timed = run("-c", BENCHMARK)
    assert count > 12
    assert timed == [[]] * 12


@pytest.mark.long
def test_ranks_compile_and_load_nothing() -> None:
    pytest.importorskip("mpi4py")
    job = run_program(2, "preparation")
    assert job.status == 0, job.said
    assert job.printed == "[]\n"


@pytest.mark.parametrize("backend", ["reference", "scipy"])
def test_backends_that_compile_nothing_do_not_search(backend: str) -> None:
    graph = Matrix.from_edges([0, 1], [1, 2], backend=backend)
    graph.prepare(pytest.fail, "called")


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_sample_is_of_the_same_kind(symmetric: bool, backend: str) -> None:
    seen: list[Matrix] = []

    def search(graph: Matrix, root: int) -> None:
        seen.append(graph)
        bfs_parents(graph, root)

    for weights in (None, [1.5, 2.5]):
        graph = Matrix.from_edges([0, 1], [1, 2], weights, symmetric=symmetric, backend=backend)
        graph.prepare(search, 0)
        for sample in seen:
            assert sample.dtype == graph.dtype
            assert sample.is_symmetric == graph.is_symmetric
            assert sample.backend.name == backend
        seen.clear()
        assert bfs_parents(graph, 0).to_dict() == {0: 0, 1: 0, 2: 1}


def test_the_sample_leads_as_far_as_the_graph() -> None:
    """Dtypes of lengths follow from the greatest weight and the number of rows, which the sample has less of."""
    seen: list[tuple[int, Any]] = []

    def search(graph: Matrix) -> None:
        seen.append((graph.nrows, graph.value_range))

    def sampled(weights: Any, dtype: str, n: int) -> tuple[Any, ...]:
        Matrix.from_edges([0, 1], [1, 2], weights, n=n, dtype=dtype, backend="jit").prepare(search)
        nrows, (least, greatest) = seen.pop()
        return nrows, least, greatest

    n, *ends = sampled([-3, 5], "int64", 1 << 20)
    assert ends == [-3 * (1 << 20) // n, 5 * (1 << 20) // n]
    assert sampled([-100, 100], "int8", 1 << 20)[1:] == (-128, 127)
    assert sampled([0.5, 1.5], "float64", 1 << 20)[1:] == (0.5, 1.5)
    assert sampled([3, 5], "int64", 3)[1:] == (3, 5)


def test_preparing_leaves_no_trace(backend: str) -> None:
    graph = Matrix.from_edges([0, 1], [1, 2], backend=backend)
    with anypair.trace() as seen:
        graph.prepare(bfs_parents, 0)
    assert not seen.records
