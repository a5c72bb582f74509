"""Shortest, widest and most reliable paths, reachability, components: one line each, another semiring.

`closure(u, A, semiring)` is u + uA + uAA + ...: the best over all paths that begin at an entry of u.
"""

import math

from anypair import Matrix, Vector, closure
from anypair import semiring as s

PLACES = ["harbour", "mill", "bridge", "market", "castle", "island"]
ROADS = [(0, 1), (1, 2), (0, 2), (2, 3), (1, 3), (3, 4)]
KILOMETRES = [4.0, 3.0, 9.0, 2.0, 8.0, 1.0]
METRES_WIDE = [3.0, 2.5, 6.0, 4.0, 5.0, 2.0]
CHANCES_TO_BE_OPEN = [0.9, 0.9, 0.7, 0.8, 0.5, 0.95]


def graph(weights: list[float]) -> Matrix:
    tails, heads = zip(*ROADS, strict=True)
    return Matrix.from_edges(tails, heads, weights, n=len(PLACES), symmetric=True)


def at(place: int, value: float | bool) -> Vector:
    return Vector.from_entries([place], [value], size=len(PLACES))


def answers(start: int) -> dict[str, Vector]:
    return {
        "shortest": closure(at(start, 0.0), graph(KILOMETRES), s.min_plus),
        "widest": closure(at(start, math.inf), graph(METRES_WIDE), s.max_min),
        "most reliable": closure(at(start, 1.0), graph(CHANCES_TO_BE_OPEN), s.max_times),
        "reachable": closure(at(start, True), graph(KILOMETRES), s.any_pair),
        "component": closure(Vector.range(len(PLACES)), graph(KILOMETRES), s.min_select),
    }


def main() -> None:
    for question, answer in answers(start=0).items():
        listed = ", ".join(f"{PLACES[place]} {value:.3g}" for place, value in answer.to_dict().items())
        print(f"{question:<14} {listed}")


if __name__ == "__main__":
    main()
