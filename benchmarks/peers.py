"""Other libraries' algorithms, on their own graphs, as their users call them."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from scipy.sparse import csgraph

from benchmarks.graphs import Graph

WALKS, STEPS = 10_000, 10


def walkers(graph: Graph) -> list[int]:
    """Where random walks begin: vertices that have an edge."""
    degrees = np.diff(graph.csr.indptr)
    return [int(v) for v in np.resize(np.flatnonzero(degrees), WALKS)]


class Peers:
    """A library that has some of the algorithms, with the graph in its own form."""

    name: ClassVar[str]
    module: ClassVar[str]

    def __init__(self, graph: Graph, sources: Sequence[int]) -> None:
        self.graph, self.sources = graph, list(sources)
        rows, columns = graph.once
        self.weights = (7 * rows + 3 * columns) % 31 + 1.0
        self.load()

    @classmethod
    def is_there(cls) -> bool:
        return find_spec(cls.module) is not None

    def load(self) -> None:
        raise NotImplementedError


class Igraph(Peers):
    """igraph."""

    name, module = "igraph", "igraph"

    def load(self) -> None:
        import igraph

        graph, edges = self.graph, np.column_stack(self.graph.once)
        ends = np.column_stack((graph.edges.sources, graph.edges.targets))
        self.plain = igraph.Graph(graph.n, edges)
        self.acyclic = igraph.Graph(graph.n, edges, directed=True)
        self.directed = igraph.Graph(graph.n, np.unique(ends, axis=0), directed=True)
        self.halves = [vertex % 2 for vertex in range(graph.n)]
        self.pairs = [(int(i), int(j)) for i, j in edges]


class Scipy(Peers):
    """SciPy's csgraph."""

    name, module = "scipy", "scipy"

    def load(self) -> None:
        edges = self.graph.edges
        ones = np.ones(len(edges.sources))
        shape = (self.graph.n, self.graph.n)
        places = (edges.sources.astype(np.int32), edges.targets.astype(np.int32))
        self.directed = scipy.sparse.csr_array((ones, places), shape=shape)
        self.plain = self.graph.csr.astype(np.float64)
        self.once = scipy.sparse.csr_array((self.weights, self.graph.once), shape=shape)
        self.weighted = (self.once + self.once.T).tocsr()

    def strong(self) -> Any:
        return csgraph.connected_components(self.directed, connection="strong")[1]

    def components(self) -> Any:
        return csgraph.connected_components(self.plain, directed=False)[1]

    def forest(self) -> Any:
        return csgraph.minimum_spanning_tree(self.once).sum()

    def distances(self) -> Any:
        return csgraph.shortest_path(self.plain, unweighted=True, indices=self.sources)

    def weighted_distances(self) -> Any:
        return csgraph.dijkstra(self.weighted, indices=self.sources[0])


class Networkit(Peers):
    """NetworKit."""

    name, module = "networkit", "networkit"

    def load(self) -> None:
        import networkit

        self.nk, graph = networkit, self.graph
        ends = tuple(e.astype(np.uint64) for e in graph.once)
        pairs = np.unique(np.column_stack((graph.edges.sources, graph.edges.targets)), axis=0)
        directed = tuple(np.ascontiguousarray(e).astype(np.uint64) for e in pairs.T)
        make = networkit.GraphFromCoo
        self.plain = make(ends, n=graph.n)
        self.acyclic = make(ends, n=graph.n, directed=True)
        self.directed = make(directed, n=graph.n, directed=True)
        self.weighted = make((self.weights, ends), n=graph.n, weighted=True)
        for each in (self.plain, self.weighted):
            each.indexEdges()
        self.halves = networkit.Partition(graph.n)
        self.halves.setUpperBound(2)
        for vertex in range(graph.n):
            self.halves.addToSubset(vertex % 2, vertex)

    def cores(self) -> Any:
        return self.nk.centrality.CoreDecomposition(self.plain).run().scores()

    def strong(self) -> Any:
        found = self.nk.components.StronglyConnectedComponents(self.directed).run()
        return found.getPartition().getVector()

    def components(self) -> Any:
        found = self.nk.components.ParallelConnectedComponents(self.plain).run()
        return found.getPartition().getVector()

    def forest(self) -> Any:
        return self.nk.graph.KruskalMSF(self.weighted).run().getForest().totalEdgeWeight()

    def labels(self) -> Any:
        return self.nk.community.PLP(self.plain).run().getPartition().getVector()

    def louvain(self) -> Any:
        return self.nk.community.PLM(self.plain).run().getPartition().getVector()

    def modularity(self) -> Any:
        return self.nk.community.Modularity().getQuality(self.halves, self.plain)

    def matching(self) -> Any:
        return self.nk.matching.SuitorMatcher(self.plain, False).run().getMatching()

    def independent(self) -> Any:
        return self.nk.independentset.Luby().run(self.plain)

    def clustering(self) -> Any:
        return self.nk.centrality.LocalClusteringCoefficient(self.plain, True).run().scores()

    def pagerank(self) -> Any:
        return self.nk.centrality.PageRank(self.plain, 0.85, 1e-6).run().scores()

    def eigenvector(self) -> Any:
        return self.nk.centrality.EigenvectorCentrality(self.plain, 1e-6).run().scores()

    def katz(self) -> Any:
        return self.nk.centrality.KatzCentrality(self.plain, 1e-4, 1.0, 1e-6).run().scores()

    def betweenness(self) -> Any:
        return self.nk.centrality.EstimateBetweenness(self.plain, 64, False, True).run().scores()

    def bidirectional(self) -> Any:
        return self.nk.distance.BidirectionalBFS(self.plain, *self.sources[:2]).run().getPath()

    def distance(self) -> Any:
        source, target = self.sources[:2]  # in two directions it crashes
        return (
            self.nk.distance.Dijkstra(self.weighted, source, False, False, target).run().distance(target)
        )

    def distances(self) -> Any:
        return self.nk.distance.Dijkstra(self.weighted, self.sources[0], False).run().getDistances()

    def counts(self) -> Any:
        found = self.nk.distance.Dijkstra(self.weighted, self.sources[0], True).run()
        distances = np.array(found.getDistances())
        return np.where(distances < 1e300, distances, 0)

    def topological(self) -> Any:
        return self.nk.graphtools.topologicalSort(self.acyclic)

    def diameter(self) -> Any:
        way = self.nk.distance.DiameterAlgo.EstimatedRange
        return self.nk.distance.Diameter(self.plain, way, error=0.0).run().getDiameter()


