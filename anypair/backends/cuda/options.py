"""What `using("cuda", ...)` may set."""

from collections.abc import Mapping
from typing import Any

from anypair.backends.cuda.pushing import STRATEGIES
from anypair.backends.options import Option, is_whole
from anypair.backends.plan import DIRECTIONS


def _is_block(value: Any) -> bool:
    return is_whole(value, 0) and value <= 1024 and value & (value - 1) == 0


OPTIONS: Mapping[str, Option] = {
    "device": Option(0, lambda x: is_whole(x, 0), "is not the number of a GPU"),
    "direction": Option(
        "auto", lambda x: x in DIRECTIONS, f"is not one of {DIRECTIONS}", execution=True
    ),
    "strategy": Option(
        "balanced", lambda x: x in STRATEGIES, f"is not one of {STRATEGIES}", execution=True
    ),
    "block": Option(
        0, _is_block, "is not a power of two up to 1024, the threads of a block, or 0 for the default"
    ),
    "buffer": Option(
        1 << 24,
        lambda x: is_whole(x, 1) and x < 2**31,
        "is not how many results a push may list at a time, from 1 to 2**31 - 1",
        execution=True,
    ),
    "memory_limit": Option(0, lambda x: is_whole(x, 0), "is not a number of bytes, or 0 for no limit"),
}
