"""What searches compile or load after `Matrix.prepare`, as JSON; nothing, it should be.

`python -m tests.support.prepared_searches SEARCH DIRECTION THREADS`, in a process of its own: what
others have compiled would not be compiled here.
"""

import json
import sys
from typing import Any

import numpy as np

import anypair
from anypair import Matrix, Semiring, Vector, apply, binary_op, monoid, position, update, vxm
from anypair.algorithms import bellman_ford, bfs_levels, bfs_parents, shortest_path_parents
from anypair.dtypes import Array
from anypair.graph500 import kronecker_edges
from anypair.semiring import minimum
from tests.support.compilations import compilations


@binary_op
def value_of(edge: Any, value: Any) -> Any:
    return value


@monoid(identity=anypair.MAX, terminal=anypair.MIN)
def smallest(x: Any, y: Any) -> Any:
    return x if x < y else y


min_value = Semiring(smallest, value_of)


def own_semiring(graph: Matrix, root: int) -> Vector:
    parents = Vector.from_entries([root], [root], graph.nrows, dtype=int, backend=graph.backend)
    frontier = parents
    while frontier.nvals:
        offers = apply(frontier, position)
        frontier = vxm(offers, graph, min_value, mask=~parents.structure)
        update(parents, frontier)
    return parents


def shortest_paths(graph: Matrix, root: int) -> Vector:
    return shortest_path_parents(graph, root, bellman_ford(graph, root))


def grid(side: int) -> tuple[Array, Array]:
    at = np.arange(side * side).reshape(side, side)
    pairs = ((at[:, 1:], at[:, :-1]), (at[1:], at[:-1]))
    return tuple(np.concatenate([pair[k].ravel() for pair in pairs]) for k in (0, 1))  # type: ignore[return-value]


SEARCHES = {f.__name__: f for f in (bfs_parents, bfs_levels, own_semiring, shortest_paths)}


def main(name: str, direction: str, threads: str) -> None:
    search = SEARCHES[name]
    missed: list[str] = []
    graphs = {"kron 10": kronecker_edges(10), "kron 16": kronecker_edges(16), "grid": grid(60)}
    with anypair.using("jit", direction=direction, threads=int(threads)):
        for called, (sources, targets) in graphs.items():
            kinds: dict[str, Any] = {}
            if search is shortest_paths:
                kinds = {"weights": np.random.default_rng(1).random(len(sources)), "duplicates": minimum}
            for symmetric in (True, False):
                graph = Matrix.from_edges(
                    sources, targets, symmetric=symmetric, self_loops=False, **kinds
                )
                graph.prepare(search, 0)
                with compilations() as seen:
                    for root in np.unique(sources[:: len(sources) // (4 if kinds else 24)]):
                        search(graph, int(root)).finish()
                missed += [f"{called} {symmetric}: {what}" for what in seen]
    print(json.dumps(missed))


if __name__ == "__main__":
    main(*sys.argv[1:])
