"""Whether a function of float32 rounds only once, so that float32 gives what float64 does."""

from anypair.dtypes import FLOAT32, DType
from anypair.semiring.symbolic import Argument, Constant, Expression, Operation, Tree, conditions, leaves

COMPARISONS = {"<", "<=", "==", "!="}
#: A sum of two float32 that is rounded to float64, then to float32, is what rounding it once to float32
#: gives; so are differences, products and quotients (Figueroa 1995: 53 bits are 2 * 24 and two more).
ONE_ROUNDING = {"+", "-", "*", "/", "negative", "abs"}


def rounds_once(tree: Tree, computed: DType) -> bool:
    """Whether this comes to the same if its arguments are float32 and not float64."""
    is_narrow = computed == FLOAT32
    return all(_is_exact(asked) for asked in conditions(tree)) and all(
        _is_exact(leaf) or (is_narrow and _is_one_rounding(leaf)) for leaf in leaves(tree)
    )


def _is_exact(expression: Expression) -> bool:
    """An argument, a constant, one with the sign of an argument, or a comparison of such."""
    if isinstance(expression, Argument | Constant):
        return True
    if not isinstance(expression, Operation) or expression.name not in {*COMPARISONS, "math.copysign"}:
        return False
    return all(isinstance(part, Argument | Constant) for part in expression.parts)


def _is_one_rounding(expression: Expression) -> bool:
    is_one = isinstance(expression, Operation) and expression.name in ONE_ROUNDING
    return is_one and all(_is_exact(part) for part in expression.parts)
