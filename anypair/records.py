"""Records: values of two or three named fields, packed into one word of 64 bits.

The engine sees int64 and no more, so a record is stored, moved, compared and added up as numbers are, on
every backend. Operators on records are made of plain functions of tuples of fields: what is generated
around them takes words apart and puts them together again (`record_words.py` says how).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from anypair.dtypes import BOOL, INT64, Scalar, as_dtype, loses_kind
from anypair.errors import InvalidArgument, InvalidValue, LossyCast, shown
from anypair.handle import Handle
from anypair.matrix import Matrix
from anypair.operations import apply, ewise_mult, reduce
from anypair.record_words import WIDTH, Field, field_of, giving, laid_out, packing, taking, unpacking
from anypair.semiring import (
    MAX,
    MIN,
    BinaryOp,
    Monoid,
    Semiring,
    UnaryOp,
    binary_op,
    max_monoid,
    min_monoid,
    unary_op,
)
from anypair.semiring.rules import stated, unary_stated
from anypair.vector import Vector

Word = TypeVar("Word", Matrix, Vector)
KINDS = ("record", "number")


def record(**fields: Any) -> "Record":
    """A kind of record: its fields, in the order in which records are compared, with their dtypes.

    Dtypes are bool, float32, and integers of any number of bits, "int20" or "uint40"; together they have
    64 bits or fewer.

    >>> shortest = record(distance="int32", count="uint32")
    >>> shortest
    Record(distance=int32, count=uint32)
    """
    if not 2 <= len(fields) <= 3:
        raise InvalidArgument(f"record: there are {len(fields)} fields; give two or three")
    made = tuple(field_of(name, dtype) for name, dtype in fields.items())
    if (bits := sum(field.bits for field in made)) > WIDTH:
        each = " + ".join(str(field.bits) for field in made)
        raise InvalidArgument(
            f"record: {', '.join(map(str, made))} need {each} = {bits} bits, and a record has {WIDTH}; "
            'take narrower fields, such as "int20" or "uint40"'
        )
    return Record(laid_out(made))


@dataclass(frozen=True, repr=False)
class Record:
    """A kind of record, which `record` makes: packs fields, takes them out, and makes operators.

    Handles of records have dtype int64. Words are in the order of their fields: by the first, among
    equal ones by the next. Integers wrap around in fields as they do in dtypes.

    >>> from anypair import Vector, record
    >>> shortest = record(distance="int32", count="uint32")
    >>> x = shortest.pack(distance=Vector.from_entries([0, 2], [5, -3], size=3), count=1)
    >>> shortest.to_dict(x), shortest.field(x, "distance").to_dict()
    ({0: (5, 1), 2: (-3, 1)}, {0: 5, 2: -3})
    """

    fields: tuple[Field, ...]

    def __repr__(self) -> str:
        return f"Record({', '.join(f'{field.name}={field.kind}' for field in self.fields)})"

    # Between fields and words

    def pack(self, *values: Any, **named: Any) -> Any:
        """Records of these fields: handles, or numbers that all entries share; where all have an entry.

        Numbers that a field does not hold are refused.

        >>> from anypair import Vector, record
        >>> best = record(value="int32", index="uint32")
        >>> best.to_dict(best.pack(Vector.full(2, 7), Vector.range(2)))
        {0: (7, 0), 1: (7, 1)}
        """
        given = self._in_order("pack", values, named)
        for field, value in zip(self.fields, given, strict=True):
            _require_held(field, value)
        found = 0
        for number, value in enumerate(given):
            if not isinstance(value, Handle):
                found |= _operators(self).put[number](0, value)
        if not any(isinstance(value, Handle) for value in given):
            raise InvalidArgument(
                "Record.pack: all fields are numbers; one has to be a Matrix or a Vector, "
                "and `word` gives the number that stands for one record"
            )
        packed: Any = None
        numbers: Any = np.int64(found)  # of NumPy: a plain one would become of a handle's dtype
        for put, value in zip(_operators(self).put, given, strict=True):
            if isinstance(value, Handle):
                packed = (
                    apply(value, put, left=numbers) if packed is None else ewise_mult(packed, value, put)
                )
        return packed

    def word(self, *values: Any, **named: Any) -> int:
        """The number that stands for one record, for `Vector.from_entries` and for bound operands.

        >>> best = record(value="int32", index="uint32")
        >>> best.word(value=1, index=2), best.value(best.word(1, 2))
        (4294967298, (1, 2))
        """
        given = self._in_order("word", values, named)
        for field, value in zip(self.fields, given, strict=True):
            if isinstance(value, Handle):
                raise InvalidArgument(f"Record.word: {field.name} is {shown(value)}, and not a number")
            _require_held(field, value)
        return int(packing(self.fields)(tuple(given)))

    def value(self, word: Scalar) -> tuple[Any, ...]:
        """The fields of the record that a number stands for."""
        found: tuple[Any, ...] = unpacking(self.fields)(int(word))
        return found

    def field(self, x: Word, name: str) -> Word:
        """One field of every entry.

        >>> from anypair import Vector, record
        >>> best = record(value="int32", index="uint32")
        >>> best.field(best.pack(Vector.full(2, 7), 3), "index").to_dict()
        {0: 3, 1: 3}
        """
        if name not in self.names:
            raise InvalidArgument(f"Record.field: {self!r} has no field {name!r}")
        _require_words("field", x)
        return apply(x, _operators(self).take[self.names.index(name)])

    def unpack(self, x: Word) -> tuple[Word, ...]:
        """All fields, each as a handle."""
        return tuple(self.field(x, name) for name in self.names)

    def to_dict(self, x: Vector) -> dict[int, tuple[Any, ...]]:
        """The entries of a vector of records, by place."""
        _require_words("to_dict", x)
        return {place: self.value(word) for place, word in x.to_dict().items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(field.name for field in self.fields)

    # Operators

    def unary(self, function: Callable[..., Any], *, result: Any = None) -> UnaryOp:
        """The operator of `function(fields)`, which gives fields, or a number of the dtype `result`.

        >>> from anypair import Vector, apply, record
        >>> best = record(value="int32", index="uint32")
        >>> negated = best.unary(lambda x: (-x[0], x[1]))
        >>> best.to_dict(apply(best.pack(Vector.full(1, 7), 3), negated))
        {0: (-7, 3)}
        """
        inner, take = _called("unary", function), unpacking(self.fields)
        give = _as_it_is if result is not None else packing(self.fields)

        def on_words(x: Any) -> Any:
            return give(inner(take(x)))

        rule = unary_stated(INT64 if result is None else as_dtype(result))
        return UnaryOp(_name(function), on_words, rule)

    def binary(
        self,
        function: Callable[..., Any],
        *,
        left: str = "record",
        right: str = "record",
        result: Any = None,
        positional: bool = False,
    ) -> BinaryOp:
        """The operator of `function(x, y)`, or `function(x, y, k)` if `positional`: see `@binary_op`.

        What is `left` and `right` is a tuple of fields, or, if that says so, a "number". The function
        gives fields, or a number of the dtype `result`.

        >>> from anypair import Vector, ewise_mult, record
        >>> best = record(value="int32", index="uint32")
        >>> x = best.pack(Vector.full(1, 7), 3)
        >>> ewise_mult(x, x, best.binary(lambda x, y: x[1] == y[1], result=bool)).to_dict()
        {0: True}
        """
        for side, kind in (("left", left), ("right", right)):
            if kind not in KINDS:
                raise InvalidArgument(f"Record.binary: {side}={kind!r} is neither 'record' nor 'number'")
        inner = _called("binary", function)
        take_left = unpacking(self.fields) if left == "record" else _as_it_is
        take_right = unpacking(self.fields) if right == "record" else _as_it_is
        give = _as_it_is if result is not None else packing(self.fields)

        def on_words(x: Any, y: Any) -> Any:
            return give(inner(take_left(x), take_right(y)))

        def on_words_at(x: Any, y: Any, k: Any) -> Any:
            return give(inner(take_left(x), take_right(y), k))

        rule = stated(INT64 if result is None else as_dtype(result))
        return BinaryOp(_name(function), on_words_at if positional else on_words, rule, positional)

    def monoid(self, *, identity: Any, terminal: Any = None) -> Callable[[Callable[..., Any]], Monoid]:
        """Make a monoid of a function of two tuples of fields, as `@monoid` does.

        `identity` and `terminal` are tuples of numbers, MAX and MIN, or MAX or MIN for all fields.

        >>> from anypair import MAX, Vector, record, reduce
        >>> shortest = record(distance="int32", count="uint32")
        >>> @shortest.monoid(identity=(MAX, 0))
        ... def shorter(x, y):
        ...     if x[0] == y[0]:
        ...         return x[0], x[1] + y[1]
        ...     return x if x[0] < y[0] else y
        >>> x = shortest.pack(Vector.from_numpy([4, 3, 3]), 1)
        >>> shortest.value(reduce(x, shorter))
        (3, 2)
        """
        empty = self._constant("identity", identity)
        last = None if terminal is None else self._constant("terminal", terminal)
        return lambda function: Monoid(self.binary(function), empty, last)

    @property
    def min_monoid(self) -> Monoid:
        """The least record: by the first field, among equal ones by the next."""
        return min_monoid

    @property
    def max_monoid(self) -> Monoid:
        """The greatest record."""
        return max_monoid

    def semiring(self, add: Monoid, multiply: Callable[..., Any]) -> Semiring:
        """The semiring whose multiply is `function(edge, fields)`, an edge being a number.

        >>> from anypair import Matrix, Vector, record, vxm
        >>> nearest = record(distance="int32", source="uint32")
        >>> step = nearest.semiring(nearest.min_monoid, lambda edge, x: (edge + x[0], x[1]))
        >>> start = nearest.pack(distance=Vector.full(2, 0), source=Vector.range(2))
        >>> roads = Matrix.from_edges([0, 1], [1, 0], [4, 3])
        >>> nearest.to_dict(vxm(start, roads, step))
        {0: (3, 1), 1: (4, 0)}
        """
        return Semiring(add, self.binary(multiply, left="number"))

    def _in_order(self, method: str, values: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        """The fields that are given, by place or by name."""
        given = dict(zip(self.names, values, strict=False))
        if len(values) > len(self.fields) or given.keys() & named or {*given, *named} != {*self.names}:
            raise InvalidArgument(f"Record.{method}: give each field of {self!r} once")
        each = ((given | named)[name] for name in self.names)
        return [value.item() if isinstance(value, np.generic) else value for value in each]

    def _constant(self, what: str, value: Any) -> int:
        each = (value,) * len(self.fields) if value in (MAX, MIN) else value
        if not isinstance(each, tuple) or len(each) != len(self.fields):
            raise InvalidArgument(
                f"Record.monoid: {what}={value!r} is not a tuple of {len(self.fields)} fields"
            )
        ends = {MAX: "greatest", MIN: "least"}
        fields = zip(self.fields, each, strict=True)
        return self.word(*(getattr(f, ends[v]) if v in (MAX, MIN) else v for f, v in fields))


@dataclass(frozen=True)
class _Operators:
    """What takes a field out of a word, and what puts one into a word that has none yet."""

    take: tuple[UnaryOp, ...]
    put: tuple[BinaryOp, ...]


@lru_cache(maxsize=64)
def _operators(of: Record) -> _Operators:
    return _Operators(tuple(map(_taking, of.fields)), tuple(map(_putting, of.fields)))


def _taking(field: Field) -> UnaryOp:
    take = taking(field)

    def taken(word: Any) -> Any:
        return take(word)

    made: UnaryOp = unary_op(result=field.dtype)(taken)
    return made


def _putting(field: Field) -> BinaryOp:
    give = giving(field)

    def put(word: Any, value: Any) -> Any:
        return word | give(value)

    made: BinaryOp = binary_op(result=INT64)(put)
    return made


def _as_it_is(value: Any) -> Any:
    return value


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _called(method: str, function: Any) -> Callable[..., Any]:
    """The function, or that of an operator, which is what an operator may call."""
    if not callable(function):
        raise InvalidArgument(f"Record.{method}: {function!r} is not a function")
    found: Callable[..., Any] = function
    return found


def _require_words(method: str, x: Any) -> None:
    if not isinstance(x, Handle) or x.dtype != INT64:
        what = f"of dtype {x.dtype}" if isinstance(x, Handle) else shown(x)
        raise InvalidArgument(f"Record.{method}: records have dtype int64, and this is {what}")


def _require_held(field: Field, value: Any) -> None:
    """Refuse values that the field does not hold: a handle's are looked at, unless its dtype tells."""
    if isinstance(value, Handle):
        if loses_kind(value.dtype, field.dtype):
            raise LossyCast(
                f"Record.pack: {field} takes no values of {value.dtype}; cast them first, as in "
                f'x.cast("{field.dtype}")'
            )
        if field.letter not in "iu" or value.dtype == BOOL or not value.nvals:
            return
        ends = np.iinfo(value.dtype)
        if field.least <= ends.min and ends.max <= field.greatest:
            return
        found: tuple[Any, ...] = reduce(value, min_monoid), reduce(value, max_monoid)
    else:
        kinds = {"b": bool, "f": (bool, int, float)}
        if not isinstance(value, kinds.get(field.letter, (bool, int))):  # type: ignore[arg-type]
            raise InvalidValue(f"Record: {field} does not hold {value!r}")
        if field.letter not in "iu":
            return
        found = (value,)
    for number in found:
        if not field.least <= number <= field.greatest:
            raise InvalidValue(
                f"Record: {field} does not hold {number}, but numbers from {field.least} to "
                f"{field.greatest}; give it more bits"
            )
