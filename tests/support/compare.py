"""Comparing handles with an expected answer; `tests/support/test_compare.py` shows that it can fail."""

import math
from typing import Any

from anypair import Matrix, Vector

ROUNDING = {"float32": 1e-5, "float64": 1e-12}


def entries(x: Matrix | Vector) -> dict[tuple[int, ...], Any]:
    """The entries as a dict from places to Python numbers."""
    *indices, values = (column.tolist() for column in x.to_entries())
    return dict(zip(zip(*indices, strict=True), values, strict=True))


def assert_same(found: Matrix | Vector, expected: Matrix | Vector) -> None:
    """Shape, dtype, places and values are equal, floats up to the rounding of their dtype."""
    assert type(found) is type(expected)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    assert_entries(entries(found), entries(expected), rounding=ROUNDING.get(str(found.dtype), 0.0))
    assert found.nvals == expected.nvals
    columns = found.to_entries()
    assert [c.dtype.kind for c in columns[:-1]] == ["i"] * len(found.shape)
    assert columns[-1].dtype == found.dtype
    places = list(zip(*(c.tolist() for c in columns[:-1]), strict=True))
    assert places == sorted(set(places))


def assert_entries(found: dict[Any, Any], expected: dict[Any, Any], *, rounding: float = 0.0) -> None:
    """The same places, and values that are equal (NaN equals NaN) up to a relative rounding."""
    assert sorted(found) == sorted(expected)
    wrong = {p: (found[p], expected[p]) for p in found if not _equal(found[p], expected[p], rounding)}
    assert not wrong, f"(found, expected) at {wrong}"


def _equal(x: Any, y: Any, rounding: float) -> bool:
    if isinstance(x, float) and isinstance(y, float) and math.isnan(x) and math.isnan(y):
        return True
    return x == y or (rounding > 0 and math.isclose(x, y, rel_tol=rounding))
