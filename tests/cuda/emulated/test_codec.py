"""Variable-length bytes in SIMD order: the example of the paper, and everything comes back."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair.backends.cuda.arrays import Arrays
from anypair.backends.cuda.codec import decode, decode_places, encode, encode_places
from tests.cuda.emulator.device import Emulated
from tests.cuda.support import needs_compiler

pytestmark = needs_compiler

ARRAYS = Arrays(Emulated(block=4, most_blocks=3))


def plain_bytes(values: list[int], width: int) -> list[int]:
    """The format once more, as it is described: byte k of all values of a group that have one."""
    out = []
    for begin in range(0, len(values), width):
        cut: list[list[int]] = []
        for value in values[begin : begin + width]:
            parts = [value & 127]
            while value := value >> 7:
                parts.append(value & 127)
            cut.append([part | 128 for part in parts[:-1]] + parts[-1:])
        for k in range(max(map(len, cut))):
            out += [parts[k] for parts in cut if k < len(parts)]
    return out


def test_the_example_of_the_paper() -> None:
    """Ueno and Suzumura, Fig. 4."""
    values = [3, 123456, 80, 300]
    data, starts = encode(ARRAYS, np.array(values), width=4)
    assert data.tobytes().hex(" ").upper() == "03 C0 50 AC C4 02 07"
    assert plain_bytes(values, 4) == data.tolist()
    assert starts.tolist() == [0, 7]
    assert decode(ARRAYS, data, starts, 4, width=4).tolist() == values


numbers = st.integers(0, 200) | st.sampled_from([127, 128, 2**14 - 1, 2**14, 2**31, 2**32 - 1, 2**62])


@pytest.mark.parametrize("width", [1, 4, 8])
@pytest.mark.parametrize("dtype", [np.int64, np.uint32])
@given(values=st.lists(numbers, max_size=20))
def test_values_come_back(width: int, dtype: Any, values: list[int]) -> None:
    kept = [v for v in values if v <= np.iinfo(dtype).max]
    data, starts = encode(ARRAYS, np.array(kept, dtype), width=width)
    assert data.tolist() == plain_bytes(kept, width)
    assert decode(ARRAYS, data, starts, len(kept), width=width).tolist() == kept


@given(places=st.sets(st.integers(0, 2**31 - 1), max_size=40))
def test_places_come_back(places: set[int]) -> None:
    given_places = np.array(sorted(places), np.int32)
    data, starts = encode_places(ARRAYS, given_places)
    back = decode_places(ARRAYS, data, starts, len(places), np.dtype(np.int32))
    assert back.dtype == np.int32
    assert back.tolist() == given_places.tolist()


def test_neighbours_take_a_byte_each() -> None:
    data, _ = encode_places(ARRAYS, np.arange(100))
    assert len(data) == 100
