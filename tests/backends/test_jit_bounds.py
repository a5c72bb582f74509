"""Kernels under Numba's bounds checks: a planted fault is found, whatever the cache holds already.

`make bounds` runs the conformance of `jit` and tests/backends/test_jit_shapes.py with these checks.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# The view ends before the array does: without checks the access is a fault, but a harmless one.
PLANTED = """
import numpy as np
from anypair.compiling.modules import load_source
kernels = load_source("planted", PRELUDE)
print(kernels.beyond(np.arange(8)[:4], np.uint64(5)))
"""
PRELUDE = """
from anypair.compiling.caching import kernel

@kernel
def beyond(values, place):
    return values[place]
"""


def outcome(cache: Path, checks: str) -> str:
    """What the planted access gives in a process with these checks."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("ANYPAIR_", "NUMBA_"))}
    variables |= {"ANYPAIR_CACHE": str(cache)} | ({"NUMBA_BOUNDSCHECK": checks} if checks else {})
    done = subprocess.run(
        [sys.executable, "-c", PLANTED.replace("PRELUDE", repr(PRELUDE))],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("order", [("", "1", "", "1"), ("1", "", "1")])
def test_a_planted_fault_is_found_whatever_was_compiled_before(
    order: tuple[str, ...], tmp_path: Path
) -> None:
    expected = {"1": "IndexError: index is out of bounds", "": "5"}
    assert [outcome(tmp_path, checks) for checks in order] == [expected[checks] for checks in order]
