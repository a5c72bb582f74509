"""Kernels with one barrier less, or an atomic made plain: the emulator notices each of them.

A mutant is a template with one place changed. What runs it are calls whose answers are known; a mutant
is noticed if one of them ends with a fault or a race, raises, or gives another answer, under some schedule.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from anypair import (
    Matrix,
    Semiring,
    Vector,
    apply,
    binary_op,
    ewise_mult,
    index_unary_op,
    monoid,
    mxm,
    reduce,
    unary_op,
    update,
    vxm,
)
from anypair.backends.cuda import CudaBackend, kernels
from anypair.backends.cuda.codec import decode, encode
from anypair.errors import OperatorError
from anypair.graph500 import kronecker_edges
from anypair.semiring import (
    max_select,
    min_monoid,
    min_select,
    min_source,
    plus_monoid,
    plus_times,
)
from tests.cuda.emulator.device import Emulated
from tests.cuda.emulator.launching import EmulatedFault
from tests.cuda.emulator.plugin import SEEDS
from tests.cuda.emulator.races import RaceFound
from tests.cuda.support import needs_compiler

pytestmark = needs_compiler

SCALE, BLOCK = 7, 32
N = 1 << SCALE
CACHED = ("product", "entry", "applied", "bound", "sum", "plain")

BARRIER = re.compile(r"cuda\.syncthreads\(\)")
#: Barriers that also count: without them a thread knows of itself only.
COUNTING = re.compile(r"cuda\.syncthreads_(?:or|count)\(")
ATOMIC = re.compile(r"cuda\.atomic\.(\w+)\(")
PLAIN = """
@compiled
def plain_add(values, at, x):
    before = values[at]
    values[at] = before + x
    return before


@compiled
def plain_or_(values, at, x):
    before = values[at]
    values[at] = before | x
    return before


@compiled
def plain_min(values, at, x):
    values[at] = min(values[at], x)


@compiled
def plain_max(values, at, x):
    values[at] = max(values[at], x)


@compiled
def plain_cas(values, at, expected, x):
    before = values[at]
    if before == expected:
        values[at] = x
    return before


