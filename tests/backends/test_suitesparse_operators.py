"""Which operators of users are native ones of SuiteSparse:GraphBLAS, and that their answers are right."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import ANYTHING, MAX, MIN, Matrix, Monoid, Semiring, Vector, binary_op, monoid
from anypair.dtypes import DType
from anypair.semiring import BinaryOp, catalogue, index_unary_op, unary_op
from tests.support.compare import assert_same

operators = pytest.importorskip("anypair.backends.suitesparse.operators")

BOOL, INT8, INT32, INT64, UINT8, UINT64, FLOAT32, FLOAT64 = map(
    np.dtype, ("bool", "int8", "int32", "int64", "uint8", "uint64", "float32", "float64")
)
PAIRS = [
    (BOOL, BOOL),
    (BOOL, INT64),
    (BOOL, FLOAT64),
    (INT8, INT8),
    (INT32, INT64),
    (INT64, INT64),
    (UINT8, UINT8),
    (INT64, FLOAT64),
    (FLOAT32, FLOAT32),
    (FLOAT32, FLOAT64),
    (FLOAT64, FLOAT64),
]

# Written as a user would, other names and other spellings included.
ADD: dict[str, Monoid] = {
    "min": monoid(identity=MAX, terminal=MIN)(lambda a, b: b if b < a or a != a else a),
    "max": monoid(identity=MIN, selects="max")(lambda a, b: max(a, b)),
    "plus": monoid(identity=0, result=lambda x, y: catalogue.plus.typed(x, y).result)(
        lambda a, b: b + a
    ),
    "any": monoid(identity=0, terminal=ANYTHING)(lambda a, b: b),
    "lor": monoid(identity=False, terminal=True, result=bool)(lambda a, b: a | b),
    "land": monoid(identity=True, terminal=False, result=bool)(lambda a, b: b if a else False),
    "xor": monoid(identity=False, result=bool)(lambda a, b: a ^ b),
    "eq": monoid(identity=True, result=bool)(lambda a, b: b == a),
}
MULTIPLY: dict[str, Callable[..., Any]] = {
    "select": lambda edge, value: value,
    "second": lambda edge, value: value,
    "first": lambda edge, value: edge,
    "pair": lambda edge, value: 1,
    "source": lambda edge, value, k: k,
    "times": lambda edge, value: value * edge,
    "plus": lambda edge, value: value + edge,
    "min": lambda a, b: b if b < a or a != a else a,
    "max": lambda a, b: b if b > a or a != a else a,
    "lor": lambda a, b: a or b,
    "land": lambda a, b: b if a else a,
    "eq": lambda a, b: b == a,
}
SEMIRINGS = {
    name: found for name in catalogue.__all__ if isinstance(found := getattr(catalogue, name), Semiring)
}


def twin_of(name: str) -> Semiring:
    built_in = SEMIRINGS[name]
    add, multiply = name.split("_")
    op = binary_op(
        positional=built_in.multiply.positional,
        result=lambda x, y: built_in.multiply.typed(x, y).result,
    )(MULTIPLY[multiply])
    return Semiring(ADD[add], op)


@pytest.mark.parametrize("dtypes", PAIRS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
@pytest.mark.parametrize("name", SEMIRINGS)
def test_the_twin_of_a_built_in_semiring_is_the_same_operators(
    name: str, dtypes: tuple[DType, DType]
) -> None:
    built_in, user = (s.typed(*dtypes) for s in (SEMIRINGS[name], twin_of(name)))
    adds = operators.monoid(built_in.add), operators.monoid(user.add)
    assert adds[0].handle == adds[1].handle
    factors = [operators.native_binary(s.multiply, s.result) for s in (built_in, user)]
    if dtypes == (INT64, FLOAT64) and name.split("_")[1] in ("min", "max", "eq"):
        assert factors[1] is None  # Python compares an integer with a float exactly, without a cast
    else:
        assert (factors[0] is None) == (factors[1] is None)
    if None not in factors:
        assert factors[0].handle == factors[1].handle
        assert (factors[0].left, factors[0].right) == (factors[1].left, factors[1].right)


SPECIAL = {
    "b": [False, True],
    "i": [0, 1, -1, 3, "min", "max"],
    "u": [0, 1, 3, "max"],
    "f": [0.0, -0.0, 1.5, -2.0, math.inf, -math.inf, math.nan, 3e38],
}


def special(dtype: DType) -> list[Any]:
    """Values at which operators differ."""
    info: Any = np.iinfo(dtype) if dtype.kind in "iu" else None
    return [getattr(info, x) if isinstance(x, str) else x for x in SPECIAL[dtype.kind]]


def all_pairs(left: DType, right: DType) -> tuple[Vector, Vector]:
    """Vectors on `reference`, with every special value beside every other."""
    xs, ys = special(left), special(right)
    x = np.repeat(np.array(xs, left), len(ys))
    y = np.tile(np.array(ys, right), len(xs))
    return Vector.from_numpy(x, backend="reference"), Vector.from_numpy(y, backend="reference")


BINARY = {
    name: op
    for name in catalogue.__all__
    if isinstance(op := getattr(catalogue, name), BinaryOp) and not op.positional
}


@pytest.mark.parametrize("dtypes", PAIRS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
@pytest.mark.parametrize("result", ["own", INT8, UINT8, FLOAT32, BOOL], ids=str)
def test_what_is_native_computes_what_the_function_does(
    dtypes: tuple[DType, DType], result: Any
) -> None:
    """Every operator of the catalogue, as a user's, whose operands are not cast beforehand."""
    x, y = all_pairs(*dtypes)
    for built_in in BINARY.values():
        final = built_in.typed(*dtypes).result if result == "own" else result
        op = binary_op(result=final)(built_in.function)
        typed = op.typed(*dtypes)
        if operators.native_binary(typed, final) is None:
            continue
        found = anypair.ewise_mult(x.to("suitesparse"), y.to("suitesparse"), op)
        assert_same(found, anypair.ewise_mult(x, y, op))


