"""Kernels for typed operators: the text of each operator with its casts, then a template for the GPU."""

from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from anypair.backends.cuda.division import FUNCTIONS, with_checked_division
from anypair.backends.cuda.numba_cuda import VERSION, cuda
from anypair.backends.cuda.ordered_floats import definitions, is_ordered, key_dtype
from anypair.compiling.caching import kept
from anypair.compiling.modules import load_source
from anypair.compiling.prelude import (
    Prelude,
    applied_prelude,
    bound_prelude,
    entry_prelude,
    product_prelude,
    sum_prelude,
)
from anypair.dtypes import DType
from anypair.semiring import (
    TypedBinary,
    TypedMonoid,
    TypedNary,
    TypedSemiring,
    TypedUnary,
)
from anypair.semiring.numba_form import compilable

HERE = Path(__file__).parent
HEADER = """import math

import numpy as np
from numba import cuda

from anypair.backends.cuda import casting, ordered_floats
from anypair.backends.cuda.kernels import compiled, kernel_in_blocks

checked = compiled  # a GPU checks no index

"""

# Templates that need more than what all share.
PARTS = {name: ("block", "folding", name) for name in ("pull", "segments")} | {"columns": ("block",)}


def compiled(function: Any) -> Any:
    """A device function, inlined into the kernel."""
    return cuda.jit(device=True, inline="always")(function)


def kernel_in_blocks(block: int) -> Any:
    """The decorator of kernels that run in blocks of so many threads.

    The compiler is told so, and leaves registers for all of them. Machine code is kept on disk as that
    of `jit` is.
    """

    def kernel(function: Any) -> Any:
        return kept(cuda.jit(launch_bounds=block)(function), _reduced, _rebuilt)

    return kernel


def _reduced(compiled_kernel: Any) -> Any:
    if getattr(compiled_kernel, "launch_config_sensitive", False):  # good for one grid only
        return None
    return compiled_kernel._reduce_states()


def _rebuilt(target_context: Any, content: Any) -> Any:
    return import_module(f"{cuda.__name__}.dispatcher")._Kernel._rebuild(**content)


@lru_cache(maxsize=512)
def product_kernels(template: str, semiring: TypedSemiring, block: int) -> ModuleType:
    """Products of vectors or matrices over this semiring."""
    prelude = product_prelude(semiring)
    prelude.text += f"SUM = np.{_scalar_name(semiring.result)}\n"
    prelude.text += _atomic_sum(semiring.add)
    checked = not (semiring.multiply.op.never_raises and semiring.add.monoid.op.never_raises)
    return _load(template, prelude, block, checked=checked)


@lru_cache(maxsize=512)
def entry_kernels(template: str, op: TypedBinary, block: int) -> ModuleType:
    """Kernels that combine values entry by entry."""
    return _load(template, entry_prelude(op), block, checked=not op.op.never_raises)


@lru_cache(maxsize=512)
def applied_kernels(op: TypedUnary, block: int) -> ModuleType:
    """One operator over all entries."""
    return _load("application", applied_prelude(op), block, checked=not op.op.never_raises)


@lru_cache(maxsize=512)
def bound_kernels(op: TypedBinary, scalar_is_left: bool, block: int) -> ModuleType:
    """A binary operator with one operand fixed, over all values."""
    prelude = bound_prelude(op, scalar_is_left)
    return _load("bound_application", prelude, block, checked=not op.op.never_raises)


@lru_cache(maxsize=512)
def column_kernels(op: TypedNary, block: int) -> ModuleType:
    """An operator of several values, over as many arrays of one length."""
    prelude = Prelude()
    prelude.nary("operate", op)
    columns = [f"column_{number}" for number in range(len(op.operands))]
    text = f"""

@kernel
def combine_columns({", ".join(columns)}, out, finished):
    for p in range(cuda.grid(1), len(out), cuda.gridsize(1)):
        out[p] = operate({", ".join(f"{column}[p]" for column in columns)})
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)
"""
    return _load("columns", prelude, block, checked=not op.op.never_raises, more=text)


