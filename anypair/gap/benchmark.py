"""Each kernel on each graph: prepared, tried as often as the suite says, its answers checked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from anypair.backends.base import Backend
from anypair.config import in_use, resolve
from anypair.errors import InvalidValue, NotSupported, ValidationFailed
from anypair.gap.graphs import EDGE_FACTOR, Graph, GraphSpec
from anypair.gap.kernels import KERNELS, Kernel
from anypair.graph500.machine import describe_machine, versions
from anypair.graph500.progress import Progress, silent
from anypair.graph500.statistics import summary
from anypair.handle import Handle
from anypair.trace import untraced


@dataclass
class Row:
    """The trials of one kernel on one graph."""

    graph: str
    kernel: str
    vertices: int
    edges: int  # undirected ones, once
    seconds: list[float] = field(default_factory=list)
    verified: int = 0  # how many answers were checked

    @property
    def mean(self) -> float:
        """What the suite reports."""
        return summary(self.seconds).mean

    @property
    def median(self) -> float:
        """What chance disturbs less."""
        return summary(self.seconds).quartiles[2]

    def as_json(self) -> dict[str, Any]:
        figures = {"mean": self.mean, "median": self.median, "min": min(self.seconds)}
        return {**vars(self), **figures}


@dataclass
class Result:
    """All rows, and under which options, graphs and machine they were obtained."""

    backend: Backend
    seed: int
    rows: list[Row] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """What `anypair gap --json` writes."""
        return {
            "benchmark": "gap",
            "backend": self.backend.name,
            "options": dict(self.backend.options),
            "threads": self.backend.threads,
            "seed": self.seed,
            "edgefactor": EDGE_FACTOR,
            "machine": describe_machine(),
            "versions": versions(),
            "results": [row.as_json() for row in self.rows],
        }


def run(
    graphs: Iterable[str],
    kernels: Iterable[str] = tuple(KERNELS),
    *,
    trials: int | None = None,
    seed: int = 1,
    verify: bool = True,
    backend: str | Backend | None = None,
    progress: Progress = silent,
) -> Result:
    """Run the kernels on the graphs; `trials` instead of the suite's own numbers.

    Building and compiling are not timed. Answers that are wrong raise `ValidationFailed`.

    >>> result = run(["grid4"], ["bfs", "tc"], trials=2, backend="reference")
    >>> [(row.graph, row.kernel, len(row.seconds), row.verified) for row in result.rows]
    [('grid4', 'bfs', 2, 2), ('grid4', 'tc', 2, 1)]
    """
    specs, chosen = [GraphSpec.parse(name) for name in graphs], _chosen(kernels)
    if trials is not None and (not isinstance(trials, int) or trials < 1):
        raise InvalidValue(f"run: trials={trials!r} has to be 1 or more")
    engine = resolve(backend)
    if engine.processes.count > 1:
        raise NotSupported("run: answers are checked on one process, which has the whole graph; "
                           "on several ranks there is `anypair graph500`")  # fmt: skip
    result = Result(engine, seed)
    with in_use(engine):
        for spec in specs:
            progress(f"{spec}: build", 0, 0)
            needed = max(kernel.sources * (trials or kernel.trials) for kernel in chosen)
            graph = Graph.make(spec, seed, max(needed, 1))
            for kernel in chosen:
                result.rows.append(_tried(graph, kernel, trials or kernel.trials, verify, progress))
    return result


def _chosen(names: Iterable[str]) -> Sequence[Kernel]:
    found = list(names)
    for name in found:
        if name not in KERNELS:
            raise InvalidValue(f"run: {name!r} is not a kernel; there are {', '.join(KERNELS)}")
    if not found:
        raise InvalidValue("run: no kernel is named")
    return [KERNELS[name] for name in found]


def _tried(graph: Graph, kernel: Kernel, trials: int, verify: bool, progress: Progress) -> Row:
    stage = f"{graph.spec}: {kernel.title}"
    matrix = kernel.on(graph)
    row = Row(str(graph.spec), kernel.name, graph.spec.vertices, matrix.nvals // 2)
    progress(stage, 0, trials)
    with untraced():
        kernel.call(graph, graph.sources[: kernel.sources])  # what it compiles is no part of a trial
    for trial in range(trials):
        sources = graph.sources[trial * kernel.sources : (trial + 1) * kernel.sources]
        begin = perf_counter()
        answer = kernel.call(graph, sources)
        if isinstance(answer, Handle):
            answer.finish()
        row.seconds.append(perf_counter() - begin)
        if verify and (kernel.sources or not trial):  # without sources all answers are one
            if problem := kernel.wrong(graph, answer, sources):
                given = f" from {sources}" if sources else ""
                raise ValidationFailed(f"run: {kernel.title} of {graph.spec}{given} is wrong: {problem}")
            row.verified += 1
        progress(stage, trial + 1, trials)
    return row
