"""Which columns of a table hold source, target and weight, by their titles or by their places."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from anypair.errors import InvalidArgument, option
from anypair.io.complaints import shown
from anypair.io.options import ReadOptions

TITLES = ("source", "target", "weight")  # as we write them

# Titles in small letters, without blanks and strokes. The first ones nobody calls a vertex, so they
# also tell that a line holds titles; the others mean what they mean only where that is known.
SOURCES = {
    "source", "src", "from", "fromnode", "fromnodeid", "sourcenode", "sourceid", "node1",
}  # fmt: skip
TARGETS = {
    "target", "dst", "to", "tonode", "tonodeid", "targetnode", "targetid", "node2", "destination",
}  # fmt: skip
OTHER_SOURCES = SOURCES | {"u", "i", "row", "id1", "nodea", "vertex1"}
OTHER_TARGETS = TARGETS | {"v", "j", "col", "column", "id2", "nodeb", "vertex2", "dest"}
WEIGHTS = {"weight", "weights", "w", "cost", "distance", "length", "capacity", "value"}

SHOWN_TITLES, SHOWN_LETTERS = 8, 24
SAMPLE = 1000  # rows that a proposal goes by

Sample = Callable[[], Sequence[Iterable[object]]]


@dataclass(frozen=True)
class Columns:
    """The places of source, target and perhaps weight; titles if the table has any."""

    places: tuple[int, ...]
    titles: tuple[str, ...] | None = None

    @property
    def taken(self) -> tuple[int | str, ...]:
        """As `columns=` takes them: titles, or numbers where titles cannot tell columns apart."""
        if self.titles is None:
            return self.places
        wanted = tuple(self.titles[place] for place in self.places)
        return wanted if all(self.titles.count(title) == 1 for title in wanted) else self.places

    def described(self) -> str:
        """For errors: what was taken for what."""
        return ", ".join(
            f"{role} in column {shown(taken, SHOWN_LETTERS) if isinstance(taken, str) else taken}"
            for role, taken in zip(TITLES, self.taken, strict=False)
        )


def choose_columns(
    titles: Sequence[str] | None, count: int, options: ReadOptions, sample: Sample
) -> Columns:
    """The columns asked for; else by their titles; else, without titles, the first two or three.

    `InvalidArgument` says what is missing, and what would be right to ask for by the look of a sample.
    """
    named = None if titles is None or _are_numbered(titles) else tuple(titles)
    listed = None if titles is None else tuple(titles)
    if options.columns is not None:
        asked = tuple(_place(column, listed, count) for column in options.columns)
        if len(set(asked)) < len(asked):
            given = option("columns", str(options.columns))
            raise InvalidArgument(f"cannot take a column for two things, as {given} asks")
        return Columns(asked, listed)
    if count < 2:
        raise InvalidArgument(f"has {count} columns; edges need a source and a target")
    by_order = tuple(range(count)) if count <= 3 else ()
    places = by_order if named is None else _known(named, options)
    if not places:
        raise InvalidArgument(_refusal(named, count, sample))
    if options.weights is False:
        places = places[:2]
    elif options.weights and len(places) == 2:
        raise InvalidArgument(f"has no column of weights, though {option('weights', 'True')}")
    return Columns(places, listed)


def titles_tell(titles: Sequence[str]) -> bool:
    """Whether a line holds titles, because some can be nothing else.

    >>> titles_tell(["id", "from", "To"]), titles_tell(["ts", "sender", "receiver"])
    (True, False)
    """
    return len(_those(titles, SOURCES)) == len(_those(titles, TARGETS)) == 1


def _ends(titles: Sequence[str]) -> tuple[int, ...]:
    """The places of source and target by their titles, if these are clear."""
    for known in ((SOURCES, TARGETS), (OTHER_SOURCES, OTHER_TARGETS)):
        found = [_those(titles, words) for words in known]
        if all(len(places) == 1 for places in found):
            return (*found[0], *found[1])
    return ()


def _known(titles: Sequence[str], options: ReadOptions) -> tuple[int, ...]:
    """By the titles; a single other column, or the one that says so, is the weight."""
    ends = _ends(titles)
    others = [place for place in range(len(titles)) if place not in ends]
    weights = _those(titles, WEIGHTS) if len(others) > 1 else others
    if ends and len(weights) == 1:
        return (*ends, *weights)
    return ends if options.weights is False or not others else ()


def _those(titles: Sequence[str], known: set[str]) -> list[int]:
    found = []
    for place, title in enumerate(titles):
        if "".join(title.casefold().split()).replace("_", "").replace("-", "") in known:
            found.append(place)
    return found


def _are_numbered(titles: Sequence[str]) -> bool:
    """Whether titles are what libraries call columns without any: 0 and 1, or column_0 and column_1."""
    return any(
        list(titles) == [f"{word}{first + place}" for place in range(len(titles))]
        for word in ("", "column", "column_")
        for first in (0, 1)
    )


def _place(column: int | str, titles: Sequence[str] | None, count: int) -> int:
    if isinstance(column, int):
        if not 0 <= column < count:
            raise InvalidArgument(f"has no column {column}; it has {count} columns")
        return column
    if titles is None:
        raise InvalidArgument(f"has no row of headings to find the column {shown(column)} in")
    if column not in titles:
        raise InvalidArgument(f"has no column {shown(column)}; it has {_listed(titles)}")
    if titles.count(column) > 1:
        raise InvalidArgument(f"has {titles.count(column)} columns {shown(column)}; say which by number")
    return titles.index(column)


def _refusal(titles: Sequence[str] | None, count: int, sample: Sample) -> str:
    if titles is None:
        example = option("columns", "(0, 1, 3)")
        return f"{count} fields where 2 or 3 should be; say which ones, as in {example}"
    ends = _ends(titles)
    advice = "of which several could be the weight" if ends else "not titled source and target"
    ends = ends or _likely_ends(sample())
    are_short = all(0 < len(titles[place]) <= SHOWN_LETTERS for place in ends)
    proposal = Columns(ends, tuple(titles) if are_short else None).taken
    return (
        f"has columns {_listed(titles)}, {advice}; say which are source, target and perhaps weight, "
        f"as in {option('columns', str(proposal))}"
    )


def _likely_ends(columns: Sequence[Iterable[object]]) -> tuple[int, int]:
    """The two columns with the most values in common: vertices are sources here and targets there."""
    values = [set(map(str, column)) for column in columns]
    pairs = list(combinations(range(len(values)), 2))
    return max(pairs, key=lambda pair: len(values[pair[0]] & values[pair[1]]), default=(0, 1))


def _listed(titles: Sequence[str]) -> str:
    listed = ", ".join(
        title if title.isprintable() and 0 < len(title) <= SHOWN_LETTERS else shown(title, SHOWN_LETTERS)
        for title in titles[:SHOWN_TITLES]
    )
    left = len(titles) - SHOWN_TITLES
    return f"{listed} and {left} more" if left > 0 else listed
