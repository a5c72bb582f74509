"""Files of others read as they read them, and others read ours."""

import gzip
import io
import tracemalloc
from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from anypair import Matrix, same
from anypair.dtypes import SUPPORTED, DType
from anypair.errors import DuplicateEntries
from anypair.graph500 import kronecker_edges
from anypair.io import from_networkx, from_pandas, read, read_edges, write
from tests.support.compare import assert_same, entries
from tests.support.graphs import NAMED
from tests.support.strategies import matrices

SYMMETRIES = ["general", "symmetric", "skew-symmetric"]


def values(count: int, kind: str) -> Any:
    generator = np.random.default_rng(5)
    if kind == "integer":
        return generator.integers(-(2**63), 2**63 - 1, count)
    return generator.standard_normal(count) * 10.0 ** generator.integers(-300, 300, count)


SCIPY_FILES = [
    *product(["real", "integer"], SYMMETRIES, [False, True]),
    ("pattern", "general", False),
    ("pattern", "symmetric", False),
]


@pytest.mark.parametrize(("kind", "symmetry", "dense"), SCIPY_FILES)
def test_what_scipy_writes(kind: str, symmetry: str, dense: bool, tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    A = np.where(generator.random((9, 9)) < 0.4, values(81, kind).reshape(9, 9), 0)
    if symmetry != "general":
        lower = np.tril(A, -1)
        A = lower + lower.T if symmetry == "symmetric" else lower - lower.T
        A = A + np.diag(generator.integers(0, 2, 9)).astype(A.dtype) * (symmetry == "symmetric")
    path = tmp_path / "a.mtx"
    field = "pattern" if kind == "pattern" else None
    written = A if dense else scipy.sparse.coo_array(A)
    scipy.io.mmwrite(path, written, symmetry=symmetry, field=field, precision=17)
    expected = scipy.sparse.coo_array(scipy.io.mmread(path))
    found = read(path)
    if kind == "pattern":
        assert found.matrix.dtype == bool
        expected = expected.astype(bool)
    assert_same(found.matrix.to("reference"), Matrix.from_scipy(expected, backend="reference"))
    assert found.symmetric == (symmetry == "symmetric")


@given(matrix=matrices(specials=True))
def test_scipy_reads_what_we_write(tmp_path: Path, matrix: Matrix) -> None:
    path = tmp_path / "a.mtx"
    write(path, matrix)
    found = scipy.io.mmread(path, spmatrix=False).astype(matrix.dtype)
    assert same(Matrix.from_scipy(found, backend="reference"), matrix)


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("dtype", SUPPORTED, ids=str)
def test_archives_of_scipy(layout: str, dtype: DType, tmp_path: Path) -> None:
    A = scipy.sparse.random_array((7, 5), density=0.4, rng=np.random.default_rng(1)).astype(dtype)
    path = tmp_path / "a.npz"
    scipy.sparse.save_npz(path, A.asformat(layout))
    assert_same(
        read(path, backend="reference").matrix,
        Matrix.from_scipy(A.asformat(layout), backend="reference"),
    )
    matrix = Matrix.from_scipy(A)
    write(path, matrix, None)
    assert abs(scipy.sparse.load_npz(path) - A).sum() == 0


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz"])
def test_frames_written_by_pandas(suffix: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"from": [5, 3, 5], "to": [1, 5, 2], "length": [0.5, 1e-7, 3.0]})
    path = tmp_path / f"a.{suffix}"
    frame.to_csv(path, index=False, sep="," if "csv" in suffix else "\t")
    found = read_edges(path)
    assert [found.sources.tolist(), found.targets.tolist()] == [[5, 3, 5], [1, 5, 2]]
    assert found.weights is not None
    assert found.weights.tolist() == frame["length"].tolist()
    frame.to_csv(path, index=True, sep="," if "csv" in suffix else "\t", lineterminator="\r\n")
    found = read_edges(path, columns=("from", "to", "length"))
    assert found.targets.tolist() == [1, 5, 2]


@given(text=st.lists(st.floats() | st.integers().map(float) | st.decimals(allow_nan=False), min_size=1))
def test_weights_as_python_reads_them(tmp_path: Path, text: list[Any]) -> None:
    path = tmp_path / "a.csv"
    lines = [f"0,{k},{number}" for k, number in enumerate(text)]
    path.write_text("\n".join(lines))
    found = read_edges(path, dtype=float).weights
    assert found is not None
    expected = np.array([float(str(number)) for number in text])
    assert np.array_equal(found, expected, equal_nan=True)


