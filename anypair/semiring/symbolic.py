"""What a function computes, as a tree: it is called on symbols that write down what is done to them.

A symbol that is asked whether it is true is answered once with yes and once with no, in two runs, so the
tree has a branch for each answer. That needs no source text: a function typed at a prompt or made by
`exec` has a tree as well, and helpers and other operators that it calls are part of it. A function that
looks at its arguments in another way (their type, their text, their identity), catches errors, or does
too much has no tree.
"""

import builtins
import math
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, TypeAlias

import numpy as np

from anypair.dtypes import Scalar
from anypair.semiring.bytecode import opcodes
from anypair.semiring.captures import Namespace, captured
from anypair.semiring.numba_form import is_helper

MOST_NODES = 200  # operations in one run of a function
MOST_RUNS = 64
MOST_TEXT = 4000  # characters of a tree


class NoTree(Exception):
    """Something that cannot be said in a tree."""


class Node:
    """A part of a tree; two are equal if they are written alike (1, 1.0 and True are not)."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        if len(text) > MOST_TEXT:
            raise NoTree
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return self.text


class Argument(Node):
    """One of the function's arguments, by its number."""

    __slots__ = ("number",)
    parts: tuple["Expression", ...] = ()

    def __init__(self, number: int) -> None:
        super().__init__(f"a{number}")
        self.number = number


class Constant(Node):
    """A number."""

    __slots__ = ("value",)
    parts: tuple["Expression", ...] = ()

    def __init__(self, value: Scalar) -> None:
        super().__init__(repr(value))
        self.value = value


class Operation(Node):
    """A sign between two expressions, or before one, or a function of them."""

    __slots__ = ("name", "parts")

    def __init__(self, name: str, parts: tuple["Expression", ...]) -> None:
        super().__init__(f"{name}({', '.join(part.text for part in parts)})")
        self.name = name
        self.parts = parts


class Branch(Node):
    """One tree or another, by a condition."""

    __slots__ = ("condition", "otherwise", "then")

    def __init__(self, condition: "Expression", then: "Tree", otherwise: "Tree") -> None:
        super().__init__(f"[{condition.text} ? {then.text} : {otherwise.text}]")
        self.condition = condition
        self.then = then
        self.otherwise = otherwise


Expression: TypeAlias = Argument | Constant | Operation
Tree: TypeAlias = Expression | Branch


def tree_of(function: Callable[..., Any], arguments: int) -> Tree | None:
    """What a frozen function of that many arguments computes, or None if that cannot be told.

    >>> tree_of(lambda x, y: x if x < y else y, 2).text
    '[<(a0, a1) ? a0 : a1]'
    """
    if not isinstance(function, FunctionType):
        return None
    try:
        called = _World().function(function)
        return _explored(called, arguments)
    except Exception:  # whatever the function does when it is called with what is no number
        return None


def leaves(tree: Tree) -> Iterator[Expression]:
    """What a tree may come to."""
    if isinstance(tree, Branch):
        yield from leaves(tree.then)
        yield from leaves(tree.otherwise)
    else:
        yield tree


def conditions(tree: Tree) -> Iterator[Expression]:
    """What a tree asks on its way."""
    if isinstance(tree, Branch):
        yield tree.condition
        yield from conditions(tree.then)
        yield from conditions(tree.otherwise)


def reads(tree: Tree, argument: int) -> bool:
    """Whether the argument of that number matters."""
    return any(_holds(each, argument) for part in (leaves, conditions) for each in part(tree))


def swapped(tree: Tree) -> Tree:
    """What the function computes of its first two arguments in the other order."""
    if isinstance(tree, Branch):
        return Branch(_swapped(tree.condition), swapped(tree.then), swapped(tree.otherwise))
    return _swapped(tree)


def _swapped(expression: Expression) -> Expression:
    if isinstance(expression, Argument):
        return Argument({0: 1, 1: 0}.get(expression.number, expression.number))
    if isinstance(expression, Operation):
        return _normal(expression.name, tuple(map(_swapped, expression.parts)))
    return expression


def _holds(expression: Expression, argument: int) -> bool:
    if isinstance(expression, Argument):
        return expression.number == argument
    return any(_holds(part, argument) for part in expression.parts)


# Exploring: one run for each way through the function


