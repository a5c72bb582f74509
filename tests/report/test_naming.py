"""Runs that differ in anything never share a line, and names say in what."""

from pathlib import Path
from typing import Any

import pytest

from anypair.report.kernels import best_of_each
from anypair.report.naming import named
from anypair.report.reading import Run, collect
from tests.report.samples import result, trace, write
from tests.report.test_page import page_of, part


def runs(folder: Path, *results: dict[str, Any]) -> list[Run]:
    write(folder / "many.json", {"results": list(results)})
    return named(collect(folder).runs)


DIFFERENT: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[str, str]]] = {
    "edge factor": ({"edgefactor": 4}, {"edgefactor": 32}, ("edge factor 4", "edge factor 32")),
    "seed": ({"seed": 1}, {"seed": 2}, ("seed 1", "seed 2")),
    "fold": ({"options": {"fold": "scan"}}, {"options": {"fold": "wave"}}, ("fold scan", "fold wave")),
    "an option that older results lack": (
        {"options": {"fold": "scan"}},
        {},
        ("fold scan", "fold unknown"),
    ),
    "cpu": ({"machine": {"cpu": "a"}}, {"machine": {"cpu": "b"}}, ("machine 1", "machine 2")),
    "version": (
        {"versions": {"anypair": "1"}},
        {"versions": {"anypair": "2"}},
        ("machine 1", "machine 2"),
    ),
    "grid": ({"grid": "2x2", "ranks": 4}, {"grid": "4x1", "ranks": 4}, ("grid 2x2", "grid 4x1")),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_what_differs_is_another_line_and_is_named(tmp_path: Path, what: str) -> None:
    one, other, words = DIFFERENT[what]
    found = runs(tmp_path, result(**one), result(**other, speed=2.0))
    assert len(best_of_each(found)) == 2
    for run, word in zip(found, words, strict=True):
        assert word in run.name
    page = page_of(tmp_path)
    assert part(page, "teps").count('class="datum"') == 4  # harmonic mean and median of each
    assert all(word in part(page, "runs") for word in words)


def test_what_is_the_same_for_all_is_not_in_the_names(tmp_path: Path) -> None:
    same = {"options": {"fold": "scan"}, "edgefactor": 8, "seed": 5, "ranks": 4, "grid": "2x2"}
    found = runs(tmp_path, result(8, **same), result(9, **same))
    assert {run.name for run in found} == {"jit, 4 ranks, 1 thread"}
    assert {run.family for run in found} == {"jit"}


def test_options_of_one_backend_are_not_missing_on_another(tmp_path: Path) -> None:
    found = runs(tmp_path, result(options={"direction": "auto"}), result(backend="scipy"))
    assert [run.name for run in found] == ["jit, 1 thread", "scipy, 1 thread"]


def test_scaling_keeps_families_apart(tmp_path: Path) -> None:
    fast = [result(10, threads=t, options={"direction": "auto"}) for t in (1, 2)]
    slow = [result(10, threads=t, speed=0.5, options={"direction": "push"}) for t in (1, 2)]
    runs(tmp_path, *fast, *slow)
    strong = part(page_of(tmp_path), "strong")
    assert "jit, direction auto, scale 10" in strong
    assert "jit, direction push, scale 10" in strong


def test_what_is_not_drawn_is_named(tmp_path: Path) -> None:
    for number in range(6):
        write(tmp_path / f"trace{number}.json", trace([1, 4, 2]))
    found = part(page_of(tmp_path), "time")
    assert "trace3.json" in found
    assert "Not drawn, as there are more than 4 traces:" in found
    assert "trace5.json" in found


def test_graphs_that_scaling_leaves_to_the_table_are_counted(tmp_path: Path) -> None:
    runs(tmp_path, *(result(s, threads=t) for s in (8, 9, 10, 11) for t in (1, 2)))
    assert "2 more are in the table only" in part(page_of(tmp_path), "strong")
