"""What a grid of ranks asks of a local backend besides the operations: bitmaps, lists, other places."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair.config import resolve
from anypair.semiring import TypedUnary
from tests.support.compare import entries
from tests.support.strategies import UNARY, dtypes, handles_of, shapes, values, vectors


@pytest.fixture
def engine(backend: str) -> Any:
    """The backend, unless it is a grid itself."""
    found = resolve(backend)
    if hasattr(found, "local"):
        pytest.skip("a grid is not the local backend of another")
    return found


@given(data=st.data())
def test_words_and_lists_are_the_entries(engine: Any, data: st.DataObject) -> None:
    x = data.draw(vectors(data.draw(st.sampled_from([0, 1, 6, 63, 64, 65, 130])))).to(engine)
    places, numbers = x.to_entries()
    words = engine.words(x.storage, x.size)
    assert words.dtype == np.uint64
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    assert np.flatnonzero(bits).tolist() == places.tolist()
    peeked = engine.peek(x.storage)
    assert peeked[0].tolist() == places.tolist()
    assert peeked[1].dtype == x.dtype
    np.testing.assert_array_equal(peeked[1], numbers)


@given(data=st.data())
def test_a_vector_of_words(engine: Any, data: st.DataObject) -> None:
    size = data.draw(st.sampled_from([1, 6, 63, 64, 65, 130]))
    places = sorted(data.draw(st.sets(st.integers(0, size - 1))))
    dtype = data.draw(dtypes)
    each = np.array([data.draw(values(dtype)) for _ in places], dtype)
    one = np.array([data.draw(values(dtype))], dtype)
    bits = np.zeros(-(-size // 64) * 64, np.uint8)
    bits[places] = 1
    words = np.packbits(bits, bitorder="little").view(np.uint64)
    for given_values, expected in ((each, each), (one, np.repeat(one, len(places)))):
        if len(given_values):
            found = engine.entries(engine.build_from_words(words.copy(), given_values, size))
            assert found[0].tolist() == places
            assert found[1].dtype == dtype
            assert found[1].tolist() == expected.tolist()


@given(data=st.data())
def test_small_indices_build_the_same(engine: Any, data: st.DataObject) -> None:
    x = data.draw(handles_of(data.draw(shapes)))
    *indices, numbers = x.to_entries()
    small = tuple(axis.astype(np.uint32) for axis in indices)
    found = engine.entries(engine.build(small, numbers, x.shape, None))
    for one, other in zip(found, x.to_entries(), strict=True):
        np.testing.assert_array_equal(one, other)


@given(size=st.integers(0, 70), number=st.integers(-5, 5))
def test_a_full_vector(engine: Any, size: int, number: int) -> None:
    places, numbers = engine.entries(engine.build_full(size, np.array([number], np.int32)))
    assert places.tolist() == list(range(size))
    assert numbers.dtype == np.int32
    assert numbers.tolist() == [number] * size


INDEXED = {name: op for name, op in UNARY.items() if op.indexed}


@given(data=st.data())
def test_operators_see_the_places_that_they_are_told(engine: Any, data: st.DataObject) -> None:
    """Entries of a part, as if they stood in something larger."""
    x = data.draw(handles_of(data.draw(shapes)))
    op: TypedUnary = INDEXED[data.draw(st.sampled_from(sorted(INDEXED)))].typed(x.dtype)
    places = [tuple(3 * axis + 1 for axis in place) for place in entries(x)]
    arrays = tuple(np.array([p[k] for p in places], np.int64) for k in range(len(x.shape)))
    shape = tuple(3 * n + 1 for n in x.shape)
    found = engine.apply_at(x.to(engine).storage, op, arrays, shape)
    expected = [op(value, *place) for value, place in zip(entries(x).values(), places, strict=True)]
    assert found.dtype == op.result
    assert found.tolist() == expected
