"""A masked product of a vector and a matrix: what it needs, and which direction is the cheaper one."""

from typing import Any

import numpy as np

from anypair.backends.base import StructuralMask
from anypair.backends.cuda.arrays import Arrays, DeviceArray
from anypair.backends.cuda.storage import CudaMatrix, CudaVector
from anypair.backends.cuda.workspace import Workspace
from anypair.backends.plan import Direction, plan_for
from anypair.semiring import TypedSemiring

ALL = 2**32 - 1


class VectorProduct:
    """t(j) = sum over k of multiply(edge(k, j), u(k)), for one call; what a plan asks of its `Work`.

    `out_rows` are the edges by k, for a push; `in_rows` by j, for a pull; one of them is there, the
    other None if it is not yet made.
    """

    after_pull = False
    detour = 0.0

    def __init__(
        self,
        arrays: Arrays,
        workspace: Workspace,
        u: CudaVector,
        out_rows: CudaMatrix | None,
        in_rows: CudaMatrix | None,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
        buffer: int,
    ) -> None:
        self.arrays = arrays
        self.workspace = workspace
        self.u = u
        self.out_rows = out_rows
        self.in_rows = in_rows
        self.semiring = semiring
        self.plan = plan_for(semiring)
        self.mask = mask
        a = out_rows if in_rows is None else in_rows
        assert a is not None
        self.a = a
        self.size = a.shape[1] if in_rows is None else a.shape[0]
        self.buffer = buffer
        self.looked_at: int | None = None  # edges that a push went along
        self.entries = u.nvals
        self.places = u.size
        self.nvals = a.nvals
        self.masked = mask is not None

    @property
    def missing(self) -> Direction | None:
        if self.in_rows is None:
            return "pull"
        return "push" if self.out_rows is None else None

    def open_rows(self) -> tuple[int, int]:
        rows = self.size if self.in_rows is None else self.in_rows.nonempty[1]
        if self.mask is None:
            return rows, rows
        inside = self.mask.storage.nvals
        return rows, max(rows - inside, 0) if self.mask.complemented else min(rows, inside)

    def covers(self) -> bool:
        return self.in_rows is not None and self.u.is_full

    def longest(self) -> int | None:
        return None if self.out_rows is None else self.out_rows.max_degree

    def edges(self) -> float | None:
        if self.out_rows is None:
            return None
        degrees = self.arrays.take(self.out_rows.degrees, self.u.any_list()[0])
        return float(self.arrays.total(degrees))

    def probes(self) -> float | None:
        return None  # a sample would be a kernel and a wait for it

    def blocked(self) -> tuple[DeviceArray, Any]:
        """Words and a flip: places inside words ^ flip take no values."""
        if self.mask is None:
            return self.arrays.no_bits(self.size), np.uint32(0)
        return self.mask.storage.words, np.uint32(0 if self.mask.complemented else ALL)
