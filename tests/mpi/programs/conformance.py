"""The conformance suite, or other tests that are named, as far as they match; the first rank reports."""

import sys
import tempfile

import pytest
from mpi4py import MPI

if MPI.COMM_WORLD.rank:
    sys.stdout = open("/dev/null", "w")  # noqa: PTH123, SIM115
options = ["-q", "-x", "--color=no", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", sys.argv[1]]
# A folder for each rank: in a shared one, pytest's cleaning up of one rank fails under another's.
with tempfile.TemporaryDirectory() as folder:
    status = pytest.main(
        [*options, f"--basetemp={folder}/rank", *(sys.argv[2:] or ["tests/conformance"])]
    )
sys.stdout.flush()
if status:
    MPI.COMM_WORLD.Abort(int(status))
