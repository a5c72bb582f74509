"""The whole backend on array-api-strict, on a device that is not the default: nothing leaks to the host."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import anypair
from anypair import Matrix, Vector
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.backends.cuda import CudaBackend
from anypair.backends.cuda.codec import decode_places, encode_places
from anypair.dtypes import SUPPORTED
from anypair.semiring import min_select, plus, plus_times
from tests.conformance.cases import CASES, Case, is_refused
from tests.cuda.emulated.strict import BLOCK, StrictDevice
from tests.cuda.support import needs_compiler
from tests.support.compare import assert_same, entries
from tests.support.graphs import SEI_EDGES, SEI_PARENTS, SEI_SOURCE
from tests.support.strategies import handles_of, masks_for, shapes

pytestmark = needs_compiler


def strict(**options: Any) -> Any:
    return CudaBackend.on(StrictDevice(BLOCK, most_blocks=3), **options)


@pytest.mark.parametrize("operation", CASES)
@given(data=st.data())
def test_every_operation(operation: str, data: st.DataObject) -> None:
    case: Case = data.draw(CASES[operation])
    assert_same(case.run(strict()), case.run("reference"))


@given(data=st.data())
def test_writing(data: st.DataObject) -> None:
    x = data.draw(handles_of(data.draw(shapes)))
    out, mask = data.draw(handles_of(x.shape)), data.draw(masks_for(x.shape))
    accum, replace = data.draw(st.sampled_from([None, plus])), data.draw(st.booleans())
    assume(not is_refused(out.dtype, x.dtype, accum))
    results = []
    for backend in (strict(), "reference"):
        target, operand = out.to(backend).copy(), x.to(backend)
        keywords: dict[str, Any] = {"accum": accum, "replace": replace}
        if mask is not None:
            structure = mask[0].to(target.backend).structure
            keywords["mask"] = ~structure if mask[1] else structure
        operand = operand.to(target.backend)
        results.append(anypair.apply(operand, anypair.semiring.identity, out=target, **keywords))
    assert_same(*results)


@pytest.mark.parametrize("target", SUPPORTED, ids=str)
@given(data=st.data())
def test_casts(target: Any, data: st.DataObject) -> None:
    x = data.draw(handles_of(data.draw(shapes), specials=True))
    assert_same(x.to(strict()).cast(target), x.cast(target))


@pytest.mark.parametrize(
    "options", [{"direction": "push"}, {"direction": "pull"}, {"strategy": "two_phase"}, {"buffer": 1}]
)
def test_searches(options: dict[str, Any]) -> None:
    backend = strict(**options)
    backend.arrays.long = 3
    graph = Matrix.from_edges(*np.transpose(SEI_EDGES), n=9, symmetric=True, backend=backend)
    assert bfs_parents(graph, SEI_SOURCE).to_dict() == SEI_PARENTS
    assert bfs_levels(graph, SEI_SOURCE).nvals == len(SEI_PARENTS)


@pytest.mark.parametrize("buffer", [1, 5, 100])
def test_products_in_parts(buffer: int) -> None:
    backend = strict(buffer=buffer, direction="push")
    weights = np.arange(1, len(SEI_EDGES) + 1) / 4
    graph = Matrix.from_edges(*np.transpose(SEI_EDGES), weights, n=9, backend="reference")
    u = Vector.full(9, 0.5, backend="reference")
    for operation, operands in ((anypair.vxm, (u, graph)), (anypair.mxm, (graph, graph))):
        for semiring in (plus_times, min_select):
            case = Case(operation, (*operands, semiring))
            assert entries(case.run(backend)) == entries(case.run("reference"))


def test_codec() -> None:
    arrays = strict().arrays
    places = np.array([0, 1, 5, 300, 70_000], np.int32)
    data, starts = encode_places(arrays, arrays.to_device(places))
    back = decode_places(arrays, data, starts, len(places), np.dtype(np.int32))
    assert arrays.to_host(back).tolist() == places.tolist()


def test_a_leak_is_noticed() -> None:
    arrays = strict().arrays
    there = arrays.zeros(3, np.dtype(np.int64))
    with pytest.raises(RuntimeError):
        np.asarray(there)
    with pytest.raises(AssertionError, match="host array"):
        arrays.run(arrays.structure.mark, 3, np.zeros(3, np.int64), there)
