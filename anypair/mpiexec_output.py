"""What mpiexec and the ranks say on stderr, without what nobody needs to read.

Open MPI draws lines of dashes around what it has to say of a job that ended. What it says there is kept
for one sentence of our own; a box of any other content is passed on. What ranks say alike is said once.
"""

import re
from collections.abc import Iterator

OURS = "anypair: "
RULE = re.compile(r"-{60,}")
LONGEST_BOX = 40  # lines
ENDINGS = (
    "MPI_ABORT was invoked on rank",
    "has exited due to process rank",
    "noticed that process rank",
    "detected that one or more processes exited with non-zero status",
)
# In lines that break anywhere.
DIED = re.compile(r"process rank (\d+) with PID \d+ on node \S+ exited on signal (\d+)")
ABORTED = re.compile(r"MPI_ABORT was invoked on rank (\d+)")


class Output:
    """The lines to pass on, as they come, and what is learned of the end of the job from others."""

    def __init__(self) -> None:
        self.endings = ""
        self.said: set[str] = set()
        self._box: list[str] = []

    def passed(self, line: str) -> Iterator[str]:
        """What to show when this line has come."""
        line = line.replace("\0", "")  # which Open MPI puts after a box
        is_rule = RULE.fullmatch(line.strip()) is not None
        if not self._box and not is_rule:
            yield from self._once(line)
            return
        self._box.append(line)
        if len(self._box) > 1 and is_rule:
            content = " ".join("".join(self._box).split())
            if any(ending in content for ending in ENDINGS):
                self.endings += content
                self._box = []
        if (len(self._box) > 1 and is_rule) or len(self._box) > LONGEST_BOX:
            yield from self.rest()

    def rest(self) -> Iterator[str]:
        """What is held back of a box that has not come to its end."""
        yield from self._box
        self._box = []

    def _once(self, line: str) -> Iterator[str]:
        if line.startswith(OURS):
            if line in self.said:
                return
            self.said.add(line)
        if line:
            yield line

    @property
    def died(self) -> list[tuple[int, int]]:
        """Ranks that were ended by a signal, and its number."""
        return [(int(rank), int(number)) for rank, number in DIED.findall(self.endings)]

    @property
    def aborted(self) -> int | None:
        """The rank that has ended the job by itself."""
        found = ABORTED.search(self.endings)
        return int(found[1]) if found else None
