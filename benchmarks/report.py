"""The results as text: every graph and search in detail, the other parts, an overview, the bars."""

from collections.abc import Iterator, Sequence

from benchmarks import algorithms, build, calls, memory, reading, start
from benchmarks.bars import bars
from benchmarks.engines.base import LEVELS, PARENTS
from benchmarks.operations import OPERATIONS
from benchmarks.results import Results, Timing
from benchmarks.searches import OPERATORS, SEARCH
from benchmarks.tables import digits, table

NOTHING = "-"
UNDISTURBED = 0.1  # cores
MILLISECONDS = (1e3, "ms")
SECONDS = (1.0, "s")
MICROSECONDS = (1e6, "us")


def report(results: Results) -> str:
    """The whole report."""
    return "\n\n".join(_sections(results)) + "\n"


def _sections(results: Results) -> Iterator[str]:
    yield _machine(results)
    for graph, facts in results.graphs.items():
        size = f"{graph} ({facts['vertices']} vertices, {facts['entries']} entries)"
        for kind in (PARENTS, LEVELS):
            title = f"BFS, {kind}, {size}"
            timings = list(results.select(SEARCH, kind, graph))
            yield from _timings(title, timings, results.default_engine, MILLISECONDS)
            title = f"BFS with semirings of one's own, {kind}, {size}"
            timings = list(results.select(OPERATORS, kind, graph))
            base = next((t.engine for t in timings if t.engine.endswith("-built-in")), "")
            yield from _timings(title, timings, base, MILLISECONDS)
    for part, title, unit in (
        (build.BUILD, "Building from an unsorted edge list", SECONDS),
        (calls.CALLS, "A masked vxm on ten entries", MICROSECONDS),
    ):
        yield from _timings(title, list(results.select(part)), results.default_engine, unit)
    for task in algorithms.TASKS:
        timings = list(results.select(algorithms.ALGORITHMS, task.what))
        yield from _timings(f"Algorithms: {task.what}", timings, results.default_engine, MILLISECONDS)
    for what in (start.FIRST, start.LATER, start.IMPORT):
        timings = list(results.select(start.START, what))
        yield from _timings(f"Until the first tree stands: {what}", timings, "", SECONDS)
    for what in (reading.MTX, reading.TSV):
        timings = list(results.select(reading.READ, what))
        yield from _timings(f"Reading an edge list, .{what}", timings, reading.EDGES, SECONDS)
    yield from _memory(results)
    yield from _operations(results)
    for kind in (PARENTS, LEVELS):
        yield from _overview(results, kind)
    yield _bars(results)
    yield from _lines("Missing", [f"{name}: {why}" for name, why in results.missing.items()])
    yield from _lines("PROBLEMS", results.problems)


def _machine(results: Results) -> str:
    machine = results.machine
    lines = [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_bytes'] / 2**30:.0f} GiB, "
        f"{machine['system']}, Python {machine['python']}, {machine['date']}",
        ", ".join(f"{name} {number}" for name, number in machine["packages"].items() if number),
    ]
    other_work = _other_work(results)
    if other_work > UNDISTURBED:
        lines.append(
            f"OTHER WORK kept {other_work:.1f} cores busy during this run. It disturbs the figures, "
            "most of all those of libraries whose OpenMP threads wait for each other."
        )
    return "\n".join(lines)


def _other_work(results: Results) -> float:
    return results.machine.get("other_work_cores") or 0.0


