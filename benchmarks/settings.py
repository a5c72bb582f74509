"""What a run consists of. Nothing is imported here that starts threads."""

from dataclasses import dataclass

from benchmarks.engines import SEARCHING

PARTS = (
    "search",
    "semirings",
    "build",
    "calls",
    "start",
    "memory",
    "read",
    "operations",
    "algorithms",
)


@dataclass(frozen=True)
class Settings:
    """What to measure, and how often."""

    graphs: tuple[str, ...] = ("kron16", "kron18", "kron20", "uniform20", "grid1000")
    engines: tuple[str, ...] = tuple(SEARCHING)
    parts: tuple[str, ...] = PARTS
    roots: int = 32  # twice as many as the targets ask for, as short searches are easily disturbed
    in_a_row: int = 8  # roots that an engine searches from before the next engine has its turn
    seed: int = 1
    semirings_graph: str = "kron18"
    build_graph: str = "kron20"
    algorithms_graph: str = "kron16"
    repeats: int = 3  # of builds, of processes and, twice as often, of reading
    batches: int = 60  # of tiny calls
    operations_graph: str = "kron18"
    products: tuple[str, ...] = ("kron14", "kron15", "random16")
    masked_products: tuple[str, ...] = ("kron16",)  # whose products without a mask would not fit
    composed_graph: str = "kron16"
    many: int = 1 << 20  # places of a vector of which nearly all have an entry
    turns: int = 9  # of each way to do an operation; fewer where they have taken so many seconds
    seconds: float = 12.0


FULL = Settings()
QUICK = Settings(
    graphs=("kron8", "uniform8", "grid8"),
    roots=2,
    semirings_graph="kron8",
    build_graph="kron8",
    algorithms_graph="kron8",
    repeats=1,
    batches=5,
    operations_graph="kron8",
    products=("kron7", "random7"),
    masked_products=("kron8",),
    composed_graph="kron8",
    many=1 << 12,
    turns=1,
)
