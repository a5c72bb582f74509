"""Where a thread is, as a message names it."""

import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mpi4py")

import anypair
from anypair import Vector
from anypair.backends.mpi.whereabouts import of_thread

HERE = Path(__file__).name


def test_the_program_is_named_by_file_and_line() -> None:
    assert of_thread(threading.get_ident()).startswith(f"of_thread ({HERE}, line ")
    assert of_thread(None) == "the command"


def test_what_is_called_is_what_the_program_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what that calls in turn, nor a decorator around it."""
    said: list[str] = []
    with anypair.using("reference") as backend:
        numbers = Vector.full(3, 1)
    found = backend.nvals

    def looking(x: Any) -> int:
        said.append(of_thread(threading.get_ident()))
        return found(x)

    looking.__code__ = looking.__code__.replace(co_filename=anypair.__file__)  # as if it were ours
    monkeypatch.setattr(backend, "nvals", looking)
    assert numbers.nvals == 3
    assert anypair.same(numbers, numbers)
    assert said[0].startswith(f"Handle.nvals ({HERE}, line ")
    assert said[-1].startswith(f"same ({HERE}, line ")
