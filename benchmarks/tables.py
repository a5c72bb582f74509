"""Plain text tables."""

from collections.abc import Sequence

Row = Sequence[str]


def table(title: str, header: Row, rows: Sequence[Row]) -> str:
    """Columns aligned: the first to the left, the others to the right.

    >>> print(table("Fruit", ("name", "kg"), [("apple", "12"), ("fig", "3")]))
    Fruit
    <BLANKLINE>
      name   kg
      apple  12
      fig     3
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [title, ""]
    for row in (header, *rows):
        first, *others = row
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines)


def digits(value: float) -> str:
    """A positive number with three significant digits and no exponent.

    >>> [digits(x) for x in (1234.5, 12.34, 1.234, 0.01234)]
    ['1234', '12.3', '1.23', '0.0123']
    """
    for limit, places in ((100, 0), (10, 1), (1, 2), (0.1, 3)):
        if value >= limit:
            return f"{value:.{places}f}"
    return f"{value:.4f}"
