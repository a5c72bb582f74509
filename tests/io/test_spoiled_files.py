"""Whatever bytes a file holds, reading gives a matrix or an error of ours."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair import Matrix
from anypair.errors import AnypairError
from anypair.io import read, write

BARE = Matrix.from_edges([0, 1, 2], [1, 2, 0], backend="reference")
WEIGHTED = Matrix.from_edges([0, 1, 2], [1, 2, 0], [0.5, 1e300, -7.5], backend="reference")
SUFFIXES = ["mtx", "mtx.gz", "csv", "tsv", "el", "el.gz", "npz", "parquet", "g500", "g500p"]

pieces = st.sampled_from(
    [b"9" * 20, b"-", b"\r", b"\n", b"\0", b",", b" ", b"e", b'"', b"%", b"nan", b""]
)
changes = st.lists(
    st.tuples(st.integers(0, 10_000), st.integers(0, 9), pieces | st.binary(max_size=3)), max_size=4
)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(
    changes=changes, length=st.integers(0, 10_000), vertices=st.sampled_from(["auto", "ids", "names"])
)
def test_no_other_error_gets_out(
    suffix: str, tmp_path: Path, changes: list[tuple[int, int, bytes]], length: int, vertices: str
) -> None:
    path = tmp_path / f"a.{suffix}"
    write(path, BARE if "g500" in suffix else WEIGHTED)
    content = bytearray(path.read_bytes())
    for at, removed, inserted in changes:
        at %= len(content) + 1
        content[at : at + removed] = inserted
    if length % 3 == 0:
        del content[length % (len(content) + 1) :]
    path.write_bytes(content)
    options = {"vertices": vertices} if suffix in ("csv", "tsv", "el", "el.gz", "parquet") else {}
    with contextlib.suppress(AnypairError):
        assert read(path, **options).matrix.nvals >= 0  # type: ignore[arg-type]
