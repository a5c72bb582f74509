"""What `anypair launch` runs, and what it says."""

import subprocess
import sys
from pathlib import Path

import pytest

from anypair import launch as launching
from anypair.cli import main
from anypair.errors import BackendUnavailable, InvalidValue


@pytest.fixture
def mpiexec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for mpiexec that prints what it was asked to run, and fails if that is `fail`."""
    program = tmp_path / "mpiexec"
    program.write_text(
        "#!/bin/sh\n"
        'printf "%s " "$@"\n'
        'case "$*" in *fail*) echo "prterun noticed that process rank 3 with PID 7 on node a exited on\n'
        'signal 9 (Killed)." >&2; exit 137;; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    return program


def test_the_mpiexec_beside_the_interpreter_runs_anypair(
    mpiexec: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["launch", "-n", "4", "--", "graph500", "--scale", "18"]) == 0
    assert capfd.readouterr().out.split() == [
        "-n", "4", sys.executable, "-m", "mpi4py", "-m", "anypair", "graph500", "--scale", "18",
    ]  # fmt: skip


def test_scripts_run_as_they_are(mpiexec: Path) -> None:
    command = launching.command(2, ["search.py", "-n", "5"])
    assert command[-5:] == ["-m", "mpi4py", "search.py", "-n", "5"]


def test_a_rank_that_died_is_named(mpiexec: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["launch", "-n", "4", "--", "fail"]) == 137
    assert capfd.readouterr().err.endswith("rank 3 was ended by SIGKILL, and the job with it\n")


@pytest.mark.parametrize("arguments", [["-n", "0", "--", "x"], ["-n", "2"], ["-n", "-3", "--", "x"]])
def test_wrong_use_is_one_line(
    arguments: list[str], mpiexec: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["launch", *arguments]) == 1
    assert capsys.readouterr().err.startswith("anypair: launch: ")


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
