"""Handles that travel: pickled and copied ones, and pools of processes that are given graphs."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypair
from anypair import Matrix, Vector, assign, same, update
from anypair.backends.registry import default_options
from anypair.errors import NotSupported
from tests.support.compare import assert_same
from tests.support.strategies import matrices, vectors


def travelled(x: Any) -> Any:
    return pickle.loads(pickle.dumps(x))


@pytest.fixture
def one_process(backend: str) -> str:
    if backend == "mpi":
        pytest.skip("what lies on ranks does not travel")
    return backend


@given(data=st.data())
def test_entries_dtype_and_backend(one_process: str, data: st.DataObject) -> None:
    for x in (data.draw(vectors(specials=True)), data.draw(matrices(specials=True))):
        moved = x.to(one_process)
        found = travelled(moved)
        assert found.backend is moved.backend
        assert_same(found, x)
        assert anypair.same(found, moved)


def test_values_bit_by_bit(one_process: str) -> None:
    v = Vector.from_entries([0, 1], [0.0, -0.0], 3)
    assert np.signbit(travelled(v).to_entries()[1]).tolist() == [False, True]
    assert np.isnan(travelled(Vector.full(2, float("nan"))).get(1))


def test_one_value_for_all_stays_one(one_process: str) -> None:
    graph = Matrix.from_edges(np.arange(999), np.arange(1, 1000))
    assert len(pickle.dumps(graph)) < 999 * 4 + 1500
    assert travelled(graph).nbytes <= graph.nbytes


def test_a_symmetric_graph_stays_one(one_process: str) -> None:
    graph = travelled(Matrix.from_edges([0, 1], [1, 2], symmetric=True))
    assert graph.is_symmetric
    assert graph.T is graph
    assert not travelled(Matrix.from_edges([0], [1])).is_symmetric


def test_a_mask_travels_with_its_handle(one_process: str) -> None:
    v = Vector.from_entries([1], [5], 3)
    found, mask = travelled((v, ~v.structure))
    assert mask.handle is found
    assert mask.complemented
    assert assign(found, 9, mask=mask).to_dict() == {0: 9, 1: 5, 2: 9}


def test_options_of_the_backend(one_process: str) -> None:
    if "threads" not in default_options(one_process):
        pytest.skip("has no options")
    with anypair.using(one_process, threads=1) as made:
        found = travelled(Vector.full(3, 1))
    assert found.backend is made
    assert update(found, Vector.full(3, 2, backend=made)).get(0) == 2


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, travelled])
def test_copies_share_nothing_that_is_written(one_process: str, copied: Any) -> None:
    for v in (Vector.full(99, 1.0), Vector.from_entries([3, 5], [1.0, 2.0], 99)):
        before, other = v.to_dict(), copied(v)
        assert other is not v
        update(other, Vector.full(99, 7.0))
        assert v.to_dict() == before
        update(v, Vector.full(99, 8.0))
        assert set(other.to_dict().values()) == {7.0}
    graph = Matrix.from_edges([0], [1], [5])
    other = copied(graph)
    assign(other, 6)
    assert graph.to_entries()[2].tolist() == [5]
    both = copied([graph, graph])
    assert both[0] is both[1]


def test_what_lies_on_ranks_is_refused(backend: str) -> None:
    if backend != "mpi":
        pytest.skip("travels")
    for x in (Vector.full(3, 1), Matrix.from_edges([0], [1])):
        with pytest.raises(NotSupported, match=f"a {x.kind} on backend 'mpi' cannot be pickled.*x.to"):
            pickle.dumps(x)
        assert same(copy.deepcopy(x), x)
        assert travelled(x.to("scipy")).nvals == x.nvals


POOL = """
import multiprocessing, sys
import numpy as np
import anypair
from anypair import Matrix, Vector, binary_op, reduce, vxm
from anypair.semiring import Semiring, min_plus, plus_monoid

RATE = 2.5

@binary_op
def rated(edge, value):
    return edge * RATE + value

def work(task):
    graph, start, semiring = task
    found = vxm(start, graph, semiring, mask=~start.structure)
    assert found.backend is graph.backend
    return found, graph.is_symmetric, repr(graph.backend.options)

if __name__ == "__main__":
    offset = 7

    @binary_op
    def local(edge, value):
        return edge * RATE + value + offset

    with anypair.using(sys.argv[2]):
        graph = Matrix.from_edges([0, 0, 1], [1, 2, 3], [1.0, 2.0, 4.0], symmetric=True)
        start = Vector.from_entries([0], [0.5], 4)
    semirings = [min_plus, Semiring(min_plus.add, rated), Semiring(plus_monoid, local)]
    tasks = [(graph, start, semiring) for semiring in semirings]
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        answers = pool.map_async(work, tasks).get(200)
    for task, (found, symmetric, options) in zip(tasks, answers):
        expected = work(task)
        assert anypair.same(found, expected[0]), (found.to_dict(), expected[0].to_dict())
        assert (symmetric, options) == expected[1:]
    print("the same")
"""


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_pool_is_given_graphs_and_semirings(one_process: str, method: str, tmp_path: Path) -> None:
    if method == "fork" and (sys.platform == "win32" or one_process == "cuda"):
        pytest.skip("cannot be forked")
    program = tmp_path / "program.py"
    program.write_text(POOL)
    done = subprocess.run(
        [sys.executable, str(program), method, one_process],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "the same\n"
