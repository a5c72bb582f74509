"""A CPU and a GPU that take turns however small work is, so that both have a part in each test."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import cycle
from typing import Any

import pytest

from anypair.backends.base import Backend
from anypair.backends.hybrid import HybridBackend
from anypair.backends.hybrid.storage import SIDES, Side
from anypair.backends.registry import load

FEW = replace(HybridBackend.tuning, read_from=4, queue_below=8, device_from=12.0, device_below=6.0)


def take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `hybrid` make every other object on the GPU, and change where a few edges are."""
    monkeypatch.setattr(HybridBackend, "tuning", FEW)
    sides = cycle(SIDES)

    def home(self: HybridBackend) -> Side:
        forced: dict[str, Side] = {"device": "device", "auto": next(sides)}
        return forced.get(self.method, "cpu")

    monkeypatch.setattr(HybridBackend, "_home", property(home))


class TwoCpus(HybridBackend):
    """Another CPU's backend, which writes in place too, in place of the GPU's: quick, on any machine."""

    tuning = FEW

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.turns = cycle(SIDES)

    def _open_device(self, options: Mapping[str, Any]) -> Backend:
        return load("jit", {"threads": 1, "direction": "push"})

    @property
    def _home(self) -> Side:
        return next(self.turns)
