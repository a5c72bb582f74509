"""The benchmark from the settings to the result, stage by stage as the specification orders them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, TypeVar

from anypair.backends.base import Backend
from anypair.config import resolve
from anypair.dtypes import Array
from anypair.errors import InvalidArgument, InvalidValue, ValidationFailed
from anypair.graph500.edges import EdgeFile, EdgeSource, generate, generated
from anypair.graph500.footprint import memory_needed
from anypair.graph500.kernels import Tree, construct, search, shortest_paths
from anypair.graph500.process_edges import ProcessEdges
from anypair.graph500.progress import Progress, silent
from anypair.graph500.result import Result, Searches
from anypair.graph500.roots import choose_roots
from anypair.graph500.settings import Settings
from anypair.graph500.validation import NONE, check_tree
from anypair.matrix import Matrix
from anypair.memory import require
from anypair.trace import untraced
from anypair.vector import Vector

WARM_UP_SCALE = 12  # enough edges for the code that large graphs take

Answer = TypeVar("Answer")
Kernel = Callable[[Matrix, int], Tree]


def run(
    settings: Settings, progress: Progress | None = None, backend: str | Backend | None = None
) -> Result:
    """Generate, build, search from every root, check every answer, and time the kernels apart.

    An answer that breaks a rule raises `ValidationFailed`; a graph that cannot fit is refused.

    >>> result = run(Settings(scale=6, roots=2), backend="reference")
    >>> result.block().splitlines()[:3]
    ['SCALE: 6', 'edgefactor: 16', 'NBFS: 2']
    """
    if not isinstance(settings, Settings):
        raise InvalidArgument(f"run: settings={settings!r} has to be a Settings(...)")
    tell = progress or silent
    engine = resolve(backend)
    threads = engine.threads if "threads" in engine.options else 0
    kernels: dict[str, Kernel] = {"bfs": search}
    if settings.sssp:
        kernels["sssp"] = shortest_paths
    what = f"run: Graph500 at scale {settings.scale} on {engine.name!r}"
    require(memory_needed(settings, engine) // engine.processes.count, what)

    with untraced():
        warm_up_time = _stage(tell, "warm up", _warm_up, settings, kernels, engine, threads)[1]
    edges, generation_time = timed(_edges, settings, threads, tell, engine)
    graph, construction_time = _stage(tell, "construct graph", construct, edges, engine)
    part = ProcessEdges.of(edges, engine.processes, graph.nrows)
    roots = _roots(settings, part)
    once = _Loop(settings, part, graph, roots[:1], threads, silent)
    warm_up_time += _stage(tell, "prepare", _prepare, graph, kernels)[1]
    with untraced():
        warm_up_time += _stage(tell, "warm up", once.all, kernels)[1]
    found = replace(once, roots=roots, tell=tell).all(kernels)
    return Result(
        settings,
        engine.name,
        engine.threads,
        roots,
        generation_time,
        construction_time,
        warm_up_time,
        found["bfs"],
        found.get("sssp"),
        engine.processes.count,
        engine.processes.grid,
        engine.options,
    )


@dataclass(frozen=True, eq=False)
class _Loop:
    """The searches from all roots, one after another, each checked before the next."""

    settings: Settings
    part: ProcessEdges
    graph: Matrix
    roots: Sequence[int]
    threads: int
    tell: Progress

    def all(self, kernels: Mapping[str, Kernel]) -> dict[str, Searches]:
        return {name: self.searches(name, kernel) for name, kernel in kernels.items()}

    def searches(self, name: str, kernel: Kernel) -> Searches:
        found = Searches()
        self.tell(name, 0, len(self.roots))
        for number, root in enumerate(self.roots):
            tree, seconds = timed(kernel, self.graph, root)
            parents = _block(tree.parents)
            found.times.append(seconds)
            found.nedges.append(self.part.traversed(parents))
            if self.settings.validate:
                found.validation_times.append(timed(self._check, name, number, parents, tree)[1])
            self.tell(name, number + 1, len(self.roots))
        return found

    def _check(self, name: str, number: int, parents: Array, tree: Tree) -> None:
        distances = None if tree.distances is None else _block(tree.distances)
        root, weighted = self.roots[number], distances is not None
        broken = check_tree(self.part, root, parents, distances, weighted=weighted, threads=self.threads)
        if broken:
            reasons = "; ".join(map(str, broken))
            raise ValidationFailed(f"run: {name} {number} from root {root} is wrong: {reasons}")


def _edges(settings: Settings, threads: int, tell: Progress, engine: Backend) -> EdgeSource:
    """The edge list: where matrices are on disk, it is there, too."""
    if engine.matrices_on_disk is None:
        return generate(settings, threads, tell, engine.processes)
    return EdgeFile(generated(settings, threads, tell), engine.matrices_on_disk)


def timed(function: Callable[..., Answer], *arguments: Any) -> tuple[Answer, float]:
    """What a call returns, and the seconds it took."""
    begin = perf_counter()
    answer = function(*arguments)
    return answer, perf_counter() - begin


def _stage(
    tell: Progress, name: str, function: Callable[..., Answer], *arguments: Any
) -> tuple[Answer, float]:
    """A timed call that is a stage of its own."""
    tell(name, 0, 1)
    answer = timed(function, *arguments)
    tell(name, 1, 1)
    return answer


def _block(u: Vector) -> Array:
    """This process's block of a vector."""
    return u.backend.block(u.storage, u.size, NONE)


def _roots(settings: Settings, part: ProcessEdges) -> list[int]:
    roots = choose_roots(settings.roots, settings.scale, settings.seed, part.connected)
    if not roots:
        raise InvalidValue(
            f"run: no vertex of the graph of scale {settings.scale} with seed {settings.seed} has an "
            "edge to another one; choose a larger scale"
        )
    return roots


def _prepare(graph: Matrix, kernels: Mapping[str, Kernel]) -> None:
    """Compile whatever a search may need: which kernels that are depends on the root."""
    for kernel in kernels.values():
        graph.prepare(kernel, 0)


def _warm_up(settings: Settings, kernels: Mapping[str, Kernel], engine: Backend, threads: int) -> None:
    """Let everything be compiled that generating, constructing and checking a graph needs."""
    small = replace(settings, scale=min(settings.scale, WARM_UP_SCALE))
    edges = _edges(small, threads, silent, engine)
    graph = construct(edges, engine)
    part = ProcessEdges.of(edges, engine.processes, graph.nrows)
    _Loop(small, part, graph, _roots(small, part), threads, silent).all(kernels)
