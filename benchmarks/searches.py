"""BFS on one graph by all engines, interleaved: some roots in a row for each, in rotating order."""

import gc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anypair.dtypes import Array
from benchmarks.engines.base import LEVELS, PARENTS, Engine, Search
from benchmarks.graphs import Graph
from benchmarks.progress import say
from benchmarks.results import Timing
from benchmarks.timing import settle, stopwatch
from benchmarks.verify import expected_levels, problem_with_levels, problem_with_parents

SEARCH = "search"
OPERATORS = "operators"  # searches over semirings of one's own
BUDGET = 16.0  # seconds that an engine may take for all its roots
FEWEST_ROOTS = 3  # which it gets even if it takes longer, unless a single one does


@dataclass(frozen=True)
class Target:
    """A root, and how far every vertex is from it."""

    root: int
    levels: Array


@dataclass(frozen=True)
class Run:
    """An engine's search and what was measured of it so far."""

    search: Search
    timing: Timing

    @property
    def is_over(self) -> bool:
        seconds = self.timing.seconds
        enough = len(seconds) >= FEWEST_ROOTS or max(seconds, default=0) > BUDGET
        return bool(self.timing.problem) or (enough and sum(seconds) > BUDGET)


def measure(
    part: str, graph: Graph, engines: Sequence[Engine], roots: int, seed: int, in_a_row: int
) -> list[Timing]:
    """Time parents and levels on every engine; wrong answers and errors become the timing's problem."""
    say(f"{graph.name}: finding {roots} roots and their levels")
    weighted = graph.csr.astype(np.float64)
    targets = [Target(root, expected_levels(weighted, root)) for root in graph.roots(roots, seed)]
    del weighted
    loaded = {engine.name: _load(part, engine, graph) for engine in engines}
    timings = []
    for kind in (PARENTS, LEVELS):
        runs = [
            Run(searches[kind], Timing(part, kind, graph.name, name))
            for name, (searches, _) in loaded.items()
            if kind in searches
        ]
        _interleave(kind, graph, runs, targets, in_a_row)
        timings += [run.timing for run in runs]
    timings += [loading for _, loading in loaded.values() if loading.problem]
    loaded.clear()
    gc.collect()  # the engines' graphs, before the next ones are built
    return timings


def _load(part: str, engine: Engine, graph: Graph) -> tuple[Mapping[str, Search], Timing]:
    """The engine's searches, or none and what went wrong."""
    say(f"{graph.name}: loading {engine.name}")
    loading = Timing(part, "loading", graph.name, engine.name)
    searches: Mapping[str, Search] = {}
    with loading.noting_problems():
        searches = engine.load(graph)
    return searches, loading


def _interleave(
    kind: str, graph: Graph, runs: Sequence[Run], targets: Sequence[Target], in_a_row: int
) -> None:
    for run in runs:
        say(f"{graph.name}: {kind}, warming up {run.timing.engine}")
        _take_turn(kind, graph, run, targets[:1])
        if not run.is_over:
            run.timing.seconds.clear()
    for turn, begin in enumerate(range(0, len(targets), in_a_row)):
        say(f"{graph.name}: {kind}, root {begin + 1} of {len(targets)}")
        shift = turn % max(len(runs), 1)
        for run in (*runs[shift:], *runs[:shift]):
            _take_turn(kind, graph, run, targets[begin : begin + in_a_row])


def _take_turn(kind: str, graph: Graph, run: Run, targets: Sequence[Target]) -> None:
    """Search from all these roots; then look at the answers, which others' caches would not survive."""
    answers: list[Array] = []
    with run.timing.noting_problems():
        settle()
        for target in targets:
            if not run.is_over:
                found, seconds = stopwatch(lambda root=target.root: run.search.run(root))  # type: ignore[misc]
                run.timing.seconds.append(seconds)
                answers.append(run.search.read(found))
                del found  # as its users would, before the next one
        for target, answer in zip(targets, answers, strict=False):
            if kind == PARENTS:
                problem = problem_with_parents(answer, target.root, target.levels, graph.csr)
            else:
                problem = problem_with_levels(answer, target.levels)
            run.timing.problem = run.timing.problem or (problem and f"root {target.root}: {problem}")