@pytest.mark.parametrize("name", NAMED)
def test_edge_lists_of_networkx(name: str, tmp_path: Path) -> None:
    graph = NAMED[name]
    path = tmp_path / "a.el"
    nx.write_edgelist(graph, path, data=False)
    n = graph.number_of_nodes()
    loaded = read(path, n=n, symmetric=not graph.is_directed())
    expected = {(u, v) for u, v in graph.edges} | (
        set() if graph.is_directed() else {(v, u) for u, v in graph.edges}
    )
    assert set(entries(loaded.matrix)) == expected
    write(path, loaded.matrix)
    back = nx.read_edgelist(path, nodetype=int, create_using=nx.DiGraph)
    assert set(back.edges) == expected


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        ("el", "0 1\n1 2\n"),
        ("el", "0\t1 \n 1  2"),
        ("el", "# SNAP\n%other\n\n0 1\r\n1 2\r\n"),
        ("el", "\ufeff0 1\n1 2\n"),
        ("tsv", "0\t1\n1\t2\n"),
        ("csv", "0,1\n1,2\n"),
        ("csv", "0 , 1\n1, 2 \n"),
        ("csv", '"0","1"\n"1","2"\n'),
        ("csv", "source,target\n0,1\n1,2\n"),
        ("csv", "Node A,Node B\n0,1\n1,2\n"),
        ("csv", "\ufeffFrom,To\r\n0,1\r\n1,2"),
        ("edges", "0 1\n1 2\n\n\n"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_ways_to_write_the_same_edges(suffix: str, text: str, packed: bool, tmp_path: Path) -> None:
    path = tmp_path / (f"a.{suffix}.gz" if packed else f"a.{suffix}")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    loaded = read(path)
    assert entries(loaded.matrix) == {(0, 1): True, (1, 2): True}
    assert loaded.names is None
    assert loaded.matrix.shape == (3, 3)


def test_gzip_in_several_parts_and_with_zeros_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.el.gz"
    path.write_bytes(gzip.compress(b"0 1\n1") + gzip.compress(b" 2\n") + bytes(64))
    assert read(path).matrix.nvals == 2


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("source,target\nann,bob\n", 1),
        ("u,v\nann,bob\n", 2),
        ("u,v,w\nann,bob,3\n", 1),
        ("from,bob\nann,bob\n", 2),
        ("Source_ID,Target_ID\nann,bob\n", 1),
    ],
)
def test_headings(text: str, edges: int, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    assert read(path).matrix.nvals == edges
    if "w" not in text:
        assert read(path, header=False).matrix.nvals == 2


def test_vertices(tmp_path: Path) -> None:
    path = tmp_path / "a.el"
    path.write_text("3 1\n1 900000\n")
    packed = read(path)
    assert packed.names is not None
    assert packed.names.tolist() == [1, 3, 900000]
    assert packed.vertex(900000) == packed.vertex("900000") == 2
    assert packed.name(1) == 3
    assert read(path, vertices="numbers").matrix.shape == (900001, 900001)
    assert read(path, vertices="numbers", one_based=True).matrix.shape == (900000, 900000)
    named = read(path, vertices="names")
    assert named.names is not None
    assert named.names.tolist() == ["1", "3", "900000"]
    path.write_text("-5 7\n")
    negative = read(path, vertices="ids").names
    assert negative is not None
    assert negative.tolist() == [-5, 7]


def test_numbers_with_leading_zeros_are_names_unless_somebody_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("000 01\n0001 2\n")
    names = read(path).names
    assert names is not None
    assert names.tolist() == ["000", "0001", "01", "2"]
    assert entries(read(path, vertices="numbers").matrix) == {(0, 1): True, (1, 2): True}
    assert read(path, vertices="ids").matrix.nvals == 2


def test_weights(tmp_path: Path) -> None:
    path = tmp_path / "a.wel"
    path.write_text("0 1 2\n1 2 3\n")
    assert read(path).matrix.dtype == np.int64
    assert read(path, dtype="float32").matrix.dtype == np.float32
    assert read(path, weights=False).matrix.dtype == bool
    assert read(path, columns=(2, 0)).matrix.to_entries()[0].tolist() == [2, 3]
    path.write_text("0 1 2\n1 2 3.5\n2 3 4\n" + "".join(f"9 {k} 1\n" for k in range(9)))
    assert read(path).matrix.to_entries()[2][:3].tolist() == [2.0, 3.5, 4.0]
    path.write_text(f"0 1 {2**64 - 1}\n")
    assert read(path, dtype=np.uint64).matrix.get(0, 1) == 2**64 - 1
    path.write_text(f"0 1 {-(2**63)}\n1 2 {2**63 - 1}\n2 3 -0\n3 4 007\n")
    assert read(path).matrix.to_entries()[2].tolist() == [-(2**63), 2**63 - 1, 0, 7]


@pytest.mark.parametrize("block", [1 << 12, 1 << 16])
@pytest.mark.parametrize("suffix", ["mtx", "mtx.gz", "tsv", "csv.gz"])
def test_many_blocks(block: int, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anypair.io.files.BLOCK", block)
    monkeypatch.setattr("anypair.io.parsing.PIECE", 1 << 10)
    sources, targets = kronecker_edges(11)
    weights = np.where(sources % 3 == 0, sources / 7, sources)
    graph = Matrix.from_entries(np.arange(len(sources)), targets, weights, (len(sources), 2**15))
    path = tmp_path / f"a.{suffix}"
    write(path, graph)
    found = read_edges(path)
    rows, columns, values = graph.to_entries()
    assert np.array_equal(found.sources, rows)
    assert np.array_equal(found.targets, columns)
    assert found.weights is not None
    assert np.array_equal(found.weights, values)


@pytest.mark.parametrize("suffix", ["mtx", "tsv", "tsv.gz"])
def test_memory_is_that_of_the_result(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = 1 << 16
    monkeypatch.setattr("anypair.io.files.BLOCK", block)
    monkeypatch.setattr("anypair.io.files.HEAD", 1 << 12)
    sources, targets = kronecker_edges(14, edgefactor=8)
    graph = Matrix.from_edges(sources, targets, n=2**14)
    path = tmp_path / f"a.{suffix}"
    write(path, graph)
    read_edges(path)  # compiled code is not the result
    tracemalloc.start()
    try:
        found = read_edges(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    result = found.sources.nbytes + found.targets.nbytes
    assert len(found) == graph.nvals
    assert peak < 1.2 * result + 20 * block


def test_names_in_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anypair.io.files.BLOCK", 1 << 12)
    sources, targets = kronecker_edges(9)
    path = tmp_path / "a.csv"
    path.write_text("\n".join(f"vertex {u},vertex {v}" for u, v in zip(sources, targets, strict=True)))
    loaded = read(path)
    assert loaded.names is not None
    found = {(loaded.names[i], loaded.names[j]) for i, j in entries(loaded.matrix)}
    assert found == {(f"vertex {u}", f"vertex {v}") for u, v in zip(sources, targets, strict=True)}


def test_networkx_with_parallel_edges_and_mixed_nodes() -> None:
    from anypair.io import from_networkx
    from anypair.semiring import plus

    graph = nx.MultiDiGraph([("a", 1, {"weight": 2}), ("a", 1, {"weight": 3})])
    loaded = from_networkx(graph, duplicates=plus)
    assert loaded.matrix.get(loaded.vertex("a"), loaded.vertex(1)) == 5
    assert from_networkx(nx.Graph()).matrix.shape == (0, 0)


def test_edges_given_twice_name_the_call() -> None:
    frame = pd.DataFrame({"source": [0, 0], "target": [1, 1], "weight": [1, 2]})
    parallel = nx.MultiGraph([(0, 1, {"weight": 1}), (0, 1, {"weight": 2})])
    for call, edges in ((from_pandas, frame), (from_networkx, parallel)):
        with pytest.raises(DuplicateEntries, match=rf"^{call.__name__}: more than one entry"):
            call(edges)


def test_text_of_scipy_in_memory_is_ours(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    scipy.io.mmwrite(buffer, scipy.sparse.eye_array(3, dtype=int, format="coo"))
    (tmp_path / "a.mtx").write_bytes(buffer.getvalue())
    assert read(tmp_path / "a.mtx").matrix.nvals == 3
