"""The sum of a product of matrices inside a mask, where all terms are equal: they are only counted."""

from typing import Any

import numpy as np

from anypair.backends.jit.building import starts_of
from anypair.backends.jit.kernels import plain_kernels
from anypair.backends.jit.storage import JitMatrix
from anypair.dtypes import index_dtype
from anypair.threads.team import Team

SAMPLED = 1 << 14  # entries whose products stand for all
ORDERED_FROM = 32  # products for each entry, from which it pays to number vertices by degree


def count_products(team: Team, a: JitMatrix, b: JitMatrix, named: JitMatrix) -> tuple[int, int]:
    """How many products of a and b fall inside the mask, and how many are looked at, about."""
    kernels: Any = plain_kernels("closed_wedges")
    products = _products(a, b)
    same = a.indices is b.indices is named.indices and a.starts is b.starts is named.starts
    if same and products > ORDERED_FROM * a.nvals and kernels.is_strictly_lower(a.starts, a.indices):
        a = b = named = _by_degree(kernels, a)
        products = _products(a, b)
    rows = (a.starts, a.indices, b.starts, b.indices, named.starts, named.indices, b.shape[1])
    bounds = a.pieces(team.stoppable_parts_for(a.nvals + products), 1)
    return sum(map(int, team.share(bounds, kernels.count_closed, *rows))), products


def _products(a: JitMatrix, b: JitMatrix) -> int:
    """How many products there are, about."""
    step = a.nvals // SAMPLED + 1
    return step * int(plain_kernels("structure").sum_of_degrees(a.indices, step, b.starts))


def _by_degree(kernels: Any, a: JitMatrix) -> JitMatrix:
    """The edges of the same graph to smaller vertices, where those of large degree have small numbers.

    Its rows are not sorted, and it has no values.
    """
    n = a.shape[0]
    numbers = np.empty(n, index_dtype(n))
    kernels.number_by_degree(a.starts, a.indices, np.empty(n, np.int64), numbers)
    counts = np.zeros(n, np.int64)
    kernels.count_renumbered(a.starts, a.indices, numbers, counts)
    starts, indices = starts_of(counts), np.empty_like(a.indices)
    kernels.renumber(a.starts, a.indices, numbers, starts[:-1].copy(), indices)
    return JitMatrix(a.shape, starts, indices, a.values)
