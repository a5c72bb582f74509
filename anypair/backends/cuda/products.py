"""Masked products of a vector and a matrix: choose a direction and a strategy, launch, collect."""

import threading
from typing import Any

import numpy as np

from anypair.backends.base import StructuralMask
from anypair.backends.cuda.arrays import (
    INT8,
    INT32,
    WORD,
    Arrays,
    DeviceArray,
    index_dtype,
    nwords,
    step_of,
)
from anypair.backends.cuda.kernels import accumulator, combines_in_place, product_kernels
from anypair.backends.cuda.ordered_floats import is_ordered, key_dtype, losing_key
from anypair.backends.cuda.pairs import summed_products
from anypair.backends.cuda.storage import CudaMatrix, CudaVector
from anypair.backends.jit.direction import cheaper_direction
from anypair.backends.jit.generation import stops_at_first_hit
from anypair.dtypes import BOOL, INT64, DType
from anypair.semiring import TypedSemiring

STRATEGIES = ("balanced", "two_phase")
ALL = 2**32 - 1


class Marks:
    """For a push: which places were touched, and sums; both are clear between calls."""

    def __init__(self, arrays: Arrays, size: int, dtype: DType, identity: Any) -> None:
        self.touched = arrays.zeros(nwords(size), WORD)
        self.identity = arrays.to_device(np.array([identity], dtype))
        self.sums = arrays.full(size, identity, dtype)


class Workspace(threading.local):
    """Marks that are used again by the next call; the last few are kept, for each thread that calls."""

    KEPT = 4

    def __init__(self) -> None:
        self._marks: dict[Any, Marks] = {}

    def take(self, arrays: Arrays, size: int, dtype: DType, identity: Any) -> Marks:
        """Clear marks, out of the workspace until they are given back."""
        found = self._marks.pop((size, dtype, identity), None)
        return found or Marks(arrays, size, dtype, identity)

    def give_back(self, marks: Marks, size: int, dtype: DType, identity: Any) -> None:
        """Keep marks that have been cleared again."""
        if len(self._marks) >= self.KEPT:
            self._marks.pop(next(iter(self._marks)))
        self._marks[size, dtype, identity] = marks