class Pygb(Peers):
    """Texts in python-graphblas, over SuiteSparse:GraphBLAS."""

    name, module = "python-graphblas", "graphblas"

    def load(self) -> None:
        import graphblas

        self.gb, csr = graphblas, self.graph.csr
        self.plain = graphblas.Matrix.from_csr(csr.indptr, csr.indices, True, ncols=self.graph.n)
        rows, columns = self.graph.once
        places = np.concatenate((rows, columns)), np.concatenate((columns, rows))
        self.weighted = graphblas.Matrix.from_coo(
            *places, np.tile(self.weights, 2), nrows=self.graph.n, ncols=self.graph.n
        )

    def pagerank(self, damping: float = 0.85, tolerance: float = 1e-6) -> Any:
        gb, A, n = self.gb, self.plain, self.graph.n
        degrees = A.reduce_rowwise(gb.agg.count).new(dtype=float)
        ranks = gb.Vector.from_scalar(1 / n, n)
        while True:
            lost = ranks.dup(mask=~degrees.S).reduce().new().value or 0.0
            following = gb.Vector.from_scalar((1 - damping + damping * lost) / n, n)
            shares = (damping * (ranks / degrees)).new()
            following(gb.binary.plus) << gb.semiring.plus_first(shares @ A)
            if (following - ranks).new().apply(gb.unary.abs).reduce().new().value < n * tolerance:
                return following.to_dense()
            ranks = following

    def clustering(self) -> Any:
        gb, A = self.gb, self.plain
        corners = gb.semiring.plus_pair(A @ A.T).new(mask=A.S).reduce_rowwise().new(dtype=float)
        degrees = A.reduce_rowwise(gb.agg.count).new(dtype=float)
        shares = corners.ewise_mult(degrees * (degrees - 1), gb.binary.truediv).new()
        return shares.to_dense(fill_value=0)

    def truss(self, k: int = 5) -> Any:
        C = self.plain
        while True:
            support = self.gb.semiring.plus_pair(C @ C.T).new(mask=C.S).select(">=", k - 2).new()
            if support.nvals == C.nvals:
                return support
            C = support

    def independent(self) -> Any:
        gb, n = self.gb, self.graph.n
        chosen, left = gb.Vector(bool, n), gb.Vector.from_scalar(True, n)
        draws = gb.Vector.from_dense(np.random.default_rng(1).permutation(n))
        while left.nvals:
            scores = draws.dup(mask=left.S)
            rivals = gb.semiring.max_second(self.plain @ scores).new(mask=left.S)
            winners = scores.ewise_union(rivals, gb.binary.gt, -1, -1).new().select("==", True).new()
            chosen(winners.S) << True
            losers = gb.semiring.any_pair(self.plain @ winners).new(mask=left.S)
            left = left.dup(mask=~winners.S)
            left = left.dup(mask=~losers.S)
        return chosen

    def widest(self) -> Any:
        gb = self.gb
        found = gb.Vector(float, self.graph.n)
        found[self.sources[0]] = float("inf")
        while True:
            before = found.dup()
            found(gb.binary.max) << gb.semiring.max_min(found @ self.weighted)
            if found.isequal(before):
                return found


class Arrays(Peers):
    """NumPy alone."""

    name, module = "numpy", "numpy"

    def load(self) -> None:
        self.firsts, self.targets = self.graph.csr.indptr, self.graph.csr.indices
        self.starts = np.array(walkers(self.graph))

    def walks(self) -> Any:
        random = np.random.default_rng(1)
        stops = [here := self.starts]
        for _ in range(STEPS):
            begin, end = self.firsts[here], self.firsts[here + 1]
            stops.append(
                here := self.targets[begin + (random.random(len(here)) * (end - begin)).astype(int)]
            )
        return np.column_stack(stops)
