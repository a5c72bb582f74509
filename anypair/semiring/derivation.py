"""Facts that follow from what a function does, and what is left of them after casts."""

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from anypair.dtypes import DType
from anypair.semiring.facts import EVERYWHERE, Gives, Grows, Within
from anypair.semiring.symbolic import (
    Argument,
    Branch,
    Constant,
    NoTree,
    Operation,
    Tree,
    evaluated,
    leaves,
    swapped,
)

EDGE, VALUE, INDEX = Argument(0), Argument(1), Argument(2)


def gives(tree: Tree) -> Gives | None:
    """Which of its operands a function hands on, if it does nothing else."""
    if isinstance(tree, Constant):
        return "constant"
    found: dict[Tree, Gives] = {EDGE: "edge", VALUE: "value", INDEX: "source"}
    return found.get(tree)


def selects(tree: Tree, *, nan: bool) -> Literal["min", "max"] | None:
    """Whether a function of two takes the less or the greater; `nan`: and the number beside NaN.

    What it asks may only be how its arguments compare: then five cases are all cases.
    """
    cases: list[tuple[float, float]] = [(1, 2), (2, 1), (1, 1)]
    cases += [(1, math.nan), (math.nan, 1)] if nan else []
    if isinstance(tree, Operation) and tree.parts in ((EDGE, VALUE), (VALUE, EDGE)):
        return _OF_NUMPY.get((tree.name, nan))
    try:
        taken = [_taken(tree, case) for case in cases]
    except NoTree:
        return None
    numbers = [[x for x in case if x == x] for case in cases]
    if taken == list(map(min, numbers)):
        return "min"
    return "max" if taken == list(map(max, numbers)) else None


_OF_NUMPY: dict[tuple[str, bool], Literal["min", "max"]] = {
    ("numpy.fmin", True): "min",
    ("numpy.fmin", False): "min",
    ("numpy.fmax", True): "max",
    ("numpy.fmax", False): "max",
    ("numpy.minimum", False): "min",
    ("numpy.maximum", False): "max",
}


def _taken(tree: Tree, arguments: tuple[float, float]) -> float:
    """What the function makes of two numbers; only how they compare may matter to it."""
    while isinstance(tree, Branch):
        asked = tree.condition
        if not isinstance(asked, Operation) or not all(isinstance(p, Argument) for p in asked.parts):
            raise NoTree
        tree = tree.then if evaluated(asked, arguments) else tree.otherwise
    if not isinstance(tree, Argument) or tree == INDEX:
        raise NoTree
    return arguments[tree.number]


def takes_one(tree: Tree) -> bool:
    """Whether the result is always one of the two operands, so that f(x, x) is x."""
    found = isinstance(tree, Operation) and tree.name in ("&", "|") and set(tree.parts) == {EDGE, VALUE}
    return found or {EDGE, VALUE} >= set(leaves(tree))


def commutes(tree: Tree) -> bool | None:
    """Whether f(x, y) is f(y, x)."""
    if swapped(tree) == tree or selects(tree, nan=True):
        return True
    return False if tree in (EDGE, VALUE) or _is_sign(tree, "-", "/") else None


def associates(tree: Tree) -> bool | None:
    """Whether f(f(x, y), z) is f(x, f(y, z)), but for rounding."""
    if _is_sign(tree, "+", "*", "&", "|", "^") or selects(tree, nan=True):
        return True
    if isinstance(tree, Constant) or tree in (EDGE, VALUE):
        return True
    return False if _is_sign(tree, "-", "/") else None


def monotone(tree: Tree) -> bool | Within | None:
    """Whether, or where, f(e, x) rises with x; NaN is neither more nor less than anything."""
    if isinstance(tree, Constant | Argument) or _is_sign(tree, "+") or selects(tree, nan=False):
        return True
    if _is_sign(tree, "*"):
        return Within(edges=(0, None))
    if isinstance(tree, Operation) and tree.name in ("-", "<", "<="):
        rises: dict[tuple[Tree, ...], bool] = {
            (VALUE, EDGE): tree.name == "-",
            (EDGE, VALUE): tree.name != "-",
        }
        return rises.get(tree.parts)
    return None


def grows(tree: Tree) -> Grows | None:
    """Where f(e, x) is never less than x, and where never more."""
    if tree == VALUE:
        return Grows(EVERYWHERE, EVERYWHERE)
    if _is_sign(tree, "+"):
        return Grows(up=Within(edges=(0, None)), down=Within(edges=(None, 0)))
    if _is_sign(tree, "*"):
        positive = (0, None)
        return Grows(up=Within((1, None), positive), down=Within((0, 1), positive))
    taken = selects(tree, nan=False)
    if taken is None:
        return None
    return Grows(up=EVERYWHERE) if taken == "max" else Grows(down=EVERYWHERE)


def _is_sign(tree: Tree, *names: str) -> bool:
    """Whether this is one sign between the two operands, either way round."""
    return isinstance(tree, Operation) and tree.name in names and set(tree.parts) == {EDGE, VALUE}


def keeps_order(dtype: DType, into: DType) -> bool:
    """Whether x <= y implies cast(x) <= cast(y).

    >>> keeps_order(np.dtype("int64"), np.dtype("f4")), keeps_order(np.dtype("int8"), np.dtype("u1"))
    (True, False)
    """
    if into.kind == "b":
        return dtype.kind in "bu"
    return "f" in (dtype.kind, into.kind) or bool(np.can_cast(dtype, into, "safe"))


def keeps_values(dtype: DType, into: DType) -> bool:
    """Whether a cast leaves every number as it is.

    >>> keeps_values(np.dtype("int32"), np.dtype("int64")), keeps_values(np.dtype("i8"), np.dtype("f8"))
    (True, False)
    """
    rounds = dtype.kind in "iu" and dtype.itemsize == 8 and into.kind == "f"
    return dtype == into or (bool(np.can_cast(dtype, into, "safe")) and not rounds)


def keeps_indices_in_order(into: DType) -> bool:
    """Whether indices, which are not below 0 and as long as int64, are in order after a cast."""
    return into.itemsize == 8 or into.kind in "fb"


def skipping_nan(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which is asked only where neither operand is NaN; the other one is taken there."""

    def number(x: Any, y: Any) -> Any:
        return y if x != x else x if y != y else function(x, y)

    number.__name__ = getattr(function, "__name__", "number")
    return number


def skips_nan(function: Callable[..., Any]) -> bool:
    """Whether a function of two takes the number beside NaN."""
    try:
        return bool(function(math.nan, 1.0) == 1.0 and function(1.0, math.nan) == 1.0)
    except Exception:  # what a user's function does with NaN is its own affair
        return False
