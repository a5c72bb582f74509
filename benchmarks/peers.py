"""Other libraries' algorithms, on their own graphs, as their users call them."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from scipy.sparse import csgraph

from benchmarks.graphs import Graph


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

    def strong(self) -> Any:
        return csgraph.connected_components(self.directed, connection="strong")[1]

    def distances(self) -> Any:
        return csgraph.shortest_path(self.plain, unweighted=True, indices=self.sources)


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

    def cores(self) -> Any:
        return self.nk.centrality.CoreDecomposition(self.plain).run().scores()

    def strong(self) -> Any:
        found = self.nk.components.StronglyConnectedComponents(self.directed).run()
        return found.getPartition().getVector()

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

    def widest(self) -> Any:
        gb = self.gb
        found = gb.Vector(float, self.graph.n)
        found[self.sources[0]] = float("inf")
        while True:
            before = found.dup()
            found(gb.binary.max) << gb.semiring.max_min(found @ self.weighted)
            if found.isequal(before):
                return found
