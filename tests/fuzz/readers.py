"""What is fuzzed: for each reader valid files to begin with, options to read them with, and how they change."""

import gzip
import io
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import scipy.sparse

from anypair import Matrix
from anypair.io import write
from tests.fuzz.mutation import (
    change_archive,
    change_bytes,
    change_packed,
    change_records,
    change_table,
    change_text,
)
from tests.io.malformed import CASES

Change = Callable[[bytes, Random], bytes]

MATRIX = Matrix.from_entries(
    [0, 1, 2, 2], [1, 2, 0, 2], [0.5, -1e300, 7, 1e-5], (3, 3), backend="reference"
)
WHOLE = Matrix.from_entries([0, 1, 2], [1, 2, 0], [1, -2, 2**62], (3, 4), backend="reference")
BARE = Matrix.from_edges([0, 1, 2], [1, 2, 0], symmetric=True, backend="reference")
NAMES = ["Ann", "Zoë", '"x, y"']

OPTIONS: dict[str, list[Any]] = {
    "symmetric": [None, True, False],
    "weights": [None, None, True, False],
    "self_loops": [True, False],
    "dtype": [None, None, "float32", "int8", "uint64", "bool"],
    "duplicates": [None, "first", "plus"],
}
TEXT_OPTIONS: dict[str, list[Any]] = OPTIONS | {
    "vertices": ["auto", "auto", "numbers", "ids", "names"],
    "one_based": [False, False, True],
    "n": [None, None, 3, 70],
    "delimiter": [None, None, ";", " ", "\t"],
    "header": [None, None, True, False],
    "columns": [None, None, (0, 1), (1, 0, 2), ("source", "target"), (2, 2, 2), ("a", 7)],
    "limit": [None, None, 100],
}
TABLE_OPTIONS = {
    name: TEXT_OPTIONS[name] for name in (*OPTIONS, "vertices", "one_based", "n", "columns")
}


@dataclass(frozen=True)
class Reader:
    """A reader: the suffixes of its files, its options, and changes that know the format."""

    suffixes: tuple[str, ...]
    options: dict[str, list[Any]] = field(default_factory=lambda: OPTIONS)
    changes: tuple[Change, ...] = (change_bytes,)

    def begin(self) -> list[tuple[str, bytes]]:
        """Files to begin with: the right ones, and those that the tests know to be wrong."""
        known = [(c.file.removeprefix("a."), c.content) for c in CASES if len(c.content) < 1 << 14]
        files = [(suffix, content) for suffix, content in known if suffix in self.suffixes]
        for suffix in self.suffixes:
            files += [(suffix, content) for content in _written(suffix)]
        return files


def _written(suffix: str) -> list[bytes]:
    contents = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a.{suffix}")
        for matrix, names in (
            (MATRIX, None),
            (WHOLE, None),
            (BARE, None),
            (MATRIX, NAMES),
            (BARE, [9, 5, 7]),
        ):
            if ("g500" in suffix and matrix is not BARE) or ("mtx" in suffix and names is not None):
                continue
            try:
                write(path, matrix, names)
            except ValueError:  # names that this format has no way to write
                continue
            except TypeError:
                continue
            contents.append(path.read_bytes())
        if suffix == "npz":
            dense = np.array([[0, 1.5, 0, 0], [2, 0, 0, 0], [0, 0, 3, 4], [0, 0, 0, 0]])
            for layout in ("csc", "bsr", "coo", "dia"):
                made = scipy.sparse.coo_array(dense)
                scipy.sparse.save_npz(path, made.asformat(layout), compressed=layout in ("csc", "dia"))
                contents.append(path.read_bytes())
    if suffix == "mtx":
        buffer = io.BytesIO(b"%%MatrixMarket matrix array real symmetric\n% x\n2 2\n1\n0\n2.5\n")
        contents.append(buffer.getvalue())
    return [gzip.compress(b"0 1\n"), *contents] if suffix.endswith(".gz") else contents


READERS: dict[str, Reader] = {
    "text": Reader(("csv", "tsv", "el"), TEXT_OPTIONS, (change_text, change_bytes)),
    "mtx": Reader(("mtx",), OPTIONS | {"limit": [None, 100]}, (change_text, change_bytes)),
    "npz": Reader(("npz",), OPTIONS | {"limit": [None, None, 1000]}, (change_archive, change_bytes)),
    "parquet": Reader(("parquet",), TABLE_OPTIONS, (change_table, change_bytes)),
    "graph500": Reader(
        ("g500", "g500p"),
        {"n": [None, 3, 2**40], "symmetric": [None, True], "self_loops": [True, False]},
        (change_records, change_bytes),
    ),
    "gzip": Reader(
        ("csv.gz", "el.gz", "mtx.gz"), OPTIONS | {"limit": [None, 100]}, (change_packed, change_bytes)
    ),
}
