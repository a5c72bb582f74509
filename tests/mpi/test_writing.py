"""Files that several ranks write: one of them does, and all hear how it went."""

from pathlib import Path

import pytest

import anypair
from tests.mpi.jobs import ROOT, Job, run_program

pytest.importorskip("mpi4py")

# Python imports a module of this name before anything else, on every rank.
HOOK = """
import os, sys
def note(event, given):
    if event == "os.rename":
        name = given[1]
    elif event == "open" and isinstance(given[0], str) and "w" in str(given[1]):
        name = given[0]
    else:
        return
    folder, name = os.path.split(str(name))
    if folder == os.environ["WATCHED"]:
        os.write(log, f"{name}\\n".encode())
log = os.open(os.environ["WATCHED_LOG"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
sys.addaudithook(note)
"""


class Watched:
    """Commands on three ranks, and the files that they write into a folder, once for each time."""

    def __init__(self, path: Path) -> None:
        self.folder, self.hooks, self.log = path / "out", path / "hooks", path / "log"
        self.folder.mkdir()
        self.hooks.mkdir()
        (self.hooks / "sitecustomize.py").write_text(HOOK)

    def run(self, *arguments: str, **environment: str) -> Job:
        self.log.write_text("")
        return Job(
            3,
            *arguments,
            PYTHONPATH=f"{self.hooks}:{ROOT}",
            WATCHED=str(self.folder),
            WATCHED_LOG=str(self.log),
            ANYPAIR_LOCAL="scipy",
            **environment,
        )

    @property
    def written(self) -> list[str]:
        return sorted(self.log.read_text().split())


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    (tmp_path / "path.tsv").write_text("0\t1\n1\t2\n2\t3\n")
    return Watched(tmp_path)


def test_a_matrix_is_written_by_one_rank(tmp_path: Path) -> None:
    job = run_program(3, "writing", str(tmp_path))
    assert job.status == 0, job.said
    assert job.printed.count("written once") == 3


def test_a_search_writes_its_files_once(watched: Watched, tmp_path: Path) -> None:
    out = [str(watched.folder / name) for name in ("tree.csv", "facts.json", "trace.json")]
    job = watched.run(
        "bfs", str(tmp_path / "path.tsv"), "--source", "0",
        "--output", out[0], "--json", out[1], "--trace", out[2],
    )  # fmt: skip
    assert job.status == 0, job.said
    assert watched.written == ["facts.json", "trace.json", "tree.csv"]
    assert Path(out[0]).read_text() == "vertex,parent\n0,0\n1,0\n2,1\n3,2\n"


@pytest.mark.parametrize("backend", ["mpi", "scipy"])
def test_a_converted_graph_is_written_once(watched: Watched, tmp_path: Path, backend: str) -> None:
    """On a grid, and on a backend that has all of it on each rank."""
    job = watched.run(
        "convert", str(tmp_path / "path.tsv"), str(watched.folder / "path.csv"), ANYPAIR_BACKEND=backend
    )
    assert job.status == 0, job.said
    assert watched.written == ["path.csv"]
    assert job.said.count("path.csv: 4x4, 3 entries") == 1


@pytest.mark.parametrize("backend", ["mpi", "scipy"])
def test_a_graph_is_converted_to_blocks_once(watched: Watched, tmp_path: Path, backend: str) -> None:
    """Ranks that all wrote into one folder were in each other's way."""
    watched.folder = tmp_path / "path.blocks"
    job = watched.run(
        "convert", str(tmp_path / "path.tsv"), str(watched.folder), ANYPAIR_BACKEND=backend
    )
    assert job.status == 0, job.said
    assert watched.written.count("manifest.json") == 1
    assert job.said.count("path.blocks: 4x4, 3 entries") == 1
    assert [(i, j) for i, j, _ in anypair.io.read(watched.folder).matrix] == [(0, 1), (1, 2), (2, 3)]


def test_a_graph_is_generated_once(watched: Watched) -> None:
    job = watched.run("generate", "path", "--vertices", "5", str(watched.folder / "path.csv"))
    assert job.status == 0, job.said
    assert watched.written == ["path.csv"]
    assert job.said.count("path.csv: 5 vertices, 8 entries") == 1


def test_what_the_one_rank_cannot_write_is_an_error(watched: Watched, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    job = watched.run("info", str(tmp_path / "path.tsv"), "--json", "/dev/full")
    assert job.status == 1
    assert "/dev/full: cannot be written" in job.said
