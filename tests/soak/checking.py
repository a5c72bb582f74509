"""Whether a program gives on other backends what it gives on `reference`."""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any

import pytest

from anypair.backends.base import Backend
from anypair.backends.registry import load
from tests.soak.oracle import NotComparable, difference, expected
from tests.soak.programs import Program, run
from tests.support.cutting import cut_all_work
from tests.support.taking_turns import TwoCpus

#: Each way to run a program on one process: the backend, its options, and whether work is cut small.
WAYS: dict[str, tuple[str, dict[str, Any], bool]] = {
    "scipy": ("scipy", {}, False),
    "suitesparse": ("suitesparse", {}, False),
    "list": ("list", {}, False),
    "streamed": ("streamed", {"local": "scipy", "memory_limit": 1 << 14}, False),
    "two sides": ("two sides", {}, False),
    "jit, 1 thread": ("jit", {"threads": 1}, False),
    "jit, 2 threads": ("jit", {"threads": 2}, True),
    "jit, 5 threads": ("jit", {"threads": 5}, True),
    "jit, push": ("jit", {"threads": 1, "direction": "push"}, False),
    "jit, read": ("jit", {"threads": 1, "direction": "push", "frontier": "read"}, False),
    "jit, pull": ("jit", {"threads": 1, "direction": "pull"}, False),
}
LOCALS = ("scipy", "suitesparse", "jit")


def problem_with(program: Program, ways: Iterable[str] = tuple(WAYS)) -> str:
    """The first way in which the program differs from the reference, and how; nothing if all agree."""
    truth, facts = expected(program)
    for way in ways:
        name, options, cut = WAYS[way]
        with pytest.MonkeyPatch.context() if cut else nullcontext() as patch:
            if patch is not None:
                cut_all_work(patch)
            # `hybrid` with both sides on the CPU, as no emulator is quick enough.
            backend = TwoCpus() if name == "two sides" else load(name, options)
            problem = problem_on(program, backend, truth, facts)
        if problem:
            return f"{way}: {problem}"
    return ""


def problem_on(program: Program, backend: Backend, truth: Any, facts: Any) -> str:
    """How the program differs on one backend."""
    try:
        tables = run(program, backend)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    for table in tables:
        if problem := difference(table, truth, facts):
            return problem
    return ""


def still(fails: Callable[[Program], str]) -> Callable[[Program], bool]:
    """For shrinking: whether a smaller program is one at all, and still fails."""

    def check(program: Program) -> bool:
        try:
            return bool(fails(program))
        except NotComparable:
            return False
        except Exception:  # a step that makes no sense without those before it
            return False

    return check
