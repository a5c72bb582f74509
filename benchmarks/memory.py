"""Memory: what building takes at its peak, and what a graph holds for each stored entry."""

from collections.abc import Iterator

from benchmarks import processes
from benchmarks.progress import say
from benchmarks.results import Figure

PEAK = "building peak with edge list, MB"
PEAK_RATIO = "building peak / edge list"
PER_ENTRY = "bytes per stored entry"
OF_ALLOWANCE = "bytes / (4.5 per entry + 8 per vertex)"


def measure(graph: str, engine: str, seed: int) -> Iterator[Figure]:
    """Build once, in a process of its own."""
    say(f"{graph}: memory of {engine}")
    took = processes.run("building_memory", engine, graph, str(seed))
    yield Figure(PEAK, graph, engine, took["peak"] / 1e6, "MB")
    yield Figure(PEAK_RATIO, graph, engine, took["peak"] / took["edge_list"], "")
    if "nbytes" in took:
        allowance = 4.5 * took["nvals"] + 8 * took["n"]
        yield Figure(PER_ENTRY, graph, engine, took["nbytes"] / took["nvals"], "bytes")
        yield Figure(OF_ALLOWANCE, graph, engine, took["nbytes"] / allowance, "")
