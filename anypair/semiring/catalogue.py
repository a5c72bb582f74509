"""The operators, monoids and semirings that come with anypair.

They go through the same door as a user's: a scalar Python function is the whole meaning. The
functions keep to what Numba compiles for a CPU and a GPU.
"""

import math
from typing import Any

from anypair.dtypes import BOOL
from anypair.semiring import rules
from anypair.semiring.algebra import ANYTHING, MAX, MIN, Monoid, Semiring
from anypair.semiring.facts import Facts, Grows, Within
from anypair.semiring.operators import BinaryOp, IndexUnaryOp, UnaryOp
from anypair.semiring.rules import BinaryRule

# fmt: off
__all__ = [  # noqa: RUF022  by kind
    # BinaryOp
    "plus", "minus", "times", "divide", "minimum", "maximum", "first", "second", "any_of",
    "pair", "source", "eq", "ne", "lt", "le", "gt", "ge", "lor", "land", "lxor", "lxnor",
    "power", "logaddexp", "bor", "band", "bxor",
    # UnaryOp
    "identity", "negate", "absolute", "reciprocal", "logical_not", "one", "is_true",
    "is_not_finite", "first_fit",
    # IndexUnaryOp
    "position", "column", "diagonal", "off_diagonal", "lower", "upper", "strict_lower",
    "strict_upper",
    # Monoid
    "plus_monoid", "times_monoid", "min_monoid", "max_monoid", "lor_monoid", "land_monoid",
    "xor_monoid", "eq_monoid", "any_monoid", "logaddexp_monoid", "bor_monoid", "bxor_monoid",
    # Semiring
    "min_select", "max_select", "any_pair", "min_source", "any_source", "max_source", "min_first",
    "max_first", "any_first",
    "any_second", "plus_times", "plus_pair", "plus_first", "plus_second", "plus_min", "min_plus",
    "max_plus", "min_times", "max_times", "min_max", "max_min", "lor_land", "land_lor",
    "xor_land", "xor_pair", "eq_lor", "lor_eq", "land_eq", "plus_eq",
]
# fmt: on


def name_in_catalogue(x: Any) -> str | None:
    """The name that this very operator, monoid or semiring has here."""
    return next((name for name in __all__ if globals()[name] is x), None)


def _minimum(x: Any, y: Any) -> Any:
    return x if x < y or y != y else y  # y != y: pass over NaN


def _maximum(x: Any, y: Any) -> Any:
    return x if x > y or y != y else y


def _divide(x: Any, y: Any) -> Any:
    return x / y if y != 0 else x * math.copysign(math.inf, y)


def _reciprocal(x: Any) -> Any:
    return 1 / x if x != 0 else math.copysign(math.inf, x)


def _power(x: Any, y: Any) -> Any:
    """x to the power of y: by products for whole y that are small, else within 1e-13 of it.

    Where `**` of Python raises, or is complex, this gives an infinity or NaN.
    """
    if x == 0 and y < 0:
        return math.inf
    if x == 1 or y == 0:
        return 1.0
    if x != x or y != y:
        return math.nan
    is_whole = y % 1 == 0
    if is_whole and abs(y) <= BY_PRODUCTS:
        left, product, factor = int(abs(y)), 1.0, x * 1.0
        while left:
            if left & 1:
                product *= factor
            factor *= factor
            left >>= 1
        if y > 0:
            return product
        return 1.0 / product if product != 0 else math.inf
    if x == 0:
        return 0.0
    if x < 0 and not is_whole:
        return math.nan
    exponent = y * math.log(abs(x))
    size = math.inf if exponent > LARGEST_EXPONENT else math.exp(exponent)
    return -size if x < 0 and y % 2 == 1 else size


