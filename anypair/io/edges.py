"""What reading gives: edges as plain arrays, and the matrix made of them with its vertices' names."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from anypair.dtypes import Array
from anypair.errors import IndexOutOfRange, InvalidValue, SizeMismatch
from anypair.inputs import as_index
from anypair.matrix import Matrix

GENERAL, SYMMETRIC, SKEW = "general", "symmetric", "skew-symmetric"


@dataclass(frozen=True)
class Edges:
    """Edges as they stand in a file: `sources, targets, weights = edges`, or by name.

    `symmetry` says what the file leaves out: nothing (general), or the reverse of each edge, with the
    same weight (symmetric) or its negative (skew-symmetric).
    """

    sources: Array
    targets: Array
    weights: Array | None = None
    shape: tuple[int, int] | None = None  # if the file says so
    names: Array | None = None  # names[v] is what vertex v is called in the file; sorted
    symmetry: str = GENERAL
    is_part: bool = False  # whether other processes have the other edges
    columns: tuple[int | str, ...] | None = None  # of a table: those of source, target, weight

    def __iter__(self) -> Iterator[Array | None]:
        return iter((self.sources, self.targets, self.weights))

    def __len__(self) -> int:
        return len(self.sources)


@dataclass(frozen=True)
class Content:
    """What goes into a file: all entries of a matrix, sorted, and what its vertices are called."""

    rows: Array
    columns: Array
    values: Array
    shape: tuple[int, int]
    is_symmetric: bool = False  # known to be so; every entry is given all the same
    names: Array | None = None

    @property
    def is_pattern(self) -> bool:
        """Whether places say all there is to say, as all values are True."""
        return self.values.dtype == bool and bool(self.values.all())

    def lower(self) -> "Content":
        """The entries on the diagonal and below it."""
        kept = self.rows >= self.columns
        return replace(self, rows=self.rows[kept], columns=self.columns[kept], values=self.values[kept])


@dataclass(frozen=True)
class Loaded:
    """A matrix that was read, and what its vertices are called.

    >>> from anypair.io import from_networkx
    >>> import networkx
    >>> loaded = from_networkx(networkx.Graph([("b", "a")]))
    >>> loaded.matrix.nvals, loaded.names.tolist(), loaded.vertex("b")
    (2, ['a', 'b'], 1)
    """

    matrix: Matrix
    names: Array | None = None  # None: vertices are called 0 to n - 1
    format: str = ""
    path: Path | None = None
    symmetric: bool = False  # whether each edge has its reverse, by construction
    columns: tuple[int | str, ...] | None = None  # of a table: those that were taken

    def vertex(self, name: Any) -> int:
        """The number of the vertex of that name; names may also be given as text."""
        if self.names is None:
            number = _as_number(name)
            if not 0 <= number < self.matrix.nrows:
                last = self.matrix.nrows - 1
                called = f"they are called 0 to {last}" if last >= 0 else "there is none at all"
                raise IndexOutOfRange(
                    f"Loaded.vertex: no vertex is called {name!r}; {called}", value=number
                )
            return number
        if self.names.dtype != object:
            name = _as_number(name)
        found = np.flatnonzero(self.names == name)
        if len(found) == 0:
            raise IndexOutOfRange(f"Loaded.vertex: no vertex is called {name!r}")
        return int(found[0])

    def name(self, vertex: int) -> Any:
        """What a vertex is called; its number if there are no names."""
        number = as_index("Loaded.name", "vertex", vertex, self.matrix.nrows)
        if self.names is None:
            return number
        found = self.names[number]
        return found.item() if isinstance(found, np.generic) else found


def _as_number(name: Any) -> int:
    try:
        return int(name)
    except (TypeError, ValueError):
        raise InvalidValue(f"Loaded.vertex: name={name!r} is not a whole number") from None


def check_names(operation: str, names: Any, matrix: Matrix) -> Array | None:
    """Names for all vertices of a matrix, or None; no two are the same."""
    if names is None:
        return None
    listed = names if isinstance(names, np.ndarray) and names.dtype in (np.int64, object) else None
    if listed is None:
        plain = names.tolist() if isinstance(names, np.ndarray) else list(names)
        listed = np.empty(len(plain), np.int64 if all(map(_is_int64, plain)) else object)
        listed[:] = plain
    if matrix.nrows != matrix.ncols:
        raise SizeMismatch(
            f"{operation}: names are for graphs, and this is {matrix.nrows}x{matrix.ncols}"
        )
    if len(listed) != matrix.nrows:
        raise SizeMismatch(f"{operation}: {len(listed)} names for {matrix.nrows} vertices")
    if (name := given_twice(listed.tolist())) is not None:
        raise InvalidValue(f"{operation}: two vertices have the same name, {name!r}")
    return listed


def _is_int64(name: Any) -> bool:
    whole = isinstance(name, int | np.integer) and not isinstance(name, bool)
    return whole and -(2**63) <= name < 2**63


def given_twice(names: Iterable[Any]) -> Any:
    """The first name that came before, or None."""
    seen = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def texts_of(operation: str, names: Array) -> list[str]:
    """Names as text that a file can hold; each stands for one vertex still. Bytes are text in UTF-8."""
    texts = []
    for name in names.tolist():
        try:
            text = name.decode("utf-8") if isinstance(name, bytes) else str(name)
            text.encode("utf-8")
        except UnicodeError as error:
            reason = getattr(error, "reason", error)
            raise InvalidValue(f"{operation}: the name {name!r} is no text ({reason})") from None
        texts.append(text)
    if (text := given_twice(texts)) is not None:
        raise InvalidValue(f"{operation}: two vertices have the same name as text, {text!r}")
    return texts
