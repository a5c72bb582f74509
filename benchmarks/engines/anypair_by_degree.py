"""anypair on vertices numbered by degree, original numbers in and out.

All that is known of `Matrix.by_degree` stands here; without that method this engine is missing.
"""

from collections.abc import Callable, Mapping

from anypair import Matrix, Vector
from anypair.algorithms import bfs_levels, bfs_parents
from benchmarks.engines.anypair import build, dense, require_backend
from benchmarks.engines.base import LEVELS, PARENTS, Engine, Search
from benchmarks.graphs import Graph


class ByDegreeEngine(Engine):
    """Search the relabelled graph and translate the answer, all inside the timer."""

    def __init__(self, name: str, backend: str) -> None:
        super().__init__(name)
        self.backend = backend
        if not hasattr(Matrix, "by_degree"):
            raise ImportError("Matrix has no method by_degree")
        require_backend(backend)

    def load(self, graph: Graph) -> Mapping[str, Search]:
        relabelled = build(graph.edges, self.backend).by_degree()

        def search(algorithm: Callable[[Matrix, int], Vector], vertices: bool) -> Search:
            def run(root: int) -> Vector:
                found = algorithm(relabelled.graph, relabelled.new(root))
                return relabelled.restore(found, vertices=vertices)

            relabelled.graph.prepare(algorithm, 0)
            return Search(run, dense)

        return {PARENTS: search(bfs_parents, True), LEVELS: search(bfs_levels, False)}
