"""The grid on real ranks: answers, failures, long messages, the conformance suite."""

import re

import pytest

from tests.mpi.jobs import ROOT, Job, run_program

pytest.importorskip("mpi4py")

FOLDS = ("alltoall", "scan", "wave")


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6])
def test_searches_on_all_grids(ranks: int) -> None:
    job = run_program(ranks, "searches", "scipy,suitesparse,jit")
    assert job.status == 0, job.said
    assert re.fullmatch(r"\d+ searches\n", job.printed)


@pytest.mark.parametrize("fold", FOLDS)
def test_an_error_on_one_rank_is_an_error_on_all(fold: str) -> None:
    job = run_program(4, "failures", "caught", fold)
    assert job.status == 0, job.said
    assert job.printed.count("all caught") == 4


@pytest.mark.parametrize("fold", FOLDS)
def test_an_exception_that_nobody_catches_ends_the_job(fold: str) -> None:
    job = run_program(4, "failures", "raised", fold)
    assert job.status != 0
    assert "rank 1 failed with ValueError" in job.said
    assert "one rank alone" in job.said
    assert job.seconds < 60


@pytest.mark.parametrize("fold", FOLDS)
def test_a_rank_that_is_killed_ends_the_job(fold: str) -> None:
    job = run_program(4, "failures", "killed", fold)
    assert job.status != 0
    assert "anypair launch: rank 1 was ended by SIGKILL" in job.said
    assert job.seconds < 60


def test_messages_longer_than_a_call_takes() -> None:
    job = run_program(3, "long_messages")
    assert job.status == 0, job.said
    assert job.printed == "as sent\n"


@pytest.mark.parametrize(
    ("options", "examples", "chosen"),
    [
        ("grid=2x2,local=scipy,unit=1", 5, ""),
        ("grid=2x2,local=jit,unit=1,parents=final", 1, "equals_the_reference or user"),
    ],
)
def test_the_conformance_suite_on_four_ranks(options: str, examples: int, chosen: str) -> None:
    """All ranks run pytest in step: Hypothesis draws the same examples on each.

    `jit` compiles each operator for each dtype, so it sees the operations once, not all semirings.
    """
    job = Job(
        4,
        str(ROOT / "tests" / "mpi" / "programs" / "conformance.py"),
        chosen,
        limit=600,
        ANYPAIR_TEST_BACKENDS="mpi",
        ANYPAIR_TEST_OPTIONS=options,
        ANYPAIR_TEST_EXAMPLES=str(examples),
    )
    assert job.status == 0, job.printed + job.said
    assert re.search(r"\d+ passed", job.printed)
