"""Graphs of known kinds, made anywhere: every edge is a pure function of the seed and its number.

So each process of a job makes its own slice of the edges, and the graph does not depend on how many
there are. Graphs are undirected, without loops, and an edge that is drawn twice is one edge; with
`directed=True` edges have the direction in which they were drawn, and with `weights=True` weights in
[0, 1), drawn by the seed, too.
"""

from collections.abc import Callable
from typing import Any, TypedDict, Unpack

import numpy as np

from anypair.backends.base import Backend
from anypair.backends.orderly import random_at
from anypair.dtypes import FLOAT64, INT64, Array
from anypair.errors import InvalidArgument, InvalidValue, shown
from anypair.graph500 import kronecker_edges
from anypair.handle import Handle, backend_for
from anypair.inputs import as_size, as_whole
from anypair.matrix import Matrix
from anypair.memory import require
from anypair.semiring import minimum

BYTES_PER_EDGE = 64  # of the edges and the graph while it is built
WEIGHTS, REWIRED, ENDS = 1, 2, 3  # streams of random numbers

Edges = Callable[[Array], tuple[Array, Array]]  # of their numbers: sources and targets


class Options(TypedDict, total=False):
    """What all generators take."""

    directed: bool
    weights: bool
    backend: str | Backend | None
    like: Handle | None


def kronecker(scale: int, edgefactor: int = 16, seed: int = 1, **options: Unpack[Options]) -> Matrix:
    """2**scale vertices, few of high degree and many of low, as Graph500 has it (Leskovec et al. 2005).

    >>> kronecker(4, seed=3).shape
    (16, 16)
    """
    if as_whole("kronecker", "scale", scale) > 62:
        raise InvalidValue(f"kronecker: scale={shown(scale)} is too large; give at most 62")
    n = 1 << scale
    count = as_whole("kronecker", "edgefactor", edgefactor) * n

    def edges(numbers: Array) -> tuple[Array, Array]:
        begin = int(numbers[0]) if len(numbers) else 0
        return kronecker_edges(scale, edgefactor, seed, begin, begin + len(numbers))

    return _graph("kronecker", n, count, edges, seed, options)


def uniform(n: int, edges: int, seed: int = 1, **options: Unpack[Options]) -> Matrix:
    """So many edges, both ends of each drawn alike from all vertices (Erdos and Renyi 1959).

    >>> uniform(10, 4, seed=2).nvals <= 8
    True
    """
    as_size("uniform", "n", n)
    if as_size("uniform", "edges", edges) and not n:
        raise InvalidValue(f"uniform: edges={edges} have no vertices to join")
    return _graph(
        "uniform",
        n,
        edges,
        lambda numbers: (_below(n, numbers, seed, ENDS), _below(n, numbers, seed, ENDS + 1)),
        seed,
        options,
    )


def grid(rows: int, columns: int, seed: int = 1, **options: Unpack[Options]) -> Matrix:
    """A mesh: every vertex is joined to those beside, above and below it.

    >>> grid(2, 3).nvals
    14
    """
    across = as_size("grid", "rows", rows) * max(as_size("grid", "columns", columns) - 1, 0)
    down = max(rows - 1, 0) * columns

    def edges(numbers: Array) -> tuple[Array, Array]:
        flat = numbers < across
        row, column = np.divmod(numbers, max(columns - 1, 1))
        sources = np.where(flat, row * columns + column, numbers - across)
        return sources, sources + np.where(flat, 1, columns)

    return _graph(
        "grid", as_size("grid", "rows * columns", rows * columns), across + down, edges, 1, options
    )


def path(n: int, seed: int = 1, **options: Unpack[Options]) -> Matrix:
    """Every vertex is joined to the next one.

    >>> path(4, directed=True).to_entries()[:2]
    (array([0, 1, 2]), array([1, 2, 3]))
    """
    n = as_size("path", "n", n)
    return _graph("path", n, max(n - 1, 0), lambda numbers: (numbers, numbers + 1), seed, options)


def star(n: int, seed: int = 1, **options: Unpack[Options]) -> Matrix:
    """The first vertex is joined to all others.

    >>> star(4, directed=True).to_entries()[:2]
    (array([0, 0, 0]), array([1, 2, 3]))
    """
    n = as_size("star", "n", n)
    return _graph("star", n, max(n - 1, 0), lambda numbers: (0 * numbers, numbers + 1), seed, options)


