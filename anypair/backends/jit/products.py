"""Masked products: choose a direction, share out the work, collect what was found in order."""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from anypair.backends.base import StructuralMask
from anypair.backends.jit.building import transpose
from anypair.backends.jit.direction import cheaper_direction
from anypair.backends.jit.ground import ALL, NONE, Ground
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
from anypair.backends.jit.workspace import SMALL, Marks, Workspace
from anypair.compiling.prelude import constant_product
from anypair.dtypes import Array, DType
from anypair.semiring import TypedSemiring, max_monoid, min_monoid
from anypair.threads.pool import ALONE
from anypair.threads.team import SMALL_WORK, Team, even_bounds

SAMPLED = 1024  # vertices of a frontier whose degrees stand for all
SAMPLED_FROM = 1 << 16  # edges that take longer to push than it takes to look at some rows
PROBED = 256  # rows whose probes stand for all
PUSH_IN_PARTS = 1 << 16  # edges from which a push is worth several threads
LISTED_IF_BELOW = 16  # places for each entry found, from which there is a list


def transposed(team: Team, a: JitMatrix) -> JitMatrix:
    """The transpose of a, made once."""
    if a.transposed is None:
        made = transpose(team, a, a.shape)
        a.set_transposed(made)
    assert a.transposed is not None
    return a.transposed


@lru_cache(maxsize=512)
def sums_are_exact(semiring: TypedSemiring) -> bool:
    """Whether sums are the same in any order: floats round."""
    add = semiring.add
    return add.domain.kind != "f" or add.takes_any or add.monoid in (min_monoid, max_monoid)


@lru_cache(maxsize=64)
def _one_value(semiring: TypedSemiring, size: int) -> Array:
    """The value that every sum over this semiring has, for so many places; nobody writes to it."""
    return broadcast(np.array([constant_product(semiring)], semiring.result), size)


