"""The write rule stated once more, on plain dicts, for every operation.

Comparing backends alone cannot find a fault in code that they share, such as `Backend.write`.
"""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair.dtypes import caster
from anypair.errors import LossyCast
from anypair.semiring import BinaryOp, first, minimum, plus, second
from tests.conformance.cases import CASES, Case, is_refused, leaves_alone, move
from tests.conformance.test_operations import masked
from tests.support.compare import ROUNDING, assert_entries, entries
from tests.support.strategies import handles_of, masks_for


def written(
    out: Any, t: Any, mask: tuple[Any, bool] | None, accum: BinaryOp | None, replace: bool
) -> dict[tuple[int, ...], Any]:
    """out<mask, replace> accum= t, place by place."""
    before, new = entries(out), entries(t)
    inside_mask = set(entries(mask[0])) if mask else set()
    cast = caster(out.dtype)
    result = {}
    for place in product(*map(range, out.shape)):
        if mask and (place in inside_mask) == mask[1]:
            if place in before and not replace:
                result[place] = before[place]
        elif accum and place in before and place in new:
            result[place] = cast(accum.typed(out.dtype, t.dtype)(before[place], new[place]))
        elif place in new:
            result[place] = cast(new[place])
        elif accum and place in before:
            result[place] = before[place]
    return result


@pytest.mark.parametrize("operation", CASES)
@given(data=st.data())
def test_out_mask_accum_and_replace(backend: str, operation: str, data: st.DataObject) -> None:
    case: Case = data.draw(CASES[operation])
    t = case.run("reference")
    out = data.draw(handles_of(t.shape))
    mask = data.draw(masks_for(t.shape))
    accum = data.draw(st.sampled_from([None, plus, minimum, first, second]))
    replace = data.draw(st.booleans())
    target = move(out, backend)
    if is_refused(out.dtype, t.dtype, accum):
        with leaves_alone(target, LossyCast):
            case.run(backend, out=target, mask=masked(mask, backend), accum=accum, replace=replace)
        return
    result = case.run(backend, out=target, mask=masked(mask, backend), accum=accum, replace=replace)
    assert result is target
    assert result.dtype == out.dtype
    expected = written(out, t, mask, accum, replace)
    assert_entries(entries(result), expected, rounding=ROUNDING.get(str(t.dtype), 0.0))


@pytest.mark.parametrize("operation", CASES)
@given(data=st.data())
def test_a_mask_alone_makes_a_new_handle(backend: str, operation: str, data: st.DataObject) -> None:
    case: Case = data.draw(CASES[operation])
    t = case.run("reference")
    handle, complemented = data.draw(masks_for(t.shape).filter(lambda mask: mask is not None))
    result = case.run(backend, mask=masked((handle, complemented), backend))
    inside = {p: v for p, v in entries(t).items() if (p in entries(handle)) != complemented}
    assert_entries(entries(result), inside, rounding=ROUNDING.get(str(t.dtype), 0.0))
