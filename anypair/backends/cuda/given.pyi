"""What stands before the text of a kernel for GPUs, besides what all kernels are given.

`kernels.py` writes their definitions for the operators at hand. There is no such module to import.
"""

from typing import Any

from anypair.backends.cuda.kernels import compiled as compiled
from anypair.compiling.given import ANY as ANY
from anypair.compiling.given import FIRST_HIT as FIRST_HIT
from anypair.compiling.given import STOPS as STOPS
from anypair.compiling.given import TERMINAL as TERMINAL
from anypair.compiling.given import add as add
from anypair.compiling.given import as_term as as_term
from anypair.compiling.given import combine as combine
from anypair.compiling.given import multiply as multiply
from anypair.compiling.given import only_left as only_left
from anypair.compiling.given import only_right as only_right
from anypair.compiling.given import operate as operate

def kernel(function: Any) -> Any:
    """The decorator of kernels that run in blocks of BLOCK threads."""

BLOCK: int
"""Threads of a block."""

CHECKED: bool
"""Whether an operator may raise, so that threads say when they have come to their end."""

SUM: Any
"""The dtype of sums."""

def combine_at(sums: Any, j: Any, x: Any) -> None:
    """Add x to sums[j], whoever else does so at the same time."""

def float_of(key: Any) -> Any:
    """The float of an integer that stands for it in the order of floats."""
