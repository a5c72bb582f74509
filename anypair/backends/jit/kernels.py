"""Kernels for typed operators: the text of each operator with its casts, then the template."""

import re
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType

from anypair.compiling.modules import load_source
from anypair.compiling.prelude import (
    Prelude,
    applied_prelude,
    bound_prelude,
    entry_prelude,
    order_of_values,
    product_prelude,
    sum_prelude,
)
from anypair.semiring import TypedBinary, TypedMonoid, TypedSemiring, TypedUnary

TEMPLATES = Path(__file__).parent / "templates"
HEADER = """import math

import numpy as np

from anypair.compiling import casting
from anypair.compiling.caching import checked, compiled, kernel

"""


#: How a kernel takes its parts, and the loop that is written for it: a generator takes long to compile.
PARTS = re.compile(r"^( *)for (_?part), low, high in parts\(header, begin, end\):$", re.MULTILINE)
LOOP = r"""\1\2 = -1
\1while True:
\1    \2, low, high = next_part(header, begin, end, \2)
\1    if low == high:
\1        break"""


@lru_cache(maxsize=512)
def product_kernels(template: str, semiring: TypedSemiring, flipped: bool = False) -> ModuleType:
    """push and pull, or the products of matrices, over this semiring; flipped: value before edge."""
    return _load(template, product_prelude(semiring, flipped=flipped))


@lru_cache(maxsize=512)
def closure_kernels(template: str, semiring: TypedSemiring) -> ModuleType:
    """Closures over this semiring, by a way of their own."""
    prelude = product_prelude(semiring)
    order_of_values(prelude, semiring.add)
    return _load(template, prelude)


@lru_cache(maxsize=512)
def component_kernels(monoid: TypedMonoid) -> ModuleType:
    """Sums over components."""
    prelude = Prelude()
    order_of_values(prelude, monoid)
    return _load("components", prelude)


@lru_cache(maxsize=512)
def entry_kernels(template: str, op: TypedBinary) -> ModuleType:
    """Kernels that combine values entry by entry."""
    return _load(template, entry_prelude(op))


@lru_cache(maxsize=512)
def applied_kernels(op: TypedUnary) -> ModuleType:
    """One operator over all entries."""
    return _load("application", applied_prelude(op))


@lru_cache(maxsize=512)
def bound_kernels(op: TypedBinary, scalar_is_left: bool) -> ModuleType:
    """A binary operator with one operand fixed, over all values."""
    return _load("bound_application", bound_prelude(op, scalar_is_left))


@lru_cache(maxsize=512)
def sum_kernels(monoid: TypedMonoid) -> ModuleType:
    """Sums of values, which are cast to the monoid's domain first."""
    return _load("reduction", sum_prelude(monoid))


@lru_cache(maxsize=16)
def plain_kernels(template: str, valued: bool = True) -> ModuleType:
    """Kernels without operators."""
    prelude = Prelude()
    prelude.constant("VALUED", valued)
    return _load(template, prelude)


def _load(template: str, prelude: Prelude) -> ModuleType:
    source = f"{HEADER}{prelude.text}\n\n{_template(template)}"
    return load_source(template, source, prelude.injected, operators=prelude.operators)


@cache
def _template(name: str) -> str:
    """The text of a template, with the loops that take parts written out."""
    text, loops = PARTS.subn(LOOP, (TEMPLATES / f"{name}.py").read_text("utf-8"))
    return f"from anypair.threads.parts import next_part\n\n{text}" if loops else text