class _Run:
    """One run of a function, whose questions are answered in a given way as far as that goes."""

    def __init__(self, answers: list[bool]) -> None:
        self.answers = answers
        self.asked: list[Expression] = []
        self.known: dict[Expression, bool] = {}
        self.nodes = 0

    def symbol(self, name: str, *operands: Any) -> "_Symbol":
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise NoTree
        return _Symbol(self, _normal(name, tuple(_expression(x) for x in operands)))

    def answer(self, question: Expression) -> bool:
        if question not in self.known:
            number = len(self.asked)
            if number == len(self.answers):
                self.answers.append(True)
            self.asked.append(question)
            self.known[question] = self.answers[number]
        return self.known[question]

    def result(self, value: Any) -> Expression:
        found = _expression(value)
        if is_comparison(found) and found in self.known:
            return Constant(self.known[found])
        return found


def _explored(function: Callable[..., Any], arguments: int) -> Tree:
    """Every way through the function, put together."""
    ways: list[tuple[list[bool], list[Expression], Expression]] = []
    answers: list[bool] | None = []
    while answers is not None:
        if len(ways) == MOST_RUNS:
            raise NoTree
        run = _Run(answers)
        result = run.result(function(*(_Symbol(run, Argument(n)) for n in range(arguments))))
        ways.append((list(run.answers), run.asked, result))
        answers = _next(run.answers)
    return _joined(ways, 0)


def _next(answers: list[bool]) -> list[bool] | None:
    """The way after this one: the last yes becomes a no."""
    while answers and not answers[-1]:
        answers = answers[:-1]
    return [*answers[:-1], False] if answers else None


def _joined(ways: list[tuple[list[bool], list[Expression], Expression]], depth: int) -> Tree:
    _, asked, result = ways[0]
    if depth == len(asked):
        return result
    then = _joined([way for way in ways if way[0][depth]], depth + 1)
    otherwise = _joined([way for way in ways if not way[0][depth]], depth + 1)
    condition = asked[depth]
    if then == otherwise and is_comparison(condition) and not _may_raise(condition):
        return then
    if is_comparison(condition) and (then, otherwise) == (Constant(True), Constant(False)):
        return condition
    return Branch(condition, then, otherwise)


COMPARISONS = {"<", "<=", "==", "!="}
SYMMETRIC = {"+", "*", "&", "|", "^", "==", "!="}


def comparison(name: str, left: Expression, right: Expression) -> Expression:
    """How two expressions compare, as it stands in trees."""
    return _normal(name, (left, right))


def is_comparison(expression: Expression) -> bool:
    """Whether this is True or False whatever the numbers are."""
    return isinstance(expression, Operation) and expression.name in COMPARISONS


def _may_raise(expression: Expression) -> bool:
    if isinstance(expression, Operation) and not is_comparison(expression):
        return True
    return any(map(_may_raise, expression.parts))


def _normal(name: str, operands: tuple[Expression, ...]) -> Expression:
    """One way to write what means the same for all numbers, NaN included."""
    if name in (">", ">="):
        return _normal("<" + name[1:], operands[::-1])
    if name in SYMMETRIC:
        operands = tuple(sorted(operands, key=lambda each: each.text))
    return Operation(name, operands)


def _expression(value: Any) -> Expression:
    if isinstance(value, _Symbol):
        return value.expression
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) in (bool, int, float):
        return Constant(value)
    raise NoTree


