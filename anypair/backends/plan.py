"""What is decided about a product before it runs: from facts of its semiring, and from a few numbers.

A push goes from the entries of the vector along their edges; a pull goes from each result that is
wanted along its edges back to the vector. Which one looks at fewer entries is decided here for `jit`,
`cuda`, `suitesparse` and `mpi`, by one model of cost. (`streamed` counts what it has to read, and `list`
has no choice.) No arrays: a backend fills in `Work`, and what costs time to find out is a method of it,
which is asked only where the answer depends on it.

A push goes over the entries of a bitmap in one of two ways (Hong, Oguntebi and Olukotun, PACT 2011):
it makes a list of them first, the queue, or it reads the words. That, too, is decided here.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol, TypeAlias

from anypair.backends.tuning import Tuning
from anypair.dtypes import BOOL, Scalar
from anypair.semiring import TypedSemiring

Direction: TypeAlias = Literal["push", "pull"]
Frontier: TypeAlias = Literal["queue", "read"]
#: What users may ask for.
DIRECTIONS = ("auto", "push", "pull")
FRONTIERS = ("auto", "queue", "read")


class Work(Protocol):
    """A product of a vector and a matrix, as far as the choice of its direction depends on it."""

    @property
    def entries(self) -> int:
        """How many entries the vector has."""

    @property
    def places(self) -> int:
        """How many it could have."""

    @property
    def nvals(self) -> int:
        """How many entries the matrix has."""

    @property
    def masked(self) -> bool:
        """Whether there is a mask."""

    def open_rows(self) -> tuple[int, int]:
        """How many results there could be, and how many of these the mask leaves."""

    def covers(self) -> bool:
        """Whether the vector is known to have an entry wherever an edge begins."""

    def longest(self) -> int | None:
        """The largest number of edges that an entry of the vector may have, if that is known."""

    def edges(self) -> float | None:
        """How many edges the entries of the vector have, about, if they can be counted."""

    def probes(self) -> float | None:
        """How many entries a pull that ends at a hit looks at, by a sample, if one can be taken."""

    @property
    def after_pull(self) -> bool:
        """Whether the vector was found by a pull."""

    @property
    def missing(self) -> Direction | None:
        """The direction for which the matrix is not at hand, and is not simply made."""

    @property
    def detour(self) -> float:
        """The cost so far of products that went the other way for that reason."""


class Entries(Protocol):
    """The entries of a vector that is pushed, as far as the way to go over them depends on them."""

    @property
    def entries(self) -> int:
        """How many entries the vector has."""

    @property
    def places(self) -> int:
        """How many it could have."""

    @property
    def listed(self) -> bool:
        """Whether there is a list of them, and of their values if these are read."""

    @property
    def has_words(self) -> bool:
        """Whether there is a bitmap of them."""

    @property
    def has_values_by_place(self) -> bool:
        """Whether a value can be found by its place."""


class Ways(NamedTuple):
    """How the entries of a vector are met, and what the plan expects of either way."""

    frontier: Frontier
    queue: float
    read: float

    def __str__(self) -> str:
        return f"queue {self.queue:.0f}, read {self.read:.0f}"


class Choice(NamedTuple):
    """A direction, and what it costs if the other one is better but its matrix is not at hand."""

    direction: Direction
    detour: float


PUSH, PULL = Choice("push", 0.0), Choice("pull", 0.0)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a typed semiring needs and allows. `plan_for` makes it, once for each semiring."""

    reads_edges: bool  # whether multiply looks at the entries of the matrix
    reads_values: bool  # and at those of the vector
    first_hit: bool  # the first term in the order of the index is the sum
    constant: Scalar | None  # what every sum is, whatever it is made of
    exact: bool  # sums are the same in any order
    ends_early: bool  # a pull ends at the first hit, or soon

    def direction(self, work: Work, tuning: Tuning) -> Choice:
        """The direction that is expected to cost less, or the other one if that cannot be had yet."""
        nvals, missing = work.nvals, work.missing
        if not nvals:
            return PUSH  # there is nothing to look at
        better = PUSH if self._pushes(work, tuning, nvals, missing) else PULL
        if missing != better.direction:
            return better
        taken: Direction = "pull" if better is PUSH else "push"
        cost = _whole_rows(work, tuning) if better is PUSH else _mean_edges(work)
        return better if work.detour + cost >= tuning.turn_cost * nvals else Choice(taken, cost)

    def frontier(self, given: Entries, tuning: Tuning) -> Ways:
        """Whether a push makes a list of the entries of a bitmap, or reads its words."""
        entries, words = given.entries, given.places * tuning.pull_per_place
        values = entries * tuning.move_value if self.reads_values else 0.0
        queue = 0.0 if given.listed else words + entries * tuning.list_entry + values
        read = words + entries * tuning.read_entry  # all threads at a time, where one makes the list
        if not given.has_words:
            read += words + entries * tuning.list_entry
        if not given.has_values_by_place:
            read += values
        return Ways("read" if read < queue else "queue", queue, read)

    def _pushes(self, work: Work, tuning: Tuning, nvals: int, missing: Direction | None) -> bool:
        masked, early = work.masked, self.ends_early
        if not masked and work.covers():
            return False  # every edge is looked at either way, and a pull keeps its sums in registers
        entries, places = work.entries, work.places
        if tuning.back_to_push and work.after_pull and (masked or early):
            return entries * tuning.back_to_push <= places
        rows, wanted = work.open_rows()
        start = tuning.push_start if missing is None else 0
        searched = wanted * nvals
        fixed = tuning.pull_per_place * places - start
        # More edges make a push dearer and, as hits come sooner, a pull cheaper. So if a pull costs less
        # with no edges, or a push with as many as there can be, it does with any number.
        if searched / rows + fixed < 0:
            return False
        if early:
            price = tuning.push_ending_early
        else:
            price = tuning.push_masked if masked else tuning.push_all
        model = (price, rows, searched, fixed, early)
        # A pull may be cheaper than it seems: hits come early if rows begin with hubs.
        in_doubt = max(tuning.sampled_from, wanted) if early else nvals
        most = min(entries * rows, nvals)
        if most <= in_doubt and _push_costs_less(most, *model):
            return True
        if (longest := work.longest()) is not None:
            most = entries * longest
            if most <= in_doubt and _push_costs_less(most, *model):
                return True
        edges = work.edges() if entries * tuning.counted_share < places else None
        if edges is None:
            edges = _mean_edges(work)
        if not _push_costs_less(edges, *model):
            return False
        if edges > in_doubt and (probes := work.probes()) is not None:
            return edges * price + start <= probes
        return True


