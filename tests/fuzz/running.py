"""The loop: change a file, let the child read it, keep it if it reached something new, save it if it failed."""

import base64
import hashlib
import json
import os
import re
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.readers import READERS

SECONDS_FOR_ONE_FILE = 30.0
SECONDS_TO_BEGIN = 300.0  # of a process that imports and compiles, maybe beside others that do
LARGEST = 1 << 18  # bytes of a file that is kept to be changed further
TRIES_TO_SHORTEN = 400
COMMAND = (sys.executable, "-m", "tests.fuzz.child")
FOUND = Path(__file__).parent / "found"


@dataclass(frozen=True)
class Input:
    """A file and the options to read it with."""

    suffix: str
    content: bytes
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """`kind` is read, refused, or failed."""

    kind: str
    what: str
    features: frozenset[Any] = frozenset()

    @property
    def failure(self) -> str:
        """By which two failures are the same: the last line, without what is particular to a file."""
        return (
            _without_particulars(self.what.strip().splitlines()[-1])[:200]
            if self.kind == "failed"
            else ""
        )


def _without_particulars(text: str) -> str:
    return re.sub(r"'.*'|\d+", "_", text)


class Child:
    """A process that reads; a new one takes its place when it dies or takes too long."""

    def __init__(self, folder: Path, command: Sequence[str] = COMMAND) -> None:
        self._folder = folder
        self._command = command
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *ignored: object) -> None:
        self._stop()

    def read(self, given: Input, limit: float | None = None) -> Outcome:
        limit = SECONDS_FOR_ONE_FILE if limit is None else limit
        path = self._folder / f"a.{given.suffix}"
        path.write_bytes(given.content)
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps({"path": str(path), "options": given.options}) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass
        if not select.select([process.stdout], [], [], limit)[0]:
            self._stop()
            return Outcome("failed", f"took more than {limit:.0f} s")
        line = process.stdout.readline()
        if not line:
            status = process.wait()
            self._stop()
            return Outcome("failed", f"the process ended with status {status}")
        answer = json.loads(line)
        features = {tuple(each) for each in answer["reached"]}
        said = (
            _without_particulars(answer["what"].replace(str(path), ""))
            if answer["kind"] == "refused"
            else ""
        )
        what = answer["what"].replace(str(path.parent), "...")
        return Outcome(answer["kind"], what, frozenset({*features, (answer["kind"], said)}))

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                text=True, env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "ANYPAIR_BACKEND": "reference"},
            )  # fmt: skip
        return self._process

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
            self._process = None


@dataclass
class Report:
    """What came of it."""

    reader: str
    counts: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    features: int = 0
    failures: dict[str, Input] = field(default_factory=dict)

    def __str__(self) -> str:
        figures = ", ".join(f"{self.counts[kind]} {kind}" for kind in ("read", "refused", "failed"))
        return f"{self.reader}: {self.counts.total()} files ({figures}), {self.kept} kept, {self.features} features"


def fuzz(
    name: str, seconds: float, seed: int, child: Child, say: Callable[[str], None] = print
) -> Report:
    """Try files of one reader for so long."""
    draw = Random(f"{name} {seed}")
    reader = READERS[name]
    report = Report(name)
    seen: set[Any] = set()
    corpus: list[Input] = []
    readable: list[Input] = []
    waiting = [Input(suffix, content) for suffix, content in reader.begin()]
    waiting += [given for reader_name, given, _ in found() if reader_name == name]
    for given in waiting:  # a process takes a while to begin, and each kind of file compiles its own
        child.read(given, SECONDS_TO_BEGIN)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        # What can be read is changed more often than what is wrong already.
        pool = readable if readable and draw.random() < 0.6 else corpus
        given = waiting.pop() if waiting else _changed(draw.choice(pool), name, draw)
        outcome = child.read(given)
        report.counts[outcome.kind] += 1
        if outcome.kind == "failed" and outcome.failure not in report.failures:
            say(f"{name}: {outcome.what}")
            report.failures[outcome.failure] = shortened(given, outcome.failure, child)
        if (new := outcome.features - seen) and len(given.content) <= LARGEST:
            seen |= new
            corpus.append(given)
            if outcome.kind == "read":
                readable.append(given)
        if not corpus:
            corpus.append(given)
    report.kept, report.features = len(corpus), len(seen)
    return report


def _changed(given: Input, name: str, draw: Random) -> Input:
    reader = READERS[name]
    content = given.content
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        content = draw.choice(reader.changes)(content, draw)
    options = given.options
    if draw.random() < 0.5:
        chosen = draw.sample(
            sorted(reader.options), min(len(reader.options), draw.choice((0, 1, 1, 2, 4)))
        )
        options = {option: draw.choice(reader.options[option]) for option in chosen}
    return Input(given.suffix, content, options)


def shortened(given: Input, failure: str, child: Child) -> Input:
    """The least of the file and the options that still fails in this way."""
    for option in list(given.options):
        fewer = Input(
            given.suffix, given.content, {k: v for k, v in given.options.items() if k != option}
        )
        if child.read(fewer).failure == failure:
            given = fewer
    size, tries = max(1, len(given.content) // 2), 0
    while size and tries < TRIES_TO_SHORTEN:
        at, removed = 0, False
        while at < len(given.content) and tries < TRIES_TO_SHORTEN:
            shorter = Input(given.suffix, given.content[:at] + given.content[at + size :], given.options)
            tries += 1
            if child.read(shorter).failure == failure:
                given, removed = shorter, True
            else:
                at += size
        if not removed:
            size //= 2
    return given


def save(reader: str, given: Input, failure: str, folder: Path) -> Path:
    """A file that replays."""
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(given.content + repr(given.options).encode()).hexdigest()[:12]
    path = folder / f"{reader}-{name}.json"
    content = {
        "reader": reader, "suffix": given.suffix, "options": given.options, "failure": failure,
        "content": base64.b64encode(given.content).decode(),
    }  # fmt: skip
    path.write_text(json.dumps(content, indent=1) + "\n")
    return path


def load(path: Path) -> tuple[str, Input, str]:
    """Reader, file and failure of something saved."""
    held = json.loads(path.read_text())
    given = Input(held["suffix"], base64.b64decode(held["content"]), held["options"])
    return held["reader"], given, held["failure"]


def found() -> list[tuple[str, Input, str]]:
    """What was found once, and mended."""
    return [load(path) for path in sorted(FOUND.glob("*.json"))]
