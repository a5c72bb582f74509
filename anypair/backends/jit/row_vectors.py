"""Short, wide matrices whose rows are vectors, each in a form of its own: a batch of frontiers.

What a search from one vertex costs, one from some vertices at once costs for each: rows are pushed or
pulled as vectors are, and written to in place. An operation that knows nothing of this finds compressed
rows, made on demand and forgotten by the next write.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from anypair.backends.base import StructuralMask
from anypair.backends.jit.building import starts_of
from anypair.backends.jit.products import VectorProduct, transposed
from anypair.backends.jit.storage import JitMatrix, JitVector, broadcast, is_broadcast
from anypair.backends.jit.workspace import Workspace
from anypair.backends.tuning import Tuning
from anypair.dtypes import Array, DType, index_dtype
from anypair.memory import ALWAYS_FITS, available
from anypair.semiring import TypedSemiring
from anypair.threads.team import Team

COMPRESSED = ("starts", "indices", "values")


class JitRows(JitMatrix):
    """A matrix that has a vector for each row; `starts`, `indices` and `values` are made on demand."""

    def __init__(self, shape: tuple[int, int], rows: list[JitVector], dtype: DType) -> None:
        self.shape = shape
        self.dtype = dtype
        self.replace_rows(rows)

    def replace_rows(self, rows: list[JitVector]) -> None:
        """Have these rows, or the same ones after they were written to."""
        kept = {"shape": self.shape, "dtype": self.dtype}
        self.__dict__.clear()  # all that was found out about the others
        self.__dict__.update(kept)
        self.rows = rows
        self.nvals = sum(row.nvals for row in rows)
        self._pieces = {}

    def __getattr__(self, name: str) -> Any:
        if name not in COMPRESSED:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        made = compressed(self)
        self.starts, self.indices, self.values = made.starts, made.indices, made.values
        return getattr(made, name)

    def with_values(self, values: Array) -> JitMatrix:
        return compressed(self).with_values(values)

    @property
    def nbytes(self) -> int:
        return sum(row.nbytes for row in self.rows)


def compressed(a: JitRows) -> JitMatrix:
    """The same as one list of entries."""
    lists = [row.sorted_list() for row in a.rows]
    starts = starts_of(np.array([len(indices) for indices, _ in lists], np.int64))
    indices = np.concatenate([np.empty(0, index_dtype(a.shape[1])), *(places for places, _ in lists)])
    values = [np.empty(0, a.dtype), *(values for _, values in lists)]
    return JitMatrix(a.shape, starts, indices, np.concatenate(values))


def rows_of(a: JitMatrix) -> list[JitVector]:
    """Its rows as vectors, which share its arrays."""
    if isinstance(a, JitRows):
        return a.rows
    one_for_all = is_broadcast(a.values)
    return [
        JitVector(
            a.shape[1],
            a.indices[begin:end],
            broadcast(a.values, end - begin) if one_for_all else a.values[begin:end],
        )
        for begin, end in pairwise(a.starts.tolist())
    ]


def is_batch(shape: tuple[int, int], dtype: DType, tuning: Tuning) -> bool:
    """Whether a result of this shape is worth a vector for each row, and these fit, bitmaps or not."""
    nrows, ncols = shape
    if not 0 < nrows * tuning.bitmap_from <= ncols or ncols < tuning.pooled_from:
        return False
    nbytes = nrows * ncols * dtype.itemsize
    return nbytes <= ALWAYS_FITS or 8 * nbytes <= available()


def row_by_row(operation: Callable[..., Any], dtype: DType, x: Any, *others: Any) -> JitRows:
    """The operation on each row of x, and of others if these are matrices or masks."""
    rows = [rows_of(x), *(_of_each_row(other, x.shape[0]) for other in others)]
    return JitRows(x.shape, [operation(*each) for each in zip(*rows, strict=True)], dtype)


def _of_each_row(other: Any, count: int) -> list[Any]:
    if isinstance(other, JitMatrix):
        return list(rows_of(other))
    if isinstance(other, StructuralMask):
        return [StructuralMask(row, other.complemented) for row in rows_of(other.storage)]
    return [other] * count


class BatchProduct:
    """The product of a batch of vectors, rows, with one matrix: each pushed or pulled by itself."""

    def __init__(
        self,
        team: Team,
        alone: Team,
        workspace: Workspace,
        tuning: Tuning,
        a: JitMatrix,
        b: JitMatrix,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
        frontier: str,
    ) -> None:
        self.team = team
        self.shape = (a.shape[0], b.shape[1])
        self.semiring = semiring
        # Threads that each do rows of their own are in nobody's way.
        work = a.nvals * b.nvals // max(b.shape[0], 1)
        self.rows_at_once = a.shape[0] >= 2 * team.size > 2 and team.pieces_for(work) > 1
        own = alone if self.rows_at_once else team
        self.products = [
            VectorProduct(
                *(own, workspace, tuning, u, b, b.transposed, semiring, inside, frontier),
                value_first=True,
            )
            for u, inside in zip(rows_of(a), _of_each_row(mask, a.shape[0]), strict=True)
        ]
        self.b = b
        self.directions: list[str] = []

    def run(self, forced: str) -> JitRows:
        """All rows in the direction that is asked for, or each in the better one."""
        products = self.products
        self.directions = [forced if forced != "auto" else p.choose() for p in products]
        if "pull" in self.directions:
            by_columns = transposed(self.team, self.b)  # by all threads, before each does its own rows
            for product in products:
                product.in_rows = by_columns
        calls = list(zip(products, self.directions, strict=True))
        if self.rows_at_once:
            done = self.team.run(VectorProduct.run, calls)
        else:
            done = [VectorProduct.run(*call) for call in calls]
        return JitRows(self.shape, [result for _, result in done], self.semiring.result)

    def edges_looked_at(self) -> int:
        """How many entries of the matrix the rows have looked at, all together."""
        return sum(product.edges_looked_at() for product in self.products)

    @property
    def direction(self) -> str:
        """The direction that more entries were looked at in."""
        looked = dict.fromkeys(("push", "pull"), 0)
        for product, direction in zip(self.products, self.directions, strict=True):
            looked[direction] += product.edges_looked_at()
        return max(looked, key=lambda direction: looked[direction])

    @property
    def method(self) -> str:
        """How the rows that were pushed were gone over."""
        pairs = zip(self.products, self.directions, strict=True)
        return ", ".join(sorted({p.frontier for p, direction in pairs if direction == "push"}))
