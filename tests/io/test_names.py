"""Names of vertices come back from every format as they were written, or writing them is refused."""

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anypair import Matrix
from anypair.errors import AnypairError, InvalidValue
from anypair.io import Loaded, from_pandas, read, write
from tests.support.compare import entries

SUFFIXES = ["csv", "tsv", "el", "txt.gz", "csv.gz", "npz", "parquet"]

# What titles, numbers, comments, quotes and marks look like, and anything else.
telling = st.sampled_from(
    ["source", "target", "from", "to", "weight", "Source_ID", "01", "1", "001", "+1", "-1", "-0", "0", "1.5",
     "nan", "inf", "1e5", "#", "%a", '"', '"a"', "a,b", "a\tb", "a b", " ", " a", "a ", "\ufeff", "\ufeffa",
     "None", "True", "a'b", 'a"b', "\x85", "\u2028", "\xa0", "é", "\U0001d54f", "a\x0bb", "\\", ";", "=", "-", "--"]
)  # fmt: skip
names = st.lists(
    telling | st.text(st.characters(exclude_categories=["Cs"]), max_size=6), min_size=2, max_size=5, unique=True
)  # fmt: skip


def ring(size: int, weighted: bool) -> Matrix:
    """Every vertex has an edge, the first one to the second."""
    sources, targets = range(size), [*range(1, size), 0]
    return Matrix.from_edges(
        sources, targets, [0.5] * size if weighted else None, n=size, backend="reference"
    )


def named_edges(matrix: Matrix, names: Any) -> set[tuple[Any, Any]]:
    return {(str(names[i]), str(names[j])) for i, j in entries(matrix)}


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(names=names, weighted=st.booleans())
@example(names=["source", "target"], weighted=False)
@example(names=["from", "to", "x"], weighted=False)
@example(names=["01", "1", "001"], weighted=False)
@example(names=["1", "01"], weighted=True)
@example(names=["+1", "1"], weighted=False)
@example(names=["a", "b", "7", "8"], weighted=False)
@example(names=["\ufeffa", "b"], weighted=False)
@example(names=["source", "target", "weight"], weighted=True)
def test_what_is_written_is_read(suffix: str, names: list[str], weighted: bool, tmp_path: Path) -> None:
    path = tmp_path / f"a.{suffix}"
    matrix = ring(len(names), weighted)
    try:
        write(path, matrix, names)
    except InvalidValue:
        # What a format has no way to write.
        assert (
            "el" in suffix
            or "txt" in suffix
            or any(set(name) & set("\n\r\0") or not name for name in names)
        )
        return
    expected = named_edges(matrix, names)
    options: dict[str, Any] = {} if suffix == "npz" else {"vertices": "names"}
    loaded = read(path, backend="reference", **options)
    assert loaded.names is not None
    assert named_edges(loaded.matrix, loaded.names) == expected
    assert [loaded.vertex(name) for name in loaded.names] == list(range(len(names)))
    # By default either the same, or an error that says what to do; numbers may come back as numbers.
    with contextlib.suppress(AnypairError):
        loaded = read(path, backend="reference")
        found = range(loaded.matrix.nrows) if loaded.names is None else loaded.names
        assert named_edges(loaded.matrix, found) == expected


@pytest.mark.parametrize("suffix", ["csv", "tsv", "npz", "parquet"])
def test_a_first_edge_that_looks_like_titles(suffix: str, tmp_path: Path) -> None:
    for called in (["source", "target"], ["from", "to"]):
        write(tmp_path / f"a.{suffix}", Matrix.from_edges([0], [1], n=2), called)
        assert read(tmp_path / f"a.{suffix}").matrix.nvals == 1


def test_headings_stand_only_where_they_are_needed(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    write(path, ring(2, weighted=False), ["Ann", "Bob"])
    assert path.read_text() == "Ann\tBob\nBob\tAnn\n"
    write(path, ring(2, weighted=False), ["from", "to"])
    assert path.read_text() == "source\ttarget\nfrom\tto\nto\tfrom\n"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "el", "npz", "parquet"])
