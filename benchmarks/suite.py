"""A whole run: each part that was asked for, one after another."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from anypair.config import resolve
from benchmarks import algorithms, build, calls, chart, machine, memory, reading, searches, start
from benchmarks.engines import SEARCHING, create, with_own_semirings
from benchmarks.engines.anypair import AnypairEngine
from benchmarks.engines.base import Engine
from benchmarks.graphs import Graph, make
from benchmarks.progress import say
from benchmarks.report import report
from benchmarks.results import Results
from benchmarks.settings import Settings


def run(settings: Settings, folder: Path) -> Results:
    """Measure; write results.json, report.txt and the chart into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    suite = Suite(settings, folder / "results.json")
    for part in settings.parts:
        suite.run(part)
    (folder / "report.txt").write_text(report(suite.results), encoding="utf-8")
    try:
        chart.draw(suite.results, folder)
    except ImportError as reason:
        say(f"no chart: {reason}")
    return suite.results


class Suite:
    """The parts, a method each, and the results that they add to, saved again and again."""

    def __init__(self, settings: Settings, path: Path) -> None:
        self.settings = settings
        self._path = path
        self._other_work = machine.OtherWork()
        self.engines, missing = create({name: SEARCHING[name] for name in settings.engines})
        self.backends = [engine.backend for engine in self.engines if type(engine) is AnypairEngine]
        default = f"anypair-{resolve().name}"
        self.results = Results(machine.describe(), asdict(settings), default, missing)
        for name, reason in missing.items():
            say(f"missing: {name}: {reason}")

    def run(self, part: str) -> None:
        """One part of the run, by name."""
        self._attempt(part, getattr(self, part))
        self._save()

    def search(self) -> None:
        """BFS by every engine on every graph."""
        for name in self.settings.graphs:
            self._search(searches.SEARCH, self._graph(name), self.engines)

    def semirings(self) -> None:
        """BFS with semirings of one's own, on the backend that promises them at full speed."""
        backend = "jit" if "jit" in self.backends else resolve().name
        engines, missing = create(with_own_semirings(backend))
        self.results.missing |= missing
        self._search(searches.OPERATORS, self._graph(self.settings.semirings_graph), engines)

    def build(self) -> None:
        """Building a graph, by time."""
        settings = self.settings
        self.results.timings += build.measure(
            settings.build_graph, self.backends, settings.repeats, settings.seed
        )

    def calls(self) -> None:
        """The overhead of a call."""
        self.results.timings += calls.measure(self.backends, self.settings.batches)

    def start(self) -> None:
        """The first search of a process."""
        self.results.timings += start.measure(self.backends, self.settings.repeats)

    def memory(self) -> None:
        """Building a graph, by memory."""
        for engine in build.builders(self.backends):
            self._attempt(f"memory of {engine}", partial(self._measure_memory, engine))

    def read(self) -> None:
        """Reading a file."""
        settings = self.settings
        repeats = 2 * settings.repeats  # short, and easily disturbed
        self.results.timings += reading.measure(settings.build_graph, repeats, settings.seed)

    def operations(self) -> None:
        """Operations one by one."""
        if find_spec("graphblas") is None:
            self.results.missing["operations"] = "no python-graphblas to compare with"
            return
        from benchmarks.operations import algorithms, matrices, vectors
        from benchmarks.operations.rows import measure

        settings, seed = self.settings, self.settings.seed
        for rows in (
            vectors.small_calls(100),
            vectors.few_with_many(settings.many, 20),
            matrices.entrywise(settings.operations_graph, seed),
            *(matrices.products(name, seed) for name in settings.products),
            *(matrices.products(name, seed, unmasked=False) for name in settings.masked_products),
            algorithms.composed(settings.composed_graph, seed),
        ):
            self.results.timings += measure(rows, settings.turns, settings.seconds)
            self._save()

    def algorithms(self) -> None:
        """All algorithms that a peer has, on the default backend."""
        settings = self.settings
        repeats = 3 * settings.repeats
        self.results.timings += algorithms.measure(
            settings.algorithms_graph, [resolve().name], repeats, settings.seed
        )

    def _measure_memory(self, engine: str) -> None:
        settings = self.settings
        self.results.figures += memory.measure(settings.build_graph, engine, settings.seed)

    def _attempt(self, what: str, action: Callable[[], None]) -> None:
        """Whatever fails, the rest can still be measured."""
        try:
            action()
        except Exception as error:
            say(f"{what} failed: {error!r}")
            self.results.failures[what] = repr(error)

    def _graph(self, name: str) -> Graph:
        say(f"{name}: making the graph")
        graph = make(name, self.settings.seed)
        self.results.graphs[name] = {"vertices": graph.n, "entries": graph.csr.nnz}
        return graph

    def _search(self, part: str, graph: Graph, engines: list[Engine]) -> None:
        settings = self.settings
        reasons = {engine: engine.unfit_for(graph) for engine in engines}
        for engine, reason in reasons.items():
            if reason:
                self.results.missing[f"{engine.name} on {graph.name}"] = reason
        fit = [engine for engine, reason in reasons.items() if not reason]
        self.results.timings += searches.measure(
            part, graph, fit, settings.roots, settings.seed, settings.in_a_row
        )
        self._save()

    def _save(self) -> None:
        self.results.machine["other_work_cores"] = self._other_work.cores()
        self.results.save(self._path)
