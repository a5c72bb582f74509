"""`hybrid` on a machine without a GPU: its CPU's backend alone, which it says once."""

import pickle
import subprocess
import sys
import warnings
from typing import Any

import pytest

import anypair
from anypair import Matrix, Vector, apply, trace, unary_op
from anypair.algorithms import bfs_parents
from anypair.backends import registry
from anypair.backends.cuda import backend as cuda_backend
from anypair.backends.hybrid.backend import CONTRACT
from anypair.backends.jit.storage import JitMatrix
from anypair.errors import BackendUnavailable, DuplicateEntries, NoDevice, OperatorError
from anypair.graph500 import kronecker_edges
from tests.support.compare import assert_same
from tests.support.own_backends import forget_backends


@pytest.fixture(autouse=True)
def _no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where the emulator stands in for one."""

    def refuse(*arguments: Any) -> Any:
        raise BackendUnavailable("backend 'cuda' is not ready: no GPU in this test")

    forget_backends(monkeypatch)
    monkeypatch.setattr(cuda_backend, "open_device", refuse)


def test_it_says_so_once() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(2):
            with anypair.using("hybrid") as backend:
                Matrix.from_edges([0], [1])
    assert [warning.category for warning in said] == [NoDevice]
    assert str(said[0].message) == backend.remark
    assert backend.remark == (
        "backend 'hybrid' computes on the CPU alone, by 'jit'; "
        "backend 'cuda' is not ready: no GPU in this test"
    )
    with pytest.raises(BackendUnavailable, match=r"method='device' needs a GPU; .*no GPU in this test"):
        anypair.using("hybrid", method="device").__enter__()


def test_each_call_is_one_of_the_cpu() -> None:
    """On storage of the CPU's backend, so that no call takes longer than there."""
    with anypair.using("hybrid", threads=1) as backend:
        graph = Matrix.from_edges([0, 1], [1, 2])
    assert isinstance(graph.storage, JitMatrix)
    cpu: Any = backend.cpu  # type: ignore[attr-defined]
    assert all(getattr(backend, name).__wrapped__ == getattr(cpu, name) for name in CONTRACT)
    assert {"vxm", "merge", "write", "closure", "prepare", "finish", "evaluate"} < set(CONTRACT)
    assert (backend.threads, backend.compiles_operators, backend.fuses) == (1, True, True)


def test_errors_speak_of_it() -> None:
    reads_text = unary_op(lambda x: len(vars(x)), result=int)
    v = Vector.from_entries([0], [1], size=2, backend="hybrid")
    with pytest.raises(
        OperatorError, match=r"backend 'hybrid' \(the CPU\) takes the functions"
    ) as caught:
        apply(v, reads_text)
    assert "'jit'" not in str(caught.value)
    with pytest.raises(DuplicateEntries) as twice:
        Vector.from_entries([1, 1], [1, 2], size=2, backend="hybrid")
    assert twice.value.place == 1


@pytest.mark.parametrize("method", ["auto", "queue", "read"])
def test_a_search(method: str) -> None:
    sources, targets = kronecker_edges(9)
    root = int(sources[0])
    with anypair.using("hybrid", method=method, direction="push"):
        graph = Matrix.from_edges(sources, targets, n=512, symmetric=True)
        with trace() as seen:
            parents = bfs_parents(graph, root)
    assert {r.backend for r in seen.records} == {"hybrid"}
    methods = {r.method for r in seen.records if r.operation == "vxm"}
    assert methods <= {"queue", "read"} if method == "auto" else methods == {method}
    again = pickle.loads(pickle.dumps(parents))
    assert again.backend is parents.backend
    expected = bfs_parents(Matrix.from_edges(sources, targets, n=512, symmetric=True), root)
    assert_same(again.to("jit"), expected)


def test_another_cpu() -> None:
    with anypair.using("hybrid", cpu="scipy") as backend:
        graph = Matrix.from_edges([0, 1], [1, 2], symmetric=True)
        assert bfs_parents(graph, 0).to_dict() == {0: 0, 1: 0, 2: 1}
    assert not backend.compiles_operators
    assert backend.identity != registry.load("hybrid").identity


def test_the_list_of_backends_says_so() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "anypair", "backends"], capture_output=True, text=True, check=True
    )
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("  hybrid"))
    assert row.split()[1] == "ready"
    assert "NoDevice" not in done.stderr
