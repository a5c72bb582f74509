"""Messages on a device, on strict arrays: all comes back, lists byte for byte as on the host."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("mpi4py")

from anypair.backends.cuda import CudaBackend, device_messages
from anypair.backends.cuda.codec import WIDTH, encode, group_starts
from anypair.backends.mpi.expansion import joined
from anypair.backends.wire import messages
from anypair.backends.wire.messages import Form
from tests.cuda.emulated.strict import BLOCK, StrictDevice
from tests.cuda.support import needs_compiler

pytestmark = needs_compiler

STAGE = CudaBackend.on(StrictDevice(BLOCK, most_blocks=3)).device_arrays()
ARRAYS = STAGE.arrays
VALUES = [np.bool_, np.int8, np.uint32, np.int64, np.float32, np.float64]


def host(values: Any) -> Any:
    return ARRAYS.to_host(values)


@given(values=st.lists(st.integers(0, 300) | st.sampled_from([2**14, 2**40]), max_size=20))
@pytest.mark.parametrize("width", [1, 4, WIDTH])
def test_bytes_tell_where_groups_begin(width: int, values: list[int]) -> None:
    data, starts = encode(ARRAYS, ARRAYS.to_device(np.array(values, np.int64)), width)
    assert host(group_starts(ARRAYS, data, width)).tolist() == host(starts).tolist()


@given(data=st.data())
def test_parts_come_back(data: Any) -> None:
    form = Form(data.draw(st.sampled_from(messages.MODES)), WIDTH)
    dtype = np.dtype(data.draw(st.sampled_from(VALUES)))
    sizes = data.draw(st.lists(st.sampled_from([0, 1, 31, 32, 64, 100]), min_size=1, max_size=3))
    fresh = data.draw(st.booleans())
    starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    places, values, parts = [], [], []
    for size, start in zip(sizes, starts, strict=False):
        own = np.array(sorted(data.draw(st.sets(st.integers(0, size - 1)))) if size else [], np.int32)
        numbers = (own + 1).astype(dtype)
        there = [ARRAYS.to_device(each) for each in (own, numbers)]
        message = device_messages.list_message(ARRAYS, there[0], size, there[1], form, fresh=fresh)
        part = STAGE.read(message, dtype)
        twin = messages.read(messages.list_message(own, size, numbers, form, fresh=fresh), dtype)
        assert (part.kind, part.count, part.fresh) == (twin.kind, twin.count, twin.fresh)
        if part.kind == messages.LIST:
            assert host(part.data).tobytes() == twin.data.tobytes()
        assert message.body.shape[0] % 8 == 0, "what follows would not be aligned"
        parts.append(part)
        places += [start + place for place in own.tolist()]
        values += numbers.tolist()
    assert host(STAGE.as_list(parts, starts, starts[-1], form)).tolist() == places
    assert host(STAGE.values_of(parts)).tolist() == values
    words = joined(STAGE, parts, starts, form)
    aligned = not any(start % 32 for start in starts[:-1])
    assert (words is None) == (not aligned or all(part.kind == messages.LIST for part in parts))
    if words is not None:
        assert host(STAGE.listed(words, starts[-1])).tolist() == places


def test_words_without_values_are_sent_as_they_are() -> None:
    words = ARRAYS.to_device(np.array([1, 2, 3, 4], np.uint32))
    message = device_messages.bitmap_message(ARRAYS, words, 5, None)
    assert np.shares_memory(message.body._array, words._array)
    assert device_messages.read(ARRAYS, device_messages.failure_message(ARRAYS), None).failed


def test_copies_live_as_long_as_what_they_are_of() -> None:
    kept = np.array([3, 5, 900])
    copy = STAGE.copies.of(kept)
    assert STAGE.copies.of(kept) is copy
    assert host(STAGE.taken(kept, ARRAYS.to_device(np.array([2, 0])))).tolist() == [900, 3]
    del kept
    assert not STAGE.copies._made


def test_the_memory_waits_for_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[str] = []
    monkeypatch.setattr(STAGE.device, "synchronize", lambda: waited.append("synchronized"))
    STAGE.memory.ready()
    assert waited == ["synchronized"]
