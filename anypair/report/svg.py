"""SVG and HTML as text; what goes in as text or attribute is escaped."""

from html import escape
from typing import Any

SHAPES = 6
#: Offsets of the corners of the marks, in units of their radius; None is a circle.
CORNERS: tuple[tuple[tuple[float, float], ...] | None, ...] = (
    None,
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.2), (1.1, 0.8), (-1.1, 0.8)),
    ((0, -1.3), (1.1, 0), (0, 1.3), (-1.1, 0)),
    ((0, 1.2), (1.1, -0.8), (-1.1, -0.8)),
    ((-0.7, -1.1), (0.7, -1.1), (1.2, 0), (0.7, 1.1), (-0.7, 1.1), (-1.2, 0)),
)


def tag(name: str, *inside: str, **attributes: Any) -> str:
    """An element; `inside` is markup already, None leaves an attribute out.

    >>> tag("a", "text", class_="x", stroke_width=2, href=None)
    '<a class="x" stroke-width="2">text</a>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    content = "".join(inside)
    return f"<{name}{given}>{content}</{name}>"


def label(text: str, x: float, y: float, **attributes: Any) -> str:
    """Words in a chart."""
    return tag("text", escape(text), x=x, y=y, **attributes)


def mark(style: int, x: float, y: float, *, hollow: bool = False, radius: float = 5.0) -> str:
    """The mark of a series: its shape says the same as its colour."""
    corners = CORNERS[style % SHAPES]
    look = {"class_": f"mark s{style % SHAPES}{' hollow' if hollow else ''}"}
    if corners is None:
        return tag("circle", cx=x, cy=y, r=radius, **look)
    points = " ".join(f"{x + radius * dx:.1f},{y + radius * dy:.1f}" for dx, dy in corners)
    return tag("polygon", points=points, **look)


def datum(text: str, right: float, *inside: str) -> str:
    """Marks with words for pointer, keyboard and screen reader, in a chart that ends at `right`."""
    # The title shows under a pointer; the tip, in the corner, when the keyboard gets here.
    return tag(
        "g",
        tag("title", escape(text)),
        *inside,
        label(text, right, 16, class_="tip", text_anchor="end", aria_hidden="true"),
        class_="datum",
        tabindex=0,
        role="img",
        aria_label=text,
    )


def line_swatch(style: int) -> str:
    """The sign of a series in a legend."""
    line = tag("line", x1=0, x2=24, y1=8, y2=8, class_=f"line s{style % SHAPES}")
    return _swatch(line + mark(style, 12, 8))


def square_swatch(style: int) -> str:
    """The sign of a part of bars in a legend."""
    return _swatch(tag("rect", x=5, y=1, width=14, height=14, class_=f"bar s{style % SHAPES}"))


def _swatch(inside: str) -> str:
    return tag("svg", inside, viewBox="0 0 24 16", class_="swatch", aria_hidden="true")


def _text(value: Any) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
