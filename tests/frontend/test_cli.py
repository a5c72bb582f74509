"""The command `anypair`, run as people run it."""

import re
import subprocess
import sys

import pytest

import anypair
from anypair.backends.registry import BACKENDS, DEFAULT, Row
from anypair.cli import main


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "anypair", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_backends_are_listed() -> None:
    result = run("backends")
    assert result.returncode == 0
    listed = dict(line[2:].split()[:2] for line in result.stdout.splitlines() if line[2] != " ")
    assert list(listed) == list(BACKENDS)
    # A GPU is not everywhere; without one the next line says what is missing.
    assert {name for name, state in listed.items() if state != "ready"} <= {"cuda"}
    assert f"* {DEFAULT}" in result.stdout


def test_a_backend_that_is_not_ready_is_listed_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(BACKENDS, "magic", Row("no.such", "X", "for tests", "pip install magic"))
    assert main(["backends"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"magic +not ready", printed)
    assert "install it with: pip install magic" in printed


def test_usage() -> None:
    assert run("--version").stdout == f"anypair {anypair.__version__}\n"
    assert "list the backends" in run("--help").stdout
    assert run().returncode == 2
    assert run("magic").returncode == 2


def test_an_error_of_the_configuration_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANYPAIR_BACKEND", "magic")
    assert main(["backends"]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("anypair: unknown backend 'magic'")
    assert captured.out == ""
