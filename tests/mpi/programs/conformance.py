"""The conformance suite, or the tests of it that match, on this job's ranks; the first one reports."""

import sys
import tempfile

import pytest
from mpi4py import MPI

if MPI.COMM_WORLD.rank:
    sys.stdout = open("/dev/null", "w")  # noqa: PTH123, SIM115
options = ["-q", "-x", "--color=no", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", sys.argv[1]]
# A folder for each rank: in a shared one, pytest's cleaning up of one rank fails under another's.
with tempfile.TemporaryDirectory() as folder:
    status = pytest.main([*options, f"--basetemp={folder}/rank", "tests/conformance"])
sys.stdout.flush()
if status:
    MPI.COMM_WORLD.Abort(int(status))
