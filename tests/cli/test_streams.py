"""stdin and stdout, files that are there already, disks that are full, and what JSON holds."""

import json
import os
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from time import perf_counter

import pytest

from anypair import Matrix
from anypair.cli import main
from anypair.io import write
from anypair.io.temporary import new_file
from tests.cli.conftest import Call

EDGES = "alice,bob\nbob,carol\n"


def test_json_on_stdout_and_nothing_else_there(call: Call) -> None:
    Path("x.csv").write_text(EDGES)
    for command in (["bfs", "x.csv", "--source", "alice"], ["info", "x.csv"]):
        done = call(*command, "--json", "-")
        assert done.status == 0
        assert json.loads(done.out)["file"] == "x.csv"
    done = call("graph500", "--scale", "5", "--roots", "2", "--json", "-")
    assert json.loads(done.out)["nroots"] == 2
    done = call("bench", "--scales", "4,5", "--backends", "scipy", "--roots", "2", "--json", "-")
    assert len(json.loads(done.out)["results"]) == 2
    assert not Path("-").exists()


def test_a_stdout_of_text_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANYPAIR_BACKEND", "scipy")
    monkeypatch.chdir(tmp_path)
    Path("x.el").write_text("0 1\n0 200\n")  # 200 is no text in bytes of Graph500

    def printed(*arguments: str) -> str:
        with redirect_stdout(StringIO()) as out:  # as in a notebook
            assert main([*arguments, "--quiet"]) == 0
        return out.getvalue()

    assert json.loads(printed("bfs", "x.el", "--source", "0", "--json", "-"))["rows"][1] == [1, 0]
    assert printed("bfs", "x.el", "--source", "0", "--output", "-").splitlines()[1] == "0\t0"
    assert printed("convert", "x.el", "-", "--to", "csv").splitlines()[-1] == "0,200"
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as err:
        assert main(["convert", "x.el", "-", "--to", "graph500"]) == 1
    assert "stdout takes text alone here" in err.getvalue()


def test_json_holds_the_answer_or_says_where_it_is(call: Call) -> None:
    Path("x.csv").write_text(EDGES)
    call("bfs", "x.csv", "--source", "alice", "--json", "tree.json")
    facts = json.loads(Path("tree.json").read_text())
    assert facts["columns"] == ["vertex", "parent"]
    assert facts["rows"] == [["alice", "alice"], ["bob", "alice"], ["carol", "bob"]]
    assert "largest" not in facts
    call("bfs", "x.csv", "--source", "alice", "--levels", "--json", "-", "--output", "levels.csv")
    done = call("sssp", "x.csv", "--source", "alice", "--json", "far.json", "--output", "far.tsv")
    assert done.out == ""
    facts = json.loads(Path("far.json").read_text())
    assert (facts["output"], facts["largest"], "rows" in facts) == ("far.tsv", 2, False)
    assert Path("levels.csv").read_text() == "vertex,level\nalice,0\nbob,1\ncarol,2\n"


def test_numbers_that_json_does_not_have_are_text(call: Call) -> None:
    Path("x.csv").write_text("0,1,-inf\n1,2,inf\n2,0,nan\n")

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    facts = json.loads(call("info", "x.csv", "--json", "-").out, parse_constant=refuse)
    assert (facts["least_value"], facts["largest_value"]) == ("-Infinity", "Infinity")
    Path("nan.csv").write_text("0,1,nan\n")
    facts = json.loads(call("info", "nan.csv", "--json", "-").out, parse_constant=refuse)
    assert facts["least_value"] == "NaN"


def test_the_time_of_a_search_is_not_that_of_a_compiler(tmp_path: Path) -> None:
    (tmp_path / "path.el").write_text("".join(f"{k} {k + 1}\n" for k in range(5000, 5003)))
    begin = perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "anypair", "bfs", "path.el", "--source", "5001", "--json", "-"], text=True,
        env={**os.environ, "ANYPAIR_BACKEND": "jit", "ANYPAIR_CACHE": str(tmp_path / "cache")},
        cwd=tmp_path, capture_output=True, timeout=300, check=True,
    )  # fmt: skip
    facts = json.loads(done.stdout)
    assert len(facts["rows"]) == 3
    assert facts["seconds"] < (perf_counter() - begin) / 20


def test_convert_says_both_formats_and_writes_to_stdout(call: Call) -> None:
    Path("x.data").write_text(EDGES)
    done = call("convert", "x.data", "-", "--format", "csv", "--to", "tsv", "--quiet")
    assert (done.status, done.out) == (0, "alice\tbob\nbob\tcarol\n")
    done = call("convert", "x.data", "y.data", "--format", "csv", "--to", "mtx", "--no-names", "--quiet")
    assert done.status == 0
    assert Path("y.data").read_text().startswith("%%MatrixMarket")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("y.unknown", "does not say what format it is; give --to, one of mtx"),
        ("y.mtx", "choose csv, tsv, npz or parquet, or --no-names"),
    ],
)
def test_convert_gives_advice_that_it_understands(call: Call, arguments: str, words: str) -> None:
    Path("x.csv").write_text(EDGES)
    done = call("convert", "x.csv", *arguments.split())
    assert (done.status, done.out) == (1, "")
    assert words in done.err


