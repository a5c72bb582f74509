"""One version in a process of its own, which times one call whenever it is asked to.

usage: python -m benchmarks.compare.worker FOLDER BACKEND KRONECKER GRID PRODUCT

FOLDER has the package. Questions and answers are lines of JSON; what else is printed goes to stderr.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import anypair
from benchmarks.compare import graphs
from benchmarks.compare.tasks import Sizes, Task, tasks
from benchmarks.timing import settle, stopwatch

WARM_UP = 3  # calls; more when they are short
WARM_UP_SECONDS = 0.03
ENOUGH = 0.004  # seconds that one measurement takes at least


class Session:
    """The task that is measured now, ready to be timed."""

    def __init__(self, known: dict[str, Task], backend: str) -> None:
        self.known = known
        self.backend = backend
        self.threads: int | None = None
        self.call: Callable[..., Any] = lambda: None
        self.fresh: Callable[[], Any] | None = None

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Prepare a task, or time so many calls of the one that is prepared."""
        if "prepare" in question:
            return self._prepare(self.known[question["prepare"]], question["threads"])
        settle()
        return {"seconds": self._time(question["calls"])}

    def _prepare(self, task: Task, threads: int) -> dict[str, Any]:
        if threads != self.threads:
            for made in (graphs.graph, graphs.weighted, graphs.real, graphs.random_matrix):
                made.cache_clear()  # matrices live on the backend that they were made on
            self.threads = threads
        with self._using():
            self.call = task.make()
            self.fresh = task.fresh() if task.fresh else None
            result = self._once()
            end, calls = perf_counter() + WARM_UP_SECONDS, 0
            while calls < WARM_UP or perf_counter() < end:
                self._once()
                calls += 1
        calls = 1 if self.fresh else max(1, round(ENOUGH / max(self._time(1), 1e-7)))
        return {"calls": calls, "result": _gist(result)}

    def _once(self) -> Any:
        return self.call(self.fresh()) if self.fresh else self.call()

    def _time(self, calls: int) -> float:
        with self._using():
            if self.fresh:
                argument = self.fresh()
                return stopwatch(lambda: self.call(argument))[1]
            return stopwatch(lambda: _repeat(self.call, calls))[1] / calls

    def _using(self) -> Any:
        options = {"threads": self.threads} if self.backend == "jit" else {}
        return anypair.using(self.backend, **options)


def _repeat(call: Callable[[], Any], calls: int) -> None:
    for _ in range(calls):
        call()


def _gist(result: Any) -> str:
    """Enough of a result to see that two versions computed the same."""
    if hasattr(result, "nvals"):
        return f"{type(result).__name__} {result.shape} {result.dtype} with {result.nvals} entries"
    return f"{result:.6g}" if isinstance(result, float) else repr(result)


def main() -> None:
    """Answer questions until there are no more."""
    folder, backend, *sizes = sys.argv[1:]
    found = Path(anypair.__file__).resolve().parents[1]
    if found != Path(folder).resolve():
        sys.exit(f"anypair comes from {found}, not from {folder}")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    session = Session(tasks(Sizes(*map(int, sizes))), backend)
    for line in sys.stdin:
        try:
            answer = session.answer(json.loads(line))
        except Exception as error:  # a version without the operation, or one that fails
            answer = {"problem": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
