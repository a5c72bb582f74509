"""Operators that capture: numbers, arrays, functions, modules, under whatever name, on every backend."""

import math
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import Matrix, Semiring, Vector, binary_op, monoid, unary_op
from anypair.config import resolve
from anypair.errors import OperatorError
from anypair.semiring import plus, plus_monoid, times
from tests.conformance.cases import on_gpu
from tests.support.compare import assert_entries, assert_same
from tests.support.modules import imported
from tests.support.template_names import defined_names, template_names

FLOATS = Vector.from_entries([0, 1, 3], [1.0, 2.0, 3.0], 4, backend="reference")
INTEGERS = Vector.from_entries([0, 1, 3], [1, 2, 3], 4, backend="reference")


def applied(op: Any, backend: str, x: Vector = FLOATS) -> dict[int, Any]:
    return anypair.apply(x.to(backend), op).to_dict()


def check(backend: str, op: Any, x: Vector = FLOATS) -> None:
    """The operator gives on a backend what its own function gives for each value."""
    expected = {place: op(value) for place, value in x.to_dict().items()}
    # A GPU multiplies and adds in one step, which rounds once.
    rounding = 1e-15 if anypair.config.resolve(backend).name == "cuda" else 0.0
    assert_entries(applied(op, backend, x), expected, rounding=rounding)


SCALE = 2.0


