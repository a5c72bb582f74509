"""A semiring of your own: the most reliable route from one place to every other.

Each road is open with some probability. A route is as good as the product of its roads, and of two
routes to a place the better one counts: a semiring of `best` and `both_open`.
"""

from anypair import Matrix, Semiring, Vector, binary_op, monoid, same

PLACES = ["harbour", "mill", "bridge", "market", "castle"]
ROADS = [(0, 1, 0.9), (1, 2, 0.9), (0, 2, 0.7), (2, 3, 0.8), (1, 3, 0.5), (3, 4, 0.95)]


@binary_op
def both_open(road: float, route: float) -> float:
    return road * route


@monoid(identity=0.0, terminal=1.0)
def best(x: float, y: float) -> float:
    return x if x > y else y


most_reliable = Semiring(best, both_open)


def reliabilities(roads: Matrix, start: int) -> Vector:
    """How likely the best route from `start` to each place is open."""
    found = Vector.from_entries([start], [1.0], size=roads.nrows, like=roads)
    while True:
        before = found.copy()
        most_reliable(found @ roads, out=found, accum=best)
        if same(found, before):
            return found


def main() -> None:
    tails, heads, chances = zip(*ROADS, strict=True)
    roads = Matrix.from_edges(tails, heads, chances, symmetric=True)
    for place, chance in reliabilities(roads, start=0).to_dict().items():
        print(f"{PLACES[place]:<8} {chance:6.1%}")


if __name__ == "__main__":
    main()
