"""Ratios and verdicts of made-up timings, the order of turns, and a small run of two versions."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.compare.measuring import measure
from benchmarks.compare.tasks import Sizes, tasks
from benchmarks.compare.verdicts import Timings, judge, spread_of, table
from benchmarks.compare.versions import UnknownRevision, Worker, unpack
from tests.support.covering import FULL

ROOT = Path(__file__).parents[2]


def timed(old: list[list[float]], new: list[list[float]], again: list[list[float]]) -> Timings:
    same = dict.fromkeys(("old", "new", "again"), "4")
    return Timings("small: vxm", 1, {"old": old, "new": new, "again": again}, results=same)


def test_the_ratio_is_that_of_the_minima() -> None:
    verdict = judge(timed([[9.0, 2.0], [3.0, 8.0]], [[4.0, 1.0], [7.0, 5.0]], [[2.0, 2.0], [2.0, 3.0]]))
    assert (verdict.old, verdict.new, verdict.ratio, verdict.pairs) == (2.0, 1.0, 2.0, 4)
    assert verdict.passed


@pytest.mark.parametrize(
    ("new", "again", "passed"),
    [
        (1.00, 1.00, True),
        (1.03, 1.00, True),  # 0.971
        (1.04, 1.00, False),  # 0.962
        (1.04, 1.10, True),  # the old version is as far from itself
        (1.04, 0.90, True),  # in whichever direction
        (1.20, 1.10, False),
        (0.50, 1.00, True),
    ],
)
def test_slower_is_what_is_below_the_bar_and_outside_the_spread(
    new: float, again: float, passed: bool
) -> None:
    assert judge(timed([[1.0, 1.5]], [[new, 2.0]], [[again, 1.7]])).passed is passed


def test_a_minimum_that_only_one_session_has_widens_the_spread() -> None:
    old, again = [[1.0], [1.3], [1.3]], [[1.0], [1.0], [1.1]]
    assert spread_of(timed(old, old, again)) == (pytest.approx(1 / 1.3), pytest.approx(1.3))
    steady = [[1.0], [1.0], [1.3]]
    assert spread_of(timed(steady, steady, again)) == (1.0, 1.0)


def test_another_bar() -> None:
    timings = timed([[1.0]], [[1.04]], [[1.0]])
    assert judge(timings, bar=0.95).passed
    assert not judge(timings, bar=0.99).passed


def test_what_only_one_version_can_do() -> None:
    unknown_before = Timings("a", 1, problems={"old": "ImportError: no such name"})
    broken_now = Timings("b", 1, problems={"new": "ValueError: broken"})
    assert judge(unknown_before).passed
    assert judge(Timings("a", 1, problems={"again": "ImportError: no such name"})).passed
    assert not judge(broken_now).passed
    text = table([judge(unknown_before), judge(broken_now)])
    assert "the old version: ImportError" in text
    assert "FAILED  (ValueError: broken)" in text


def test_results_that_differ_are_said_in_the_table() -> None:
    timings = timed([[1.0]], [[1.0]], [[1.0]])
    timings.results["new"] = "5"
    assert "results differ: 4 and 5" in table([judge(timings)])
    assert "SLOWER" not in table([judge(timings)])


class MadeUp:
    """A worker whose calls take what it is told; it notes who was asked when."""

    def __init__(self, way: str, asked: list[str], seconds: float) -> None:
        self.way, self.asked, self.seconds = way, asked, seconds

    def ask(self, **question: Any) -> dict[str, Any]:
        if "prepare" in question:
            return {"calls": 7, "result": "4"}
        assert question == {"calls": 7}
        self.asked.append(self.way)
        return {"seconds": self.seconds}


def test_versions_take_turns_in_rotating_order() -> None:
    asked: list[str] = []
    made = {way: MadeUp(way, asked, s) for way, s in (("old", 2.0), ("new", 4.0), ("again", 2.0))}
    timing = Timings("small: vxm", 1)
    measure(made, timing, pairs=3)
    assert asked == ["old", "new", "again", "new", "again", "old", "again", "old", "new"]
    verdict = judge(timing)
    assert (verdict.pairs, verdict.ratio, verdict.passed) == (3, 0.5, False)
    assert "SLOWER" in table([verdict])


def test_a_process_that_ends_is_a_problem_of_its_task_and_another_one_goes_on(tmp_path: Path) -> None:
    """The package of the made-up version ends its process when it is asked for a matrix."""
    package = tmp_path / "anypair"
    package.mkdir()
    (package / "__init__.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGABRT)")
    worker = Worker(tmp_path, "jit", Sizes(5, 4, 4))
    first = worker.process
    for _ in range(2):
        problem = worker.ask(prepare="small: vxm", threads=1)["problem"]
        assert problem == "its process ended with status -6"
    assert worker.process is not first
    worker.close()


def test_tasks_have_different_titles_and_name_their_graphs() -> None:
    found = tasks(Sizes(kronecker=5, grid=4, product=4))
    groups = {task.group for task in found.values()}
    assert groups == {"kron5", "grid4", "kron4", "random6", "small"}
    assert len(found) == 2 * 10 + 15 + 2 * 4 + 16


def test_a_revision_that_git_does_not_know(tmp_path: Path) -> None:
    with pytest.raises(UnknownRevision, match="no revision 'nowhere'"):
        unpack("nowhere", tmp_path)


@pytest.mark.long
def test_a_small_run(tmp_path: Path) -> None:
    """Every task once, against the last commit, where any speed will do.

    With the backend that compiles nothing; with `jit` two versions compile all kernels, in a full run.
    """
    if not (ROOT / ".git").exists():
        pytest.skip("there is no older version without git")
    sizes = ["--kronecker", "5", "--grid", "4", "--product", "4", "--threads", "1"]
    few = [
        "--sessions",
        "1",
        "--pairs",
        "1",
        "--again",
        "0",
        "--bar",
        "0",
        "--json",
        str(tmp_path / "found.json"),
    ]
    backend = ["--backend", "jit" if FULL else "scipy"]
    command = [sys.executable, "-m", "benchmarks.compare", "HEAD", *sizes, *few, *backend]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert {v["title"] for v in found["verdicts"]} == set(tasks(Sizes(5, 4, 4)))
    assert all(v["pairs"] == 1 and v["ratio"] > 0 and not v["note"] for v in found["verdicts"])
