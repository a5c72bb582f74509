"""Making matrices and vectors, and reading them back, on every backend."""

import copy
import math
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse

import anypair
from anypair import Mask, Matrix, Vector, assign, same, vxm
from anypair.errors import InvalidArgument
from anypair.handle import readable_bytes
from anypair.semiring import any_monoid, first, minimum, minus, plus, plus_monoid, plus_times, second
from tests.support.compare import entries


def test_vector_from_entries(backend: str) -> None:
    v = Vector.from_entries([3, 1], [30, 10], size=5)
    assert v.backend.name == backend
    assert (v.size, v.nvals, v.dtype) == (5, 2, np.dtype("int64"))
    assert v.to_dict() == {1: 10, 3: 30}
    assert v.get(1) == 10
    assert v.get(0) is None
    assert v.get(0, -1) == -1
    assert Vector.from_entries(range(2), {4}.pop(), 2).to_dict() == {0: 4, 1: 4}
    assert Vector.from_entries(np.array([1], np.uint8), np.float32([2]), 2).dtype == np.dtype("float32")


def test_finish_changes_nothing_that_can_be_seen(backend: str) -> None:
    graph = Matrix.from_edges([0, 1, 2, 0], [2, 0, 1, 1], [4, 5, 6, 7])
    found = anypair.mxm(graph, graph, anypair.semiring.plus_times)
    reached = anypair.vxm(Vector.full(3, 1), graph, anypair.semiring.plus_times)
    assert found.finish() is found
    assert reached.finish().finish() is reached
    assert found.nvals == len(entries(found))
    assert reached.to_dict() == {0: 5, 1: 13, 2: 4}
    assert Vector.empty(0).finish().nvals == 0


def test_vectors_full_empty_and_dense(backend: str) -> None:
    assert Vector.full(2, True).dtype == np.dtype(bool)
    assert Vector.full(2, 1, np.int8).dtype == np.dtype("int8")
    assert Vector.empty(0).to_dict() == {}
    dense = Vector.from_numpy(np.array([0.0, 2.0, np.nan]), missing=float("nan"))
    assert dense.to_dict() == {0: 0.0, 1: 2.0}
    np.testing.assert_array_equal(dense.to_numpy(missing=-1.0), [0.0, 2.0, -1.0])
    assert Vector.from_numpy([0, 2]).nvals == 2


def test_matrix_from_entries_and_numpy(backend: str) -> None:
    m = Matrix.from_entries([1, 0], [2, 0], [5, 7], shape=(2, 3))
    assert (m.nrows, m.ncols, m.shape, m.nvals) == (2, 3, (2, 3), 2)
    np.testing.assert_array_equal(m.to_numpy(missing=0), [[7, 0, 0], [0, 0, 5]])
    assert same(Matrix.from_numpy(m.to_numpy(missing=0), missing=0), m)
    assert m.get(1, 2) == 5
    assert m.get(1, 1, "none") == "none"
    assert Matrix.from_numpy([[0, 1]]).nvals == 2


def test_dense_matrices_keep_large_integers(backend: str) -> None:
    assert Matrix.from_numpy([[2**64 - 1, 1]]).get(0, 0) == 2**64 - 1
    assert Vector.from_numpy(np.ma.array([1, 2])).dtype == "int64"  # where nothing is masked


def test_edges(backend: str) -> None:
    graph = Matrix.from_edges([0, 0, 2, 2], [1, 1, 0, 2])
    assert graph.shape == (3, 3)
    assert graph.dtype == np.dtype(bool)
    assert entries(graph) == {(0, 1): True, (2, 0): True, (2, 2): True}
    assert Matrix.from_edges([0, 2], [1, 2], self_loops=False).nvals == 1
    assert Matrix.from_edges([], []).shape == (0, 0)
    assert Matrix.from_edges([0], [1], n=5).shape == (5, 5)
    both = Matrix.from_edges([0, 1, 2], [1, 0, 2], symmetric=True)
    assert entries(both) == {(0, 1): True, (1, 0): True, (2, 2): True}


