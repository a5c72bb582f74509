"""Every error that anypair raises on purpose; each is also the built-in error people expect."""

import re
from collections.abc import Callable
from typing import Any, Self

MARK = "\x1f"  # around options in the text of an error; ASCII has it to separate units
MARKED = re.compile(f"{MARK}([^{MARK}]*){MARK}([^{MARK}]*){MARK}")


def option(name: str, value: str = "") -> str:
    """An option in the text of an error, which each front end spells its own way.

    The value, if there is one, is given as Python writes it.

    >>> str(AnypairError(f"give {option('n')} or {option('columns', '(0, 1)')}"))
    'give n= or columns=(0, 1)'
    """
    return MARK + name + MARK + value + MARK


class AnypairError(Exception):
    """The root: `except AnypairError` catches all that the library raises on purpose."""

    rank: int | None = None  #: of the process that it began on, if not all have it

    def __init__(self, message: object = "") -> None:
        self.marked = str(message)  # with options still to be spelled
        super().__init__(self.spelled(lambda name, value: f"{name}={value}"))

    def spelled(self, spell: Callable[[str, str], str]) -> str:
        """The message with each option as `spell(name, value)` has it."""
        return MARKED.sub(lambda found: spell(found[1], found[2]), self.marked)

    def reworded(self, message: str) -> Self:
        """The same error in other words, with the attributes that it has.

        >>> DuplicateEntries(place=(3, 4)).reworded("twice").place
        (3, 4)
        """
        again = type(self)(message)
        again.__dict__ = self.__dict__ | again.__dict__
        return again


def shown(value: object) -> str:
    """How messages show what they were given: in one line, whatever it is."""
    found = getattr(value, "headline", None)
    return found if isinstance(found, str) else repr(value)


class SizeMismatch(AnypairError, ValueError):
    """Operands, masks or outputs whose shapes do not fit together."""


class _AtPlace(AnypairError):
    """An error about what stands at one place: an index of a vector, a pair of a matrix."""

    place: Any = None

    def __init__(self, message: object = "", *, place: Any = None) -> None:
        super().__init__(message)
        if place is not None:
            self.place = place[0] if isinstance(place, tuple) and len(place) == 1 else place


class IndexOutOfRange(_AtPlace, IndexError):
    """An index below zero or beyond the last row, column or element.

    `value` is the index, `place` where it stands among those that were given.

    >>> import anypair
    >>> try:
    ...     anypair.Vector.from_entries([0, 7], [1, 1], size=5)
    ... except IndexOutOfRange as error:
    ...     print(error.value, error.place)
    7 1
    """

    value: int | None = None

    def __init__(
        self,
        message: object = "",
        *,
        value: int | None = None,
        place: Any = None,
    ) -> None:
        super().__init__(message or f"{value} at {place} is out of range", place=place)
        if value is not None:
            self.value = value


class NoEntry(_AtPlace, KeyError):
    """A place that is read, and has no entry.

    `place` is the index, or the pair of indices.
    """

    __str__ = Exception.__str__  # as KeyError would quote it


class DuplicateEntries(_AtPlace, ValueError):
    """Two entries at one place, and no operator that says how to combine them; `place` is where.

    >>> import anypair
    >>> try:
    ...     anypair.Vector.from_entries([4, 4], [1, 2], size=5)
    ... except DuplicateEntries as error:
    ...     print(error.place)
    4
    """

    def __init__(self, message: object = "", *, place: Any = None) -> None:
        super().__init__(message, place=place)
        if not message:
            super().__init__(f"more than one entry at {self.place}", place=place)


class FactViolated(AnypairError, ValueError):
    """Something that is said of an operator, and is not so: `fact`, of `operator`, for `arguments`.

    >>> import anypair
    >>> try:
    ...     anypair.check(anypair.monoid(identity=0, terminal=9)(lambda x, y: x + y), dtype=int)
    ... except FactViolated as error:
    ...     print(error.operator, error.fact, error.arguments)
    <lambda> terminal=9 (9, -9223372036854775808)
    """

    def __init__(
        self,
        message: object = "",
        *,
        operator: str | None = None,
        fact: str | None = None,
        arguments: tuple[Any, ...] = (),
    ) -> None:
        super().__init__(message)
        self.operator = operator
        self.fact = fact
        self.arguments = arguments