def small_world(
    n: int, neighbours: int = 4, rewired: float = 0.1, seed: int = 1, **options: Unpack[Options]
) -> Matrix:
    """A ring where each vertex is joined to so many nearest ones, and some edges lead anywhere instead.

    Each edge with the chance `rewired` (Watts and Strogatz 1998); `neighbours` is even.

    >>> small_world(8, neighbours=2, rewired=0.0).nvals
    16
    """
    n, half = as_size("small_world", "n", n), as_whole("small_world", "neighbours", neighbours) // 2
    if neighbours % 2 or neighbours >= max(n, 1):
        raise InvalidValue(f"small_world: neighbours={neighbours} has to be even and less than n={n}")
    _check_chance("small_world", "rewired", rewired)

    def edges(numbers: Array) -> tuple[Array, Array]:
        sources, step = np.divmod(numbers, max(half, 1))
        nearest = (sources + step + 1) % max(n, 1)
        anywhere = random_at((numbers,), seed + REWIRED, FLOAT64) < rewired
        return sources, np.where(anywhere, _below(n, numbers, seed, ENDS), nearest)

    return _graph("small_world", n, n * half, edges, seed, options, rewired)


def preferential_attachment(n: int, edges: int, seed: int = 1, **options: Unpack[Options]) -> Matrix:
    """Every vertex draws so many edges to earlier ones or itself, most to those of high degree.

    An edge takes an end of one before it, or of itself, all with the same chance (Barabasi and Albert
    1999), and finds out which that is by drawing it again: no edge waits (Sanders and Schulz 2016).
    Edges of a vertex to itself, and those drawn twice, are left out.

    >>> preferential_attachment(50, 2, seed=4).nrows
    50
    """
    name = "preferential_attachment"
    n, each = as_size(name, "n", n), as_whole(name, "edges", edges)

    def ends(numbers: Array) -> tuple[Array, Array]:
        # Of edge k, place 2k has the new vertex and place 2k + 1 what some place before it has.
        places = 2 * numbers + 1
        while len(odd := np.flatnonzero(places % 2)):
            places[odd] = _below(places[odd], places[odd], seed, ENDS)
        return numbers // max(each, 1), places // 2 // max(each, 1)

    return _graph(name, n, n * each, ends, seed, options)


def planted_partition(
    communities: int, size: int, inside: int, outside: int, seed: int = 1, **options: Unpack[Options]
) -> Matrix:
    """Communities of so many vertices, each of which draws edges to its own and to all others.

    >>> planted_partition(3, 4, inside=2, outside=0, seed=5).nrows
    12
    """
    name = "planted_partition"
    n = as_size(
        name,
        "communities * size",
        as_size(name, "communities", communities) * as_size(name, "size", size),
    )
    each = as_whole(name, "inside", inside) + as_whole(name, "outside", outside)
    if outside and communities == 1:
        raise InvalidValue(f"{name}: outside={outside} edges have nowhere to go from communities=1")

    def edges(numbers: Array) -> tuple[Array, Array]:
        sources, turn = np.divmod(numbers, max(each, 1))
        first = sources - sources % max(size, 1)
        near = first + _below(size, numbers, seed, ENDS)
        far = (first + size + _below(n - size, numbers, seed, ENDS)) % max(n, 1)
        return sources, np.where(turn < inside, near, far)

    return _graph(name, n, n * each, edges, seed, options, size, inside)


def _graph(
    name: str, n: int, count: int, edges: Edges, seed: int, options: Options, *others: float
) -> Matrix:
    """The graph of `count` edges, of which this process makes its slice; `others` are arguments too."""
    if unknown := sorted(options.keys() - Options.__annotations__.keys()):
        raise InvalidArgument(f"{name}: there is no argument {unknown[0]!r}")
    seed = as_whole(name, "seed", seed)
    where: Any = {"backend": options.get("backend"), "like": options.get("like")}
    processes = backend_for(name, **where).processes
    # of slices nobody sees whether they are those of one graph
    arguments = ", ".join(map(str, (n, *others)))
    processes.require_same(f"{name}({arguments}: {count} edges, seed={seed})", "")
    slices = [
        as_size(name, "edges", count) * k // processes.count
        for k in (processes.rank, processes.rank + 1)
    ]
    require(BYTES_PER_EDGE * (slices[1] - slices[0]), f"{name}: the graph")
    numbers = np.arange(*slices, dtype=INT64)
    sources, targets = edges(numbers)
    weighted = options.get("weights", False)
    return Matrix.from_edges(
        sources,
        targets,
        random_at((numbers,), seed + WEIGHTS, FLOAT64) if weighted else None,
        n=n,
        symmetric=not options.get("directed", False),
        self_loops=False,
        duplicates=minimum if weighted else None,
        distributed=True,
        **where,
    )


def _below(limit: Any, numbers: Array, seed: int, stream: int) -> Array:
    """Whole numbers below the limit, or limits, which are less than 2**53."""
    drawn: Array = (random_at((numbers,), seed + (stream << 32), FLOAT64) * limit).astype(INT64)
    return drawn


def _check_chance(name: str, argument: str, chance: Any) -> None:
    if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 <= chance <= 1:
        raise InvalidValue(f"{name}: {argument}={chance!r} is not a chance from 0 to 1")
