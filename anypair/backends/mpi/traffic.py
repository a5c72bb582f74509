"""What was sent and received, and for how long, by phase."""

import time
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
    now: Phase = field(default_factory=Phase)

    def phase(self, name: str) -> "_Within":
        """What happens inside a `with` of this belongs to the phase of that name."""
        if (phase := self.phases.get(name)) is None:
            phase = self.phases[name] = Phase()
        return _Within(self, phase)

    def count(self, sent: int, received: int, messages: int) -> None:
        """Bytes and messages that one exchange took."""
        self.now.sent += sent
        self.now.received += received
        self.now.messages += messages

    def count_entries(self, entries: int) -> None:
        """Entries that are sent to another rank."""
        self.now.entries += entries

    def take(self) -> dict[str, dict[str, float]]:
        """All phases as plain numbers; counting begins anew."""
        taken = {name: dict(vars(phase)) for name, phase in self.phases.items()}
        self.phases = {}
        return taken


class _Within:
    """A phase while it lasts."""

    __slots__ = ("begin", "outer", "phase", "traffic")

    def __init__(self, traffic: Traffic, phase: Phase) -> None:
        self.traffic = traffic
        self.phase = phase

    def __enter__(self) -> None:
        self.outer = self.traffic.now
        self.traffic.now = self.phase
        self.begin = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        self.phase.seconds += time.perf_counter() - self.begin
        self.traffic.now = self.outer