class InvalidValue(AnypairError, ValueError):
    """An argument that is of no use to the operation: NaN for an index, None for a number."""


class InvalidArgument(AnypairError, TypeError):
    """An argument of the wrong kind, or a combination of arguments that means nothing."""


class UnsupportedDType(AnypairError, TypeError):
    """A dtype that anypair does not store, or that an operator has no meaning for."""


class LossyCast(AnypairError, TypeError):
    """A result that its output could take only by another kind of number: 0.5 as an integer."""


class OperatorError(AnypairError, RuntimeError):
    """A user-defined operator raised, returned something that is no number, or cannot be typed.

    `operator` is its name (of a semiring, "add or multiply" if it is not known which), `arguments` what
    it was given when it raised, if that is known.

    >>> from anypair import Vector, apply, unary_op
    >>> @unary_op(result=float)
    ... def inverse(x):
    ...     return 1 / x
    >>> try:
    ...     apply(Vector.from_entries([0], [0], size=1, backend="reference"), inverse)
    ... except OperatorError as error:
    ...     print(error.operator, error.arguments)
    inverse (0,)
    """

    operator: str | None = None
    arguments: tuple[Any, ...] | None = None

    def __init__(
        self,
        message: object = "",
        *,
        operator: str | None = None,
        arguments: tuple[Any, ...] | None = None,
    ) -> None:
        super().__init__(message)
        if operator is not None:
            self.operator = operator
        if arguments is not None:
            self.arguments = arguments


class BackendMismatch(AnypairError, TypeError):
    """Operands that live on different backends."""


class UnknownBackend(AnypairError, ValueError):
    """A backend name that is in no row of the registry."""


class BackendUnavailable(AnypairError, ImportError):
    """A known backend whose library is not installed or does not load here."""


class UnknownOption(AnypairError, ValueError):
    """An option that the chosen backend does not have, or a value it cannot take."""


class UnknownVariable(UserWarning):
    """A warning: an environment variable that begins like ours and is read by nobody."""


class NoDevice(UserWarning):
    """A warning: a backend that would use a GPU, and computes without one."""


class NotSupported(AnypairError, NotImplementedError):
    """A capability that a backend does not have."""


class NotEnoughMemory(AnypairError, MemoryError):
    """A result that cannot fit, refused before it is built."""


class DeviceFailed(AnypairError, RuntimeError):
    """A GPU, its driver or its compiler that failed, through no fault of an operator."""


class FileError(AnypairError, ValueError):
    """A file whose content is not what its format says; the message has file, line and text."""


class FileUnreadable(FileError, OSError):
    """A file that is missing, is a folder, or may not be read or written."""


class MissingLibrary(AnypairError, ImportError):
    """A format or a kind of graph whose library is not installed."""


class ResultOverflow(_AtPlace, OverflowError):
    """A result that is larger than its dtype holds, such as the length of a path.

    `place` is where, if that is known, such as the vertex that the path leads to.
    """


class ImprovingCycle(AnypairError, ValueError):
    """A closure whose values get better each time around a cycle, so that there is no end.

    `cycle` has the vertices along it, from the smallest on.

    >>> import anypair
    >>> ring = anypair.Matrix.from_edges([0, 1], [1, 0], [-1, 0])
    >>> try:
    ...     anypair.closure(anypair.Vector.full(2, 0), ring, anypair.semiring.min_plus)
    ... except ImprovingCycle as error:
    ...     print(error.cycle)
    (0, 1)
    """

    cycle: tuple[int, ...] = ()

    def __init__(self, message: object = "", *, cycle: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        if cycle:
            self.cycle = cycle


class NegativeCycle(ImprovingCycle):
    """Shortest paths that get shorter for ever."""


class NotConverged(AnypairError, RuntimeError):
    """An iteration that did not reach its tolerance within its limit."""


class ValidationFailed(AnypairError, RuntimeError):
    """A search whose answer breaks a rule of the benchmark."""


class DistributedError(AnypairError, RuntimeError):
    """An error of another rank, or ranks that do not do the same."""
