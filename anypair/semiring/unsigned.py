"""Whether arithmetic of unsigned numbers comes to what Python makes of them, where 1 - 2 is -1."""

from anypair.dtypes import DType
from anypair.semiring.symbolic import Argument, Constant, Expression, Operation, Tree, conditions, leaves

WRAPPING = {"+", "-", "*", "negative"}  # the low bits are right either way


def is_same(tree: Tree, operands: tuple[DType, ...], computed: DType) -> bool:
    """Whether the function may be given operands of these dtypes as they are.

    They are of one dtype, compared with one another or with 0, and what they are added up to is of it.
    """
    if len(set(operands)) > 1:
        return False
    wraps = computed == operands[0]
    return all(_is_compared(asked) or isinstance(asked, Argument) for asked in conditions(tree)) and all(
        isinstance(leaf, Argument | Constant) or _is_compared(leaf) or (wraps and _is_sum(leaf))
        for leaf in leaves(tree)
    )


def _is_compared(expression: Expression) -> bool:
    """Whether this is a comparison of arguments, or with 0."""
    comparison = isinstance(expression, Operation) and expression.name in ("<", "<=", "==", "!=")
    return comparison and all(isinstance(p, Argument) or p == Constant(0) for p in expression.parts)


def _is_sum(expression: Expression) -> bool:
    wraps = isinstance(expression, Operation) and expression.name in WRAPPING
    return wraps and all(isinstance(part, Argument) for part in expression.parts)
