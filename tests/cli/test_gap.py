"""`anypair gap`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call


def test_the_command(call: Call, tmp_path: Path) -> None:
    asked = "gap --graphs grid5,kron5 --kernels bfs,pr --trials 2 --json new/gap.json"
    done = call(*asked.split())
    assert (done.status, done.err) == (0, "")
    assert len(done.out.splitlines()) == 5
    content = json.loads((tmp_path / "new/gap.json").read_text())
    assert (content["benchmark"], content["backend"], len(content["results"])) == ("gap", "scipy", 4)
    assert {"options", "threads", "machine", "versions", "seed"} <= set(content)
    assert set(content["results"][0]) >= {
        "graph",
        "kernel",
        "seconds",
        "mean",
        "median",
        "min",
        "verified",
    }


@pytest.mark.parametrize("option", ["--graphs=road", "--kernels=bfs,xx", "--trials=0"])
def test_options_that_are_refused(call: Call, option: str) -> None:
    done = call("gap", option)
    assert done.status == 2
    assert option.partition("=")[0] in done.err


def test_its_results_are_no_matter_for_the_report(call: Call) -> None:
    call(*["gap", "--graphs=grid3", "--kernels=cc", "--trials=1", "--json=new/gap.json"])
    call(*["graph500", "--scale=4", "--roots=1", "--json=new/run.json"])
    assert call("report", "new").status == 0
