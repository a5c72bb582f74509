"""What people see of a handle: small ones as a grid of places, others by their first entries."""

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from anypair.handle import Handle

SHOWN_ENTRIES = 8
GRID = (12, 12)  # places down and across, at most
NOTHING = "."


def as_text(x: "Handle") -> str:
    """Its headline, and a table below."""
    heads, rows, more = _table(x)
    if not rows:
        return x.headline
    lines = [heads, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = [
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
    ]
    return "\n".join([x.headline, *shown, *([more] if more else [])])


def as_html(x: "Handle") -> str:
    """The same for a notebook."""
    heads, rows, more = _table(x)
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    below = f"<p>{more}</p>" if more else ""
    return (
        f"<div><b>{escape(x.headline)}</b>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}</div>"
    )


def _table(x: "Handle") -> tuple[list[str], list[list[str]], str]:
    """Heads of columns, rows of cells, and what is to be said of all that is not shown."""
    down, across = x.shape if len(x.shape) == 2 else (1, *x.shape)
    if 0 < down <= GRID[0] and 0 < across <= GRID[1]:
        return _grid(x, down, across)
    columns = [column.tolist() for column in x.backend.first_entries(x.storage, x.shape, SHOWN_ENTRIES)]
    rows = [[_cell(number) for number in row] for row in zip(*columns, strict=True)]
    hidden = x.nvals - len(rows)
    return list(x._columns), rows, f"and {hidden} more entries" if hidden else ""


def _grid(x: "Handle", down: int, across: int) -> tuple[list[str], list[list[str]], str]:
    *places, values = x.backend.entries(x.storage)
    cells = np.full((down, across), NOTHING, object)
    at: Any = tuple(places) if len(places) == 2 else (0, places[0])
    for i, j, value in zip(*np.broadcast_arrays(*at), values.tolist(), strict=True):
        cells[i, j] = _cell(value)
    numbers = [str(j) for j in range(across)]
    if len(x.shape) == 1:
        return numbers, cells.tolist(), ""
    return ["", *numbers], [[str(i), *row] for i, row in enumerate(cells.tolist())], ""


def _cell(number: Any) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)