@lru_cache(maxsize=512)
def sum_kernels(monoid: TypedMonoid, block: int) -> ModuleType:
    """Sums of values, which are cast to the monoid's domain first."""
    prelude = sum_prelude(monoid)
    prelude.text += f"SUM = np.{_scalar_name(monoid.domain)}\n"
    prelude.constant("FIRST_HIT", monoid.takes_any)
    return _load("segments", prelude, block, checked=not monoid.monoid.op.never_raises)


@lru_cache(maxsize=64)
def plain_kernels(template: str, block: int) -> ModuleType:
    """Kernels without operators."""
    return _load(template, Prelude(), block, checked=False)


def accumulator(dtype: DType) -> DType:
    """The integer that atomics combine values of `dtype` in: they know 32 and 64 bits only."""
    if dtype.kind == "f":
        return key_dtype(dtype)
    if dtype.itemsize == 8:
        return dtype
    return np.dtype(np.uint32 if dtype.kind == "u" else np.int32)


def combines_in_place(monoid: TypedMonoid) -> bool:
    """Whether threads may add up in any order; float sums round, so theirs is fixed."""
    return monoid.sums_are_exact


def _atomic_sum(monoid: TypedMonoid) -> str:
    """The text of combine_at(sums, j, x), to which other threads add at the same time."""
    if not combines_in_place(monoid):
        return ""
    is_float = is_ordered(monoid)
    x = "key_of(x)" if is_float else f"casting.to_{accumulator(monoid.domain)}(x)"
    if monoid.takes_any:
        body = "    sums[j] = x\n"
    elif monoid.selects is not None:
        sign = "<" if monoid.selects == "min" else ">"
        body = f"    if {x} {sign} sums[j]:\n        cuda.atomic.{monoid.selects}(sums, j, {x})\n"
    elif monoid.op.is_addition:
        body = f"    cuda.atomic.add(sums, j, {x})\n"
    else:
        body = (
            "    seen = sums[j]\n"
            "    while True:\n"
            f"        wanted = casting.to_{accumulator(monoid.domain)}(add(seen, x))\n"
            "        if wanted == seen:\n"
            "            break\n"
            "        before = cuda.atomic.cas(sums, j, seen, wanted)\n"
            "        if before == seen:\n"
            "            break\n"
            "        seen = before\n"
        )
    before = definitions(monoid) if is_float else ""
    return f"{before}\n@compiled\ndef combine_at(sums, j, x):\n{body}\n"


def _load(template: str, prelude: Prelude, block: int, *, checked: bool, more: str = "") -> ModuleType:
    definitions = with_checked_division(prelude.text) if checked else prelude.text
    parts = PARTS.get(template, ("block", template))
    source = (
        f"{HEADER}BLOCK = {block}\nkernel = kernel_in_blocks(BLOCK)\nCHECKED = {checked}\n"
        f"{FUNCTIONS if checked else ''}\n{definitions}\n\n" + "\n\n".join(map(_text, parts)) + more
    )
    if not prelude.injected:
        versions = f"numba_cuda {VERSION}"
        name = f"cuda_{template}"
        return load_source(name, source, besides=versions, operators=prelude.operators)
    module = ModuleType(f"anypair_kernels.cuda_{template}")
    module.__dict__.update({name: _with_helpers(f) for name, f in prelude.injected.items()})
    exec(compile(source, f"<{template}>", "exec"), module.__dict__)
    return module


def _with_helpers(function: Any) -> Any:
    return compiled(compilable(function, compiled))


@cache
def _text(name: str) -> str:
    return (HERE / "templates" / f"{name}.py").read_text("utf-8")


def _scalar_name(dtype: DType) -> str:
    return "bool_" if dtype.kind == "b" else str(dtype)