class VectorProduct:
    """t(j) = sum over k of multiply(edge(k, j), u(k)), for one call."""

    def __init__(
        self,
        arrays: Arrays,
        workspace: Workspace,
        u: CudaVector,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
        size: int,
        buffer: int,
    ) -> None:
        self.arrays = arrays
        self.workspace = workspace
        self.u = u
        self.semiring = semiring
        self.mask = mask
        self.size = size
        self.buffer = buffer
        self.edges: int | None = None  # that a push went along

    def choose(self, out_rows: CudaMatrix | None, in_rows: CudaMatrix | None, a: CudaMatrix) -> str:
        """The direction that is expected to look at fewer entries."""
        rows = self.size if in_rows is None else in_rows.nonempty[1]
        wanted = rows
        if self.mask is not None:
            inside = self.mask.storage.nvals
            wanted = max(rows - inside, 0) if self.mask.complemented else min(rows, inside)
        if out_rows is not None and self.u.nvals * out_rows.max_degree <= wanted:
            return "push"  # each wanted row costs a pull one entry at least
        if self.u.is_full or out_rows is None:
            edges = a.nvals * self.u.nvals / max(self.u.size, 1)
        else:
            edges = self.arrays.total(self.arrays.take(out_rows.degrees, self.u.any_list()[0]))
        return cheaper_direction(
            edges, wanted, a.nvals, rows, first_hit=stops_at_first_hit(self.semiring)
        )

    # Push

    def push(self, out_rows: CudaMatrix, strategy: str) -> CudaVector:
        """Send the values along their edges."""
        if not combines_in_place(self.semiring.add):
            return self._push_in_order(out_rows)
        return (
            self._push_two_phase(out_rows) if strategy == "two_phase" else self._push_balanced(out_rows)
        )

    def _push_in_order(self, out_rows: CudaMatrix) -> CudaVector:
        frontier, values = self.u.sorted_list()
        starts, counts = self._rows_of(out_rows, frontier)
        (targets,), sums, self.edges = summed_products(
            self.arrays, self.semiring, self.buffer, starts, counts,
            (out_rows.values, values, frontier), self._targets_inside(out_rows),
        )  # fmt: skip
        places = self.arrays.as_type(targets, index_dtype(self.size))
        return CudaVector(self.arrays, self.size, self.semiring.result, (places, sums))

    def _targets_inside(self, out_rows: CudaMatrix) -> Any:
        """The places that entries of the matrix lead to, and which of them the mask lets through."""
        arrays = self.arrays

        def targets_of(positions: DeviceArray, origin: DeviceArray) -> Any:
            targets = arrays.take(out_rows.indices, positions)
            if self.mask is None:
                return (targets,), None
            flags = arrays.empty(targets.shape[0], BOOL)
            given = (targets, self.mask.storage.words, self.mask.complemented, flags)
            arrays.run(arrays.structure.test_bits, targets.shape[0], *given)
            return (targets,), flags

        return targets_of

    def _rows_of(self, rows: CudaMatrix, frontier: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
        return self.arrays.take(rows.starts, frontier), self.arrays.take(rows.degrees, frontier)

    def _push_balanced(self, out_rows: CudaMatrix) -> CudaVector:
        """Tiles of edges; a list that is full is emptied, and what is left is launched again."""
        arrays = self.arrays
        frontier, values = self.u.any_list()
        _, counts = self._rows_of(out_rows, frontier)
        before = arrays.counted_before(counts)
        self.edges = arrays.number(before, frontier.shape[0])
        ntiles = -(-self.edges // arrays.block)
        dtype, identity = self._accumulated()
        marks = self.workspace.take(arrays, self.size, dtype, identity)
        room = min(max(self.buffer // arrays.block, 1), ntiles) * arrays.block
        done = arrays.zeros(ntiles, INT8)
        tiles = arrays.arange(ntiles)
        parts = []
        kernels = product_kernels("push", self.semiring, arrays.block)
        while tiles.shape[0]:
            reached = arrays.empty(room, index_dtype(self.size))
            taken, count = arrays.zeros(1, INT32), arrays.zeros(1, INT32)
            arrays.run_operators(
                kernels, "push", tiles.shape[0], tiles, done, frontier, before, out_rows.starts,
                out_rows.indices, out_rows.values, step_of(out_rows.values), values, step_of(values),
                *self._blocked(), marks.touched, marks.sums, reached, taken, count, blocks=True,
            )  # fmt: skip
            parts.append(reached[: arrays.number(count)])
            tiles = arrays.places_where(done == 0)
        places = arrays.concatenate(parts or [arrays.empty(0, index_dtype(self.size))])
        sums = self._as_result(arrays.take(marks.sums, places))
        given = (places, marks.touched, marks.sums, marks.identity)
        arrays.run(arrays.structure.clear, places.shape[0], *given)
        self.workspace.give_back(marks, self.size, dtype, identity)
        result = self.semiring.result
        return CudaVector(arrays, self.size, result, (places, sums), is_sorted=False)

    def _push_two_phase(self, out_rows: CudaMatrix) -> CudaVector:
        """The baseline: every vertex of the graph has a thread, in the wavefront or not."""
        arrays = self.arrays
        frontier, _ = self.u.any_list()
        ones = arrays.full(1, 1, INT8)
        current = arrays.scatter(frontier, ones, arrays.zeros(self.u.size, INT8))
        following = arrays.zeros(self.size, INT8)
        dtype, identity = self._accumulated()
        sums = arrays.full(self.size, identity, dtype)
        values = self.u.by_place
        arrays.run_operators(
            product_kernels("two_phase", self.semiring, arrays.block), "expand_vertices", self.u.size,
            current, out_rows.starts, out_rows.indices, out_rows.values, step_of(out_rows.values),
            values, step_of(values), *self._blocked(), sums, following,
        )  # fmt: skip
        words, count = arrays.zeros(nwords(self.size), WORD), arrays.zeros(1, INT64)
        arrays.run(arrays.structure.mark_vertices, self.size, following, words, count)
        dense, nvals = self._as_result(sums), arrays.number(count)
        result = self.semiring.result
        return CudaVector(arrays, self.size, result, None, words=words, dense=dense, nvals=nvals)

    def _accumulated(self) -> tuple[DType, Any]:
        """The dtype that sums are kept in on the way, and what they begin with."""
        add = self.semiring.add
        if add.takes_any:
            return add.domain, add.identity
        if is_ordered(add):
            return key_dtype(add.domain), losing_key(add)
        return accumulator(add.domain), add.identity

    def _as_result(self, sums: DeviceArray) -> DeviceArray:
        if not is_ordered(self.semiring.add):
            return self.arrays.as_type(sums, self.semiring.result)
        out = self.arrays.empty(sums.shape[0], self.semiring.result)
        kernels: Any = product_kernels("ordered", self.semiring, self.arrays.block)
        self.arrays.run(kernels.floats_of, sums.shape[0], sums, out)
        return out

    def _blocked(self) -> tuple[DeviceArray, Any]:
        """Words and a flip: places inside words ^ flip take no values."""
        if self.mask is None:
            return self.arrays.no_bits(self.size), np.uint32(0)
        return self.mask.storage.words, np.uint32(0 if self.mask.complemented else ALL)

    # Pull

    def pull(self, in_rows: CudaMatrix) -> CudaVector:
        """Let each wanted place look for entries of the vector among its own."""
        arrays = self.arrays
        wanted, _ = in_rows.nonempty
        if self.mask is not None:
            words = self.mask.storage.words
            wanted = wanted & (~words if self.mask.complemented else words)
        rows = arrays.listed(wanted, index_dtype(self.size))
        out, found = arrays.zeros(rows.shape[0], self.semiring.result), arrays.zeros(rows.shape[0], BOOL)
        reads = self.semiring.multiply.op.reads_right
        values = self.u.by_place if reads else arrays.zeros(1, self.u.dtype)
        given = (
            in_rows.starts, in_rows.indices, in_rows.values, step_of(in_rows.values), self.u.words,
            values, step_of(values), out, found,
        )  # fmt: skip
        kernels = product_kernels("pull", self.semiring, arrays.block)
        arrays.run_operators(kernels, "pull", rows.shape[0], rows, arrays.long, *given)
        if in_rows.max_degree >= arrays.long:
            long = arrays.places_where(arrays.take(in_rows.degrees, rows) >= arrays.long)
            arrays.run_operators(
                kernels, "pull_long_rows", long.shape[0], long, rows, *given, blocks=True
            )
        hits = arrays.places_where(found)
        listed = (arrays.take(rows, hits), arrays.take(out, hits))
        return CudaVector(arrays, self.size, self.semiring.result, listed)
