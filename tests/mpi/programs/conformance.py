"""The conformance suite on this job's ranks; the first one reports."""

import sys

import pytest
from mpi4py import MPI

if MPI.COMM_WORLD.rank:
    sys.stdout = open("/dev/null", "w")  # noqa: PTH123, SIM115
status = pytest.main(
    ["-q", "-x", "--color=no", "-p", "no:cacheprovider", "-p", "no:xdist", "tests/conformance"]
)
sys.stdout.flush()
if status:
    MPI.COMM_WORLD.Abort(int(status))
