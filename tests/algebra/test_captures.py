"""What operators capture: frozen when they are made, or refused then, before any backend is asked."""

import enum
import functools
import inspect
import math
import random
import threading
import timeit
import types
from typing import Any, ClassVar

import numpy as np
import pytest

from anypair import BinaryOp, UnaryOp, binary_op, index_unary_op, monoid, unary_op
from anypair import semiring as s
from anypair.dtypes import INT64
from anypair.errors import AnypairError, OperatorError
from anypair.semiring.captures import FrozenArray, captured, freeze

RATE = 2.0
TABLE = np.array([1, 2, 3], np.int32)


class Settings:
    rate = 3
    table: ClassVar[dict[str, int]] = {"one": 1}

    class Inner:
        rate = 5


class Color(enum.Enum):
    RED = 7


def test_numbers_are_those_of_python() -> None:
    def kept(number: Any) -> Any:
        return captured(freeze("f", lambda x: x + number))["number"]

    numbers = [True, 3, 2.5, np.bool_(True), np.int8(3), np.uint64(2**63), np.float32(0.5), np.array(4)]
    assert [kept(number) for number in numbers] == numbers
    assert {type(kept(number)) for number in numbers} == {bool, int, float}


@pytest.mark.parametrize(
    ("dtype", "frozen"),
    [("bool", "bool"), ("int8", "int64"), ("uint32", "int64"), ("uint64", "int64"), (">i4", "int64"),
     ("float16", "float64"), ("float32", "float64")],
)  # fmt: skip
def test_arrays_are_copied_and_nobody_writes_to_them(dtype: str, frozen: str) -> None:
    array = np.ones((3, 4), dtype)[:, ::2]
    f = freeze("f", lambda x: array[x, 0])
    (kept,) = captured(f).values()
    assert kept.dtype == frozen
    assert kept.flags.c_contiguous
    assert type(f(0)) in (bool, int, float)
    with pytest.raises(ValueError, match="read-only"):
        kept[0, 0] = 0
    array[:] = 0
    assert f(0) == 1


def test_large_unsigned_numbers_in_an_array() -> None:
    array = np.array([2**64 - 1], np.uint64)
    assert freeze("f", lambda x: array[x])(0) == 2**64 - 1


def test_an_operator_is_made_of_its_frozen_function(monkeypatch: pytest.MonkeyPatch) -> None:
    ops = [
        unary_op(lambda x: x * RATE),
        BinaryOp("direct", lambda x, y: x * RATE),
        monoid(identity=0)(lambda x, y: x * RATE),
        index_unary_op(lambda x, i, j: x * RATE),
    ]
    monkeypatch.setitem(globals(), "RATE", 100.0)
    assert [op(*[1] * len(inspect.signature(op.function).parameters)) for op in ops] == [2.0] * 4


def test_attributes_of_classes_and_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    f = freeze("f", lambda x: x + Settings.rate + Settings.Inner.rate + Color.RED.value)
    table = freeze("f", lambda x: Settings.table.get(x, 0))
    monkeypatch.setattr(Settings, "rate", 0)
    monkeypatch.setattr(Settings.Inner, "rate", 0)
    Settings.table["one"] = 2
    assert f(0) == 15
    assert table("one") == 1
    Settings.table["one"] = 1


def test_containers_and_objects_are_copied() -> None:
    numbers, config, bound = [1, np.int8(2)], types.SimpleNamespace(rate=3), functools.partial(max, 5)
    table = {"f": lambda x: x + numbers[0]}
    get = table.get
    f = freeze("f", lambda x: table["f"](x) + numbers[1] + config.rate + bound(x) + get("f")(0))
    numbers[0], config.rate = 100, 100
    table["f"] = lambda x: 0
    assert f(1) == 2 + 2 + 3 + 5 + 1


def test_frozen_functions_are_kept_as_they_are() -> None:
    op = unary_op(lambda x: x * RATE)
    assert freeze("f", op.function) is op.function  # type: ignore[arg-type]
    plain = unary_op(lambda x: x + 1)
    assert s.UnaryOp("again", plain.function).function is plain.function
    assert s.plus.returning(np.dtype("int8")).function is s.plus.function


