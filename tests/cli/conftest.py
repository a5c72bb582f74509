"""The command in this process, on the fastest backend to start."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from anypair.cli import main


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str


Call = Callable[..., Done]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    """Run the command in an empty folder."""
    monkeypatch.setenv("ANYPAIR_BACKEND", "scipy")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> Done:
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Done(status, captured.out, captured.err)

    return run
