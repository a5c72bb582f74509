"""The dtype table of `anypair.semiring.rules` and the cast rule of `anypair.dtypes`, row by row."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair import semiring as s
from anypair.dtypes import SUPPORTED, as_dtype, cast, caster, scalar_dtype
from anypair.errors import InvalidValue, UnsupportedDType
from tests.support.strategies import dtypes, values

TABLE = [
    (s.plus, "int8", "int8", "int8"),
    (s.plus, "int8", "uint8", "int16"),
    (s.plus, "int64", "uint64", "float64"),
    (s.plus, "bool", "bool", "int64"),
    (s.plus, "bool", "int8", "int8"),
    (s.times, "int32", "float32", "float64"),
    (s.times, "float32", "float32", "float32"),
    (s.minimum, "bool", "bool", "bool"),
    (s.minimum, "int16", "float32", "float32"),
    (s.divide, "int8", "int8", "float64"),
    (s.divide, "float32", "float32", "float32"),
    (s.divide, "float32", "int8", "float32"),
    (s.eq, "int64", "float32", "bool"),
    (s.lor, "int64", "float32", "bool"),
    (s.first, "int8", "float64", "int8"),
    (s.second, "int8", "float64", "float64"),
    (s.pair, "bool", "bool", "int64"),
    (s.source, "bool", "bool", "int64"),
]


@pytest.mark.parametrize(("op", "left", "right", "result"), TABLE)
def test_result_dtypes(op: s.BinaryOp, left: str, right: str, result: str) -> None:
    assert op.typed(np.dtype(left), np.dtype(right)).result == np.dtype(result)


@pytest.mark.parametrize(
    ("monoid", "dtype", "domain"),
    [
        (s.plus_monoid, "bool", "int64"),
        (s.plus_monoid, "uint8", "uint8"),
        (s.lor_monoid, "float64", "bool"),
        (s.min_monoid, "bool", "bool"),
        (s.eq_monoid, "int8", "bool"),
    ],
)
def test_domains_of_monoids(monoid: s.Monoid, dtype: str, domain: str) -> None:
    assert monoid.typed(np.dtype(dtype)).domain == np.dtype(domain)


def test_semirings_give_the_counter_that_is_asked_for() -> None:
    boolean = np.dtype(bool)
    assert s.plus_pair.typed(boolean, boolean).result == np.dtype("int64")
    assert s.plus_pair.returning("uint16").typed(boolean, boolean).result == np.dtype("uint16")
    assert s.plus_pair.returning("uint16") is s.plus_pair.returning(np.uint16)
    assert s.any_pair.typed(boolean, boolean).result == boolean


def test_identities_and_terminals_follow_the_dtype() -> None:
    assert s.min_monoid.typed(np.dtype("int8")).identity == 127
    assert s.min_monoid.typed(np.dtype("float32")).identity == np.inf
    assert s.max_monoid.typed(np.dtype("uint8")).terminal == 255
    assert s.min_monoid.typed(np.dtype("bool")).identity is True


def test_a_monoid_without_a_meaning_says_so() -> None:
    infinite = s.Monoid(s.minimum, identity=float("inf"))
    with pytest.raises(UnsupportedDType, match=r"'min'.*int8.*identity inf.*MAX"):
        infinite.typed(np.dtype("int8"))
    assert infinite.typed(np.dtype("float32")).identity == np.inf
    unclosed = s.Monoid(s.BinaryOp("odd", lambda x, y: x, s.rules.stated(_widened)), identity=0)
    with pytest.raises(UnsupportedDType, match=r"'odd' has no meaning for int8"):
        unclosed.typed(np.dtype("int8"))


def _widened(left: Any, right: Any) -> Any:
    return {1: np.int16, 2: np.int32}.get(left.itemsize, np.int64)


CASTS = [
    (2.9, "int8", 2),
    (-2.9, "int8", -2),
    (1e9, "int8", 127),
    (-1e9, "int8", -128),
    (-1.0, "uint8", 0),
    (1e30, "int64", 2**63 - 1),
    (-1e30, "int64", -(2**63)),
    (1e30, "uint64", 2**64 - 1),
    (float("nan"), "int32", 0),
    (float("inf"), "uint16", 65535),
    (float("nan"), "bool", True),
    (0.0, "bool", False),
    (300, "uint8", 44),
    (-1, "uint64", 2**64 - 1),
    (128, "int8", -128),
    (True, "float32", 1.0),
    (1e300, "float32", float("inf")),
    (2**53 + 1, "float64", float(2**53)),
]


@pytest.mark.parametrize(("value", "dtype", "expected"), CASTS)
def test_casts_of_the_table(value: Any, dtype: str, expected: Any) -> None:
    target = np.dtype(dtype)
    assert caster(target)(value) == expected
    assert cast(np.array([value]), target).tolist() == [expected]


@given(data=st.data(), source=dtypes, target=dtypes)
def test_arrays_and_numbers_are_cast_alike(data: st.DataObject, source: Any, target: Any) -> None:
    numbers = data.draw(st.lists(values(source, specials=True), max_size=8))
    array = cast(np.array(numbers, source), target)
    assert array.dtype == target
    np.testing.assert_array_equal(array, np.array([caster(target)(x) for x in numbers], target))


@pytest.mark.parametrize("dtype", [None, "complex128", object, "U5", "datetime64[s]", "float16", "x"])
def test_other_dtypes_are_refused(dtype: Any) -> None:
    with pytest.raises(UnsupportedDType, match="is not supported; use one of bool, int8"):
        as_dtype(dtype)


def test_supported_dtypes_promote_among_themselves() -> None:
    assert all(np.promote_types(x, y) in SUPPORTED for x in SUPPORTED for y in SUPPORTED)


@pytest.mark.parametrize(
    ("value", "beside", "expected"),
    [
        (1, "int8", "int8"),
        (300, "int8", "int64"),
        (2**63, "int8", "uint64"),
        (1, "float32", "float32"),
        (1, "bool", "int64"),
        (0.5, "float32", "float32"),
        (0.5, "int8", "float64"),
        (True, "int8", "bool"),
        (np.float32(1), "float64", "float32"),
    ],
)
def test_plain_numbers_adapt_to_their_neighbour(value: Any, beside: str, expected: str) -> None:
    assert scalar_dtype(value, np.dtype(beside)) == np.dtype(expected)


@pytest.mark.parametrize("value", [None, "1", [1], 1j])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(InvalidValue, match="is not a number"):
        scalar_dtype(value)
