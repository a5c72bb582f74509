"""Facts about operators: declared by the author, else derived from what the function does, else unknown.

| fact         | of       | means                                                                      |
| ------------ | -------- | -------------------------------------------------------------------------- |
| `selects`    | monoid   | the sum is one of its terms: the least or the greatest but for NaN, or any |
| `gives`      | multiply | it hands on the edge, the value, the index k, or the same number always    |
| `commutes`   | operator | f(x, y) is f(y, x)                                                         |
| `associates` | operator | f(f(x, y), z) is f(x, f(y, z)), but for the rounding of floats             |
| `monotone`   | multiply | x <= y implies multiply(e, x) <= multiply(e, y)                            |
| `grows`      | multiply | multiply(e, x) is never less than x (`up`), or never more (`down`)         |

`monotone` and `grows` hold as long as integers do not wrap around, and may hold within a range of edges
and values only. `check` tries facts out.
"""

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from anypair.dtypes import Scalar
from anypair.errors import InvalidArgument

Selects: TypeAlias = Literal["min", "max", "any"]
Gives: TypeAlias = Literal["edge", "value", "source", "constant"]
Range: TypeAlias = tuple[Scalar | None, Scalar | None]


@dataclass(frozen=True)
class Within:
    """Edges and values from the least to the greatest, both included; None where there is no end.

    >>> Within(edges=(0, None)).covers(edges=(0, 7)), Within(edges=(0, None)).covers(edges=(-1, 7))
    (True, False)
    """

    edges: Range = (None, None)
    values: Range = (None, None)

    def __post_init__(self) -> None:
        for what in ("edges", "values"):
            ends = getattr(self, what)
            if not _are_ends(ends):
                raise InvalidArgument(
                    f"Within: {what}={ends!r} is not (least, greatest), two numbers or None"
                )

    def covers(self, edges: Range = (None, None), values: Range = (None, None)) -> bool:
        """Whether all edges and values between these ends are in it; NaN never is."""
        return _encloses(self.edges, edges) and _encloses(self.values, values)

    @property
    def is_everything(self) -> bool:
        return self == EVERYWHERE


def _are_ends(ends: Any) -> bool:
    if not (isinstance(ends, tuple) and len(ends) == 2 and all(map(_is_end, ends))):
        return False
    return None in ends or bool(ends[0] <= ends[1])


def _is_end(end: object) -> bool:
    return end is None or (isinstance(end, bool | int | float) and end == end)


def _encloses(outer: Range, inner: Range) -> bool:
    least = outer[0] is None or (inner[0] is not None and inner[0] >= outer[0])
    return least and (outer[1] is None or (inner[1] is not None and inner[1] <= outer[1]))


EVERYWHERE = Within()


@dataclass(frozen=True)
class Grows:
    """Where multiply(e, x) >= x holds (`up`), so it is never better where the least is selected, and
    where multiply(e, x) <= x does (`down`), for the greatest.

    >>> Grows(up=Within(edges=(0, None))).up
    Within(edges=(0, None), values=(None, None))
    """

    up: Within | None = None
    down: Within | None = None

    def __post_init__(self) -> None:
        for what in ("up", "down"):
            if not isinstance(getattr(self, what), Within | None):
                raise InvalidArgument(
                    f"Grows: {what}={getattr(self, what)!r} is neither Within nor None"
                )

    def under(self, selects: Selects | None) -> Within | None:
        """Where products are never better than the value that they are made of."""
        return self.up if selects == "min" else self.down if selects == "max" else None


@dataclass(frozen=True)
class Facts:
    """What the author of an operator says about it; None leaves a fact to be derived.

    >>> Facts(gives="value", monotone=True)
    Facts(gives='value', monotone=True)
    """

    selects: Selects | None = None
    gives: Gives | None = None
    commutes: bool | None = None
    associates: bool | None = None
    monotone: bool | Within | None = None
    grows: Grows | None = None

    def __post_init__(self) -> None:
        for what, kinds in (("selects", get_args(Selects)), ("gives", get_args(Gives))):
            if getattr(self, what) not in (None, *kinds):
                known = ", ".join(map(repr, kinds))
                raise InvalidArgument(
                    f"{what}={getattr(self, what)!r} is not a fact; use one of {known}"
                )
        for what, kind, said in (
            ("commutes", bool | None, "True or False"),
            ("associates", bool | None, "True or False"),
            ("monotone", bool | Within | None, "True, False or Within(edges=(least, greatest))"),
            ("grows", Grows | None, "Grows(up=Within(...), down=Within(...))"),
        ):
            if not isinstance(getattr(self, what), kind):
                raise InvalidArgument(f"{what}={getattr(self, what)!r} is not a fact; it is {said}")

    def __repr__(self) -> str:
        said = ((field.name, getattr(self, field.name)) for field in fields(self))
        return f"Facts({', '.join(f'{name}={fact!r}' for name, fact in said if fact is not None)})"

    def and_also(self, name: str, **facts: Any) -> "Facts":
        """These facts and more; saying two things about one operator is an error."""
        for what, fact in facts.items():
            if None not in (fact, getattr(self, what)) and fact != getattr(self, what):
                raise InvalidArgument(
                    f"{name!r} is declared {what}={getattr(self, what)!r} and {what}={fact!r}"
                )
        return replace(self, **{what: fact for what, fact in facts.items() if fact is not None})


NOTHING = Facts()
