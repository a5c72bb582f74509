"""Pipes are read to their end, and never waited for without end; devices are refused."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from anypair import Matrix
from anypair.errors import FileError, FileUnreadable, NotEnoughMemory
from anypair.io import FORMATS, read, read_edges, write
from tests.support.compare import entries

GRAPH = Matrix.from_edges([0, 1], [1, 2], backend="reference")


def fed(path: Path, content: bytes, pause: float = 0.0) -> threading.Thread:
    """A pipe that somebody writes to, in two pieces."""
    os.mkfifo(path)

    def feed() -> None:
        with path.open("wb", buffering=0) as pipe:
            pipe.write(content[: len(content) // 2])
            time.sleep(pause)
            pipe.write(content[len(content) // 2 :])

    thread = threading.Thread(target=feed)
    thread.start()
    return thread


@pytest.mark.parametrize("suffix", ["mtx", "csv.gz", "el", "npz", "parquet", "g500"])
@pytest.mark.parametrize("pause", [0.0, 0.3])
def test_every_format_through_a_pipe(suffix: str, pause: float, tmp_path: Path) -> None:
    write(tmp_path / f"a.{suffix}", GRAPH)
    pipe = tmp_path / f"pipe.{suffix}"
    thread = fed(pipe, (tmp_path / f"a.{suffix}").read_bytes(), pause)
    loaded = read(pipe, backend="reference")
    thread.join()
    assert entries(loaded.matrix) == entries(GRAPH)
    assert loaded.path == pipe


def test_a_pipe_that_nobody_writes_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anypair.io.streams.PATIENCE", 0.2)
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(FileUnreadable, match=r"a\.csv: is a pipe, and nobody writes to it"):
        read(tmp_path / "a.csv")


def test_complaints_name_the_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "a.el"
    thread = fed(pipe, b"0 1\n1 x\n")
    with pytest.raises(FileError) as caught:
        read_edges(pipe)
    thread.join()
    assert str(caught.value).startswith(f"{pipe}, line 2: 'x' is not a whole number")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_devices_have_no_end(device: str) -> None:
    with pytest.raises(FileUnreadable, match="is a device, neither a file nor a pipe"):
        read(device, format="el")


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), KeyError("a"), RuntimeError("b\n" * 99)])
def test_whatever_a_reader_raises_is_said_of_the_file(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> None:
        raise error

    (tmp_path / "a.mtx").write_text("")
    monkeypatch.setattr(FORMATS["mtx"].load(), "read_file", fail)
    with pytest.raises(
        FileError, match=rf"a\.mtx: cannot be read as mtx \({type(error).__name__}"
    ) as caught:
        read(tmp_path / "a.mtx")
    assert str(caught.value).isprintable()
    assert caught.value.__cause__ is error


def test_memory_that_runs_out_is_said_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> None:
        raise MemoryError

    (tmp_path / "a.mtx").write_text("")
    monkeypatch.setattr(FORMATS["mtx"].load(), "read_file", fail)
    with pytest.raises(NotEnoughMemory, match=r"a\.mtx: there is not enough memory"):
        read(tmp_path / "a.mtx")


COMMAND = [sys.executable, "-m", "anypair"]
ENVIRONMENT = {**os.environ, "ANYPAIR_BACKEND": "scipy"}


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", script.replace("anypair", " ".join(COMMAND))], capture_output=True, text=True,
        timeout=60, cwd=folder, env=ENVIRONMENT, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "script",
    [
        "printf '0 1\\n1 2\\n' | anypair bfs - --format el --source 0 --levels --quiet",
        "printf '0 1\\n1 2\\n' > x; anypair bfs - --format el --source 0 --levels --quiet < x",
        "anypair bfs <(printf '0 1\\n1 2\\n') --format el --source 0 --levels --quiet",
        "printf '0 1\\n1 2\\n' | gzip | anypair bfs - --format el --source 0 --levels --quiet",
    ],
)
def test_stdin_and_process_substitution(script: str, tmp_path: Path) -> None:
    done = run(script, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "vertex\tlevel\n0\t0\n1\t1\n2\t2\n", "")


def test_stdin_does_not_say_what_format_it_has(tmp_path: Path) -> None:
    done = run("echo 0 1 | anypair info -", tmp_path)
    assert done.returncode == 1
    assert "does not say what format it is; give --format" in done.stderr
