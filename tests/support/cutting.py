"""Work as if it were large: cut into pieces, so that each thread has a part in it, in memory used again."""

import pytest


def cut_all_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo the thresholds below which `jit` leaves other threads alone."""
    # The last takes the size of its samples from a threshold, so it comes before that is undone.
    from anypair.backends.jit import (  # noqa: F401
        building,
        elementwise,
        matrix_products,
        products,
        rehearsal,
        workspace,
    )
    from anypair.threads import team

    monkeypatch.setattr(building, "IN_A_BLOCK", 4)
    for module in (team, products):
        monkeypatch.setattr(module, "SMALL_WORK", 0)
    for module in (team, matrix_products):
        monkeypatch.setattr(module, "AT_ONCE", 8)
    for module in (workspace, products):
        monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(products, "PUSH_IN_PARTS", 0)
    monkeypatch.setattr(matrix_products, "FLOPS_AT_ONCE", 50)
    monkeypatch.setattr(elementwise, "FOLDED_AT_ONCE", 16)
