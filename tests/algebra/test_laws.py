"""The laws of every monoid and semiring of the catalogue, on every dtype that it has a meaning for."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair.dtypes import SUPPORTED, DType
from anypair.semiring import ANYTHING, Monoid, Semiring, monoid
from anypair.semiring.algebra import TypedMonoid
from tests.support.strategies import MONOIDS, SEMIRINGS, dtypes, values

Law = Callable[[Any], Any]
LAWFUL = [MONOIDS[name] for name in sorted(MONOIDS) if name != "any_monoid"]


def equal(x: Any, y: Any, rounding: float = 0.0) -> bool:
    return (
        bool(x == y)
        or (math.isnan(x) and math.isnan(y))
        or (rounding > 0 and math.isclose(x, y, rel_tol=1e-6, abs_tol=rounding))
    )


def assert_lawful(typed: TypedMonoid, x: Any, y: Any, z: Any) -> None:
    """Associative, commutative, with an identity and, if there is one, a terminal that absorbs."""
    op = typed.op
    rounding = 1e-4 if typed.monoid.name == "logaddexp" else 0.0  # others are exact for these numbers
    assert equal(op(x, op(y, z)), op(op(x, y), z), rounding), "not associative"
    assert equal(op(x, y), op(y, x)), "not commutative"
    assert equal(op(x, typed.identity), x), "the identity changes a value"
    if typed.terminal is not None:
        assert equal(op(x, typed.terminal), typed.terminal), "the terminal does not absorb"


@pytest.mark.parametrize("dtype", SUPPORTED, ids=str)
@pytest.mark.parametrize("monoid", LAWFUL, ids=lambda m: m.name)
@given(data=st.data())
def test_monoid_laws(monoid: Monoid, dtype: DType, data: st.DataObject) -> None:
    typed = monoid.typed(dtype)
    specials = monoid.name in ("min", "max")  # sums and products of infinities are another matter
    x, y, z = (data.draw(values(typed.domain, specials=specials)) for _ in range(3))
    if typed.terminal is not None and specials and math.isnan(x):
        x = typed.identity
    assert_lawful(typed, x, y, z)


def test_a_monoid_that_breaks_a_law_is_noticed() -> None:
    unlawful = [
        monoid(identity=0)(lambda x, y: x - y),
        monoid(identity=0)(lambda x, y: x),
        monoid(identity=1)(lambda x, y: x + y),
        monoid(identity=0, terminal=9)(lambda x, y: x + y),
    ]
    for broken in unlawful:
        with pytest.raises(AssertionError):
            assert_lawful(broken.typed(SUPPORTED[4]), 1, 2, 5)


@given(data=st.data(), dtype=dtypes)
def test_any_gives_one_of_its_values(data: st.DataObject, dtype: DType) -> None:
    typed = MONOIDS["any_monoid"].typed(dtype)
    x, y = (data.draw(values(dtype)) for _ in range(2))
    assert typed.op(x, y) in (x, y)
    assert typed.terminal is ANYTHING


# Which multiplies distribute over their add, for numbers that do not overflow; the others are
# useful all the same, and have to show that they do not.
DISTRIBUTES = {
    "plus_times", "min_plus", "max_plus", "min_max", "max_min", "lor_land", "land_lor", "xor_land",
    "min_select", "max_select", "eq_lor",
}  # fmt: skip
DISTRIBUTES_FROM_ONE_SIDE = {
    "plus_first", "plus_second", "min_first", "max_first", "any_first", "any_second", "any_pair",
}  # fmt: skip
DOES_NOT = {
    "plus_pair", "plus_min", "min_times", "max_times", "xor_pair", "lor_eq", "land_eq", "plus_eq",
}  # fmt: skip
POSITIONAL = {"min_source", "max_source", "any_source"}


def test_every_semiring_is_in_one_of_the_lists() -> None:
    lists = [DISTRIBUTES, DISTRIBUTES_FROM_ONE_SIDE, DOES_NOT, POSITIONAL]
    assert set().union(*lists) == set(SEMIRINGS)
    assert sum(map(len, lists)) == len(SEMIRINGS)


def distributes(semiring: Semiring, x: Any, y: Any, z: Any) -> bool:
    """x (y + z) = x y + x z, and (y + z) x = y x + z x."""
    add, multiply = semiring.add.op, semiring.multiply
    return distributes_right(semiring, x, y, z) and equal(
        multiply(add(y, z), x), add(multiply(y, x), multiply(z, x)), 1e-12
    )


def distributes_right(semiring: Semiring, x: Any, y: Any, z: Any) -> bool:
    add, multiply = semiring.add.op, semiring.multiply
    return equal(multiply(x, add(y, z)), add(multiply(x, y), multiply(x, z)), 1e-12)


LOGICAL = ("lor_land", "land_lor", "xor_land", "eq_lor", "xor_pair", "lor_eq", "land_eq")


def numbers(name: str) -> list[Any]:
    return [False, True] if name in LOGICAL else [-3, -1, 0, 1, 2, 5]


def triples(name: str) -> list[tuple[Any, Any, Any]]:
    return [(x, y, z) for x in numbers(name) for y in numbers(name) for z in numbers(name)]


@pytest.mark.parametrize("name", sorted(DISTRIBUTES))
def test_multiply_distributes_over_add(name: str) -> None:
    # `second` distributes too: x (y + z) is y + z.
    law = distributes_right if name.endswith("select") else distributes
    assert all(law(SEMIRINGS[name], *triple) for triple in triples(name))


@pytest.mark.parametrize("name", sorted(DOES_NOT))
def test_multiply_does_not_distribute(name: str) -> None:
    assert not all(distributes(SEMIRINGS[name], *triple) for triple in triples(name))


@pytest.mark.parametrize("name", sorted(DISTRIBUTES_FROM_ONE_SIDE))
def test_multiply_distributes_from_the_side_it_reads(name: str) -> None:
    semiring = SEMIRINGS[name]
    add, multiply = semiring.add.op, semiring.multiply
    for x, y, z in triples(name):
        if multiply.reads_left:
            assert multiply(add(y, z), x) == add(multiply(y, x), multiply(z, x))
        else:
            assert distributes_right(semiring, x, y, z)


@given(left=dtypes, right=dtypes, name=st.sampled_from(sorted(SEMIRINGS)))
def test_sums_stay_in_their_domain(left: DType, right: DType, name: str) -> None:
    typed = SEMIRINGS[name].typed(left, right)
    assert typed.result in SUPPORTED
    assert typed.add.op.left == typed.add.op.right == typed.add.op.result == typed.result
