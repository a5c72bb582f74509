"""What is measured: algorithms, operations on matrices, and calls that are nearly all overhead.

Only names that both versions have; a task that one of them cannot do has no ratio.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from anypair import (
    Matrix,
    Vector,
    apply,
    assign,
    ewise_add,
    ewise_mult,
    extract,
    mxm,
    mxv,
    reduce,
    select,
    transpose,
    update,
    vxm,
)
from anypair.algorithms import (
    bellman_ford,
    betweenness,
    bfs_levels,
    bfs_parents,
    connected_components,
    delta_stepping,
    pagerank,
    triangle_count,
)
from anypair.semiring import (
    absolute,
    gt,
    min_plus,
    plus,
    plus_monoid,
    plus_pair,
    plus_times,
    strict_lower,
    times,
)
from benchmarks.compare.graphs import graph, random_matrix, real, roots, undirected, weighted

SEARCHES = 8  # in one call: roots differ in what they cost
SOURCES = 4  # of betweenness


@dataclass(frozen=True)
class Sizes:
    """How large the graphs are."""

    kronecker: int = 13  # the scale
    grid: int = 64  # the side
    product: int = 10  # the scale of the matrices that are multiplied by each other


@dataclass(frozen=True)
class Task:
    """One figure: `make` gives the call that is timed; its argument comes from `fresh`, untimed."""

    group: str
    name: str
    make: Callable[[], Callable[..., Any]]
    fresh: Callable[[], Callable[[], Any]] | None = None

    @property
    def title(self) -> str:
        return f"{self.group}: {self.name}"


def tasks(sizes: Sizes) -> dict[str, Task]:
    """All tasks by title, in the order in which they are measured."""
    kronecker, grid = f"kron{sizes.kronecker}", f"grid{sizes.grid}"
    found = [
        *_algorithms(kronecker, delta=16),
        *_algorithms(grid, delta=64),
        *_operations(kronecker),
        *_products(f"kron{sizes.product}", lambda: real(f"kron{sizes.product}")),
        *_products(f"random{sizes.product + 2}", lambda: random_matrix(sizes.product + 2)),
        *_small_calls(),
    ]
    return {task.title: task for task in found}


def _algorithms(name: str, delta: int) -> Iterator[Task]:
    def on(
        made: Callable[[str], Matrix], run: Callable[[Matrix], Any]
    ) -> Callable[[], Callable[[], Any]]:
        return lambda: partial(run, made(name))

    def searches(search: Callable[[Matrix, int], Any]) -> Callable[[Matrix], Any]:
        return lambda A: [search(A, root) for root in roots(name, SEARCHES)][-1]

    first = partial(roots, name, SOURCES)
    yield Task(name, "building", lambda: partial(_build, name))
    yield Task(name, "building with weights", lambda: partial(_build_weighted, name, _weights(name)))
    yield Task(name, "BFS parents", on(graph, searches(bfs_parents)))
    yield Task(name, "BFS levels", on(graph, searches(bfs_levels)))
    yield Task(name, "SSSP Bellman-Ford", on(weighted, lambda W: bellman_ford(W, first()[0])))
    yield Task(name, "SSSP delta-stepping", on(weighted, lambda W: delta_stepping(W, first()[0], delta)))
    yield Task(name, "PageRank", on(graph, lambda A: pagerank(A, tolerance=1e-4)))
    yield Task(name, "components", on(graph, connected_components))
    yield Task(name, "triangles", on(graph, triangle_count))
    yield Task(name, "betweenness", on(graph, lambda A: betweenness(A, first())))


def _build(name: str) -> Matrix:
    sources, targets, n = undirected(name)
    return Matrix.from_edges(sources, targets, n=n, symmetric=True)


def _weights(name: str) -> Any:
    return np.random.default_rng(3).integers(1, 256, len(undirected(name)[0])).astype(np.int32)


def _build_weighted(name: str, weights: Any) -> Matrix:
    sources, targets, n = undirected(name)
    return Matrix.from_edges(sources, targets, weights, n=n, symmetric=True)


def _operations(name: str) -> Iterator[Task]:
    def on(run: Callable[[Matrix], Any]) -> Callable[[], Callable[[], Any]]:
        return lambda: partial(run, real(name))

    def dense(run: Callable[[Matrix, Vector], Any]) -> Callable[[], Callable[[], Any]]:
        return lambda: partial(run, real(name), Vector.full(real(name).nrows, 0.5))

    def half(run: Callable[[Matrix, Any], Any], *, ordered: bool) -> Callable[[], Callable[[], Any]]:
        def make() -> Callable[[], Any]:
            n = real(name).nrows
            chosen = np.random.default_rng(9).permutation(n)[: n // 2]
            return partial(run, real(name), np.sort(chosen) if ordered else chosen)

        return make

    block = slice(0, undirected(name)[2] // 2)
    both = lambda A, some: extract(A, some, some)  # noqa: E731
    yield Task(name, "ewise_add plus", on(lambda A: ewise_add(A, A, plus)))
    yield Task(name, "ewise_mult times", on(lambda A: ewise_mult(A, A, times)))
    yield Task(name, "select > 0.5", on(lambda A: select(A, gt, right=0.5)))
    yield Task(name, "select lower triangle", on(lambda A: select(A, strict_lower)))
    yield Task(name, "apply times 2", on(lambda A: apply(A, times, right=2.0)))
    # A transpose is remembered, so each one needs a matrix that has none yet.
    yield Task(name, "transpose", lambda: transpose, fresh=lambda: lambda: apply(real(name), absolute))
    yield Task(name, "extract half of the rows", half(lambda A, some: extract(A, some), ordered=False))
    yield Task(name, "extract a sorted half of both", half(both, ordered=True))
    yield Task(name, "extract a random half of both", half(both, ordered=False))
    yield Task(name, "extract the leading block", on(lambda A: extract(A, block, block)))
    yield Task(name, "reduce", on(lambda A: reduce(A, plus_monoid)))
    yield Task(name, "reduce rows", on(lambda A: reduce(A, plus_monoid, by="rows")))
    yield Task(name, "reduce columns", on(lambda A: reduce(A, plus_monoid, by="columns")))
    yield Task(name, "mxv dense", dense(lambda A, u: mxv(A, u, plus_times)))
    yield Task(name, "vxm dense", dense(lambda A, u: vxm(u, A, plus_times)))


def _products(name: str, made: Callable[[], Matrix]) -> Iterator[Task]:
    def on(run: Callable[[Matrix], Any]) -> Callable[[], Callable[[], Any]]:
        return lambda: partial(run, made())

    def below() -> Callable[[], Any]:
        L = select(made(), strict_lower)
        return lambda: mxm(L, L, plus_pair, mask=L.structure)

    yield Task(name, "A A", on(lambda A: mxm(A, A, plus_times)))
    yield Task(name, "A A inside A", on(lambda A: mxm(A, A, plus_times, mask=A.structure)))
    yield Task(name, "A A outside A", on(lambda A: mxm(A, A, plus_times, mask=~A.structure)))
    yield Task(name, "L L inside L", below)


def _small_calls() -> Iterator[Task]:
    """Vectors of size 100 with 10 entries, a matrix of 100 x 100 with 50, and one of 10 x 10 with 30."""
    places = np.arange(0, 100, 10)

    def task(name: str, run: Callable[[Vector, Vector, Matrix, Matrix], Any]) -> Task:
        def make() -> Callable[[], Any]:
            random = np.random.default_rng(1)
            x = Vector.from_entries(places, 1.0, 100)
            y = Vector.from_entries(np.sort(random.permutation(100)[:10]), 2.0, 100)
            keys = random.permutation(10_000)[:50]
            A = Matrix.from_entries(keys // 100, keys % 100, random.random(50), (100, 100))
            keys = random.permutation(100)[:30]
            B = Matrix.from_entries(keys // 10, keys % 10, random.random(30), (10, 10))
            return partial(run, x, y, A, B)

        return Task("small", name, make)

    yield task("vxm", lambda x, y, A, B: vxm(x, A, min_plus))
    yield task("vxm with a mask", lambda x, y, A, B: vxm(x, A, min_plus, mask=~y.structure))
    yield task("mxv", lambda x, y, A, B: mxv(A, x, min_plus))
    yield task("mxm", lambda x, y, A, B: mxm(B, B, min_plus))
    yield task("ewise_add", lambda x, y, A, B: ewise_add(x, y, plus))
    yield task("ewise_mult", lambda x, y, A, B: ewise_mult(x, y, times))
    yield task("apply with a number", lambda x, y, A, B: apply(x, times, right=2.0))
    yield task("apply", lambda x, y, A, B: apply(x, absolute))
    yield task("select", lambda x, y, A, B: select(x, gt, right=0.5))
    yield task("reduce", lambda x, y, A, B: reduce(x, plus_monoid))
    yield task("extract", lambda x, y, A, B: extract(x, places))
    yield task("assign with a mask", lambda x, y, A, B: assign(x, 1.0, mask=x.structure))
    yield task("update", lambda x, y, A, B: update(x, x))
    yield task("Vector.from_entries", lambda x, y, A, B: Vector.from_entries(places, 1.0, 100))
    yield task("copy", lambda x, y, A, B: x.copy())
    yield task("transpose", lambda x, y, A, B: transpose(B))
