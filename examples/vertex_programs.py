"""MapGraph's three programs by gather, apply and scatter: breadth-first search, paths, PageRank.

A program says what a vertex does; `anypair.gas.run` lets all of them do it, on any backend.
"""

from anypair import Matrix, Vector, apply, binary_op, gas, reduce
from anypair import semiring as s

EDGES = [(1, 6), (3, 1), (2, 8), (8, 4), (3, 0), (6, 3), (6, 2), (2, 5), (4, 3), (2, 4), (7, 5)]
DAMPING, TOLERANCE = 0.85, 1e-9


def breadth_first(graph: Matrix, source: int) -> Vector:
    """Parents: gather the smallest neighbour that has been reached, keep the first that came."""
    start = Vector.from_entries([source], [source], graph.nrows, dtype=int, like=graph)
    return gas.run(graph, s.min_source, s.first, s.ne, start=start, changed_only=True)


def shortest_paths(graph: Matrix, source: int) -> Vector:
    """Distances: gather the best way there, keep the shorter one, tell of what has become shorter."""
    start = Vector.from_entries([source], [0.0], graph.nrows, like=graph)
    return gas.run(graph, s.min_plus, s.minimum, s.gt, start=start, changed_only=True)


def page_rank(graph: Matrix) -> Vector:
    """Ranks: gather the neighbours' shares, damp the sum, tell of what has changed."""
    n = graph.nrows

    @binary_op
    def damped(rank: float, gathered: float) -> float:
        return (1 - DAMPING) / n + DAMPING * gathered

    @binary_op(result=bool)
    def moved(old: float, new: float) -> bool:
        return abs(new - old) > TOLERANCE / n

    ones = apply(graph, s.one)
    shares = ones.scale(rows=reduce(ones, s.plus, by="rows"), op=s.divide)
    return gas.run(shares, s.plus_times, damped, moved, start=Vector.full(n, 1 / n, like=graph))


def main() -> None:
    tails, heads = zip(*EDGES, strict=True)
    graph = Matrix.from_edges(tails, heads, symmetric=True)
    weights = [1.0 + (tail * head) % 3 for tail, head in EDGES]
    roads = Matrix.from_edges(tails, heads, weights, symmetric=True)
    print("parents  ", breadth_first(graph, 1).to_dict())
    print("distances", shortest_paths(roads, 1).to_dict())
    print("ranks    ", {v: round(rank, 4) for v, rank in page_rank(graph).to_dict().items()})


if __name__ == "__main__":
    main()
