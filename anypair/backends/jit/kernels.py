"""Kernels for typed operators: the text of each operator with its casts, then the template.

Element-wise loops have no template: `loops.py` writes them.
"""

import re
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType

from anypair.compiling.modules import load_source
from anypair.compiling.prelude import Prelude, entry_prelude, order_of_values, product_prelude
from anypair.semiring import TypedBinary, TypedMonoid, TypedSemiring

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
    """push and pull over this semiring; flipped: value before edge."""
    return _load(template, product_prelude(semiring, flipped=flipped))


@lru_cache(maxsize=512)
def matrix_product_kernels(semiring: TypedSemiring) -> ModuleType:
    """The products of matrices over this semiring."""
    return _load("product_of_matrices", product_prelude(semiring, placed=True))


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


@lru_cache(maxsize=16)
def plain_kernels(template: str, valued: bool = True) -> ModuleType:
    """Kernels without operators."""
    prelude = Prelude()
    prelude.constant("VALUED", valued)
    return _load(template, prelude)


def _load(template: str, prelude: Prelude) -> ModuleType:
    source = f"{HEADER}{prelude.text}\n\n{template_text(template)}"
    return load_source(
        template, source, prelude.injected, operators=prelude.operators, interpreted=prelude.is_ours
    )


@cache
def template_text(name: str) -> str:
    """The text of a template."""
    return with_parts((TEMPLATES / f"{name}.py").read_text("utf-8"))


def with_parts(text: str) -> str:
    """The text of kernels, with the loops that take parts written out."""
    text, loops = PARTS.subn(LOOP, text)
    return f"from anypair.threads.parts import next_part\n\n{text}" if loops else text
