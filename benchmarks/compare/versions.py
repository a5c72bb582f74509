"""The two versions: the package of a revision in a folder, and processes that run one or the other."""

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

from benchmarks.compare.tasks import Sizes

ROOT = Path(__file__).parents[2]


class UnknownRevision(ValueError):
    """Git does not know it, or it has no package."""


def unpack(revision: str, folder: Path) -> str:
    """Put the package as it was at `revision` into the folder; returns the commit."""
    git = ["git", "-C", str(ROOT)]
    asked = subprocess.run(
        [*git, "rev-parse", "--verify", "--short", f"{revision}^{{commit}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode:
        raise UnknownRevision(f"git knows no revision {revision!r}")
    commit = asked.stdout.strip()
    packed = subprocess.run([*git, "archive", commit, "anypair"], capture_output=True, check=False)
    if packed.returncode:
        raise UnknownRevision(f"{commit} has no folder anypair")
    with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return commit


class Worker:
    """A process with one version, answering one question at a time.

    Older versions have faults that end a process; then another one goes on with the next task.
    """

    def __init__(self, folder: Path, backend: str, sizes: Sizes) -> None:
        self._arguments = [str(folder), backend, *map(str, vars(sizes).values())]
        self.process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        folder = self._arguments[0]
        # The measuring code is that of this tree for both; only the package differs.
        path = os.pathsep.join([folder, str(ROOT)])
        return subprocess.Popen(
            [sys.executable, "-m", "benchmarks.compare.worker", *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**_clean(os.environ), "PYTHONPATH": path},
        )

    def ask(self, **question: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):  # said below
            print(json.dumps(question), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            self.close()
            problem = f"its process ended with status {self.process.returncode}"
            self.process = self._started()
            return {"problem": problem}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):  # a question that nobody read
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def _clean(environment: Mapping[str, str]) -> dict[str, str]:
    """Without settings that would reach one version and not the other."""
    return {k: v for k, v in environment.items() if not k.startswith("ANYPAIR_") or k == "ANYPAIR_CACHE"}


@contextmanager
def workers(folders: Mapping[str, Path], backend: str, sizes: Sizes) -> Iterator[dict[str, Worker]]:
    """A process for each folder; all end with the block."""
    with ExitStack() as stack:
        started = {}
        for way, folder in folders.items():
            started[way] = Worker(folder, backend, sizes)
            stack.callback(started[way].close)
        yield started
