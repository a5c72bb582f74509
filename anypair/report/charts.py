"""Charts as SVG: lines over an axis, and stacked bars."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

from anypair.report.axes import Axis, Scale, fit
from anypair.report.svg import SHAPES, datum, label, line_swatch, mark, square_swatch, tag

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 74, 622, 34, 306
MOST_MARKS = 60  # of a line; beyond, some are left out


@dataclass(frozen=True)
class Point:
    """A value with the words that explain it; `hollow` marks one that was not validated."""

    x: float
    y: float
    text: str
    hollow: bool = False


@dataclass(frozen=True)
class Series:
    """Points that belong together; `style` is a colour and a shape, `band` the range around."""

    name: str
    points: Sequence[Point]
    style: int
    band: Sequence[tuple[float, float, float]] = ()
    dashed: bool = False
    joined: bool = True
    marked: bool = True


@dataclass(frozen=True)
class Rule:
    """A vertical line at a value, with its name: something known of x alone."""

    x: float
    name: str


@dataclass(frozen=True)
class LineChart:
    """Series over two axes."""

    title: str
    description: str
    x: Axis
    y: Axis
    series: Sequence[Series]
    rules: Sequence[Rule] = field(default_factory=tuple)

    def legend(self) -> list[tuple[str, str]]:
        """Swatch and name of what is drawn."""
        return [(line_swatch(s.style), s.name) for s in self.series if s.marked]

    def svg(self, name: str) -> str:
        """The drawing; `name` makes its ids unique in the page."""
        xs = [p.x for s in self.series for p in s.points] + [rule.x for rule in self.rules]
        ys = [p.y for s in self.series for p in s.points]
        ys += [edge for s in self.series for _, *edges in s.band for edge in edges]
        x, y = fit(self.x, xs, LEFT, RIGHT), fit(self.y, ys, BOTTOM, TOP)
        parts = [_frame(x, y)]
        parts += [_rule(rule, x, number) for number, rule in enumerate(self.rules)]
        # Lines first, so that no line covers a mark.
        parts += [_band(s, x, y) for s in self.series if s.band]
        parts += [_line(s, x, y) for s in self.series if s.joined]
        parts += [_marks(s, x, y) for s in self.series if s.marked]
        return _drawing(name, self.title, self.description, parts)


@dataclass(frozen=True)
class BarChart:
    """Bars that stack parts; `parts[name][k]` is what part `name` adds to bar k."""

    title: str
    description: str
    x: Axis
    y: Axis
    bars: Sequence[str]
    parts: dict[str, Sequence[float]]
    texts: dict[str, Sequence[str]]
    styles: dict[str, int]

    def legend(self) -> list[tuple[str, str]]:
        """Swatch and name of what is drawn."""
        return [(square_swatch(self.styles[name]), name) for name in self.parts]

    def svg(self, name: str) -> str:
        """The drawing; `name` makes its ids unique in the page."""
        heights = [sum(values) for values in zip(*self.parts.values(), strict=True)]
        x = Scale(self.x, -0.5, len(self.bars) - 0.5, LEFT, RIGHT)
        y = fit(self.y, [0.0, *heights], BOTTOM, TOP)
        shown = range(0, len(self.bars), -(-len(self.bars) // 12))
        parts = [_frame(x, y, [(float(k), self.bars[k]) for k in shown])]
        width = min(56.0, 0.7 * (RIGHT - LEFT) / max(1, len(self.bars)))
        base = [0.0] * len(self.bars)
        for part, values in self.parts.items():
            look = f"bar s{self.styles[part] % SHAPES}"
            for k, value in enumerate(values):
                if value > 0:
                    top, foot = y.place(base[k] + value), y.place(base[k])
                    box = tag(
                        "rect", x=x.place(k) - width / 2, y=top, width=width,
                        height=max(foot - top, 0.5), class_=look,
                    )  # fmt: skip
                    parts.append(datum(self.texts[part][k], RIGHT, box))
                base[k] += value
        return _drawing(name, self.title, self.description, parts)


Chart = LineChart | BarChart


def _drawing(name: str, title: str, description: str, parts: Iterable[str]) -> str:
    return tag(
        "svg",
        tag("title", escape(title), id=f"{name}-title"),
        tag("desc", escape(description), id=f"{name}-desc"),
        *parts,
        tag("line", x1=LEFT, x2=RIGHT, y1=BOTTOM, y2=BOTTOM, class_="axis"),  # over the feet of bars
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="group",
        aria_labelledby=f"{name}-title {name}-desc",
        class_="chart",
    )


def _frame(x: Scale, y: Scale, names: Sequence[tuple[float, str]] | None = None) -> str:
    """Axes, grid lines and labels; `names` replaces the ticks of x."""
    parts = []
    for value in y.ticks():
        at = y.place(value)
        parts.append(tag("line", x1=LEFT, x2=RIGHT, y1=at, y2=at, class_="grid"))
        parts.append(label(y.text(value), LEFT - 8, at + 4, class_="tick", text_anchor="end"))
    for value, text in [(v, x.text(v)) for v in x.ticks()] if names is None else names:
        at = x.place(value)
        parts.append(tag("line", x1=at, x2=at, y1=BOTTOM, y2=BOTTOM + 5, class_="axis"))
        parts.append(label(text, at, BOTTOM + 20, class_="tick", text_anchor="middle"))
    middle = (LEFT + RIGHT) / 2
    parts.append(label(_name(x.axis), middle, HEIGHT - 8, class_="name", text_anchor="middle"))
    parts.append(label(_name(y.axis), 8, 16, class_="name"))
    return tag("g", *parts, aria_hidden="true")


def _name(axis: Axis) -> str:
    return f"{axis.label} (log scale)" if axis.log else axis.label


def _rule(rule: Rule, x: Scale, number: int) -> str:
    # Names run upwards along their line, by turns from two heights so that neighbours do not meet.
    at = x.place(rule.x)
    foot = BOTTOM - 8 - (number % 2) * (BOTTOM - TOP) / 2
    turned = f"rotate(-90 {at - 4:.1f} {foot:.1f})"
    return datum(
        f"{rule.name}: {rule.x:,.0f}",
        RIGHT,
        tag("line", x1=at, x2=at, y1=TOP, y2=BOTTOM, class_="rule"),
        label(rule.name, at - 4, foot, class_="rule-name", transform=turned),
    )


def _band(series: Series, x: Scale, y: Scale) -> str:
    upper = [f"{x.place(at):.1f},{y.place(high):.1f}" for at, _, high in series.band]
    lower = [f"{x.place(at):.1f},{y.place(low):.1f}" for at, low, _ in reversed(series.band)]
    return tag("polygon", points=" ".join(upper + lower), class_=f"band s{series.style % SHAPES}")


def _line(series: Series, x: Scale, y: Scale) -> str:
    points = " ".join(f"{x.place(p.x):.1f},{y.place(p.y):.1f}" for p in series.points)
    dashed = " dashed" if series.dashed else ""
    return tag("polyline", points=points, class_=f"line s{series.style % SHAPES}{dashed}")


def _marks(series: Series, x: Scale, y: Scale) -> str:
    parts = []
    for point in series.points[:: -(-len(series.points) // MOST_MARKS)]:
        at, height = x.place(point.x), y.place(point.y)
        shape = mark(series.style, at, height, hollow=point.hollow)
        parts.append(datum(point.text, RIGHT, shape))
    return "".join(parts)