def _logaddexp(x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)) without numbers that are too large on the way."""
    if x == y:
        return x + LOG_2
    high, low = (x, y) if x > y else (y, x)
    if high - low > LARGEST_DIFFERENCE:
        return high
    return high + math.log1p(math.exp(low - high))


def _first_fit(x: Any) -> Any:
    """The number of the lowest bit that is not set."""
    bit = 0
    while bit < 63 and (x >> bit) & 1:
        bit += 1
    return bit


def _binary(name: str, function: Any, rule: BinaryRule, **facts: Any) -> BinaryOp:
    return BinaryOp(name, function, rule, facts.get("gives") == "source", Facts(**facts))


BY_PRODUCTS = 64  # the greatest whole exponent of which powers are products
LARGEST_EXPONENT = 709.782  # of e, for a float64
LARGEST_DIFFERENCE = 40  # of two numbers whose exponentials have bits in common
LOG_2 = math.log(2)

_EVERYWHERE = Within()
_POSITIVE = (0, None)

# Binary operators, and what is known of them
# fmt: off
plus = _binary("plus", lambda x, y: x + y, rules.arithmetic, commutes=True, associates=True,
               monotone=True, grows=Grows(up=Within(edges=(0, None)), down=Within(edges=(None, 0))))
minus = _binary("minus", lambda x, y: x - y, rules.arithmetic, commutes=False, associates=False,
                monotone=False)
times = _binary("times", lambda x, y: x * y, rules.arithmetic, commutes=True, associates=True,
                monotone=Within(edges=_POSITIVE),
                grows=Grows(up=Within((1, None), _POSITIVE), down=Within((0, 1), _POSITIVE)))
divide = _binary("divide", _divide, rules.division, commutes=False, associates=False)
minimum = _binary("min", _minimum, rules.ordering, selects="min", commutes=True, associates=True,
                  monotone=True, grows=Grows(down=_EVERYWHERE))
maximum = _binary("max", _maximum, rules.ordering, selects="max", commutes=True, associates=True,
                  monotone=True, grows=Grows(up=_EVERYWHERE))
first = _binary("first", lambda x, y: x, rules.take_left, gives="edge", associates=True, monotone=True)
second = _binary("second", lambda x, y: y, rules.take_right, gives="value", associates=True,
                 monotone=True, grows=Grows(_EVERYWHERE, _EVERYWHERE))
any_of = _binary("any", lambda x, y: x, rules.ordering, gives="edge", associates=True, monotone=True)
pair = _binary("pair", lambda x, y: 1, rules.counting, gives="constant", commutes=True, monotone=True)
source = _binary("source", lambda x, y, k: k, rules.index, gives="source", commutes=True, monotone=True)
eq = _binary("eq", lambda x, y: x == y, rules.comparison, commutes=True)
ne = _binary("ne", lambda x, y: x != y, rules.comparison, commutes=True)
lt = _binary("lt", lambda x, y: x < y, rules.comparison, monotone=True)
le = _binary("le", lambda x, y: x <= y, rules.comparison, monotone=True)
gt = _binary("gt", lambda x, y: x > y, rules.comparison, monotone=False)
ge = _binary("ge", lambda x, y: x >= y, rules.comparison, monotone=False)
lor = _binary("lor", lambda x, y: x or y, rules.logical, commutes=True, associates=True, monotone=True,
              grows=Grows(up=_EVERYWHERE))
land = _binary("land", lambda x, y: x and y, rules.logical, commutes=True, associates=True,
               monotone=True, grows=Grows(down=_EVERYWHERE))
lxor = _binary("xor", lambda x, y: x != y, rules.logical, commutes=True, associates=True)
lxnor = _binary("eq", lambda x, y: x == y, rules.logical, commutes=True, associates=True)
power = _binary("power", _power, rules.division, commutes=False, associates=False)
logaddexp = _binary("logaddexp", _logaddexp, rules.division, commutes=True, associates=True,
                    monotone=True)
bor = _binary("bor", lambda x, y: x | y, rules.bits, commutes=True, associates=True)
band = _binary("band", lambda x, y: x & y, rules.bits, commutes=True, associates=True)
bxor = _binary("bxor", lambda x, y: x ^ y, rules.bits, commutes=True, associates=True)
# fmt: on

# Unary operators
identity = UnaryOp("identity", lambda x: x, rules.unary_same)
negate = UnaryOp("negate", lambda x: -x, rules.unary_arithmetic)
absolute = UnaryOp("absolute", lambda x: abs(x), rules.unary_arithmetic)
reciprocal = UnaryOp("reciprocal", _reciprocal, rules.unary_division)
logical_not = UnaryOp("logical_not", lambda x: not x, rules.unary_logical)
one = UnaryOp("one", lambda x: 1, rules.unary_same)
is_true = UnaryOp("is_true", lambda x: x, rules.unary_logical)
first_fit = UnaryOp("first_fit", _first_fit, rules.unary_bits)
is_not_finite = UnaryOp("is_not_finite", lambda x: x - x != 0, rules.unary_predicate)


# Operators that see where an entry stands: its index in a vector, its row and column in a matrix
# fmt: off
def _of_places(
    name: str, function: Any, rule: Any, numbered: Any, *, symmetric: bool = False
) -> IndexUnaryOp:
    """An operator of places, and what it is with a number k: about the k-th diagonal, j - i = k."""
    with_number = IndexUnaryOp(name, numbered, rule, takes_number=True)
    return IndexUnaryOp(name, function, rule, symmetric, numbered=with_number)


position = _of_places("position", lambda x, i, j: i, rules.unary_index, lambda x, i, j, k: i + k)
column = _of_places("column", lambda x, i, j: j, rules.unary_index, lambda x, i, j, k: j + k)
diagonal = _of_places("diagonal", lambda x, i, j: i == j, rules.unary_predicate,
                      lambda x, i, j, k: j - i == k, symmetric=True)
off_diagonal = _of_places("off_diagonal", lambda x, i, j: i != j, rules.unary_predicate,
                          lambda x, i, j, k: j - i != k, symmetric=True)
lower = _of_places("lower", lambda x, i, j: i >= j, rules.unary_predicate,
                   lambda x, i, j, k: j - i <= k)
upper = _of_places("upper", lambda x, i, j: i <= j, rules.unary_predicate,
                   lambda x, i, j, k: j - i >= k)
strict_lower = _of_places("strict_lower", lambda x, i, j: i > j, rules.unary_predicate,
                          lambda x, i, j, k: j - i < k)
strict_upper = _of_places("strict_upper", lambda x, i, j: i < j, rules.unary_predicate,
                          lambda x, i, j, k: j - i > k)
# fmt: on

# Monoids
plus_monoid = Monoid(plus, identity=0)
times_monoid = Monoid(times, identity=1)
min_monoid = Monoid(minimum, identity=MAX, terminal=MIN)
max_monoid = Monoid(maximum, identity=MIN, terminal=MAX)
lor_monoid = Monoid(lor, identity=False, terminal=True)
land_monoid = Monoid(land, identity=True, terminal=False)
xor_monoid = Monoid(lxor, identity=False)
eq_monoid = Monoid(lxnor, identity=True)
any_monoid = Monoid(any_of, identity=0, terminal=ANYTHING)
logaddexp_monoid = Monoid(logaddexp, identity=MIN)
bor_monoid = Monoid(bor, identity=0)
bxor_monoid = Monoid(bxor, identity=0)

_MONOIDS = {
    known.op: known
    for known in (plus_monoid, times_monoid, min_monoid, max_monoid, lor_monoid, land_monoid, xor_monoid,
                  eq_monoid, any_monoid, logaddexp_monoid, bor_monoid, bxor_monoid)
}  # fmt: skip


def monoid_of(op: BinaryOp) -> Monoid | None:
    """The monoid of an operator of the catalogue; None if it has none.

    >>> monoid_of(plus)
    Monoid(plus)
    """
    return _MONOIDS.get(op)


# Semirings: <add>_<multiply>; the multiply sees (edge, value)
min_select = Semiring(min_monoid, second, "min_select")
max_select = Semiring(max_monoid, second, "max_select")
any_pair = Semiring(any_monoid, pair.returning(BOOL), "any_pair")
min_source = Semiring(min_monoid, source)
any_source = Semiring(any_monoid, source)
max_source = Semiring(max_monoid, source)
min_first = Semiring(min_monoid, first)
max_first = Semiring(max_monoid, first)
any_first = Semiring(any_monoid, first)
any_second = Semiring(any_monoid, second)
plus_times = Semiring(plus_monoid, times)
plus_pair = Semiring(plus_monoid, pair)
plus_first = Semiring(plus_monoid, first)
plus_second = Semiring(plus_monoid, second)
plus_min = Semiring(plus_monoid, minimum)
min_plus = Semiring(min_monoid, plus)
max_plus = Semiring(max_monoid, plus)
min_times = Semiring(min_monoid, times)
max_times = Semiring(max_monoid, times)
min_max = Semiring(min_monoid, maximum)
max_min = Semiring(max_monoid, minimum)
lor_land = Semiring(lor_monoid, land)
land_lor = Semiring(land_monoid, lor)
xor_land = Semiring(xor_monoid, land)
xor_pair = Semiring(xor_monoid, pair)
eq_lor = Semiring(eq_monoid, lor)
lor_eq = Semiring(lor_monoid, eq)
land_eq = Semiring(land_monoid, eq)
plus_eq = Semiring(plus_monoid, eq)
