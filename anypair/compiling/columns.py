"""Operators of several values over arrays of one length, which are combined value by value."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from anypair.compiling.modules import load_source
from anypair.compiling.prelude import Prelude
from anypair.dtypes import Array
from anypair.errors import OperatorError
from anypair.semiring import TypedNary
from anypair.semiring.numba_form import refusal

CALLS = 1 << 16  # looked at before giving up, where one has raised
HEADER = """import math

import numpy as np

from anypair.compiling import casting
from anypair.compiling.caching import checked, compiled, kernel

"""
Runs = Callable[..., object]  # a kernel, with its arguments, over a range of so many


@lru_cache(maxsize=512)
def column_kernel(op: TypedNary) -> Any:
    """run(begin, end, *columns, out): op of the values at each place from begin to end."""
    prelude = Prelude(wide=True)
    prelude.nary("operate", op)
    columns = [f"column_{number}" for number in range(len(op.operands))]
    values = ", ".join(f"{column}[p]" for column in columns)
    source = f"""{HEADER}{prelude.text}
@kernel
def run(begin, end, {", ".join(columns)}, out):
    for p in range(begin, end):
        out[p] = operate({values})
"""
    module: Any = load_source("columns", source, prelude.injected, operators=prelude.operators)
    return module.run


def over_columns(backend: str, op: TypedNary, columns: Sequence[Array], over: Runs) -> Array:
    """op of the values at each place, in pieces as `over(count, kernel, *arguments)` cuts them."""
    given = [np.ascontiguousarray(column) for column in columns]
    out = np.empty(len(given[0]), op.result)
    try:
        over(len(out), column_kernel(op), *given, out)
    except MemoryError:
        raise
    except Exception as error:  # not all that Numba raises are its own errors
        for values in islice(zip(*(column[:CALLS].tolist() for column in given), strict=True), CALLS):
            op(*values)  # the first for which it raises says so
        raise OperatorError(refusal(repr(op.op.name), backend, error), operator=op.op.name) from None
    return out


def at_once(count: int, kernel: Callable[..., object], *arguments: Any) -> None:
    """All of it in one piece."""
    kernel(0, count, *arguments)
