"""All that a run has measured: single timings and single figures, found again by what they are of."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.timing import Summary, summarise


@dataclass
class Timing:
    """Repeated measurements of one thing; `problem` says why they are missing or not to be trusted."""

    part: str  # search, operators, build, calls, start, read
    what: str  # parents, levels, build, ...
    graph: str
    engine: str
    seconds: list[float] = field(default_factory=list)
    problem: str = ""

    @contextmanager
    def noting_problems(self) -> Iterator[None]:
        """An error inside becomes this timing's problem: one engine that fails must not end the run."""
        try:
            yield
        except Exception as error:
            self.problem = repr(error)

    @property
    def usable(self) -> bool:
        return bool(self.seconds) and not self.problem

    @property
    def summary(self) -> Summary:
        return summarise(self.seconds)


@dataclass
class Figure:
    """One number that is not a time, such as bytes."""

    what: str
    graph: str
    engine: str
    value: float
    unit: str


@dataclass
class Results:
    """A whole run."""

    machine: dict[str, Any]
    settings: dict[str, Any]
    default_engine: str
    missing: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)  # of parts of the run
    graphs: dict[str, dict[str, int]] = field(default_factory=dict)
    timings: list[Timing] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)

    def select(self, part: str, what: str | None = None, graph: str | None = None) -> Iterator[Timing]:
        """The timings of a part of the run, in the order measured."""
        for timing in self.timings:
            if timing.part == part and what in (None, timing.what) and graph in (None, timing.graph):
                yield timing

    def median(self, part: str, what: str, graph: str, engine: str) -> float | None:
        """The median in seconds; None if that was not measured or gave wrong answers."""
        summary = self.summary(part, what, graph, engine)
        return None if summary is None else summary.median

    def summary(self, part: str, what: str, graph: str, engine: str) -> Summary | None:
        """The distribution of a timing; None as above."""
        for timing in self.select(part, what, graph):
            if timing.engine == engine and timing.usable:
                return timing.summary
        return None

    def figure(self, what: str, graph: str, engine: str) -> float | None:
        """The value of a figure; None if it was not measured."""
        for figure in self.figures:
            if (figure.what, figure.graph, figure.engine) == (what, graph, engine):
                return figure.value
        return None

    @property
    def problems(self) -> list[str]:
        """What went wrong, a line each."""
        wrong = [
            f"{timing.engine}, {timing.what} on {timing.graph}: {timing.problem}"
            for timing in self.timings
            if timing.problem
        ]
        return wrong + [f"{what}: {error}" for what, error in self.failures.items()]

    def save(self, path: Path) -> None:
        """Write everything as JSON, summaries included."""
        content = asdict(self)
        for timing, written in zip(self.timings, content["timings"], strict=True):
            if timing.seconds:
                written["summary"] = asdict(timing.summary)
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
