"""The benchmark of the GPU on the emulator: answers are verified, and nothing is compiled while it measures."""

from typing import Any

import pytest

from benchmarks import gpu
from tests.cuda.emulator.device import ptx_of
from tests.cuda.support import emulated, needs_compiler  # noqa: F401  a fixture

pytestmark = [needs_compiler, pytest.mark.usefixtures("emulated")]


def test_nothing_is_compiled_within_a_timed_search(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled: list[int] = []
    search = gpu._search

    def watched(*given: Any) -> Any:
        before = ptx_of.cache_info().misses
        found = search(*given)
        compiled.append(ptx_of.cache_info().misses - before)
        return found

    monkeypatch.setattr(gpu, "_search", watched)
    monkeypatch.setattr(gpu, "COPIED", 1 << 14)
    assert gpu.main(["--scale", "5", "--roots", "3"]) == 0
    assert compiled == [0] * 3 * len(gpu.STRATEGIES)
    assert "all verified" in capsys.readouterr().out
