"""Slices and ranges mean the lists that they stand for, and cost what they take, not what there is."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair import Matrix, Vector, assign, ewise_add, extract
from anypair.errors import IndexOutOfRange, InvalidValue
from anypair.semiring import plus
from tests.support.compare import assert_same
from tests.support.strategies import matrices, vectors

HUGE = 2**40
ends = st.none() | st.integers(-8, 8)
steps = st.none() | st.sampled_from([1, 2, 3, -1, -2, -5, 7, 2**62, 2**64, -(2**63)])
slices = st.builds(slice, ends, ends, steps)


def as_list(wanted: slice, length: int) -> list[int]:
    return list(range(length))[wanted]


@given(data=st.data())
def test_extract_from_a_vector(backend: str, data: st.DataObject) -> None:
    v, wanted = data.draw(vectors()), data.draw(slices)
    moved = v.to(backend)
    listed = as_list(wanted, v.size)
    expected = Vector.from_entries(
        [k for k, i in enumerate(listed) if v.get(i) is not None],
        [v.get(i) for i in listed if v.get(i) is not None],
        len(listed),
        dtype=v.dtype,
        backend="reference",
    )
    assert_same(extract(moved, wanted), expected)
    assert_same(extract(moved, range(v.size)[wanted]), expected)
    zeros = Vector.full(v.size, 0, v.dtype, like=moved)
    full = ewise_add(moved, zeros, plus)  # in another form, perhaps
    assert_same(extract(full, wanted), extract(full, listed))


@given(data=st.data())
def test_extract_from_a_matrix(backend: str, data: st.DataObject) -> None:
    A, rows, columns = data.draw(matrices()), data.draw(slices), data.draw(slices)
    lists = as_list(rows, A.nrows), as_list(columns, A.ncols)
    moved = A.to(backend)
    expected = extract(A, *lists)
    assert_same(extract(moved, rows, columns), expected)
    assert_same(extract(moved, lists[0], columns), expected)
    assert_same(extract(moved, rows, lists[1]), expected)
    assert_same(extract(moved, rows), extract(A, lists[0]))
    if A.nrows:
        assert_same(extract(moved, 0, columns), extract(A, 0, lists[1]))


@given(data=st.data())
def test_assign_to_a_slice(backend: str, data: st.DataObject) -> None:
    v, wanted = data.draw(vectors()), data.draw(slices)
    listed = as_list(wanted, v.size)
    for value in (7, data.draw(vectors(size=len(listed), dtype=v.dtype))):
        moved = value.to(backend) if isinstance(value, Vector) else True
        given = value if isinstance(value, Vector) else True
        expected = assign(v.copy(), given, listed)
        assert_same(assign(v.to(backend).copy(), moved, wanted), expected)
    A, rows, columns = data.draw(matrices()), data.draw(slices), data.draw(slices)
    lists = as_list(rows, A.nrows), as_list(columns, A.ncols)
    assert_same(assign(A.to(backend).copy(), True, rows, columns), assign(A.copy(), True, *lists))


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (range(2, 5), r"rows\[2\] = 4"),
        (range(3, -3, -2), r"rows\[2\] = -1"),
        (range(9, 0, -1), r"rows\[0\] = 9"),
        (range(-1, 2), r"rows\[0\] = -1"),
        (range(0, HUGE**2, HUGE), r"rows\[1\] = 1099511627776"),
    ],
)
def test_a_range_beyond_the_end_is_refused(backend: str, wanted: range, said: str) -> None:
    with pytest.raises(IndexOutOfRange, match=f"extract: {said} is out of range; give 0 to 3"):
        extract(Vector.full(4, 1), wanted)


@pytest.mark.parametrize("wanted", [slice(0, 2, 0), slice(0.5, None), slice("a")])
def test_what_is_no_slice_is_refused(backend: str, wanted: Any) -> None:
    with pytest.raises(InvalidValue, match="extract: rows=slice"):
        extract(Vector.full(4, 1), wanted)


def test_parts_of_a_huge_vector(backend: str) -> None:
    if backend == "cuda":
        pytest.skip("keeps a bit for each place")
    v = Vector.from_entries([3, 5, HUGE // 2], [1.5, 2.5, 3.5], HUGE)
    assert extract(v, slice(0, 10)).to_dict() == {3: 1.5, 5: 2.5}
    assert extract(v, slice(4, None)).to_dict() == {1: 2.5, HUGE // 2 - 4: 3.5}
    assert extract(v, slice(None, None, -1)).get(HUGE - 6) == 2.5
    assert extract(v, [5, 6, 5]).to_dict() == {0: 2.5, 2: 2.5}
    assert (v.get(5), v.get(6)) == (2.5, None)
    assert assign(v.copy(), 7.0, slice(4, 6)).to_dict() == {3: 1.5, 4: 7.0, 5: 7.0, HUGE // 2: 3.5}
    part = Vector.from_entries([1], [9.0], 3)
    assert assign(v.copy(), part, slice(HUGE - 3, None)).get(HUGE - 2) == 9.0


def test_long_steps_through_a_huge_vector(backend: str) -> None:
    if backend == "cuda":
        pytest.skip("keeps a bit for each place")
    step = 2**58
    wanted = slice(0, 2 * step + 1, step)
    v = Vector.from_entries([0, step, 2 * step], [1, 2, 3], 2**60)
    assert extract(v, wanted).to_dict() == {0: 1, 1: 2, 2: 3}
    assert extract(v, slice(2 * step, None, -step)).to_dict() == {0: 3, 1: 2, 2: 1}
    assert assign(v.copy(), 9, wanted).to_dict() == {0: 9, step: 9, 2 * step: 9}
    assert assign(v.copy(), Vector.full(3, 8), wanted).to_dict() == {0: 8, step: 8, 2 * step: 8}
    for far in (
        slice(None, None, -(2**63)),
        range(2**60 - 1, 2**60, 2**64),
        range(2**60 - 1, -1, -(2**69)),
    ):
        assert extract(v, far).size == 1
        assert assign(v.copy(), 9, far).get(2**60 - 1) == 9


def test_a_huge_vector_as_mask(backend: str) -> None:
    if backend == "cuda":
        pytest.skip("keeps a bit for each place")
    v = Vector.from_entries([3, 5, HUGE // 2], [1.5, 2.5, 3.5], HUGE)
    mask = Vector.from_entries([5, 8], True, HUGE).structure
    assert ewise_add(v, v, plus, mask=mask).to_dict() == {5: 5.0}
    assert ewise_add(v, v, plus, mask=~mask).to_dict() == {3: 3.0, HUGE // 2: 7.0}
    assert assign(v.copy(), 1.0, mask=mask).to_dict() == {3: 1.5, 5: 1.0, 8: 1.0, HUGE // 2: 3.5}


def test_a_symmetric_part_is_known_to_be_one(backend: str) -> None:
    rng = np.random.default_rng(1)
    graph = Matrix.from_edges(rng.integers(0, 50, 200), rng.integers(0, 50, 200), n=50, symmetric=True)
    part = extract(graph, slice(3, 40, 2), slice(3, 40, 2))
    assert_same(part.T, extract(graph.to("reference"), range(3, 40, 2), range(3, 40, 2)))
