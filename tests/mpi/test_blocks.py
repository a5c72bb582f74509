"""Blocks of matrices that keep some of their rows and columns, in each local backend."""

import numpy as np
import pytest

from anypair.backends.mpi.blocks import alike, block_entries, build_block, whole
from anypair.backends.registry import load


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint32"])
@pytest.mark.parametrize("local", ["reference", "scipy", "suitesparse", "jit"])
def test_a_block_with_few_rows_beside_one_with_all(local: str, dtype: str) -> None:
    """Numbers in a block are as small as they may be; what a backend is handed is int64."""
    if local == "suitesparse":
        pytest.importorskip("suitesparse_graphblas")
    backend, shape = load(local), (40, 50)
    rows, columns = np.array([3, 17, 39], dtype), np.array([49, 2, 30], dtype)
    sparse = build_block(backend, rows, columns, np.array([1, 2, 3]), shape, None)
    every = np.arange(40, dtype=dtype)
    full = build_block(backend, every, every, np.arange(40), shape, None)
    assert sparse.rows is not None
    assert full.rows is None
    expected = [[3, 17, 39], [49, 2, 30], [1, 2, 3]]
    for block in (alike(backend, sparse, full)[0], whole(backend, sparse)):
        assert block.rows is None
        assert [part.tolist() for part in block_entries(backend, block)] == expected
