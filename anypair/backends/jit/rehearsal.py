"""Everything that may have to be compiled, compiled on purpose: each operation done in every way.

Which kernel runs, and for which kinds of arrays, depends on how many entries operands have and on how
they are kept. A search on a small graph meets some of it, by chance. Here the operations that it asks
for are done once with operands of every form, by every strategy; only then as they would be anyway.
"""

import itertools
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from anypair.backends.base import Applied, StructuralMask
from anypair.backends.jit.backend import JitBackend
from anypair.backends.jit.building import transpose
from anypair.backends.jit.elementwise import Engine, Entries, evaluate, keep_entries
from anypair.backends.jit.products import VectorProduct, transposed
from anypair.backends.jit.storage import JitMatrix, JitVector, broadcast, is_broadcast, nwords
from anypair.backends.jit.tree_shapes import flattened
from anypair.backends.samples import sample_edges
from anypair.backends.tree import Step
from anypair.backends.tuning import Tuning
from anypair.dtypes import Array, DType, Scalar, index_dtype
from anypair.semiring import TypedBinary, TypedMonoid, TypedSemiring

SIZE = Tuning().pooled_from  # rows of a sample: from so many on, memory is used again
DEGREE = 14  # edges of a vertex; with their reverses, enough for the first ones to be kept twice
FEW = 8  # results that are not worth sorting
SEVERAL = 70  # entries of a form that has more than one


