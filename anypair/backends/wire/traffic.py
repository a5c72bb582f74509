"""What was sent and received, and for how long, by phase."""

import time
from dataclasses import dataclass, field

from anypair.trace import Phases, Trace
from anypair.trace import current as current_trace

OTHER = "exchange"  # entries on their way to new owners, objects, and all else
PHASES = ("expand", "mask", "local", "fold", OTHER, "reduce")


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
    """The phases since the last `take`; a trace that begins asks for those of its own time."""

    phases: dict[str, Phase] = field(default_factory=dict)
    now: Phase | None = None
    trace: Trace | None = None

    def phase(self, name: str) -> "_Within":
        """What happens inside a `with` of this belongs to the phase of that name."""
        return _Within(self, self._named(name))

    def _named(self, name: str) -> Phase:
        if (trace := current_trace()) is not self.trace:
            self._change_trace(trace)
        if (phase := self.phases.get(name)) is None:
            phase = self.phases[name] = Phase()
        return phase

    def _change_trace(self, trace: Trace | None) -> None:
        if self.trace is not None:
            self.trace.add_elsewhere(self.take())
        self.phases = {}
        self.trace = trace
        if trace is not None:
            trace.watch(self)

    def count(self, sent: int, received: int, messages: int) -> None:
        """Bytes and messages that one exchange took."""
        phase = self.now or self._named(OTHER)
        phase.sent += sent
        phase.received += received
        phase.messages += messages

    def count_entries(self, entries: int) -> None:
        """Entries that are sent to another rank."""
        phase = self.now or self._named(OTHER)
        phase.entries += entries

    def take(self) -> Phases:
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
