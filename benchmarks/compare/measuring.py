"""Taking turns: each round times all versions one after the other, each round in another order."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.compare.verdicts import WAYS, Timings
from benchmarks.compare.versions import Worker


def measure_session(asked: Mapping[str, Worker], timings: Sequence[Timings], pairs: int) -> None:
    """Add a session of so many pairs to all timings."""
    for timing in timings:
        if not timing.problems:
            measure(asked, timing, pairs)


def measure(asked: Mapping[str, Any], timing: Timings, pairs: int) -> None:
    """Add a session of so many pairs to the timings of one task."""
    calls = 0
    for way, worker in asked.items():
        answer = worker.ask(prepare=timing.title, threads=timing.threads)
        if "problem" in answer:
            timing.problems[way] = answer["problem"]
            continue
        timing.results[way] = answer["result"]
        calls = max(calls, answer["calls"])
    if timing.problems:
        return
    session: dict[str, list[float]] = {way: [] for way in WAYS}
    for turn in range(pairs):
        for k in range(len(WAYS)):
            way = WAYS[(turn + k) % len(WAYS)]
            answer = asked[way].ask(calls=calls)
            if "problem" in answer:
                timing.problems[way] = answer["problem"]
                return
            session[way].append(answer["seconds"])
    for way, seconds in session.items():
        timing.seconds[way].append(seconds)
