"""anypair cache."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from anypair.compiling.kernel_folder import kernel_folder
from tests.cli.conftest import Call


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setenv("ANYPAIR_CACHE", str(tmp_path / "kernels"))
    kernel_folder.cache_clear()
    yield tmp_path / "kernels"
    kernel_folder.cache_clear()


def test_what_there_is_and_its_removal(call: Call, folder: Path) -> None:
    assert call("cache").out.split() == (
        f"folder {folder} kernels 0 size 0 B of at most 512 MB state in use".split()
    )
    kernel_folder().write("one", b"x" * 1000)
    kernel_folder().write("two", b"x" * 1000)
    mine = folder / "mine.txt"
    mine.write_text("not a kernel")
    assert "kernels  2\nsize     2.1 kB of at most 512 MB\n" in call("cache").out
    assert call("cache", "--clear").out == "removed 2 kernels, 2.1 kB\n"
    assert list(folder.iterdir()) == [mine]
    assert call("cache", "--clear").out == "removed 0 kernels, 0 B\n"


def test_an_unsafe_folder_is_shown_and_left_alone(call: Call, folder: Path) -> None:
    kernel_folder().write("one", b"x")
    folder.chmod(0o777)
    assert f"state    refused: {folder} can be written by others" in call("cache").out
    cleared = call("cache", "--clear")
    assert cleared.status == 1
    assert "can be written by others" in cleared.err
    assert len(list(folder.iterdir())) == 1


def test_a_folder_that_cannot_be_made(call: Call, folder: Path) -> None:
    folder.write_text("a file")
    assert "state    cannot be written to" in call("cache").out


def test_a_wrong_limit(call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYPAIR_CACHE_LIMIT", "much")
    done = call("cache")
    assert done.status == 1
    assert done.err == (
        "anypair: ANYPAIR_CACHE_LIMIT='much' is not a number of megabytes, such as 512\n"
    )
