"""What a folder holds: results of `anypair graph500` and `anypair bench`, and traces.

A file that is something else, or is spoiled, is named in a warning and left out.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from anypair.errors import InvalidValue
from anypair.report.fields import Fields, NotOurs


@dataclass(frozen=True)
class Run:
    """One Graph500 run."""

    file: str
    scale: int
    edgefactor: int
    backend: str
    threads: int
    ranks: int
    grid: str
    options: Mapping[str, Any]  # of the backend; empty in older results
    seed: int
    validated: bool
    construction_time: float
    times: list[float]
    teps: list[float]
    harmonic_mean: float
    median: float
    sssp_median: float  # 0 if kernel 3 did not run
    versions: Mapping[str, Any]
    machine: Mapping[str, Any]
    #: The configuration that a line in a chart stands for, and the same without the workers; both by
    #: `naming.named`, as they say what is different among the runs of a folder.
    name: str = ""
    family: str = ""

    @property
    def workers(self) -> int:
        """How many threads there are in all."""
        return self.ranks * self.threads


class Phase(NamedTuple):
    """A part of an operation that a backend tells of; on several ranks, seconds of the slowest."""

    seconds: float
    sent: int
    imbalance: float


@dataclass(frozen=True)
class Operation:
    """One operation of a trace."""

    operation: str
    operator: str
    direction: str
    entered: int
    edges: int
    left: int
    seconds: float
    phases: Mapping[str, Phase]


@dataclass(frozen=True)
class TraceFile:
    """The operations of a trace, with what is known about the run."""

    file: str
    about: Mapping[str, Any]
    operations: list[Operation]

    @property
    def name(self) -> str:
        """What was traced, in words, and where that is written."""
        known = [self.about.get("backend"), self.about.get("graph"), self.file]
        return ", ".join(str(fact) for fact in known if fact)


@dataclass
class Collected:
    """What was found in a folder, and what was not understood."""

    runs: list[Run] = field(default_factory=list)
    traces: list[TraceFile] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def collect(folder: str | Path) -> Collected:
    """Read every .json file of a folder, those of its subfolders included."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InvalidValue(f"report: {folder} is not a folder; give one with JSON results")
    found = Collected()
    for path in sorted(folder.rglob("*.json")):
        name = str(path.relative_to(folder))
        try:
            _read(path, name, found)
        except NotOurs as reason:
            found.warnings.append(f"{name}: {reason}")
    if not found.runs and not found.traces:
        raise InvalidValue(_nothing(folder, found.warnings))
    found.runs.sort(key=lambda run: (run.backend, run.ranks, run.threads, run.scale, run.file))
    return found


def _nothing(folder: Path, warnings: list[str]) -> str:
    remedy = f"make some with: anypair bench --json {folder / 'bench.json'}"
    if warnings:
        return f"report: no result and no trace in {folder} ({'; '.join(warnings)}); {remedy}"
    return f"report: no .json file in {folder}; {remedy}"


def _read(path: Path, name: str, found: Collected) -> None:
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise NotOurs(f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # decoding errors are value errors
        raise NotOurs(f"is no JSON: {error}") from None
    if not isinstance(content, dict):
        raise NotOurs(f"holds a {type(content).__name__}, neither a result nor a trace")
    fields = Fields(content)
    if "harmonic_mean_TEPS" in content:
        found.runs.append(_run(name, fields))
    elif "results" in content:
        # All or nothing, so that a chart does not show half of a file.
        found.runs.extend([_run(name, Fields(one)) for one in fields.objects("results")])
    elif "operations" in content:
        operations = [_operation(Fields(one)) for one in fields.objects("operations")]
        found.traces.append(TraceFile(name, fields.mapping("about", {}), operations))
    else:
        raise NotOurs("is neither a result nor a trace of anypair")


def _run(name: str, fields: Fields) -> Run:
    return Run(
        file=name,
        scale=fields.count("scale"),
        edgefactor=fields.count("edgefactor", 16),
        backend=fields.text("backend"),
        threads=max(1, fields.count("threads", 1)),
        ranks=max(1, fields.count("ranks", 1)),
        grid=fields.text("grid", "1x1"),
        options=fields.mapping("options", {}),
        seed=fields.count("seed", 0),
        validated=fields.truth("validated", False),
        construction_time=fields.number("construction_time"),
        times=fields.numbers("times"),
        teps=fields.numbers("teps"),
        harmonic_mean=fields.number("harmonic_mean_TEPS"),
        median=fields.number("median_TEPS"),
        sssp_median=Fields(fields.mapping("sssp", {})).number("median_TEPS", 0.0),
        versions=fields.mapping("versions", {}),
        machine=fields.mapping("machine", {}),
    )


def _operation(fields: Fields) -> Operation:
    operands = Fields(fields.mapping("nvals_in", {}))
    phases = {
        str(name): Phase(
            part.number("seconds", 0.0), part.count("sent", 0), part.number("imbalance", 1.0)
        )
        for name, part in ((n, Fields(p)) for n, p in fields.mapping("phases", {}).items())
    }
    return Operation(
        fields.text("operation"),
        fields.text("operator", ""),
        fields.text("direction", ""),
        operands.count("u", 0),
        operands.count("A", 0),
        fields.count("nvals_out", 0),
        fields.number("seconds"),
        phases,
    )
