"""Sums of products by sorting: expand the pairs that meet, multiply, sort by place, sum each run.

Every sum adds up its terms in the order of the expansion, whatever ran when: floats round one way.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from anypair.backends.cuda.arrays import Arrays, DeviceArray, step_of
from anypair.backends.cuda.elementwise import sum_runs
from anypair.backends.cuda.kernels import product_kernels
from anypair.semiring import TypedSemiring

Places = tuple[DeviceArray, ...]
PlacesOf = Callable[[DeviceArray, DeviceArray], tuple[Places, DeviceArray | None]]


def summed_products(
    arrays: Arrays,
    semiring: TypedSemiring,
    buffer: int,
    starts: DeviceArray,
    counts: DeviceArray,
    operands: tuple[DeviceArray, DeviceArray, DeviceArray],
    places_of: PlacesOf,
    *,
    edge_is_left: bool = True,
) -> tuple[Places, DeviceArray, int]:
    """Range r of [starts, starts + counts) meets value r; sorted places, sums, how many pairs met.

    `operands` are the values that the ranges lie in, those that they meet, and the k of each range.
    `places_of` tells the places of pairs, and which of them count. At most about `buffer` pairs are
    there at a time.
    """
    ranged, met, ks = operands
    done: list[tuple[Places, DeviceArray]] = []
    pairs = 0
    for low, high in _batches(arrays, counts, buffer):
        positions, origin = arrays.expand(starts[low:high], counts[low:high])
        origin = origin + low
        pairs += positions.shape[0]
        places, inside = places_of(positions, origin)
        if inside is not None:
            chosen = arrays.places_where(inside)
            places = tuple(arrays.take(axis, chosen) for axis in places)
            positions, origin = arrays.take(positions, chosen), arrays.take(origin, chosen)
        products = arrays.empty(positions.shape[0], semiring.result)
        edge = (positions, ranged, step_of(ranged))
        value = (origin, met, step_of(met))
        given = (*edge, *value) if edge_is_left else (*value, *edge)
        kernels = product_kernels("pairs", semiring, arrays.block)
        arrays.run_operators(kernels, "multiply_pairs", products.shape[0], *given, origin, ks, products)
        done.append(_by_place(arrays, places, products, semiring))
    if len(done) == 1:
        return *done[0], pairs
    # Parts in order, sorted once more: the partial sums of a place are added from first to last.
    axes = tuple(arrays.concatenate(list(axis)) for axis in zip(*(p for p, _ in done), strict=True))
    return *_by_place(arrays, axes, arrays.concatenate([s for _, s in done]), semiring), pairs


def _by_place(
    arrays: Arrays, places: Places, terms: DeviceArray, semiring: TypedSemiring
) -> tuple[Places, DeviceArray]:
    order = arrays.order(*places)
    places = tuple(arrays.take(axis, order) for axis in places)
    bounds = arrays.run_bounds(*places)
    sums = sum_runs(arrays, bounds, arrays.take(terms, order), semiring.add)
    return tuple(arrays.take(axis, bounds[:-1]) for axis in places), sums


def _batches(arrays: Arrays, counts: DeviceArray, buffer: int) -> Any:
    """Bounds of stretches of ranges that hold about `buffer` positions each, at least one range."""
    n = counts.shape[0]
    before = arrays.counted_before(counts)
    total = arrays.number(before, n)
    if total <= buffer:
        return [(0, n)]
    marks = arrays.arange(total // buffer + 1) * buffer
    cuts = arrays.to_host(arrays.xp.searchsorted(before, marks, side="left")).tolist()
    return list(pairwise(sorted({0, n, *(min(cut, n) for cut in cuts)})))
