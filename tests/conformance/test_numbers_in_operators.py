"""Numbers inside a user's operator are Python's; where compiled code differs, docs/operations.md says how."""

import math
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import Matrix, Semiring, Vector, apply, binary_op, ewise_mult, unary_op
from anypair.config import resolve
from anypair.errors import OperatorError
from anypair.semiring import lor_monoid, max_monoid, power

LARGEST = 2**63 - 1


def both(op: Any, x: Any, y: Any, backend: str) -> Any:
    one, other = (Vector.from_numpy(np.array([value]), backend=backend) for value in (x, y))
    return anypair.ewise_mult(one, other, op).get(0)


# The operator, its operands, what Python makes of them, and what compiled code does.
DOCUMENTED: dict[str, tuple[Any, Any, Any, Any, Any]] = {
    "beyond 64 bits": (lambda x, y: (x + y) // 2, LARGEST, LARGEST - 2, LARGEST - 1, -2),
    "integer and float": (lambda x, y: x == y, 2**53 + 1, 2.0**53, False, True),
    "uint64 compared": (lambda x, y: x > LARGEST, np.uint64(2**63), 0, True, False),
    "uint64 divided": (lambda x, y: x // 2, np.uint64(2**64 - 3), 0, LARGEST - 1, -2),
    "a rest of uint64": (lambda x, y: x % 10, np.uint64(2**64 - 3), 0, 3, 7),
    "a float32 of NumPy": (lambda x, y: float(np.float32(x) * 0.1) == 0.1, 1, 0, False, True),
    "inverse of a bool": (lambda x, y: not ~x, True, True, False, True),
}


@pytest.mark.parametrize("row", DOCUMENTED)
def test_where_compiled_code_differs(backend: str, row: str) -> None:
    function, x, y, in_python, compiled = DOCUMENTED[row]
    op = binary_op(result=bool if isinstance(in_python, bool) else int)(function)
    assert both(op, x, y, backend) == (compiled if resolve(backend).compiles_operators else in_python)


@pytest.mark.parametrize("row", ["beyond 64 bits", "integer and float"])
def test_where_compiled_code_differs_in_products(backend: str, row: str) -> None:
    """`list` compiles its products with vectors, and nothing else."""
    function, x, y, in_python, compiled = DOCUMENTED[row]
    kind, add = (bool, lor_monoid) if isinstance(in_python, bool) else (int, max_monoid)
    edge = Matrix.from_entries([0], [0], np.array([x]), (1, 1), backend=backend)
    value = Vector.from_numpy(np.array([y]), backend=backend)
    found = anypair.mxv(edge, value, Semiring(add, binary_op(result=kind)(function))).get(0)
    compiles = backend == "list" or resolve(backend).compiles_operators
    assert found == (compiled if compiles else in_python)


def test_outside_the_domain_of_a_function(backend: str) -> None:
    root = unary_op(result=float)(lambda x: math.sqrt(x))
    v = Vector.full(1, -1.0, backend=backend)
    if not resolve(backend).compiles_operators:
        with pytest.raises(OperatorError, match=r"'<lambda>' raised ValueError"):
            anypair.apply(v, root)
    else:
        assert math.isnan(anypair.apply(v, root).get(0))


def test_small_integers_do_not_wrap_on_the_way(backend: str) -> None:
    mean = binary_op(result=np.int8)(lambda x, y: (x + y) // 2)
    assert both(mean, np.int8(127), np.int8(125), backend) == 126
    assert both(mean, np.uint8(1), np.uint8(255), backend) == -128  # 128 is cast to int8 at the end


def test_float32_is_a_float_of_python_inside_an_operator(backend: str) -> None:
    """Rounded once, at the end: compiled code that computes in float32 is off by up to nine units."""
    draw = np.random.default_rng(1)
    x, y = (draw.uniform(0.1, 9.0, 200).astype(np.float32) for _ in range(2))
    u, v = Vector.from_numpy(x), Vector.from_numpy(y)
    wide, widely = x.astype(float), y.astype(float)

    product = ewise_mult(u, v, binary_op(lambda a, b: a * b + a)).to_numpy(missing=0)
    assert product.dtype == np.float32
    assert (product == (wide * widely + wide).astype(np.float32)).all()
    logs = apply(u, unary_op(result=float)(lambda a: math.log(a))).to_numpy(missing=0)
    np.testing.assert_allclose(logs, np.log(wide), rtol=1e-13, atol=1e-15)
    powers = ewise_mult(u, v, power).to_numpy(missing=0)
    np.testing.assert_array_max_ulp(powers, (wide**widely).astype(np.float32), 1)
