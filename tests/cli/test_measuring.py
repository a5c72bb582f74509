"""graph500, bench, report and backends."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from anypair.backends.registry import BACKENDS, DEFAULT, Row
from tests.cli.conftest import Call
from tests.report.samples import result, write


def test_graph500_prints_the_block_and_writes_json_and_trace(call: Call, tmp_path: Path) -> None:
    done = call(
        "graph500", "--scale", "6", "--roots", "3", "--sssp", "--seed", "5",
        "--json", "new/run.json", "--trace", "new/trace.json",
    )  # fmt: skip
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:3] == ["SCALE: 6", "edgefactor: 16", "NBFS: 3"]
    assert any(line.startswith("bfs_harmonic_mean_TEPS: ") for line in lines)
    content = json.loads((tmp_path / "new/run.json").read_text())
    wanted = "scale edgefactor nroots backend options threads ranks grid times teps versions machine"
    assert set(wanted.split()) <= set(content)
    assert (content["scale"], content["seed"], content["backend"]) == (6, 5, "scipy")
    assert content["validated"] is True
    assert content["harmonic_mean_TEPS"] > 0
    traced = json.loads((tmp_path / "new/trace.json").read_text())
    assert traced["about"]["backend"] == "scipy"
    assert traced["about"]["graph"] == "Kronecker, scale 6, edge factor 16, seed 5"
    for fact in ("options", "threads", "ranks", "grid", "machine", "versions"):
        assert traced["about"][fact] == content[fact]
    assert {record["operation"] for record in traced["operations"]} >= {"vxm", "update"}
    assert call("report", "new").status == 0
    page = (tmp_path / "new/report.html").read_text()
    assert "Frontier size per level" in page
    assert "Kernel 3" in page


def test_graph500_takes_backend_and_validation_from_options(call: Call, tmp_path: Path) -> None:
    arguments = (
        "graph500 --scale 4 --roots 2 --edgefactor 4 --backend reference --no-validate --json x.json"
    )
    assert call(*arguments.split()).status == 0
    content = json.loads((tmp_path / "x.json").read_text())
    assert (content["backend"], content["validated"], content["edgefactor"]) == ("reference", False, 4)


def test_threads_reach_the_backend(call: Call, tmp_path: Path) -> None:
    assert (
        call(
            *[
                "graph500",
                "--scale",
                "4",
                "--roots",
                "1",
                "--backend",
                "jit",
                "--threads",
                "1",
                "--json",
                "x.json",
            ]
        ).status
        == 0
    )
    assert json.loads((tmp_path / "x.json").read_text())["threads"] == 1


def test_a_place_that_may_not_be_written_is_told_before_the_run(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write everywhere
    monkeypatch.setattr("anypair.cli.graph500.run_benchmark", lambda *_, **__: pytest.fail("it ran"))
    for option in ("--json", "--trace"):
        done = call("graph500", "--scale", "4", option, "new/x.json")
        assert (done.status, done.err) == (1, "anypair: new/x.json: Permission denied\n")


def test_a_graph_that_cannot_fit_is_refused(call: Call) -> None:
    done = call("graph500", "--scale", "44")
    assert done.status == 1
    assert re.match(r"anypair: .*GB", done.err)


def test_bench_measures_every_combination(call: Call, tmp_path: Path) -> None:
    arguments = "bench --scales 4-5 --backends scipy,jit --threads 1,2 --roots 2 --json b.json"
    done = call(*arguments.split())
    assert (done.status, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines()[1:]]
    wanted = [("scipy", "1", "4"), ("jit", "1", "4"), ("jit", "2", "4")]
    wanted += [(name, threads, "5") for name, threads, _ in wanted]
    assert [tuple(row[:3]) for row in rows] == wanted
    results = json.loads((tmp_path / "b.json").read_text())["results"]
    assert [(r["backend"], str(r["threads"]), str(r["scale"])) for r in results] == wanted
    assert all(r["validated"] for r in results)
    assert call("report", ".").out == "report.html: runs 6, traces 0\n"


@pytest.fixture
def only_scipy_and_magic() -> Iterator[None]:
    """A registry of two, put back in its order."""
    kept = dict(BACKENDS)
    magic = Row("no.such", "X", "for tests", "pip install magic")
    BACKENDS.clear()
    BACKENDS.update(scipy=kept["scipy"], magic=magic)
    yield
    BACKENDS.clear()
    BACKENDS.update(kept)


@pytest.mark.usefixtures("only_scipy_and_magic")
def test_bench_leaves_out_what_is_not_ready_unless_asked_for(call: Call) -> None:
    done = call("bench", "--scales", "4", "--roots", "1")
    assert done.status == 0
    assert "magic is left out" in done.err
    assert "pip install magic" in done.err
    assert call("bench", "--scales", "4", "--backends", "magic").status == 1


def test_report_names_what_it_leaves_out(call: Call, tmp_path: Path) -> None:
    write(tmp_path / "in/good.json", result())
    write(tmp_path / "in/foreign.json", [1])
    done = call("report", "in", "-o", "out/page.html")
    assert done.status == 0
    assert done.out == "out/page.html: runs 1, traces 0\n"
    assert done.err.startswith("anypair: left out: foreign.json: ")
    assert (tmp_path / "out/page.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("folder", ["empty", "missing", "file"])
def test_report_without_results_is_an_error(call: Call, tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    done = call("report", folder)
    assert done.status == 1
    assert re.match(r"anypair: report: .*\n$", done.err)


def test_report_to_a_folder_is_wrong_usage(call: Call, tmp_path: Path) -> None:
    write(tmp_path / "in/good.json", result())
    assert call("report", "in", "-o", "in").status == 2


def test_backends_are_listed(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANYPAIR_BACKEND")
    done = call("backends")
    assert done.status == 0
    names = [line[2:].split()[0] for line in done.out.splitlines() if line[2] != " "]
    assert names == list(BACKENDS)
    assert f"* {DEFAULT}" in done.out


def test_a_backend_that_is_not_ready_is_listed_with_the_remedy(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BACKENDS, "magic", Row("no.such", "X", "for tests", "pip install magic"))
    printed = call("backends").out
    assert re.search(r"magic +not ready", printed)
    assert "install it with: pip install magic" in printed


def test_an_error_of_the_configuration_is_one_line(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYPAIR_BACKEND", "magic")
    done = call("backends")
    assert (done.status, done.out) == (1, "")
    assert re.match(r"anypair: unknown backend 'magic'.*\n$", done.err)
