"""What operations ran, in which direction, on how much, and for how long."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, Protocol

from anypair.errors import BackendUnavailable
from anypair.version import __version__

COLUMNS = (
    "operation", "operator", "backend", "direction", "formats",
    "nvals_in", "nvals_out", "edges", "seconds",
)  # fmt: skip
COLOURS = {"push": "#2a78d6", "pull": "#e08214", "": "#7a8794"}


@dataclass(frozen=True)
class Record:
    """One operation."""

    operation: str
    operator: str
    backend: str
    direction: str
    formats: str
    nvals_in: dict[str, int]
    nvals_out: int
    edges: int | None
    seconds: float
    #: On a grid: this rank, and its seconds, bytes sent and received, messages and entries by phase.
    rank: int | None = None
    phases: dict[str, dict[str, float]] = field(default_factory=dict)


class Gathering(Protocol):
    """Processes that can tell each other things."""

    def gather(self, value: Any) -> list[Any]:
        """An object of every process."""
        ...


@dataclass
class Trace:
    """The operations of a `with anypair.trace()` block, in order."""

    records: list[Record] = field(default_factory=list)
    _notes: dict[str, Any] = field(default_factory=dict, repr=False)

    def note(self, **facts: Any) -> None:
        """What a backend knows of the operation that is running: direction, formats, edges."""
        self._notes.update(facts)

    def add(
        self,
        operation: str,
        operator: Any,
        backend: str,
        nvals_in: dict[str, int],
        nvals_out: int,
        begin: float,
    ) -> None:
        """Record an operation that began at `begin`."""
        notes, self._notes = self._notes, {}
        self.records.append(
            Record(
                operation,
                getattr(operator, "name", ""),
                backend,
                notes.get("direction", ""),
                notes.get("formats", ""),
                nvals_in,
                nvals_out,
                notes.get("edges"),
                time.perf_counter() - begin,
                notes.get("rank"),
                notes.get("phases", {}),
            )
        )

    def gathered(self, processes: "Gathering") -> "Trace":
        """The same with the phases of all processes, each of which has to call this.

        Seconds are those of the slowest; `imbalance` is how many times longer than the mean these
        are. Bytes, messages and entries are sums.
        """
        everyone = processes.gather([record.phases for record in self.records])
        return Trace(
            [
                replace(record, rank=None, phases=_together(phases))
                for record, *phases in zip(self.records, *everyone, strict=True)
            ]
        )

    def __str__(self) -> str:
        rows = [COLUMNS, *(_cells(record) for record in self.records)]
        widths = [max(len(row[c]) for row in rows) for c in range(len(COLUMNS))]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in rows]
        return "\n".join(line.rstrip() for line in lines)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dict for each operation."""
        return [asdict(record) for record in self.records]

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with a row for each operation."""
        try:
            import pandas
        except ImportError as error:
            raise BackendUnavailable(f"Trace.to_dataframe: {error}; pip install pandas") from error
        return pandas.DataFrame(self.to_dicts(), columns=list(COLUMNS))

    def to_json(self, path: str | Path, about: Mapping[str, Any] | None = None) -> None:
        """Write the operations to a file, with the version that ran them and facts about the run."""
        content = {"anypair": __version__, "about": dict(about or {}), "operations": self.to_dicts()}
        Path(path).write_text(json.dumps(content, indent=1) + "\n", "utf-8")

    def to_svg(self, path: str | Path) -> None:
        """Draw a bar for each product, as long as it took: the levels of a search."""
        levels = [r for r in self.records if r.operation in ("vxm", "mxv", "mxm")]
        Path(path).write_text(_chart(levels), "utf-8")


def _together(ranks: Sequence[dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    """The phases of one operation on all processes as one."""
    merged = {}
    for name in ranks[0]:
        found = [phases[name] for phases in ranks if name in phases]
        slowest = max(each["seconds"] for each in found)
        mean = sum(each["seconds"] for each in found) / len(ranks)
        sums = {key: sum(each[key] for each in found) for key in found[0] if key != "seconds"}
        merged[name] = {"seconds": slowest, "imbalance": slowest / mean if mean else 1.0, **sums}
    return merged


def _cells(record: Record) -> tuple[str, ...]:
    operands = " ".join(f"{name}={nvals}" for name, nvals in record.nvals_in.items())
    edges = "" if record.edges is None else str(record.edges)
    return (
        record.operation, record.operator, record.backend, record.direction, record.formats,
        operands, str(record.nvals_out), edges, f"{record.seconds:.6f}",
    )  # fmt: skip


def _chart(levels: list[Record]) -> str:
    row, left, width = 22, 150, 420
    longest = max((level.seconds for level in levels), default=0.0) or 1.0
    parts = []
    for number, level in enumerate(levels):
        y = 30 + number * row
        colour = COLOURS[level.direction]
        length = max(1.0, width * level.seconds / longest)
        label = escape(f"{number + 1}  {level.operation} {level.direction}")
        text = f"{level.seconds * 1e3:.3g} ms, {level.nvals_out} entries"
        parts.append(
            f'<text x="8" y="{y + 12}">{label}</text>'
            f'<rect x="{left}" y="{y}" width="{length:.1f}" height="15" fill="{colour}"/>'
            f'<text x="{left + length + 6:.1f}" y="{y + 12}">{text}</text>'
        )
    height = 40 + len(levels) * row
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 190}" height="{height}" '
        f'font-family="sans-serif" font-size="12" style="background:white">'
        f'<text x="8" y="16" font-weight="bold">Products, in order</text>{"".join(parts)}</svg>\n'
    )


_current: ContextVar[Trace | None] = ContextVar("anypair_trace", default=None)

#: The trace that is being recorded, or None.
current = _current.get


@contextmanager
def trace() -> Iterator[Trace]:
    """Record every operation inside the `with` block; costs nothing outside.

    >>> import anypair
    >>> from anypair.algorithms import bfs_parents
    >>> with anypair.trace() as seen:
    ...     parents = bfs_parents(anypair.Matrix.from_edges([0, 1], [1, 2]), 0)
    >>> [record.operation for record in seen.records]
    ['vxm', 'update', 'vxm', 'update', 'vxm', 'update']
    """
    recorded = Trace()
    token = _current.set(recorded)
    try:
        yield recorded
    finally:
        _current.reset(token)


@contextmanager
def untraced() -> Iterator[None]:
    """Leave what happens inside the `with` block, such as warming up, out of any trace.

    >>> import anypair
    >>> from anypair.trace import untraced
    >>> with anypair.trace() as seen, untraced():
    ...     counted = anypair.reduce(anypair.Vector.full(3, 1), anypair.semiring.plus_monoid)
    >>> len(seen.records)
    0
    """
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)
