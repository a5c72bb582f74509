"""What operations ran, in which direction, on how much, and for how long."""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from weakref import ref

from anypair.errors import BackendUnavailable, DistributedError
from anypair.version import __version__

COLUMNS = (
    "operation", "operator", "backend", "direction", "method", "formats",
    "nvals_in", "nvals_out", "edges", "rounds", "seconds",
)  # fmt: skip
COLOURS = {"push": "#2a78d6", "pull": "#e08214", "": "#7a8794"}


#: Seconds, bytes sent and received, messages and entries, by phase.
Phases: TypeAlias = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Record:
    """One operation; on a grid the share of one rank, until the trace is gathered."""

    operation: str
    operator: str
    backend: str
    direction: str
    formats: str
    nvals_in: dict[str, int]
    nvals_out: int
    edges: int | None
    seconds: float
    #: On a grid: this rank, and what it sent and received.
    rank: int | None = None
    phases: Phases = field(default_factory=dict)
    #: Of an operation that goes round by round: how many there were, and the products in them. Their
    #: edges, seconds and bytes are among its own.
    rounds: int | None = None
    parts: tuple["Record", ...] = ()
    #: Of a product that has a direction: the fact for want of which sums could not end early.
    missing: str | None = None
    #: Of a push: "queue" along a list of the entries of the vector, "read" along a bitmap of them; of a
    #: product on a GPU beside a CPU "device". And what decided.
    method: str = ""
    reason: str = ""


class Gathering(Protocol):
    """Processes that can tell each other things."""

    def gather(self, value: Any) -> list[Any]:
        """An object of every process."""
        ...


class Finishing(Protocol):
    """What may be put off, and is done on demand."""

    def finish(self) -> Any:
        """Do it now."""
        ...


class Counter(Protocol):
    """What counts bytes and seconds by phase."""

    def take(self) -> Phases:
        """All since the last call."""
        ...


@dataclass
class Trace:
    """The operations of a `with anypair.trace()` block, in order.

    Recording sends nothing: on a grid entries, edges, seconds and bytes are those of this rank, and
    `gathered` puts the ranks together.
    """

    records: list[Record] = field(default_factory=list)
    #: What was sent outside of operations: by constructors, by who counts entries or looks at them.
    elsewhere: Phases = field(default_factory=dict)
    _notes: dict[str, Any] = field(default_factory=dict, repr=False)
    _counters: list[Counter] = field(default_factory=list, repr=False)
    _held: Phases = field(default_factory=dict, repr=False)  # counted before an inner operation
    _inner: list[tuple[float, float]] = field(default_factory=list, repr=False)  # begin, seconds
    _parts: list[Record] = field(default_factory=list, repr=False)  # of the operation that is running
    _unfinished: "list[ref[Finishing]]" = field(default_factory=list, repr=False)

    def note(self, **facts: Any) -> None:
        """What a backend knows of the operation that is running: direction, formats, edges."""
        self._notes.update(facts)

    def note_first(self, **facts: Any) -> None:
        """As `note`, of facts that nobody has noted yet."""
        self._notes = facts | self._notes

    def noted(self, fact: str) -> Any:
        """Take back a fact that was noted; None if none was."""
        return self._notes.pop(fact, None)

    def watch(self, counter: Counter) -> None:
        """Ask this counter what operations send."""
        if not any(counter is known for known in self._counters):
            self._counters.append(counter)

    def begin(self) -> float:
        """An operation begins, at the time returned; what was counted before is not its own."""
        self.add_elsewhere(self._counted())
        return time.perf_counter()

    def add_elsewhere(self, phases: Phases) -> None:
        """Count what was sent outside of operations."""
        self.elsewhere = _sum([self.elsewhere, phases])

    def _counted(self) -> Phases:
        """All that was counted since it was last asked for."""
        held, self._held = self._held, {}
        return _sum([held, *(counter.take() for counter in self._counters)])

    def add(
        self,
        operation: str,
        operator: Any,
        backend: str,
        nvals_in: dict[str, int],
        nvals_out: int,
        begin: float,
        rank: int | None = None,
        *,
        part: bool = False,
    ) -> None:
        """Record an operation that began at `begin`, or a product as a `part` of the one that runs."""
        notes, self._notes = self._notes, {}
        # An operation inside this one has a record of its own.
        inner = sum(seconds for began, seconds in self._inner if began >= begin)
        self._inner = []
        own = Record(
            operation,
            getattr(operator, "name", ""),
            backend,
            notes.get("direction", ""),
            notes.get("formats", ""),
            nvals_in,
            nvals_out,
            notes.get("edges"),
            time.perf_counter() - begin - inner,
            rank,
            self._counted(),
            notes.get("rounds"),
            missing=notes.get("missing") if "direction" in notes else None,
            method=notes.get("method", ""),
            reason=notes.get("reason", ""),
        )
        if part:
            self._parts.append(own)
            return
        if self._parts:
            parts, self._parts = tuple(self._parts), []
            own = replace(
                own,
                edges=_total(part.edges for part in parts),
                phases=_sum([own.phases, *(part.phases for part in parts)]),
                parts=parts,
            )
        self.records.append(own)

    @contextmanager
    def inner(
        self, operation: str, operator: Any, backend: str, nvals: int, rank: int
    ) -> Iterator[None]:
        """Record what happens inside, to so many entries, as an operation of its own.

        Neither its seconds nor its bytes count for the operation that it happens in, if there is one.
        """
        notes, self._notes = self._notes, {}
        before = self._counted()
        begin = time.perf_counter()
        try:
            yield
            self.add(operation, operator, backend, {"x": nvals}, nvals, begin, rank)
            self._inner.append((begin, time.perf_counter() - begin))
        finally:
            self._notes = notes
            self._held = _sum([before, self._held])

    def finish_at_end(self, x: Finishing) -> None:
        """Have an expression evaluated before the trace ends, if it is still there."""
        self._unfinished.append(ref(x))

    def finish(self) -> None:
        """Evaluate the expressions that were written, so that the trace has them."""
        unfinished, self._unfinished = self._unfinished, []
        for each in unfinished:
            if (x := each()) is not None:
                x.finish()

    def end(self) -> None:
        """Nothing more is recorded; what was sent since the last operation is counted."""
        self.add_elsewhere(self._counted())
        self._counters = []

    def gathered(self, processes: "Gathering") -> "Trace":
        """The same of all processes together, each of which has to call this.

        Entries, edges, bytes and messages are sums. Seconds are those of the slowest; `imbalance` is how
        many times longer than the mean these are.
        """
        everyone = processes.gather((self.records, self.elsewhere))
        recorded = [records for records, _ in everyone]
        operations = [[record.operation for record in records] for records in recorded]
        if any(each != operations[0] for each in operations):
            counts = ", ".join(str(len(each)) for each in operations)
            raise DistributedError(
                f"Trace.gathered: ranks have recorded different operations ({counts} of them); "
                "trace the same calls on every rank"
            )
        elsewhere = _together([phases for _, phases in everyone])
        return Trace([_merged(records) for records in zip(*recorded, strict=True)], elsewhere)

    def __str__(self) -> str:
        rows = [COLUMNS, *(_cells(record) for record in self.records)]
        widths = [max(len(row[c]) for row in rows) for c in range(len(COLUMNS))]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in rows]
        missing = dict.fromkeys(f"{r.operator}: {r.missing}" for r in self.records if r.missing)
        return "\n".join([*(line.rstrip() for line in lines), *missing])

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
        content = {
            "anypair": __version__,
            "about": dict(about or {}),
            "operations": self.to_dicts(),
            "elsewhere": self.elsewhere,
        }
        Path(path).write_text(json.dumps(content, indent=1) + "\n", "utf-8")

    def to_svg(self, path: str | Path) -> None:
        """Draw a bar for each product, as long as it took: the levels of a search."""
        all_records = [part for record in self.records for part in (*record.parts, record)]
        levels = [r for r in all_records if r.operation in ("vxm", "mxv", "mxm")]
        Path(path).write_text(_chart(levels), "utf-8")


