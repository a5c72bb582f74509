"""The one list of file formats: a new format is one row here."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from anypair.errors import InvalidValue, MissingLibrary, option


@dataclass(frozen=True)
class Format:
    """A format: how its files end, what it is, and where its reader and writer are."""

    suffixes: tuple[str, ...]
    summary: str
    module: str
    delimiter: str = ""  # of edge lists
    compressible: bool = False  # whether the suffix may be followed by .gz
    needs: str = ""  # a library that is not always installed
    install: str = ""

    def load(self) -> Any:
        """The module with `read_file` and `write_file`."""
        if self.needs:
            require_library(self.needs, self.install, f"the format {self.summary}")
        return import_module(f"anypair.io.{self.module}")


EDGE_LIST = "an edge list: source, target and perhaps a weight on each line, between"

FORMATS: dict[str, Format] = {
    "mtx": Format((".mtx",), "Matrix Market", "matrix_market", compressible=True),
    "tsv": Format((".tsv",), f"{EDGE_LIST} them tabs", "edge_list", "\t", compressible=True),
    "csv": Format((".csv",), f"{EDGE_LIST} them commas", "edge_list", ",", compressible=True),
    "el": Format(
        (".el", ".wel", ".txt", ".edges", ".edgelist"),
        f"{EDGE_LIST} them blanks",
        "edge_list",
        compressible=True,
    ),
    "npz": Format((".npz",), "NumPy's archive, as scipy.sparse.save_npz writes it", "npz"),
    "parquet": Format(
        (".parquet", ".pq"),
        "Parquet, with columns source, target and perhaps weight",
        "parquet",
        needs="pyarrow",
        install="pip install 'anypair[parquet]'",
    ),
    "blocks": Format((".blocks",), "a folder of blocks, which backend streamed computes on", "blocks"),
    "graph500": Format((".g500",), "Graph500 edges as pairs of 64-bit numbers", "graph500"),
    "graph500-packed": Format(
        (".g500p",), "Graph500 edges as the reference code packs them, 48 bits a vertex", "graph500"
    ),
}


def choose(operation: str, path: Path, format: str | None) -> str:
    """The format asked for, or else that of the file's suffix.

    >>> choose("read", Path("web.mtx.gz"), None)
    'mtx'
    """
    if format is not None:
        if format not in FORMATS:
            raise InvalidValue(f"{operation}: format={format!r} is none of {', '.join(FORMATS)}")
        return format
    suffixes = [suffix.lower() for suffix in path.suffixes]
    is_compressed = suffixes[-1:] == [".gz"]
    last = suffixes[-2 if is_compressed else -1 :][:1]
    for name, row in FORMATS.items():
        if last and last[0] in row.suffixes and (row.compressible or not is_compressed):
            return name
    raise InvalidValue(
        f"{operation}: {path.name!r} does not say what format it is; give {option('format')}, "
        f"one of {', '.join(FORMATS)}"
    )


def require_library(name: str, install: str, purpose: str) -> Any:
    """The library, or an error with the command that installs it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingLibrary(f"{purpose} needs {name}; install it with: {install}") from error
