"""A (emulated) GPU on each of four ranks."""

import pytest

from tests.cuda.support import needs_compiler
from tests.mpi.jobs import ROOT, Job, run_program
from tests.support.covering import FULL

pytest.importorskip("mpi4py")
pytestmark = needs_compiler


@pytest.mark.long
@pytest.mark.parametrize(("stage", "scales"), [("host", "6,7,8" if FULL else "6"), ("device", "6,7")])
def test_searches_with_a_gpu_on_each_rank(stage: str, scales: str) -> None:
    job = run_program(4, "emulated_gpus", stage, scales)
    assert job.status == 0, job.said
    assert job.printed == f"{3 * len(scales.split(','))} graphs\n"


@pytest.mark.parametrize("stage", ["host", "device"] if FULL else ["device"])
def test_the_conformance_suite_with_a_gpu_on_each_rank(stage: str) -> None:
    """Messages that are made in the memory of the host are those of other local backends."""
    job = Job(
        4,
        str(ROOT / "tests" / "mpi" / "programs" / "conformance.py"),
        "equals_the_reference",
        limit=600,
        ANYPAIR_TEST_BACKENDS="mpi",
        ANYPAIR_TEST_OPTIONS=f"grid=2x2,local=cuda,unit=1,stage={stage}",
        ANYPAIR_TEST_EXAMPLES="1",
    )
    assert job.status == 0, job.printed + job.said
    assert " passed" in job.printed
