"""Sections about more workers: the same graph for all (strong), or as much for each (weak)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from anypair.report.axes import Axis
from anypair.report.charts import LineChart, Point, Series
from anypair.report.kernels import best_of_each
from anypair.report.numbers import grouped, si
from anypair.report.reading import Run
from anypair.report.section import Figure, Section, Table

MOST_LINES = 2  # of a family in a chart, the largest graphs; the tables have all
WORKERS = Axis("workers: ranks times threads", log=2, whole=True)
STRONG = "anypair bench --scales 16 --backends jit --threads 1,2,4 --json results/strong.json"
WEAK = "anypair bench --scales 15,16 --backends jit --threads 1,2 --json results/weak.json"

Group = tuple[tuple[str, int], list[Run]]  # family and size; the runs, by workers


def strong_section(runs: Sequence[Run]) -> Section:
    """As table 1 and figure 4 of Fu, Dasari, Berzins and Thompson."""
    groups = _groups(runs, lambda run: run.scale)
    rows = []
    for name, group in groups:
        for run in group:
            gain = run.median / group[0].median
            share = gain * group[0].workers / run.workers
            rows.append([f"{name[0]}, scale {name[1]}", str(run.workers), si(run.median, "TEPS"),
                         f"{gain:.2f}", f"{share:.0%}"])  # fmt: skip
    series = []
    for style, (name, group) in enumerate(_largest(groups)):
        first, words = group[0], f"{name[0]}, scale {name[1]}"
        points = [
            Point(r.workers, r.median, f"{words}, {r.workers}: {si(r.median, 'TEPS')}") for r in group
        ]
        ideal = [Point(r.workers, first.median * r.workers / first.workers, "") for r in group]
        series.append(Series(f"{words}, ideal", ideal, style, dashed=True, marked=False))
        series.append(Series(words, points, style))
    chart = LineChart(
        "Strong scaling: TEPS against workers",
        "TEPS on one graph with more and more workers; dashed, in proportion to the workers.",
        WORKERS,
        Axis("median TEPS", log=10),
        series,
    )
    table = Table(["graph", "workers", "TEPS", "speedup", "efficiency"], rows)
    return Section(
        "strong",
        "Strong scaling",
        "One graph, more workers: the median over its searches. Dashed: in proportion to the workers.",
        [Figure(chart, table, _left_out(groups))] if series else [],
        remedy="Needs one scale on one backend with several numbers of threads or ranks:",
        command=STRONG,
    )


def weak_section(runs: Sequence[Run]) -> Section:
    """As table 2 and figure 5 of Fu, Dasari, Berzins and Thompson."""
    even = [run for run in runs if 2**run.scale % run.workers == 0]
    groups = _groups(even, lambda run: 2**run.scale // run.workers)
    rows = []
    for name, group in groups:
        for run in group:
            rate = run.median / run.workers
            share = rate * group[0].workers / group[0].median
            rows.append([_words(name), str(run.workers), str(run.scale), si(run.median, "TEPS"),
                         si(rate, "TEPS"), f"{share:.0%}"])  # fmt: skip
    series = []
    for style, (name, group) in enumerate(_largest(groups)):
        points = []
        for run in group:
            rate = run.median / run.workers
            text = f"{_words(name)}, {run.workers} workers: {si(rate, 'TEPS')} each"
            points.append(Point(run.workers, rate, text))
        series.append(Series(_words(name), points, style))
    chart = LineChart(
        "Weak scaling: TEPS per worker",
        "TEPS divided by the number of workers, where each has as many vertices; level is ideal.",
        WORKERS,
        Axis("median TEPS per worker", log=10),
        series,
    )
    headings = ["graph", "workers", "scale", "TEPS", "TEPS per worker", "efficiency"]
    return Section(
        "weak",
        "Weak scaling",
        "Twice the workers, twice the graph: the median over its searches. A level line is ideal.",
        [Figure(chart, Table(headings, rows), _left_out(groups))] if series else [],
        remedy="Needs scales that grow with the threads or ranks, one more for each doubling:",
        command=WEAK,
    )


def _words(name: tuple[str, int]) -> str:
    return f"{name[0]}, {grouped(name[1])} vertices each"


def _groups(runs: Sequence[Run], size: Callable[[Run], int]) -> list[Group]:
    """Runs of a family with the same size, by workers, where these differ."""
    found: dict[tuple[str, int], dict[int, Run]] = defaultdict(dict)
    for run in best_of_each(runs):
        same = found[run.family, size(run)]
        if run.median > max(0.0, getattr(same.get(run.workers), "median", 0.0)):
            same[run.workers] = run
    return [
        (name, [run for _, run in sorted(same.items())])
        for name, same in sorted(found.items())
        if len(same) > 1
    ]


def _largest(groups: Sequence[Group]) -> list[Group]:
    """The groups of the largest graphs of each family."""
    taken: Counter[str] = Counter()
    kept = []
    for name, group in reversed(groups):
        taken[name[0]] += 1
        if taken[name[0]] <= MOST_LINES:
            kept.append((name, group))
    return kept[::-1]


def _left_out(groups: Sequence[Group]) -> str:
    """A note on the groups that the chart does not show."""
    left = len(groups) - len(_largest(groups))
    return f"Of each line's smaller graphs, {left} more are in the table only." if left else ""
