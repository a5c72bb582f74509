"""Every operation on every backend, against the reference backend."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypair
from anypair import Matrix, Vector, apply
from anypair.dtypes import SUPPORTED, DType
from anypair.errors import LossyCast
from anypair.semiring import absolute
from tests.conformance.cases import (
    CASES,
    Case,
    gives_one_answer,
    index_lists,
    is_exact,
    is_refused,
    leaves_alone,
    move,
)
from tests.support.compare import assert_same, entries
from tests.support.covering import cases
from tests.support.strategies import (
    BINARY,
    MONOIDS,
    OPERATOR_DTYPES,
    PRODUCT_DTYPES,
    SEMIRINGS,
    dtypes,
    handles_of,
    masks_for,
    matrices,
    shapes,
    sizes,
    values,
    vectors,
)


@pytest.mark.parametrize("operation", CASES)
@given(data=st.data())
def test_operation_equals_the_reference(backend: str, operation: str, data: st.DataObject) -> None:
    case: Case = data.draw(CASES[operation])
    assert_same(case.run(backend), case.run("reference"))


@pytest.mark.parametrize(
    ("name", "left", "right", "product"),
    cases(sorted(SEMIRINGS), PRODUCT_DTYPES, PRODUCT_DTYPES, ("mxv", "vxm", "mxm")),
    ids=str,
)
@given(data=st.data())
def test_every_semiring(
    backend: str, name: str, left: DType, right: DType, product: str, data: st.DataObject
) -> None:
    """Each catalogue semiring in each product; where `any` may choose, one of the candidates."""
    semiring = SEMIRINGS[name]
    typed = semiring.typed(left, right)
    ends = is_exact(typed.add)
    m, n = data.draw(sizes), data.draw(sizes)
    a = data.draw(matrices((m, n), left, ends=ends))
    case = {
        "mxv": lambda: Case(anypair.mxv, (a, data.draw(vectors(n, right, ends=ends)), semiring)),
        "vxm": lambda: Case(anypair.vxm, (data.draw(vectors(m, right, ends=ends)), a, semiring)),
        "mxm": lambda: Case(anypair.mxm, (a, data.draw(matrices((n, m), right, ends=ends)), semiring)),
    }[product]()
    result, expected = case.run(backend), case.run("reference")
    if gives_one_answer(typed):
        assert_same(result, expected)
    else:
        assert_one_of(entries(result), candidates(case))


@pytest.mark.parametrize(
    ("name", "left", "right", "operation", "dimensions"),
    cases(sorted(BINARY), OPERATOR_DTYPES, OPERATOR_DTYPES, ("ewise_add", "ewise_mult"), (1, 2)),
    ids=str,
)
@settings(max_examples=min(5, settings().max_examples))
@given(data=st.data())
def test_every_operator_casts_each_dtype(
    backend: str,
    name: str,
    left: DType,
    right: DType,
    operation: str,
    dimensions: int,
    data: st.DataObject,
) -> None:
    """Casts belong to an operator and its dtypes, so entry by entry, with all of them, they are cheapest."""
    shape = tuple(data.draw(sizes) for _ in range(dimensions))
    x, y = (data.draw(handles_of(shape, dtype, specials=True)) for dtype in (left, right))
    case = Case(getattr(anypair, operation), (x, y, BINARY[name]))
    assert_same(case.run(backend), case.run("reference"))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float32"])
def test_indices_that_a_result_cannot_hold(backend: str, dtype: str) -> None:
    """They wrap around, so the first index of a row need not give the smallest value."""
    semiring = SEMIRINGS["min_source"].returning(dtype)
    rows, cols = [100, 150, 255, 100, 256, 299], [0, 0, 0, 1, 1, 2]
    a = Matrix.from_entries(rows, cols, 1, (300, 3), backend="reference")
    u = Vector.from_entries(rows[2:], 1, 300, backend="reference")
    for case in (
        Case(anypair.vxm, (u, a, semiring)),
        Case(anypair.mxv, (a.T, u, semiring)),
        Case(anypair.mxm, (a.T, a, semiring)),
    ):
        assert_same(case.run(backend), case.run("reference"))


def candidates(case: Case) -> dict[tuple[int, ...], set[Any]]:
    """For each place of a product, all the values that are added there."""
    *operands, semiring = case.arguments
    vxm = case.operation is anypair.vxm
    x, y = reversed(operands) if vxm else operands
    multiply = semiring.typed(x.dtype, y.dtype).multiply
    found: dict[tuple[int, ...], set[Any]] = {}
    for (i, j), edge in entries(x).items():
        outer, inner = (j, i) if vxm else (i, j)
        for (k, *rest), value in entries(y).items():
            if k == inner:
                found.setdefault((outer, *rest), set()).add(multiply(edge, value, k))
    return found


def assert_one_of(found: dict[Any, Any], allowed: dict[Any, set[Any]]) -> None:
    assert sorted(found) == sorted(allowed)
    assert all(value in allowed[place] for place, value in found.items())


def test_a_value_that_is_no_candidate_is_noticed() -> None:
    assert_one_of({(0,): 1}, {(0,): {1, 2}})
    for spoiled in ({(0,): 3}, {}, {(0,): 1, (1,): 1}):
        with pytest.raises(AssertionError):
            assert_one_of(spoiled, {(0,): {1, 2}})


@pytest.mark.parametrize("name", sorted(MONOIDS))
@given(data=st.data())
def test_every_monoid_reduces_to_a_number(backend: str, name: str, data: st.DataObject) -> None:
    monoid = MONOIDS[name]
    dtype = data.draw(dtypes)
    x = data.draw(handles_of(data.draw(shapes), dtype, ends=is_exact(monoid.typed(dtype))))
    found, expected = (anypair.reduce(x.to(b), monoid) for b in (backend, "reference"))
    assert type(found) is type(expected)
    if name == "any_monoid" and x.nvals:
        assert found in entries(x).values()
    else:
        assert found == pytest.approx(expected, rel=1e-5, nan_ok=True)


@pytest.mark.parametrize("target", SUPPORTED, ids=str)
@given(data=st.data())
def test_cast(backend: str, target: Any, data: st.DataObject) -> None:
    x = data.draw(handles_of(data.draw(shapes), specials=True))
    assert_same(x.to(backend).cast(target), x.cast(target))


@given(data=st.data())
def test_assign(backend: str, data: st.DataObject) -> None:
    out = data.draw(handles_of(data.draw(shapes)))
    indices = [data.draw(index_lists(n, unique=True)) for n in out.shape]
    part = anypair.extract(out, *indices).shape
    dtype = data.draw(dtypes)
    value = data.draw(handles_of(part, dtype) | values(dtype).map(dtype.type))
    mask = data.draw(masks_for(out.shape))
    accum = data.draw(st.sampled_from([None, anypair.semiring.plus, anypair.semiring.first]))
    replace = data.draw(st.booleans())

    def assigned(target: Any) -> Any:
        closing = {"mask": masked(mask, target.backend), "accum": accum, "replace": replace}
        return anypair.assign(target, move(value, target.backend), *indices, **closing)

    if is_refused(out.dtype, dtype, accum):
        with leaves_alone(move(out, backend), LossyCast) as target:
            assigned(target)
    else:
        assert_same(assigned(move(out, backend)), assigned(move(out, "reference")))


@given(data=st.data())
def test_assign_a_vector_to_a_row_or_column(backend: str, data: st.DataObject) -> None:
    size = st.integers(1, 5)
    out = data.draw(matrices((data.draw(size), data.draw(size))))
    by_row = data.draw(st.booleans())
    along, across = (1, 0) if by_row else (0, 1)
    value = data.draw(vectors(out.shape[along]))
    at = data.draw(st.integers(0, out.shape[across] - 1))
    rows, columns = (at, None) if by_row else (None, at)
    if is_refused(out.dtype, value.dtype, None):
        with leaves_alone(move(out, backend), LossyCast) as target:
            anypair.assign(target, move(value, backend), rows, columns)
        return
    results = [
        anypair.assign(move(out, b), move(value, b), rows, columns) for b in (backend, "reference")
    ]
    assert_same(*results)
    kept = anypair.extract(results[0], rows, columns)
    assert_same(kept, value.cast(out.dtype).to(backend))


def masked(mask: tuple[Matrix | Vector, bool] | None, backend: Any) -> Any:
    """The mask on that backend."""
    if mask is None:
        return None
    structure = mask[0].to(backend).structure
    return ~structure if mask[1] else structure


@given(data=st.data())
def test_update(backend: str, data: st.DataObject) -> None:
    out = data.draw(handles_of(data.draw(shapes)))
    new = data.draw(handles_of(out.shape))
    if is_refused(out.dtype, new.dtype, None):
        with leaves_alone(move(out, backend), LossyCast) as target:
            anypair.update(target, move(new, backend))
        return
    found, expected = (anypair.update(move(out, b), move(new, b)) for b in (backend, "reference"))
    assert_same(found, expected)
    cast = entries(new.cast(out.dtype))
    assert entries(found) == {**entries(out), **cast}


@given(data=st.data())
def test_an_output_that_is_also_operand_or_mask(backend: str, data: st.DataObject) -> None:
    """out may be any of the operands, and the mask may be its own structure."""
    n, dtype = data.draw(sizes), data.draw(dtypes)
    x, a = data.draw(vectors(n, dtype)), data.draw(matrices((n, n), dtype))
    complemented = data.draw(st.booleans())
    results = []
    for b in (backend, "reference"):
        u, graph = move(x, b), move(a, b)
        mask = ~u.structure if complemented else u.structure
        anypair.vxm(u, graph, anypair.semiring.min_select, out=u, mask=mask)
        anypair.ewise_add(u, u, anypair.semiring.maximum, out=u)
        anypair.update(u, u)
        anypair.ewise_mult(graph, graph.T, anypair.semiring.first, out=graph, mask=graph.structure)
        results.append((u, graph))
    for found, expected in zip(*results, strict=True):
        assert_same(found, expected)


@given(data=st.data())
def test_same(backend: str, data: st.DataObject) -> None:
    x = data.draw(handles_of(data.draw(shapes), specials=True))
    y = data.draw(handles_of(x.shape, x.dtype, specials=True))
    left = x.to(backend)
    assert anypair.same(left, left.copy())
    assert anypair.same(left, move(y, backend)) == anypair.same(x, y)


@given(data=st.data())
def test_entries_go_in_and_come_out(backend: str, data: st.DataObject) -> None:
    """In any order, with duplicates combined in the order given."""
    shape, dtype = data.draw(shapes), data.draw(dtypes)
    place = st.tuples(*(st.integers(0, n - 1) for n in shape))
    places = data.draw(st.lists(place, max_size=20)) if all(shape) else []
    numbers = [data.draw(values(dtype, ends=dtype.kind != "f")) for _ in places]
    columns = [[p[axis] for p in places] for axis in range(len(shape))]
    op = data.draw(st.sampled_from(["plus", "first", "second", "minus", "minimum", "lt", "pair"]))
    duplicates = getattr(anypair.semiring, op)
    make: Any = Vector.from_entries if len(shape) == 1 else Matrix.from_entries
    size: Any = shape[0] if len(shape) == 1 else shape
    made = [
        make(*columns, numbers, size, dtype=dtype, duplicates=duplicates, backend=b)
        for b in (backend, "reference")
    ]
    assert_same(*made)
    assert_same(made[0].to("reference"), made[1])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_zero_has_no_sign_as_an_absolute_value(backend: str, dtype: str) -> None:
    """IEEE 754 says so; x if x >= 0 else -x, which takes -0.0 as it is, does not."""
    x = Vector.from_entries([0, 1, 2, 3], [-0.0, 0.0, -2.5, -np.inf], size=4, dtype=dtype)
    for found, expected in (
        (apply(x, absolute), [0.0, 0.0, 2.5, np.inf]),
        (abs(2 * x), [0, 0, 5, np.inf]),
    ):
        numbers = found.to_entries()[1]
        assert numbers.tolist() == expected
        assert not np.signbit(numbers).any()
