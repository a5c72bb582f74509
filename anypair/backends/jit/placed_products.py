"""Vectors where the multiply sees the place of the result: as matrices of one column."""

import numpy as np

from anypair.backends.base import StructuralMask
from anypair.backends.jit.matrix_products import matrix_times_matrix
from anypair.backends.jit.storage import JitMatrix, JitVector
from anypair.backends.jit.workspace import Workspace
from anypair.dtypes import index_dtype
from anypair.memory import require
from anypair.semiring import TypedSemiring
from anypair.threads.team import Team


def placed_product(
    team: Team,
    workspace: Workspace,
    a: JitMatrix,
    u: JitVector,
    semiring: TypedSemiring,
    mask: StructuralMask | None,
) -> JitVector:
    """t(i) = sum over k of multiply(a(i, k), u(k), k, i, 0)."""
    inside = None if mask is None else StructuralMask(_as_column(mask.storage), mask.complemented)
    t = matrix_times_matrix(team, workspace, a, _as_column(u), semiring, inside)
    rows = np.flatnonzero(t.starts[1:] != t.starts[:-1])
    return JitVector(a.shape[0], rows.astype(index_dtype(a.shape[0])), t.values)


def _as_column(u: JitVector) -> JitMatrix:
    """The matrix whose one column is u."""
    indices, values = u.sorted_list()
    dtype = index_dtype(u.nvals + 1)
    require((u.size + 1) * dtype.itemsize, f"a column of {u.size} places")
    starts = np.zeros(u.size + 1, dtype)
    starts[1:][indices] = 1
    np.cumsum(starts, out=starts)
    return JitMatrix((u.size, 1), starts, np.zeros(u.nvals, index_dtype(1)), values)
