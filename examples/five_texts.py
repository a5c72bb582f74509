"""Five texts by which libraries of this kind are told apart, each as short as it is said.

A step of a search, of a k-truss and of PageRank, offers that improve on what is known, a semiring of
one's own.
"""

from anypair import MAX, Matrix, Semiring, Vector, binary_op, monoid, select, update
from anypair import semiring as s


def search(graph: Matrix, source: int) -> Vector:
    """The smallest-numbered parent of every vertex that a search reaches."""
    parents = frontier = Vector.from_entries([source], [source], size=graph.nrows, like=graph)
    while frontier.nvals:
        frontier = s.min_source(frontier @ graph, mask=~parents.structure)
        update(parents, frontier)
    return parents


def truss(graph: Matrix, k: int) -> Matrix:
    """What is left of a symmetric graph if each edge has to be in k - 2 triangles."""
    while True:
        kept = select(s.plus_pair(graph @ graph, mask=graph.structure), s.ge, right=k - 2)
        if kept.nvals == graph.nvals:
            return kept
        graph = kept


def page_rank(graph: Matrix, damping: float = 0.85) -> Vector:
    """Ranks of a graph in which every vertex has an edge that leaves it."""
    n = graph.nrows
    ones = Vector.full(n, 1.0, like=graph)
    ranks, degrees, change = ones / n, s.plus_second(graph @ ones), 1.0
    while change > 1e-9:
        following = damping * s.plus_second((ranks / degrees) @ graph) + (1 - damping) / n * ones
        change, ranks = abs(following - ranks).sum(), following
    return ranks


def improvements(offers: Vector, distances: Vector) -> Vector:
    """The offers that are better than what is known, or for which nothing is."""
    return offers.where(~(offers >= distances).true)


shortest = Semiring(monoid(identity=MAX)(min), binary_op(lambda road, way: road + way))

EDGES = [(1, 6), (3, 1), (2, 8), (8, 4), (3, 0), (6, 3), (6, 2), (2, 5), (4, 3), (2, 4)]


def main() -> None:
    graph = Matrix.from_edges(*zip(*EDGES, strict=True), n=9, symmetric=True)
    print("parents     ", search(graph, 1).to_dict())
    print("3-truss     ", sorted((i, j) for i, j, _ in truss(graph, 3) if i < j))
    used = graph[[0, 1, 2, 3, 4, 5, 6, 8], [0, 1, 2, 3, 4, 5, 6, 8]]
    print("ranks       ", {v: round(rank, 3) for v, rank in page_rank(used)})
    known = Vector.from_entries([0, 1, 2], [4, 4, 4], size=4)
    print(
        "improvements", improvements(Vector.from_entries([1, 2, 3], [3, 4, 5], size=4), known).to_dict()
    )
    roads = Matrix.from_edges([0, 0, 1], [1, 2, 2], [4, 9, 3])
    print("lengths     ", shortest(Vector.from_entries([0, 1], [0, 4], size=3) @ roads).to_dict())


if __name__ == "__main__":
    main()
