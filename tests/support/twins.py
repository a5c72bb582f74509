"""Semirings of the catalogue written again as a user would, and a graph to compare the two on."""

from collections.abc import Callable
from typing import Any

import numpy as np

from anypair import MAX, MIN, Matrix, Semiring, Vector, binary_op, monoid
from anypair.dtypes import BOOL, INT64, DType
from anypair.graph500 import kronecker_edges
from anypair.semiring import ANYTHING, Monoid, first

SCALE = 6
SOURCES, TARGETS = kronecker_edges(SCALE, edgefactor=6)
N = 1 << SCALE

ADD: dict[str, Monoid] = {
    "plus": monoid(identity=0)(lambda x, y: x + y),
    "min": monoid(identity=MAX)(lambda x, y: x if x < y or y != y else y),
    "max": monoid(identity=MIN)(lambda x, y: x if x > y or y != y else y),
    "lor": monoid(identity=False, result=bool)(lambda x, y: x or y),
    "land": monoid(identity=True, result=bool)(lambda x, y: x and y),
    "xor": monoid(identity=False, result=bool)(lambda x, y: x != y),
    "eq": monoid(identity=True, result=bool)(lambda x, y: x == y),
    "any": monoid(identity=0, terminal=ANYTHING)(lambda x, y: x),
}
MULTIPLY: dict[str, Callable[..., Any]] = {
    "plus": lambda x, y: x + y,
    "times": lambda x, y: x * y,
    "min": lambda x, y: x if x < y or y != y else y,
    "max": lambda x, y: x if x > y or y != y else y,
    "first": lambda x, y: x,
    "second": lambda x, y: y,
    "pair": lambda x, y: 1,
    "source": lambda x, y, k: k,
    "eq": lambda x, y: x == y,
    "lor": lambda x, y: x or y,
    "land": lambda x, y: x and y,
}


def twin_of(semiring: Semiring, dtype: Any) -> Semiring:
    """The same semiring as a user writes it, without a declared fact."""
    multiply = semiring.multiply
    result = semiring.typed(dtype, dtype).result
    made = binary_op(result=result, positional=multiply.positional)(MULTIPLY[multiply.name])
    return Semiring(ADD[semiring.add.name], made)


def dtype_of(name: str) -> DType:
    """Of the values that a semiring of this name is for."""
    logical = name.startswith(("lor", "land", "xor", "eq")) or name.endswith(("lor", "land"))
    return BOOL if logical else INT64


def graph_and_vector(name: str, backend: Any) -> tuple[Matrix, Vector]:
    logical = dtype_of(name) == BOOL
    weights = (SOURCES + TARGETS) % 2 == 0 if logical else (SOURCES * 7 + TARGETS) % 11 + 1
    graph = Matrix.from_edges(
        SOURCES, TARGETS, np.asarray(weights), n=N, duplicates=first, backend=backend
    )
    places = np.arange(0, N, 3)
    values = places % 2 == 0 if logical else places + 5
    return graph, Vector.from_entries(places, values, N, backend=backend)
