"""How finely work is cut: sizes from which parts, threads and steps pay."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Granularity:
    """Sizes in entries, measured on CPUs.

    >>> Granularity(small_work=0).small_work
    0
    """

    #: Below it, handing work to another thread costs more than it saves.
    small_work: int = 1 << 15
    #: From it on, pieces are small, so that one that takes long holds nobody up.
    even_work: int = 1 << 19
    #: A piece has no more: Ctrl-C has its way between two of them.
    at_once: int = 1 << 24
    #: Edges from which a push is worth several threads.
    push_in_parts: int = 1 << 16
    #: Multiplications of a product of matrices that are held in memory at once.
    flops_at_once: int = 1 << 22
    #: Places that are summed in one block, a multiple of 64; the same for any number of threads, and so
    #: is rounding.
    folded_at_once: int = 1 << 16
    #: Entries that fit into a core's cache, sorted ones and unsorted ones.
    sorted_at_once: int = 1 << 16


class Tuned(Protocol):
    """What knows how finely its work is to be cut, which may change from call to call: a backend."""

    @property
    def tuning(self) -> Granularity: ...


class Untuned:
    """Work of nobody in particular is cut as measured."""

    tuning = Granularity()