def _push_costs_less(
    edges: float, price: int, rows: int, searched: int, fixed: float, ends_early: bool
) -> bool:
    """Whether a push along so many edges costs less than a pull, in which `searched` / rows entries lie.

    A pull searches a row to its end, unless a hit ends it: that comes after nvals / edges entries or
    so, where vertices are numbered at random.
    """
    chances = edges if ends_early and edges > rows else rows
    return edges * price <= searched / chances + fixed


def _whole_rows(work: Work, tuning: Tuning) -> float:
    """What a pull costs that searches all wanted rows to their ends."""
    rows, wanted = work.open_rows()
    return wanted * work.nvals / rows + tuning.pull_per_place * work.places


def _mean_edges(work: Work) -> float:
    """How many edges so many entries have, if they have as many as others."""
    return work.nvals * work.entries / work.places


@lru_cache(maxsize=512)
def plan_for(semiring: TypedSemiring) -> Plan:
    """The plan of every product over this semiring.

    >>> from anypair.dtypes import BOOL, INT64
    >>> from anypair.semiring import any_pair
    >>> plan = plan_for(any_pair.typed(BOOL, INT64))
    >>> plan.reads_edges, plan.reads_values, plan.first_hit, plan.constant
    (False, False, True, True)
    """
    op, ends_at = semiring.multiply.op, semiring.stops_at
    return Plan(
        reads_edges=op.reads_left,
        reads_values=op.reads_right,
        first_hit=semiring.first_term_decides,
        constant=semiring.constant,
        exact=semiring.sums_are_exact,
        ends_early=semiring.first_term_decides or (ends_at is not None and semiring.result == BOOL),
    )
