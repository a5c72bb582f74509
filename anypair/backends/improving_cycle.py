"""Naming a cycle along which values of a closure get better for ever."""

import numpy as np

from anypair.backends.base import Backend, Storage
from anypair.dtypes import Scalar
from anypair.errors import ImprovingCycle
from anypair.semiring import TypedBinary, TypedSemiring, gt, lt

SHOWN = 12  # vertices of a cycle that an error lists


def is_better(semiring: TypedSemiring) -> TypedBinary:
    """Whether its left operand is better, to the semiring's sum, than its right one."""
    op = lt if semiring.add.selects == "min" else gt
    return op.typed(semiring.result, semiring.result)


def improving_cycle(
    backend: Backend, x: Storage, frontier: Storage, a: Storage, semiring: TypedSemiring, n: int
) -> ImprovingCycle:
    """What to raise for x that still becomes better, at the entries of the frontier."""
    cycle = _find_cycle(backend, x, frontier, a, semiring, n)
    name = semiring.semiring.name
    if cycle:
        shown = [str(vertex) for vertex in cycle]
        if len(shown) > SHOWN:
            shown[SHOWN // 2 : -SHOWN // 2] = ["..."]
        where = f"for ever along the cycle {' -> '.join((*shown, shown[0]))}"
    else:
        where = "along cycles, for more rounds than a path has edges"
    return ImprovingCycle(
        f"closure: values of {name} improve {where}; A may only have cycles that improve nothing",
        cycle=cycle,
    )


def _find_cycle(
    backend: Backend, x: Storage, frontier: Storage, a: Storage, semiring: TypedSemiring, n: int
) -> tuple[int, ...]:
    """The vertices of a cycle along which x improves, in order; none if it improves no longer.

    Goes on from the entries that have just become better, and keeps from whom each vertex has its value.
    A vertex that is its own ancestor has become better by itself; after n rounds there is one.
    """
    better = is_better(semiring)
    values, waiting = _as_dict(backend, x), _as_dict(backend, frontier)
    parents: dict[int, int] = {}
    for _ in range(n):
        offers = _offers(backend, waiting, a, semiring)
        waiting = {}
        for target, (offer, source) in offers.items():
            if target not in values or better(offer, values[target]):
                waiting[target] = values[target] = offer
                parents[target] = source
        if not waiting:
            break
        if cycle := _cycle(parents, min(waiting)):
            return cycle
    return ()


def _as_dict(backend: Backend, x: Storage) -> dict[int, Scalar]:
    places, values = backend.entries(x)
    return dict(zip(places.tolist(), values.tolist(), strict=True))


def _offers(
    backend: Backend, waiting: dict[int, Scalar], a: Storage, semiring: TypedSemiring
) -> dict[int, tuple[Scalar, int]]:
    """For each vertex that one of these has an edge to, the best offer and whose it is."""
    sources = sorted(waiting)
    better = is_better(semiring)
    best: dict[int, tuple[Scalar, int]] = {}
    edges = backend.entries(backend.extract(a, (np.array(sources), None)))
    for row, target, edge in zip(*(column.tolist() for column in edges), strict=True):
        source = sources[row]
        offer = semiring.multiply(edge, waiting[source], source)
        if target not in best or better(offer, best[target][0]):
            best[target] = offer, source
    return best


def _cycle(parents: dict[int, int], start: int) -> tuple[int, ...]:
    """The cycle that one comes to from parent to parent, along the edges; none if there is an end."""
    seen: dict[int, int] = {}
    vertex: int | None = start
    while vertex is not None and vertex not in seen:
        seen[vertex] = len(seen)
        vertex = parents.get(vertex)
    if vertex is None:
        return ()
    backwards = list(seen)[seen[vertex] :]
    smallest = backwards.index(min(backwards))
    return tuple(reversed(backwards[smallest + 1 :] + backwards[: smallest + 1]))
