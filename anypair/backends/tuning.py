"""The numbers that decisions are made with: what a step costs, and from which size on a way pays.

They are measured, not derived. A backend has a `Tuning` of its own (`Backend.tuning`), and may be given
another one: `backend.tuning = replace(backend.tuning, push_masked=2)`.
"""

from dataclasses import dataclass

from anypair.threads.granularity import Granularity


@dataclass(frozen=True)
class Tuning(Granularity):
    """Costs and thresholds, besides those by which work is cut. Here are those of compiled kernels.

    >>> from dataclasses import replace
    >>> replace(Tuning(), small_work=0).small_work
    0
    """

    # Direction (plan.py). Costs are in entries of the matrix that a pull looks at.
    #: An edge that is pushed: where a pull ends at a hit, under a mask, and where neither is so.
    push_ending_early: int = 1
    push_masked: int = 1
    push_all: int = 1
    #: To set up a push takes as long as a pull takes to look at so many entries.
    push_start: int = 256
    #: A pull costs this for each place of the vector, whatever it looks at: 64 share a word.
    pull_per_place: float = 1 / 64
    #: After a pull, the next product is a push only below one entry in so many places; 0: as ever.
    back_to_push: int = 0
    #: The edges of a vector are counted where fewer than one place in so many has an entry.
    counted_share: int = 1
    #: Edges that take longer to push than it takes to look at a sample of rows.
    sampled_from: int = 1 << 16
    #: Making the matrix for the other direction costs as much as pushing all its edges so often.
    turn_cost: int = 0
    #: Entries of a vector whose degrees stand for all, and rows whose probes do.
    sampled_entries: int = 1024
    sampled_rows: int = 256

    # How a push goes over a bitmap (plan.py), in the same unit
    #: To list an entry whose bit is set, or to set the bit of one that is listed.
    list_entry: float = 1.5
    #: To list its value too, or to put it at its place.
    move_value: float = 1.5
    #: To find an entry by its bit while pushing, beyond what it costs to take it from a list.
    read_entry: float = 1.25

    # When a CPU beside a GPU changes its way (hybrid/states.py)
    #: A vector that grew is read as a bitmap from one entry in so many places on,
    read_from: int = 32
    #: and one that shrank is listed again below one in so many.
    queue_below: int = 64
    #: A vector that grew goes to the GPU from so many edges on,
    device_from: float = 1 << 20
    #: and one that shrank comes back below so many.
    device_below: float = 1 << 18

    #: A bucket of a closure is as wide as so many edges are on average, if vertices have one each; with
    #: more edges it has more vertices, and these more to do in vain: it is narrower by the square.
    bucket_width: float = 16.0

    # Forms of a vector: one entry in so many places
    #: Below it, what a product finds is listed; from it on, it stays a bitmap.
    listed_below: int = 16
    #: From it on, a vector that is written to becomes a bitmap.
    bitmap_from: int = 64
    #: Entries fewer by this factor are looked up one by one instead of merging two lists.
    probed_if_fewer: int = 8
    #: Entries of all lists together that are not worth thinking about.
    short_lists: int = 4096
    #: Results that are so few at most are listed without being counted before.
    uncounted: int = 4096
    #: Places below which fresh memory is at hand.
    pooled_from: int = 4096
    #: Entries of a row on average, from which the first four of each may be kept twice.
    row_prefix_from: int = 24
