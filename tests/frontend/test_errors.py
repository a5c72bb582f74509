"""Errors say in attributes what their messages say in words: the place, the operator, the rank."""

import copy
import inspect
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import Matrix, Vector, apply, binary_op, errors, mxv, selection, unary_op
from anypair.algorithms import bfs_parents
from anypair.config import resolve
from anypair.errors import AnypairError, DuplicateEntries, IndexOutOfRange, OperatorError
from anypair.relabelling import by_degree
from anypair.semiring import Semiring, min_monoid
from tests.mpi.threaded import run_ranks

KINDS = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, AnypairError) and not kind.__name__.startswith("_")
]


@unary_op(result=float)
def inverse(x: Any) -> Any:
    return 1 / x


def test_a_place_given_twice_is_an_attribute(backend: str) -> None:
    with pytest.raises(DuplicateEntries, match="more than one entry at 4;") as of_vector:
        Vector.from_entries([7, 4, 4], [1, 2, 3], size=9)
    assert of_vector.value.place == 4
    with pytest.raises(DuplicateEntries, match=r"more than one entry at \(2, 1\);") as of_matrix:
        Matrix.from_entries([2, 0, 2], [1, 1, 1], [1, 2, 3], shape=(3, 3))
    assert of_matrix.value.place == (2, 1)
    with pytest.raises(DuplicateEntries) as of_graph:
        Matrix.from_edges([0, 5, 5], [1, 3, 3], [1, 2, 3], n=1000)
    assert of_graph.value.place == (5, 3)


def test_an_index_out_of_range_is_an_attribute(backend: str) -> None:
    columns = Vector.from_entries([1, 3, 4], [0, 8, 9], size=5)
    with pytest.raises(IndexOutOfRange, match="indices hold 8 at 3, which is out") as wrong:
        selection(columns, 3)
    assert (wrong.value.value, wrong.value.place) == (8, 3)
    path = by_degree(Matrix.from_edges([0, 1], [1, 2], n=4, symmetric=True))
    numbers = Vector.from_entries([0, 2], [1, -5], size=path.graph.nrows)
    with pytest.raises(IndexOutOfRange, match="-5 at 2 is not a vertex") as strange:
        path.restore(numbers, vertices=True)
    assert (strange.value.value, strange.value.place) == (-5, 2)


def test_arguments_out_of_range_are_attributes() -> None:
    with pytest.raises(IndexOutOfRange) as wrong:
        Vector.from_entries([0, 7], [1, 1], size=5)
    assert (wrong.value.value, wrong.value.place) == (7, 1)
    with pytest.raises(IndexOutOfRange) as strange:
        bfs_parents(Matrix.from_edges([0], [1]), 9)
    assert (strange.value.value, strange.value.place) == (9, None)


def test_an_operator_that_raises_is_an_attribute(backend: str) -> None:
    with pytest.raises(OperatorError, match="operator 'inverse' ") as error:
        apply(Vector.from_entries([1, 3], [2.0, 0.0], size=5), inverse)
    assert error.value.operator == "inverse"
    if error.value.arguments is not None:  # of kernels on a device they are not known
        assert error.value.arguments == (0.0,)
        assert f"for arguments {error.value.arguments}" in str(error.value)


def test_an_operator_that_does_not_compile_is_an_attribute(backend: str) -> None:
    @binary_op(result=np.int64)
    def strange(x: Any, y: Any) -> Any:
        return sum(map(int, list(str(y))))

    graph, ones = Matrix.from_edges([0], [1]), Vector.full(2, 1)
    if not resolve(backend).compiles_operators:
        mxv(graph, ones, Semiring(min_monoid, strange))
        return
    with pytest.raises(OperatorError, match="'strange' cannot be compiled") as error:
        mxv(graph, ones, Semiring(min_monoid, strange))
    assert error.value.operator in ("strange", "min or strange")


def test_a_file_with_duplicates_is_named_with_the_place(tmp_path: Path) -> None:
    where = tmp_path / "twice.mtx"
    where.write_text("%%MatrixMarket matrix coordinate integer general\n3 3 2\n2 1 5\n2 1 6\n")
    with pytest.raises(DuplicateEntries) as error:
        anypair.io.read(where)
    assert str(error.value).startswith(f"{where}: more than one entry at (1, 0); say how")
    assert error.value.place == (1, 0)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy])
def test_attributes_survive_pickling(kind: type[AnypairError], copied: Any) -> None:
    error = kind(f"give {errors.option('n', '3')}")
    names = {"place", "value", "operator", "arguments", "rank"} & set(dir(kind))
    for name in names:
        setattr(error, name, (1, 2) if name in ("place", "arguments") else 7)
    again = copied(error)
    assert type(again) is kind
    assert (str(again), again.marked) == (str(error), error.marked)
    assert {name: getattr(again, name) for name in names} == {
        name: getattr(error, name) for name in names
    }


def test_errors_of_one_rank_keep_their_attributes_on_all() -> None:
    pytest.importorskip("mpi4py")
    from anypair.backends.mpi import MpiBackend

    def build(world: Any) -> Any:
        grid = MpiBackend(local="scipy", threads=1, world=world)
        with pytest.raises(DuplicateEntries) as twice:
            Vector.from_entries([90, 90], [1, 2], size=100, backend=grid)
        numbers = Vector.from_entries([0, 95], [3, 77], size=100, backend=grid)
        with pytest.raises(IndexOutOfRange) as beyond:
            selection(numbers, 50)
        zeros = Vector.from_entries([5, 99], [1.0, 0.0], size=100, backend=grid)
        with pytest.raises(OperatorError, match=r"^rank 1: operator 'inverse' raised") as raised:
            apply(zeros, inverse)
        return (
            (twice.value.place, beyond.value.value, beyond.value.place),
            (raised.value.rank, raised.value.operator, raised.value.arguments),
        )

    assert run_ranks(4, build) == [((90, 77, 95), (1, "inverse", (0.0,)))] * 4