class VectorProduct:
    """t(j) = sum over k of multiply(edge(k, j), u(k)), for one call.

    `out_rows` are the edges by k, for a push; `in_rows` by j, for a pull; None where not yet made.
    """

    __slots__ = (
        "frontier_edges",
        "kernels",
        "looked_at",
        "mask",
        "semiring",
        "size",
        "team",
        "u",
        "wanted",
        "workspace",
    )

    def __init__(
        self,
        team: Team,
        workspace: Workspace,
        u: JitVector,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
        size: int,
    ) -> None:
        self.team = team
        self.workspace = workspace
        self.u = u
        self.semiring = semiring
        self.mask = mask
        self.size = size
        self.wanted = size
        self.frontier_edges = 0.0
        self.looked_at: int | None = None
        self.kernels: Any = product_kernels("products_of_vectors", semiring)

    def choose(self, out_rows: JitMatrix | None, in_rows: JitMatrix | None, a: JitMatrix) -> str:
        """The direction that looks at fewer entries."""
        u = self.u
        rows = self.size if in_rows is None else in_rows.nonempty[1]
        self.wanted = wanted = self._wanted(rows)
        if in_rows is not None and self.mask is None and self._covers(out_rows):
            self.frontier_edges = a.nvals
            return "pull"  # every edge is looked at either way, and a pull keeps its sums in registers
        if out_rows is not None and u.nvals * out_rows.max_degree <= wanted:
            return "push"  # each wanted row costs a pull one entry at least
        if out_rows is None or u.nvals == u.size:
            edges = a.nvals * u.nvals / (u.size or 1)
        else:
            edges = self._count_edges(out_rows)
        self.frontier_edges = edges
        first_hit = self.kernels.FIRST_HIT
        direction = cheaper_direction(edges, wanted, a.nvals, rows, first_hit=first_hit)
        in_doubt = direction == "push" and first_hit and edges > SAMPLED_FROM and edges > wanted
        if in_doubt and in_rows is not None:
            return "pull" if self._count_probes(in_rows) < edges else "push"
        return direction

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
        step = self.u.nvals // SAMPLED + 1
        if not self.u.has_list:
            degrees, count = plain_kernels("structure").sum_of_degrees_in_words(
                self.u.words, step, out_rows.starts
            )
            return min(float(degrees / max(count, 1) * self.u.nvals), float(out_rows.nvals))
        frontier = self.u.any_indices()
        return float(plain_kernels("structure").sum_of_degrees(frontier, step, out_rows.starts) * step)

    def _count_probes(self, in_rows: JitMatrix) -> int:
        """How many entries a pull looks at, from a sample: hits come early if rows begin with hubs."""
        wanted, flip = self._wanted_words(in_rows)
        step = max(len(wanted) // PROBED, 1)
        rows = (in_rows.nonempty[0], in_rows.starts, in_rows.indices)
        sample: Any = plain_kernels("structure").sample_of_probes
        return int(sample(step, wanted, flip, *rows, self.u.words))

    def push(self, out_rows: JitMatrix) -> JitVector:
        """Send the values along their edges."""
        try:
            if self._is_heavy():
                try:
                    return self._push_by_place(out_rows)
                except Exception:
                    # An operator may have met what nobody asked for, the value for a blocked place.
                    self.workspace.forget()
            return self._on_ground(self._push_as_list, out_rows, self.workspace.marks(self.size).sums)
        except BaseException:  # Ctrl-C too: the marks are as they were then
            self.workspace.forget()
            raise

    def _is_heavy(self) -> bool:
        """Whether there are so many edges that looking at every word afterwards is little beside them,
        and so many places open that those who block are not worth a test each.
        """
        if self.frontier_edges < 16 * nwords(self.size):
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
            return self._on_ground(self._push_first, out_rows, self._room)
        marks, sums = self.workspace.marks(self.size), self._room(self.semiring.result)
        sent = (out_rows.starts, out_rows.indices, out_rows.values)
        given = (*self._frontier(), *sent, marks.flags, sums, self.size)
        self._push(self.kernels.push_to_all, given, out_rows)
        words = np.empty_like(marks.touched)
        drain: Any = plain_kernels("structure").drain_flags
        count = drain(marks.flags.view(np.uint64), *self._blocked(), words)
        return self._by_place(words, sums, count, None)

    def _push_first(self, out_rows: JitMatrix, sums: Array, ground: Ground | None) -> JitVector:
        """A push where the first value at a place is its sum."""
        touched, (blocked, flip) = self.workspace.marks(self.size).touched, self._blocked()
        np.bitwise_xor(blocked, flip, out=touched)
        sent = (out_rows.starts, out_rows.indices, out_rows.values)
        given = (*self._sorted_frontier(), *sent, touched, sums, self.size)
        self._push(self.kernels.push_first, given, out_rows)
        return self._drain_by_place(touched, sums, ground)

    def _push_as_list(self, out_rows: JitMatrix, sums: Array, ground: Ground | None) -> JitVector:
        """A push that lists what it reaches."""
        marks = self.workspace.marks(self.size)
        sent = (out_rows.starts, out_rows.indices, out_rows.values, *self._blocked())
        kept = (marks.touched, sums, marks.reached, marks.counts, self.size)
        given = (*self._frontier(), self.u.is_sorted, *sent, *kept)
        bounds = self._push(self.kernels.push, given, out_rows)
        counts = marks.counts[: len(bounds) - 1].tolist()
        if len(counts) == 1 and counts[0] * 4 < len(marks.touched):
            return self._drain_unsorted(marks, sums, counts[0])
        if ground is None or not self._is_many(sum(counts)):
            return self._drain(marks, sums, bounds, counts)
        return self._drain_by_place(marks.touched, sums, ground)

    def _frontier(self) -> tuple[Array, Array]:
        """The list of u, in any order unless sums round, without values if nobody reads them."""
        if not sums_are_exact(self.semiring):
            return self._sorted_frontier()
        if self.semiring.multiply.op.reads_right:
            return self.u.any_list()
        return self.u.any_indices(), unread(self.u.dtype)

    def _sorted_frontier(self) -> tuple[Array, Array]:
        if self.u.is_sorted and not self.semiring.multiply.op.reads_right:
            return self.u.any_indices(), unread(self.u.dtype)
        return self.u.sorted_list()

    def _push(self, kernel: Any, given: tuple[Any, ...], out_rows: JitMatrix) -> list[int]:
        """Run the kernel; returns the ranges of words that were shared out."""
        if self.team.size == 1 or self.frontier_edges < PUSH_IN_PARTS:
            kernel(ALONE, 0, self.size, *given)
            return [0, nwords(self.size)]
        bounds = self._ranges(out_rows)  # rows are sorted, so that each thread finds its own places
        self.team.share([*(64 * b for b in bounds[:-1]), self.size], kernel, *given)
        return bounds

    def _ranges(self, out_rows: JitMatrix) -> list[int]:
        """Ranges of words of the result, with about as many edges each if that is known."""
        if out_rows.transposed is None:
            return even_bounds(nwords(self.size), self.team.size)
        return out_rows.transposed.pieces(self.team.size, 64)

    def _drain_by_place(self, touched: Array, sums: Array, ground: Ground | None) -> JitVector:
        """What was reached, its sums where they are."""
        words = np.empty_like(touched)
        count = plain_kernels("structure").drain_words(touched, *self._blocked(), words)
        return self._by_place(words, sums, count, ground)

    def _drain(self, marks: Marks, sums: Array, bounds: list[int], counts: list[int]) -> JitVector:
        """What was reached in these ranges of words, as a sorted list with its bitmap."""
        total = sum(counts)
        words, indices = np.empty_like(marks.touched), np.empty(total, marks.reached.dtype)
        values = self._room_for_list(sums, total)
        out = (marks.touched, sums, words, indices, values)
        before = accumulate(counts, initial=0)
        calls = [(b, e, *out, at) for (b, e), at in zip(pairwise(bounds), before, strict=False)]
        self.team.run(plain_kernels("structure").drain_by_scan, calls)
        return JitVector(self.size, indices, values, words)

    def _drain_unsorted(self, marks: Marks, sums: Array, count: int) -> JitVector:
        """What was reached, in that order: a short list is not worth sorting."""
        values = self._room_for_list(sums, count)
        indices = marks.reached[:count].copy()
        plain_kernels("structure").drain_by_list(indices, marks.touched, sums, values)
        return JitVector(self.size, indices, values, is_sorted=False)

    def _room_for_list(self, sums: Array, count: int) -> Array:
        """Where to list so many of the sums."""
        return broadcast(sums, count) if self.kernels.CONSTANT else np.empty(count, sums.dtype)

    def edges_looked_at(self, out_rows: JitMatrix | None) -> int:
        """How many entries of the matrix the product has looked at."""
        if self.looked_at is None:
            assert out_rows is not None
            frontier = self.u.any_indices()
            self.looked_at = plain_kernels("structure").sum_of_degrees(frontier, 1, out_rows.starts)
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
        if in_rows.nvals < SMALL_WORK:
            return 1
        probes = 4 if self.kernels.FIRST_HIT else in_rows.nvals // (in_rows.nonempty[1] or 1)
        return self.team.stoppable_parts_for(nwords(self.size) + self.wanted * probes)

    def pull(self, in_rows: JitMatrix) -> JitVector:
        """Let each wanted place look for entries of the vector among its own."""
        return self._on_ground(self._pull, in_rows, self._room)

    def _pull(self, in_rows: JitMatrix, out: Array, ground: Ground | None) -> JitVector:
        u, kernels, nonempty = self.u, self.kernels, in_rows.nonempty[0]
        words = np.empty(len(nonempty), np.uint64)  # empty_like takes longer
        rows = (*self._wanted_words(in_rows), nonempty, in_rows.starts, in_rows.indices, in_rows.values)
        values = u.by_place if self.semiring.multiply.op.reads_right else unread(u.dtype)
        parts = self._parts_of_pull(in_rows)
        if not kernels.FIRST_HIT and self._covers(in_rows.transposed):
            bounds = [0, len(words)] if parts == 1 else in_rows.pieces(parts, 64)
            found = self.team.share(bounds, kernels.pull_all, *rows, values, words, out)
        else:
            found = self._probe(in_rows, rows, (u.words, values, words, out), parts)
        hits, self.looked_at = found[0] if len(found) == 1 else map(sum, zip(*found, strict=True))
        return self._by_place(words, out, hits, ground)

    def _probe(
        self, in_rows: JitMatrix, rows: tuple[Any, ...], sought: tuple[Any, ...], parts: int
    ) -> list[Any]:
        """Let rows look for entries of the vector, which may be missing."""
        u, kernels, words = self.u, self.kernels, sought[2]
        found = None
        if kernels.FIRST_HIT and u.nvals and (heads := in_rows.heads) is not None:
            bounds = even_bounds(len(words), parts)  # long or short, a row costs about the same
            try:
                found = self.team.share(bounds, kernels.pull_first, *rows, *heads, *sought)
            except Exception:
                found = None  # an operator may have met what nobody asked for
        if found is None and parts == 1:
            found = [kernels.pull(ALONE, 0, len(words), *rows, *sought)]
        elif found is None:
            found = self.team.share(in_rows.pieces(parts, 64), kernels.pull, *rows, *sought)
        return found

    def in_all_ways(self, out_rows: JitMatrix, in_rows: JitMatrix) -> Iterator[JitVector]:
        """The result by each strategy, whichever might be chosen where there is more or less to do."""
        self.choose(out_rows, in_rows, out_rows)
        self._count_edges(out_rows)
        if self.kernels.FIRST_HIT:
            self._count_probes(in_rows)
        for edges in (0.0, math.inf):  # for one thread, for all
            self.frontier_edges = edges
            yield self._on_ground(self._push_as_list, out_rows, self.workspace.marks(self.size).sums)
            try:
                yield self._push_by_place(out_rows)
            except Exception:  # as in `push`
                self.workspace.forget()
        for rows in (in_rows.with_heads(), in_rows.without_heads()):
            yield (found := self.pull(rows))
            yield found.as_list()

    def _on_ground(
        self,
        compute: Callable[[JitMatrix, Array, Ground | None], JitVector],
        rows: JitMatrix,
        room: Callable[[DType], Array],
    ) -> JitVector:
        """What `compute` puts between the values of the vector behind the mask, where that has none, or
        into an array that `room` has for it.
        """
        mask, dtype = self.mask, self.semiring.result
        if self.kernels.CONSTANT:
            return compute(rows, _one_value(self.semiring, self.size), None)
        if mask is None or not mask.complemented or self.size < SMALL:
            return compute(rows, room(dtype), None)
        ground: Ground = mask.storage.ground
        values = ground.enter(dtype)
        if values is None:
            result = compute(rows, room(dtype), None)
            result.beside = ground.sign
            return result
        guests = 0
        try:
            result = compute(rows, values, ground)
            guests = 0 if result.host is None else result.nvals
            return result
        finally:
            ground.leave(guests)

    def _room(self, dtype: DType) -> Array:
        return self.workspace.room(self.size, dtype)

    def _is_many(self, count: int) -> bool:
        """Whether so many results are kept by place."""
        return count * LISTED_IF_BELOW > self.size

    def _by_place(self, words: Array, out: Array, count: int, ground: Ground | None) -> JitVector:
        """`count` results where they are, or as a list if they are few."""
        if count == self.size and ground is None:
            return JitVector(self.size, all_indices(self.size), out, words)
        many = self._is_many(count)
        result = JitVector(self.size, None, None, words, out, count, host=ground if many else None)
        return result if many else result.as_list()