def _signed(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def straight(self: "_Symbol", other: Any) -> "_Symbol":
        return self.run.symbol(name, self, other)

    def reflected(self: "_Symbol", other: Any) -> "_Symbol":
        return self.run.symbol(name, other, self)

    return straight, reflected


def _before(name: str) -> Callable[..., Any]:
    return lambda self: self.run.symbol(name, self)


class _Symbol:
    """A number that is not known yet."""

    __slots__ = ("expression", "run")
    __array_ufunc__ = None  # NumPy must not take it for an element of an array

    def __init__(self, run: _Run, expression: Expression) -> None:
        self.run = run
        self.expression = expression

    def __bool__(self) -> bool:
        return self.run.answer(self.expression)

    def __repr__(self) -> str:
        raise NoTree

    __hash__ = None  # type: ignore[assignment]
    __add__, __radd__ = _signed("+")
    __sub__, __rsub__ = _signed("-")
    __mul__, __rmul__ = _signed("*")
    __truediv__, __rtruediv__ = _signed("/")
    __floordiv__, __rfloordiv__ = _signed("//")
    __mod__, __rmod__ = _signed("%")
    __pow__, __rpow__ = _signed("**")
    __lshift__, __rlshift__ = _signed("<<")
    __rshift__, __rrshift__ = _signed(">>")
    __and__, __rand__ = _signed("&")
    __or__, __ror__ = _signed("|")
    __xor__, __rxor__ = _signed("^")
    __lt__, __gt__ = _signed("<")
    __le__, __ge__ = _signed("<=")
    __eq__ = _signed("==")[0]
    __ne__ = _signed("!=")[0]
    __neg__ = _before("negative")
    __pos__ = _before("positive")
    __invert__ = _before("~")
    __abs__ = _before("abs")


# The world of the function: as it was frozen, but functions of Python and NumPy write down their calls

PLAIN_BUILTINS = ("min", "max", "abs", "bool", "range", "len", "sum", "pow", "tuple")
CALLED_BUILTINS = ("int", "float", "round")
UNCLEAR = {"IS_OP"}  # a symbol is never the same thing as a number


class _World:
    """Makes functions that can be called on symbols."""

    def __init__(self) -> None:
        self.made: dict[int, Any] = {}
        self.builtins = {name: getattr(builtins, name) for name in PLAIN_BUILTINS}
        self.builtins |= {name: _called(name, getattr(builtins, name)) for name in CALLED_BUILTINS}

    def function(self, function: FunctionType) -> FunctionType:
        if id(function) not in self.made:
            code = function.__code__
            _refuse_unclear(code)
            values = {name: self.value(value) for name, value in captured(function).items()}
            self.made[id(function)] = self._with(function, values)
        found: FunctionType = self.made[id(function)]
        return found

    def _with(self, function: FunctionType, values: dict[str, Any]) -> FunctionType:
        code = function.__code__
        cells = tuple(CellType(values[name]) for name in code.co_freevars)
        world = {"__builtins__": self.builtins, "__name__": function.__module__, **values}
        made = FunctionType(code, world, function.__name__, function.__defaults__, cells)
        made.__kwdefaults__ = function.__kwdefaults__
        return made

    def value(self, value: Any) -> Any:
        if is_helper(value):
            return self.function(value)
        if isinstance(value, Namespace):
            return Namespace(**{name: self.value(inner) for name, inner in vars(value).items()})
        if type(value) is tuple:
            return tuple(map(self.value, value))
        if isinstance(value, ModuleType):
            return _Module(value)
        if callable(value):
            module = "numpy" if isinstance(value, np.ufunc) else getattr(value, "__module__", None)
            return _called(f"{module}.{value.__name__}", value)
        return value


def _refuse_unclear(code: CodeType) -> None:
    """Raise for code that catches what symbols raise, or tells them from numbers."""
    if code.co_exceptiontable or opcodes(code) & UNCLEAR:
        raise NoTree
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            _refuse_unclear(inner)


class _Module:
    """A module of Python or NumPy, whose functions may be called on symbols."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            return _Module(found)
        return _called(f"{self._module.__name__}.{name}", found) if callable(found) else found


def _called(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **keywords: Any) -> Any:
        symbols = [x for x in arguments if isinstance(x, _Symbol)]
        if any(isinstance(x, _Symbol) for x in keywords.values()) or (symbols and keywords):
            raise NoTree
        return symbols[0].run.symbol(name, *arguments) if symbols else function(*arguments, **keywords)

    return call


def evaluated(expression: Expression, arguments: tuple[Scalar, ...]) -> Any:
    """The value of a comparison, of an argument, of `isnan` or of a constant; else raises NoTree."""
    if isinstance(expression, Argument):
        return arguments[expression.number]
    if isinstance(expression, Constant):
        return expression.value
    parts = [evaluated(part, arguments) for part in expression.parts]
    if expression.name in EVALUATED:
        return EVALUATED[expression.name](*parts)
    raise NoTree


EVALUATED: dict[str, Callable[..., Any]] = {
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "math.isnan": math.isnan,
    "numpy.isnan": math.isnan,
}
