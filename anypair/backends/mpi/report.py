"""What a trace says of all ranks together: bytes and seconds of each phase of each operation."""

from typing import Any

from anypair.backends.mpi.backend import MpiBackend
from anypair.backends.wire.traffic import PHASES
from anypair.trace import Trace

COLUMNS = (
    "number", "operation", "phase", "seconds", "imbalance", "sent", "received", "messages", "entries",
)  # fmt: skip


def phases_of(trace: Trace, backend: MpiBackend) -> list[dict[str, Any]]:
    """A row for each phase of each operation that has any, of all ranks; all ranks call this.

    Seconds are those of the slowest rank, and `imbalance` how many times longer than the mean. The last
    rows are of what was sent outside of operations, "elsewhere".
    """
    together = trace.gathered(backend.processes)
    operations = [(record.operation, record.phases) for record in together.records if record.phases]
    return [
        {"number": number, "operation": operation, "phase": phase, **phases[phase]}
        for number, (operation, phases) in enumerate((*operations, ("elsewhere", together.elsewhere)))
        for phase in PHASES
        if phase in phases
    ]


def phase_table(trace: Trace, backend: MpiBackend) -> str:
    """The same as a table."""
    rows = [COLUMNS] + [
        tuple(f"{row[c]:.6f}" if isinstance(row[c], float) else str(row[c]) for c in COLUMNS)
        for row in phases_of(trace, backend)
    ]
    widths = [max(len(row[c]) for row in rows) for c in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in rows
    )
