"""NumPy archives: what SciPy reads from them, whatever the layout, and nothing that they only claim."""

import contextlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from anypair import Matrix
from anypair.errors import FileError, InvalidValue
from anypair.io import read, write
from tests.support.compare import entries

LAYOUTS = ["csr", "csc", "bsr", "coo", "dia"]
WRAPPING = np.array([0, 2**31 - 1, -5, 2], np.int32)  # rises as np.diff sees it in 32 bits

HOSTILE: dict[str, dict[str, Any]] = {
    "csr": {"data": np.ones(2), "indices": np.array([1, 2], np.int32), "indptr": WRAPPING},
    "csc": {"data": np.ones(2), "indices": np.array([1, 2], np.int32), "indptr": WRAPPING},
    "bsr": {"data": np.ones((2, 1, 1)), "indices": np.array([1, 2], np.int32), "indptr": WRAPPING},
    "coo": {"data": np.ones(2), "row": np.array([0, 2**31 - 1]), "col": np.array([-1, 2])},
    "dia": {"data": np.ones((1, 3)), "offsets": np.array([-(2**63)])},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_indices_that_lead_out_of_the_arrays(layout: str, tmp_path: Path) -> None:
    """In a process of its own, which such a file could end."""
    path = tmp_path / "bad.npz"
    np.savez(path, format=np.array(layout.encode()), shape=np.array([3, 3]), **HOSTILE[layout])
    program = f"""
from anypair.errors import FileError
from anypair.io import read
try:
    print(read({str(path)!r}, backend="scipy").matrix.nvals)
except FileError as error:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "0\n" if layout == "dia" else "refused\n"), done.stderr


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32"])
@given(data=st.data())
def test_every_layout_is_read_as_scipy_reads_it(
    layout: str, dtype: str, tmp_path: Path, data: Any
) -> None:
    shape = (2 * data.draw(st.integers(1, 3)), 3 * data.draw(st.integers(1, 2)))
    count = data.draw(st.integers(0, 8))
    places = [data.draw(st.lists(st.integers(0, s - 1), min_size=count, max_size=count)) for s in shape]
    values = np.array(data.draw(st.lists(st.integers(1, 3), min_size=count, max_size=count)), dtype)
    # As it comes: out of order, with places that are given twice.
    coo = scipy.sparse.coo_array((values, places), shape=shape)
    made = coo if layout == "coo" else coo.tobsr(blocksize=(2, 3)) if layout == "bsr" else None
    made = coo.asformat(layout) if made is None else made
    path = tmp_path / "a.npz"
    scipy.sparse.save_npz(path, made, compressed=data.draw(st.booleans()))
    found = read(path, backend="reference").matrix
    expected = scipy.sparse.load_npz(path)
    assert found.dtype == expected.dtype
    assert np.array_equal(found.to_scipy().toarray(), expected.toarray())
    if layout != "dia":
        stored = expected.tocoo()
        stored.sum_duplicates()
        assert found.nvals == stored.nnz


def save_csr(path: Path, dense: Any, **more: Any) -> Path:
    csr = scipy.sparse.csr_array(dense)
    arrays = {"data": csr.data, "indices": csr.indices, "indptr": csr.indptr, **more}
    np.savez(path, format=np.array(b"csr"), shape=np.array(csr.shape), **arrays)
    return path


@pytest.mark.parametrize("keep", [np.triu, np.tril, np.asarray], ids=["upper", "lower", "both"])
@pytest.mark.parametrize("dtype", ["float64", "bool", "uint8"])
def test_symmetric_means_both_triangles_whichever_is_there(
    keep: Any, dtype: str, tmp_path: Path
) -> None:
    whole = np.array([[5, 1, 0], [1, 0, 2], [0, 2, 0]], dtype)
    path = save_csr(tmp_path / "half.npz", keep(whole), symmetric=np.array(True))
    loaded = read(path, backend="reference")
    assert np.array_equal(loaded.matrix.to_scipy().toarray(), whole)
    assert loaded.symmetric


@pytest.mark.parametrize("spoiled", [(0, 1, 7.0), (2, 0, 1.0)], ids=["value", "place"])
def test_triangles_that_differ(spoiled: tuple[int, int, float], tmp_path: Path) -> None:
    dense = np.array([[5.0, 1, 0], [1, 0, 2], [0, 2, 0]])
    row, column, value = spoiled
    dense[row, column] = value
    path = save_csr(tmp_path / "a.npz", dense, symmetric=np.array(True))
    with pytest.raises(FileError, match="its triangles differ"):
        read(path)


def test_values_in_another_byte_order(tmp_path: Path) -> None:
    path = save_csr(tmp_path / "a.npz", np.eye(2), data=np.array([1.5, 2.5], ">f8"))
    matrix = read(path).matrix
    assert entries(matrix) == {(0, 0): 1.5, (1, 1): 2.5}
    assert matrix.dtype.isnative


def test_nan_on_both_sides_is_symmetric(tmp_path: Path) -> None:
    matrix = Matrix.from_edges([0], [1], [np.nan], symmetric=True, backend="reference")
    write(tmp_path / "a.npz", matrix)
    assert read(tmp_path / "a.npz").matrix.nvals == 2


def test_names_as_bytes_are_found(tmp_path: Path) -> None:
    path = save_csr(tmp_path / "a.npz", np.eye(2), names=np.array(["Zoë".encode(), b"Ann"]))
    assert read(path).vertex("Zoë") == 0


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a", "b\0"], "the NUL at the end of the name"),
        (["a", "\ud800"], "is no text"),
        ([1, "1"], "the same name as text, '1'"),
    ],
)
def test_names_that_would_change(names: list[Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=words):
        write(tmp_path / "a.npz", Matrix.from_edges([0], [1], n=2), names)


def test_a_flipped_byte_inside_a_compressed_member(tmp_path: Path) -> None:
    whole = tmp_path / "whole.npz"
    ring = scipy.sparse.csr_array(np.roll(np.eye(300), 1, axis=1))
    scipy.sparse.save_npz(whole, ring, compressed=True)
    for place in range(40, whole.stat().st_size, 7):
        content = bytearray(whole.read_bytes())
        content[place] ^= 0x55
        (tmp_path / "a.npz").write_bytes(content)
        with contextlib.suppress(FileError):
            read(tmp_path / "a.npz", backend="reference")


def test_an_encrypted_member(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    write(path, Matrix.from_edges([0], [1], backend="reference"))
    content = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = content.find(mark)
        while at >= 0:
            content[at + offset] |= 1
            at = content.find(mark, at + 4)
    path.write_bytes(content)
    with pytest.raises(FileError, match="encrypted"):
        read(path)


def test_an_archive_that_holds_far_more_than_its_size(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    zeros = io.BytesIO()
    np.save(zeros, np.zeros(1 << 16, np.int8))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.npy", zeros.getvalue())
    with pytest.raises(FileError, match="holds more than 1 kB; if you trust it, give a larger limit="):
        read(path, limit=1000)
