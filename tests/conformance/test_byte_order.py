"""Arrays of the other byte order are taken for what they say."""

from pathlib import Path

import numpy as np
import pytest

from anypair import Matrix, Vector, apply, assign, io, mxv, reduce
from anypair.dtypes import SUPPORTED
from anypair.semiring import identity, plus_monoid, plus_times
from tests.support.compare import assert_same
from tests.support.covering import FULL

#: One of each size, and all in a full run.
FOREIGN = [
    dtype.newbyteorder()
    for dtype in SUPPORTED
    if dtype.itemsize > 1 and (FULL or str(dtype) in ("uint16", "float32", "int64"))
]


@pytest.mark.parametrize("dtype", FOREIGN, ids=lambda d: d.str)
def test_values_become_native(backend: str, dtype: np.dtype[np.generic]) -> None:
    native = dtype.newbyteorder("=")
    foreign = np.array([1, 2], dtype)
    assert not foreign.dtype.isnative
    v = Vector.from_entries([0, 1], foreign, 2)
    assert v.dtype == native
    assert v.dtype.isnative
    assert_same(v, Vector.from_entries([0, 1], foreign.astype(native), 2))
    assert apply(v, identity).to_dict() == {0: 1, 1: 2}
    for made in (
        Vector.from_numpy(foreign),
        Vector.from_entries([0, 1], foreign, 2, dtype=dtype),
        Vector.full(2, foreign[0]),
        Vector.empty(2, dtype),
        Vector.from_entries([0, 1], np.array(1, dtype), 2),
        v.cast(dtype),
        assign(v.copy(), foreign[1]),
        Matrix.from_entries([0], [1], foreign[:1], (2, 2)),
        Matrix.from_edges([0, 1], [1, 1], foreign),
        Matrix.from_numpy(foreign.reshape(1, 2)),
        Matrix.empty((2, 2), dtype),
    ):
        assert made.dtype == native
        assert made.dtype.isnative
        assert made.to_entries()[-1].dtype.isnative


def test_products_and_sums(backend: str) -> None:
    A = Matrix.from_entries(
        np.array([0, 1], ">i8"), np.array([1, 1], ">u4"), np.array([2, 3], ">f4"), (2, 2)
    )
    x = Vector.from_entries(np.array([1], ">i2"), np.array([10], ">f4"), 2)
    assert mxv(A, x, plus_times).to_dict() == {0: 20.0, 1: 30.0}
    assert reduce(A, plus_monoid) == 5.0


def test_files_and_frames(backend: str, tmp_path: Path) -> None:
    path = tmp_path / "foreign.npz"
    np.savez(
        path,
        format=b"coo",
        shape=np.array([2, 2], ">i8"),
        row=np.array([0, 1], ">i4"),
        col=np.array([1, 1], ">i4"),
        data=np.array([1.5, 2.5], ">f8"),
    )
    pandas = pytest.importorskip("pandas")
    columns = {"source": np.array([0, 1], ">i8"), "target": np.array([1, 1], ">i8")}
    frame = pandas.DataFrame({**columns, "weight": np.array([1.5, 2.5], ">f8")})
    for loaded in (io.read(path), io.from_pandas(frame)):
        matrix = getattr(loaded, "matrix", loaded)
        assert matrix.dtype.isnative
        assert reduce(matrix, plus_monoid) == 4.0
