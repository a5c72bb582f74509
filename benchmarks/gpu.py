"""Breadth-first search on one GPU: answers verified, TEPS, share of the roofline, strategies compared.

`make bench-gpu`, or `python -m benchmarks.gpu --scale 22`. Without a GPU it says what is missing and
stops.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anypair import Matrix
from anypair.algorithms import bfs_parents
from anypair.backends.registry import load, why_not
from anypair.dtypes import Array
from benchmarks.graphs import Graph, make
from benchmarks.tables import digits, table
from benchmarks.timing import stopwatch
from benchmarks.verify import expected_levels, problem_with_parents

# What there is to compare: our choice, either direction alone, and the baseline of the SEI note, Fig. 8.
STRATEGIES: dict[str, dict[str, Any]] = {
    "balanced, auto": {},
    "balanced, push": {"direction": "push"},
    "balanced, pull": {"direction": "pull"},
    "two_phase": {"strategy": "two_phase"},
}
COPIED = 1 << 28  # bytes of the array that is copied to learn the bandwidth of the memory
BYTES_PER_EDGE = 4  # a search reads each column number once
BYTES_PER_VERTEX = 8 + 8 + 4  # row starts, a parent, a place in the frontier


@dataclass
class Measured:
    """What one strategy took: for building, and for each search."""

    build: float
    seconds: list[float] = field(default_factory=list)
    teps: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    problem: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status is 0, 1 if an answer is wrong, 2 if there is no GPU."""
    parser = argparse.ArgumentParser(prog="benchmarks.gpu", description="BFS on one GPU, verified.")
    parser.add_argument("--scale", type=int, default=20, help="2**scale vertices (20)")
    parser.add_argument("--roots", type=int, default=64, help="searches for each strategy (64)")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    if reason := why_not("cuda"):
        print(f"benchmarks.gpu needs a GPU: {reason}", file=sys.stderr)
        return 2
    graph = make(f"kron{chosen.scale}", chosen.seed)
    bandwidth = copy_bandwidth(COPIED)
    found = {name: measure(graph, options, chosen, bandwidth) for name, options in STRATEGIES.items()}
    print(report(graph, found, bandwidth))
    return 1 if any(result.problem for result in found.values()) else 0


def copy_bandwidth(nbytes: int) -> float:
    """Bytes that a copy on the device reads and writes in a second: what memory gives at best."""
    backend: Any = load("cuda")
    with backend.device.scope():
        source = backend.arrays.zeros(nbytes // 8, np.dtype(np.int64))
        seconds = []
        for _ in range(5):
            backend.device.synchronize()
            _, took = stopwatch(
                lambda: (backend.arrays.as_type(source, np.dtype(np.int64)), wait(backend))
            )
            seconds.append(took)
    return 2 * nbytes / min(seconds)


def wait(backend: Any) -> None:
    """Until the device has done what it was given."""
    backend.device.synchronize()


def measure(graph: Graph, options: dict[str, Any], chosen: Any, bandwidth: float) -> Measured:
    """Build the graph, then search from every root; whatever that may need is compiled before."""
    backend: Any = load("cuda", options)
    edges = graph.edges
    matrix, build = stopwatch(
        lambda: Matrix.from_edges(
            edges.sources, edges.targets, n=edges.n, symmetric=True, self_loops=False, backend=backend
        )
    )
    result = Measured(build)
    weighted = graph.csr.astype(np.float64)
    degrees = np.diff(graph.csr.indptr)
    roots = graph.roots(chosen.roots, chosen.seed)
    matrix.prepare(bfs_parents, 0)
    bfs_parents(matrix, roots[0])
    for root in roots:
        parents, seconds = stopwatch(lambda root=root: _search(matrix, root, backend))  # type: ignore[misc]
        levels = expected_levels(weighted, root)
        if problem := problem_with_parents(_dense(parents), root, levels, graph.csr):
            result.problem = f"root {root}: {problem}"
            break
        reached = levels >= 0
        entries = int(degrees[reached].sum())
        nbytes = BYTES_PER_EDGE * entries + BYTES_PER_VERTEX * int(reached.sum())
        result.seconds.append(seconds)
        result.teps.append(_traversed(graph, reached) / seconds)
        result.shares.append(nbytes / seconds / bandwidth)
    return result


def _search(matrix: Matrix, root: int, backend: Any) -> Any:
    parents = bfs_parents(matrix, root)
    wait(backend)
    return parents


def _dense(parents: Any) -> Array:
    indices, values = parents.to_entries()
    dense = np.full(parents.size, -1, np.int64)
    dense[indices] = values
    return dense


def _traversed(graph: Graph, reached: Array) -> int:
    """Edges of the list within the component, each once, repeated ones too: what Graph500 counts."""
    return int(np.count_nonzero(reached[graph.edges.sources]))


def report(graph: Graph, found: dict[str, Measured], bandwidth: float) -> str:
    """A row for each strategy; TEPS as harmonic means."""
    rows = []
    for name, result in found.items():
        if result.problem:
            rows.append((name, "wrong answer", "", "", ""))
            continue
        mean = len(result.teps) / sum(1 / x for x in result.teps)
        rows.append(
            (
                name,
                digits(result.build),
                digits(1e3 * float(np.median(result.seconds))),
                digits(mean / 1e9),
                f"{100 * float(np.median(result.shares)):.1f} %",
            )
        )
    header = ("strategy", "build s", "search ms", "GTEPS", "of the roofline")
    lines = [table(f"{graph.name}: parents from every root, all verified", header, rows), ""]
    lines += [f"{name}: {result.problem}" for name, result in found.items() if result.problem]
    lines.append(
        f"Roofline: a copy moves {bandwidth / 1e9:.3g} GB/s; a search that reads every edge of its "
        f"component once moves {BYTES_PER_EDGE} bytes for each and {BYTES_PER_VERTEX} for each vertex. "
        "A pull reads fewer, so its share may pass 100 %."
    )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
