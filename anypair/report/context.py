"""Sections around the measurements: what the speed cost in lines of code, and the machine."""

from collections.abc import Mapping, Sequence
from typing import Any

from anypair.report.axes import Axis
from anypair.report.charts import LineChart, Point, Rule, Series
from anypair.report.effort import SEI_LINES, SEI_SOURCE, backend_lines, search_lines
from anypair.report.kernels import SWEEP
from anypair.report.naming import machines
from anypair.report.numbers import grouped, si
from anypair.report.reading import Run
from anypair.report.section import Figure, Section, Table


def effort_section(runs: Sequence[Run]) -> Section:
    """As figure 19 of the SEI note."""
    series: list[Series] = []
    rows = []
    for backend, run in _largest(runs).items():
        lines = backend_lines(backend)
        if not lines or run.median <= 0:
            continue
        text = f"{run.name}: {grouped(lines)} lines, {si(run.median, 'TEPS')} at scale {run.scale}"
        point = Point(lines, run.median, text, not run.validated)
        series.append(Series(f"{run.name}, scale {run.scale}", [point], len(series), joined=False))
        rows.append([f"anypair: {run.name}", grouped(lines), si(run.median, "TEPS"),
                     str(run.scale)])  # fmt: skip
    rows += [[f"SEI: {name}", grouped(lines), "", ""] for name, lines in SEI_LINES.items()]
    chart = LineChart(
        "TEPS against lines of code",
        "A mark for each backend: its lines of code and its median TEPS. Vertical lines: the lines of "
        "code of the five implementations in the SEI note.",
        Axis("lines of code", log=10),
        Axis("median TEPS", log=10),
        series,
        [Rule(lines, name) for name, lines in SEI_LINES.items()],
    )
    note = (
        f"Source of the vertical lines: {SEI_SOURCE}; its TEPS are drawn but not printed as numbers, so "
        "they are not shown. Comments, blank lines and docstrings do not count."
    )
    table = Table(["implementation", "lines of code", "TEPS", "scale"], rows)
    return Section(
        "effort",
        "Speed against effort",
        f"Breadth-first search is the same {search_lines()} lines on every backend; what differs is the "
        "backend, which serves all algorithms. Each backend at the largest scale it ran, by the median.",
        [Figure(chart, table, note)] if series else [],
        remedy="No result of a backend of anypair in this folder. Make some with:",
        command=SWEEP,
    )


def machine_section(runs: Sequence[Run]) -> Section:
    """Each different machine with what was installed, and the files that were measured there."""
    found = machines(runs)
    tables = {}
    for number, (machine, versions) in enumerate(found, 1):
        files = [run.file for run in runs if (run.machine, run.versions) == (machine, versions)]
        rows = [["results", ", ".join(dict.fromkeys(files))]]
        rows += [[name.replace("_", " "), _fact(name, value)] for name, value in machine.items()]
        rows += [
            [f"version of {name}", str(value or "not installed")] for name, value in versions.items()
        ]
        title = f"Machine {number}" if len(found) > 1 else "This was measured on"
        tables[title] = Table(["what", "value"], rows, text_columns=2)
    return Section(
        "machine",
        "Test hardware",
        "What the results say about where they were measured.",
        tables=tables,
        remedy="No result in this folder. Make some with:",
        command=SWEEP,
    )


def _largest(runs: Sequence[Run]) -> dict[str, Run]:
    """For each backend its best run at its largest scale."""
    found: dict[str, Run] = {}
    for run in sorted(runs, key=lambda run: (run.scale, run.median)):
        found[run.backend] = run
    return dict(sorted(found.items()))


def _fact(name: str, value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and "bytes" in name:
        return si(value, "B")
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {each}" for key, each in value.items()) or "none"
    return "unknown" if value is None else str(value)
