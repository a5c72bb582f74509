"""What was sent and received, and for how long, by phase."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

PHASES = ("expand", "mask", "local", "fold", "reduce")


@dataclass
class Phase:
    """Bytes, messages and entries of one phase, and seconds spent in it, waiting included."""

    seconds: float = 0.0
    sent: int = 0
    received: int = 0
    messages: int = 0
    entries: int = 0


@dataclass
class Traffic:
    """The phases since the last `take`."""

    phases: dict[str, Phase] = field(default_factory=dict)
    _now: Phase = field(default_factory=Phase)

    @contextmanager
    def phase(self, name: str) -> Iterator[Phase]:
        """What happens inside belongs to the phase of that name."""
        outer, self._now = self._now, self.phases.setdefault(name, Phase())
        begin = time.perf_counter()
        try:
            yield self._now
        finally:
            self._now.seconds += time.perf_counter() - begin
            self._now = outer

    def count(self, sent: int, received: int, messages: int) -> None:
        """Bytes and messages that one exchange took."""
        self._now.sent += sent
        self._now.received += received
        self._now.messages += messages

    def count_entries(self, entries: int) -> None:
        """Entries that are sent to another rank."""
        self._now.entries += entries

    def take(self) -> dict[str, dict[str, float]]:
        """All phases as plain numbers; counting begins anew."""
        taken = {name: dict(vars(phase)) for name, phase in self.phases.items()}
        self.phases = {}
        return taken