def test_a_global_number_is_frozen_for_every_dtype(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = unary_op(lambda x: x * SCALE)
    assert applied(before, backend) == {0: 2, 1: 4, 3: 6}
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    after = unary_op(lambda x: x * SCALE)
    assert before(1.0) == 2
    for x in (FLOATS, INTEGERS):
        assert applied(before, backend, x) == {0: 2, 1: 4, 3: 6}
        assert applied(after, backend, x) == {0: 5, 1: 10, 3: 15}


def test_a_variable_of_a_function_around_is_frozen(backend: str) -> None:
    step = 1

    def forward() -> None:
        nonlocal step
        step += 1

    ops = []
    for _ in range(3):
        ops.append(unary_op(lambda x: x + step))
        forward()
    assert [applied(op, backend, INTEGERS)[0] for op in ops] == [2, 3, 4]


def test_an_array_is_copied(backend: str) -> None:
    table = np.array([10, 20, 30, 40])
    op = unary_op(lambda x: table[x] + len(table))
    assert applied(op, backend, INTEGERS) == {0: 24, 1: 34, 3: 44}
    table[:] = 0
    assert applied(op, backend, INTEGERS) == {0: 24, 1: 34, 3: 44}
    assert op(1) == 24


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64", "float32", "float64"])
def test_elements_of_arrays_are_numbers_of_python(backend: str, dtype: str) -> None:
    table = np.array([0, 1, 1, 100]).astype(dtype)
    check(backend, unary_op(lambda x: table[x] * 3 - 5), INTEGERS)
    check(backend, unary_op(result=float)(lambda x: table[x] * table[3] * 1000003 / 7), INTEGERS)


def test_arrays_of_two_dimensions_and_strided_ones(backend: str) -> None:
    table = np.arange(24.0).reshape(4, 6)[:, ::2]
    other = np.asfortranarray(table)
    check(backend, unary_op(lambda x: table[x, 1] + other[1, x - 1]), INTEGERS)


def test_an_index_beyond_an_array_is_an_error(backend: str) -> None:
    table = np.arange(3)
    op = unary_op(result=int)(lambda x: table[x])
    if on_gpu(backend):
        pytest.skip("indices are not checked on a GPU")
    with pytest.raises(OperatorError, match=r"lambda.*IndexError"):
        applied(op, backend, INTEGERS)


def test_an_array_in_every_operation(backend: str) -> None:
    table, bonus = np.array([1, 2, 4, 8]), np.array([100])
    add = monoid(identity=0)(lambda x, y: x + y + bonus[0] - 100)
    multiply = binary_op(result=int)(lambda x, y: table[x] * y)
    place = anypair.index_unary_op(lambda x, i, j: table[i] + table[j] + x)
    a = Matrix.from_entries([0, 0, 1, 2], [0, 1, 1, 0], [1, 2, 3, 1], (3, 2), backend="reference")
    b = Matrix.from_entries([0, 1, 1], [0, 1, 0], [3, 2, 1], (2, 2), backend="reference")
    u = Vector.from_entries([0, 1], [3, 2], 2, backend="reference")
    for operation, *operands in (
        (anypair.mxv, a, u, Semiring(add, multiply)),
        (anypair.vxm, u, b, Semiring(add, multiply)),
        (anypair.mxm, a, b, Semiring(add, multiply)),
        (anypair.ewise_add, b, b.T, multiply),
        (anypair.ewise_mult, b, b.T, multiply),
        (anypair.apply, a, place),
        (anypair.select, a, place),
        (anypair.kron, b, b, multiply),
    ):
        moved = [x.to(backend) if hasattr(x, "to") else x for x in operands]
        assert_same(operation(*moved), operation(*operands))
    bound = anypair.apply(a.to(backend), multiply, right=2)
    assert_same(bound, anypair.apply(a, multiply, right=2))
    assert anypair.reduce(a.to(backend), add) == anypair.reduce(a, add)


def test_two_operators_that_capture_one_name(backend: str) -> None:
    def scaled(c: float) -> Any:
        return binary_op(result=float)(lambda x, y: c * x * y)

    def capped(c: float) -> Any:
        return monoid(identity=0.0)(lambda x, y: min(x + y, c))

    a = Matrix.from_entries([0, 0], [0, 1], [1.0, 2.0], (1, 2), backend=backend)
    u = Vector.from_entries([0, 1], [3.0, 4.0], 2, backend=backend)
    assert anypair.mxv(a, u, Semiring(capped(100.0), scaled(2.0))).to_dict() == {0: 22.0}
    assert anypair.mxv(a, u, Semiring(capped(10.0), scaled(2.0))).to_dict() == {0: 10.0}


def helper(x: Any) -> Any:
    return x * SCALE + deeper(x)


def deeper(x: Any, power: int = 2) -> Any:
    return x**power


def test_helpers_and_operators_inside_operators(backend: str) -> None:
    inner = unary_op(lambda x: helper(x) + 1)
    check(backend, unary_op(lambda x: times(inner(x), 2) + plus_monoid(x, x) + deeper(x, power=3)))


def test_a_helper_that_changes_later(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op = unary_op(lambda x: helper(x))
    expected = {place: op(value) for place, value in FLOATS.to_dict().items()}
    monkeypatch.setitem(globals(), "deeper", lambda x: 0)
    monkeypatch.setitem(globals(), "SCALE", 0)
    assert applied(op, backend) == expected == {0: 3, 1: 8, 3: 15}


def test_a_helper_compiled_by_numba(backend: str) -> None:
    numba = pytest.importorskip("numba")
    compiled = numba.njit(helper_of_numba)
    check(backend, unary_op(lambda x: compiled(x) - 1))


def helper_of_numba(x: Any) -> Any:
    return helper(x) * SCALE


def test_modules_of_the_user(backend: str, tmp_path: Path) -> None:
    """Each module has its own RATE; the attributes of modules and classes are taken as they are."""
    text = "RATE = {rate}\ndef h(x):\n    return x * RATE\nclass Limits:\n    top = 7\n"
    model = (
        "import first, second\nfrom anypair import unary_op\n"
        "op = unary_op(lambda x: first.h(x) + second.h(x) + first.RATE + second.Limits.top)\n"
    )
    texts = {"first": text.format(rate=2.0), "second": text.format(rate=1000.0), "model": model}
    with imported(tmp_path, **texts) as (first, second, module):
        op = module.op
        assert applied(op, backend) == {0: 1011.0, 1: 2013.0, 3: 3015.0}
        first.RATE, second.Limits.top, second.h = 0.0, 0, None  # type: ignore[attr-defined]
        assert applied(op, backend, INTEGERS) == {0: 1011.0, 1: 2013.0, 3: 3015.0}


def test_usual_names_that_mean_something_else(backend: str, tmp_path: Path) -> None:
    model = (
        "from anypair import unary_op\nimport math as np\nimport numpy as math\n"
        "from math import sqrt as len\nfloat = 3\n"
        "op = unary_op(lambda x: np.floor(x + 0.5) + math.hypot(x, 4.0) + len(x * x) + float)\n"
    )
    with imported(tmp_path, model_of_names=model) as (module,):
        check(backend, module.op)


def some_of(names_of: Callable[[str], list[str]], backend: str) -> list[str]:
    """All names for backends that write modules; a few for the others, which compile or run functions."""
    return names_of(backend) if backend in ("jit", "cuda") else names_of("jit")[::20]


def test_variables_of_an_operator_may_have_any_name(backend: str, tmp_path: Path) -> None:
    names = some_of(template_names, backend)
    lines = "".join(
        f"    {name} = _sum + {n}\n    _sum = {name} - _sum % 7\n" for n, name in enumerate(names)
    )
    model = f"def _op(_x):\n    _sum = _x\n{lines}    return _sum\n"
    with imported(tmp_path, model_of_variables=model) as (module,):
        check(backend, unary_op(module._op), INTEGERS)


A = Matrix.from_entries([0, 0, 1], [0, 1, 1], [1, 2, 3], (2, 2), backend="reference")
U = Vector.from_entries([0, 1], [3, 4], 2, backend="reference")


def test_captured_numbers_may_have_any_name(backend: str, tmp_path: Path) -> None:
    """Both operators of a semiring capture every name that a template uses, with different values."""
    names = some_of(template_names, backend)
    n = len(names)
    sums = "".join(f"    _sum += {name}\n" for name in names)
    texts = {
        f"names_times_{factor}": "".join(f"{name} = {factor * k}\n" for k, name in enumerate(names))
        + f"def _op(_x, _y):\n    _sum = _x {sign} _y\n{sums}    return _sum - {factor * n * (n - 1) // 2}\n"
        for factor, sign in ((1, "+"), (3, "*"))
    }
    with imported(tmp_path, **texts) as (left, right):
        add, multiply = monoid(identity=0)(left._op), binary_op(right._op)
        a, u = A.to(backend), U.to(backend)
        assert anypair.mxv(a, u, Semiring(add, multiply)).to_dict() == {0: 11, 1: 12}
        assert anypair.reduce(u, add) == 7
        assert anypair.ewise_add(a, a, add).to_entries()[2].tolist() == [2, 4, 6]


def test_helpers_may_have_any_name(backend: str, tmp_path: Path) -> None:
    """The functions that a semiring calls have names that modules define; each gives something else."""
    names = some_of(defined_names, backend)
    collided = {"add", "only_left", "kernel", "compiled", "casting", "push", "combine", "multiply"}
    assert collided <= {*names, "push"} or backend != "jit"
    helpers = "".join(f"def {name}(x, y):\n    return 2 * x + {k} - y\n" for k, name in enumerate(names))
    called = "_y"
    for name in names:
        called = f"{name}(_x, {called})"
    with imported(tmp_path, helpers=f"{helpers}_op = lambda _x, _y: {called}\n") as (module,):
        op = binary_op(module._op)
        semiring = Semiring(plus_monoid, op)
        assert_same(anypair.mxv(A.to(backend), U.to(backend), semiring), anypair.mxv(A, U, semiring))
        ewise = anypair.ewise_add(A.to(backend), A.T.to(backend), op)
        assert_same(ewise, anypair.ewise_add(A, A.T, op))


def of_number(number: Any) -> Any:
    return unary_op(lambda x: (number**2 + x) * number - number)


@pytest.mark.parametrize(
    "number",
    [-2, -0.5, math.inf, True, np.float32(0.1), np.int8(-3), np.float64(2), 2**30, 1e-320],
    ids=str,
)
def test_numbers_of_all_kinds(backend: str, number: Any) -> None:
    check(backend, of_number(number))


def test_minus_zero_and_tuples(backend: str) -> None:
    check(backend, unary_op(lambda x: math.copysign(x, minus_zero)))
    check(backend, unary_op(lambda x: PAIR[0] * x + PAIR[1]))


@pytest.mark.parametrize("numbers", [(0.0, -0.0), (-0.0, 0.0)], ids=["0.0 first", "-0.0 first"])
@pytest.mark.parametrize("with_text", [True, False], ids=["text", "no text"])
def test_zeros_of_both_signs_as_defaults(
    backend: str, numbers: tuple[float, float], with_text: bool
) -> None:
    """Text that no other test has, as machine code of it may be at hand."""
    factor = 1 + len(backend) + 100 * with_text + (1000 if str(numbers[0]) == "0.0" else 0)

    def of_default(number: float) -> Any:
        def signed(x: Any, sign: Any = number) -> Any:
            return math.copysign(factor * x, sign)

        names = {"number": number, "math": math, "factor": factor, "__name__": __name__}
        typed = eval("lambda x, sign=number: math.copysign(factor * x, sign)", names)
        return unary_op(signed if with_text else typed)

    for number in numbers:
        check(backend, of_default(number))


minus_zero = -0.0
PAIR = (3, np.float32(0.5))


def test_none_beside_arrays_and_names_of_builtins(backend: str) -> None:
    limit, table, len = None, np.array([1, 2, 4, 8]), 3  # noqa: A001
    check(backend, unary_op(lambda x: x + 1 if limit is None else x))
    check(backend, unary_op(lambda x: table[len] + table[:2].sum() + x), INTEGERS)


def test_objects_are_for_backends_of_plain_python(backend: str) -> None:
    table = {1.0: 10, 2.0: 20, 3.0: 30}
    config = types.SimpleNamespace(rate=2)
    looked_up = unary_op(result=int)(lambda x: table[x] * config.rate)
    table[1.0], config.rate = 0, 0
    if not resolve(backend).compiles_operators:
        assert applied(looked_up, backend) == {0: 20, 1: 40, 3: 60}
    else:
        engine = anypair.config.resolve(backend)
        name = getattr(engine, "local", engine).name
        where = rf"backend '{name}'( \(the [CG]PU\))?"  # of hybrid, which has both
        said = rf"lambda.*cannot be compiled.*{where} takes the functions that Numba compiles"
        with pytest.raises(OperatorError, match=said):
            applied(looked_up, backend)


def test_functions_of_python_and_numpy_become_operators(backend: str) -> None:
    if backend == "hybrid" and on_gpu(backend):
        pytest.skip("its CPU takes the ufuncs that its GPU does not")
    if backend == "cuda":
        with pytest.raises(OperatorError, match=r"sqrt.*cannot be compiled"):
            check(backend, unary_op(result=float)(np.sqrt))  # Numba has no ufuncs for GPUs
        return
    for function in (math.sqrt, np.sqrt, abs, float):
        check(backend, unary_op(result=float)(function))
    x, y = FLOATS.to(backend), anypair.apply(FLOATS, times, right=2.0).to(backend)
    for function in (math.hypot, np.hypot, max, plus.function):
        found = anypair.ewise_mult(x, y, binary_op(result=float)(function)).to_dict()
        assert found == {k: function(v, 2 * v) for k, v in FLOATS.to_dict().items()}
