"""What stands before the text of a kernel: names for people and tools that read a template alone.

`prelude.py` writes their definitions for the operators at hand. There is no such module to import.
"""

from collections.abc import Iterator
from typing import Any

from anypair.compiling.caching import compiled as compiled
from anypair.compiling.caching import kernel as kernel

def multiply(edge: Any, value: Any, k: Any, *place: Any) -> Any:
    """A product: a term of a sum, of the dtype in which terms are added; some kernels tell the place."""

def add(x: Any, y: Any) -> Any:
    """The sum of two terms."""

def as_term(x: Any) -> Any:
    """A value as the dtype in which terms are added."""

ANY: bool
"""Whether any term will do for the sum."""

FIRST_HIT: bool
"""Whether the first term is the sum, as terms come in the order of k."""

CONSTANT: bool
"""Whether all sums are one value, which nobody has to write."""

COUNTED: bool
"""Whether a sum is the number of its terms times TERM."""

TERM: Any
"""What each term is, if sums are counted."""

STOPS: bool
"""Whether there is a value that no further term changes."""

TERMINAL: Any
"""That value."""

LEAST: bool
"""Whether a sum is the least of its terms; else it is the greatest."""

WORST: Any
"""The term that no sum needs: the identity."""

def combine(x: Any, y: Any) -> Any:
    """What becomes of two values at one place."""

def only_left(x: Any) -> Any:
    """What becomes of a value of the left operand where the right one has none."""

def only_right(y: Any) -> Any:
    """What becomes of a value of the right operand where the left one has none."""

def operate(x: Any, *more: Any) -> Any:
    """An operator of one value: operate(x, i, j), or operate(x, scalar) if one operand is fixed."""

VALUED: bool
"""Whether entries have values that differ."""

def parts(header: Any, begin: Any, end: Any) -> Iterator[tuple[Any, Any, Any]]:
    """The parts of begin to end that this thread takes (`next_part`): their numbers, begins and ends.

    For kernels of jit, as `for part, low, high in parts(header, begin, end):`, or with `_part`: the
    loop is written out when the text of a kernel is put together.
    """
