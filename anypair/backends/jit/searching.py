"""Binary search, to be compiled with what calls it."""

from typing import Any


def lower_bound(j: Any, indices: Any, low: Any, high: Any) -> Any:
    """The first place of the sorted indices[low:high] that is not below j."""
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < j:
            low = middle + 1
        else:
            high = middle
    return low
