"""Kernels with one barrier less, or an atomic made plain: the emulator notices, or it was not needed."""

import re
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from anypair import Matrix, Semiring, Vector, binary_op, vxm
from anypair.dtypes import Array
from anypair.graph500 import kronecker_edges
from anypair.semiring import min_monoid, min_select, min_source, plus_times
from tests.cuda.support import needs_compiler

pytestmark = needs_compiler

SCALE = 7
PARTS = ("push", "block", "pull", "folding")
BARRIER = re.compile(r"^( *)cuda\.syncthreads\(\)$", re.MULTILINE)
ATOMIC = re.compile(r"cuda\.atomic\.(add|or_)\(")
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


"""

#: Barriers that others make superfluous, by part and number, each with the reason.
REDUNDANT = {
    ("block", 3): "the caller's next barrier comes before anybody writes to `sums` again",
    ("folding", 0): "pull_long_rows has just passed syncthreads_or; fold_long_runs needs it",
}


def texts() -> dict[str, str]:
    from anypair.backends.cuda.kernels import HERE

    return {name: (HERE / "templates" / f"{name}.py").read_text("utf-8") for name in PARTS}


def places(pattern: re.Pattern[str]) -> list[tuple[str, int]]:
    found = [(name, k) for name, text in texts().items() for k in range(len(pattern.findall(text)))]
    assert found
    return found


@pytest.fixture
def mutate(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put another text in the place of a template; nothing of it gets into a cache."""
    from anypair.backends.cuda import kernels, pulling, pushing

    def in_memory(name: str, source: str, **more: Any) -> ModuleType:
        module = ModuleType(f"mutated_{name}")
        exec(compile(source.replace("cache=True", "cache=False"), f"<{name}>", "exec"), module.__dict__)
        return module

    def put(part: str, text: str) -> None:
        usual = kernels._text
        monkeypatch.setattr(kernels, "_text", lambda name: text if name == part else usual(name))
        monkeypatch.setattr(kernels, "load_source", in_memory)
        made = cache(kernels.product_kernels.__wrapped__)
        for module in (pushing, pulling):
            monkeypatch.setattr(module, "product_kernels", made)

    return put


def edges() -> tuple[Array, Array]:
    return kronecker_edges(SCALE, edgefactor=8)


@binary_op(result=np.int64)
def own(edge: Any, value: Any) -> Any:
    """May raise, as far as anybody knows: so kernels count the threads that finish."""
    return edge * value


CASES = {
    "push": [min_source, Semiring(min_monoid, own)],
    "pull": [min_select, plus_times, Semiring(min_monoid, own)],
}
DIRECTIONS = {"push": ["push"], "block": ["push", "pull"], "pull": ["pull"], "folding": ["pull"]}


def products(direction: str, seed: int) -> None:
    """Products whose answers are known, on long rows and with full lists too."""
    from anypair.backends.cuda import CudaBackend
    from tests.cuda.emulator.device import Emulated

    sources, targets = edges()
    n = 1 << SCALE
    for semiring in CASES[direction]:
        backend = CudaBackend.on(Emulated(32, 5, seed=seed), direction=direction, buffer=200)
        backend.arrays.long = 24
        answers = []
        for where in (backend, "scipy"):
            graph = Matrix.from_edges(sources, targets, n=n, symmetric=True, backend=where)
            u = Vector.from_numpy(np.arange(1, n + 1), backend=where)
            answers.append(vxm(u, graph, semiring).to_dict())
        assert answers[0] == answers[1]


def noticed(part: str) -> bool:
    """Whether a fault, a race or a wrong answer shows under one of a few schedules."""
    from anypair.errors import OperatorError
    from tests.cuda.emulator.launching import EmulatedFault
    from tests.cuda.emulator.races import RaceFound

    for seed in range(1, 4):
        for direction in DIRECTIONS[part]:
            try:
                products(direction, seed)
            except (EmulatedFault, RaceFound, AssertionError, OperatorError):
                return True
    return False


@pytest.mark.parametrize("part", DIRECTIONS)
def test_what_is_right_passes(part: str) -> None:
    assert not noticed(part)


@pytest.mark.parametrize(("part", "number"), places(BARRIER))
def test_a_barrier_less(mutate: Any, part: str, number: int) -> None:
    found = list(BARRIER.finditer(texts()[part]))[number]
    text = texts()[part]
    mutate(part, f"{text[: found.start()]}{found[1]}pass{text[found.end() :]}")
    assert noticed(part) != ((part, number) in REDUNDANT)


@pytest.mark.parametrize(("part", "number"), places(ATOMIC))
def test_an_atomic_made_plain(mutate: Any, part: str, number: int) -> None:
    text = texts()[part]
    found = list(ATOMIC.finditer(text))[number]
    changed = f"{text[: found.start()]}plain_{found[1]}({text[found.end() :]}"
    first = changed.index("\n@")
    mutate(part, f"{changed[:first]}{PLAIN}{changed[first:]}")
    assert noticed(part)
