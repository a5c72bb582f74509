"""Work as if it were large: cut into pieces, so that each thread has a part in it, in memory used again."""

from dataclasses import replace

import pytest

SMALL_PARTS = {
    "small_work": 0,
    "at_once": 8,
    "push_in_parts": 0,
    "flops_at_once": 50,
    "folded_at_once": 64,
    "sorted_at_once": 4,
    "pooled_from": 0,
}


def cut_all_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo the thresholds below which `jit` leaves other threads alone, for each backend of its kind."""
    tune(monkeypatch, **SMALL_PARTS)


def tune(monkeypatch: pytest.MonkeyPatch, **numbers: int) -> None:
    """Let backends `jit` decide with other numbers."""
    from anypair.backends.jit.backend import JitBackend

    monkeypatch.setattr(JitBackend, "tuning", replace(JitBackend.tuning, **numbers))
