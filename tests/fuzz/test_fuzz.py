"""What fuzzing has found stays mended, and the fuzzer notices what it is there for."""

import sys
from pathlib import Path
from random import Random

import pytest

from tests.fuzz import running
from tests.fuzz.readers import READERS
from tests.fuzz.running import Child, Input, Outcome, found, fuzz, load, save, shortened


def test_what_was_found_once_stays_mended(tmp_path: Path) -> None:
    assert found()
    with Child(tmp_path) as child:
        for reader, given, failure in found():
            outcome = child.read(given, running.SECONDS_TO_BEGIN)
            assert outcome.kind != "failed", f"{reader}, {failure}: {outcome.what}"


@pytest.mark.parametrize("name", READERS)
def test_every_change_gives_a_file(name: str) -> None:
    draw = Random(1)
    files = READERS[name].begin()
    assert {suffix for suffix, _ in files} == set(READERS[name].suffixes)
    for change in READERS[name].changes:
        for _, content in files[-3:]:
            assert any(change(content, draw) != content for _ in range(50))


def test_files_that_reach_something_new_are_kept(tmp_path: Path) -> None:
    with Child(tmp_path) as child:
        report = fuzz("graph500", 5.0, 1, child)
    assert report.counts.total() > 20
    assert not report.failures
    assert 3 < report.kept < report.counts.total()


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import os, signal; input(); os.kill(os.getpid(), signal.SIGSEGV)", "ended with status -11"),
        ("import time; input(); time.sleep(60)", "took more than 1 s"),
    ],
)
def test_crashes_and_endless_waits_are_noticed(
    program: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "SECONDS_FOR_ONE_FILE", 1.0)
    with Child(tmp_path, [sys.executable, "-c", program]) as child:
        for _ in "ab":  # a new process takes the place of the old one
            outcome = child.read(Input("el", b"0 1\n"))
            assert outcome.kind == "failed"
            assert words in outcome.what


def test_other_errors_are_noticed(tmp_path: Path) -> None:
    program = """
import json, sys
from tests.fuzz import child
def read(*arguments, **options): return 1 // 0
child.read = read
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps(child.attempt(asked["path"], asked["options"])), flush=True)
"""
    with Child(tmp_path, [sys.executable, "-c", program]) as child:
        outcome = child.read(Input("el", b"0 1\n"))
    assert outcome.kind == "failed"
    assert outcome.failure.startswith("ZeroDivisionError")


class Fake(Child):
    """Fails for files with an x and a y."""

    def read(self, given: Input, limit: float | None = None) -> Outcome:
        failed = b"x" in given.content and b"y" in given.content
        return Outcome("failed", "Error: here") if failed else Outcome("read", "")


def test_files_that_fail_are_shortened_and_can_be_replayed(tmp_path: Path) -> None:
    given = Input("el", b"0 1\n" * 30 + b"x" + b"2 3\n" * 40 + b"y" + b"\n" * 9, {"n": 3})
    least = shortened(given, "Error: here", Fake(tmp_path))
    assert (least.content, least.options) == (b"xy", {})
    path = save("text", least, "Error: here", tmp_path)
    assert load(path) == ("text", least, "Error: here")
