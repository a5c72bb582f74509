"""What a run found: as the specification prints it, and as a dict for JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anypair.graph500.machine import describe_machine, versions
from anypair.graph500.settings import Settings
from anypair.graph500.statistics import QUARTILES, Summary, line, summary, summary_of_rates

WARM_UP = (
    "untimed: first a small graph was made, built and searched from as many roots, "
    "and after kernel 1 the graph itself was searched from one root"
)


@dataclass
class Searches:
    """The searches of one kernel, in the order of the roots."""

    times: list[float] = field(default_factory=list)
    nedges: list[int] = field(default_factory=list)
    validation_times: list[float] = field(default_factory=list)

    @property
    def teps(self) -> list[float]:
        """Traversed edges per second of each search."""
        return [edges / seconds for edges, seconds in zip(self.nedges, self.times, strict=True)]

    @property
    def rates(self) -> Summary:
        return summary_of_rates(self.teps)

    def lines(self, kernel: str) -> list[str]:
        """The specification's lines for one kernel."""
        return [
            *summary(self.times).lines(kernel, "time"),
            *summary(self.nedges).lines(kernel, "nedge"),
            *self.rates.lines(kernel, "TEPS", kind="harmonic_"),
        ]

    def as_json(self) -> dict[str, Any]:
        """Times, edges and rates of each search, and the rates that runs are compared by."""
        return {
            "times": self.times,
            "nedges": self.nedges,
            "teps": self.teps,
            "harmonic_mean_TEPS": self.rates.mean,
            "harmonic_stddev_TEPS": self.rates.stddev,
            "median_TEPS": self.rates.quartiles[2],
            "validation_time": sum(self.validation_times),
        }


@dataclass(frozen=True, eq=False)
class Result:
    """A run that went through; every answer was right if it was validated."""

    settings: Settings
    backend: str
    threads: int
    roots: Sequence[int]
    generation_time: float
    construction_time: float
    warm_up_time: float
    bfs: Searches
    sssp: Searches | None
    ranks: int
    grid: str
    options: Mapping[str, Any]

    def block(self) -> str:
        """The output block of the specification.

        Without kernel 3 its rates are 0, which is how the specification says that it did not run.
        """
        lines = [
            f"SCALE: {self.settings.scale}",
            f"edgefactor: {self.settings.edgefactor}",
            f"NBFS: {len(self.roots)}",
            line("graph_generation", self.generation_time),
            line("construction_time", self.construction_time),
            *self.bfs.lines("bfs"),
        ]
        if self.sssp is None:
            names = (*QUARTILES, "harmonic_mean", "harmonic_stddev")
            lines += [line(f"sssp_{name}_TEPS", 0.0) for name in names]
        else:
            lines += self.sssp.lines("sssp")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """All of it, with the machine and the versions, in types that JSON has."""
        return {
            "scale": self.settings.scale,
            "edgefactor": self.settings.edgefactor,
            "nroots": len(self.roots),
            "seed": self.settings.seed,
            "backend": self.backend,
            "threads": self.threads,
            "ranks": self.ranks,
            "grid": self.grid,
            "options": dict(self.options),
            "roots": list(self.roots),
            "generation_time": self.generation_time,
            "construction_time": self.construction_time,
            "warm_up": WARM_UP,
            "warm_up_time": self.warm_up_time,
            "validated": self.settings.validate,
            **self.bfs.as_json(),
            "sssp": None if self.sssp is None else self.sssp.as_json(),
            "versions": versions(),
            "machine": describe_machine(),
        }
