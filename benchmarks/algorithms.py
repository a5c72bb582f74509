"""Algorithms besides breadth-first search, each against the peers that have it, on one graph.

Answers that are the same everywhere are compared before they are timed. Rules to stop PageRank, HITS,
eigenvectors and Katz differ.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from anypair import Matrix, Vector
from anypair import algorithms as a
from benchmarks.graphs import Graph, make
from benchmarks.peers import STEPS, Arrays, Igraph, Networkit, Peers, Pygb, Scipy, walkers
from benchmarks.progress import say
from benchmarks.results import Timing
from benchmarks.timing import settle, stopwatch

ALGORITHMS = "algorithms"
BUDGET = 8.0  # seconds that an engine may take for all its turns
SOURCES = 64

Call = Callable[[Any], Any]


@dataclass(frozen=True)
class Task:
    """How an algorithm is called here and elsewhere; how fast it has to be, against the fastest."""

    what: str
    bar: float
    ours: Call  #: of `Ours`
    peers: dict[type[Peers], Call] = field(default_factory=dict)
    digits: float | None = 0.0  #: how far apart values may be, relative; None: not compared


class Ours:
    """The graph as matrices: undirected, with weights, directed, and without cycles."""

    def __init__(self, graph: Graph, backend: str, sources: Sequence[int]) -> None:
        rows, columns = graph.once
        n, self.sources = graph.n, list(sources)
        weights = (7 * rows + 3 * columns) % 31 + 1.0
        self.plain = Matrix.from_edges(rows, columns, n=n, symmetric=True, backend=backend)
        self.weighted = Matrix.from_edges(rows, columns, weights, n=n, symmetric=True, backend=backend)
        edges = graph.edges
        self.directed = Matrix.from_edges(edges.sources, edges.targets, n=n, backend=backend)
        self.acyclic = Matrix.from_edges(rows, columns, n=n, backend=backend)
        self.halves = Vector.from_numpy(np.arange(n) % 2, backend=backend)
        self.starts = walkers(graph)


TASKS = (
    Task("core numbers", 0.95, lambda g: a.core_numbers(g.plain), {
        Igraph: lambda p: p.plain.coreness(), Networkit: Networkit.cores,
    }),
    Task("strong components", 0.95, lambda g: a.strongly_connected_components(g.directed), {
        Scipy: Scipy.strong, Networkit: Networkit.strong,
        Igraph: lambda p: p.directed.connected_components(mode="strong").membership,
    }, None),
    Task("local clustering", 0.95, lambda g: a.local_clustering(g.plain), {
        Igraph: lambda p: p.plain.transitivity_local_undirected(mode="zero"),
        Networkit: Networkit.clustering, Pygb: Pygb.clustering,
    }, 1e-9),
    Task("k-truss, k = 5", 0.95, lambda g: a.k_truss(g.plain, 5), {Pygb: Pygb.truss}, None),
    Task("minimum spanning forest", 0.95, lambda g: a.minimum_spanning_forest(g.weighted).sum() / 2, {
        Scipy: Scipy.forest, Networkit: Networkit.forest,
        Igraph: lambda p: sum(p.plain.spanning_tree(p.weights, return_tree=False)),
    }, None),
    Task("label propagation", 0.95, lambda g: a.label_propagation(g.plain), {
        Networkit: Networkit.labels, Igraph: lambda p: p.plain.community_label_propagation().membership,
    }, None),
    Task("Louvain", 0.95, lambda g: a.louvain(g.plain), {
        Networkit: Networkit.louvain, Igraph: lambda p: p.plain.community_multilevel().membership,
    }, None),
    Task("maximal matching", 0.95, lambda g: a.maximal_matching(g.plain), {
        Networkit: Networkit.matching,
    }, None),
    Task("maximal independent set", 0.95, lambda g: a.maximal_independent_set(g.plain), {
        Networkit: Networkit.independent, Pygb: Pygb.independent,
    }, None),
    Task("colouring", 0.95, lambda g: a.colouring(g.plain), {
        Igraph: lambda p: p.plain.vertex_coloring_greedy(),
    }, None),
    Task("closeness of 64", 0.95, lambda g: a.closeness_centrality(g.plain, g.sources), {
        Igraph: lambda p: p.plain.closeness(p.sources), Scipy: Scipy.distances,
    }, None),
    Task("harmonic of 64", 0.5, lambda g: a.harmonic_centrality(g.plain, g.sources), {
        Igraph: lambda p: p.plain.harmonic_centrality(p.sources),
    }, None),
    Task("PageRank", 0.95, lambda g: a.pagerank(g.plain), {
        Igraph: lambda p: p.plain.pagerank(), Networkit: Networkit.pagerank, Pygb: Pygb.pagerank,
    }, None),
    Task("personalised PageRank", 0.5, lambda g: a.pagerank(g.plain, personalization=Vector.from_entries(
        sorted(g.sources), 1.0, g.plain.nrows, like=g.plain)), {
        Igraph: lambda p: p.plain.personalized_pagerank(reset_vertices=p.sources),
    }, None),
    Task("HITS", 0.95, lambda g: a.hits(g.directed)[0], {
        Igraph: lambda p: p.directed.hub_score(),
    }, None),
    Task("eigenvector centrality", 0.5, lambda g: a.eigenvector_centrality(g.plain), {
        Igraph: lambda p: p.plain.eigenvector_centrality(), Networkit: Networkit.eigenvector,
    }, None),
    Task("Katz centrality", 0.5, lambda g: a.katz_centrality(g.plain, 1e-4), {
        Networkit: Networkit.katz,
    }, None),
    Task("betweenness of 64", 0.5, lambda g: a.betweenness(g.plain, g.sources), {
        Igraph: lambda p: p.plain.betweenness(sources=p.sources, targets=None),
        Networkit: Networkit.betweenness,
    }, None),
    Task("levels of 64", 0.5, lambda g: a.multi_source_levels(g.plain, g.sources), {
        Igraph: lambda p: p.plain.distances(p.sources), Scipy: Scipy.distances,
    }, None),
    Task("bidirectional path", 0.5, lambda g: a.bidirectional_path(g.plain, *g.sources[:2]), {
        Igraph: lambda p: p.plain.get_shortest_path(*p.sources[:2]), Networkit: Networkit.bidirectional,
    }, None),
    Task("distance between two", 0.5, lambda g: a.distance_between(g.weighted, *g.sources[:2]), {
        Igraph: lambda p: p.plain.distances(p.sources[0], p.sources[1], weights=p.weights)[0][0],
        Networkit: Networkit.distance,
    }),
    Task("shortest path counts", 0.5, lambda g: a.shortest_path_counts(g.weighted, g.sources[0])[0], {
        Networkit: Networkit.counts,
    }),
    Task("widest paths", 0.5, lambda g: a.widest_paths(g.weighted, g.sources[0]), {
        Pygb: Pygb.widest,
    }, None),
    Task("bipartition", 0.5, lambda g: a.bipartition(g.plain)[1], {
        Igraph: lambda p: p.plain.is_bipartite(),
    }, None),
    Task("topological levels", 0.5, lambda g: a.topological_levels(g.acyclic), {
        Igraph: lambda p: p.acyclic.topological_sorting(), Networkit: Networkit.topological,
    }, None),
    Task("transitivity", 0.5, lambda g: a.transitivity(g.plain), {
        Igraph: lambda p: p.plain.transitivity_undirected(),
    }, 1e-9),
    Task("diameter bounds", 0.5, lambda g: a.diameter_bounds(g.plain), {
        Networkit: Networkit.diameter,
    }, None),
    Task("components", 0.5, lambda g: a.connected_components(g.plain), {
        Igraph: lambda p: p.plain.connected_components().membership, Networkit: Networkit.components,
        Scipy: Scipy.components,
    }, None),
    Task("distances", 0.5, lambda g: a.bellman_ford(g.weighted, g.sources[0]), {
        Igraph: lambda p: p.plain.distances(p.sources[0], weights=p.weights)[0],
        Networkit: Networkit.distances, Scipy: Scipy.weighted_distances,
    }, None),
    Task("modularity", 0.5, lambda g: a.modularity(g.plain, g.halves), {
        Igraph: lambda p: p.plain.modularity(p.halves), Networkit: Networkit.modularity,
    }, 1e-9),
    Task("Jaccard of all edges", 0.5, lambda g: a.jaccard_similarity(g.plain), {
        Igraph: lambda p: p.plain.similarity_jaccard(pairs=p.pairs),
    }, None),
    Task("random walks", 1 / 3, lambda g: a.random_walks(g.plain, g.starts, STEPS), {
        Arrays: Arrays.walks,
    }, None),
)  # fmt: skip


def measure(name: str, backends: Sequence[str], repeats: int, seed: int, only: str = "") -> list[Timing]:
    """Time every task on our backends and its peers, which take turns."""
    say(f"{name}: making the graph for algorithms")
    graph = make(name, seed)
    sources = graph.roots(SOURCES, seed)
    ours = {f"anypair-{backend}": Ours(graph, backend, sources) for backend in backends}
    peers = {
        kind: kind(graph, sources)
        for kind in (Igraph, Networkit, Scipy, Pygb, Arrays)
        if kind.is_there()
    }
    timings = []
    for task in (task for task in TASKS if only in task.what):
        say(f"{name}: {task.what}")
        calls = {engine: partial(task.ours, held) for engine, held in ours.items()}
        calls |= {
            peer.name: partial(task.peers[k], peer) for k, peer in peers.items() if k in task.peers
        }
        timings += _turns(task, name, calls, repeats)
    return timings


def _turns(task: Task, graph: str, calls: dict[str, Callable[[], Any]], repeats: int) -> list[Timing]:
    timings = {engine: Timing(ALGORITHMS, task.what, graph, engine) for engine in calls}
    answers: dict[str, Any] = {}
    for engine, call in calls.items():
        with timings[engine].noting_problems():
            answers[engine] = _array(call()) if task.digits is not None else call()
    for engine, timing in timings.items():
        if task.digits is not None and engine.startswith("anypair") and not timing.problem:
            timing.problem = _difference(answers, engine, task.digits)
    answers.clear()
    for _ in range(repeats):
        for engine, call in calls.items():
            timing = timings[engine]
            if timing.problem or sum(timing.seconds) > BUDGET:
                continue
            with timing.noting_problems():
                settle()
                timing.seconds.append(stopwatch(call)[1])
    return list(timings.values())


def _array(answer: Any) -> Any:
    """A number for each vertex, 0 where nothing is said."""
    return answer.to_numpy(missing=0) if isinstance(answer, Vector) else np.asarray(answer)


def _difference(answers: dict[str, Any], engine: str, digits: float) -> str:
    for peer, answer in answers.items():
        if not np.allclose(answers[engine], answer, rtol=digits, atol=1e-12):
            return f"another answer than {peer}'s"
    return ""