@pytest.mark.parametrize("dtype", ["int8", "uint32", "uint64", "int64"])
def test_numbers_as_names(suffix: str, dtype: str, tmp_path: Path) -> None:
    called = np.array([7, 5, 100], dtype)
    write(tmp_path / f"a.{suffix}", ring(3, weighted=False), called)
    loaded = read(tmp_path / f"a.{suffix}", **({} if suffix == "npz" else {"vertices": "ids"}))
    assert loaded.names is not None
    assert named_edges(loaded.matrix, loaded.names) == {("7", "5"), ("5", "100"), ("100", "7")}


def test_parquet_knows_that_numbers_were_names(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", ring(3, weighted=False), [7, 5, 100])
    names = read(tmp_path / "a.parquet").names
    assert names is not None
    assert names.tolist() == [5, 7, 100]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npz"])
@pytest.mark.parametrize(
    ("called", "words"),
    [
        ([1, "1"], "two vertices have the same name as text, '1'"),
        ([(1, 2), "(1, 2)"], "the same name as text"),
        (["a", "\ud800"], "is no text"),
        (["a", "a"], "two vertices have the same name, 'a'"),
    ],
)
def test_names_that_a_file_cannot_tell_apart(
    suffix: str, called: list[Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidValue, match=words.replace("(", r"\(").replace(")", r"\)")):
        write(tmp_path / f"a.{suffix}", ring(2, weighted=False), called)


def test_a_whole_number_beyond_64_bits_is_text(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", ring(2, weighted=False), [2**70, 1])
    loaded = read(tmp_path / "a.csv", vertices="names")
    assert loaded.vertex(str(2**70)) == 1


@pytest.mark.parametrize("through_a_file", [False, True])
def test_columns_of_different_signs_keep_vertices_apart(through_a_file: bool, tmp_path: Path) -> None:
    def loaded(sources: list[int], targets: list[int], vertices: str = "auto") -> Loaded:
        columns = {"source": np.array(sources, np.uint64), "target": np.array(targets, np.int64)}
        frame = pandas.DataFrame(columns)
        if not through_a_file:
            return from_pandas(frame, vertices=vertices)
        frame.to_parquet(tmp_path / "a.parquet")
        return read(tmp_path / "a.parquet", vertices=vertices)

    graph = loaded([2**60 + 1, 2**63 + 5], [2**60, 7])
    assert graph.names is not None
    assert graph.names.tolist() == [7, 2**60, 2**60 + 1, 2**63 + 5]
    assert [*graph.matrix] == [(2, 1, True), (3, 0, True)]
    assert graph.name(graph.vertex(2**63 + 5)) == 2**63 + 5
    graph = loaded([2**60 + 1], [-1], "ids")
    assert [graph.name(0), graph.name(1)] == [-1, 2**60 + 1]
    with pytest.raises(AnypairError, match=r"hold -1 and 9223372036854775813, .* vertices='names'"):
        loaded([2**63 + 5], [-1], "ids")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_names_that_are_bytes_are_written_as_text(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{suffix}"
    write(path, ring(2, weighted=False), [b"Ann", "Zoë".encode()])
    assert read(path).vertex("Zoë") == 1
    with pytest.raises(InvalidValue, match=r"the name b'\\xff' is no text"):
        write(path, ring(2, weighted=False), [b"Ann", b"\xff"])


@pytest.mark.parametrize("kind", ["binary", "large_binary", "binary(3)"])
def test_bytes_in_parquet_are_text(kind: str, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    dtype = pyarrow.binary(3) if kind == "binary(3)" else getattr(pyarrow, kind)()
    column = pyarrow.array([b"Ann", b"Bob"], dtype)
    parquet.write_table(
        pyarrow.table({"source": column, "target": column[::-1]}), tmp_path / "a.parquet"
    )
    loaded = read(tmp_path / "a.parquet")
    assert loaded.matrix.get(loaded.vertex("Ann"), loaded.vertex("Bob")) is True
    column = pyarrow.array([b"Ann", b"\xff\xfe\xfd"], dtype)
    parquet.write_table(pyarrow.table({"source": column, "target": column}), tmp_path / "b.parquet")
    with pytest.raises(AnypairError, match="has bytes in column 'source' that are no text"):
        read(tmp_path / "b.parquet")
