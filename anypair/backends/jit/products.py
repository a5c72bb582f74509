"""Masked products: choose a direction, share out the work, collect what was found in order."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from anypair.backends.base import StructuralMask
from anypair.backends.jit.building import transpose
from anypair.backends.jit.dense_buffer import ALL, NONE, DenseBuffer
from anypair.backends.jit.kernels import plain_kernels, product_kernels
from anypair.backends.jit.storage import (
    JitMatrix,
    JitVector,
    all_indices,
    broadcast,
    no_bits,
    nwords,
    unread,
)
from anypair.backends.jit.workspace import PushScratch, Workspace
from anypair.backends.plan import Direction, Plan, plan_for
from anypair.backends.tuning import Tuning
from anypair.dtypes import Array, DType
from anypair.semiring import TypedSemiring
from anypair.threads.pool import ALONE
from anypair.threads.team import Team, even_bounds


def transposed(team: Team, a: JitMatrix) -> JitMatrix:
    """The transpose of a, made once."""
    if (made := a.transposed) is None:
        made = transpose(team, a, a.shape)
        a.set_transposed(made)
    return made


@lru_cache(maxsize=512)
def _planned(semiring: TypedSemiring, value_first: bool) -> tuple[Plan, Any]:
    """The plan and the kernels of products over this semiring."""
    plan = plan_for(semiring)
    if value_first:
        plan = replace(plan, reads_edges=plan.reads_values, reads_values=plan.reads_edges)
    return plan, product_kernels("products_of_vectors", semiring, value_first)


@lru_cache(maxsize=64)
def _one_value(semiring: TypedSemiring, size: int) -> Array:
    """The value that every sum over this semiring has, for so many places; nobody writes to it."""
    return broadcast(np.array([plan_for(semiring).constant], semiring.result), size)


class VectorProduct:
    """t(j) = sum over k of multiply(edge(k, j), u(k)), for one call; what a plan asks of its `Work`.

    With `value_first` of multiply(u(k), edge(k, j)), as for a row of a product of matrices.
    `out_rows` are the edges by k, for a push; `in_rows` by j, for a pull; one of them is `a`, the other
    None if it is not yet made.
    """

    __slots__ = (
        "_edges", "a", "entries", "frontier", "in_rows", "kernels", "looked_at", "mask", "masked",
        "missing", "nvals", "out_rows", "places", "plan", "reason", "semiring", "size", "team",
        "tuning", "u", "workspace",
    )  # fmt: skip

    after_pull = False
    detour = 0.0

    def __init__(
        self,
        team: Team,
        workspace: Workspace,
        tuning: Tuning,
        u: JitVector,
        out_rows: JitMatrix | None,
        in_rows: JitMatrix | None,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
        frontier: str = "auto",
        *,
        value_first: bool = False,
    ) -> None:
        self.team = team
        self.workspace = workspace
        self.tuning = tuning
        self.u = u
        self.out_rows = out_rows
        self.in_rows = in_rows
        self.semiring = semiring
        self.mask = mask
        self.plan, self.kernels = _planned(semiring, value_first)
        # What a plan asks; plain attributes, as this is a hot path.
        self.missing: Direction | None
        if in_rows is not None:
            self.a, self.size = in_rows, in_rows.shape[0]
            self.missing = "push" if out_rows is None else None
        else:
            assert out_rows is not None
            self.a, self.size = out_rows, out_rows.shape[1]
            self.missing = "pull"
        self.entries = u.nvals
        self.places = u.size
        self.nvals = self.a.nvals
        self.masked = mask is not None
        self._edges: float | None = None
        self.looked_at: int | None = None
        #: How a push goes over the entries: as asked for, then as it did; and why.
        self.frontier = frontier
        self.reason: Any = ""

    def run(self, forced: str) -> tuple[str, JitVector]:
        """The product in the direction that is asked for, or in the better one; which one that was."""
        direction = self.choose() if forced == "auto" else forced
        return direction, self.push() if direction == "push" else self.pull()

    def choose(self) -> Direction:
        """The direction that is expected to look at fewer entries."""
        return self.plan.direction(self, self.tuning).direction

    def rows_to_push(self) -> JitMatrix:
        """The edges by the places of the vector."""
        if self.out_rows is None:
            self.out_rows = transposed(self.team, self.a)
        return self.out_rows

    def rows_to_pull(self) -> JitMatrix:
        """The edges by the places of the result."""
        if self.in_rows is None:
            self.in_rows = transposed(self.team, self.a)
        return self.in_rows

    # What a plan asks

    def open_rows(self) -> tuple[int, int]:
        rows = self.size if self.in_rows is None else self.in_rows.nonempty[1]
        return rows, self._wanted(rows)

    def covers(self) -> bool:
        """Whether u has an entry for each row, so that no edge of a pull, if that is at hand, leads to
        none.
        """
        return self.in_rows is not None and self._covers(self.out_rows)

    def longest(self) -> int | None:
        return None if self.out_rows is None else self.out_rows.max_degree

    def edges(self) -> float | None:
        if self._edges is None and self.out_rows is not None:
            self._edges = self._count_edges(self.out_rows)
        return self._edges

    def probes(self) -> int | None:
        return None if self.in_rows is None else self._count_probes(self.in_rows)

    def _covers(self, out_rows: JitMatrix | None) -> bool:
        """Whether u is known to have an entry for each of the rows, so that no edge leads to none."""
        u = self.u
        if u.nvals == u.size:
            return True
        if out_rows is None or not u.has_words or u.nvals < out_rows.nonempty[1]:
            return False
        return not np.any(out_rows.nonempty[0] & ~u.words)

    def _count_edges(self, out_rows: JitMatrix) -> float:
        """How many edges leave the entries of u, from a sample of them."""
        if self.u.is_full:
            return out_rows.nvals
        step = self.u.nvals // self.tuning.sampled_entries + 1
        if not self.u.has_list:
            degrees, count = plain_kernels("structure").sum_of_degrees_in_words(
                self.u.words, step, out_rows.starts
            )
            return min(float(degrees / max(count, 1) * self.u.nvals), float(out_rows.nvals))
        frontier = self.u.indices
        return float(plain_kernels("structure").sum_of_degrees(frontier, step, out_rows.starts) * step)

    def _has_edges(self, number: float) -> bool:
        """Whether the entries of u have so many edges, about; counted only if they may."""
        if self._edges is None:
            out_rows = self.out_rows or self.rows_to_push()
            if self.u.nvals * out_rows.max_degree < number:
                return False
            self._edges = self._count_edges(out_rows)
        return self._edges >= number

    def _count_probes(self, in_rows: JitMatrix) -> int:
        """How many entries a pull looks at, from a sample: hits come early if rows begin with hubs."""
        wanted, flip = self._wanted_words(in_rows)
        step = max(len(wanted) // self.tuning.sampled_rows, 1)
        rows = (in_rows.nonempty[0], in_rows.starts, in_rows.indices)
        sample: Any = plain_kernels("structure").sample_of_probes
        return int(sample(step, wanted, flip, *rows, self.u.words))

    def push(self) -> JitVector:
        """Send the values along their edges."""
        out_rows = self.rows_to_push()
        try:
            if self._are_few():
                return self.push_few()
            if self._decide_frontier(self._is_heavy()):
                try:
                    return self._push_by_place(out_rows)
                except Exception:
                    # An operator may have met what nobody asked for, the value for a blocked place.
                    self.workspace.forget()
                    self.frontier, self.reason = "queue", "an operator raised for a blocked place"
            return self.push_as_list()
        except BaseException:  # Ctrl-C too: the scratch is as it was then
            self.workspace.forget()
            raise

    def _are_few(self) -> bool:
        """Whether there are so few edges that what they lead to is a short list: one thread does all."""
        few = self.size / self.tuning.listed_below
        if self.team.size > 1:
            few = min(few, self.tuning.push_in_parts)
        return self.frontier != "read" and not self._has_edges(few)

    def push_few(self) -> JitVector:
        """A push that lists what it reaches, in order, without a look at each word."""
        self.reason = "few edges" if self.frontier == "auto" else "asked for"
        self.frontier = "queue"
        scratch = self.workspace.push_scratch(self.size)
        if self.kernels.CONSTANT:
            return self._push_few(scratch, _one_value(self.semiring, self.size), None)
        dtype = self.semiring.result
        if (lender := self._lender()) is None or (sums := lender.lease(dtype)) is None:
            return self._push_few(scratch, scratch.sums(dtype), None)
        kept = 0
        try:
            result = self._push_few(scratch, sums, lender)
            kept = 0 if result.lender is None else result.nvals
            return result
        finally:
            lender.end_lease(kept)

    def _push_few(self, scratch: PushScratch, sums: Array, lender: DenseBuffer | None) -> JitVector:
        """The same, with sums in scratch; or in a buffer, where they stay if no values are read: mostly,
        the next product will not read those of this one.
        """
        rows, kernels = self.rows_to_push(), self.kernels
        is_copied = not kernels.CONSTANT and (lender is None or self.plan.reads_values)
        listed = scratch.listed(sums.dtype) if is_copied else unread(sums.dtype)
        sent = (*self._frontier(), rows.starts, rows.indices, rows.values)
        if (wanted := self._listed_places()) is not None:
            marks, found = (scratch.named, scratch.touched), (scratch.reached, listed)
            count = kernels.push_to_few(*sent, wanted, *marks, sums, *found)
        else:
            marks, found = (scratch.touched, scratch.groups), (scratch.reached, listed)
            count = kernels.push_few(*sent, *self._blocked(), *marks, sums, *found, is_copied)
        places = scratch.reached[:count].copy()
        if is_copied:
            return JitVector(self.size, places, listed[:count].copy())
        if lender is None or not count:
            return JitVector(self.size, places, broadcast(sums, count))
        return JitVector(self.size, None, None, None, sums, count, places=places, lender=lender)

    def _listed_places(self) -> Array | None:
        """The places that the mask leaves, if these are a list, and few beside the bits of a bitmap."""
        mask = self.mask
        if mask is None or mask.complemented:
            return None
        inside: JitVector = mask.storage
        is_short = inside.has_list and not self._is_many(inside.nvals)
        return inside.indices if is_short and not inside.has_words else None

    def _lender(self) -> DenseBuffer | None:
        """The buffer of the vector behind the mask, if that has entries where this has none."""
        mask = self.mask
        if mask is None or not mask.complemented or self.size < self.tuning.pooled_from:
            return None
        buffer: DenseBuffer | None = mask.storage.buffer
        return buffer

    def push_as_list(self) -> JitVector:
        """A push that lists what it reaches, which pays where that is little."""
        scratch = self.workspace.push_scratch(self.size)
        return self._in_buffer(partial(self._push_as_list, scratch), self.rows_to_push(), scratch.sums)

    def _decide_frontier(self, is_heavy: bool) -> bool:
        """Settle how to go over the entries; whether results are kept by place, as in reading."""
        if self.frontier != "auto" and self.u.size:
            self.reason = "asked for"
            return is_heavy or self.frontier == "read"
        if is_heavy:
            self.reason = ways = self.plan.frontier(self, self.tuning)
            self.frontier = ways.frontier
        else:
            self.frontier, self.reason = "queue", "few edges"
        return is_heavy

    # What a plan asks of the entries

    @property
    def listed(self) -> bool:
        u = self.u
        return u.has_list or (u.has_indices and not self.plan.reads_values)

    @property
    def has_words(self) -> bool:
        return self.u.has_words

    @property
    def has_values_by_place(self) -> bool:
        return self.u.has_values_by_place

    def _is_heavy(self) -> bool:
        """Whether there are so many edges that looking at every word afterwards is little beside them,
        and so many places open that those who block are not worth a test each.
        """
        if not self._has_edges(16 * nwords(self.size)):
            return False
        return self.kernels.FIRST_HIT or 2 * self._wanted(self.size) > self.size

    def _blocked(self) -> tuple[Array, Any]:
        """One bit for each place that the mask closes, to be flipped."""
        if (mask := self.mask) is None:
            return no_bits(self.size), NONE
        return mask.storage.words, NONE if mask.complemented else ALL

    def _push_by_place(self, out_rows: JitMatrix) -> JitVector:
        """A push whose sums are the result where they are."""
        if self.kernels.FIRST_HIT:
            return self._in_buffer(self._push_first, out_rows, self._allocate)
        scratch, sums = self.workspace.push_scratch(self.size), self._allocate(self.semiring.result)
        sent = (out_rows.starts, out_rows.indices, out_rows.values, scratch.flags, sums, self.size)
        if self.frontier == "read":
            self._push(self.kernels.read_to_all, (*self._bitmap(), *sent), out_rows)
        else:
            self._push(self.kernels.push_to_all, (*self._frontier(), *sent), out_rows)
        words = np.empty_like(scratch.touched)
        collect: Any = plain_kernels("structure").collect_flags
        count = collect(scratch.flags.view(np.uint64), *self._blocked(), words)
        return self._by_place(words, sums, count, None)

    def _push_first(self, out_rows: JitMatrix, sums: Array, lender: DenseBuffer | None) -> JitVector:
        """A push where the first value at a place is its sum."""
        touched, (blocked, flip) = self.workspace.push_scratch(self.size).touched, self._blocked()
        np.bitwise_xor(blocked, flip, out=touched)
        sent = (out_rows.starts, out_rows.indices, out_rows.values, touched, sums, self.size)
        if self.frontier == "read":
            self._push(self.kernels.read_first, (*self._bitmap(), *sent), out_rows)
        else:
            self._push(self.kernels.push_first, (*self._frontier(), *sent), out_rows)
        return self._collect_by_place(touched, sums, lender)

    def _push_as_list(
        self, scratch: PushScratch, out_rows: JitMatrix, sums: Array, lender: DenseBuffer | None
    ) -> JitVector:
        """A push that lists what it reaches."""
        sent = (out_rows.starts, out_rows.indices, out_rows.values, *self._blocked())
        kept = (scratch.touched, sums, scratch.counts, self.size)
        given = (*self._frontier(), *sent, *kept)
        bounds = self._push(self.kernels.push, given, out_rows)
        counts = scratch.counts[: len(bounds) - 1].tolist()
        if lender is None or not self._is_many(sum(counts)):
            return self._collect(scratch, sums, bounds, counts)
        return self._collect_by_place(scratch.touched, sums, lender)

    def _bitmap(self) -> tuple[Array, Array]:
        """The words of u and its values by place, if somebody reads them."""
        return self.u.words, self.u.by_place if self.plan.reads_values else unread(self.u.dtype)

    def _frontier(self) -> tuple[Array, Array]:
        """The list of u, without values if nobody reads them."""
        if self.plan.reads_values:
            return self.u.sorted_list()
        return self.u.indices, unread(self.u.dtype)

    def _push(self, kernel: Any, given: tuple[Any, ...], out_rows: JitMatrix) -> list[int]:
        """Run the kernel; returns the ranges of words that were shared out."""
        if not self._in_parts():
            kernel(ALONE, 0, self.size, *given)
            return [0, nwords(self.size)]
        bounds = self._ranges(out_rows)  # rows are sorted, so that each thread finds its own places
        self.team.share([*(64 * b for b in bounds[:-1]), self.size], kernel, *given)
        return bounds

    def _in_parts(self) -> bool:
        """Whether the push is worth several threads."""
        return self.team.size > 1 and self._has_edges(self.tuning.push_in_parts)

    def _ranges(self, out_rows: JitMatrix) -> list[int]:
        """Ranges of words of the result, with about as many edges each if that is known."""
        if out_rows.transposed is None:
            return even_bounds(nwords(self.size), self.team.size)
        return out_rows.transposed.pieces(self.team.size, 64)

    def _collect_by_place(self, touched: Array, sums: Array, lender: DenseBuffer | None) -> JitVector:
        """What was reached, its sums where they are."""
        words = np.empty(len(touched), np.uint64)
        count = plain_kernels("structure").collect_words(touched, *self._blocked(), words)
        return self._by_place(words, sums, count, lender)

    def _collect(
        self, scratch: PushScratch, sums: Array, bounds: list[int], counts: list[int]
    ) -> JitVector:
        """What was reached in these ranges of words, as a sorted list with its bitmap."""
        total = sum(counts)
        words = np.empty(len(scratch.touched), np.uint64)
        indices = np.empty(total, scratch.reached.dtype)
        values = self._values_for_list(sums, total)
        out = (scratch.touched, sums, words, indices, values)
        collect: Any = plain_kernels("structure").collect_by_scan
        if len(counts) == 1:
            collect(*bounds, *out, 0)
        else:
            before = accumulate(counts, initial=0)
            calls = [(b, e, *out, at) for (b, e), at in zip(pairwise(bounds), before, strict=False)]
            self.team.run(collect, calls)
        return JitVector(self.size, indices, values, words)

    def _values_for_list(self, sums: Array, count: int) -> Array:
        """Where to list so many of the sums."""
        return broadcast(sums, count) if self.kernels.CONSTANT else np.empty(count, sums.dtype)

    def edges_looked_at(self) -> int:
        """How many entries of the matrix the product has looked at."""
        if self.looked_at is None:
            frontier, starts = self.u.indices, self.rows_to_push().starts
            self.looked_at = plain_kernels("structure").sum_of_degrees(frontier, 1, starts)
        return self.looked_at

    def _wanted(self, rows: int) -> int:
        """How many of so many rows the mask leaves."""
        mask = self.mask
        if mask is None:
            return rows
        inside: int = mask.storage.nvals
        if mask.complemented:
            return rows - inside if inside < rows else 0
        return inside if inside < rows else rows

    def _wanted_words(self, in_rows: JitMatrix) -> tuple[Array, Any]:
        """One bit for each row that the mask leaves, to be flipped."""
        if (mask := self.mask) is None:
            return in_rows.nonempty[0], NONE
        return mask.storage.words, ALL if mask.complemented else NONE

    def _parts_of_pull(self, in_rows: JitMatrix) -> int:
        """Into how many parts to cut the words to skip and the entries to look at."""
        probes = 4 if self.kernels.FIRST_HIT else in_rows.nvals // (in_rows.nonempty[1] or 1)
        wanted = self._wanted(in_rows.nonempty[1])
        return self.team.stoppable_parts_for(nwords(self.size) + wanted * probes)

    def pull(self) -> JitVector:
        """Let each wanted place look for entries of the vector among its own."""
        return self._in_buffer(self._pull, self.in_rows or self.rows_to_pull(), self._allocate)

    def _pull(self, in_rows: JitMatrix, out: Array, lender: DenseBuffer | None) -> JitVector:
        u, kernels, nonempty = self.u, self.kernels, in_rows.nonempty[0]
        words = np.empty(len(nonempty), np.uint64)  # empty_like takes longer
        rows = (*self._wanted_words(in_rows), nonempty, in_rows.starts, in_rows.indices, in_rows.values)
        values = u.by_place if self.plan.reads_values else unread(u.dtype)
        parts = 1 if in_rows.nvals < self.tuning.small_work else self._parts_of_pull(in_rows)
        if not kernels.FIRST_HIT and self._covers(in_rows.transposed):
            bounds = [0, len(words)] if parts == 1 else in_rows.pieces(parts, 64)
            found = self.team.share(bounds, kernels.pull_all, *rows, values, words, out)
        else:
            found = self._probe(in_rows, rows, (u.words, values, words, out), parts)
        hits, self.looked_at = found[0] if len(found) == 1 else map(sum, zip(*found, strict=True))
        return self._by_place(words, out, hits, lender)

    def _probe(
        self, in_rows: JitMatrix, rows: tuple[Any, ...], sought: tuple[Any, ...], parts: int
    ) -> list[Any]:
        """Let rows look for entries of the vector, which may be missing."""
        u, kernels, words = self.u, self.kernels, sought[2]
        found = None
        long_rows = in_rows.nvals >= self.tuning.row_prefix_from * in_rows.shape[0]
        if kernels.FIRST_HIT and u.nvals and long_rows:
            bounds = even_bounds(len(words), parts)  # long or short, a row costs about the same
            try:
                found = self.team.share(bounds, kernels.pull_first, *rows, *in_rows.row_prefix, *sought)
            except Exception:
                found = None  # an operator may have met what nobody asked for
        if found is None and parts == 1:
            found = [kernels.pull(ALONE, 0, len(words), *rows, *sought)]
        elif found is None:
            found = self.team.share(in_rows.pieces(parts, 64), kernels.pull, *rows, *sought)
        return found

    def in_all_ways(self) -> Iterator[JitVector]:
        """The result by each strategy, whichever might be chosen where there is more or less to do."""
        out_rows, in_rows = self.rows_to_push(), self.rows_to_pull()
        self._count_edges(out_rows)
        if self.kernels.FIRST_HIT:
            self._count_probes(in_rows)
        yield self.push_few()  # before the words of a mask are at hand
        for tuning in (self.tuning, replace(self.tuning, push_in_parts=0)):  # for one thread, for all
            self.tuning = tuning
            yield self.push_as_list()
            for self.frontier in ("queue", "read"):
                try:
                    yield self._push_by_place(out_rows)
                except Exception:  # as in `push`
                    self.workspace.forget()
        yield self.push_few()
        for entries in (0, sys.maxsize):  # with the first ones of each row kept twice, and without
            self.tuning = replace(self.tuning, row_prefix_from=entries)
            yield (found := self.pull())
            yield found.as_list()

    def _in_buffer(
        self,
        compute: Callable[[JitMatrix, Array, DenseBuffer | None], JitVector],
        rows: JitMatrix,
        allocate: Callable[[DType], Array],
    ) -> JitVector:
        """What `compute` puts into the buffer of the vector behind the mask, where that has no entry, or
        into an array that `allocate` has for it.
        """
        dtype = self.semiring.result
        if self.kernels.CONSTANT:
            return compute(rows, _one_value(self.semiring, self.size), None)
        buffer = self._lender()
        values = None if buffer is None else buffer.lease(dtype)
        if buffer is None or values is None:
            return compute(rows, allocate(dtype), None)
        kept = 0
        try:
            result = compute(rows, values, buffer)
            kept = 0 if result.lender is None else result.nvals
            return result
        finally:
            buffer.end_lease(kept)

    def _allocate(self, dtype: DType) -> Array:
        return self.workspace.get(self.size, dtype)

    def _is_many(self, count: int) -> bool:
        """Whether so many results are kept by place."""
        return count * self.tuning.listed_below > self.size

    def _by_place(self, words: Array, out: Array, count: int, lender: DenseBuffer | None) -> JitVector:
        """`count` results where they are, or as a list if they are few."""
        if count == self.size and lender is None:
            return JitVector(self.size, all_indices(self.size), out, words)
        many = self._is_many(count)
        result = JitVector(self.size, None, None, words, out, count, lender=lender if many else None)
        return result if many else result.as_list()
