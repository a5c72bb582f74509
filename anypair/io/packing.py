"""Names of vertices, or numbers with gaps, as the numbers 0 to n - 1 (packed ids), and the way back."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from anypair.backends.processes import Processes
from anypair.dtypes import Array
from anypair.errors import InvalidValue, option
from anypair.io.compiled import kernels
from anypair.io.working import even_bounds, threads
from anypair.memory import require

DENSE_ENOUGH = 1 << 16  # vertex numbers below this are never packed unasked
SPARSE = 16  # numbers of which at most one in so many can occur are


def are_sparse(largest: int, edges: int) -> bool:
    """Whether most of the numbers 0 to `largest` cannot occur in so many edges."""
    return largest >= DENSE_ENOUGH and largest >= SPARSE * 2 * edges


def largest(*columns: Array) -> int:
    """The largest of all numbers in these columns, or -1."""
    team = threads()
    bounds = even_bounds(len(columns[0]), team)
    pieces = [(column[a:b],) for column in columns for a, b in pairwise(bounds) if a < b]
    return int(max(team.run(np.max, pieces), default=-1)) if pieces else -1


def pack(sources: Array, targets: Array, processes: Processes) -> tuple[Array, Array, Array]:
    """New sources and targets from 0 to n - 1, and the sorted old numbers, those of all processes.

    >>> pack(np.array([70, 5]), np.array([5, 900]), Processes())
    (array([1, 0]), array([0, 2]), array([  5,  70, 900]))
    """
    own, places = processes.together(lambda: _pack_own(sources, targets))
    names = own
    if processes.count > 1:
        given = [each for each in processes.gather_arrays(own) if len(each)]
        names = np.unique(_joined(given or [own]))
        places = np.searchsorted(names, own.astype(names.dtype, copy=False))[places]
    return places[: len(sources)], places[len(sources) :], names


def _pack_own(sources: Array, targets: Array) -> tuple[Array, Array]:
    require(6 * (sources.nbytes + targets.nbytes), "packing vertex numbers")
    names, places = np.unique(_joined([sources, targets]), return_inverse=True)
    return names, places.astype(np.int64, copy=False)


def _joined(columns: Sequence[Array]) -> Array:
    """One column of whole numbers; of int64 beside uint64 NumPy makes floats, which tell few apart."""
    joined = np.result_type(*columns)
    if joined.kind == "f":
        filled = [column for column in columns if len(column)]
        least = min((int(column.min()) for column in filled), default=0)
        greatest = max((int(column.max()) for column in filled), default=0)
        if least < 0 and greatest >= 2**63:
            raise InvalidValue(
                f"vertices hold {least} and {greatest}, and no integer of 64 bits can be both; "
                f"{option('vertices', repr('names'))} takes anything"
            )
        joined = np.dtype(np.int64 if least < 0 else np.uint64)
    return np.concatenate(columns, dtype=joined, casting="unsafe")


def merge_names(own: Array, order: Array, processes: Processes) -> tuple[Array, Array]:
    """The sorted names of all processes, and an order of places among this one's as one among all.

    >>> merge_names(np.array(["Ann", "Bob"], object), np.array([1, 0]), Processes())
    (array(['Ann', 'Bob'], dtype=object), array([1, 0]))
    """
    if processes.count == 1:
        return own, order
    # As bytes, which may be longer than a message of objects; no name has a newline.
    text = "".join(f"{name}\n" for name in own).encode()
    given = processes.gather_arrays(np.frombuffer(text, np.uint8))
    names = sorted({name for each in given for name in each.tobytes().decode().split("\n")[:-1]})
    array = np.empty(len(names), object)
    array[:] = names
    place = {name: number for number, name in enumerate(names)}
    return array, np.fromiter((place[name] for name in own), np.int64, len(own))[order]


class NameTable:
    """Numbers for names in the order in which they come; `finish` sorts them."""

    def __init__(self) -> None:
        self._slots = np.full(1 << 10, -1, np.int64)
        self._letters = np.empty(1 << 12, np.uint8)
        self._starts = np.zeros(1 << 8, np.int64)
        self._count = 0

    def intern(self, data: Array, size: int, *columns: Array) -> None:
        """Replace places of names in `data` by their numbers, in all columns alike."""
        new = sum(map(len, columns))
        self._reserve(new, size)
        self._count = kernels("naming").intern(
            data, self._slots, self._letters, self._starts, self._count, *columns
        )

    def _reserve(self, names: int, letters: int) -> None:
        """Room for so many more; as if all of them were new."""
        most = self._count + names
        used = int(self._starts[self._count])
        require(8 * 5 * most + used + letters, "the table of vertex names")
        if 2 * most > len(self._slots):
            self._slots = np.full(1 << (2 * most).bit_length(), -1, np.int64)
            kernels("naming").rehash(self._slots, self._letters, self._starts, self._count)
        if most + 1 > len(self._starts):
            self._starts = np.resize(self._starts, 2 * (most + 1))
        if used + letters > len(self._letters):
            self._letters = np.resize(self._letters, 2 * (used + letters))

    def finish(self, unquote: Callable[[str], str] | None) -> tuple[Array, Array]:
        """The sorted names, and the place there of each number that was given out."""
        starts = self._starts[: self._count + 1]
        text = self._letters[: int(starts[-1])].tobytes()
        found = [text[a:b].decode("utf-8") for a, b in pairwise(starts.tolist())]
        if unquote is not None:
            found = [unquote(name) for name in found]
        names = sorted(set(found))
        place = {name: number for number, name in enumerate(names)}
        array = np.empty(len(names), object)
        array[:] = names
        return array, np.fromiter((place[name] for name in found), np.int64, len(found))
