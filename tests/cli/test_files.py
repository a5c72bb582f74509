"""bfs, sssp, info, convert and generate, on files."""

import json
import re
from pathlib import Path

import pytest

from anypair import same
from anypair.io import read
from tests.cli.conftest import Call
from tests.support.graphs import SEI_EDGES

FRIENDS = "bob,alice\nalice,carol\ncarol,dan\nzoe,zoe\n"


@pytest.fixture
def sei(tmp_path: Path) -> Path:
    """The worked example of the SEI note, as an edge list."""
    path = tmp_path / "sei.el"
    path.write_text("".join(f"{s} {t}\n" for s, t in SEI_EDGES))
    return path


def test_bfs_prints_parents_and_levels(call: Call, sei: Path) -> None:
    done = call("bfs", sei, "--source", "1", "--undirected")
    assert done.status == 0
    assert done.out == "vertex\tparent\n0\t3\n1\t1\n2\t6\n3\t1\n4\t3\n5\t2\n6\t1\n8\t2\n"
    assert re.fullmatch(r"8 of 9 vertices reached from 1 in .* on scipy\n", done.err)
    assert call("bfs", sei, "--source", "1", "--undirected", "--parents").out == done.out
    done = call("bfs", sei, "--source", "1", "--undirected", "--levels", "--quiet")
    assert done.out == "vertex\tlevel\n0\t2\n1\t0\n2\t2\n3\t1\n4\t2\n5\t3\n6\t1\n8\t3\n"
    assert done.err == ""


def test_bfs_takes_and_gives_the_names_of_the_file(call: Call, tmp_path: Path) -> None:
    Path("friends.csv").write_text(FRIENDS)
    done = call(
        "bfs", "friends.csv", "--source", "alice", "--output", "new/tree.csv", "--json", "facts.json",
        "--trace", "trace.json", "--backend", "reference",
    )  # fmt: skip
    assert (done.status, done.out) == (0, "")
    assert Path("new/tree.csv").read_text() == "vertex,parent\nalice,alice\ncarol,alice\ndan,carol\n"
    facts = json.loads(Path("facts.json").read_text())
    assert (facts["source"], facts["reached"], facts["vertices"]) == ("alice", 3, 5)
    assert facts["backend"] == "reference"
    assert facts["seconds"] > 0
    traced = json.loads(Path("trace.json").read_text())
    assert traced["about"]["backend"] == "reference"
    assert traced["about"]["graph"] == "friends.csv"
    assert traced["operations"]


@pytest.mark.parametrize("source", ["eve", "9", "-1", "1.5", ""])
def test_a_source_that_is_not_there(call: Call, sei: Path, source: str) -> None:
    done = call("bfs", sei, f"--source={source}")
    assert (done.status, done.out) == (1, "")
    assert re.fullmatch(r"anypair: .*\n", done.err)
    assert repr(source) in done.err or source in done.err


def test_names_that_need_quotes_get_them(call: Call) -> None:
    Path("x.csv").write_text('"Doe, Jane",Bob\n')
    assert call("bfs", "x.csv", "--source", "Doe, Jane", "--output", "y.csv").status == 0
    assert Path("y.csv").read_text() == 'vertex,parent\nBob,"Doe, Jane"\n"Doe, Jane","Doe, Jane"\n'


def test_options_that_say_how_to_read(call: Call) -> None:
    Path("x.data").write_text("1000000 5 2.5\n1000000 5 1.5\n")
    read_so = ("x.data", "--format", "el", "--vertices", "ids", "--source", "1000000", "--quiet")
    done = call("sssp", *read_so)
    assert (done.status, done.out) == (1, "")
    assert "x.data" in done.err
    for operator, distance in {"first": 2.5, "minimum": 1.5, "maximum": 2.5, "plus": 4.0}.items():
        done = call("sssp", *read_so, "--duplicates", operator)
        assert done.out == f"vertex\tdistance\n5\t{distance}\n1000000\t0.0\n"


def test_what_is_no_graph_is_not_searched(call: Call) -> None:
    Path("x.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1.0\n")
    done = call("bfs", "x.mtx", "--source", "0")
    assert (done.status, done.out) == (1, "")
    assert "2x3" in done.err


def test_sssp_prints_distances(call: Call) -> None:
    Path("roads.wel").write_text("0 1 4.0\n0 2 9.0\n1 2 3.0\n3 3 1.0\n")
    done = call("sssp", "roads.wel", "--source", "0")
    assert (done.status, done.out) == (0, "vertex\tdistance\n0\t0.0\n1\t4.0\n2\t7.0\n")
    assert call("sssp", "roads.wel", "--source", "0", "--delta", "5").out == done.out


def test_sssp_with_a_negative_cycle(call: Call) -> None:
    Path("roads.wel").write_text("0 1 -4.0\n1 0 1.0\n")
    done = call("sssp", "roads.wel", "--source", "0")
    assert (done.status, done.out) == (1, "")
    assert "negative" in done.err


def test_info_describes_a_graph(call: Call, sei: Path) -> None:
    done = call("info", sei, "--undirected", "--json", "facts.json")
    assert done.status == 0
    facts = json.loads(Path("facts.json").read_text())
    assert (facts["rows"], facts["columns"], facts["entries"]) == (9, 9, 20)
    assert (facts["symmetric"], facts["self_loops"], facts["isolated_vertices"]) == (True, 0, 1)
    assert (facts["components"], facts["largest_component"]) == (2, 8)
    assert facts["out_degree"] == facts["in_degree"]
    assert (facts["out_degree"]["least"], facts["out_degree"]["most"]) == (0, 4)
    assert re.search(r"^components +2$", done.out, re.MULTILINE)
    assert re.search(r"^symmetric +yes$", done.out, re.MULTILINE)


