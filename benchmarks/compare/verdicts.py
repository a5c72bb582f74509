"""What the timings of two versions come down to: a ratio, and whether it means something.

The ratio is that of the minima, old to new: above 1 the new version is faster. The old version runs
twice, in processes of its own; those two differ by chance alone, and how far they do so is the spread.
Each session has new processes, since where memory happens to lie makes a difference between them, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

BAR = 0.97
WAYS = ("old", "new", "again")  # `again` is the old version once more


@dataclass
class Timings:
    """Seconds of one task: for each version a list of sessions, each of them a list of timings."""

    title: str
    threads: int
    seconds: dict[str, list[list[float]]] = field(default_factory=lambda: {way: [] for way in WAYS})
    problems: dict[str, str] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)

    def pairs(self) -> int:
        """How many times both versions were timed, one after the other."""
        return min(sum(map(len, self.seconds[way])) for way in ("old", "new"))

    def least(self, way: str) -> float:
        """The least time of a version in all sessions."""
        return min(second for session in self.seconds[way] for second in session)


@dataclass(frozen=True)
class Verdict:
    """One line of the table."""

    title: str
    threads: int
    old: float  # seconds
    new: float
    ratio: float
    spread: tuple[float, float]
    pairs: int
    note: str = ""
    passed: bool = True

    def as_json(self) -> dict[str, Any]:
        return {**vars(self), "spread": list(self.spread)}


def judge(timings: Timings, bar: float = BAR) -> Verdict:
    """Whether the new version is as fast as the old one, up to the bar or the spread."""
    nothing = Verdict(timings.title, timings.threads, 0.0, 0.0, 0.0, (1.0, 1.0), 0)
    if "new" in timings.problems:
        return Verdict(**{**vars(nothing), "note": timings.problems["new"], "passed": False})
    for problem in timings.problems.values():  # of `old` or `again`, which are one version
        return Verdict(**{**vars(nothing), "note": f"the old version: {problem}"})
    old, new = timings.least("old"), timings.least("new")
    ratio, spread = old / new, spread_of(timings)
    return Verdict(
        timings.title,
        timings.threads,
        old,
        new,
        ratio,
        spread,
        timings.pairs(),
        _note(timings),
        passed=ratio >= bar or ratio >= spread[0],
    )


def spread_of(timings: Timings) -> tuple[float, float]:
    """How far the old version strays from itself: over all sessions, and without any one of them.

    The two are alike, so a ratio says as much as its inverse.
    """
    ratios = [timings.least("old") / timings.least("again")]
    sessions = len(timings.seconds["old"])
    for left_out in range(sessions if sessions > 1 else 0):
        one, other = (_least_without(timings.seconds[way], left_out) for way in ("old", "again"))
        ratios.append(one / other)
    furthest = max(max(ratio, 1 / ratio) for ratio in ratios)
    return 1 / furthest, furthest


def _least_without(sessions: list[list[float]], left_out: int) -> float:
    return min(s for k, session in enumerate(sessions) if k != left_out for s in session)


def _note(timings: Timings) -> str:
    found = timings.results
    if found.get("old") != found.get("new"):
        return f"results differ: {found.get('old')} and {found.get('new')}"
    return ""


def table(verdicts: Sequence[Verdict]) -> str:
    """The verdicts as text, a line each, those that failed marked."""
    lines = [
        f"{'task':44}{'threads':>8}{'old':>12}{'new':>12}{'old/new':>9}{'spread (A/A)':>15}{'pairs':>7}"
    ]
    for v in verdicts:
        if v.pairs:
            figures = (
                f"{_time(v.old):>12}{_time(v.new):>12}{v.ratio:>9.3f}"
                f"{v.spread[0]:>8.3f}-{v.spread[1]:.3f} {v.pairs:>6}"
            )
        else:
            figures = f"{'-':>12}{'-':>12}{'-':>9}{'-':>15}{0:>7}"
        threads = "all" if v.threads == 0 else str(v.threads)
        mark = "" if v.passed else "  SLOWER" if v.pairs else "  FAILED"
        note = f"  ({v.note})" if v.note else ""
        lines.append(f"{v.title:44}{threads:>8}{figures}{mark}{note}")
    return "\n".join(lines)


def _time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{1e6 * seconds:.2f} us"
    return f"{1e3 * seconds:.2f} ms" if seconds < 1 else f"{seconds:.3f} s"