def _merged(records: Sequence[Record]) -> Record:
    """One operation of all processes."""
    return replace(
        records[0],
        nvals_in={name: sum(r.nvals_in[name] for r in records) for name in records[0].nvals_in},
        nvals_out=sum(record.nvals_out for record in records),
        edges=_total(record.edges for record in records),
        seconds=max(record.seconds for record in records),
        rank=None,
        phases=_together([record.phases for record in records]),
        parts=tuple(_merged(parts) for parts in zip(*(r.parts for r in records), strict=True)),
    )


def _total(edges: Iterable[int | None]) -> int | None:
    """The sum of those that are known, if one is."""
    known = [number for number in edges if number is not None]
    return sum(known) if known else None


def _together(ranks: Sequence[Phases]) -> Phases:
    """The phases of one operation on all processes as one."""
    merged = _sum(ranks)
    for name, phase in merged.items():
        slowest = max(phases[name]["seconds"] for phases in ranks if name in phases)
        mean = phase.pop("seconds") / len(ranks)
        imbalance = slowest / mean if mean else 1.0
        merged[name] = {"seconds": slowest, "imbalance": imbalance, **phase}
    return merged


def _sum(several: Sequence[Phases]) -> Phases:
    """Phases added up, number by number."""
    total: Phases = {}
    for phases in several:
        for name, phase in phases.items():
            sums = total.setdefault(name, {})
            for key, number in phase.items():
                sums[key] = sums.get(key, 0) + number
    return total


def _cells(record: Record) -> tuple[str, ...]:
    operands = " ".join(f"{name}={nvals}" for name, nvals in record.nvals_in.items())
    edges, rounds = ("" if n is None else str(n) for n in (record.edges, record.rounds))
    return (
        record.operation, record.operator, record.backend, record.direction, record.method,
        record.formats, operands, str(record.nvals_out), edges, rounds, f"{record.seconds:.6f}",
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

    One inside another records its own part, which the outer one has as well when it is over.

    >>> import anypair
    >>> from anypair.algorithms import bfs_parents
    >>> with anypair.trace() as seen:
    ...     parents = bfs_parents(anypair.Matrix.from_edges([0, 1], [1, 2]), 0)
    >>> [record.operation for record in seen.records]
    ['vxm', 'update', 'vxm', 'update', 'vxm', 'update']
    """
    outer, recorded = _current.get(), Trace()
    token = _current.set(recorded)
    try:
        yield recorded
        recorded.finish()
    finally:
        _current.reset(token)
        recorded.end()
        if outer is not None:
            outer.records.extend(recorded.records)
            outer.add_elsewhere(recorded.elsewhere)


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
