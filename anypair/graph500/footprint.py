"""How much memory a run takes, known before it starts."""

from anypair.backends.base import Backend
from anypair.graph500.settings import Settings

BYTES_PER_VERTEX = 64  # what searches and their checks keep for each vertex, whatever the edge factor


def memory_needed(settings: Settings, backend: Backend) -> int:
    """About how many bytes a run takes at its peak.

    >>> from anypair.config import resolve
    >>> round(memory_needed(Settings(scale=20), resolve("jit")) / 1e9, 2)
    0.77
    """
    return backend.bytes_per_edge[settings.sssp] * settings.edges + (BYTES_PER_VERTEX << settings.scale)