def test_the_text_of_a_function_is_still_found() -> None:
    @unary_op
    def with_a_text(x: Any) -> Any:
        return x * RATE

    assert "return x * RATE" in inspect.getsource(with_a_text.function)
    assert with_a_text.function.__qualname__.endswith("with_a_text")
    assert with_a_text.function.__module__ == __name__


def test_cached_functions_and_methods() -> None:
    @functools.lru_cache
    def remembered(x: int) -> int:
        return x + 1

    class Model:
        rate = 3

        def scaled(self, x: int) -> int:
            return x * self.rate

    model = Model()
    method = model.scaled
    f = freeze("f", lambda x: remembered(x) + method(x))
    model.rate = 100
    assert f(1) == 5


def test_names_of_inner_functions_are_not_captured() -> None:
    def outer(x: Any) -> Any:
        rate = 3
        return sum(y * rate for y in (x, RATE)) + (lambda RATE: RATE)(x)

    assert set(captured(freeze("f", outer))) == {"RATE"}
    assert freeze("f", outer)(1) == 10


def undefined_inside(x: Any) -> Any:
    return x + not_defined  # type: ignore[name-defined]  # noqa: F821


def calls_itself(x: Any) -> Any:
    return calls_itself(x - 1) if x > 0 else 0


def is_even(x: Any) -> Any:
    return x == 0 or is_odd(x - 1)


def is_odd(x: Any) -> Any:
    return x != 0 and is_even(x - 1)


def counts(x: Any) -> Any:
    global RATE
    RATE = RATE + 1
    return RATE


def test_an_operator_that_calls_itself() -> None:
    with pytest.raises(OperatorError, match="operator 'again' calls itself; write it as a loop"):

        @unary_op
        def again(x: Any) -> Any:
            return again(x - 1)


lock = threading.Lock()
generator = np.random.default_rng(1)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x * not_defined, "operator '<lambda>' uses 'not_defined', which is not defined"),  # type: ignore[name-defined]  # noqa: F821
        (lambda x: undefined_inside(x), r"\('undefined_inside', which it calls\) uses 'not_defined'"),
        (lambda x: math.no_such(x), "uses 'math.no_such', which is not defined"),  # type: ignore[attr-defined]
        (lambda x: Settings.no_such, "uses 'Settings.no_such', which is not defined"),  # type: ignore[attr-defined]
        (lambda x: calls_itself(x), "calls 'calls_itself', which calls itself; write it as a loop"),
        (lambda x: is_even(x), "calls 'is_even', which calls itself; write it as a loop"),
        (counts, "assigns 'RATE', which is not its own"),
        (lambda x: len(str(pytest)), "uses the module 'pytest' as a value; read its attributes"),
        (lambda x: x + id(lock), "captures 'lock', a lock that cannot be copied"),
        (lambda x: x + np.random.rand(), "uses 'np.random': its answers would depend on the backend"),
        (lambda x: x + random.random(), "uses 'random': its answers would depend on the backend"),
        (lambda x: x + generator.normal(), "uses 'generator': its answers would depend on the backend"),
    ],
    ids=["name", "name of a helper", "of a module", "of a class", "recursion", "mutual recursion", "assigns",
         "module", "lock", "np.random", "random", "generator"],
)  # fmt: skip
def test_what_cannot_be_frozen_is_refused_when_the_operator_is_made(function: Any, message: str) -> None:
    with pytest.raises(OperatorError, match=message):
        unary_op(function)
    with pytest.raises(AnypairError, match=message):
        unary_op(result=int)(function)


def test_an_empty_cell_is_an_undefined_name() -> None:
    def make() -> Any:
        made = unary_op(lambda x: x + later)
        later = 1
        return made, later

    with pytest.raises(OperatorError, match="uses 'later', which is not defined"):
        make()


