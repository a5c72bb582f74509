"""What has to hold of `anypair/backends/plan.py`, as functions of that module: a changed one fails some.

No backend and no array: work is a few numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from anypair import MAX, MIN, Semiring, binary_op, monoid
from anypair.backends.tuning import Tuning
from anypair.dtypes import BOOL, FLOAT64, INT64
from anypair.semiring import (
    any_pair,
    any_second,
    any_source,
    lor_land,
    max_plus,
    min_plus,
    min_select,
    min_source,
    plus_times,
    xor_land,
)

Check = Callable[[ModuleType], None]
CHECKS: list[Check] = []


def check(function: Check) -> Check:
    CHECKS.append(function)
    return function


@dataclass
class Numbers:
    """Work of which everything is known; notes which questions were asked."""

    entries: int = 10
    places: int = 1000
    nvals: int = 20_000
    masked: bool = True
    rows: int = 1000
    wanted: int = 990
    is_covering: bool = False
    degree: int | None = None
    counted: float | None = None
    probed: float | None = None
    after_pull: bool = False
    missing: Any = None
    detour: float = 0.0
    asked: list[str] = field(default_factory=list)

    def open_rows(self) -> tuple[int, int]:
        return self.rows, self.wanted

    def covers(self) -> bool:
        self.asked.append("covers")
        return self.is_covering

    def longest(self) -> int | None:
        self.asked.append("longest")
        return self.degree

    def edges(self) -> float | None:
        self.asked.append("edges")
        return self.counted

    def probes(self) -> float | None:
        self.asked.append("probes")
        return self.probed


PLAIN = Tuning(push_start=0, pull_per_place=0)
COSTLY = replace(
    PLAIN,
    push_ending_early=8,
    push_masked=4,
    pull_per_place=1,
    back_to_push=512,
    counted_share=8,
    turn_cost=2,
)


@binary_op(result=int)
def raising(edge, value):  # type: ignore[no-untyped-def]
    raise ValueError("never")


@binary_op(result=int)
def double(edge, value):  # type: ignore[no-untyped-def]
    return 2 * value


@monoid(identity=MAX, terminal=MIN, result=int)
def smallest(x, y):  # type: ignore[no-untyped-def]
    return x if x < y else y


RAISING = Semiring(any_pair.add, raising)
SMALLEST_DOUBLE = Semiring(smallest, double)


def plan(module: ModuleType, semiring: Semiring = plus_times, edge: Any = INT64) -> Any:
    return module.plan_for(semiring.typed(edge, INT64))


def way(
    module: ModuleType, work: Numbers, semiring: Semiring = plus_times, tuning: Tuning = PLAIN
) -> Any:
    return plan(module, semiring).direction(work, tuning).direction


def expect(module: ModuleType, expected: str, **numbers: Any) -> None:
    """Where a pull has to look at whole rows."""
    assert way(module, Numbers(**numbers)) == expected, numbers


# Which facts


@check
def what_is_read(m: ModuleType) -> None:
    facts = {s.name: plan(m, s) for s in (any_pair, min_source, min_select, plus_times)}
    assert [(p.reads_edges, p.reads_values) for p in facts.values()] == [
        (False, False),
        (False, False),
        (False, True),
        (True, True),
    ]


@check
def where_a_sum_ends(m: ModuleType) -> None:
    assert plan(m, any_second).first_hit
    assert plan(m, min_source).first_hit
    assert not plan(m, min_select).first_hit
    assert not plan(m, plus_times).first_hit
    booleans = m.plan_for(lor_land.typed(BOOL, BOOL))
    assert booleans.ends_early
    assert not booleans.first_hit
    assert not m.plan_for(xor_land.typed(BOOL, BOOL)).ends_early
    early = {s.name: plan(m, s).ends_early for s in (any_pair, min_source, min_select, plus_times)}
    assert early == {"any_pair": True, "min_source": True, "min_select": False, "plus_times": False}


@check
def which_sums_round(m: ModuleType) -> None:
    assert plan(m, plus_times).exact
    floats = {
        s.name: m.plan_for(s.typed(FLOAT64, FLOAT64)).exact for s in (plus_times, min_plus, max_plus)
    }
    assert floats == {"plus_times": False, "min_plus": True, "max_plus": True}
    assert m.plan_for(any_second.typed(FLOAT64, FLOAT64)).exact


@check
def one_value_for_all_sums(m: ModuleType) -> None:
    assert plan(m, any_pair).constant == 1
    for semiring in (any_source, any_second, min_source, plus_times):
        assert plan(m, semiring).constant is None, semiring


@check
def an_operator_that_raises_gives_no_constant(m: ModuleType) -> None:
    assert plan(m, RAISING).constant is None


@check
def plans_are_made_once(m: ModuleType) -> None:
    assert plan(m, min_source) is plan(m, min_source)


@check
def a_users_operator_has_a_plan(m: ModuleType) -> None:
    made = plan(m, SMALLEST_DOUBLE)
    assert (made.reads_edges, made.reads_values, made.first_hit) == (False, True, False)


# The model


@check
def nothing_to_look_at(m: ModuleType) -> None:
    for rows in (0, 5):
        work = Numbers(
            entries=5, places=5, nvals=0, rows=rows, wanted=rows, masked=False, is_covering=True
        )
        assert way(m, work) == "push"
        assert not work.asked
        assert way(m, replace(work, missing="push"), tuning=COSTLY) == "push"
    expect(m, "push", entries=0, counted=0.0)
    expect(m, "push", entries=0, places=0, nvals=1, rows=1, wanted=1)


@check
def whole_rows(m: ModuleType) -> None:
    """200 wanted rows of 20 entries each are 4,000 entries."""
    expect(m, "push", wanted=200, counted=4000.0, entries=700)
    expect(m, "pull", wanted=200, counted=4001.0, entries=700)
    expect(m, "push", wanted=201, counted=4001.0, entries=700)
    expect(m, "pull", wanted=0, counted=1.0)
    expect(m, "pull", wanted=200, rows=2000, counted=2001.0, entries=700)  # of 10 entries each


@check
def rows_that_end_at_a_hit(m: ModuleType) -> None:
    """With 4,000 edges of 20,000, every fifth entry is a hit: 800 rows look at 4,000 entries."""
    hits = {"entries": 700, "counted": 4000.0}
    assert way(m, Numbers(wanted=800, **hits), min_source) == "push"  # type: ignore[arg-type]
    assert way(m, Numbers(wanted=799, **hits), min_source) == "pull"  # type: ignore[arg-type]
    assert way(m, Numbers(wanted=799, **hits), min_select) == "push"  # type: ignore[arg-type]
    # Fewer edges than rows: most rows have no hit and are searched to their ends.
    assert way(m, Numbers(wanted=45, entries=700, counted=900.0), min_source) == "push"
    assert way(m, Numbers(wanted=44, entries=700, counted=900.0), min_source) == "pull"
    # The number of rows is where the one rule meets the other.
    for counted in (999.0, 1000.0, 1001.0):
        assert way(m, Numbers(wanted=51, entries=700, counted=counted), min_source) == "push"
        assert way(m, Numbers(wanted=49, entries=700, counted=counted), min_source) == "pull"


@check
def all_edges_without_a_mask(m: ModuleType) -> None:
    full = Numbers(entries=1000, wanted=1000, masked=False, is_covering=True)
    assert way(m, full) == "pull"
    assert full.asked == ["covers"]
    assert way(m, replace(full, is_covering=False, asked=[])) == "push"
    masked = replace(full, masked=True, asked=[])
    assert way(m, masked) == "push"
    assert "covers" not in masked.asked


@check
def without_counting(m: ModuleType) -> None:
    """Nobody counts what cannot change the answer."""
    work = Numbers(entries=2, nvals=4000, wanted=990)  # at most 2,000 edges against 3,960
    assert way(m, work) == "push"
    assert not work.asked
    work = Numbers(entries=100, degree=180, wanted=900)  # at most 18,000 edges against 18,000
    assert way(m, work) == "push"
    assert work.asked == ["longest"]
    work = Numbers(entries=100, degree=181, wanted=900, counted=10.0)
    assert way(m, work) == "push"
    assert work.asked == ["longest", "edges"]
    work = Numbers(entries=999, degree=10**6, wanted=1000, counted=1e9, nvals=20_000)
    assert way(m, work) == "push"
    assert not work.asked


@check
def degrees_bound_early_ends_too(m: ModuleType) -> None:
    """As hits come sooner with more edges, the largest number of edges is what settles it."""
    work = Numbers(entries=100, degree=44, wanted=990)  # 4,400 edges against 990 * 20,000 / 4,400
    assert way(m, work, min_source) == "push"
    assert work.asked == ["longest"]
    work = Numbers(entries=100, degree=45, wanted=990, counted=4500.0)  # 4,500 against 4,400
    assert way(m, work, min_source) == "pull"
    assert work.asked == ["longest", "edges"]


@check
def the_mean_stands_for_a_count(m: ModuleType) -> None:
    """Where nothing can be counted, or so much that it is not worth it."""
    work = Numbers(entries=198, wanted=198, places=1000)  # 3,960 edges against 3,960
    assert way(m, work) == "push"
    assert work.asked == ["longest", "edges"]
    assert way(m, replace(work, entries=199)) == "pull"
    half = Numbers(entries=198, wanted=198, places=2000)  # 1,980 edges
    assert way(m, half) == "push"
    assert way(m, replace(half, wanted=98)) == "pull"
    full = Numbers(entries=1000, wanted=500, counted=1.0)
    assert way(m, full) == "pull"
    assert "edges" not in full.asked
    assert way(m, replace(full, entries=999)) == "push"
    share = replace(PLAIN, counted_share=8)
    many = Numbers(entries=125, wanted=100, counted=1.0)
    assert way(m, many, tuning=share) == "pull"
    assert "edges" not in many.asked
    assert way(m, replace(many, entries=124), tuning=share) == "push"


@check
def a_sample_settles_doubts(m: ModuleType) -> None:
    """Whether rows begin with hubs is not known from counts."""
    tuning = replace(PLAIN, sampled_from=3000)
    doubtful = Numbers(entries=700, wanted=990, counted=4000.0, degree=1000, probed=3999.0)
    assert way(m, doubtful, min_source, tuning) == "pull"
    assert doubtful.asked[-1] == "probes"
    assert way(m, replace(doubtful, probed=4000.0), min_source, tuning) == "push"
    assert way(m, replace(doubtful, probed=None), min_source, tuning) == "push"
    sure = (
        (doubtful, min_select, tuning),  # has to look at everything
        (doubtful, min_source, replace(tuning, sampled_from=4000)),  # few edges
        (replace(doubtful, wanted=4000, rows=5000), min_source, tuning),  # each row costs one entry
    )
    for work, semiring, numbers in sure:
        work = replace(work, asked=[])
        assert way(m, work, semiring, numbers) == "push"
        assert "probes" not in work.asked
    assert way(m, replace(doubtful, wanted=3999, rows=5000), min_source, tuning) == "pull"


@check
def a_bound_is_no_answer_where_a_sample_may_be(m: ModuleType) -> None:
    tuning = replace(PLAIN, sampled_from=3000)
    work = Numbers(entries=100, wanted=990, degree=40, nvals=200_000, counted=3500.0, probed=10.0)
    assert way(m, work, min_source, tuning) == "pull"
    assert way(m, replace(work, counted=2900.0), min_source, tuning) == "push"
    assert way(m, replace(work, entries=4, degree=None), min_source, tuning) == "pull"
    for most, asked in ((Numbers(entries=3), []), (Numbers(entries=100, degree=30), ["longest"])):
        work = replace(most, wanted=990, nvals=200_000)  # no more than can be pushed without a doubt
        assert way(m, work, min_source, tuning) == "push"
        assert work.asked == asked
    few = Numbers(
        entries=10, wanted=490, rows=5000, degree=400, nvals=200_000, counted=4000.0, probed=10.0
    )
    assert way(m, few, min_source, tuning) == "pull"  # more edges than wanted rows, if not than rows


# With other costs


@check
def a_push_that_costs_more(m: ModuleType) -> None:
    """A pull costs 20 for each wanted row, and 1 for each place."""
    tuning = replace(COSTLY, counted_share=1)
    for semiring, limit in ((min_select, 5200 // 4), (plus_times, 5200 // 4)):
        assert way(m, Numbers(wanted=210, counted=limit, entries=700), semiring, tuning) == "push"
        assert way(m, Numbers(wanted=210, counted=limit + 1, entries=700), semiring, tuning) == "pull"
    assert way(m, Numbers(wanted=210, counted=650, entries=700), min_source, tuning) == "push"
    assert way(m, Numbers(wanted=210, counted=651, entries=700), min_source, tuning) == "pull"
    plain = Numbers(wanted=1000, counted=19_000.0, entries=900, masked=False)
    assert way(m, plain, tuning=tuning) == "push"
    assert way(m, plain, tuning=replace(tuning, push_all=2)) == "pull"
    assert way(m, replace(plain, counted=2700.0), min_source, tuning) == "pull"  # 8 each, mask or none
    sampled = replace(COSTLY, sampled_from=100, counted_share=1)
    doubtful = Numbers(wanted=490, counted=500.0, entries=700, rows=1000)
    assert way(m, replace(doubtful, probed=4000.0), min_source, sampled) == "push"
    assert way(m, replace(doubtful, probed=3999.0), min_source, sampled) == "pull"


@check
def a_push_takes_time_to_begin(m: ModuleType) -> None:
    tuning = replace(PLAIN, push_start=100)
    tiny = Numbers(entries=1, wanted=4, counted=0.0)  # 80 entries at most
    assert way(m, tiny, tuning=tuning) == "pull"
    assert not tiny.asked
    assert way(m, replace(tiny, wanted=5), tuning=tuning) == "push"
    assert way(m, replace(tiny, wanted=10, counted=100.0), tuning=tuning) == "push"
    assert way(m, replace(tiny, wanted=10, counted=101.0), tuning=tuning) == "pull"
    for missing in ("push", "pull"):  # to make what is missing takes longer
        assert way(m, replace(tiny, missing=missing, counted=80.0), tuning=tuning) == "push"
    doubtful = Numbers(entries=700, wanted=990, counted=4000.0, probed=4099.0)
    assert way(m, doubtful, min_source, replace(tuning, sampled_from=3000)) == "pull"
    assert (
        way(m, replace(doubtful, probed=4100.0), min_source, replace(tuning, sampled_from=3000))
        == "push"
    )


@check
def pulling_goes_on_for_a_while(m: ModuleType) -> None:
    tuning = replace(COSTLY, back_to_push=10)
    after = Numbers(entries=100, counted=0.0, after_pull=True)
    assert way(m, after, tuning=tuning) == "push"
    assert not after.asked
    assert way(m, replace(after, entries=101), tuning=tuning) == "pull"
    assert way(m, replace(after, entries=101, after_pull=False), tuning=tuning) == "push"
    assert way(m, replace(after, entries=101), tuning=replace(tuning, back_to_push=0)) == "push"
    unmasked = replace(after, entries=101, masked=False, wanted=1000)
    assert way(m, unmasked, tuning=tuning) == "push"  # it looks at all edges: nothing to go on with
    assert way(m, unmasked, min_source, tuning) == "pull"


@check
def the_other_side_is_made_when_it_has_been_missed_enough(m: ModuleType) -> None:
    """Twice the edges of the matrix, lost on detours."""
    p = plan(m)
    pulls = Numbers(entries=500, wanted=100, missing="pull")  # 10,000 edges on average
    assert p.direction(pulls, COSTLY) == ("push", 10_000.0)
    assert p.direction(replace(pulls, detour=29_999.0), COSTLY) == ("push", 10_000.0)
    assert p.direction(replace(pulls, detour=30_000.0), COSTLY) == ("pull", 0.0)
    assert p.direction(pulls, PLAIN) == ("pull", 0.0)
    assert p.direction(replace(pulls, missing="push"), COSTLY) == ("pull", 0.0)
    pushes = Numbers(entries=1, wanted=500, missing="push")  # 10,000 in rows, and the places
    assert p.direction(pushes, COSTLY) == ("pull", 11_000.0)
    assert p.direction(replace(pushes, detour=29_000.0), COSTLY) == ("push", 0.0)
    assert p.direction(replace(pushes, missing="pull"), COSTLY) == ("push", 0.0)


# The way over a bitmap


@dataclass
class Given:
    """Entries of a vector that is pushed."""

    entries: int = 100
    places: int = 640
    listed: bool = False
    has_words: bool = True
    has_values_by_place: bool = True


EXACT = replace(PLAIN, pull_per_place=0.25, list_entry=2.0, move_value=3.0, read_entry=0.5)


@check
def the_costs_of_queue_and_read(m: ModuleType) -> None:
    """160 for the words, 200 for the list, 300 for values; 50 to find the entries."""
    ids, values = plan(m, min_source), plan(m, plus_times)
    assert ids.frontier(Given(), EXACT) == ("read", 360.0, 210.0)
    assert values.frontier(Given(), EXACT) == ("read", 660.0, 210.0)
    assert values.frontier(Given(listed=True), EXACT) == ("queue", 0.0, 210.0)
    assert ids.frontier(Given(has_words=False), EXACT) == ("queue", 360.0, 570.0)
    assert values.frontier(Given(has_words=False), EXACT) == ("read", 660.0, 570.0)
    assert values.frontier(Given(has_values_by_place=False), EXACT) == ("read", 660.0, 510.0)
    assert ids.frontier(Given(has_values_by_place=False), EXACT) == ("read", 360.0, 210.0)


@check
def a_list_is_kept_where_reading_is_no_better(m: ModuleType) -> None:
    tuning = replace(EXACT, list_entry=0.5)
    assert plan(m, min_source).frontier(Given(), tuning) == ("queue", 210.0, 210.0)
    assert plan(m, min_source).frontier(Given(entries=0, places=0), EXACT) == ("queue", 0.0, 0.0)
    assert str(plan(m, min_source).frontier(Given(), tuning)) == "queue 210, read 210"
