"""No job waits for ever: whatever becomes of a rank or of the launcher, all ranks end, with a message."""

import os
import signal
import time
from pathlib import Path
from subprocess import Popen

import pytest

from tests.mpi.jobs import PROGRAMS, launch_command, run_program, started
from tests.support.covering import FULL

pytest.importorskip("mpi4py")

SOON = 120.0  # seconds, on a machine that has much else to do


TO_DICT = "rank 1 has ended while rank 0 waits in Vector.to_dict (endings.py, line "


@pytest.mark.parametrize(
    ("ranks", "case", "call", "plain"),
    [
        (2, "natural", TO_DICT, False),
        (2, "natural", TO_DICT, True),
        (4, "fewer", "rank 1 has ended while rank 0 waits in reduce (endings.py, line ", False),
        (4, "gathered", "rank 0 has ended while rank 1 waits in ", True),
    ],
)
def test_a_rank_that_ends_normally_ends_the_job(ranks: int, case: str, call: str, plain: bool) -> None:
    job = run_program(ranks, "endings", case, plain=plain, limit=SOON)
    assert job.status != 0
    assert f"anypair: {call}" in job.said
    assert "every rank has to make the same calls" in job.said
    if not plain:
        assert len(job.said.splitlines()) == 1


def test_a_rank_that_ends_before_it_has_a_backend_ends_the_job() -> None:
    job = run_program(3, "endings", "early", limit=SOON)
    assert job.status != 0
    assert "anypair: rank 1 has ended while rank 0 waits in using (endings.py, line " in job.said


def test_the_exit_status_of_one_rank_is_that_of_the_job() -> None:
    job = run_program(3, "endings", "status", limit=SOON)
    assert job.status == 3
    assert job.said == "anypair launch: rank 1, and the job with it, has failed with exit status 3\n"


@pytest.mark.parametrize(
    ("case", "plain"),
    [("raised", False), ("raised", True), ("beside_a_thread", True), ("own_hook", False)]
    + [("beside_a_thread", False), ("own_hook", True)] * FULL,
)
def test_an_exception_on_one_rank_ends_the_job(case: str, plain: bool) -> None:
    job = run_program(2, "endings", case, plain=plain, limit=SOON)
    assert job.status != 0
    assert "anypair: rank 1 failed with ValueError; the job ends" in job.said
    shown = "own hook: on one rank alone" if case == "own_hook" else "ValueError: on one rank alone"
    assert job.said.count(shown) == 1
    assert ("Traceback" in job.said) == (case != "own_hook")
    assert "runpy" not in job.said


@pytest.mark.parametrize("plain", [False, True] if FULL else [False])
def test_an_exception_that_was_caught_ends_nothing(plain: bool) -> None:
    job = run_program(2, "endings", "caught", plain=plain, limit=SOON)
    assert (job.status, job.said) == (0, "")
    assert job.printed.count("went on") == 2


@pytest.mark.parametrize("plain", [False, True] if FULL else [True])
def test_a_rank_that_is_stopped_ends_the_job_after_the_timeout(plain: bool) -> None:
    job = run_program(3, "endings", "stopped", plain=plain, limit=SOON, ANYPAIR_TIMEOUT="3")
    assert job.status != 0
    assert "anypair: rank 0 waits in reduce (endings.py, line " in job.said
    assert "for 3 s; rank 1 does not answer; rank 2 waits in reduce (endings.py, line " in job.said
    assert "timeout" in job.said


def test_a_rank_that_is_elsewhere_says_where() -> None:
    job = run_program(2, "endings", "elsewhere", limit=SOON, ANYPAIR_TIMEOUT="3")
    line = next(n for n, text in enumerate(_program().splitlines(), 1) if "sleep(1000)" in text)
    assert job.status != 0
    assert f"for 3 s; rank 1 is in endings.py, line {line}; " in job.said


def test_a_lack_of_memory_on_one_rank_ends_the_job() -> None:
    job = run_program(2, "endings", "memory", limit=SOON)
    assert job.status != 0
    assert "rank 1" in job.said
    assert "emory" in job.said


@pytest.mark.parametrize("plain", [False, True] if FULL else [False])
def test_ranks_that_come_late_or_end_first_are_waited_for(plain: bool) -> None:
    job = run_program(3, "endings", "late", plain=plain, ANYPAIR_TIMEOUT="60")
    assert (job.status, job.said) == (0, "")
    assert job.printed.count("all came") == 3


@pytest.mark.parametrize(
    ("number", "status", "said"),
    [
        (signal.SIGTERM, 143, "anypair launch: ended by SIGTERM, and the job with it\n"),
        (signal.SIGHUP, 129, "anypair launch: ended by SIGHUP, and the job with it\n"),
        (signal.SIGINT, 130, "anypair: interrupted\n"),
        pytest.param(
            signal.SIGKILL, -9, "",
            marks=pytest.mark.skipif(not Path("/proc").exists(), reason="Linux tells children of it"),
        ),
    ],
)  # fmt: skip
def test_what_ends_the_launcher_ends_the_ranks(number: signal.Signals, status: int, said: str) -> None:
    with started(launch_command(2, str(PROGRAMS / "endings.py"), "endless"), {}) as job:
        processes = _processes_of(job, 2)
        os.kill(job.pid, number)
        assert job.wait(SOON) == status
        _wait_for_the_end(processes)
        assert job.stderr is not None
        assert job.stderr.read() == said


def test_ranks_end_when_mpiexec_is_killed() -> None:
    with started(launch_command(2, str(PROGRAMS / "endings.py"), "endless"), {}) as job:
        *ranks, mpiexec = _processes_of(job, 2)
        os.kill(mpiexec, signal.SIGKILL)
        assert job.wait(SOON) != 0
        _wait_for_the_end(ranks)


def _program() -> str:
    return (PROGRAMS / "endings.py").read_text()


def _processes_of(job: "Popen[str]", ranks: int) -> list[int]:
    """Of all ranks, and of what has started them."""
    assert job.stdout is not None
    lines = [job.stdout.readline().split() for _ in range(ranks)]
    return [*(int(line[1]) for line in lines), int(lines[0][2])]


def _wait_for_the_end(processes: list[int]) -> None:
    until = time.monotonic() + SOON
    while alive := [process for process in processes if _is_alive(process)]:
        assert time.monotonic() < until, alive
        time.sleep(0.1)


def _is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
