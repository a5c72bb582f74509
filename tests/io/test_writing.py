"""Files are replaced as a whole or not at all; what cannot be written is refused."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from anypair import Matrix
from anypair.errors import AnypairError, FileUnreadable, InvalidArgument, MissingLibrary
from anypair.io import FORMATS, read, write

GRAPH = Matrix.from_edges([0, 1], [1, 2], backend="reference")
WEIGHTED = Matrix.from_edges([0, 1], [1, 2], [5, 6], backend="reference")
SUFFIXES = sorted({suffix for row in FORMATS.values() for suffix in row.suffixes})


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_suffix(suffix: str, tmp_path: Path) -> None:
    write(tmp_path / f"a{suffix}", GRAPH)
    assert read(tmp_path / f"a{suffix}").matrix.nvals == 2
    assert os.listdir(tmp_path) == [f"a{suffix}"]  # noqa: PTH208


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.el"
    write(path, GRAPH)
    before = path.read_bytes()
    with pytest.raises(AnypairError, match="'two words' cannot stand between blanks"):
        write(path, GRAPH, names=["a", "two words", "c"])
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.el"]


def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    path, link = tmp_path / "a.el", tmp_path / "link.el"
    write(path, GRAPH)
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask
    path.chmod(0o600)
    link.symlink_to(path)
    write(link, WEIGHTED)
    assert link.is_symlink()
    assert path.read_text() == "0 1 5\n1 2 6\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_devices_are_written_to(tmp_path: Path) -> None:
    write("/dev/null", GRAPH, format="el")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize(
    ("name", "matrix", "names", "words"),
    [
        ("a.mtx", GRAPH, ["a", "b", "c"], "Matrix Market files hold no names"),
        ("a.g500", GRAPH, ["a", "b", "c"], "Graph500 files hold bare edges, no names"),
        ("a.g500", WEIGHTED, None, "no values of dtype int64"),
        ("a.el", GRAPH, ["a", "b"], "2 names for 3 vertices"),
        ("a.el", GRAPH, ["a", "b", "a"], "two vertices have the same name"),
        ("a.el", GRAPH, ["a", "b", "#c"], "'#c' cannot stand between blanks"),
        ("a.csv", GRAPH, ["a", "b", ""], "the name '' cannot stand on a line"),
        ("a.csv", GRAPH, ["a", "b", "c\nd"], "cannot stand on a line"),
        ("a.csv", Matrix.empty((2, 3)), ["a", "b"], "names are for graphs, and this is 2x3"),
        ("a.xyz", GRAPH, None, "does not say what format it is"),
        ("none/a.el", GRAPH, None, "cannot be written: there is no such folder"),
        ("a.el", "not a matrix", None, "write: str is no Matrix"),
    ],
)
def test_what_cannot_be_written(name: str, matrix: Any, names: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(AnypairError, match=re.escape(words)):
        write(tmp_path / name, matrix, names)
    assert not list(tmp_path.iterdir())


def test_a_folder_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "a.el").mkdir()
    with pytest.raises(FileUnreadable, match="cannot be written"):
        write(tmp_path / "a.el", GRAPH)
    assert len(list(tmp_path.iterdir())) == 1


def test_delimiters(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write(path, WEIGHTED, delimiter=";")
    assert path.read_text() == "0;1;5\n1;2;6\n"
    assert read(path, delimiter=";").matrix.nvals == 2
    with pytest.raises(InvalidArgument, match="delimiter= means nothing for the format 'mtx'"):
        write(tmp_path / "a.mtx", WEIGHTED, delimiter=";")


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        MissingLibrary, match=r"needs pyarrow; install it with: pip install 'anypair\[parquet\]'"
    ):
        write(tmp_path / "a.parquet", GRAPH)


def test_importing_io_imports_no_heavy_library() -> None:
    heavy = ["numba", "scipy", "pandas", "polars", "pyarrow", "networkx"]
    code = f"import sys, anypair.io; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
