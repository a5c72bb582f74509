"""A backend is a folder, a row of the registry and an extra: nothing else has to list it."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

import anypair
from anypair import Matrix
from anypair.algorithms import bfs_parents
from anypair.backends.options import Option, whole
from anypair.backends.registry import BACKENDS, Row
from anypair.backends.scipy import ScipyBackend
from anypair.cli.entry import main
from anypair.graph500 import Settings
from anypair.graph500.footprint import memory_needed
from anypair.graph500.machine import versions
from tests.mpi.threaded import run_ranks


class ToyBackend(ScipyBackend):
    """As scipy, but for what it says of itself."""

    name = "toy"
    compiles_operators = True
    bytes_per_edge = (1000, 2000)
    declared: ClassVar[Mapping[str, Option]] = {"threads": whole(0, 0, execution=True)}

    @property
    def threads(self) -> int:
        return int(self.options["threads"] or 3)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    row = Row(
        __name__, "ToyBackend", "toys", "pip install toy", ("threads",), packages=("pytest", "no-toy")
    )
    rows = dict(BACKENDS)
    monkeypatch.setitem(BACKENDS, "toy", row)
    yield
    monkeypatch.undo()
    BACKENDS.clear()  # what was taken out came back at the end
    BACKENDS.update(rows)


def test_it_computes_and_takes_its_options() -> None:
    with anypair.using("toy", threads=2) as toy:
        graph = Matrix.from_edges([0, 1], [1, 2])
        assert repr(toy) == "<backend 'toy', threads=2 (2 threads)>"
    with anypair.using("toy"):
        assert bfs_parents(graph, 0).to_dict() == {0: 0, 1: 0, 2: 1}


def test_the_benchmark_knows_what_it_needs_and_is_made_of() -> None:
    with anypair.using("toy") as toy:
        needed = [memory_needed(Settings(scale=10, sssp=sssp), toy) for sssp in (False, True)]
    assert needed[1] - needed[0] == 1000 * 16 * 1024
    found = versions()
    assert found["pytest"] == pytest.__version__
    assert found["no-toy"] is None


def test_the_command_lists_and_measures_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["backends"]) == 0
    assert "toy          ready" in capsys.readouterr().out
    for name in set(BACKENDS) - {"toy", "reference"}:
        monkeypatch.delitem(BACKENDS, name)
    where = tmp_path / "bench.json"
    arguments = ["--scales", "4", "--roots", "2", "--threads", "1", "--quiet", "--json", str(where)]
    assert main(["bench", *arguments]) == 0
    (result,) = json.loads(where.read_text())["results"]
    assert (result["backend"], result["options"]) == ("toy", {"threads": 1})


def test_ranks_run_it() -> None:
    pytest.importorskip("mpi4py")
    from anypair.backends.mpi import MpiBackend

    def search(world: Any) -> Any:
        grid = MpiBackend(local="toy", threads=1, world=world)
        assert (grid.compiles_operators, grid.local.options) == (True, {"threads": 1})
        graph = Matrix.from_edges([0, 1], [1, 2], backend=grid)
        return bfs_parents(graph, 0).to("reference").to_dict()

    assert run_ranks(2, search) == [{0: 0, 1: 0, 2: 1}] * 2