def test_weighted_edges(backend: str) -> None:
    weighted = Matrix.from_edges([0, 0], [1, 1], [5, 3], duplicates=minimum, symmetric=True)
    assert entries(weighted) == {(0, 1): 3, (1, 0): 3}
    summed = Matrix.from_edges([0, 0], [1, 1], [5, 3], duplicates=plus_monoid)
    assert entries(summed) == {(0, 1): 8}
    assert Matrix.from_edges([0], [1], [2], dtype=np.float32).dtype == np.dtype("float32")
    assert Matrix.from_edges([0], [1], dtype=np.int8).dtype == np.dtype("int8")


def test_a_symmetric_graph_is_its_own_transpose(backend: str) -> None:
    assert (graph := Matrix.from_edges([0], [1], symmetric=True)).T is graph
    for duplicates, expected in ((first, 5), (second, 3), (minus, 2)):
        weighted = Matrix.from_edges([0, 1], [1, 0], [5, 3], duplicates=duplicates, symmetric=True)
        assert weighted.T is weighted
        assert entries(weighted) == {(0, 1): expected, (1, 0): expected}


def test_transpose_is_made_once_and_forgotten_when_written_to(backend: str) -> None:
    m = Matrix.from_entries([0], [1], [5], shape=(2, 3))
    transposed = m.T
    assert transposed is m.T
    assert transposed.T is m
    assert transposed.shape == (3, 2)
    assign(m, 9, 1, [2])
    assert entries(m.T) == {(1, 0): 5, (2, 1): 9}
    assert entries(transposed) == {(1, 0): 5}
    assert entries(transposed.T) == {(0, 1): 5}
    graph = Matrix.from_edges([0], [1], symmetric=True)
    assign(graph, True, 0, [0])
    assert graph.T is not graph