@pytest.mark.parametrize("dtype", [BOOL, INT8, UINT8, INT64, FLOAT32, FLOAT64], ids=str)
@pytest.mark.parametrize("result", ["own", INT8, UINT8, FLOAT32, FLOAT64, BOOL], ids=str)
def test_native_operators_of_one_value(dtype: DType, result: Any) -> None:
    x = Vector.from_numpy(np.array(special(dtype), dtype), backend="reference")
    functions = (lambda a: a, lambda a: 1, lambda a: not a, lambda a: -a, lambda a: abs(a))
    for function in functions:
        op = unary_op(result=dtype if result == "own" else result)(function)
        if operators.native_unary(op.typed(dtype)):
            assert_same(anypair.apply(x.to("suitesparse"), op), anypair.apply(x, op))
    as_is = unary_op(result=INT64)(lambda a: a)
    assert operators.native_unary(as_is.typed(INT8))


def test_native_operators_of_places() -> None:
    near = index_unary_op(result=bool)(lambda value, row, col: col <= row)
    row = index_unary_op(result=np.int64)(lambda value, row, col: row)
    value = index_unary_op(result=np.int64)(lambda value, row, col: value)
    a = Matrix.from_entries([0, 1, 2, 0], [1, 0, 2, 2], [4, 5, 6, 7], (3, 3), backend="reference")
    for op in (near, row, value):
        assert (operators.native_unary(op.typed(INT64)) is None) == (op is value)
        assert_same(anypair.apply(a.to("suitesparse"), op), anypair.apply(a, op))
    assert_same(anypair.select(a.to("suitesparse"), near), anypair.select(a, near))


def test_what_looks_like_a_built_in_operator_and_is_not() -> None:
    """NaN, a cast in between, another order of operands."""
    first_of_nan = binary_op(result=float)(lambda x, y: x if x < y else y)
    assert operators.native_binary(first_of_nan.typed(FLOAT64, FLOAT64), FLOAT64) is None
    assert operators.binary(
        binary_op(result=int)(first_of_nan.function).typed(INT64, INT64), INT64
    ).native
    wrapped = binary_op(result=np.int8)(lambda x, y: y)
    assert operators.native_binary(wrapped.typed(INT64, INT64), INT64) is None
    rounded = binary_op(result=float)(lambda x, y: x + y)
    assert operators.native_binary(rounded.typed(INT64, INT64), FLOAT64) is None
    backwards = binary_op(result=float)(lambda x, y: y - x)
    assert operators.native_binary(backwards.typed(FLOAT64, FLOAT64), FLOAT64) is None


def test_an_operator_that_casts_its_operands_first() -> None:
    """any_of makes a float of an integer beside a float; 300 as int8 is then 127, and not 44."""
    x = Vector.from_numpy(np.array([300]), backend="reference")
    y = Vector.from_numpy(np.array([1.5]), backend="reference")
    op = catalogue.any_of.returning(INT8)
    expected = anypair.ewise_mult(x, y, op)
    assert expected.to_dict() == {0: 127}
    assert_same(anypair.ewise_mult(x.to("suitesparse"), y.to("suitesparse"), op), expected)


def test_one_value_for_all_terms_stops_at_the_first() -> None:
    """What every sum is does not depend on how many terms there are, if `add` is idempotent."""
    lor_pair = Semiring(catalogue.lor_monoid, catalogue.pair.returning(BOOL))
    any_pair = operators.semiring(catalogue.any_pair.typed(BOOL, BOOL))
    assert operators.semiring(lor_pair.typed(BOOL, BOOL)).add.handle == any_pair.add.handle
    counted, any_count = (
        operators.semiring(semiring.typed(BOOL, BOOL))
        for semiring in (catalogue.plus_pair, catalogue.any_pair.returning(INT64))
    )
    assert counted.add.handle != any_count.add.handle


@pytest.mark.parametrize("name", SEMIRINGS)
def test_products_over_twins(name: str) -> None:
    generator = np.random.default_rng(3)
    rows, cols = np.divmod(generator.choice(400, 120, replace=False), 20)
    for dtype in (BOOL, FLOAT64):
        values = generator.choice(np.array(special(dtype), dtype), 120)
        a = Matrix.from_entries(rows, cols, values, (20, 20), backend="reference")
        u = Vector.from_entries(np.arange(0, 20, 3), values[:7], 20, backend="reference")
        b, v = a.to("suitesparse"), u.to("suitesparse")
        twin = twin_of(name)
        exact = twin.typed(dtype, dtype).sums_are_exact and twin.add.terminal is not ANYTHING
        for product, mine in (
            (anypair.vxm(u, a, twin), anypair.vxm(v, b, twin)),
            (anypair.mxv(a, u, twin, mask=~u.structure), anypair.mxv(b, v, twin, mask=~v.structure)),
            (anypair.mxm(a, a, twin, mask=a.structure), anypair.mxm(b, b, twin, mask=b.structure)),
        ):
            if exact:
                assert_same(mine, product)
            else:
                assert mine.nvals == product.nvals
