"""Backends of one test alone, as the processes of a user make them."""

from functools import cache

import pytest

from anypair import config
from anypair.backends import registry


def forget_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    """During this test nobody knows the backends that were made before it, nor those of it afterwards."""
    for module, name in ((registry, "_make"), (config, "_configured")):
        monkeypatch.setattr(module, name, cache(getattr(module, name).__wrapped__))
