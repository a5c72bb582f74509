"""What a trace says of all ranks together: bytes and seconds of each phase of each product."""

from typing import Any

from anypair.backends.mpi.backend import MpiBackend
from anypair.backends.mpi.traffic import PHASES
from anypair.trace import Trace

COLUMNS = ("product", "phase", "slowest", "mean", "imbalance", "sent", "received", "messages", "entries")


def phases_of(trace: Trace, backend: MpiBackend) -> list[dict[str, Any]]:
    """A row for each phase of each product in the trace, with sums over all ranks; all ranks call this.

    `slowest` and `mean` are seconds, `imbalance` is their ratio.
    """
    own = [record.phases for record in trace.records if record.phases]
    rows = []
    for product, ranks in enumerate(zip(*backend.layout.world.objects(own), strict=True)):
        for phase in (name for name in PHASES if name in ranks[0]):
            found = [each[phase] for each in ranks]
            seconds = [each["seconds"] for each in found]
            mean = sum(seconds) / len(seconds)
            rows.append(
                {
                    "product": product,
                    "phase": phase,
                    "slowest": max(seconds),
                    "mean": mean,
                    "imbalance": max(seconds) / mean if mean else 1.0,
                    **{
                        name: int(sum(each[name] for each in found))
                        for name in ("sent", "received", "messages", "entries")
                    },
                }
            )
    return rows


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
