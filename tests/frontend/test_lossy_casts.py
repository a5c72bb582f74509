"""Results of a wider kind than their output are refused, by dtypes alone; narrower numbers are cast."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anypair import (
    Matrix,
    Vector,
    apply,
    assign,
    diag,
    ewise_add,
    ewise_mult,
    extract,
    kron,
    mxm,
    mxv,
    reduce,
    select,
    selection,
    transpose,
    update,
    vxm,
)
from anypair.errors import AnypairError, LossyCast
from anypair.semiring import (
    first,
    gt,
    identity,
    lor,
    lt,
    pair,
    plus,
    plus_monoid,
    plus_times,
    reciprocal,
    times,
)


def integers() -> Vector:
    return Vector.full(2, 1)


def halves() -> Vector:
    return Vector.full(2, 0.5)


def square(dtype: Any) -> Matrix:
    return Matrix.from_entries([0, 1], [1, 0], [1, 2], (2, 2), dtype=dtype)


REFUSED: dict[str, Callable[[], Any]] = {
    "ewise_add": lambda: ewise_add(integers(), halves(), plus, out=integers()),
    "ewise_mult": lambda: ewise_mult(integers(), halves(), times, out=integers()),
    "apply": lambda: apply(integers(), reciprocal, out=integers()),
    "apply, bound": lambda: apply(integers(), times, right=0.5, out=integers()),
    "select": lambda: select(halves(), gt, right=0, out=integers()),
    "mxv": lambda: mxv(square(float), integers(), plus_times, out=integers()),
    "vxm": lambda: vxm(halves(), square(int), plus_times, out=integers()),
    "mxm": lambda: mxm(square(int), square(float), plus_times, out=square(int)),
    "kron": lambda: kron(square(float), square(int), plus, out=Matrix.empty((4, 4), int)),
    "reduce": lambda: reduce(square(float), plus_monoid, by="rows", out=integers()),
    "extract": lambda: extract(halves(), [1, 0], out=integers()),
    "extract a row": lambda: extract(square(float), 0, out=integers()),
    "transpose": lambda: transpose(square(float), out=square(int)),
    "diag of a vector": lambda: diag(halves(), out=square(int)),
    "diag of a matrix": lambda: diag(square(float), out=integers()),
    "update": lambda: update(integers(), halves()),
    "assign a vector": lambda: assign(integers(), halves()),
    "assign a part": lambda: assign(integers(), Vector.full(1, 0.5), [1]),
    "assign a number": lambda: assign(integers(), 0.5),
    "assign a whole float": lambda: assign(integers(), 2.0, [0]),
    "assign a NumPy number": lambda: assign(integers(), np.float32(0.5)),
    "assign under a mask": lambda: assign(integers(), 0.5, mask=halves().structure),
    "float to bool": lambda: update(Vector.full(2, True), halves()),
    "integer to bool": lambda: update(Vector.full(2, True), integers()),
    "assign an integer to bool": lambda: assign(Vector.full(2, True), 1),
    "accum of floats": lambda: update_by(plus, integers(), halves()),
    "accum that keeps out, alone t is cast": lambda: update_by(first, integers(), halves()),
    "accum that counts": lambda: update_by(pair, integers(), halves()),
    "accum of bools to a number": lambda: update_by(plus, Vector.full(2, True), Vector.full(2, True)),
    "accum of numbers to bool": lambda: update_by(lor, Vector.full(2, True), integers()),
}

TAKEN: dict[str, tuple[Callable[[], Any], Any]] = {
    "selection": (lambda: selection(Vector.full(2, 0), 2, out=square(float)), {(0, 0): 1, (1, 0): 1}),
    "narrower integers": (
        lambda: update(Vector.full(2, 0, "int8"), Vector.full(2, 300)),
        {0: 44, 1: 44},
    ),
    "unsigned": (lambda: update(Vector.full(1, 0, "uint8"), Vector.full(1, -1)), {0: 255}),
    "narrower floats": (
        lambda: update(Vector.full(1, 0, "float32"), Vector.full(1, 0.1)),
        {0: float(np.float32(0.1))},
    ),
    "integers to floats": (lambda: update(halves(), integers()), {0: 1.0, 1: 1.0}),
    "bools to integers": (lambda: update(integers(), Vector.full(2, True)), {0: 1, 1: 1}),
    "a comparison to integers": (lambda: update_by(lt, integers(), integers()), {0: 0, 1: 0}),
    "a number that fits": (lambda: assign(halves(), 3), {0: 3.0, 1: 3.0}),
    "True to integers": (lambda: assign(integers(), True), {0: 1, 1: 1}),
    "cast": (lambda: update(integers(), halves().cast(int)), {0: 0, 1: 0}),
}


def update_by(accum: Any, out: Vector, t: Vector) -> Vector:
    return apply(t, identity, out=out, accum=accum)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(backend: str, name: str) -> None:
    with pytest.raises(
        LossyCast, match=r"out has dtype \w+, what .* would be lost; .*x\.cast"
    ) as caught:
        REFUSED[name]()
    assert isinstance(caught.value, AnypairError)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("name", TAKEN)
def test_taken(backend: str, name: str) -> None:
    run, expected = TAKEN[name]
    found = run()
    dense = dict(np.ndenumerate(found.to_numpy(missing=0)))
    places = {k if isinstance(k, tuple) else (k,): v for k, v in expected.items()}
    assert {place: dense[place] for place in places} == places


def test_refused_before_anything_is_computed(backend: str) -> None:
    out = integers()
    with pytest.raises(LossyCast, match="ewise_add: out has dtype int64, what is written has float64"):
        ewise_add(out, halves(), plus, out=out)
    assert out.to_dict() == {0: 1, 1: 1}
    with pytest.raises(LossyCast, match=r"what accum=BinaryOp\(plus\) gives has int64"):
        update_by(plus, Vector.full(2, True), Vector.full(2, True))


def test_assigning_integers_leaves_the_other_floats_alone(backend: str) -> None:
    """They went through the dtype of what is assigned, and lost their fractions."""
    v = Vector.from_numpy([1.5, 2.5, 3.5])
    assert assign(v, Vector.full(1, 7), [1]).to_dict() == {0: 1.5, 1: 7.0, 2: 3.5}
    assert assign(v, np.int8(9), [0]).to_dict() == {0: 9.0, 1: 7.0, 2: 3.5}
    A = Matrix.from_numpy([[0.5, 1.5], [2.5, 3.5]])
    assign(A, Vector.full(2, True), 1)
    np.testing.assert_array_equal(A.to_numpy(missing=0), [[0.5, 1.5], [1, 1]])
