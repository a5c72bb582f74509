"""Which races are meant to be, with the reason for each."""

from collections.abc import Sequence

from tests.cuda.emulator.launching import Race

LOOK_FIRST = ("ld", "atom")
BOTH_STORE = ("st", "st")

#: By kernel, array and both instructions. Plain accesses of a whole element are never torn on a GPU.
INTENDED: dict[tuple[str, str, tuple[str, str]], str] = {
    (
        "push",
        "touched",
        LOOK_FIRST,
    ): "a plain look before the atomic or: what it misses, the atomic sees",
    ("push", "sums", LOOK_FIRST): "a plain look before the atomic, which decides",
    ("expand_vertices", "sums", LOOK_FIRST): "as in push",
    ("expand_vertices", "sums", BOTH_STORE): "for `any`, whichever value stays will do",
    ("expand_vertices", "following", BOTH_STORE): "several threads store 1",
    (
        "store",
        "words",
        LOOK_FIRST,
    ): "a look at a bit of its own, beside atomics on other bits of the word",
    ("accumulate", "words", LOOK_FIRST): "as in store",
    ("clear", "words", BOTH_STORE): "several threads store 0",
}


class RaceFound(Exception):
    """Accesses in no order that nobody meant."""

    def __init__(self, kernel: str, races: Sequence[Race]) -> None:
        lines = [
            f"{race.array}: {race.instructions[0]!r} by {race.threads[0]} and "
            f"{race.instructions[1]!r} by {race.threads[1]}, {race.count} times"
            for race in races
        ]
        super().__init__(f"kernel {kernel} races on " + "; ".join(lines))


def unintended(kernel: str, races: Sequence[Race]) -> list[Race]:
    """The races of a launch that are on no list."""
    return [race for race in races if not _is_intended(kernel, race)]


def _is_intended(kernel: str, race: Race) -> bool:
    one, other = (text.partition(".")[0] for text in race.instructions)
    return any((kernel, race.array, pair) in INTENDED for pair in ((one, other), (other, one)))
