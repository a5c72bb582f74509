"""The searches as a chart: a panel for each graph, a row for each engine, time on a log scale."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.engines.base import LEVELS, PARENTS
from benchmarks.results import Results
from benchmarks.searches import SEARCH
from benchmarks.tables import digits

OURS, THEIRS = "#c2410c", "#475569"
OFFSETS = {PARENTS: -0.15, LEVELS: 0.15}


def draw(results: Results, folder: Path) -> list[Path]:
    """Write bfs.svg and bfs.png; nothing if there is nothing to draw."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    timings = [timing for timing in results.select(SEARCH) if timing.usable]
    if not timings:
        return []
    graphs = list(dict.fromkeys(timing.graph for timing in timings))
    engines = list(dict.fromkeys(timing.engine for timing in timings))
    figure, panels = pyplot.subplots(
        1,
        len(graphs),
        sharey=True,
        squeeze=False,
        figsize=(2.6 + 2.9 * len(graphs), 1.6 + 0.42 * len(engines)),
        layout="constrained",
    )
    for graph, panel in zip(graphs, panels[0], strict=True):
        _panel(panel, results, graph, engines)
    panels[0][0].set_yticks(range(len(engines)), engines)
    panels[0][0].invert_yaxis()
    for label in panels[0][0].get_yticklabels():
        label.set_color(_colour(label.get_text()))
    figure.suptitle("Breadth-first search: median and quartiles over roots, ms")
    figure.legend(handles=_legend(), loc="outside lower center", ncols=2, frameon=False)
    paths = [folder / "bfs.svg", folder / "bfs.png"]
    for path in paths:
        figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return paths


def _panel(panel: Any, results: Results, graph: str, engines: Sequence[str]) -> None:
    for timing in results.select(SEARCH, graph=graph):
        if not timing.usable:
            continue
        summary, colour = timing.summary, _colour(timing.engine)
        y = engines.index(timing.engine) + OFFSETS[timing.what]
        panel.hlines(y, 1e3 * summary.lower, 1e3 * summary.upper, color=colour, linewidth=2)
        filling = colour if timing.what == PARENTS else "white"
        panel.plot(1e3 * summary.median, y, "o", color=colour, markerfacecolor=filling, markersize=6)
        if timing.what == PARENTS:
            panel.annotate(
                digits(1e3 * summary.median),
                (1e3 * summary.median, y),
                xytext=(0, 5),
                textcoords="offset points",
                ha="center",
                fontsize=7,
                color=colour,
            )
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter("{x:g}")
    for line in range(1, len(engines)):
        panel.axhline(line - 0.5, color="#e2e8f0", linewidth=0.8)
    panel.set_title(graph, fontsize=10)
    panel.grid(axis="x", which="major", color="#e2e8f0")
    panel.set_axisbelow(True)
    panel.margins(x=0.12)
    panel.spines[["top", "right", "left"]].set_visible(False)
    panel.tick_params(axis="y", length=0)


def _colour(engine: str) -> str:
    return OURS if engine.startswith("anypair") else THEIRS


def _legend() -> list[Any]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], marker="o", linestyle="", color=THEIRS, label="parents"),
        Line2D([], [], marker="o", linestyle="", color=THEIRS, markerfacecolor="white", label="levels"),
    ]
