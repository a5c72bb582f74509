"""Compiled walks along lists, for each semiring."""

from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType

from anypair.compiling.modules import load_source
from anypair.compiling.prelude import Prelude, product_prelude
from anypair.semiring import TypedSemiring

TEMPLATES = Path(__file__).parent / "templates"
HEADER = """import math

import numpy as np

from anypair.compiling import casting
from anypair.compiling.caching import checked, compiled, kernel

"""


@lru_cache(maxsize=512)
def walking_kernels(semiring: TypedSemiring) -> ModuleType:
    """Products over this semiring."""
    return _load("walking", product_prelude(semiring, placed=True))


@cache
def linking_kernels() -> ModuleType:
    """Lists of edges."""
    return _load("linking", Prelude())


def _load(template: str, prelude: Prelude) -> ModuleType:
    text = (TEMPLATES / f"{template}.py").read_text("utf-8")
    source = f"{HEADER}{prelude.text}\n\n{text}"
    return load_source(f"list_{template}", source, prelude.injected, operators=prelude.operators)
