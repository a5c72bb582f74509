"""Graphs from files and other libraries, and back."""

from anypair.io.edges import Edges, Loaded
from anypair.io.formats import FORMATS, Format
from anypair.io.frames import from_pandas, from_polars, to_pandas, to_polars
from anypair.io.networks import from_networkx, to_networkx
from anypair.io.reading import read, read_edges
from anypair.io.writing import write

__all__ = [
    "FORMATS",
    "Edges",
    "Format",
    "Loaded",
    "from_networkx",
    "from_pandas",
    "from_polars",
    "read",
    "read_edges",
    "to_networkx",
    "to_pandas",
    "to_polars",
    "write",
]