def _timings(title: str, timings: Sequence[Timing], base: str, unit: tuple[float, str]) -> Iterator[str]:
    """A table with ratios to the engine `base`, if anything was measured."""
    if not timings:
        return
    scale, unit_name = unit
    most = max(len(timing.seconds) for timing in timings)
    ours = next((t.summary.median for t in timings if t.engine == base and t.usable), None)
    rows = []
    for timing in sorted(timings, key=_by_median):
        if not timing.usable:
            rows.append((timing.engine, *5 * [NOTHING], "problem, see below"))
            continue
        summary = timing.summary
        figures = (summary.median, summary.minimum, summary.lower, summary.upper)
        times = len(timing.seconds)
        rows.append(
            (
                timing.engine,
                *(digits(scale * figure) for figure in figures),
                f"{digits(summary.median / ours)}x" if ours else NOTHING,
                f"{times}" if times == most else f"only {times} of {most}",
            )
        )
    header = ("engine", "median", "min", "1/4", "3/4", f"/ {base}" if ours else "ratio", "times")
    yield table(f"{title}: {unit_name}", header, rows)


def _by_median(timing: Timing) -> float:
    return timing.summary.median if timing.usable else float("inf")


def _overview(results: Results, kind: str) -> Iterator[str]:
    """Medians of all graphs side by side, each with its ratio to the default."""
    timings = list(results.select(SEARCH, kind))
    graphs = list(dict.fromkeys(timing.graph for timing in timings))
    rows = []
    for engine in dict.fromkeys(timing.engine for timing in timings):
        cells = []
        for graph in graphs:
            median = results.median(SEARCH, kind, graph, engine)
            ours = results.median(SEARCH, kind, graph, results.default_engine)
            ratio = f" {f'({digits(median / ours)}x)':>8}" if median and ours else ""
            cells.append(f"{digits(1e3 * median)}{ratio}" if median else NOTHING)
        rows.append((engine, *cells))
    if rows:
        title = f"BFS, {kind}, all graphs: median in ms (ratio to {results.default_engine})"
        yield table(title, ("engine", *graphs), rows)


def _operations(results: Results) -> Iterator[str]:
    """Medians of all engines side by side, and what ours is of the better of the others."""
    timings = list(results.select(OPERATIONS))
    engines = list(dict.fromkeys(timing.engine for timing in timings))
    rows = []
    for group, what in dict.fromkeys((timing.graph, timing.what) for timing in timings):
        found = {engine: results.summary(OPERATIONS, what, group, engine) for engine in engines}
        cells = [digits(1e3 * summary.median) if summary else NOTHING for summary in found.values()]
        ours = found.pop(results.default_engine, None)
        peers = [summary for summary in found.values() if summary]
        ratios = [NOTHING, NOTHING]
        if ours and peers:
            ratios = [
                digits(ours.median / min(peer.median for peer in peers)),
                digits(ours.minimum / min(peer.minimum for peer in peers)),
            ]
        rows.append((f"{group}: {what}", *cells, *ratios))
    if rows:
        header = ("operation", *engines, "/ better", "by minima")
        yield table("Operations: median in ms", header, rows)


def _memory(results: Results) -> Iterator[str]:
    columns = (memory.PEAK, memory.PEAK_RATIO, memory.PER_ENTRY, memory.OF_ALLOWANCE)
    places = dict.fromkeys((figure.graph, figure.engine) for figure in results.figures)
    rows = []
    for graph, engine in places:
        values = [results.figure(what, graph, engine) for what in columns]
        cells = [NOTHING if value is None else digits(value) for value in values]
        rows.append((f"{graph} {engine}", *cells))
    if rows:
        yield table("Memory", ("graph and engine", *columns), rows)


def _bars(results: Results) -> str:
    disturbed = _other_work(results) > UNDISTURBED
    rows = []
    for bar in bars(results):
        measured, verdict = [NOTHING, NOTHING], bar.verdict
        if bar.figure is not None:
            measured = [f"{digits(x)} {bar.unit}" for x in (bar.figure.median, bar.figure.minimum)]
            verdict += "?" if disturbed else ""
        rows.append((bar.text, f"{bar.relation} {bar.target:g} {bar.unit}", *measured, verdict))
    title = "Bars (DISTURBED by other work: verdicts are in doubt)" if disturbed else "Bars"
    return table(title, ("what", "target", "by medians", "by minima", "verdict"), rows)


def _lines(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield "\n".join([title, "", *(f"  {line}" for line in lines)])
