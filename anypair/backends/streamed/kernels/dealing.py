"""Entries dealt out to ranges of rows, compiled: what `sorting.py` calls."""

from typing import Any

from anypair.compiling.caching import kernel


@kernel
def count(rows: Any, first: Any, shift: Any, counts: Any) -> None:
    """How many entries each range has; a range has 2**shift rows."""
    for p in range(len(rows)):
        counts[(rows[p] - first) >> shift] += 1


@kernel
def deal(rows: Any, columns: Any, first: Any, shift: Any, begins: Any, out: Any, order: Any) -> None:
    """Places range by range, from where each range begins, in the order in which they come."""
    for p in range(len(rows)):
        number = (rows[p] - first) >> shift
        at = begins[number]
        begins[number] = at + 1
        out[at, 0] = rows[p]
        out[at, 1] = columns[p]
        if len(order):
            order[at] = p
