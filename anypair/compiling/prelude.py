"""The text of typed operators, with their casts: what goes before the text of a kernel."""

from collections.abc import Callable
from typing import Any

from anypair.compiling.operator_source import text_of
from anypair.dtypes import FLOAT64, INT64, DType, Scalar, largest, smallest
from anypair.semiring import (
    BinaryOp,
    NaryOp,
    TypedBinary,
    TypedMonoid,
    TypedNary,
    TypedSemiring,
    TypedUnary,
    UnaryOp,
)

OURS = "anypair.semiring."  # where the operators of the catalogue are


class Prelude:
    """Collects definitions, and the functions for which there is no text.

    The same definitions go before kernels of each backend. Functions are given numbers of their
    operands' dtypes, but float64 for float32 where that makes a difference, as Python has no other; if
    they are `wide`, what is closest to Python's: int64 and float64.
    """

    def __init__(self, *, wide: bool = False) -> None:
        self.wide = wide
        self.text = ""
        self.injected: dict[str, Callable[..., Any]] = {}
        self.operators: list[str] = []  # for people
        self.is_ours = True  # no operator is a user's

    def function(self, name: str, function: Callable[..., Any]) -> str:
        """Define a user's function; returns the name to call it by."""
        text = text_of(function, name)
        self.is_ours &= (function.__module__ or "").startswith(OURS)  # None at a prompt
        if text is None:
            self.injected[name] = function
        else:
            self.text += text
        return name

    def define(self, name: str, arguments: str, expression: str) -> None:
        self.text += f"@compiled\ndef {name}({arguments}):\n    return {expression}\n\n"

    def constant(self, name: str, value: Scalar | None) -> None:
        text = f"float({str(value)!r})" if isinstance(value, float) else str(value)
        self.text += f"{name} = {text}\n"

    def binary(self, name: str, op: TypedBinary, *, term_of: DType | None = None) -> None:
        """name(x, y): operands cast, the function, the result cast; or name(x, y, k), a term of a sum
        over such numbers, and name(x, y, k, i, j) if it sees the place of that.
        """
        called = self.function(f"{name}_function", op.op.function)
        self.operators.append(f"{name} = {op.op.name}({op.left}, {op.right}) -> {op.result}")
        operands = {"x": op.left, "y": op.right}
        extra = "".join(f", np.int64({index})" for index in op.op.arguments[2:])
        result = _cast(op.result, self._call(called, op.op, operands, extra, op.computed))
        if term_of is None:
            self.define(name, "x, y", result)
        else:
            taken = "x, y, k, i, j" if op.op.sees_place else "x, y, k"
            self.define(name, taken, _cast(term_of, result))

    def unary(self, name: str, op: TypedUnary) -> None:
        """name(x, i, j): the operand cast, the function, the result cast; name(x, i, j, k) if it takes a
        number.
        """
        called = self.function(f"{name}_function", op.op.function)
        self.operators.append(f"{name} = {op.op.name}({op.operand}) -> {op.result}")
        places = ", np.int64(i), np.int64(j)" if op.op.indexed else ""
        places += f", {_cast(op.number, 'k')}" if op.number is not None else ""
        computed = self._call(called, op.op, {"x": op.operand}, places, op.computed)
        taken = "x, i, j" if op.number is None else "x, i, j, k"
        self.define(name, taken, _cast(op.result, computed))

    def nary(self, name: str, op: TypedNary) -> None:
        """name(x1, x2, x3): operands cast, the function, the result cast."""
        called = self.function(f"{name}_function", op.op.function)
        shown = ", ".join(map(str, op.operands))
        self.operators.append(f"{name} = {op.op.name}({shown}) -> {op.result}")
        operands = dict(zip(op.op.arguments, op.operands, strict=True))
        self.define(name, ", ".join(operands), self._call(called, op.op, operands, "", op.result))

    def _call(
        self,
        called: str,
        op: UnaryOp | BinaryOp | NaryOp,
        operands: dict[str, DType],
        extra: str,
        computed: DType,
    ) -> str:
        """A call of the function, its operands cast before and its result after.

        As in Python, 1 - 2 is -1 for unsigned numbers too: they are signed while they fit, unless
        that comes to the same.
        """
        in_float32 = not self.wide and op.is_same_in_float32(computed)
        given = {name: self._widen(dt, _cast(dt, name), in_float32) for name, dt in operands.items()}
        unsigned = [name for name, dtype in operands.items() if dtype.kind == "u"]
        if not unsigned or op.is_same_if_unsigned(tuple(operands.values()), computed):
            return _cast(computed, f"{called}({', '.join(given.values())}{extra})")
        signed = {n: _cast(INT64, text) if n in unsigned else text for n, text in given.items()}
        call = _cast(computed, f"{called}({', '.join(signed.values())}{extra})")
        if all(operands[name].itemsize < 8 for name in unsigned):
            return call
        fits = " and ".join(f"{signed[name]} >= 0" for name in unsigned)
        wide = _cast(computed, f"{called}({', '.join(given.values())}{extra})")
        return f"{call} if {fits} else {wide}"

    def _widen(self, dtype: DType, expression: str, in_float32: bool) -> str:
        if (
            dtype.kind == "b"
            or dtype.itemsize == 8
            or (in_float32 if dtype.kind == "f" else not self.wide)
        ):
            return expression
        return _cast(FLOAT64 if dtype.kind == "f" else INT64, expression)


