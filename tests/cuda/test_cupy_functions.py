"""Every function of `xp` that the backend calls exists in the installed CuPy, with those parameters."""

import ast
import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anypair.backends
from anypair.backends.cuda.numba_cuda import cuda
from tests.cuda.support import needs_compiler

cupy = pytest.importorskip("cupy")

FOLDER = Path(anypair.backends.__file__).parent


class Call:
    """A call `xp.name(...)`: how many positional arguments it has, and which keywords."""

    def __init__(self, node: ast.Call) -> None:
        self.names = ast.unparse(node.func).split("xp.", 1)[1].split(".")
        self.positional = len(node.args)
        self.keywords = sorted(keyword.arg for keyword in node.keywords if keyword.arg)

    def __repr__(self) -> str:
        given = ["_"] * self.positional + [f"{name}=_" for name in self.keywords]
        return f"xp.{'.'.join(self.names)}({', '.join(given)})"


def calls_in(text: str) -> list[Call]:
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return [Call(node) for node in found if is_of_xp(ast.unparse(node.func))]


def is_of_xp(called: str) -> bool:
    return called.startswith("xp.") or called.split("xp.", 1)[0] in ("self.", "arrays.", "self.arrays.")


def files() -> dict[str, str]:
    """The files of the backend, and those of the grid that work on its arrays."""
    paths = [*FOLDER.glob("cuda/*.py"), *FOLDER.glob("mpi/device_*.py")]
    return {path.name: path.read_text() for path in sorted(paths)}


CALLS = {repr(call): call for text in files().values() for call in calls_in(text)}


def misfit(call: Call, library: Any) -> str | None:
    """Why the library cannot be called so, or None."""
    found = library
    for name in call.names:
        if not hasattr(found, name):
            return f"{library.__name__} has no {'.'.join(call.names)}"
        found = getattr(found, name)
    try:
        inspect.signature(found).bind(*[None] * call.positional, **dict.fromkeys(call.keywords))
    except TypeError as error:
        return str(error)
    except ValueError:
        return None  # compiled, without a signature
    return None


@pytest.mark.parametrize("call", CALLS)
def test_cupy_has_it(call: str) -> None:
    assert misfit(CALLS[call], cupy) is None


@pytest.mark.parametrize(
    "call", [call for call in CALLS if "cuda" not in call and "asnumpy" not in call]
)
def test_numpy_has_it_too(call: str) -> None:
    assert misfit(CALLS[call], np) is None


def test_the_calls_are_found() -> None:
    assert len(CALLS) >= 15
    assert "xp.cumulative_sum(_, dtype=_, include_initial=_)" in CALLS
    assert "xp.take(_, _, axis=_)" in CALLS


@pytest.mark.parametrize(
    "text", ["xp.no_such_function(x)", "self.xp.take(x, y, mode=z)", "arrays.xp.concat(x, y, z, u, v)"]
)
def test_a_wrong_call_is_noticed(text: str) -> None:
    (call,) = calls_in(text)
    assert misfit(call, cupy) is not None


@needs_compiler
def test_numba_takes_what_the_device_gives_it() -> None:
    """The calls of `Gpu` that need hardware, as far as signatures tell."""
    view = inspect.signature(cuda.from_cuda_array_interface)
    assert {"desc", "owner", "sync"} <= set(view.parameters)
    inspect.signature(cuda.external_stream).bind(0)
    assert hasattr(cuda, "gpus")
    for name in ("set_limit", "get_limit", "used_bytes", "free_bytes", "malloc"):
        assert hasattr(cupy.cuda.MemoryPool, name)
    assert hasattr(cupy.cuda.Stream, "synchronize")


def test_page_locked_memory_exists() -> None:
    """A function beside `xp`, which the search above does not find."""
    import cupyx

    inspect.signature(cupyx.empty_pinned).bind((3,), np.dtype(np.int64))
