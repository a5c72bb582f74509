"""Operators that no compiler takes: engines of plain Python run them, others say that they cannot."""

from typing import Any

import numpy as np
import pytest

from anypair import Vector, apply, binary_op, ewise_mult, unary_op
from anypair.config import resolve
from anypair.errors import OperatorError


@unary_op(result=np.int64)
def length_of_name(x: Any) -> Any:
    return len(f"vertex {x:>{x}}")


@binary_op(result=np.int64)
def sometimes_text(x: Any, y: Any) -> Any:
    return "text" if x > y else 1


def test_any_python_function_with_a_stated_result(backend: str) -> None:
    x = Vector.from_entries([0, 1], [3, 40], size=2)
    if not resolve(backend).compiles_operators:
        assert apply(x, length_of_name).to_dict() == {0: 10, 1: 47}
    else:
        with pytest.raises(OperatorError, match="length_of_name"):
            apply(x, length_of_name)


def test_an_operator_that_returns_different_types(backend: str) -> None:
    x, out = Vector.full(2, 5), Vector.full(2, 7)
    with pytest.raises(OperatorError, match="sometimes_text"):
        ewise_mult(x, Vector.full(2, 1), sometimes_text, out=out)
    assert out.to_dict() == {0: 7, 1: 7}