def test_a_file_of_the_user_with_the_name_of_a_module_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = types.ModuleType("statistics")
    mine.__file__ = "/somewhere/statistics.py"
    mine.rate = 2  # type: ignore[attr-defined]
    from anypair.semiring import trusted_modules

    monkeypatch.setitem(trusted_modules.sys.modules, "statistics", mine)
    trusted_modules.is_trusted.cache_clear()
    f = freeze("f", lambda x: x * mine.rate)  # type: ignore[attr-defined]
    mine.rate = 3  # type: ignore[attr-defined]
    assert f(1) == 2
    trusted_modules.is_trusted.cache_clear()


def test_making_an_operator_takes_well_under_a_millisecond() -> None:
    def helper(x: Any) -> Any:
        return math.sqrt(x) * RATE

    seconds = min(timeit.repeat(lambda: binary_op(lambda x, y: helper(x) * y), number=50, repeat=5)) / 50
    assert seconds < 1e-3


def test_frozen_arrays_work_with_numpy() -> None:
    frozen = captured(freeze("f", lambda x: TABLE[x]))["TABLE"]
    assert isinstance(frozen, FrozenArray)
    assert list(frozen) == [1, 2, 3]
    assert frozen.sum() == 6
    assert (frozen * 2).tolist() == [2, 4, 6]


@pytest.mark.parametrize(
    ("computed", "number"),
    [(lambda x: TABLE.sum(), 6), (lambda x: TABLE[:2].max(), 2), (lambda x: TABLE.mean(), 2.0),
     (lambda x: np.sum(TABLE), 6), (lambda x: np.add(TABLE, 1).min(), 2),
     (lambda x: (TABLE > 1).any(), True)],
    ids=["sum", "max of a slice", "mean", "np.sum", "min of a sum", "any"],
)  # fmt: skip
def test_what_numpy_computes_of_a_captured_array_is_a_number_of_python(
    computed: Any, number: Any
) -> None:
    found = freeze("f", computed)(0)
    assert isinstance(found, type(number))
    assert found == number


def test_what_is_made_by_python_or_numpy_of_something_else_is_copied_too() -> None:
    table, polynomial = [10], np.poly1d([1, 10])
    bound = functools.partial(lambda numbers, x: numbers[0] + x, table)
    f = freeze("f", lambda x: bound(x) + polynomial(x))
    direct = unary_op(bound, result=int)
    table[0], polynomial[0] = 99, 99
    assert f(1) == 22
    assert direct(1) == 11


def test_attributes_of_functions() -> None:
    def helper(x: Any) -> Any:
        return x

    helper.rate = 10  # type: ignore[attr-defined]
    f = freeze("f", lambda x: x + helper.rate)  # type: ignore[attr-defined]
    helper.rate = 99  # type: ignore[attr-defined]
    assert f(1) == 11
    with pytest.raises(
        OperatorError, match=r"calls 'helper' and reads 'helper\.rate'; give the value a name"
    ):
        freeze("f", lambda x: helper(x) + helper.rate)  # type: ignore[attr-defined]


def test_captured_variables_with_names_of_builtins() -> None:
    len = 3  # noqa: A001
    range = slice = 2  # noqa: A001
    op = unary_op(lambda x: x + len * range + slice + sum([len for _ in (1, 2)]))
    assert op.typed(INT64).result == INT64
    assert op(1) == 15


def test_functions_of_a_module_of_random_numbers() -> None:
    draw, rand, normal = random.random, np.random.rand, generator.normal
    for function in (lambda x: x + draw(), lambda x: x + rand(), lambda x: x + normal()):
        with pytest.raises(OperatorError, match="its answers would depend"):
            unary_op(function)


def test_the_result_of_a_captured_number_follows_its_type() -> None:
    """Functions of one text are typed once, but a 1 that is a float makes floats."""

    def scaled(by: Any) -> UnaryOp:
        return unary_op(lambda x: x * by)

    found = [scaled(by).typed(np.dtype("int32")).result for by in (1, 1.0, True, 1, 1.0)]
    assert found == ["int64", "float64", "int64", "int64", "float64"]
