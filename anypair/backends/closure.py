"""Closures by the contract's own products, in the two ways that every backend has.

x = u + xA is solved frontier by frontier: only edges of vertices whose value has just become better are
looked at. Where the multiply hands values on and each edge has its reverse, x is a sum over each
component. Components are found by hooking trees (FastSV of Zhang, Azad and Hu), in few rounds whatever
their diameter.
"""

import time
from collections.abc import Callable

import numpy as np

from anypair.backends.base import Backend, Storage, StructuralMask
from anypair.backends.improving_cycle import improving_cycle, is_better
from anypair.backends.product_range import ProductRange, Range
from anypair.dtypes import BOOL, INT64, DType, largest, smallest
from anypair.semiring import (
    TypedSemiring,
    eq,
    land_monoid,
    logical_not,
    max_monoid,
    min_monoid,
    min_select,
    minimum,
    position,
)
from anypair.trace import current as current_trace


def last_round(semiring: TypedSemiring, n: int, edges: int) -> int:
    """The round in which nothing may become better any more, or values improve along a cycle.

    A path has fewer edges than there are vertices, and each edge once. Where products do not depend on
    values, a cycle may improve the vertex where it began, once.
    """
    longest = min(n - 1, edges)
    return longest + 1 if semiring.multiply.op.reads_right else longest + 2


def traced_product(
    backend: Backend, multiply: Callable[..., Storage], u: Storage, a: Storage, semiring: TypedSemiring,
    mask: StructuralMask | None = None,
) -> Storage:  # fmt: skip
    """u times a, by `backend.vxm`, or a times u, by `backend.mxv`; a trace has it as a part."""
    operands = (u, a) if multiply == backend.vxm else (a, u)
    if (trace := current_trace()) is None:
        return multiply(*operands, semiring, mask)
    entries = {"u": backend.nvals_here(u), "A": backend.nvals_here(a)}
    begin = time.perf_counter()
    t = multiply(*operands, semiring, mask)
    rank = backend.processes.rank if backend.processes.count > 1 else None
    name = multiply.__name__
    nvals = backend.nvals_here(t)
    trace.add(name, semiring.semiring, backend.name, entries, nvals, begin, rank, part=True)
    return t


def note_rounds(rounds: int) -> None:
    """Tell a trace how many rounds a closure took."""
    if (trace := current_trace()) is not None:
        trace.note(rounds=rounds)


def by_frontier(
    backend: Backend, u: Storage, a: Storage, semiring: TypedSemiring, n: int,
    products: ProductRange | None,
) -> Storage:  # fmt: skip
    """The least x = u + xa, from round to round by the entries that have just become better."""
    dtype = semiring.result
    x, frontier = backend.cast(u, dtype), u
    values = None if products is None else range_of(backend, u, dtype)
    for number in range(1, last_round(semiring, n, backend.nvals(a)) + 1):
        if products is not None and values is not None:
            values = _range_of_products(backend, frontier, a, dtype, products, values)
        reached = StructuralMask(x, False)
        if semiring.add.takes_any:
            better = new = traced_product(backend, backend.vxm, frontier, a, semiring, ~reached)
        else:
            offers = traced_product(backend, backend.vxm, frontier, a, semiring)
            better = new = _better(backend, offers, x, semiring)
            if not semiring.multiply.op.reads_right:  # what others have to offer, they have offered
                new = backend.restrict(better, ~reached)
        if not backend.nvals(better):
            note_rounds(number)
            return x
        x = backend.merge(x, better, dtype)
        frontier = new
    raise improving_cycle(backend, x, frontier, a, semiring, n)


def _range_of_products(
    backend: Backend, frontier: Storage, a: Storage, dtype: DType, products: ProductRange, values: Range
) -> Range:
    """Where products of the frontier, of such `values`, lie; raises if one leaves the dtype."""
    found = products.of(values)
    if not products.within_dtype(found):  # but the values that are there may be fewer
        found = products.of(range_of(backend, frontier, dtype))
    if not products.within_dtype(found):  # but the edges that are there may be others
        products.require(backend, frontier, a)
        found = smallest(dtype), largest(dtype)
    return found


def range_of(backend: Backend, x: Storage, dtype: DType) -> Range:
    """The least and the greatest value of something with entries."""
    return (
        backend.reduce(x, min_monoid.typed(dtype)),
        backend.reduce(x, max_monoid.typed(dtype)),
    )


def _better(backend: Backend, offers: Storage, x: Storage, semiring: TypedSemiring) -> Storage:
    """The offers that are better than what x has, or the first ones."""
    compared = backend.ewise_mult(offers, x, is_better(semiring))
    useless = backend.select(compared, logical_not.typed(BOOL))
    return backend.restrict(offers, StructuralMask(useless, True))


def by_hooking(backend: Backend, u: Storage, a: Storage, semiring: TypedSemiring, n: int) -> Storage:
    """The sum of u over each component, at every vertex of it, for `a` that has all reverses."""
    components, rounds = _components(backend, a, semiring.multiply.left, n)
    edges = backend.build_full(n, np.zeros(1, semiring.multiply.left))  # whose values nobody reads
    members = backend.rowwise(components, edges, n)
    sums = traced_product(backend, backend.vxm, u, members, semiring)
    x = traced_product(backend, backend.mxv, sums, members, semiring)
    note_rounds(rounds)
    return x


def _components(backend: Backend, a: Storage, edges: DType, n: int) -> tuple[Storage, int]:
    """The least vertex of the component of each vertex, and in how many rounds that was found.

    Vertices point to a parent in a forest. Each round hooks trees onto the least grandparent among their
    neighbours and halves the paths, until no grandparent changes.
    """
    along_edges, to_parents = min_select.typed(edges, INT64), min_select.typed(BOOL, INT64)
    least = minimum.typed(INT64, INT64)
    true = backend.build_full(n, np.ones(1, BOOL))

    def lower(x: Storage, by: Storage) -> Storage:
        return backend.write(x, by, None, least, False, INT64)

    def pointing(to: Storage) -> Storage:
        return backend.rowwise(to, true, n)

    parents = backend.apply(backend.build_full(n, np.zeros(1, INT64)), position.typed(INT64))
    grandparents = backend.cast(parents, INT64)
    rounds = 0
    while True:
        rounds += 1
        offers = traced_product(backend, backend.mxv, grandparents, a, along_edges)
        hooked = traced_product(backend, backend.vxm, offers, pointing(parents), to_parents)
        parents = lower(lower(lower(parents, hooked), offers), grandparents)
        following = traced_product(backend, backend.mxv, parents, pointing(parents), to_parents)
        alike = backend.ewise_mult(following, grandparents, eq.typed(INT64, INT64))
        if backend.reduce(alike, land_monoid.typed(BOOL)):
            return parents, rounds
        grandparents = following
