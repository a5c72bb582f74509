"""How much memory a run takes, known before it starts."""

from anypair.backends.base import Backend
from anypair.graph500.settings import Settings

# Peak bytes of the process for each edge of the list, without and with kernel 3: the difference of
# two runs, two scales apart, at edge factor 16. A backend that is not here counts as the leanest.
LEANEST = (42, 134)
BYTES_PER_EDGE = {
    "jit": LEANEST,
    "suitesparse": (146, 158),
    "scipy": (184, 320),
    "reference": (1100, 1444),
}
BYTES_PER_VERTEX = 64  # what searches and their checks keep for each vertex, whatever the edge factor


def memory_needed(settings: Settings, backend: Backend) -> int:
    """About how many bytes a run takes at its peak.

    >>> from anypair.config import resolve
    >>> round(memory_needed(Settings(scale=20), resolve("jit")) / 1e9, 2)
    0.77
    """
    per_edge = BYTES_PER_EDGE.get(backend.name, LEANEST)[settings.sssp]
    return per_edge * settings.edges + (BYTES_PER_VERTEX << settings.scale)
