"""Options of backends: each is declared once, with its default, what it takes and what it is part of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anypair.errors import UnknownOption


@dataclass(frozen=True)
class Option:
    """What `using(backend, name=value)` may set.

    An option of `execution` says how to compute, such as `threads`: objects made with different values
    of it can be used together. All others say what and where objects are.
    """

    default: Any
    #: Whether it takes a value; None where that depends on more, and whoever uses it checks.
    takes: Callable[[Any], bool] | None = None
    otherwise: str = ""  # what an error says of another value
    execution: bool = False


def choice(default: str, values: Sequence[str], *, execution: bool = False) -> Option:
    """One of some names."""
    return Option(default, lambda x: x in values, f"is none of {tuple(values)}", execution)


def whole(default: int, least: int, otherwise: str | None = None, *, execution: bool = False) -> Option:
    """A whole number that is not below the least."""
    said = otherwise or f"is not a whole number from {least} on"
    return Option(default, lambda x: is_whole(x, least), said, execution)


def is_whole(value: Any, least: int) -> bool:
    """Whether this is a whole number that is not below the least."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def settled(backend: str, declared: Mapping[str, Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a backend, of which some are given; what it does not take is an error.

    >>> settled("jit", {"threads": whole(0, least=0), "direction": choice("auto", ["auto"])}, {})
    {'threads': 0, 'direction': 'auto'}
    """
    for name, value in given.items():
        if name not in declared:
            has = ", ".join(declared) or "none"
            raise UnknownOption(f"backend {backend!r} has no option {name!r}; it has {has}")
        takes = declared[name].takes
        if takes is not None and not takes(value):
            raise UnknownOption(f"backend {backend!r}: {name}={value!r} {declared[name].otherwise}")
    return {name: given.get(name, option.default) for name, option in declared.items()}