def test_scipy_both_ways(backend: str) -> None:
    coo = scipy.sparse.coo_array(([1.0, 2.0, 0.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 3))
    m = Matrix.from_scipy(coo)
    assert entries(m) == {(0, 1): 3.0, (1, 0): 0.0}
    back = m.to_scipy()
    assert back.format == "csr"
    assert back.nnz == 2
    assert same(Matrix.from_scipy(back), m)
    old_style = scipy.sparse.csr_matrix(np.eye(2))
    assert Matrix.from_scipy(old_style).nvals == 2
    assert coo.nnz == 3


def test_networkx_by_way_of_scipy(backend: str) -> None:
    graph = nx.karate_club_graph()
    m = Matrix.from_scipy(nx.to_scipy_sparse_array(graph))
    assert m.nvals == 2 * graph.number_of_edges()


def test_moving_between_backends(backend: str) -> None:
    v = Vector.from_entries([1], [np.float32(0.5)], size=3)
    assert v.to(v.backend) is v
    there = v.to("reference")
    assert there.backend.name == "reference"
    assert there.dtype == v.dtype
    assert same(there.to(v.backend), v)
    m = Matrix.from_edges([0, 1], [1, 0], [2, 3])
    assert same(m.to("scipy").to(m.backend), m)


@pytest.mark.parametrize("copied", [Vector.copy, copy.copy, copy.deepcopy])
def test_copies_are_independent(backend: str, copied: Any) -> None:
    v = Vector.from_entries([1], [1], size=3)
    other = copied(v)
    assign(other, 5, [0])
    anypair.update(other, Vector.from_entries([1], [7], size=3))
    assert v.to_dict() == {1: 1}
    assert other.to_dict() == {0: 5, 1: 7}


def test_results_share_nothing_with_operands(backend: str) -> None:
    v = Vector.from_entries([0, 1], [1, 2], size=3)
    m = Matrix.from_entries([0, 1], [1, 2], [5, 6], shape=(3, 3))
    results = [
        v.to(backend).copy(),
        anypair.apply(v, anypair.semiring.identity),
        anypair.extract(v, None),
        anypair.select(v, anypair.semiring.is_true),
        anypair.ewise_add(v, Vector.empty(3, int), plus),
        anypair.extract(m, None, None),
        anypair.transpose(anypair.transpose(m)),
        anypair.reduce(m, any_monoid, by="rows"),
    ]
    for result in results:
        assign(result, 99)
    assert v.to_dict() == {0: 1, 1: 2}
    assert entries(m) == {(0, 1): 5, (1, 2): 6}


def test_arrays_that_come_out_can_be_changed(backend: str) -> None:
    source = np.array([5, 6])
    v = Vector.from_entries([0, 1], source, size=2)
    source[:] = 0
    for column in v.to_entries():
        column[:] = 0
    assert v.to_dict() == {0: 5, 1: 6}


def test_repr_says_what_there_is(backend: str) -> None:
    v = Vector.from_entries([1], [5], size=3)
    assert repr(v).startswith(f"Vector(size=3, dtype=int64, nvals=1, backend={backend}, ")
    m = Matrix.from_edges([0], [1])
    assert repr(m).startswith(f"Matrix(2x2, dtype=bool, nvals=1, backend={backend}, ")
    assert "bytes" in repr(m)
    assert m.nbytes > 0


def test_small_ones_are_shown_as_a_grid(backend: str) -> None:
    A = Matrix.from_entries([0, 2], [3, 0], [2.5, -1.0], (3, 4))
    assert repr(A).splitlines()[1:] == [
        "    0  1  2    3",
        "0   .  .  .  2.5",
        "1   .  .  .    .",
        "2  -1  .  .    .",
    ]
    v = Vector.from_entries([1, 2], [True, False], 4)
    assert repr(v).splitlines()[1:] == ["0     1      2  3", ".  True  False  ."]
    assert "<th></th><th>0</th><th>1</th>" in Matrix.from_edges([0], [1])._repr_html_()
    for nothing in (Vector.empty(0), Matrix.empty((0, 3)), Vector.empty(40), Matrix.empty((3, 40))):
        assert repr(nothing) == nothing.headline


def test_large_ones_are_shown_by_their_first_entries(backend: str) -> None:
    shown = repr(Vector.full(20, 1.5)).splitlines()
    assert shown[1:3] == ["index  value", "    0    1.5"]
    assert shown[9:] == ["    7    1.5", "and 12 more entries"]
    far = Matrix.from_edges([70, 4000, 4001], [1, 2, 3], n=100_000)
    assert repr(far).splitlines()[1:] == [
        " row  column  value",
        "  70       1   True",
        "4000       2   True",
        "4001       3   True",
    ]
    html = Vector.full(20, 1.5)._repr_html_()
    assert "<td>1.5</td>" in html
    assert "and 12 more entries" in html
    assert "<th>row</th><th>column</th><th>value</th>" in far._repr_html_()


def test_messages_show_handles_in_a_line(backend: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        vxm(Matrix.from_edges([0], [1]), Matrix.from_edges([0], [1]), plus_times)  # type: ignore[arg-type]
    assert "not Matrix(2x2, dtype=bool" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_property_that_fails_says_so_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    x = Vector.full(3, 1, backend="scipy")

    def fails(storage: Any) -> int:
        raise AttributeError("inside")

    monkeypatch.setattr(x.backend, "nvals", fails)
    with pytest.raises(AttributeError, match=r"^inside$"):
        x.nvals  # noqa: B018  a property
    with pytest.raises(AttributeError, match="'Vector' object has no attribute 'nval'"):
        x.nval  # noqa: B018


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_what_stands_for_nothing_has_room(backend: str, dtype: str) -> None:
    x = Vector.from_entries([1], [7], size=3, dtype=dtype)
    assert x.to_numpy(missing=1000).tolist() == [1000, 7, 1000]
    assert x.to_numpy(missing=-1).dtype == dtype


def test_masks_are_views(backend: str) -> None:
    v = Vector.empty(2, int)
    mask = ~v.structure
    assert isinstance(mask, Mask)
    assert (~mask).complemented is False
    assert "has no entry" in repr(mask)
    assign(v, 1, [0])
    assert assign(Vector.empty(2, int), 7, mask=mask).to_dict() == {1: 7}


def test_numpy_does_not_take_handles_apart() -> None:
    with pytest.raises(TypeError):
        np.add(np.ones(3), Vector.full(3, 1.0))


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (2**30, "1.07 GB"), (10**15, "1e+03 TB")],
)
def test_sizes_are_readable(nbytes: int, text: str) -> None:
    assert readable_bytes(nbytes) == text


def test_a_missing_float_is_compared_exactly(backend: str) -> None:
    x = Vector.from_numpy([2**53 + 1, 2**53, 7], missing=2.0**53)
    assert x.to_dict() == {0: 2**53 + 1, 2: 7}
    assert Vector.from_numpy([1, 2], missing=math.inf).nvals == 2
    assert Vector.from_numpy([1, 2], missing=1e300).nvals == 2
    assert Vector.from_numpy([1, 2], missing=1.5).nvals == 2
