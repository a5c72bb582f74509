"""Tries out what is said of an operator, on the ends of dtypes, NaN, infinities and random numbers."""

import math
import operator
import os
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from typing import Any

import numpy as np

from anypair.dtypes import BOOL, FLOAT64, INT64, DType, Scalar, as_dtype, caster, largest, smallest
from anypair.errors import FactViolated, InvalidArgument, OperatorError, UnsupportedDType
from anypair.semiring.algebra import VARIABLE, Monoid, Semiring, TypedMonoid, TypedSemiring
from anypair.semiring.facts import Range, Within
from anypair.semiring.operators import BinaryOp, TypedBinary

TRIED = (BOOL, np.dtype(np.int8), np.dtype(np.uint16), INT64, FLOAT64)  # unless a dtype is asked for
RANDOM = 8  # numbers near zero, and twice as many further off, besides those at the ends of a dtype
TRIPLES = 600
INDICES = (0, 1, 2, 1000)


def check(x: Semiring | Monoid | BinaryOp, dtype: Any = None) -> None:
    """Raise FactViolated, with a counter-example, if something that is known of an operator is wrong.

    The laws of a monoid are tried (associative, commutative, identity, terminal), and every fact,
    declared or derived. `dtype` is one for edges and values, or a pair; without it several are tried.

    >>> from anypair import MIN, binary_op, monoid
    >>> check(binary_op(lambda edge, value: edge + value))
    >>> check(monoid(identity=MIN, terminal=1.0)(lambda x, y: max(x, y)), dtype=float)
    Traceback (most recent call last):
        ...
    anypair.errors.FactViolated: monoid '<lambda>' has terminal=1.0, but for float64 f(1.0, 3.0) is 3.0
    """
    if not isinstance(x, Semiring | Monoid | BinaryOp):
        raise InvalidArgument(f"check: {x!r} is no semiring, monoid or binary operator")
    tried = 0
    never: dict[str, bool] = {}
    for left, right in _dtypes(dtype):
        try:
            typed = x.typed(right) if isinstance(x, Monoid) else x.typed(left, right)
            found = check_typed(typed)
        except (UnsupportedDType, OperatorError):
            if dtype is not None:
                raise
            continue
        tried += 1
        for fact, differs in found.items():
            never[fact] = never.get(fact, False) or differs
    for fact, differs in never.items():
        if not differs:
            op = x.multiply if isinstance(x, Semiring) else x
            raise FactViolated(
                f"operator {op.name!r} is declared {fact}=False, but no counter-example was found",
                operator=op.name,
                fact=fact,
            )
    if not tried:
        raise InvalidArgument(f"check: {x!r} has no meaning for any of {', '.join(map(str, TRIED))}")


def _dtypes(given: Any) -> list[tuple[DType, DType]]:
    if given is None:
        return [(dtype, dtype) for dtype in TRIED]
    if isinstance(given, tuple) and len(given) == 2:
        return [(as_dtype(given[0]), as_dtype(given[1]))]
    return [(as_dtype(given), as_dtype(given))]


def check_at_first_use(typed: TypedSemiring | TypedMonoid) -> None:
    """Check what is used on new dtypes, where the environment asks for it."""
    wanted = os.environ[VARIABLE]
    if wanted not in ("0", "1"):
        raise InvalidArgument(f"the environment variable {VARIABLE} is {wanted!r}; it is 0 or 1")
    if wanted == "1":
        with suppress(OperatorError):  # who uses it there is told by the operation itself
            check_typed(typed)


def check_typed(typed: TypedSemiring | TypedMonoid | TypedBinary) -> dict[str, bool]:
    """Check on the dtypes it has; for each law that it is said not to keep, whether it breaks it.

    An operator that raises on these dtypes whatever it is given has no meaning there: `x ^ y` of floats.
    What it raises is raised.
    """
    if isinstance(typed, TypedSemiring):
        return check_typed(typed.add) | check_typed(typed.multiply)
    tried = _Monoid(typed) if isinstance(typed, TypedMonoid) else _Operator(typed)
    tried.require_meaning()
    return tried.run()


