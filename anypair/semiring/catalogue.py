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
    # UnaryOp
    "identity", "negate", "absolute", "reciprocal", "logical_not", "one", "is_true",
    "is_not_finite",
    # IndexUnaryOp
    "position", "column", "diagonal", "off_diagonal", "lower", "upper", "strict_lower",
    "strict_upper",
    # Monoid
    "plus_monoid", "times_monoid", "min_monoid", "max_monoid", "lor_monoid", "land_monoid",
    "xor_monoid", "eq_monoid", "any_monoid",
    # Semiring
    "min_select", "max_select", "any_pair", "min_source", "any_source", "min_first", "any_first",
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


def _binary(name: str, function: Any, rule: BinaryRule, **facts: Any) -> BinaryOp:
    return BinaryOp(name, function, rule, facts.get("gives") == "source", Facts(**facts))


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
# fmt: on

# Unary operators
identity = UnaryOp("identity", lambda x: x, rules.unary_same)
negate = UnaryOp("negate", lambda x: -x, rules.unary_arithmetic)
absolute = UnaryOp("absolute", lambda x: x if x >= 0 or x != x else -x, rules.unary_arithmetic)
reciprocal = UnaryOp("reciprocal", _reciprocal, rules.unary_division)
logical_not = UnaryOp("logical_not", lambda x: not x, rules.unary_logical)
one = UnaryOp("one", lambda x: 1, rules.unary_same)
is_true = UnaryOp("is_true", lambda x: x, rules.unary_logical)
is_not_finite = UnaryOp("is_not_finite", lambda x: x - x != 0, rules.unary_predicate)

# Operators that see where an entry stands: its index in a vector, its row and column in a matrix
position = IndexUnaryOp("position", lambda x, i, j: i, rules.unary_index)
column = IndexUnaryOp("column", lambda x, i, j: j, rules.unary_index)
diagonal = IndexUnaryOp("diagonal", lambda x, i, j: i == j, rules.unary_predicate, symmetric=True)
off_diagonal = IndexUnaryOp(
    "off_diagonal", lambda x, i, j: i != j, rules.unary_predicate, symmetric=True
)
lower = IndexUnaryOp("lower", lambda x, i, j: i >= j, rules.unary_predicate)
upper = IndexUnaryOp("upper", lambda x, i, j: i <= j, rules.unary_predicate)
strict_lower = IndexUnaryOp("strict_lower", lambda x, i, j: i > j, rules.unary_predicate)
strict_upper = IndexUnaryOp("strict_upper", lambda x, i, j: i < j, rules.unary_predicate)

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

# Semirings: <add>_<multiply>; the multiply sees (edge, value)
min_select = Semiring(min_monoid, second, "min_select")
max_select = Semiring(max_monoid, second, "max_select")
any_pair = Semiring(any_monoid, pair.returning(BOOL), "any_pair")
min_source = Semiring(min_monoid, source)
any_source = Semiring(any_monoid, source)
min_first = Semiring(min_monoid, first)
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
