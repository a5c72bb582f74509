"""A masked product of a vector and a matrix: what it needs, and which direction is the cheaper one."""

from typing import Any

import numpy as np

from anypair.backends.base import StructuralMask
from anypair.backends.cuda.arrays import Arrays, DeviceArray
from anypair.backends.cuda.storage import CudaMatrix, CudaVector
from anypair.backends.cuda.workspace import Workspace
from anypair.backends.jit.direction import cheaper_direction
from anypair.semiring import TypedSemiring

ALL = 2**32 - 1


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
            edges, wanted, a.nvals, rows, first_hit=self.semiring.first_term_decides
        )

    def blocked(self) -> tuple[DeviceArray, Any]:
        """Words and a flip: places inside words ^ flip take no values."""
        if self.mask is None:
            return self.arrays.no_bits(self.size), np.uint32(0)
        return self.mask.storage.words, np.uint32(0 if self.mask.complemented else ALL)
