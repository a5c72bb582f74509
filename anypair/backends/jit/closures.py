"""Closures inside one call: in buckets where products never improve, over components by union-find."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anypair.backends.jit.kernels import closure_kernels, component_kernels
from anypair.backends.jit.storage import JitMatrix, JitVector, all_indices, nwords
from anypair.backends.jit.workspace import Workspace
from anypair.backends.tuning import Tuning
from anypair.dtypes import Array, index_dtype
from anypair.memory import require
from anypair.semiring import TypedSemiring
from anypair.threads.team import Team, even_bounds
from anypair.trace import current as current_trace

SAMPLED = 256  # edges whose products say how wide a bucket is
ROOM = 4  # vertices listed at once, for each that there is: one that improves is listed again
TRIED = 1024  # vertices of which most are in the largest component, if there is a large one


class Closure:
    """x = u + xa over a semiring whose sum selects the least or the greatest."""

    def __init__(
        self, team: Team, workspace: Workspace, tuning: Tuning, u: JitVector, a: JitMatrix,
        semiring: TypedSemiring,
    ) -> None:  # fmt: skip
        self.team = team
        self.tuning = tuning
        places, values = u.sorted_list()
        self.places, self.values = places, np.ascontiguousarray(values)
        self.a = a
        self.n = a.shape[0]
        self.semiring = semiring
        require(self.n * (semiring.result.itemsize + 20), f"a closure over {self.n} vertices")
        self.x = workspace.get(self.n, semiring.result)
        self.words = np.zeros(nwords(self.n), np.uint64)

    def _share(self, kernel: Any, *given: Any, count: int | None = None) -> list[Any]:
        """Run a kernel over all vertices, or over so many of something else."""
        count = self.n if count is None else count
        return self.team.share(even_bounds(count, self.team.parts_for(self.n)), kernel, *given)

    def _result(self, count: int) -> JitVector:
        if count == self.n:
            return JitVector(self.n, all_indices(self.n), self.x, self.words)
        return JitVector(self.n, None, None, self.words, self.x, count)

    # In buckets

    def by_buckets(self) -> JitVector:
        """For edges and values whose products are never better than the value, nor NaN."""
        kernels: Any = closure_kernels("buckets", self.semiring)
        self._share(kernels.clear, self.x)
        places, values = self.places, self.values
        members = self.team.size if self.a.nvals >= self.tuning.small_work else 1
        order = self._order(kernels, values)
        room = ROOM * self.n
        while True:
            bins = Bins(kernels, members, room, self.n)
            kernels.begin_with(places, values, *order, self.x, self.words, *bins.arrays[:-2])
            self._work(kernels, order, bins)
            if not bins.shared[kernels.LOST]:
                break
            # What was not listed for want of room is among all that has been reached.
            room *= 2
            words = self.words.copy()
            self._share(kernels.mark_reached, self.x, words, count=len(words))
            reached = JitVector(self.n, None, None, words, self.x, _ones(words))
            places = reached.indices
            values = self.x[places]
        count = sum(self._share(kernels.mark_reached, self.x, self.words, count=len(self.words)))
        if (trace := current_trace()) is not None:
            shared = bins.shared
            trace.note(rounds=int(shared[kernels.ROUNDS]), edges=int(shared[kernels.LOOKED]))
        return self._result(int(count))

    def _work(self, kernels: Any, order: tuple[float, float], bins: "Bins") -> None:
        rows = (self.a.starts, self.a.indices, self.a.values)
        given = (bins.members, self.tuning.at_once, *order, *rows, self.x, self.words, *bins.arrays)
        shared = bins.shared
        while shared[kernels.OVER] < 2 and not shared[kernels.LOST]:  # between them, Ctrl-C has its way
            shared[kernels.OVER] = 0
            self.team.share(range(bins.members + 1), kernels.work, *given)

    def _order(self, kernels: Any, values: Array) -> tuple[float, float]:
        """The value at which the first bucket begins, and how many buckets there are to a unit."""
        sign = 1 if self.semiring.add.selects == "min" else -1
        best, worst = (values.min(), values.max())[::sign]
        edges = self.a.values
        products = np.empty(min(len(edges), SAMPLED), self.semiring.result)
        kernels.some_products(best, max(len(edges) // SAMPLED, 1), edges, products)
        base, far = float(best), float(worst)
        found = products.astype(float)
        found = found[np.isfinite(found)]
        if not math.isfinite(base) and len(found):
            base = float((found * sign).min() * sign)
        with np.errstate(over="ignore"):  # of an infinite width there is one bucket
            step = float(np.abs(found - base).mean()) if len(found) else 0.0
        width = step * self.tuning.bucket_width * (self.n / max(self.a.nvals, 1)) ** 2
        spread = abs(far - base)
        if math.isfinite(spread):
            width = max(width, spread / (64 * kernels.RING))
        if self.semiring.result.kind != "f":
            width = max(width, 1.0)
        return base, sign / width if width > 0 else sign * math.inf

    # Over components

    def over_components(self) -> JitVector:
        """For a multiply that hands values on, and edges each of which has its reverse."""
        kernels: Any = component_kernels(self.semiring.add)
        parents = np.empty(self.n, index_dtype(self.n))
        rows = (self.a.starts, self.a.indices, parents)
        self._share(kernels.hook_first, *rows)
        self._share(kernels.shorten_all, parents)
        self._share(kernels.hook_second, *rows)
        self._share(kernels.shorten_all, parents)
        tried = parents[:: max(self.n // TRIED, 1)]
        numbers, counts = np.unique(tried, return_counts=True)
        giant = numbers[counts.argmax()]
        bounds = self.a.pieces(self.team.stoppable_parts_for(self.a.nvals), 1)
        looked = self.team.share(bounds, kernels.hook_rest, giant, *rows)
        self._share(kernels.shorten_all, parents)
        self._share(kernels.clear, self.x)
        seen = np.zeros_like(self.words)
        given = (self.places, self.values, parents, self.x, seen)
        self._share(kernels.fold, *given, count=len(self.places))
        count = sum(
            self._share(kernels.spread, parents, self.x, seen, self.words, count=len(self.words))
        )
        if (trace := current_trace()) is not None:
            trace.note(rounds=3, edges=int(sum(looked)) + 2 * self.n)
        return self._result(int(count))


class Bins:
    """Lists of vertices by bucket, with room for about so many."""

    def __init__(self, kernels: Any, members: int, room: int, n: int) -> None:
        self.members = members
        size, chains = kernels.CHUNK, members * kernels.ROW
        chunks = room // size + min(chains, room)  # each chain in use has one that is not full
        require(chunks * (size * index_dtype(n).itemsize + 24), "the buckets of a closure")
        self.shared = np.zeros(8 * 9, np.int64)
        self.arrays: Sequence[Array] = (
            self.shared,
            np.full(chains, -1, np.int64),  # heads
            np.zeros(chains, np.int64),  # fills
            np.full(8 * members, -1, np.int64),  # free chunks
            np.empty(chunks * size, index_dtype(n)),
            np.empty(chunks, np.int64),  # the next chunk of each
            np.empty(chunks, np.int64),  # chunks of a round
            np.empty(chunks, np.int64),  # and their sizes
        )


def _ones(words: Array) -> int:
    return int(np.bitwise_count(words).sum())
