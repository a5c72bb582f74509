"""Sections about whole runs: TEPS and kernel 1 time against scale, and the table of all runs."""

from collections.abc import Callable, Sequence

from anypair.report.axes import Axis
from anypair.report.charts import LineChart, Point, Series
from anypair.report.numbers import grouped, si
from anypair.report.reading import Run
from anypair.report.section import Figure, Section, Table

SCALE = Axis("scale: the graph has 2^scale vertices", whole=True)
SWEEP = "anypair bench --scales 10-16 --json results/bench.json"


def styles(runs: Sequence[Run]) -> dict[str, int]:
    """A colour and shape for each configuration, the same in every chart of the page."""
    return {name: k for k, name in enumerate(dict.fromkeys(run.name for run in runs))}


def best_of_each(runs: Sequence[Run]) -> list[Run]:
    """Of runs that repeat each other, the one with the best harmonic mean."""
    found: dict[tuple[str, int], Run] = {}
    for run in runs:
        key = (run.name, run.scale)
        if key not in found or run.harmonic_mean > found[key].harmonic_mean:
            found[key] = run
    return list(found.values())


def teps_section(runs: Sequence[Run]) -> Section:
    """Kernel 2, as figures 16 and 18 of the SEI note."""
    return Section(
        "teps",
        "Traversed edges per second",
        "Kernel 2 of Graph500; higher is better. Its ranking goes by the harmonic mean over the "
        "searches of a run, which one root in a tiny component pulls far down; the median stays. Hollow "
        "marks are runs whose trees were not validated.",
        _by_scale(
            runs,
            "Kernel 2: harmonic mean against scale",
            Axis("TEPS", log=10),
            lambda run: run.harmonic_mean,
            lambda run: si(run.harmonic_mean, "TEPS"),
            "Harmonic mean of traversed edges per second, for each scale and configuration.",
        )
        + _by_scale(
            runs,
            "Kernel 2: median against scale",
            Axis("TEPS", log=10),
            lambda run: run.median,
            lambda run: si(run.median, "TEPS"),
            "Median of traversed edges per second, for each scale and configuration.",
        )
        + _by_scale(
            runs,
            "Kernel 3, shortest paths: median against scale",
            Axis("TEPS", log=10),
            lambda run: run.sssp_median,
            lambda run: si(run.sssp_median, "TEPS"),
            "Median of traversed edges per second of shortest paths.",
        ),
        remedy="No result in this folder. Make some with:",
        command=SWEEP,
    )


def construction_section(runs: Sequence[Run]) -> Section:
    """Kernel 1, as figures 15 and 17 of the SEI note."""
    return Section(
        "construction",
        "Time to build the graph",
        "Kernel 1 of Graph500: from the edge list to the form that is searched. Lower is better; linear "
        "in the number of edges is a straight line here, twice as high for each step of scale.",
        _by_scale(
            runs,
            "Kernel 1: seconds against scale",
            Axis("kernel 1 time", "s", log=10),
            lambda run: run.construction_time,
            lambda run: si(run.construction_time, "s"),
            "Seconds of kernel 1, for each scale and configuration.",
        ),
        remedy="No result in this folder. Make some with:",
        command=SWEEP,
    )


def runs_section(runs: Sequence[Run]) -> Section:
    """Every run in numbers."""
    headings = ["file", "configuration", "scale", "edge factor", "kernel 1", "searches", "harmonic mean",
                "median", "slowest", "fastest", "validated"]  # fmt: skip
    rows = [
        [
            run.file,
            run.name,
            str(run.scale),
            str(run.edgefactor),
            si(run.construction_time, "s"),
            str(len(run.teps)),
            si(run.harmonic_mean, "TEPS"),
            si(run.median, "TEPS"),
            si(min(run.teps, default=0.0), "TEPS"),
            si(max(run.teps, default=0.0), "TEPS"),
            "yes" if run.validated else "no",
        ]
        for run in runs
    ]
    return Section(
        "runs",
        "All runs",
        "Names say in what the runs differ: options, graph, machine; what all share is left out. "
        "Where a configuration ran a scale several times, the charts show the best run.",
        tables={"": Table(headings, rows, text_columns=2)} if rows else {},
        remedy="No result in this folder. Make some with:",
        command=SWEEP,
    )


def _by_scale(
    runs: Sequence[Run],
    title: str,
    y: Axis,
    value: Callable[[Run], float],
    text: Callable[[Run], str],
    description: str,
) -> list[Figure]:
    style = styles(runs)
    shown = [run for run in best_of_each(runs) if value(run) > 0]
    series = []
    for name in style:
        mine = sorted((r for r in shown if r.name == name), key=lambda run: run.scale)
        points = [
            Point(r.scale, value(r), f"{r.name}, scale {r.scale}: {text(r)}", not r.validated)
            for r in mine
        ]
        if points:
            series.append(Series(name, points, style[name]))
    if not series:
        return []
    rows = [[r.name, str(r.scale), grouped(2.0**r.scale), text(r)] for r in shown]
    table = Table(["configuration", "scale", "vertices", y.label], rows)
    return [Figure(LineChart(title, description, SCALE, y, series), table)]
