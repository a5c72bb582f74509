"""Whether a function can raise, told from what it does."""

from anypair.semiring.symbolic import (
    Argument,
    Branch,
    Constant,
    Expression,
    Operation,
    Tree,
    comparison,
)

TOTAL = {"+", "-", "*", "<", "<=", "==", "!=", "negative", "positive", "abs", "math.copysign"}
DIVISIONS = {"/", "//", "%"}
MOST_PRODUCTS = 8  # of 64-bit integers, that can still become a float

ZERO = Constant(0)


def nonzero(expression: Expression) -> Expression:
    """The condition that a number is not 0, as trees have it."""
    return comparison("!=", expression, ZERO)


def never_raises(tree: Tree, known: frozenset[Expression] = frozenset()) -> bool:
    """Whether nothing in a tree raises; `known` are the conditions that hold where it is asked."""
    if isinstance(tree, Branch):
        asked = tree.condition
        is_equality = isinstance(asked, Operation) and asked.name == "=="
        otherwise = known | {comparison("!=", *asked.parts)} if is_equality else known
        then = known | {asked, nonzero(asked)}  # what is true is not 0
        return (
            _is_total(asked, known)
            and never_raises(tree.then, then)
            and never_raises(tree.otherwise, otherwise)
        )
    return _is_total(tree, known)


def _is_total(expression: Expression, known: frozenset[Expression]) -> bool:
    if isinstance(expression, Argument | Constant):
        return True
    if expression.text.count("*(") > MOST_PRODUCTS:
        return False
    if expression.name in DIVISIONS:
        if nonzero(expression.parts[1]) not in known:
            return False
    elif expression.name not in TOTAL:
        return False
    return all(_is_total(part, known) for part in expression.parts)
