"""Bytes and back: variable-length numbers, and parts of vectors as messages."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("mpi4py")

from anypair.backends.mpi.expansion import joined
from anypair.backends.mpi.host_arrays import HostArrays
from anypair.backends.registry import load
from anypair.backends.wire import messages
from anypair.backends.wire.codec import decode, decode_places, encode, encode_places
from anypair.backends.wire.messages import Form

LANES = st.sampled_from([1, 2, 4, 32])


def test_the_example_of_ueno_and_suzumura() -> None:
    coded = encode(np.array([3, 123456, 80, 300]), lanes=4)
    assert coded.tobytes() == bytes.fromhex("03 C0 50 AC C4 02 07")
    assert decode(coded, 4, lanes=4).tolist() == [3, 123456, 80, 300]


@given(st.lists(st.integers(0, 2**63 - 1), max_size=80), LANES)
def test_numbers_come_back(numbers: list[int], lanes: int) -> None:
    coded = encode(np.array(numbers, np.int64), lanes)
    assert decode(coded, len(numbers), lanes).tolist() == numbers
    assert len(coded) == sum(max(-(-number.bit_length() // 7), 1) for number in numbers)


@given(st.sets(st.integers(0, 2**32 - 1), max_size=80), LANES, st.sampled_from(["uint32", "int64"]))
def test_places_come_back(places: set[int], lanes: int, dtype: str) -> None:
    rising = np.array(sorted(places), dtype)
    coded = encode_places(rising, lanes)
    out = np.empty(len(rising), np.int64)
    decode_places(coded, out, 7, lanes)
    assert out.tolist() == [place + 7 for place in sorted(places)]


@pytest.mark.parametrize("lanes", [1, 4])
def test_bytes_that_are_no_numbers_are_refused(lanes: int) -> None:
    coded = encode(np.array([1, 200, 3, 4, 70000]), lanes)
    for spoiled in (coded[:-1], np.append(coded, np.uint8(1)), np.full(3, 255, np.uint8)):
        with pytest.raises(ValueError, match="bytes do not hold"):
            decode(spoiled, 5, lanes)


@given(st.data())
def test_parts_come_back(data: Any) -> None:
    """Places and values of several parts, each as a list or a bitmap by its density, put side by side."""
    form = Form(data.draw(st.sampled_from(messages.MODES)), data.draw(LANES))
    sizes = data.draw(st.lists(st.sampled_from([0, 1, 63, 64, 128, 200]), min_size=1, max_size=4))
    starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    places, values, sent = [], [], []
    for size, start in zip(sizes, starts, strict=False):
        own = sorted(data.draw(st.sets(st.integers(0, size - 1)))) if size else []
        numbers = [1.5 * place for place in own]
        sent.append(
            messages.list_message(np.array(own, np.uint32), size, np.array(numbers, np.float64), form)
        )
        places += [start + place for place in own]
        values += numbers
    parts = [messages.read(message, np.dtype(np.float64)) for message in sent]
    found = messages.as_list(parts, starts, form, np.dtype(np.uint32))
    assert found.tolist() == places
    assert np.concatenate([part.values for part in parts]).tolist() == values
    words = joined(HostArrays(load("reference")), parts, starts, form)
    if words is not None:
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")
        assert np.flatnonzero(bits).tolist() == places


def test_the_rule_of_one_sixteenth() -> None:
    form = Form("auto")
    places = np.arange(64)
    assert messages.read(messages.list_message(places[:8], 128, None, form), None).kind == messages.LIST
    assert (
        messages.read(messages.list_message(places[:9], 128, None, form), None).kind == messages.BITMAP
    )
    assert messages.read(messages.failure_message(), None).failed
