"""What is written is what is read: every format, every dtype, with and without names."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anypair import Matrix
from anypair.dtypes import SUPPORTED, DType
from anypair.io import (
    from_networkx,
    from_pandas,
    from_polars,
    read,
    read_edges,
    to_networkx,
    to_pandas,
    to_polars,
    write,
)
from tests.support.compare import assert_same, entries
from tests.support.strategies import matrices

WHOLE_MATRICES = ["mtx", "mtx.gz", "npz", "parquet"]
EDGE_LISTS = ["tsv", "tsv.gz", "csv", "el", "txt.gz"]
FEW = settings(max_examples=min(10, settings.default.max_examples))  # for each format and dtype
DTYPES = pytest.mark.parametrize("dtype", SUPPORTED, ids=str)

awkward_names = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=9
).filter(lambda name: name.strip() == name)
plain_names = st.text(st.characters(categories=["L"]), min_size=1, max_size=9)


@pytest.mark.parametrize("suffix", WHOLE_MATRICES)
@DTYPES
@FEW
@given(data=st.data())
def test_matrices_of_any_shape(suffix: str, dtype: DType, tmp_path: Path, data: Any) -> None:
    matrix = data.draw(matrices(dtype=dtype, specials=True))
    path = tmp_path / f"a.{suffix}"
    write(path, matrix)
    assert_same(read(path, dtype=dtype, backend="reference").matrix, matrix)


@pytest.mark.parametrize("suffix", EDGE_LISTS)
@DTYPES
@FEW
@given(data=st.data())
def test_edge_lists(suffix: str, dtype: DType, tmp_path: Path, data: Any) -> None:
    size = data.draw(st.integers(0, 6))
    matrix = data.draw(matrices((size, size), dtype=dtype, specials=True))
    path = tmp_path / f"a.{suffix}"
    write(path, matrix)
    assert_same(read(path, n=size, dtype=dtype, backend="reference").matrix, matrix)


@pytest.mark.parametrize("suffix", ["mtx", "csv", "el"])
@given(numbers=st.lists(st.floats(width=64), min_size=1, max_size=20))
def test_floats_keep_every_bit_and_look_as_in_python(
    suffix: str, tmp_path: Path, numbers: list[float]
) -> None:
    matrix = Matrix.from_entries([0] * len(numbers), range(len(numbers)), numbers, (1, 20))
    path = tmp_path / f"a.{suffix}"
    write(path, matrix)
    found = read_edges(path).weights
    assert found is not None
    written = [line.replace(",", " ").split()[-1] for line in path.read_text().splitlines()]
    assert written[-len(numbers) :] == [repr(number) for number in numbers]
    both = np.array(numbers)
    assert np.array_equal(found[~np.isnan(both)].view(np.int64), both[~np.isnan(both)].view(np.int64))
    assert np.isnan(found[np.isnan(both)]).all()


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "npz"])
@given(data=st.data(), names=st.lists(awkward_names, min_size=2, max_size=6, unique=True))
def test_awkward_names(suffix: str, tmp_path: Path, data: Any, names: list[str]) -> None:
    check_names(tmp_path / f"a.{suffix}", data, names, header=True if suffix == "csv" else None)


@pytest.mark.parametrize("suffix", ["el", "csv.gz"])
@given(data=st.data(), names=st.lists(plain_names, min_size=2, max_size=6, unique=True))
def test_plain_names(suffix: str, tmp_path: Path, data: Any, names: list[str]) -> None:
    check_names(tmp_path / f"a.{suffix}", data, names, header=True if "csv" in suffix else None)


def check_names(path: Path, data: Any, names: list[str], header: bool | None) -> None:
    """Edges between names are the same; vertices without edges are lost where only edges are kept."""
    size = len(names)
    matrix = data.draw(matrices((size, size)).filter(lambda m: m.nvals > 0))
    write(path, matrix, names)
    options: dict[str, Any] = {"dtype": matrix.dtype}
    if path.suffix not in (".npz", ".parquet"):
        options |= {"vertices": "names", "header": header or False}
    loaded = read(path, **options)
    assert loaded.names is not None
    found = {
        (loaded.names[i], loaded.names[j]): value for (i, j), value in entries(loaded.matrix).items()
    }
    expected = {(names[i], names[j]): value for (i, j), value in entries(matrix).items()}
    assert found == expected
    if path.suffix != ".npz":
        assert loaded.names.tolist() == sorted(loaded.names.tolist())
        assert set(loaded.names.tolist()) == {name for pair in expected for name in pair}


@pytest.mark.parametrize("suffix", ["csv", "tsv", "el", "parquet", "npz"])
@given(names=st.lists(st.integers(-(2**63) + 1, 2**63 - 1), min_size=2, max_size=5, unique=True))
def test_whole_numbers_as_names(suffix: str, tmp_path: Path, names: list[int]) -> None:
    names.sort()
    ring = Matrix.from_edges(range(len(names)), [*range(1, len(names)), 0])
    write(tmp_path / f"a.{suffix}", ring, names)
    options = {} if suffix == "npz" else {"vertices": "ids"}
    loaded = read(tmp_path / f"a.{suffix}", backend="reference", **options)  # type: ignore[arg-type]
    assert loaded.names is not None
    assert loaded.names.tolist() == names
    assert_same(loaded.matrix, ring.to("reference"))


@pytest.mark.parametrize("suffix", [*WHOLE_MATRICES, "g500", "g500p", "csv", "el"])
def test_a_symmetric_graph_stays_one(suffix: str, tmp_path: Path) -> None:
    graph = Matrix.from_edges([0, 1, 2, 3, 3], [1, 2, 0, 3, 1], symmetric=True)
    path = tmp_path / f"a.{suffix}"
    write(path, graph)
    loaded = read(path)
    assert_same(loaded.matrix.to("reference"), graph.to("reference"))
    assert loaded.symmetric == loaded.matrix.is_symmetric == (suffix in WHOLE_MATRICES)
    if loaded.symmetric:
        assert loaded.matrix.T is loaded.matrix


@pytest.mark.parametrize("suffix", ["g500", "g500p"])
@given(ends=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=20))
def test_binary_edges(suffix: str, tmp_path: Path, ends: list[tuple[int, int]]) -> None:
    graph = Matrix.from_edges([u for u, _ in ends], [v for _, v in ends], n=41, backend="reference")
    write(tmp_path / f"a.{suffix}", graph)
    assert_same(read(tmp_path / f"a.{suffix}", n=41, backend="reference").matrix, graph)


def test_packed_edges_hold_48_bits(tmp_path: Path) -> None:
    path = tmp_path / "a.g500p"
    far = 2**46 + 2**33 + 7
    low, high = far % 2**32, far >> 32
    words = np.array([[low, 5, high], [6, low, high << 16]], "<u4")
    path.write_bytes(words.tobytes())
    edges = read_edges(path)
    assert edges.sources.tolist() == [far, 6]
    assert edges.targets.tolist() == [5, far]


@given(matrix=matrices((5, 5), specials=True))
def test_frames(matrix: Matrix) -> None:
    assert_same(from_pandas(to_pandas(matrix), n=5, backend="reference").matrix, matrix)
    assert_same(from_polars(to_polars(matrix), n=5, backend="reference").matrix, matrix)


@given(matrix=matrices((4, 4), ends=False))
def test_networkx(matrix: Matrix) -> None:
    found = from_networkx(to_networkx(matrix), dtype=matrix.dtype, backend="reference").matrix
    assert_same(found, matrix)
    names = ["d", "b", "c", "a"]
    loaded = from_networkx(to_networkx(matrix, names), dtype=matrix.dtype, backend="reference")
    assert loaded.names is not None
    expected = {(names[i], names[j]): value for (i, j), value in entries(matrix).items()}
    named = {(loaded.name(i), loaded.name(j)): value for (i, j), value in entries(loaded.matrix).items()}
    assert named == expected