def sample_of(a: JitMatrix) -> JitMatrix:
    """A small square matrix with arrays of the same kinds, symmetric if a is."""
    n = SIZE
    sources, targets = sample_edges(np.arange(n), n, DEGREE)
    places = np.unique(np.concatenate([n * sources + targets, n * targets + sources]))
    places = places[places // n != places % n]
    starts = np.searchsorted(places, np.arange(n + 1) * n).astype(a.starts.dtype)
    one = np.ones(1, a.dtype)
    values = broadcast(one, len(places)) if is_broadcast(a.values) else np.repeat(one, len(places))
    sample = JitMatrix((n, n), starts, (places % n).astype(a.indices.dtype), values)
    if a.transposed is a:
        sample.set_transposed(sample)
    return sample


class RehearsingBackend(JitBackend):
    """Does everything in all ways, then as `jit` does it; not for timing."""

    #: Operations on operands of some kinds that all ways have been tried of, in this process.
    met: ClassVar[set[tuple[Any, ...]]] = set()

    def _is_new(self, *kinds: Any) -> bool:
        """Whether an operation on operands of these kinds has not been met before."""
        if kinds in self.met:
            return False
        self.met.add(kinds)
        return True

    def closure(self, *operands: Any, **known: Any) -> JitVector:
        found = super().closure(*operands, **known)
        if self._is_new("closure", kind_of(found)):
            for form in forms_of(found):  # few or all vertices are reached, as the graph is
                assert len(form.words) == len(found.words)
                assert len(form.by_place) >= len(form.values)
        return found

    def _multiply(
        self,
        u: JitVector,
        out_rows: JitMatrix | None,
        in_rows: JitMatrix | None,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
    ) -> JitVector:
        is_complement = None if mask is None else mask.complemented
        a = out_rows if in_rows is None else in_rows
        assert a is not None
        if self._is_new("multiply", semiring, kind_of(u), kind_of(a), is_complement):
            both = out_rows or transposed(self.team, a), in_rows or transposed(self.team, a)
            transpose(self.team, a, a.shape, in_blocks=True)  # which the sample is too small for
            self._multiply_in_all_ways(u, *both, semiring, mask)
        return super()._multiply(u, out_rows, in_rows, semiring, mask)

    def _multiply_in_all_ways(
        self,
        u: JitVector,
        out_rows: JitMatrix,
        in_rows: JitMatrix,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
    ) -> None:
        size = in_rows.shape[0]
        for form in forms_of(u):
            for inside in (mask, *(_inside(count, size) for count in (1, FEW) if count < size)):
                for found in self._product(form, out_rows, in_rows, semiring, inside).in_all_ways():
                    found.as_list()
        if mask is not None and mask.complemented and size >= self.tuning.pooled_from:
            for form in forms_of(u):
                self._merge_into_lender(form, out_rows, in_rows, semiring)

    def _merge_into_lender(
        self, u: JitVector, out_rows: JitMatrix, in_rows: JitMatrix, semiring: TypedSemiring
    ) -> None:
        """What a search has reached has what it finds merged into its buffer, in place."""
        size = out_rows.shape[1]
        for way in (
            VectorProduct.push, VectorProduct.push_few, VectorProduct.push_as_list, VectorProduct.pull
        ):  # fmt: skip
            empty = np.empty(0, index_dtype(size)), np.empty(0, semiring.result)
            reached = JitVector(size, *empty)
            reached.bitmap(self.workspace.get)
            outside = StructuralMask(reached, True)
            found = way(self._product(u, out_rows, in_rows, semiring, outside))
            lender = found.lender
            self._store(reached, found, found.dtype)
            if lender is not None:
                for form in forms_of(found):
                    lender.may_write(reached.words, form)

    def write(
        self,
        out: Entries,
        t: Entries,
        mask: StructuralMask | None,
        accum: TypedBinary | None,
        replace: bool,
        dtype: DType,
    ) -> Entries:
        if (
            isinstance(out, JitVector)
            and isinstance(t, JitVector)
            and self._is_new("write", accum, kind_of(out), kind_of(t), mask is None, dtype)
        ):
            for old, new in _pairs(out, t):
                JitBackend.write(self, old, new, mask, accum, replace, dtype)
            if accum is not None:
                for old, new in _pairs(out, t):
                    self._accumulate(old, new, accum)
        return super().write(out, t, mask, accum, replace, dtype)

    def merge(self, out: Entries, t: Entries, dtype: DType) -> Entries:
        if (
            isinstance(out, JitVector)
            and isinstance(t, JitVector)
            and self._is_new("merge", kind_of(out), kind_of(t), dtype)
        ):
            for old, new in _pairs(out, t):
                JitBackend.merge(self, old, new, dtype)
            for old, new in _pairs(out, t):
                self._store(old, new, dtype)
        return super().merge(out, t, dtype)

    def mxm(
        self, a: JitMatrix, b: JitMatrix, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> JitMatrix:
        product = super().mxm(a, b, semiring, mask)
        if self._is_new("mxm", semiring, kind_of(product)):  # of which some may have to go
            keep_entries(self.team, product, np.ones(product.nvals, np.bool_))
        return product

    def evaluate(self, tree: Step, spare: Sequence[Entries] = ()) -> Any:
        leaves = {id(x): x for x in tree.storages()}
        kinds = tuple(map(kind_of, leaves.values()))
        if tree.depth > 1 and self._is_new("tree", _shape_of(tree), kinds):
            for forms in itertools.product(*(list(_forms(x)) for x in leaves.values())):
                self.evaluate(tree.with_storages(dict(zip(leaves, forms, strict=True))))
        tuning = self.tuning
        for fewer in (0, sys.maxsize):  # as if lists were long: looked up in each other, and merged
            long_lists = replace(tuning, short_lists=0, uncounted=0, probed_if_fewer=fewer)
            with suppress(Exception):  # which comes again below, and is named there
                evaluate(Engine(self.team, long_lists, self.workspace), tree)
        return super().evaluate(tree, spare)

    def apply(self, x: Entries, op: Applied) -> Entries:
        for form in self._new_forms(x, "apply", op.binary if hasattr(op, "binary") else op):
            super().apply(form, op)
        return super().apply(x, op)

    def select(self, x: Entries, op: Applied) -> Entries:
        for form in self._new_forms(x, "select", op.binary if hasattr(op, "binary") else op):
            super().select(form, op)
        return super().select(x, op)

    def restrict(self, x: Entries, mask: StructuralMask) -> Entries:
        for form in self._new_forms(x, "restrict", mask.complemented):
            for other in forms_of(mask.storage):
                super().restrict(form, StructuralMask(other, mask.complemented))
        return super().restrict(x, mask)

    def cast(self, x: Entries, dtype: DType) -> Entries:
        for form in self._new_forms(x, "cast", dtype):
            super().cast(form, dtype)
        return super().cast(x, dtype)

    def reduce(self, x: Entries, monoid: TypedMonoid) -> Scalar:
        for form in self._new_forms(x, "reduce", monoid):
            super().reduce(form, monoid)
        return super().reduce(x, monoid)

    def ewise_add(self, x: Entries, y: Entries, op: TypedBinary) -> Entries:
        for one, other in self._new_pairs(x, y, "ewise_add", op):
            super().ewise_add(one, other, op)
        return super().ewise_add(x, y, op)

    def ewise_mult(self, x: Entries, y: Entries, op: TypedBinary) -> Entries:
        for one, other in self._new_pairs(x, y, "ewise_mult", op):
            super().ewise_mult(one, other, op)
        return super().ewise_mult(x, y, op)

    def _new_forms(self, x: Entries, *operation: Any) -> Iterator[JitVector]:
        if isinstance(x, JitVector) and self._is_new(*operation, kind_of(x)):
            yield from forms_of(x)

    def _new_pairs(
        self, x: Entries, y: Entries, *operation: Any
    ) -> Iterator[tuple[JitVector, JitVector]]:
        if not isinstance(x, JitVector) or not isinstance(y, JitVector):
            return
        if self._is_new(*operation, kind_of(x), kind_of(y)):
            yield from _pairs(x, y)
            for one in forms_of(x):  # and of one structure, as when only the values have changed
                values = np.ones(one.nvals, y.dtype)
                yield one, one.with_values(broadcast(values, one.nvals) if _is_shared(y) else values)


def _inside(count: int, size: int) -> StructuralMask:
    """A mask of the first places, so many."""
    places = np.arange(count, dtype=index_dtype(size))
    return StructuralMask(JitVector(size, places, np.ones(count, np.bool_)), False)


def _pairs(x: JitVector, y: JitVector) -> Iterator[tuple[JitVector, JitVector]]:
    """Forms of both, made anew for each pair, since they change when they are used."""
    for number in range(len(list(forms_of(y)))):
        for one in forms_of(x):
            yield one, list(forms_of(y))[number]


def _forms(x: Entries) -> Iterator[Entries]:
    """All forms of a vector; a matrix as it is."""
    if isinstance(x, JitVector):
        yield from forms_of(x)
    yield x


def _shape_of(tree: Step) -> Any:
    """What a tree is but for its storages."""
    shape, _, bound, _ = flattened(tree)
    return shape, tuple(op.binary for op in bound)


def kind_of(x: Entries) -> tuple[Any, ...]:
    """What decides for which types of arrays kernels are compiled, whatever the form."""
    if isinstance(x, JitVector):
        return x.dtype, _is_shared(x)
    return x.dtype, x.starts.dtype, x.indices.dtype, is_broadcast(x.values), x.transposed is x


def _is_shared(x: JitVector) -> bool:
    """Whether one stored value stands for all entries."""
    return is_broadcast(x.sorted_list()[1] if x.has_list else x.by_place)


def forms_of(x: JitVector) -> Iterator[JitVector]:
    """Vectors of this size and kind of values: of one and of several entries, in every form.

    One value is an array of another type than one that stands for several.
    """
    if not x.size:
        return
    value = x.sorted_list()[1][:1] if x.nvals else np.zeros(1, x.dtype)
    for count in {1, min(SEVERAL, x.size)}:
        places = (np.arange(count) * (x.size // count)).astype(index_dtype(x.size))

        def values(length: int) -> Array:
            return broadcast(value, length) if _is_shared(x) else np.repeat(value, length)

        def words(places: Array = places) -> Array:
            bits = np.zeros(nwords(x.size), np.uint64)
            np.bitwise_or.at(bits, places >> 6, np.uint64(1) << (places & 63).astype(np.uint64))
            return bits

        def by_place(count: int = count) -> JitVector:
            return JitVector(x.size, None, None, words(), values(x.size), count)

        yield JitVector(x.size, places, values(count))
        yield JitVector(x.size, places, values(count), words())
        yield by_place()
        yield by_place().as_list()