@cache
def samples(dtype: DType) -> tuple[Scalar, ...]:
    """The ends of a dtype, what is special in it, and random numbers, the same ones each time.

    Of these some are near zero, and some of every length of bits: a fact that breaks at 1000 would
    not be found among numbers that are drawn evenly from all of int64.
    """
    if dtype.kind == "b":
        return (False, True)
    draw = random.Random(str(dtype))
    if dtype.kind == "f":
        found = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, math.inf, -math.inf, math.nan]
        found.append(float(np.finfo(dtype).max))
        found += [draw.uniform(-9, 9) for _ in range(RANDOM)]
        found += [draw.uniform(1, 2) * (-2.0) ** length for length in range(4, 60, 60 // (2 * RANDOM))]
        return tuple(caster(dtype)(x) for x in found)
    least, most = int(smallest(dtype)), int(largest(dtype))
    near = [draw.randrange(-9, 10) for _ in range(RANDOM)]
    lengths = range(4, most.bit_length(), max(most.bit_length() // (2 * RANDOM), 1))
    far = [draw.randrange(1 << bits, 2 << bits) for bits in lengths]
    far[::2] = [max(-x, least) or x for x in far[::2]]
    return tuple(dict.fromkeys(max(x, least) for x in (least, most, 0, 1, -1, 2, 3, *near, *far)))


@dataclass
class _Operator:
    """Tries one operator on its dtypes."""

    op: TypedBinary
    kind: str = "operator"

    @property
    def name(self) -> str:
        return self.op.op.name

    def run(self) -> dict[str, bool]:
        op = self.op
        self._try_reads()
        self._try_gives()
        if op.selects in ("min", "max"):
            self.try_selects(op.selects)
        if op.is_idempotent:
            self.try_idempotent()
        self._try_order()
        differs = {}
        for law, keeps in (("commutes", self.commutes), ("associates", self.associates)):
            said = getattr(op.op, law)
            if said is not None and self._is_of_one_dtype(law):
                found = next(keeps(), None)
                if said and found is not None:
                    raise self.violated(f"{law}=True", found[0], found[1])
                if getattr(op.op.declared, law) is False:
                    differs[law] = found is not None
        if op.op.declared.monotone is False:
            differs["monotone"] = next(self._falls(Within()), None) is not None
        return differs

    def violated(self, fact: str, arguments: tuple[Any, ...], what: str) -> FactViolated:
        dtypes = " and ".join(dict.fromkeys((str(self.op.left), str(self.op.right))))
        verb = "has" if fact.startswith(("terminal", "identity")) else "is said to be"
        return FactViolated(
            f"{self.kind} {self.name!r} {verb} {fact}, but for {dtypes} {what}",
            operator=self.name,
            fact=fact,
            arguments=arguments,
        )

    def call(self, x: Scalar, y: Scalar, k: int = 0) -> Any:
        """What it gives, or None where it raises, which it may unless it is known not to."""
        try:
            return self.op(x, y, k)
        except OperatorError as error:
            if self.op.op.never_raises:
                raise self.violated("never_raises=True", (x, y, k), str(error)) from error
            return None

    def pairs(self) -> Iterator[tuple[Scalar, Scalar]]:
        return product(samples(self.op.left), samples(self.op.right))

    def require_meaning(self) -> None:
        problem: OperatorError | None = None
        for x, y in self.pairs():
            try:
                self.op(x, y)
                return
            except OperatorError as error:
                problem = problem or error
        if problem is not None:
            raise problem

    def said(self, x: Scalar, y: Scalar, found: Any) -> str:
        if found is not None:
            return f"f({x!r}, {y!r}) is {found!r}"
        try:
            self.op(x, y)
        except OperatorError as error:
            return f"f({x!r}, {y!r}) fails: {error}"
        raise AssertionError("it did not raise again")

    def _is_of_one_dtype(self, law: str) -> bool:
        return self.op.is_closed if law == "associates" else self.op.left == self.op.right

    def _try_reads(self) -> None:
        op = self.op.op
        for x, y in self.pairs():
            found = self.call(x, y)
            for reads, other, fact in (
                (op.reads_left, (samples(self.op.left)[-1], y), "reads_left=False"),
                (op.reads_right, (x, samples(self.op.right)[-1]), "reads_right=False"),
            ):
                if not reads and not _equal(found, again := self.call(*other)):
                    what = f"{self.said(x, y, found)} and {self.said(*other, again)}"
                    raise self.violated(fact, (x, y), what)

    def _try_gives(self) -> None:
        """On the function itself, before what it gives is cast."""
        op = self.op.op
        if op.gives is None:
            return
        first: Any = None
        for (x, y), k in product(self.pairs(), INDICES):
            given = (caster(self.op.left)(x), caster(self.op.right)(y), k)
            try:
                found = op.function(*(*given, 0, 0)[: len(op.arguments)])
            except Exception:  # an operator of a user may raise what it likes
                continue
            first = found if first is None else first
            wanted = {"edge": given[0], "value": given[1], "source": k, "constant": first}[op.gives]
            if not _equal(found, wanted):
                raise self.violated(f"gives={op.gives!r}", given, f"f{given!r} is {found!r}")

    def try_selects(self, selects: str) -> None:
        choose = min if selects == "min" else max
        for x, y in self.pairs():
            numbers = [v for v in (x, y) if v == v] or [math.nan]
            if not _equal(found := self.call(x, y), choose(numbers)):
                raise self.violated(f"selects={selects!r}", (x, y), self.said(x, y, found))

    def try_idempotent(self) -> None:
        for x in samples(self.op.left):
            if not _equal(found := self.call(x, x), x):
                raise self.violated("is_idempotent=True", (x, x), self.said(x, x, found))

    def commutes(self) -> Iterator[tuple[tuple[Any, ...], str]]:
        """Pairs whose order matters."""
        for x, y in self.pairs():
            one, other = self.call(x, y), self.call(y, x)
            if not _equal(one, other):
                yield (x, y), f"{self.said(x, y, one)} and {self.said(y, x, other)}"

    def associates(self) -> Iterator[tuple[tuple[Any, ...], str]]:
        """Triples of which it matters how they are put together, beyond rounding."""
        values = samples(self.op.left)
        draw = random.Random(0)
        triples = list(product(values[:7], repeat=3))
        triples += [tuple(draw.choices(values, k=3)) for _ in range(TRIPLES)]
        for x, y, z in triples:
            left, right = self.call(x, y), self.call(y, z)
            if left is None or right is None:
                continue
            one, other = self.call(left, z), self.call(x, right)
            if not _nearly_equal(one, other, (x, y, z, left, right)):
                what = f"f(f({x!r}, {y!r}), {z!r}) is {one!r} and f({x!r}, f({y!r}, {z!r})) is {other!r}"
                yield (x, y, z), what

    def _try_order(self) -> None:
        """On bools all is known that there is to know; what was declared is tried all the same."""
        known: list[TypedBinary | BinaryOp] = [self.op]
        known += [self.op.op] if self.op.truth_table else []
        for rises in (each.monotone_within for each in known if each.monotone_within is not None):
            for arguments, what in self._falls(rises):
                raise self.violated(f"monotone={_shown(rises)}", arguments, what)
        for grows in (each.grows for each in known if each.grows is not None):
            for side, within, fits in (("up", grows.up, operator.ge), ("down", grows.down, operator.le)):
                if within is not None:
                    self._try_grows(side, within, fits)

    def _try_grows(self, side: str, within: Within, fits: Callable[[Any, Any], bool]) -> None:
        for e, x in self._inside(within):
            found = self._without_wrapping(e, x)
            if found is not None and not fits(found, x):
                raise self.violated(f"grows {side}", (e, x), self.said(e, x, found))

    def _falls(self, within: Within) -> Iterator[tuple[tuple[Any, ...], str]]:
        """Edges and two values for which it falls as the value rises."""
        values = sorted({y for _, y in self._inside(within)})
        for e in samples(self.op.left):
            found = [(y, z) for y in values if (z := self._without_wrapping(e, y)) is not None]
            for (x, one), (y, other) in pairwise(found):
                if _is_in(e, within.edges) and one > other:
                    yield (e, x, y), f"{self.said(e, x, one)} and {self.said(e, y, other)}"

    def _inside(self, within: Within) -> Iterator[tuple[Scalar, Scalar]]:
        for e, x in self.pairs():
            if e == e and x == x and _is_in(e, within.edges) and _is_in(x, within.values):
                yield e, x

    def _without_wrapping(self, e: Scalar, x: Scalar) -> Any:
        """What it gives, or None if that is NaN, or an integer that was wrapped around."""
        found = self.call(e, x)
        if found is None or found != found:
            return None
        if self.op.result.kind in "iu":
            given = (caster(self.op.left)(e), caster(self.op.right)(x), 0, 0, 0)
            exact = self.op.op.function(*given[: len(self.op.op.arguments)])
            return found if exact == found else None
        return found


class _Monoid(_Operator):
    """Tries one monoid: its laws, and what it is said to select."""

    def __init__(self, monoid: TypedMonoid) -> None:
        super().__init__(monoid.op, "monoid")
        self.monoid = monoid

    def run(self) -> dict[str, bool]:
        monoid = self.monoid
        if monoid.takes_any:
            self._try_any()
            return {}
        for law, broken in (("associative", self.associates), ("commutative", self.commutes)):
            for arguments, what in broken():
                if not any(map(_is_nan, arguments)) or monoid.selects is not None:
                    raise self.violated(law, arguments, what)
        self._try_end("identity", monoid.identity, lambda x: x)
        if monoid.terminal is not None:
            self._try_end("terminal", monoid.terminal, lambda x: monoid.terminal)
        if monoid.selects is not None:
            self.try_selects(monoid.selects)
        if monoid.is_idempotent:
            self.try_idempotent()
        return {}

    def _try_any(self) -> None:
        for x, y in self.pairs():
            found = self.call(x, y)
            if not (_equal(found, x) or _equal(found, y)):
                raise self.violated("selects='any'", (x, y), self.said(x, y, found))

    def _try_end(self, what: str, end: Any, wanted: Callable[[Any], Any]) -> None:
        for x in samples(self.op.left):
            if _is_nan(x):
                continue
            for one, other in ((end, x), (x, end)):
                found = self.call(one, other)
                if not _equal(found, wanted(x)):
                    raise self.violated(f"{what}={end!r}", (one, other), self.said(one, other, found))


def _is_in(number: Scalar, ends: Range) -> bool:
    return (ends[0] is None or number >= ends[0]) and (ends[1] is None or number <= ends[1])


def _is_nan(x: Any) -> bool:
    return bool(x != x)


def _equal(x: Any, y: Any) -> bool:
    return bool(x == y) or (x is not None and y is not None and _is_nan(x) and _is_nan(y))


def _nearly_equal(one: Any, other: Any, on_the_way: tuple[Any, ...]) -> bool:
    """Whether two results are equal but for rounding and what became infinite on the way."""
    if None in (one, other) or _equal(one, other):
        return True
    if not isinstance(one, float):
        return False
    sizes = [abs(float(x)) for x in (one, other, *on_the_way)]
    return not max(sizes) < 1e30 or any(map(math.isnan, sizes)) or abs(one - other) <= 1e-5 * max(sizes)


def _shown(within: Within) -> str:
    return "True" if within.is_everything else repr(within)
