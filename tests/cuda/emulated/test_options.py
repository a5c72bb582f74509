"""A device takes the options of the backend, however they are given."""

from typing import Any

import pytest

import anypair
from anypair.backends.registry import load
from anypair.errors import UnknownOption
from tests.cuda.support import emulated, needs_compiler  # noqa: F401  a fixture

pytestmark = [needs_compiler, pytest.mark.usefixtures("emulated")]


@pytest.mark.parametrize(
    "options",
    [
        {"direction": "sideways"},
        {"strategy": "luck"},
        {"block": 3},
        {"block": 2048},
        {"block": "many"},
        {"buffer": 0},
        {"memory_limit": -1},
        {"device": True},
        {"device": -1},
    ],
    ids=str,
)
def test_bad_options_are_refused(options: dict[str, Any]) -> None:
    name = next(iter(options))
    with pytest.raises(UnknownOption, match=name), anypair.using("cuda", **options):
        pass


def test_options_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYPAIR_BLOCK", "2")
    assert anypair.Vector.empty(1, backend="cuda").backend.device.block == 2  # type: ignore[attr-defined]
    assert load("cuda").device.block == 32  # type: ignore[attr-defined]


def test_backends_that_differ_in_direction_share_a_device() -> None:
    """They use each other's arrays, on one stream."""
    assert load("cuda", {"direction": "push"}).device is load("cuda").device  # type: ignore[attr-defined]


def test_the_stage_of_a_grid_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mpi4py")
    monkeypatch.setenv("ANYPAIR_STAGE", "device")
    monkeypatch.setenv("ANYPAIR_LOCAL", "cuda")
    graph = anypair.Matrix.from_edges([0, 1], [1, 2], symmetric=True, backend="mpi")
    assert graph.backend.arrays.word == 32  # type: ignore[attr-defined]
    assert anypair.algorithms.bfs_parents(graph, 0).to_dict() == {0: 0, 1: 0, 2: 1}
    monkeypatch.setenv("ANYPAIR_LOCAL", "scipy")
    with pytest.raises(UnknownOption, match="stage='device' does not go with local='scipy'"):
        anypair.Vector.empty(1, backend="mpi")
