"""How a product runs, by the product before it: a machine of three states, without arrays.

After the state machines of Hong, Oguntebi and Olukotun (PACT 2011). A search begins in `queue`, where
the CPU lists the entries of the vector. A vector that has grown enough is read as a bitmap, `read`; one
whose edges are worth the way there goes to the GPU, `device`. Thresholds for the way back are lower, so
that a vector that stays about as large does not go to and fro.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from anypair.backends.tuning import Tuning

State: TypeAlias = Literal["queue", "read", "device"]
#: What users may ask for.
METHODS = ("auto", "queue", "read", "device")


@dataclass(frozen=True, slots=True)
class Seen:
    """A vector that is to be multiplied, and the one that the product which made it began with."""

    entries: int
    before: int  # 0 of a vector that no product has made
    places: int
    edges: float  # about as many as its entries have

    @property
    def grew(self) -> bool:
        return self.entries > self.before

    @property
    def shrank(self) -> bool:
        return self.entries < self.before

    def __str__(self) -> str:
        went = "more than" if self.grew else "fewer than" if self.shrank else "as"
        entries = f"{self.entries} of {self.places} entries"
        return f"{entries}, {went} before ({self.before}), {self.edges:.0f} edges"


class Transition(NamedTuple):
    """The next state, and why."""

    state: State
    reason: str


def next_state(state: State, seen: Seen, tuning: Tuning) -> Transition:
    """The state of the product of this vector; that of the product before it is `state`.

    >>> next_state("queue", Seen(600, 30, 1000, 9000.0), Tuning()).state
    'read'
    >>> next_state("read", Seen(600, 700, 1000, 9000.0), Tuning()).state
    'read'
    """
    new = state
    if state == "device":
        if seen.shrank and seen.edges < tuning.device_below:
            new = "queue" if _is_sparse(seen, tuning) else "read"
    elif seen.grew and seen.edges >= tuning.device_from:
        new = "device"
    elif state == "queue" and seen.grew and seen.entries * tuning.read_from >= seen.places > 0:
        new = "read"
    elif state == "read" and seen.shrank and _is_sparse(seen, tuning):
        new = "queue"
    moved = "stays" if new == state else f"from {state}"
    return Transition(new, f"{moved}: {seen}")


def _is_sparse(seen: Seen, tuning: Tuning) -> bool:
    return seen.entries * tuning.queue_below < seen.places
