"""Every wrong file gives an error that says where and what; no traceback of another library."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from anypair.errors import (
    AnypairError,
    DuplicateEntries,
    FileError,
    FileUnreadable,
    InvalidArgument,
    InvalidValue,
    NotEnoughMemory,
)
from anypair.io import from_networkx, from_pandas, read, read_edges
from tests.io.malformed import CASES, MTX, PATTERN, Case


def test_the_table_is_long_enough() -> None:
    assert len({(case.file, case.content, str(case.options)) for case in CASES}) >= 100


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_malformed(case: Case, tmp_path: Path) -> None:
    path = tmp_path / case.file
    path.write_bytes(case.content)
    with pytest.raises(FileError, match=re.escape(case.words)) as caught:
        read(path, **case.options)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < len(str(path)) + 250
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("lines_before", [0, 1, 70_000])
def test_lines_are_counted_through_blocks(
    lines_before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anypair.io.files.BLOCK", 1 << 12)
    path = tmp_path / "a.el"
    path.write_text("0 1\n" * lines_before + "# a comment\r\n" + "2 3\n" * 5 + "4 ?\n" + "5 6\n" * 900)
    with pytest.raises(
        FileError, match=f"line {lines_before + 7}: '\\?' is not a whole number.*: '4 \\?'"
    ):
        read(path)


def test_the_first_of_several_problems_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.el"
    text = ["123456 7654321"] * 400_000  # several pieces, parsed by several threads
    text[399_999] = text[150_000] = "1 x"
    path.write_text("\n".join(text))
    with pytest.raises(FileError, match="line 150001"):
        read(path)


def test_a_line_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anypair.io.files.BLOCK", 1 << 12)
    path = tmp_path / "a.el"
    path.write_text("0 1\n" + "1" * 9000)
    with pytest.raises(FileError, match=r"a line is longer than 4.1 kB: '1111"):
        read(path)


@pytest.mark.parametrize("suffix", ["mtx", "el", "csv", "npz", "parquet", "g500"])
def test_missing_and_folder(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable, match="there is no such file"):
        read(tmp_path / f"none.{suffix}")
    folder = tmp_path / f"folder.{suffix}"
    folder.mkdir()
    with pytest.raises(FileUnreadable, match="is a folder, not a file"):
        read(folder)
    with pytest.raises(OSError, match="is a folder"):
        read(folder)


def test_a_name_that_no_system_takes(tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable):
        read(tmp_path / "a\0.mtx")
    with pytest.raises(FileUnreadable):
        read(tmp_path / ("a" * 5000 + ".mtx"))


def test_unknown_suffix_and_format(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"'graph.xyz' does not say what format it is; give format="):
        read(tmp_path / "graph.xyz")
    with pytest.raises(InvalidValue, match="does not say"):
        read(tmp_path / "graph.npz.gz")
    with pytest.raises(InvalidValue, match="format='gml' is none of mtx, tsv"):
        read(tmp_path / "graph.el", format="gml")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"vertices": "letters"}, InvalidValue, "vertices='letters' is none of auto, numbers, ids"),
        ({"n": -1}, InvalidValue, "n=-1 is negative"),
        ({"delimiter": "ab"}, InvalidValue, "delimiter='ab' cannot stand between fields"),
        ({"delimiter": "1"}, InvalidValue, "delimiter='1' cannot"),
        ({"columns": "ab"}, InvalidValue, "columns='ab' has to be two or three"),
        ({"columns": (1,)}, InvalidValue, "has to be two or three"),
        ({"n": 5, "vertices": "ids"}, InvalidValue, "n= is for vertices that are numbers"),
        ({"n": 5, "vertices": "names"}, InvalidValue, "n= is for vertices that are numbers"),
        ({"limit": "much"}, InvalidValue, "limit='much' is not a whole number"),
    ],
)
def test_wrong_options(
    options: dict[str, Any], error: type[AnypairError], words: str, tmp_path: Path
) -> None:
    (tmp_path / "a.el").write_text("0 1\n")
    with pytest.raises(error, match=re.escape(words)):
        read(tmp_path / "a.el", **options)


def test_options_that_mean_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.mtx").write_text(f"{PATTERN}1 1 0\n")
    with pytest.raises(InvalidArgument, match="delimiter= means nothing for the format 'mtx'"):
        read(tmp_path / "a.mtx", delimiter=",")


def test_what_cannot_fit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.mtx"
    path.write_text(f"{PATTERN}{10**15} {10**15} 1\n1 1\n")
    with pytest.raises(NotEnoughMemory, match="GB are free"):
        read(path)
    (tmp_path / "a.el").write_text(f"0 {10**15}\n")
    with pytest.raises(NotEnoughMemory, match="GB are free"):
        read(tmp_path / "a.el", vertices="numbers")
    import gzip

    packed = tmp_path / "b.mtx.gz"
    packed.write_bytes(gzip.compress(f"{PATTERN}{10**8} {10**8} {10**13}\n1 1\n".encode()))
    with pytest.raises(NotEnoughMemory, match="holding the 10000000000000 entries it promises"):
        read(packed)


def test_weights_of_an_edge_given_twice(tmp_path: Path) -> None:
    (tmp_path / "a.wel").write_text("0 1 5\n0 1 6\n")
    with pytest.raises(DuplicateEntries, match=r"a.wel: more than one entry at .*duplicates="):
        read(tmp_path / "a.wel")


def npz(path: Path, **changes: Any) -> Path:
    csr = scipy.sparse.csr_array(np.eye(3))
    arrays = {
        "format": b"csr", "shape": csr.shape, "data": csr.data, "indices": csr.indices, "indptr": csr.indptr,
    } | changes  # fmt: skip
    np.savez(path, **{name: x for name, x in arrays.items() if x is not None})
    return path


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": b"lil"}, "is no sparse matrix"),
        ({"data": None}, "is no sparse matrix"),
        ({"indices": np.array([0, 1, 7])}, "(column 7, and there are 3)"),
        ({"indices": np.array([0, 1, -1])}, "(column -1, and there are 3)"),
        ({"data": np.ones(3, complex)}, "dtype dtype('complex128') is not supported"),
        ({"data": np.array([{}, {}, {}])}, "is no sparse matrix"),
        ({"names": np.array(["a"])}, "has 1 names for 3x3 vertices"),
        ({"indptr": np.array([0, 1, 2, 90])}, "indptr ends with 90, and there are 3 entries"),
        ({"indptr": np.array([0, 90, 2, 3])}, "indptr falls from 90 to 2 in row 1"),
        ({"indptr": np.array([1, 1, 2, 3])}, "indptr begins with 1, not with 0"),
        ({"indptr": np.array([0, 3])}, "indptr has 2 numbers for 3 rows"),
        ({"indptr": np.array([0.0, 1, 2, 3])}, "indptr holds float64, not whole numbers"),
        ({"indptr": np.array([0, 1, 2, 2**64 - 1], np.uint64)}, "too large for a 64-bit number"),
        ({"indices": np.array([[0], [1], [2]])}, "indices has 2 dimensions"),
        ({"format": np.array(7)}, "format '7' is none of csr, csc, bsr, coo, dia"),
        ({"format": np.array([b"csr", b"csc"])}, "is none of csr"),
        ({"shape": np.array(3)}, "shape is '3', not rows and columns"),
        ({"shape": np.array([3, -3])}, "it is 3x-3"),
        ({"shape": np.array([3.0, 3.0])}, "not rows and columns"),
        ({"names": np.array("abc")}, "has 1 names for 3x3 vertices"),
        ({"names": np.array(["a", "b", "a"])}, "two vertices are called 'a'"),
        ({"names": np.array([b"a", b"\xff", b"c"])}, "is no sparse matrix"),
        ({"names": np.array([0.5, 1.5, 2.5])}, "neither text nor whole numbers"),
        ({"symmetric": np.array([True, False])}, "symmetric is '[True, False]', neither"),
        ({"symmetric": np.array("yes")}, "symmetric is 'yes', neither"),
        ({"symmetric": np.array(True), "indices": np.array([1, 2, 0])}, "its triangles differ"),
        (
            {"symmetric": np.array(True), "shape": np.array([3, 4])},
            "symmetric, and 3x4",
        ),
        (
            {"format": b"bsr", "data": np.ones((3, 0, 0))},
            "data of shape (3, 0, 0) are no blocks",
        ),
        (
            {"format": b"bsr", "data": np.ones((3, 2, 2))},
            "blocks of 2x2 do not fill 3x3",
        ),
        (
            {"format": b"coo", "row": np.array([0, 1]), "col": np.array([0, 1, 2])},
            "2 rows, 3 columns and 3 values",
        ),
        ({"format": b"coo", "coords": np.array([[0, 1, 2]])}, "are no rows and columns"),
        ({"format": b"dia", "data": np.ones((2, 3)), "offsets": np.array([1, 1])}, "given twice"),
        ({"format": b"dia", "data": np.ones(3), "offsets": np.array([1])}, "for 1 diagonals"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_archives_that_hold_something_else(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=re.escape(words)):
        read(npz(tmp_path / "a.npz", **changes))


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ({"a": [1]}, {}, "has 1 columns; edges need a source and a target"),
        ({"source": [1], "target": [2]}, {"weights": True}, "has no column of weights"),
        ({"a": [1], "b": [2]}, {"columns": ("a", "c")}, "has no column 'c'; it has a, b"),
        ({"source": [1, -5], "target": [2, 2]}, {}, "sources[1] = -5 is out of range; give 0 or more"),
        ({"source": [1, 5], "target": [2, 2]}, {"n": 5}, "sources[1] = 5 is out of range; give 0 to 4"),
        ({"source": [1, None], "target": [2, 2]}, {}, "has no value in column 'source', row 1"),
        (
            {"source": [1.5], "target": [2.0]},
            {},
            "vertices of dtype float64 are neither whole numbers nor text",
        ),
        ({"source": ["x"], "target": ["y"]}, {"vertices": "numbers"}, "vertices='names' takes anything"),
        (
            {"source": [1], "target": [2], "km": ["heavy"]},
            {},
            "'heavy', which is not a number (source in column 'source', target in column 'target', weight in column 'km')",
        ),
        ({"source": [[1]], "target": [[2]]}, {}, "cannot be named by what these columns hold"),
        (
            {"ts": [170, 171, 172], "sender": [10, 11, 12], "receiver": [11, 12, 10]},
            {},
            "has columns ts, sender, receiver, not titled source and target; say which are source, target "
            "and perhaps weight, as in columns=('sender', 'receiver')",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_tables_that_are_no_edges(
    columns: dict[str, Any], options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    with pytest.raises(FileError, match=re.escape(words)) as caught:
        read(tmp_path / "a.parquet", **options)
    assert str(caught.value).count("a.parquet") == 1


def test_frames_that_are_no_edges() -> None:
    with pytest.raises(InvalidArgument, match="list is no frame"):
        from_pandas([1, 2])
    with pytest.raises(InvalidArgument, match="column 'a' has missing values"):
        from_pandas(pd.DataFrame({"a": ["x", None], "b": ["y", "z"]}), ("a", "b"))
    with pytest.raises(InvalidArgument, match="the frame has 1 columns"):
        from_pandas(pd.DataFrame({"a": [1]}))
    with pytest.raises(InvalidArgument, match="str is no NetworkX graph"):
        from_networkx("graph")


def test_truncated_archives(tmp_path: Path) -> None:
    whole = npz(tmp_path / "a.npz").read_bytes()
    for size in (10, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "b.npz").write_bytes(whole[:size])
        with pytest.raises(FileError, match=r"b\.npz"):
            read(tmp_path / "b.npz")


def test_an_error_in_a_range_tells_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.mtx"
    path.write_text(f"{MTX}integer general\n% note\n9 9 4\n1 1 1\n2 2 2\n3 3 3\n4 4 x\n")
    with pytest.raises(FileError, match="line 7: 'x'"):
        read_edges(path, start=path.stat().st_size - 8)
