"""What `anypair launch` runs, and what it says."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from anypair import launch as launching
from anypair.cli import main
from anypair.errors import BackendUnavailable, InvalidValue
from anypair.machine import available_cores
from tests.mpi.jobs import Job


@pytest.fixture
def mpiexec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for mpiexec that prints what it was asked to run, and fails by the name of a file."""
    program = tmp_path / "mpiexec"
    rule = 74 * "-"
    says = {
        "*died.tsv": (f"{rule}\nprterun noticed that process rank 3 with PID 7 on node a exited on\n"
                      f"signal 9 (Killed).\n{rule}\n", 137),
        "*missing.tsv": (2 * "anypair: missing.tsv: there is no such file\n"
                         + f"{rule}\nMPI_ABORT was invoked on rank 0\n{rule}\n\\0000", 1),
        "*slots.tsv": (f"{rule}\nThere are not enough slots.\n{rule}\n", 213),
    }  # fmt: skip
    cases = "".join(
        f"{end}) printf %b '{text}' >&2; exit {status};;\n" for end, (text, status) in says.items()
    )
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@"\ncase "$*" in\n{cases}esac\n')
    program.chmod(0o755)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    return program


def test_the_mpiexec_beside_the_interpreter_runs_anypair(
    mpiexec: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    options = "--hostfile 'my hosts' --map-by node"
    assert main(["launch", "-n", "4", "--mpiexec", options, "--", "graph500", "--scale", "18"]) == 0
    assert capfd.readouterr().out.split("|")[:-1] == [
        "-n", "4", "--hostfile", "my hosts", "--map-by", "node",
        sys.executable, "-m", "anypair.rank", "-m", "anypair", "graph500", "--scale", "18",
    ]  # fmt: skip


def test_scripts_run_as_they_are(mpiexec: Path, tmp_path: Path) -> None:
    script = tmp_path / "search.py"
    script.touch()
    command = launching.command(2, [str(script), "-n", "5"])
    assert command[-5:] == ["-m", "anypair.rank", str(script), "-n", "5"]


def test_a_rank_that_died_is_named(mpiexec: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["launch", "-n", "4", "--", "info", "died.tsv"]) == 137
    assert capfd.readouterr().err == "anypair launch: rank 3 was ended by SIGKILL, and the job with it\n"


def test_what_all_ranks_say_is_said_once(mpiexec: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without what Open MPI says of the end of the job, and without the NUL byte after that."""
    assert main(["launch", "-n", "2", "--", "info", "missing.tsv"]) == 1
    assert capfd.readouterr().err == "anypair: missing.tsv: there is no such file\n"


def test_other_words_of_mpiexec_are_passed_on(mpiexec: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["launch", "-n", "2", "--", "info", "slots.tsv"]) == 213
    lines = capfd.readouterr().err.splitlines()
    assert lines[1:] == [
        "There are not enough slots.",
        lines[0],
        "anypair launch: the job has failed with exit status 213",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ["-n", "0", "--", "backends"],
        ["-n", "-3", "--", "backends"],
        ["-n", "2"],
        ["-n", "2", "--", "nonsense"],
        ["-n", "2", "--", "bfs", "x.tsv"],
        ["-n", "2", "--mpiexec", "'", "--", "backends"],
    ],
)
def test_wrong_use_is_told_before_ranks_are_started(
    arguments: list[str], mpiexec: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["launch", *arguments]) == 2
    said = capfd.readouterr()
    assert said.err.startswith("usage: anypair ")
    assert said.out == ""


def test_a_script_that_is_not_there_is_one_sentence(
    mpiexec: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["launch", "-n", "2", "--", "nosuch.py"]) == 1
    assert capfd.readouterr() == ("", "anypair: launch: there is no script nosuch.py\n")


def test_hangups_that_are_ignored_stay_so() -> None:
    """As `nohup` has it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with (
            subprocess.Popen(["true"], text=True) as process,
            launching._signals_passed_on(process),
        ):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert callable(signal.getsignal(signal.SIGTERM))
    finally:
        signal.signal(signal.SIGHUP, before)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_threads_of_all_ranks_are_as_many_as_cores(tmp_path: Path) -> None:
    """Open MPI alone would bind each of one or two ranks to a core."""
    pytest.importorskip("mpi4py")
    (tmp_path / "threads.py").write_text(
        "import anypair\nwith anypair.using('mpi') as backend:\n    print(backend.threads)\n"
    )
    for ranks in {1, 2, available_cores()}:
        job = Job(ranks, str(tmp_path / "threads.py"))
        assert job.status == 0, job.said
        assert sum(map(int, job.printed.split())) == max(ranks, available_cores())


def test_an_error_of_all_ranks_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    job = Job(3, "bfs", str(tmp_path / "missing.tsv"), "--source", "0")
    assert (job.status, job.printed) == (1, "")
    assert job.said == f"anypair: {tmp_path / 'missing.tsv'}: there is no such file\n"


def test_a_traceback_of_all_ranks_is_shown_once(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    script = tmp_path / "wrong.py"
    script.write_text("def wrong():\n    return 1 / 0\n\n\nwrong()\n")
    job = Job(2, str(script))
    assert job.status == 1
    assert job.said.count("ZeroDivisionError: ") == 1
    assert job.said.startswith(f'Traceback (most recent call last):\n  File "{script}", line 5')
    assert job.said.endswith("anypair: rank 0 failed with ZeroDivisionError; the job ends\n")


def test_without_mpiexec_there_is_a_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BackendUnavailable, match=r"pip install 'anypair\[mpi\]'"):
        launching.command(2, ["backends"])
    with pytest.raises(InvalidValue, match="nothing to run"):
        launching.command(2, [])


def test_what_is_given_wins_over_what_is_needed() -> None:
    few, many = (launching.environment(ranks, {"OMPI_MCA_osc": "mine"}) for ranks in (1, 4096))
    assert few["OMPI_MCA_osc"] == many["OMPI_MCA_osc"] == "mine"
    assert few["ANYPAIR_BACKEND"] == "mpi"
    assert few["PRTE_MCA_hwloc_default_binding_policy"] == "none"
    assert "PRTE_MCA_rmaps_default_mapping_policy" in many.keys() - few.keys()


def test_one_rank_speaks_for_all() -> None:
    """The command prints on the first rank only."""
    for variable in ("OMPI_COMM_WORLD_RANK", "PMI_RANK"):
        printed = [
            subprocess.run(
                [sys.executable, "-m", "anypair", "--version"],
                env={variable: rank, "PYTHONPATH": "."},
                capture_output=True,
                text=True,
                timeout=60,
                check=True,
            ).stdout
            for rank in "01"
        ]
        assert printed[0].startswith("anypair ")
        assert printed[1] == ""
