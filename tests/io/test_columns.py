"""A table whose columns cannot be recognised is refused; what was taken is said."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from anypair.errors import AnypairError, DuplicateEntries
from anypair.io import from_pandas, from_polars, read, read_edges
from tests.support.compare import entries

TABLE = {"ts": [170, 171, 172], "sender": [10, 11, 12], "receiver": [11, 12, 10]}


def load(kind: str, table: dict[str, list[Any]], folder: Path, **options: Any) -> Any:
    frame = pd.DataFrame(table)
    if kind == "pandas":
        return from_pandas(frame, **options)
    if kind == "polars":
        return from_polars(pl.DataFrame(table), **options)
    path = folder / f"a.{kind}"
    if kind == "parquet":
        frame.to_parquet(path, index=False)
    else:
        frame.to_csv(path, index=False, sep={"csv": ",", "tsv": "\t", "txt": " "}[kind])
    return read(path, **options)


kinds = pytest.mark.parametrize("kind", ["csv", "tsv", "txt", "parquet", "pandas", "polars"])


@kinds
def test_unknown_titles_are_refused_with_the_columns_that_would_be_right(
    kind: str, tmp_path: Path
) -> None:
    with pytest.raises(AnypairError, match="has columns ts, sender, receiver, not titled") as caught:
        load(kind, TABLE, tmp_path)
    advice = re.search(r"columns=(\(.*?\))", str(caught.value))
    assert advice is not None
    assert advice[1] == "('sender', 'receiver')"
    loaded = load(kind, TABLE, tmp_path, columns=("sender", "receiver"))
    assert loaded.columns == ("sender", "receiver")
    assert len(entries(loaded.matrix)) == 3
    assert entries(loaded.matrix)[10, 11] is True


@kinds
def test_also_if_there_are_only_two(kind: str, tmp_path: Path) -> None:
    with pytest.raises(AnypairError, match=re.escape("as in columns=('follower', 'followee')")):
        load(kind, {"follower": [1, 2], "followee": [2, 3]}, tmp_path)


@kinds
@pytest.mark.parametrize(
    ("titles", "taken"),
    [
        (["source", "target"], ["source", "target"]),
        (["id", "From", "TO", "Weight"], ["From", "TO", "Weight"]),
        (["to", "from", "km"], ["from", "to", "km"]),
        (["Source_ID", "target-id"], ["Source_ID", "target-id"]),
        (["u", "v", "w"], ["u", "v", "w"]),
        (["cost", "node_2", "node_1", "name"], ["node_1", "node_2", "cost"]),
    ],
)
def test_known_titles_are_found_wherever_they_stand(
    kind: str, titles: list[str], taken: list[str], tmp_path: Path
) -> None:
    if kind == "txt" and any(" " in title for title in titles):
        return
    table = {title: [10 * place, 10 * place + 1] for place, title in enumerate(titles)}
    loaded = load(kind, table, tmp_path)
    assert list(loaded.columns) == taken
    places = [titles.index(title) for title in taken]
    weight = 10 * places[2] if len(places) == 3 else True
    assert entries(loaded.matrix)[10 * places[0], 10 * places[1]] == weight


@kinds
def test_several_columns_that_could_be_weights(kind: str, tmp_path: Path) -> None:
    table = {"source": [0], "target": [1], "since": [7], "until": [9]}
    with pytest.raises(AnypairError, match="of which several could be the weight") as caught:
        load(kind, table, tmp_path)
    assert "columns=('source', 'target')" in str(caught.value)
    assert load(kind, table, tmp_path, weights=False).columns == ("source", "target")
    assert entries(load(kind, table, tmp_path, columns=("source", "target", "until")).matrix) == {
        (0, 1): 9
    }


@kinds
def test_a_complaint_about_a_column_says_which_columns_were_taken(kind: str, tmp_path: Path) -> None:
    table = {"source": [0, 1], "target": [1, 2], "road": [5, "A 5" if kind != "txt" else "A5"]}
    if kind == "polars":
        table["road"] = ["B 4", "A 5"]
    if kind == "parquet":
        table["road"] = ["4", "A 5"]
    with pytest.raises(AnypairError, match="target in column 'target', weight in column 'road'"):
        load(kind, table, tmp_path)


def test_tables_without_titles_go_by_their_order(tmp_path: Path) -> None:
    assert from_pandas(pd.DataFrame([[0, 1, 2.5]])).columns == ("0", "1", "2")
    assert from_polars(pl.DataFrame([[0], [1]])).matrix.nvals == 1
    with pytest.raises(AnypairError, match="4 fields where 2 or 3 should be"):
        from_pandas(pd.DataFrame([[0, 1, 2, 3]]))
    path = tmp_path / "a.csv"
    path.write_text("0,1,5\n")
    assert read(path).columns == read_edges(path).columns == (0, 1, 2)
    assert read(path, weights=False).columns == (0, 1)


def test_two_columns_of_one_title(tmp_path: Path) -> None:
    frame = pd.DataFrame([[0, 1, 2]], columns=["a", "a", "b"])
    with pytest.raises(AnypairError, match="has 2 columns 'a'; say which by number"):
        from_pandas(frame, ("a", "b"))
    assert from_pandas(frame, (1, 2)).matrix.get(1, 2) is True
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table([[0], [1], [2]], names=["source", "target", "target"])
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(AnypairError, match=r"a\.parquet"):
        read(tmp_path / "a.parquet")
    with pytest.raises(AnypairError, match="several columns 'target', which cannot be told apart"):
        read(tmp_path / "a.parquet", columns=(0, 1))


@kinds
def test_one_column_is_not_two_things(kind: str, tmp_path: Path) -> None:
    """Targets were then whatever stood in memory."""
    with pytest.raises(AnypairError, match="cannot take a column for two things"):
        load(kind, {"source": ["a"], "target": ["b"]}, tmp_path, columns=(1, 1))


def test_other_formats_have_no_columns(tmp_path: Path) -> None:
    (tmp_path / "a.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")
    assert read(tmp_path / "a.mtx").columns is None


def test_a_weight_given_twice_still_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("from,to,km\n0,1,5\n0,1,6\n")
    with pytest.raises(DuplicateEntries, match=r"a\.csv: more than one entry.*duplicates="):
        read(tmp_path / "a.csv")
