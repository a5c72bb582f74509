"""The grid on real ranks: answers, failures, long messages, the conformance suite."""

import json
import re
from pathlib import Path

import pytest

from anypair.report import write_report
from tests.mpi.jobs import ROOT, Job, run_program
from tests.support.covering import FULL

pytest.importorskip("mpi4py")

FOLDS = ("alltoall", "scan", "wave")
FILES = "test_operations or test_write_rule or test_merge or test_user_operators"


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6] if FULL else [4, 6])
def test_searches_on_all_grids(ranks: int) -> None:
    """Four and six have rows and columns of one, two, three, four and six ranks, as many and not as many."""
    job = run_program(ranks, "searches", "scipy,suitesparse,jit")
    assert job.status == 0, job.said
    assert re.fullmatch(r"\d+ searches\n", job.printed)


@pytest.mark.parametrize("ranks", [1, 4] if FULL else [4])
def test_graph500_with_its_rules_on_all_grids(ranks: int) -> None:
    job = run_program(ranks, "benchmark")
    assert job.status == 0, job.said
    assert re.fullmatch(r"\d+ answers\n", job.printed)


def test_the_command_speaks_once(tmp_path: Path) -> None:
    result, trace = tmp_path / "result.json", tmp_path / "trace.json"
    command = ["graph500", "--scale", "7", "--roots", "2", "--json", str(result), "--trace", str(trace)]
    job = Job(4, *command, ANYPAIR_GRID="2x2")
    assert job.status == 0, job.said
    assert job.printed.count("SCALE: 7") == 1
    found = json.loads(result.read_text())
    assert (found["ranks"], found["grid"], found["validated"]) == (4, "2x2", True)
    products = [r for r in json.loads(trace.read_text())["operations"] if r["phases"]]
    assert {"expand", "local", "fold", "reduce"} <= set(products[-1]["phases"])
    assert all(p["phases"]["reduce"]["sent"] == p["phases"]["reduce"]["received"] for p in products)
    assert write_report(tmp_path, tmp_path / "report.html").traces == 1


def test_a_search_of_a_file_on_ranks(tmp_path: Path) -> None:
    (tmp_path / "path.tsv").write_text("0\t1\n1\t2\n2\t3\n")
    job = Job(3, "bfs", str(tmp_path / "path.tsv"), "--source", "0", "--levels", "--quiet")
    assert job.status == 0, job.said
    assert job.printed.split() == ["vertex", "level", "0", "0", "1", "1", "2", "2", "3", "3"]


def test_an_error_on_one_rank_is_an_error_on_all() -> None:
    job = run_program(4, "failures", "caught", ",".join(FOLDS))
    assert job.status == 0, job.said
    assert job.printed.count("all caught") == 4 * len(FOLDS)


@pytest.mark.parametrize("fold", FOLDS if FULL else FOLDS[::2])
def test_an_exception_that_nobody_catches_ends_the_job(fold: str) -> None:
    job = run_program(4, "failures", "raised", fold)
    assert job.status != 0
    assert "rank 1 failed with ValueError" in job.said
    assert "one rank alone" in job.said
    assert job.seconds < 120


@pytest.mark.parametrize("fold", FOLDS if FULL else FOLDS[1:2])
def test_a_rank_that_is_killed_ends_the_job(fold: str) -> None:
    job = run_program(4, "failures", "killed", fold)
    assert job.status != 0
    assert "anypair launch: rank 1 was ended by SIGKILL" in job.said
    assert job.seconds < 120


def test_messages_longer_than_a_call_takes() -> None:
    job = run_program(3, "long_messages")
    assert job.status == 0, job.said
    assert job.printed == "as sent\n"


def test_buffers_that_only_mpi_looks_into() -> None:
    job = run_program(3, "device_buffers")
    assert job.status == 0, job.said
    assert job.printed == "as sent\n"


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "examples", "chosen"),
    [
        ("grid=2x2,local=scipy,unit=1", 2, "not casts_each_dtype"),
        ("grid=2x2,local=jit,unit=1,parents=final", 1, "equals_the_reference or user"),
    ]
    if FULL
    else [("grid=2x2,local=scipy,unit=1", 1, f"({FILES}) and not (casts_each_dtype or every_semiring)")],
)
def test_the_conformance_suite_on_four_ranks(options: str, examples: int, chosen: str) -> None:
    """All ranks run pytest in step: Hypothesis draws the same examples on each. A dtype of each size travels.

    Casts belong to the local backend. But for a full run, `jit`, which compiles each operator for each dtype,
    is left to searches and to one rank, what is said and refused to one process, semirings and operators that
    capture to ranks that are threads (test_on_threads.py, test_agreement.py).
    """
    job = Job(
        4,
        str(ROOT / "tests" / "mpi" / "programs" / "conformance.py"),
        chosen,
        limit=600,
        ANYPAIR_TEST_BACKENDS="mpi",
        ANYPAIR_TEST_OPTIONS=options,
        ANYPAIR_TEST_DTYPES="bool,uint16,float32,int64",
        ANYPAIR_TEST_EXAMPLES=str(examples),
    )
    assert job.status == 0, job.printed + job.said
    assert re.search(r"\d+ passed", job.printed)


@pytest.mark.long
def test_all_algorithms_on_four_ranks() -> None:
    """In a full run on all graphs of the table."""
    job = Job(
        4,
        str(ROOT / "tests" / "mpi" / "programs" / "conformance.py"),
        "test_answers",
        str(ROOT / "tests" / "algorithms" / "test_rows.py"),
        limit=600,
        ANYPAIR_TEST_BACKENDS="mpi",
        ANYPAIR_TEST_OPTIONS="grid=2x2,local=scipy,unit=1",
        ANYPAIR_TEST_EVERY="1" if FULL else "12",
    )
    assert job.status == 0, job.printed + job.said
    assert re.search(r"\d+ passed", job.printed)
