"""Push or pull, chosen for all ranks at once from global counts."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from anypair.backends.base import Backend, StructuralMask
from anypair.backends.mpi.rank_layout import Line
from anypair.backends.mpi.storage import MpiMatrix, MpiVector
from anypair.backends.plan import plan_for
from anypair.dtypes import BOOL, Array
from anypair.semiring import plus_pair

if TYPE_CHECKING:
    from anypair.backends.mpi.products import DistributedProduct


class Directions:
    """Chooses, where the local backend lets itself be told."""

    def __init__(self, wanted: str, local: Backend) -> None:
        self.wanted = wanted
        self.local = local
        self.is_told = "direction" in local.options

    @property
    def chooses(self) -> bool:
        """Whether there is anything to choose."""
        return self.is_told and self.wanted == "auto"

    def prepare(self, product: "DistributedProduct", call: str) -> None:
        """Count, the first time that a matrix is multiplied this way, what choices are made by.

        Matrices of one structure share their degrees, but each has a count of its own, which a write
        forgets: degrees may be known where it is not.
        """
        a, engine = product.a, product.engine
        counted = a.nvals is not None and {"symmetric", "rows", "columns"} & a.degrees.keys()
        if self.chooses and not counted:
            (a.nvals,) = engine.agreement.check(call, (engine.local.nvals(a.block.storage),))
            for line in (product.expand_line, product.fold_line):
                degrees_of(product, line)

    def counts(
        self, product: "DistributedProduct", u: MpiVector, mask: StructuralMask | None
    ) -> tuple[int, ...]:
        """What this rank knows: its entries of u, the edges that leave them, and places in its mask."""
        if not self.chooses:
            return (0, 0, 0)
        degrees, _ = degrees_of(product, product.expand_line)
        inside = 0 if mask is None else self.local.nvals(mask.storage.local)
        nvals = self.local.nvals(u.local)
        if nvals == len(degrees):
            return nvals, int(degrees.sum()), inside
        return nvals, product.engine.arrays.sum_at(degrees, u.local), inside

    def choose(
        self, product: "DistributedProduct", sums: list[int], u: MpiVector, mask: StructuralMask | None
    ) -> str:
        """The direction for all ranks, which they take without asking again."""
        if not self.chooses:
            return self.wanted if self.is_told else "auto"
        work = GlobalWork(product, sums, u, mask)
        return plan_for(product.semiring).direction(work, self.local.tuning).direction


class GlobalWork:
    """The `Work` of all ranks together, which costs nothing more once their counts are summed up."""

    missing = None  # the other side of a block is made when it is wanted
    detour = 0.0

    def __init__(
        self, product: "DistributedProduct", sums: list[int], u: MpiVector, mask: StructuralMask | None
    ) -> None:
        self.entries, self._edges, self._inside = sums
        self.places = u.size
        self.after_pull = u.pulled
        assert product.a.nvals is not None
        self.nvals = product.a.nvals
        self.mask = mask
        self.masked = mask is not None
        self._rows = degrees_of(product, product.fold_line)[1]
        self._pull_at_hand = product.by_columns

    def open_rows(self) -> tuple[int, int]:
        rows, inside = self._rows, self._inside
        if self.mask is None:
            return rows, rows
        return rows, max(rows - inside, 0) if self.mask.complemented else min(rows, inside)

    def covers(self) -> bool:
        return self._pull_at_hand and self.entries == self.places

    def longest(self) -> int | None:
        return None

    def edges(self) -> float | None:
        return self._edges

    def probes(self) -> float | None:
        return None


def degrees_of(product: "DistributedProduct", line: Line) -> tuple[Array, int]:
    """How many entries each place of this rank's vector block has in the matrix, and how many have any.

    Counted once for a matrix, along a line of the grid.
    """
    a = product.a
    name = "symmetric" if a.symmetric else line.name
    if name not in a.degrees:
        here = _degrees_here(product.engine.local, a, line)
        starts = line.side.starts
        parts = [here[b:e] for b, e in pairwise(starts)]
        received = line.group.alltoall([part.view(np.uint8) for part in parts])
        degrees = np.sum([part.view(np.int64) for part in received], axis=0)
        counted = np.array([np.count_nonzero(degrees)], np.int64)
        a.degrees[name] = degrees, int(product.engine.layout.world.start_sum(counted)()[0])
    return a.degrees[name]


def _degrees_here(local: Backend, a: MpiMatrix, line: Line) -> Array:
    """How many entries of this rank's block each place along a line has."""
    block = a.block
    by_rows = line.name == "rows"
    kept = block.rows if by_rows else block.columns
    counting = plus_pair.typed(a.dtype, BOOL)
    ones = local.build_full(block.kept_shape[1 if by_rows else 0], np.ones(1, np.bool_))
    multiply = local.mxv if by_rows else lambda x, y, *rest: local.vxm(y, x, *rest)
    places, counts = local.peek(multiply(block.storage, ones, counting, None))
    here = np.zeros(line.side.size, np.int64)
    here[places if kept is None else kept[places]] = counts
    return here