def test_info_says_which_columns_were_taken(call: Call) -> None:
    Path("x.csv").write_text("id,from,to,cost\n7,0,1,2.5\n")
    done = call("info", "x.csv", "--json", "facts.json")
    assert re.search(r"^taken_columns +from, to, cost$", done.out, re.MULTILINE)
    assert json.loads(Path("facts.json").read_text())["taken_columns"] == ["from", "to", "cost"]


def test_info_of_self_loops_and_one_way_edges(call: Call) -> None:
    Path("x.wel").write_text("0 0 2.5\n0 1 1.0\n1 0 7.0\n")
    assert re.search(r"^symmetric +structure only$", call("info", "x.wel").out, re.MULTILINE)
    Path("x.wel").write_text("0 1 1.0\n")
    done = call("info", "x.wel")
    assert re.search(r"^symmetric +no$", done.out, re.MULTILINE)
    assert re.search(r"^largest_value +1.0$", done.out, re.MULTILINE)


@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (3, 3), (0, 0), (1, 1)])
def test_info_of_matrices_without_entries(call: Call, rows: int, columns: int) -> None:
    Path("x.mtx").write_text(f"%%MatrixMarket matrix coordinate real general\n{rows} {columns} 0\n")
    done = call("info", "x.mtx")
    assert done.status == 0
    assert re.search(r"^entries +0$", done.out, re.MULTILINE)
    assert ("components" in done.out) == (rows == columns)


@pytest.mark.parametrize("name", ["a.mtx", "a.mtx.gz", "a.tsv", "a.csv", "a.npz"])
def test_convert_keeps_the_graph(call: Call, sei: Path, name: str) -> None:
    done = call("convert", sei, name, "--undirected")
    assert (done.status, done.out) == (0, "")
    assert done.err == f"{name}: 9x9, 20 entries\n"
    assert same(read(Path(name)).matrix, read(sei, symmetric=True).matrix)


def test_convert_onto_itself_is_wrong_usage(call: Call, sei: Path) -> None:
    before = sei.read_text()
    assert call("convert", sei, sei).status == 2
    assert sei.read_text() == before


GENERATED = {
    "kronecker --scale 5 --edgefactor 4": (32, None),
    "uniform --vertices 20 --edges 30": (20, None),
    "uniform --vertices 0 --edges 0": (0, 0),
    "uniform --vertices 1 --edges 3": (1, 0),
    "grid --rows 3 --columns 4": (12, 34),
    "grid --rows 1 --columns 1": (1, 0),
    "path --vertices 5": (5, 8),
    "star --vertices 5": (5, 8),
    "small-world --vertices 9 --neighbours 2 --rewired 0": (9, 18),
    "preferential-attachment --vertices 9 --edges 2": (9, None),
    "planted-partition --communities 2 --size 3 --inside 2 --outside 1": (6, None),
}


@pytest.mark.parametrize("kind", GENERATED)
@pytest.mark.parametrize("more", [[], ["--weights"], ["--directed"]], ids=str)
def test_generate(call: Call, kind: str, more: list[str]) -> None:
    n, entries = GENERATED[kind]
    done = call("generate", *kind.split(), *more, "--quiet", "a.mtx")
    assert (done.status, done.out, done.err) == (0, "", "")
    graph = read(Path("a.mtx")).matrix
    assert graph.shape == (n, n)
    if entries is not None:
        assert graph.nvals == (entries // 2 if more == ["--directed"] else entries)
    if not more or more == ["--weights"]:
        assert same(graph, graph.T)
    assert (graph.dtype.kind == "f") == (more == ["--weights"]) or not graph.nvals
    assert call("generate", *kind.split(), *more, "b.mtx").status == 0
    assert Path("a.mtx").read_bytes() == Path("b.mtx").read_bytes()


def test_another_seed_makes_another_graph(call: Call) -> None:
    for name, seed in (("a.mtx", "1"), ("b.mtx", "2")):
        call("generate", "kronecker", "--scale", "5", "--seed", seed, name)
    assert Path("a.mtx").read_bytes() != Path("b.mtx").read_bytes()


@pytest.mark.parametrize(
    "command", ["bfs {} --source 0", "sssp {} --source 0", "info {}", "convert {} y.npz"]
)
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("missing.mtx", None),
        ("folder.mtx", "folder"),
        ("x.unknown", "0 1\n"),
        ("x.mtx", "junk\n"),
        ("x.mtx", ""),
        ("x.tsv", "0\tone two\tthree\tfour\tfive\n"),
        ("x.npz", "no archive"),
        ("x.mtx.gz", "no gzip"),
    ],
)
def test_bad_files_are_one_line_and_status_1(
    call: Call, command: str, name: str, content: str | None
) -> None:
    if content == "folder":
        Path(name).mkdir()
    elif content is not None:
        Path(name).write_text(content)
    done = call(*command.format(name).split())
    assert (done.status, done.out) == (1, "")
    assert re.fullmatch(r"anypair: .*\n", done.err)
    assert name in done.err
    assert not Path("y.npz").exists()


def test_a_place_that_cannot_be_written(call: Call, sei: Path) -> None:
    Path("file").touch()
    done = call("bfs", sei, "--source", "1", "--output", "file/x.tsv")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("anypair: file")
