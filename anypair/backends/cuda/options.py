"""What `using("cuda", ...)` may set, with the defaults, and what is right for each."""

from collections.abc import Callable
from typing import Any

from anypair.backends.cuda.pushing import STRATEGIES
from anypair.backends.jit.direction import DIRECTIONS
from anypair.errors import UnknownOption

DEFAULTS: dict[str, Any] = {
    "device": 0,
    "direction": "auto",
    "strategy": "balanced",
    "block": 0,
    "buffer": 1 << 24,
    "memory_limit": 0,
}


def _is_count(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_block(value: Any) -> bool:
    return _is_count(value, 0) and value <= 1024 and value & (value - 1) == 0


CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "device": (lambda x: _is_count(x, 0), "the number of a GPU"),
    "direction": (lambda x: x in DIRECTIONS, f"one of {DIRECTIONS}"),
    "strategy": (lambda x: x in STRATEGIES, f"one of {STRATEGIES}"),
    "block": (_is_block, "a power of two up to 1024, the threads of a block, or 0 for the default"),
    "buffer": (
        lambda x: _is_count(x, 1) and x < 2**31,
        "how many results a push may list at a time, from 1 to 2**31 - 1",
    ),
    "memory_limit": (lambda x: _is_count(x, 0), "a number of bytes, or 0 for no limit"),
}


def check(options: dict[str, Any]) -> None:
    """Raise `UnknownOption` for a value that an option cannot take."""
    for name, value in options.items():
        is_right, wanted = CHECKS[name]
        if not is_right(value):
            raise UnknownOption(f"backend 'cuda': {name}={value!r} is not {wanted}")
