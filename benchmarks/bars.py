"""What anypair sets out to reach, and whether this run did."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks import algorithms, build, calls, memory, reading, start
from benchmarks.algorithms import ALGORITHMS
from benchmarks.engines.base import LEVELS, PARENTS
from benchmarks.operations import BUILT, BY_FEW, COPY, FEW_WITH_MANY, OPERATIONS, SMALL
from benchmarks.results import Results
from benchmarks.searches import OPERATORS, SEARCH
from benchmarks.timing import Summary

JIT = "anypair-jit"
BY_DEGREE = "anypair-jit-by-degree"
SUITESPARSE = "anypair-suitesparse"
PUSH_PULL = "python-graphblas-push-pull"

AT_LEAST, AT_MOST = ">=", "<="


@dataclass(frozen=True)
class Figure:
    """What was measured: by medians, which count, and by minima, which other work disturbs less."""

    median: float
    minimum: float


@dataclass(frozen=True)
class Bar:
    """A target and what was measured, if it was."""

    text: str
    relation: str
    target: float
    unit: str
    figure: Figure | None

    @property
    def verdict(self) -> str:
        if self.figure is None:
            return "not measured"
        figure, target = self.figure.median, self.target
        reached = figure >= target if self.relation == AT_LEAST else figure <= target
        return "reached" if reached else "NOT REACHED"


def bars(results: Results) -> list[Bar]:
    """All targets with the figures of a run."""
    return [
        *_searches(results),
        *_operators(results),
        *_others(results),
        *_reading(results),
        *_operations(results),
        *_algorithms(results),
    ]


def _searches(results: Results) -> Iterator[Bar]:
    def parents(engine: str, graph: str) -> Summary | None:
        return results.summary(SEARCH, PARENTS, graph, engine)

    for ours, graph, target in (
        (JIT, "kron16", 2.5),
        (JIT, "kron18", 2.5),
        (JIT, "kron20", 2),
        (JIT, "uniform20", 1.5),
        (JIT, "grid1000", 3),
        (BY_DEGREE, "kron18", 5),
        (BY_DEGREE, "kron20", 4),
    ):
        figure = _ratio(parents(PUSH_PULL, graph), parents(ours, graph))
        yield Bar(f"parents, {graph}: {ours} against {PUSH_PULL}", AT_LEAST, target, "x", figure)
    for graph in ("kron18", "kron20"):
        # NetworKit's parents are all predecessors; its distances are the fairer comparison.
        for peer, target, kind in (
            ("scipy-csgraph", 8, PARENTS),
            ("networkit", 15, LEVELS),
            ("igraph", 15, PARENTS),
        ):
            figure = _ratio(results.summary(SEARCH, kind, graph, peer), parents(JIT, graph))
            yield Bar(f"parents, {graph}: {JIT} against {peer} ({kind})", AT_LEAST, target, "x", figure)
    for graph in ("kron16", "kron18", "kron20"):
        figure = _ratio(parents(SUITESPARSE, graph), parents(PUSH_PULL, graph))
        yield Bar(f"parents, {graph}: {SUITESPARSE} / {PUSH_PULL}", AT_MOST, 1.3, "x", figure)


def _operators(results: Results) -> Iterator[Bar]:
    graph = "kron18"
    for kind, semiring in ((PARENTS, "min_select"), (LEVELS, "any_pair")):

        def timed(engine: str, kind: str = kind) -> Summary | None:
            return results.summary(OPERATORS, kind, graph, engine)

        built_in, user = timed(f"{JIT}-built-in"), timed(f"{JIT}-user")
        peer = _faster(*(timed(f"python-graphblas-{way}-user") for way in ("push", "push-pull")))
        what = f"{semiring}, {graph}:"
        yield Bar(f"{what} user-defined / built-in", AT_MOST, 1.15, "x", _ratio(user, built_in))
        for name, ours in (("built-in", built_in), ("user-defined", user)):
            text = f"{what} {name} against python-graphblas user-defined, the faster"
            yield Bar(text, AT_LEAST, 4, "x", _ratio(peer, ours))


def _others(results: Results) -> Iterator[Bar]:
    large = "kron20"
    scipy = _faster(*(results.summary(build.BUILD, build.BUILD, large, peer) for peer in build.SCIPY))
    figure = _ratio(scipy, results.summary(build.BUILD, build.BUILD, large, JIT))
    yield Bar(f"build, {large}: {JIT} against scipy, the faster", AT_LEAST, 4, "x", figure)

    call = results.summary(calls.CALLS, calls.TINY_VXM, calls.GRAPH, JIT)
    yield Bar(f"tiny masked vxm, {JIT}", AT_MOST, 20, "us", _scaled(call, 1e6))

    for what, target in ((start.FIRST, 8.0), (start.LATER, 1.5)):
        seconds = results.summary(start.START, what, start.GRAPH, JIT)
        yield Bar(f"first search, {what}, {JIT}", AT_MOST, target, "s", _scaled(seconds, 1))

    for what, target in ((memory.OF_ALLOWANCE, 1), (memory.PEAK_RATIO, 3)):
        value = results.figure(what, large, JIT)
        figure = None if value is None else Figure(value, value)
        yield Bar(f"{what}, {large}, {JIT}", AT_MOST, target, "x", figure)


def _reading(results: Results) -> Iterator[Bar]:
    graph = "kron20"
    for what, ours, peer in (
        (reading.MTX, reading.EDGES, reading.MMREAD),
        (reading.MTX, reading.MATRIX, reading.MMREAD),
        (reading.MTX, reading.MATRIX, reading.MMREAD_CSR),
        (reading.TSV, reading.EDGES, reading.READ_CSV),
        (reading.TSV, reading.MATRIX, reading.READ_CSV),
        (reading.TSV, reading.EDGES, reading.READ_CSV_ARROW),
    ):
        summaries = [results.summary(reading.READ, what, graph, engine) for engine in (peer, ours)]
        yield Bar(f"read .{what}, {graph}: {ours} against {peer}", AT_LEAST, 1, "x", _ratio(*summaries))


#: What our time may be of that of the better peer, by group; 1.05 in all others.
SHARES = {SMALL: 0.5, FEW_WITH_MANY: None}
MICROSECONDS = {(FEW_WITH_MANY, what): 40 for what in BY_FEW} | {(SMALL, BUILT): 15}


def _operations(results: Results) -> Iterator[Bar]:
    timings = list(results.select(OPERATIONS))
    for group, what in dict.fromkeys((timing.graph, timing.what) for timing in timings):
        found = {
            timing.engine: results.summary(OPERATIONS, what, group, timing.engine)
            for timing in timings
            if (timing.graph, timing.what) == (group, what)
        }
        ours = found.pop(JIT, None)
        if limit := MICROSECONDS.get((group, what)):
            yield Bar(f"{what}, {group}: {JIT}", AT_MOST, limit, "us", _scaled(ours, 1e6))
        share = SHARES.get(group, 1.0 if SUITESPARSE in found else 1.05)
        if share is not None and (group, what) not in {(SMALL, COPY), (SMALL, BUILT)}:
            text = f"{what}, {group}: {JIT} / the better of {', '.join(found)}"
            yield Bar(text, AT_MOST, share, "x", _ratio(ours, _faster(*found.values())))


def _algorithms(results: Results) -> Iterator[Bar]:
    for task in algorithms.TASKS:
        timings = {t.engine: t.summary for t in results.select(ALGORITHMS, task.what) if t.usable}
        ours = timings.pop(results.default_engine, None)
        text = f"{task.what}, {results.default_engine} against the fastest of its peers"
        yield Bar(text, AT_LEAST, task.bar, "x", _ratio(_faster(*timings.values()), ours))


def _ratio(one: Summary | None, other: Summary | None) -> Figure | None:
    if one is None or other is None:
        return None
    return Figure(one.median / other.median, one.minimum / other.minimum)


def _scaled(summary: Summary | None, scale: float) -> Figure | None:
    if summary is None:
        return None
    return Figure(scale * summary.median, scale * summary.minimum)


def _faster(*summaries: Summary | None) -> Summary | None:
    measured = (summary for summary in summaries if summary is not None)
    return min(measured, key=lambda summary: summary.median, default=None)
