"""Sections about what happens inside a search: frontier, time and bytes for each level."""

from collections.abc import Sequence

from anypair.backends.registry import BACKENDS
from anypair.report.axes import Axis
from anypair.report.charts import BarChart, LineChart, Point, Series
from anypair.report.numbers import grouped, si
from anypair.report.reading import TraceFile
from anypair.report.searches import Level, by_phase, frontiers, searches, typical
from anypair.report.section import Figure, Section, Table

MOST_FIGURES = 4
MOST_BARS = 60
TRACED = "anypair graph500 --scale 16 --trace results/trace.json"
LEVEL = Axis("level", whole=True)

Found = Sequence[tuple[TraceFile, list[list[Level]]]]


def with_searches(traces: Sequence[TraceFile]) -> Found:
    """The traces that hold searches, with them."""
    pairs = [(trace, searches(trace)) for trace in traces]
    return [(trace, found) for trace, found in pairs if found]


def phase_styles(found: Found) -> dict[str, int]:
    """A colour for each phase, the same in every chart of the page."""
    levels = [level for _, seen in found for search in seen for level in search]
    return {name: k for k, name in enumerate(dict.fromkeys(n for v in levels for n in v.seconds()))}


def frontier_section(found: Found) -> Section:
    """As figure 1 of Fu, Dasari, Berzins and Thompson."""
    series, rows = [], []
    for style, (trace, seen) in enumerate(found):
        sizes = [f for f in frontiers(seen) if f.most > 0]
        points = [
            Point(f.level, f.median, f"{trace.name}, level {f.level}: {grouped(f.median)} vertices")
            for f in sizes
        ]
        band = [(float(f.level), float(max(f.least, 1)), float(f.most)) for f in sizes]
        series.append(Series(trace.name, points, style, band if len(seen) > 1 else ()))
        rows += [
            [trace.name, str(f.level), grouped(f.least), grouped(f.median), grouped(f.most)]
            for f in sizes
        ]
    chart = LineChart(
        "Frontier size per level",
        "Vertices in the frontier at each level of a search: the median, and the range over all roots.",
        LEVEL,
        Axis("vertices", log=10),
        series,
    )
    table = Table(["trace", "level", "least", "median", "most"], rows)
    return Section(
        "frontier",
        "The frontier",
        "How many vertices a search expands at each level: the median over its roots, the range shaded. "
        "The few large levels decide the time.",
        [Figure(chart, table)] if series else [],
        remedy="No trace with a search in this folder. Make one with:",
        command=TRACED,
    )


def time_section(found: Found) -> Section:
    """As figure 6 of Checconi and Petrini."""
    figures = []
    for trace, seen in found[:MOST_FIGURES]:
        parts = by_phase([level.seconds() for level in typical(seen)])
        title = f"Time per level: {trace.name}"
        figures.append(_stacked(title, "time", "s", parts, len(seen), phase_styles(found)))
    return Section(
        "time",
        "Time per level and phase",
        "Where the time of a search goes. A product pushes along the edges of the frontier, or pulls "
        f"from the vertices not yet reached, whichever is cheaper.{_left_out(found)}",
        figures,
        remedy="No trace with a search in this folder. Make one with:",
        command=TRACED,
    )


def bytes_section(found: Found) -> Section:
    """Communication, as figures 6 and 7 of Ueno and Suzumura."""
    figures = []
    for trace, seen in found[:MOST_FIGURES]:
        parts = by_phase([level.bytes() for level in typical(seen)])
        if any(map(sum, parts.values())):
            title = f"Bytes sent per level: {trace.name}"
            figures.append(_stacked(title, "bytes", "B", parts, len(seen), phase_styles(found)))
            figures.append(_imbalance(trace, typical(seen), phase_styles(found)))
    command = ""
    if "mpi" in BACKENDS:
        command = "anypair launch -n 4 -- graph500 --scale 16 --trace results/mpi.json"
    return Section(
        "bytes",
        "Bytes per phase, and imbalance",
        "What processes send each other during a search, by phase and level; and how much longer than "
        f"the mean of all processes the slowest one takes.{_left_out(found)}",
        figures,
        remedy="No trace in this folder tells of bytes. Backends that run on several processes do"
        + (":" if command else "."),
        command=command,
    )


def _left_out(found: Found) -> str:
    """The traces that are not drawn level by level."""
    names = "; ".join(trace.name for trace, _ in found[MOST_FIGURES:])
    return f" Not drawn, as there are more than {MOST_FIGURES} traces: {names}." if names else ""


def _imbalance(trace: TraceFile, levels: Sequence[Level], styles: dict[str, int]) -> Figure:
    parts = by_phase([level.imbalance() for level in levels])
    series = [
        Series(
            name,
            [
                Point(k, v, f"level {k}, {name}: {v:.2f} times the mean")
                for k, v in enumerate(values)
                if v
            ],
            styles[name],
        )
        for name, values in parts.items()
    ]
    chart = LineChart(
        f"Imbalance per level: {trace.name}",
        "Seconds of the slowest process over the mean of all, for each phase.",
        LEVEL,
        Axis("slowest / mean", from_zero=True),
        series,
    )
    rows = [[str(k), *(f"{values[k]:.2f}" for values in parts.values())] for k in range(len(levels))]
    return Figure(chart, Table(["level", *parts], rows))


def _stacked(
    title: str,
    what: str,
    unit: str,
    amounts: dict[str, list[float]],
    count: int,
    styles: dict[str, int],
) -> Figure:
    amounts = {name: values for name, values in amounts.items() if any(values)}
    depth = max((len(values) for values in amounts.values()), default=0)
    # A search of a road network has thousands of levels: neighbours share a bar.
    width = max(1, -(-depth // MOST_BARS))
    starts = range(0, depth, width)
    bars = [str(k) if width == 1 else f"{k}-{min(k + width, depth) - 1}" for k in starts]
    parts = {name: [sum(values[k : k + width]) for k in starts] for name, values in amounts.items()}
    texts = {
        name: [f"level {bar}, {name}: {si(v, unit)}" for bar, v in zip(bars, values, strict=True)]
        for name, values in parts.items()
    }
    over = "the only search" if count == 1 else f"the search with the median time of {count}"
    chart = BarChart(
        title,
        f"{what.capitalize()} of each phase at each level; {over}.",
        LEVEL,
        Axis(what, unit, from_zero=True),
        bars,
        dict(parts),
        dict(texts),
        styles,
    )
    rows = [[str(k), *(si(values[k], unit) for values in amounts.values())] for k in range(depth)]
    return Figure(chart, Table(["level", *amounts], rows), f"{over.capitalize()}.")
