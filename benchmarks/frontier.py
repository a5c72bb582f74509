"""Hong's comparison: breadth-first search that lists its frontier, reads it as a bitmap, or chooses.

`python -m benchmarks.frontier`. Searches push only, as Hong's do, and take turns in one run; the trees
of all three have to be the same, and right. The exit status is 1 if a tree is wrong, or if `auto` takes
more than 10 % longer than the better of the other two.
"""

import argparse
from collections.abc import Sequence

import numpy as np

import anypair
from anypair import Matrix
from anypair.algorithms import bfs_parents
from anypair.backends.plan import FRONTIERS
from anypair.dtypes import Array
from benchmarks.graphs import Graph, make
from benchmarks.tables import table
from benchmarks.timing import settle, stopwatch
from benchmarks.verify import expected_levels, problem_with_parents

GRAPHS = ("kron17", "uniform17", "grid362")
WAYS = tuple(way for way in FRONTIERS if way != "auto")
BAR = 1.1


def main(arguments: Sequence[str] | None = None) -> int:
    """Print milliseconds of each way on each graph, by minima and medians of the mean over all roots."""
    parser = argparse.ArgumentParser(prog="benchmarks.frontier", description="Queue, read and auto.")
    parser.add_argument("graphs", nargs="*", default=GRAPHS, help="such as kron17 uniform17 grid362")
    parser.add_argument("--roots", type=int, default=10, help="searches of a graph in each turn (10)")
    parser.add_argument("--turns", type=int, default=10, help="turns of each way (10)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--direction", choices=("push", "auto"), default="push")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    rows: list[tuple[str, ...]] = []
    fine = True
    for name in chosen.graphs:
        graph = make(name, chosen.seed)
        seconds = measure(graph, chosen)
        least = {way: min(times) for way, times in seconds.items()}
        ratio = least["auto"] / min(least[way] for way in WAYS)
        fine = fine and ratio <= BAR
        rows.append(
            (
                name,
                *(f"{1e3 * least[way]:.2f} ({1e3 * np.median(seconds[way]):.2f})" for way in seconds),
                f"{ratio:.2f}",
            )
        )
    title = f"BFS on {chosen.threads} thread(s), direction {chosen.direction}: ms by minimum (median)"
    print(table(title, ("graph", *WAYS, "auto", "auto to the better"), rows))
    return 0 if fine else 1


def measure(graph: Graph, chosen: argparse.Namespace) -> dict[str, list[float]]:
    """Mean seconds of a search in each turn, by way, after every tree was verified."""
    roots = graph.roots(chosen.roots, chosen.seed)
    held = {way: _on(way, graph, chosen) for way in (*WAYS, "auto")}
    for root in roots:
        _verify(graph, root, {way: bfs_parents(matrix, root) for way, matrix in held.items()})
    seconds: dict[str, list[float]] = {way: [] for way in held}
    for turn in range(chosen.turns):
        ways = list(held)
        for way in ways[turn % 3 :] + ways[: turn % 3]:
            settle()
            times = [stopwatch(lambda m=held[way], r=root: bfs_parents(m, r))[1] for root in roots]
            seconds[way].append(float(np.mean(times)))
    return seconds


def _on(way: str, graph: Graph, chosen: argparse.Namespace) -> Matrix:
    options = {"threads": chosen.threads, "direction": chosen.direction, "frontier": way}
    with anypair.using("jit", **options):
        edges = graph.edges
        return Matrix.from_edges(edges.sources, edges.targets, n=graph.n, symmetric=True)


def _verify(graph: Graph, root: int, trees: dict[str, anypair.Vector]) -> None:
    arrays: dict[str, Array] = {way: tree.to_numpy(missing=-1) for way, tree in trees.items()}
    problem = problem_with_parents(arrays["auto"], root, expected_levels(graph.csr, root), graph.csr)
    differing = [way for way, tree in arrays.items() if not np.array_equal(tree, arrays["auto"])]
    if problem or differing:
        raise SystemExit(f"{graph.name}, root {root}: {problem or f'another tree by {differing}'}")


if __name__ == "__main__":
    raise SystemExit(main())