"""


# Calls whose answers are known


def emulated(seed: int, **options: Any) -> CudaBackend:
    """A device on which rows and runs are long early, and lists are soon full."""
    backend = CudaBackend.on(Emulated(BLOCK, 5, seed=seed), buffer=200, **options)
    backend.arrays.long = 24
    return backend


def graph_on(backend: Any) -> Matrix:
    ends = kronecker_edges(SCALE, edgefactor=8)
    return Matrix.from_edges(*ends, n=N, symmetric=True, backend=backend)


@binary_op(result=np.int64)
def own(edge: Any, value: Any) -> Any:
    """Divides, so it may raise: kernels count the threads that finish."""
    return value * 6 // (edge + 1)


@binary_op(result=np.float64)
def own_half(edge: Any, value: Any) -> Any:
    return value / (edge + 1)


@unary_op(result=np.int64)
def own_third(x: Any) -> Any:
    return x // 3


@index_unary_op(result=np.int64)
def own_place(x: Any, i: Any, j: Any) -> Any:
    return (i + j) // (x + 1)


@monoid(identity=0)
def own_sum(x: Any, y: Any) -> Any:
    return x + y + 0 // (abs(x) + 1)


@binary_op(result=np.int64)
def raises_at_9(edge: Any, value: Any) -> Any:
    return edge // (value - 9)


def product(semiring: Semiring, **options: Any) -> Callable[[int], None]:
    def check(seed: int) -> None:
        answers = []
        for backend in (emulated(seed, **options), "scipy"):
            u = Vector.from_numpy(np.arange(1, N + 1), backend=backend)
            answers.append(vxm(u, graph_on(backend), semiring).to_dict())
        assert answers[0] == answers[1]

    return check


def raising(seed: int) -> None:
    """One thread of some block leaves: the others do no harm."""
    u = Vector.from_numpy(np.arange(N), backend=emulated(seed, direction="push"))
    with pytest.raises(OperatorError, match="raises_at_9"):
        vxm(u, graph_on(u.backend), Semiring(min_monoid, raises_at_9))


def masked_product(seed: int) -> None:
    answers = []
    for backend in (emulated(seed), "scipy"):
        graph = graph_on(backend)
        answers.append(mxm(graph, graph, Semiring(plus_monoid, own), mask=graph.structure))
    assert (
        answers[0].to(answers[1].backend).to_entries()[2].tolist() == answers[1].to_entries()[2].tolist()
    )


def entry_by_entry(seed: int) -> None:
    """Operators over entries, sums of long and short rows, and writing in place."""
    answers = []
    for backend in (emulated(seed), "scipy"):
        graph, u = graph_on(backend), Vector.from_numpy(np.arange(N), backend=backend)
        few = Vector.from_entries(range(0, N, 3), 2, size=N, dtype=int, backend=backend)
        out = Vector.from_entries(range(0, N, 2), 1, size=N, dtype=int, backend=backend)
        apply(few, own, right=3, out=out, accum=own)
        sums = [reduce(graph, m, by="rows") for m in (own_sum, plus_monoid)]
        twice = Vector.from_entries([*range(N)] * 2, 1, size=N, duplicates=own, backend=backend)
        vectors = [out, apply(u, own, left=2), apply(u, own_third), ewise_mult(u, few, own), twice]
        numbers = apply(graph, own_place).to_entries()[2].tolist()
        answers.append([numbers, *(vector.to_dict() for vector in vectors + sums)])
    assert answers[0] == answers[1]


def update_in_place(seed: int) -> None:
    backend = emulated(seed)
    out = Vector.from_entries(range(0, N, 2), 1, size=N, dtype=int, backend=backend)
    update(out, Vector.full(N, 5, backend=backend))
    assert out.nvals == N


def codec(seed: int) -> None:
    arrays = emulated(seed).arrays
    numbers = (np.arange(500) * 7919) % 3_000_000
    data, starts = encode(arrays, numbers, width=BLOCK)
    assert decode(arrays, data, starts, len(numbers), width=BLOCK).tolist() == numbers.tolist()


PUSHES = [product(s, direction="push") for s in (min_source, Semiring(min_monoid, own))]
PULLS = [product(s, direction="pull") for s in (min_select, plus_times, Semiring(min_monoid, own))]
#: By part of a kernel's text, the calls that run it.
CALLS: dict[str, list[Callable[[int], None]]] = {
    "push": [*PUSHES, raising],
    "pull": PULLS,
    "block": [codec, *PUSHES],
    "folding": [entry_by_entry, *PULLS],
    "segments": [entry_by_entry],
    "dots": [masked_product],
    "pairs": [product(Semiring(plus_monoid, own_half), direction="push")],
    "two_phase": [product(Semiring(min_monoid, own), strategy="two_phase")],
    "application": [entry_by_entry],
    "bound_application": [entry_by_entry],
    "entries": [entry_by_entry],
    "structure": [update_in_place, entry_by_entry, product(min_source, strategy="two_phase")],
}
#: By the monoid's way to add up in place, a push that does it.
COMBINING = {
    "add": product(plus_times, direction="push"),
    "min": product(min_select, direction="push"),
    "max": product(max_select, direction="push"),
    "cas": product(Semiring(own_sum, own), direction="push"),
}


def noticed(calls: list[Callable[[int], None]]) -> bool:
    """Whether one of the calls goes wrong under one of a few schedules."""
    for seed in SEEDS:
        for call in calls:
            try:
                call(seed)
            except (EmulatedFault, RaceFound, AssertionError, OperatorError):
                return True
    return False


# Mutants


def text_of(part: str) -> str:
    return (kernels.HERE / "templates" / f"{part}.py").read_text("utf-8")


def places(pattern: re.Pattern[str]) -> list[tuple[str, int]]:
    found = [(part, k) for part in CALLS for k in range(len(pattern.findall(text_of(part))))]
    assert found
    return found


@pytest.fixture
def mutate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Put another text in the place of a template, for kernels made during the test."""

    def forget() -> None:
        for name in CACHED:
            getattr(kernels, f"{name}_kernels").cache_clear()

    def put(part: str, text: str) -> None:
        usual = kernels._text
        monkeypatch.setattr(kernels, "_text", lambda name: text if name == part else usual(name))
        forget()

    yield put
    forget()


def changed(part: str, pattern: re.Pattern[str], number: int, into: Callable[[Any], str]) -> str:
    """The text of a part with one place that matches made into something else."""
    text = text_of(part)
    found = list(pattern.finditer(text))[number]
    return text[: found.start()] + into(found) + text[found.end() :]


def with_plain(text: str) -> str:
    """The text with the functions that plain accesses call, before its first one."""
    first = text.index("\n@")
    return text[:first] + PLAIN + text[first:]


@pytest.mark.parametrize("part", CALLS)
def test_what_is_right_passes(part: str) -> None:
    assert not noticed(CALLS[part])


@pytest.mark.parametrize(("part", "number"), places(BARRIER))
def test_a_barrier_less(mutate: Any, part: str, number: int) -> None:
    mutate(part, changed(part, BARRIER, number, lambda found: "pass"))
    assert noticed(CALLS[part])


@pytest.mark.parametrize(("part", "number"), places(COUNTING))
def test_a_counting_barrier_less(mutate: Any, part: str, number: int) -> None:
    mutate(part, changed(part, COUNTING, number, lambda found: "BLOCK * ("))
    assert noticed(CALLS[part])


@pytest.mark.parametrize(("part", "number"), places(ATOMIC))
def test_an_atomic_made_plain(mutate: Any, part: str, number: int) -> None:
    mutate(part, with_plain(changed(part, ATOMIC, number, lambda found: f"plain_{found[1]}(")))
    assert noticed(CALLS[part])


@pytest.mark.parametrize("name", COMBINING)
def test_a_sum_in_place_without_its_atomic(
    mutate: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    usual = kernels._atomic_sum

    def plain(given: Any) -> str:
        text = usual(given)
        assert f"cuda.atomic.{name}(" in text
        return PLAIN + text.replace(f"cuda.atomic.{name}(", f"plain_{name}(")

    assert not noticed([COMBINING[name]])
    monkeypatch.setattr(kernels, "_atomic_sum", plain)
    mutate("push", text_of("push"))
    assert noticed([COMBINING[name]])
