"""Files of every format for reading in parts: right and wrong ones, cut anywhere."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from anypair.semiring import first, minus

Draw = Callable[[st.SearchStrategy[Any]], Any]
ENDINGS = st.sampled_from(["\n", "\r\n"])


class Written(NamedTuple):
    """The name of a file, what is in it, and options to read it with."""

    name: str
    content: bytes
    options: dict[str, Any]

    def into(self, folder: Path) -> Path:
        path = folder / self.name
        path.write_bytes(self.content)
        return path


def _joined(draw: Draw, lines: list[str]) -> bytes:
    """Lines with ends of both kinds, sometimes none after the last."""
    text = "".join(line + draw(ENDINGS) for line in lines)
    return (text.rstrip("\r\n") if draw(st.booleans()) else text).encode(errors="surrogateescape")


def _options(draw: Draw) -> dict[str, Any]:
    drawn: dict[str, Any] = draw(
        st.fixed_dictionaries(
            {"duplicates": st.sampled_from([first, minus])},
            optional={"symmetric": st.booleans(), "self_loops": st.just(False)},
        )
    )
    return drawn


NUMBERS = st.integers(0, 9).map(str)
IDS = st.sampled_from([0, 3, 70_000, 2**40, 2**62]).map(str)
NAMES = st.sampled_from(["Ann", "Bob", "Zoe", "é", "7", "a-b"])
WHOLE = st.integers(-9, 9).map(str)
REAL = st.sampled_from(["2.5", "-1e3", "nan", "inf", "7"])
HUGE = st.sampled_from([str(2**70), "-0", "3"])
MALFORMED = ("1", "1 2 3 4", "x y z w", "-1 2 3", "0 1 ?", f"{2**80} 1 1", "0 1 \0", "a \udcff 1")


@st.composite
def edge_lists(draw: Draw) -> Written:
    suffix, delimiter = draw(st.sampled_from([("el", " "), ("tsv", "\t"), ("csv", ",")]))
    options = _options(draw)
    kinds = [draw(st.sampled_from([NUMBERS, NUMBERS, IDS, NAMES]))]
    if draw(st.booleans()):
        kinds.append(NAMES)  # so that names come after numbers, which is wrong
    weights = draw(st.sampled_from([None, WHOLE, st.one_of(WHOLE, REAL), st.one_of(WHOLE, REAL, HUGE)]))
    lines = []
    if suffix == "csv" and draw(st.booleans()):
        lines.append(delimiter.join(["source", "target", "weight"][: 2 if weights is None else 3]))
    for _ in range(draw(st.integers(0, 12))):
        kind = kinds[draw(st.integers(0, 7)) == 0 and len(kinds) > 1]
        fields = [draw(kind), draw(kind), *([] if weights is None else [draw(weights)])]
        lines.append(delimiter.join(fields))
        if draw(st.integers(0, 3)) == 0:
            lines.append(draw(st.sampled_from(["", "# a comment", "% 1 2"])))
    if draw(st.integers(0, 3)) == 0:
        wrong = draw(st.sampled_from(MALFORMED)).replace(" ", delimiter)
        lines.insert(draw(st.integers(0, len(lines))), wrong)
    content = (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + _joined(draw, lines)
    vertices = draw(st.sampled_from(["auto", "auto", "numbers", "ids", "names"]))
    if draw(st.integers(0, 4)) == 0:
        options["n"] = draw(st.integers(0, 12))
    if weights is not None and draw(st.integers(0, 3)) == 0:
        options["dtype"] = draw(st.sampled_from([float, int, bool, "uint64"]))
    if draw(st.integers(0, 9)) == 0:
        return Written(f"a.{suffix}.gz", gzip.compress(content), options | {"vertices": vertices})
    return Written(f"a.{suffix}", content, options | {"vertices": vertices})


@st.composite
def matrix_market(draw: Draw) -> Written:
    field = draw(st.sampled_from(["real", "integer", "pattern", "unsigned-integer"]))
    symmetry = draw(st.sampled_from(["general", "symmetric", "skew-symmetric"]))
    rows = draw(st.integers(0, 6))
    columns = draw(st.integers(0, 6)) if symmetry == "general" else rows
    lines = []
    promised = 0
    for _ in range(draw(st.integers(0, 10)) if rows and columns else 0):
        ends = [draw(st.integers(1, rows)), draw(st.integers(1, columns))]
        if symmetry != "general":
            ends = sorted(ends, reverse=True)
        weight = {"pattern": "", "real": draw(REAL), "unsigned-integer": draw(NUMBERS)}.get(field)
        lines.append(f"{ends[0]} {ends[1]} {draw(WHOLE) if weight is None else weight}")
        promised += 1
        if draw(st.integers(0, 3)) == 0:
            lines.append(draw(st.sampled_from(["", "% a comment", "   "])))
    if draw(st.integers(0, 3)) == 0:
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from([*MALFORMED, "99 1 1"])))
    promised = max(0, promised + draw(st.sampled_from([0, 0, 0, 0, 1, -1, -2, -5])))
    header = [
        f"%%MatrixMarket matrix coordinate {field} {symmetry}",
        "% said",
        f"{rows} {columns} {promised}",
    ]
    return Written("a.mtx", _joined(draw, header + lines), _options(draw))


@st.composite
def arrays(draw: Draw) -> Written:
    """The dense form of Matrix Market."""
    rows, columns = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    header = ["%%MatrixMarket matrix array real general", f"{rows} {columns}"]
    count = rows * columns + draw(st.sampled_from([0, 0, 1, -1]))
    values = [draw(REAL) for _ in range(max(count, 0))]
    return Written("a.mtx", _joined(draw, header + values), {})


@st.composite
def records(draw: Draw) -> Written:
    ends = draw(st.lists(st.tuples(st.integers(-1, 40), st.integers(0, 9)), max_size=9))
    content = np.array(ends, "<i8").reshape(-1, 2).tobytes() + bytes(draw(st.sampled_from([0, 0, 0, 3])))
    options = _options(draw)
    if draw(st.booleans()):
        options["n"] = draw(st.integers(0, 41))
    return Written("a.g500", content, options)


COLUMNS = {
    "int64": st.integers(-1, 9),
    "int32": st.integers(0, 9),
    "uint64": st.sampled_from([0, 5, 2**40, 2**62]),
    "string": st.sampled_from(["b", "a", "é"]),
    "double": st.sampled_from([0.5, 2.0, float("nan")]),
    "bool_": st.booleans(),
}


@st.composite
def tables(draw: Draw) -> Written:
    """Parquet with row groups of any size."""
    import pyarrow
    import pyarrow.parquet

    count = draw(st.integers(0, 9))
    kinds = [draw(st.sampled_from(["int64", "int32", "uint64", "string"]))] * 2
    if draw(st.integers(0, 5)) == 0:
        kinds[1] = draw(st.sampled_from(list(COLUMNS)))
    if draw(st.booleans()):
        kinds.append(draw(st.sampled_from(list(COLUMNS))))
    holes = draw(st.integers(0, 5)) == 0
    columns = {}
    for title, kind in zip(("source", "target", "weight"), kinds, strict=False):
        values = COLUMNS[kind] if not holes else st.one_of(COLUMNS[kind], st.none())
        columns[title] = pyarrow.array(
            [draw(values) for _ in range(count)], getattr(pyarrow, kind.replace("double", "float64"))()
        )
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(columns), sink, row_group_size=draw(st.integers(1, 4)))
    options = _options(draw) | {"vertices": draw(st.sampled_from(["auto", "auto", "ids", "names"]))}
    return Written("a.parquet", sink.getvalue().to_pybytes(), options)


FORMATS = {
    "edge lists": edge_lists(),
    "matrix market": matrix_market(),
    "dense arrays": arrays(),
    "records": records(),
    "tables": tables(),
}
