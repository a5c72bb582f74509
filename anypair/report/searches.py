"""The searches inside a trace: level by level, what entered and what it cost."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from anypair.report.reading import Operation, TraceFile

PRODUCTS = ("vxm", "mxv")


@dataclass
class Level:
    """One product of a search and the operations up to the next."""

    frontier: int
    product: Operation
    others: list[Operation] = field(default_factory=list)

    def seconds(self) -> dict[str, float]:
        """Seconds of each phase: what the backend tells of, then what is left of the product."""
        spent: dict[str, float] = {}
        for operation in (self.product, *self.others):
            told = {name: phase.seconds for name, phase in operation.phases.items()}
            for name, seconds in told.items():
                spent[name] = spent.get(name, 0.0) + seconds
            name = " ".join(filter(None, (operation.operation, operation.direction)))
            rest = max(0.0, operation.seconds - sum(told.values()))
            spent[name] = spent.get(name, 0.0) + rest
        return spent

    def bytes(self) -> dict[str, int]:
        """Bytes of each phase that a backend tells of."""
        sent: dict[str, int] = {}
        for operation in (self.product, *self.others):
            for name, phase in operation.phases.items():
                sent[name] = sent.get(name, 0) + phase.sent
        return sent

    def imbalance(self) -> dict[str, float]:
        """How many times longer than the mean of all ranks the slowest takes for a phase."""
        return {name: phase.imbalance for name, phase in self.product.phases.items()}


def searches(trace: TraceFile) -> list[list[Level]]:
    """The breadth-first searches of a trace, in order; of several graphs, those of the largest.

    A search starts with one vertex, and each of its products takes what the one before gave; the
    last one gives nothing. Chains that break off are something else.
    """
    found: list[list[Level]] = []
    chain: list[Level] = []
    for operation in trace.operations:
        if operation.operation in PRODUCTS:
            follows = bool(chain) and _follows(chain[-1].product, operation)
            chain = chain if follows else []
            if follows or operation.entered == 1:
                chain.append(Level(operation.entered, operation))
            if chain and operation.left == 0:
                found.append(chain)  # operations until the next product still belong to it
        elif chain:
            chain[-1].others.append(operation)
    largest = max((search[0].product.edges for search in found), default=0)
    return [search for search in found if search[0].product.edges == largest]


def _follows(before: Operation, after: Operation) -> bool:
    same = (before.operation, before.operator) == (after.operation, after.operator)
    return same and before.left == after.entered and after.entered > 0


@dataclass(frozen=True)
class Frontier:
    """How large the frontier is at a level, over the searches that get there."""

    level: int
    least: int
    median: float
    most: int


def frontiers(found: Sequence[Sequence[Level]]) -> list[Frontier]:
    """The frontier at each level."""
    return [
        Frontier(depth, min(sizes), median(sizes), max(sizes))
        for depth, sizes in enumerate(_columns([[level.frontier for level in s] for s in found]))
    ]


def typical(found: Sequence[list[Level]]) -> list[Level]:
    """The search that takes the median time: one that ran, so that its parts add up."""
    ordered = sorted(found, key=lambda search: sum(sum(level.seconds().values()) for level in search))
    return ordered[len(ordered) // 2]


def by_phase(levels: Sequence[dict[str, float]] | Sequence[dict[str, int]]) -> dict[str, list[float]]:
    """For each phase its amount at each level."""
    names = dict.fromkeys(name for level in levels for name in level)
    return {name: [float(level.get(name, 0)) for level in levels] for name in names}


def _columns(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    depth = max((len(row) for row in rows), default=0)
    return [[row[k] for row in rows if k < len(row)] for k in range(depth)]
