"""Ranges of bytes that cover a file give each edge once, wherever they are cut."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair import Matrix
from anypair.errors import InvalidArgument, InvalidValue
from anypair.io import read_edges, write

HEADED = "%%MatrixMarket matrix coordinate integer general\n% a comment\n9 9 4\n"
TEXTS = {
    "a.el": "# first\n0 1\n12 3\r\n\n4 5\n6 7",
    "a.csv": "source,target,weight\n0,1,5\n12,3,6\n4,5,-7\n",
    "a.mtx": f"{HEADED}1 2 1\n1 3 1\n% between\n9 9 7\n2 2 1\n",
}


@pytest.mark.parametrize("name", TEXTS)
@given(data=st.data())
def test_text(name: str, tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / name
    path.write_text(TEXTS[name], newline="")
    size = path.stat().st_size
    cuts = data.draw(st.lists(st.integers(0, size + 5), max_size=6))
    whole = read_edges(path)
    parts = [
        read_edges(path, start=a, stop=b, dtype=None if whole.weights is None else int)
        for a, b in pairwise([0, *sorted(cuts), size + 9])
    ]
    for column in ("sources", "targets", "weights"):
        expected = getattr(whole, column)
        if expected is not None:
            assert (
                np.concatenate([getattr(part, column) for part in parts]).tolist() == expected.tolist()
            )


def test_a_line_belongs_to_the_range_of_its_first_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.el"
    path.write_text("10 11\n20 21\n")
    assert read_edges(path, start=0, stop=1).sources.tolist() == [10]
    assert read_edges(path, start=1, stop=6).sources.tolist() == []
    assert read_edges(path, start=1, stop=7).sources.tolist() == [20]
    assert read_edges(path, start=6).sources.tolist() == [20]
    assert read_edges(path, start=7).sources.tolist() == []


@pytest.mark.parametrize("suffix", ["g500", "g500p"])
def test_records(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{suffix}"
    write(path, Matrix.from_edges([0, 1, 2, 3], [1, 2, 3, 4]))
    for cut in range(path.stat().st_size + 2):
        first, second = read_edges(path, stop=cut), read_edges(path, start=cut)
        assert [*first.sources, *second.sources] == [0, 1, 2, 3]
        assert [*first.targets, *second.targets] == [1, 2, 3, 4]


def test_ranges_that_mean_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.el.gz"
    write(path, Matrix.from_edges([0], [1]))
    with pytest.raises(InvalidValue, match="is compressed, so it has no ranges of bytes"):
        read_edges(path, start=1)
    path = tmp_path / "a.el"
    write(path, Matrix.from_edges([0], [1]))
    with pytest.raises(InvalidValue, match="stop=1 is before start=2"):
        read_edges(path, start=2, stop=1)
    path = tmp_path / "a.npz"
    write(path, Matrix.from_edges([0], [1]))
    with pytest.raises(InvalidArgument, match="start= means nothing for the format 'npz'"):
        read_edges(path, start=2, stop=1)
