"""Backend `reference`: every operation as its definition reads, on plain dicts. Read it first.

The oracle of the tests, not an engine: entries are a dict from index tuples to Python numbers.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import TypeAlias

import numpy as np

from anypair.backends.base import Applied, Backend, Indices, Shape, StructuralMask
from anypair.backends.closure import last_round, note_rounds, traced_product
from anypair.backends.improving_cycle import improving_cycle
from anypair.backends.product_range import ProductRange
from anypair.dtypes import Array, DType, Scalar, caster
from anypair.errors import DuplicateEntries, IndexOutOfRange
from anypair.semiring import TypedBinary, TypedMonoid, TypedNary, TypedSemiring

Place: TypeAlias = tuple[int, ...]


@dataclass
class Entries:
    """A vector, with places (i,), or a matrix, with places (i, j)."""

    shape: Shape
    dtype: DType
    at: dict[Place, Scalar]


class ReferenceBackend(Backend):
    """The contract as it reads; `write` is the default one of the base class."""

    name = "reference"
    tells_places = True
    bytes_per_edge = (1100, 1444)

    def build(
        self,
        indices: tuple[Array, ...],
        values: Array,
        shape: Shape,
        duplicates: TypedBinary | None,
    ) -> Entries:
        at: dict[Place, Scalar] = {}
        places = zip(*(axis.tolist() for axis in indices), strict=True)
        for place, value in zip(places, values.tolist(), strict=True):
            if place not in at:
                at[place] = value
            elif duplicates is not None:
                at[place] = duplicates(at[place], value)
            else:
                raise DuplicateEntries(place=place)
        return Entries(shape, values.dtype, at)

    def entries(self, x: Entries) -> tuple[Array, ...]:
        places = sorted(x.at)
        axes = (np.array([p[axis] for p in places], np.int64) for axis in range(len(x.shape)))
        return (*axes, np.array([x.at[p] for p in places], x.dtype))

    def nvals(self, x: Entries) -> int:
        return len(x.at)

    def nbytes(self, x: Entries) -> int:
        return len(x.at) * (8 * len(x.shape) + x.dtype.itemsize)

    def mxv(
        self, a: Entries, u: Entries, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Entries:
        products = (
            ((i,), semiring.multiply(edge, u.at[k,], k, i))
            for (i, k), edge in sorted(a.at.items())
            if (k,) in u.at and _inside(mask, (i,))
        )
        return Entries(a.shape[:1], semiring.result, _sum_by_place(products, semiring.add))

    def vxm(
        self, u: Entries, a: Entries, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Entries:
        return self.mxv(self.transpose(a), u, semiring, mask)

    def mxm(
        self, a: Entries, b: Entries, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Entries:
        rows_of_b: dict[int, list[tuple[int, Scalar]]] = {}
        for (k, j), right in b.at.items():
            rows_of_b.setdefault(k, []).append((j, right))
        products = (
            ((i, j), semiring.multiply(left, right, k, i, j))
            for (i, k), left in sorted(a.at.items())
            for j, right in rows_of_b.get(k, ())
            if _inside(mask, (i, j))
        )
        shape = (a.shape[0], b.shape[1])
        return Entries(shape, semiring.result, _sum_by_place(products, semiring.add))

    def closure(
        self,
        u: Entries,
        a: Entries,
        semiring: TypedSemiring,
        n: int,
        *,
        symmetric: bool,
        grows: bool,
        products: ProductRange | None,
    ) -> Entries:
        x, changed = u, u
        for number in range(1, last_round(semiring, n, len(a.at)) + 1):
            if products is not None:
                products.require(self, changed, a)
            t = traced_product(self, self.vxm, x, a, semiring)
            before, x = x, self.ewise_add(u, t, semiring.add.op)
            at = {p: value for p, value in x.at.items() if value != before.at.get(p)}
            changed = Entries(x.shape, x.dtype, at)
            if not at or any(value != value for value in at.values()):
                note_rounds(number)
                return x
        raise improving_cycle(self, x, changed, a, semiring, n)

    def ewise_add(self, x: Entries, y: Entries, op: TypedBinary) -> Entries:
        alone = caster(op.result)
        at = {p: alone(value) for p, value in (x.at | y.at).items()}
        return Entries(x.shape, op.result, at | self.ewise_mult(x, y, op).at)

    def ewise_mult(self, x: Entries, y: Entries, op: TypedBinary) -> Entries:
        at = {p: op(value, y.at[p]) for p, value in x.at.items() if p in y.at}
        return Entries(x.shape, op.result, at)

    def ewise_all(self, x: Entries, op: TypedNary, shape: Shape, *others: Entries) -> Entries:
        common = [p for p in x.at if all(p in y.at for y in others)]
        at = {p: op(x.at[p], *(y.at[p] for y in others)) for p in common}
        return Entries(shape, op.result, at)

    def apply(self, x: Entries, op: Applied) -> Entries:
        return Entries(x.shape, op.result, {p: op(value, *p) for p, value in x.at.items()})

    def select(self, x: Entries, op: Applied) -> Entries:
        return _keep(x, lambda p: bool(op(x.at[p], *p)))

    def restrict(self, x: Entries, mask: StructuralMask) -> Entries:
        return _keep(x, lambda p: _inside(mask, p))

    def cast(self, x: Entries, dtype: DType) -> Entries:
        as_dtype = caster(dtype)
        return Entries(x.shape, dtype, {p: as_dtype(value) for p, value in x.at.items()})

    def reduce(self, x: Entries, monoid: TypedMonoid) -> Scalar:
        values = (caster(monoid.domain)(value) for _, value in sorted(x.at.items()))
        return reduce(monoid.op, values) if x.at else monoid.identity

    def reduce_rows(self, a: Entries, monoid: TypedMonoid) -> Entries:
        rows = (((i,), value) for (i, _), value in sorted(a.at.items()))
        return Entries(a.shape[:1], monoid.domain, _sum_by_place(rows, monoid))

    def extract(self, x: Entries, indices: Indices) -> Entries:
        wanted = _sequences(indices, x.shape)
        new = [_positions(places) for places in wanted]
        at = {
            place: value
            for old, value in x.at.items()
            for place in product(*(find(i) for find, i in zip(new, old, strict=True)))
        }
        return Entries(tuple(map(len, wanted)), x.dtype, at)

    def place(self, x: Entries, indices: Indices, shape: Shape) -> Entries:
        targets = _sequences(indices, shape)
        at: dict[Place, Scalar] = {
            tuple(places[k] for places, k in zip(targets, own, strict=True)): value
            for own, value in x.at.items()
        }
        return Entries(shape, x.dtype, at)

    def rowwise(self, columns: Entries, values: Entries, ncols: int) -> Entries:
        for (i,), column in columns.at.items():
            if not 0 <= column < ncols:
                raise IndexOutOfRange(value=int(column), place=i)
        at: dict[Place, Scalar] = {(i, int(columns.at[i,])): value for (i,), value in values.at.items()}
        return Entries((columns.shape[0], ncols), values.dtype, at)

    def transpose(self, a: Entries) -> Entries:
        return Entries(a.shape[::-1], a.dtype, {(j, i): x for (i, j), x in a.at.items()})

    def kron(self, a: Entries, b: Entries, op: TypedBinary) -> Entries:
        (p, q), shape = b.shape, (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
        at: dict[Place, Scalar] = {
            (i * p + row, j * q + column): op(left, right)
            for (i, j), left in a.at.items()
            for (row, column), right in b.at.items()
        }
        return Entries(shape, op.result, at)

    def merge(self, out: Entries, t: Entries, dtype: DType) -> Entries:
        return Entries(out.shape, dtype, {**out.at, **self.cast(t, dtype).at})


def _inside(mask: StructuralMask | None, place: Place) -> bool:
    return mask is None or (place in mask.storage.at) != mask.complemented


def _keep(x: Entries, wanted: Callable[[Place], bool]) -> Entries:
    return Entries(x.shape, x.dtype, {p: value for p, value in x.at.items() if wanted(p)})


def _sum_by_place(terms: Iterable[tuple[Place, Scalar]], monoid: TypedMonoid) -> dict[Place, Scalar]:
    sums: dict[Place, Scalar] = {}
    for place, value in terms:
        value = caster(monoid.domain)(value)
        sums[place] = monoid.op(sums[place], value) if place in sums else value
    return sums


def _sequences(indices: Indices, shape: Shape) -> list[range | list[int]]:
    """The places along each axis; a range stays one, as it may be long."""
    return [
        range(n) if axis is None else axis if isinstance(axis, range) else axis.tolist()
        for axis, n in zip(indices, shape, strict=True)
    ]


def _positions(places: range | list[int]) -> Callable[[int], Iterable[int]]:
    """At which positions a place comes, as a function of the place."""
    if isinstance(places, range):
        return lambda i: (places.index(i),) if i in places else ()
    found: dict[int, list[int]] = {}
    for position, i in enumerate(places):
        found.setdefault(i, []).append(position)
    return lambda i: found.get(i, ())