@pytest.mark.parametrize("command", ["convert x.csv y.npz", "generate grid --rows 2 --columns 2 y.npz"])
def test_files_that_are_there_are_replaced_only_if_asked_for(call: Call, command: str) -> None:
    Path("x.csv").write_text("0,1\n")
    Path("y.npz").write_text("precious")
    done = call(*command.split())
    assert (done.status, done.out) == (1, "")
    assert done.err == "anypair: y.npz: is there already; --force replaces it\n"
    assert Path("y.npz").read_text() == "precious"
    assert call(*command.split(), "--force", "--quiet").status == 0
    assert Path("y.npz").read_bytes()[:2] == b"PK"


def test_edges_without_vertices_are_wrong_usage(call: Call) -> None:
    done = call("generate", "uniform", "--vertices", "0", "--edges", "5", "x.mtx")
    assert (done.status, done.out) == (2, "")
    assert done.err.endswith("uniform: edges=5 have no vertices to join\n")
    assert not Path("x.mtx").exists()


@pytest.mark.parametrize(
    ("arguments", "usage", "words"),
    [
        (
            "info x.csv --colums 0,1",
            "usage: anypair info",
            "unrecognized arguments: --colums 0,1; did you mean ",
        ),
        (
            "generate grid --rows 1 --columns 1 --sed 1 x.mtx",
            "usage: anypair generate grid",
            "did you mean --seed?",
        ),
        ("backends --magic", "usage: anypair backends", "unrecognized arguments: --magic\n"),
        ("convert x.csv y.csv --backend jit", "usage: anypair convert", "--backend jit\n"),
        ("communities x.csv --top=2", "usage: anypair communities", "--top=2\n"),
    ],
)
def test_an_unknown_option_shows_the_usage_of_the_subcommand(
    call: Call, arguments: str, usage: str, words: str
) -> None:
    done = call(*arguments.split())
    assert done.status == 2
    assert done.err.startswith(usage)
    assert words in done.err


@pytest.mark.parametrize("columns", [20, 30, 45, 60])
def test_backends_break_lines_between_words(columns: int) -> None:
    from anypair.cli.backends import describe_backends

    whole = describe_backends()
    broken = describe_backends(columns)
    assert broken.split() == whole.split()
    for line in broken.splitlines():
        assert len(line) <= columns or len(line.split()) == 1  # a word that does not fit stands alone


@pytest.mark.parametrize("source", ["Zed", ""])
def test_a_source_that_is_not_there_in_the_words_of_the_command(call: Call, source: str) -> None:
    Path("x.csv").write_text(EDGES)
    done = call("bfs", "x.csv", f"--source={source}")
    assert done.err == f"anypair: argument --source: no vertex is called {source!r}\n"


def test_a_full_disk_leaves_the_old_answer(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import csv

    Path("x.csv").write_text(EDGES)
    Path("tree.tsv").write_text("old\n")

    class Full:
        def __init__(self, stream: object, **more: object) -> None:
            self._stream = stream

        def writerow(self, row: object) -> None:
            self._stream.write("part\n")  # type: ignore[attr-defined]

        def writerows(self, rows: object) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(csv, "writer", Full)
    done = call("bfs", "x.csv", "--source", "alice", "--output", "tree.tsv")
    assert done.status == 1
    assert done.err.endswith("tree.tsv: cannot be written: No space left on device\n")
    assert Path("tree.tsv").read_text() == "old\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tree.tsv", "x.csv"]


WRITING = """
import signal, sys, time
from pathlib import Path
from time import perf_counter
from anypair.io import temporary
if sys.argv[2] == "named":
    temporary._without_name = lambda folder: None
with temporary.new_file(Path(sys.argv[1]), 0o644) as file:
    file.write(b"half")
    file.flush()
    print("begun", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("kind", ["named", "without name"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=str)
def test_a_process_that_is_ended_leaves_nothing_behind(
    kind: str, number: signal.Signals, tmp_path: Path
) -> None:
    (tmp_path / "x.tsv").write_text("old\n")
    process = subprocess.Popen(
        [sys.executable, "-c", WRITING, str(tmp_path / "x.tsv"), kind], stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(number)
    assert process.wait(timeout=30) == -number
    process.stdout.close()
    assert [path.name for path in tmp_path.iterdir()] == ["x.tsv"]
    assert (tmp_path / "x.tsv").read_text() == "old\n"


def test_a_file_system_without_nameless_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anypair.io.temporary._without_name", lambda folder: None)
    path = tmp_path / "a.el"
    write(path, Matrix.from_edges([0], [1], backend="reference"))
    assert path.read_text() == "0 1\n"
    with pytest.raises(ValueError, match="stop"), new_file(path, 0o600) as file:  # noqa: PT012
        file.write(b"half")
        raise ValueError("stop")
    assert os.listdir(tmp_path) == ["a.el"]  # noqa: PTH208
    assert path.read_text() == "0 1\n"
