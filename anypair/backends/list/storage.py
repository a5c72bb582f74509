"""A matrix as adjacency lists, as entries, or both: each form is made of the other on demand."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from anypair.backends.base import Backend, Storage
from anypair.backends.list.kernels import linking_kernels
from anypair.dtypes import Array, DType
from anypair.memory import require
from anypair.semiring import TypedBinary, TypedSemiring


@dataclass(eq=False)
class Lists:
    """The note's three arrays (Fig. 4), and what stands at the edges: one value each, or one for all."""

    head: Array
    following: Array
    ends: Array
    edges: Array
    step: int  # 0 if one value stands for all

    @classmethod
    def of(
        cls,
        sources: Array,
        targets: Array,
        values: Array,
        shape: tuple[int, int],
        *,
        symmetric: bool,
        self_loops: bool,
    ) -> "Lists":
        """The lists of these edges and, if `symmetric`, of their reverses."""
        places = (1 + symmetric) * len(sources)
        links = np.dtype(np.int32 if places < 2**31 else np.int64)
        columns = np.dtype(np.int32 if shape[1] < 2**31 else np.int64)
        require(links.itemsize * shape[0], f"a head of each of {shape[0]} lists")
        head = np.full(shape[0], -1, links)
        following, ends = np.full(places, -1, links), np.empty(places, columns)
        kernels: Any = linking_kernels()
        link = kernels.link_edges if symmetric else kernels.link_entries
        link(sources, targets, self_loops, head, following, ends)
        step = int(len(values) < 2 or values.strides != (0,))
        edges = (
            np.repeat(values, 2) if symmetric and step else values.copy() if step else values[:1].copy()
        )
        return cls(head, following, ends, edges, step)

    def entries(self) -> tuple[Array, Array, Array]:
        """Rows, columns and values, in the order in which they were given."""
        rows = np.full(len(self.ends), -1, np.int64)
        kernels: Any = linking_kernels()
        kernels.find_rows(self.head, self.following, rows)
        kept = rows >= 0
        values = self.edges if self.step else np.broadcast_to(self.edges[0], len(rows))
        return rows[kept], self.ends[kept].astype(np.int64), values[kept]

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (self.head, self.following, self.ends, self.edges))


class ListMatrix:
    """A matrix; lists may have an edge more than once, entries are what `duplicates` makes of it."""

    def __init__(
        self,
        shape: tuple[int, int],
        dtype: DType,
        *,
        lists: Lists | None = None,
        duplicates: TypedBinary | None = None,
        stored: Storage = None,
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self._lists = lists
        self._duplicates = duplicates
        self._stored = stored

    def stored(self, rest: Backend) -> Storage:
        """The entries, as the backend keeps them that computes all but products with vectors."""
        if self._stored is None:
            assert self._lists is not None
            rows, columns, values = self._lists.entries()
            self._stored = rest.build((rows, columns), values, self.shape, self._duplicates)
        return self._stored

    def lists(self, rest: Backend, semiring: TypedSemiring) -> Lists:
        """Lists to walk along for products over this semiring."""
        lists = self._lists
        if lists is None or not self._may_repeat(lists, semiring):
            rows, columns, values = rest.peek(self.stored(rest))
            lists = Lists.of(rows, columns, values, self.shape, symmetric=False, self_loops=True)
            self._lists, self._duplicates = lists, None
        return lists

    def _may_repeat(self, lists: Lists, semiring: TypedSemiring) -> bool:
        """Whether an edge that comes twice gives what it gives once."""
        if self._duplicates is None:
            return True
        alike = lists.step == 0 and self._duplicates.is_idempotent
        return semiring.add.is_idempotent and (alike or not semiring.multiply.op.reads_left)

    def nbytes(self, rest: Backend) -> int:
        own = 0 if self._lists is None else self._lists.nbytes
        return own + (0 if self._stored is None else rest.nbytes(self._stored))