def _cast(dtype: DType, expression: str) -> str:
    return f"casting.to_{dtype}({expression})"


def product_prelude(semiring: TypedSemiring, *, flipped: bool = False, placed: bool = False) -> Prelude:
    """multiply(x, y, k), or multiply(y, x, k) if flipped, and add(x, y), and where adding may stop.

    For a kernel that knows the place (i, j) of the result multiply(x, y, k, i, j), whatever it sees.
    """
    assert placed or not semiring.multiply.op.sees_place
    prelude = Prelude()
    if placed and not semiring.multiply.op.sees_place:
        prelude.binary("product", semiring.multiply, term_of=semiring.add.domain)
        prelude.define("multiply", "x, y, k, i, j", "product(x, y, k)")
    elif flipped:
        prelude.binary("product", semiring.multiply, term_of=semiring.add.domain)
        prelude.define("multiply", "y, x, k", "product(x, y, k)")
    else:
        prelude.binary("multiply", semiring.multiply, term_of=semiring.add.domain)
    prelude.binary("add", semiring.add.op)
    prelude.constant("ANY", semiring.any_term_decides)
    prelude.constant("FIRST_HIT", semiring.first_term_decides)
    prelude.constant("CONSTANT", semiring.constant is not None)
    term = semiring.counted_term
    prelude.constant("COUNTED", term is not None)
    prelude.constant("TERM", term or 0)
    _terminal(prelude, semiring.add)
    return prelude


def entry_prelude(op: TypedBinary) -> Prelude:
    """combine(x, y), and what becomes of a value that stands alone."""
    prelude = Prelude()
    prelude.binary("combine", op)
    prelude.define("only_left", "x", _cast(op.result, "x"))
    prelude.define("only_right", "y", _cast(op.result, "y"))
    return prelude


def applied_prelude(op: TypedUnary) -> Prelude:
    """operate(x, i, j)."""
    prelude = Prelude()
    prelude.unary("operate", op)
    return prelude


def bound_prelude(op: TypedBinary, scalar_is_left: bool) -> Prelude:
    """operate(x, scalar)."""
    prelude = Prelude()
    prelude.binary("both", op)
    prelude.define("operate", "x, scalar", "both(scalar, x)" if scalar_is_left else "both(x, scalar)")
    return prelude


def sum_prelude(monoid: TypedMonoid) -> Prelude:
    """add(x, y) and as_term(x), the cast to the monoid's domain."""
    prelude = Prelude()
    prelude.binary("add", monoid.op)
    prelude.define("as_term", "x", _cast(monoid.domain, "x"))
    _terminal(prelude, monoid)
    return prelude


def order_of_values(prelude: Prelude, monoid: TypedMonoid) -> None:
    """Whether a sum is the least of its terms or the greatest, and the term that no sum needs."""
    is_least, domain = monoid.selects == "min", monoid.domain
    prelude.constant("LEAST", is_least)
    worst = largest(domain) if is_least else smallest(domain)
    prelude.text += f"WORST = {_value_text(worst, domain)}\n"


def _terminal(prelude: Prelude, monoid: TypedMonoid) -> None:
    stops = isinstance(monoid.terminal, bool | int | float)
    prelude.constant("STOPS", stops)
    prelude.text += f"TERMINAL = {_value_text(monoid.terminal, monoid.domain) if stops else 0}\n"


def _value_text(value: Any, dtype: DType) -> str:
    return str(bool(value)) if dtype.kind == "b" else f"np.{dtype}({str(value)!r})"
