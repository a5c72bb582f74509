"""pagerank, components, triangles and cores, on files."""

import json
import re
from pathlib import Path

import pytest

from anypair import Matrix, Vector
from anypair.backends.processes import Processes
from anypair.cli.answers import _rehearse
from anypair.compiling.interpreting import interpreter
from tests.cli.conftest import Call

FRIENDS = "ann,bob\nbob,cleo\ncleo,ann\ncleo,dan\n"


@pytest.fixture
def friends() -> str:
    Path("friends.csv").write_text(FRIENDS)
    return "friends.csv"


def test_pagerank_with_the_best_first(call: Call, friends: str) -> None:
    done = call("pagerank", friends, "--top", "2")
    assert done.status == 0
    heading, *lines = done.out.splitlines()
    assert heading == "vertex\trank"
    assert [line.split("\t")[0] for line in lines] == ["cleo", "bob"]
    assert re.fullmatch(r"pagerank of 4 vertices in .* on scipy\n", done.err)
    all_of_them = call("pagerank", friends, "--quiet").out.splitlines()[1:]
    assert sum(float(line.split("\t")[1]) for line in all_of_them) == pytest.approx(1)
    other = call("pagerank", friends, "--quiet", "--damping", "0.1").out
    assert other != "\n".join([heading, *all_of_them]) + "\n"


@pytest.mark.parametrize("damping", ["2", "-0.1", "nan", "much"])
def test_pagerank_refuses_damping(call: Call, friends: str, damping: str) -> None:
    done = call("pagerank", friends, f"--damping={damping}")
    assert done.status == 2
    assert repr(damping) in done.err


def test_components(call: Call, friends: str) -> None:
    done = call("components", friends, "--json", "facts.json")
    assert done.out == "vertex\tcomponent\nann\tann\nbob\tann\ncleo\tann\ndan\tann\n"
    assert ", components: 1, largest component: 4 in " in done.err
    facts = json.loads(Path("facts.json").read_text())
    assert (facts["command"], facts["components"], facts["largest_component"]) == ("components", 1, 4)
    assert facts["rows"][3] == ["dan", "ann"]
    assert "source" not in facts
    done = call("components", friends, "--strong", "--quiet")
    assert done.out == "vertex\tcomponent\nann\tann\nbob\tann\ncleo\tann\ndan\tdan\n"


def test_triangles(call: Call, friends: str) -> None:
    done = call("triangles", friends, "--undirected")
    assert done.out == "vertex\ttriangles\nann\t1\nbob\t1\ncleo\t1\n"
    assert ", triangles: 1 in " in done.err
    done = call("triangles", friends, "--undirected", "--clustering", "--top", "1", "--quiet")
    assert done.out == "vertex\tclustering\nann\t1.0\n"


def test_cores(call: Call, friends: str) -> None:
    done = call("cores", friends, "--undirected", "--quiet")
    assert done.out == "vertex\tcore\nann\t2\nbob\t2\ncleo\t2\ndan\t1\n"


@pytest.mark.parametrize("command", ["triangles", "cores"])
def test_directed_graphs_are_refused(call: Call, friends: str, command: str) -> None:
    done = call(command, friends)
    assert (done.status, done.out) == (1, "")
    assert done.err == (
        f"anypair: friends.csv: some edges have no reverse, and {command} is asked of undirected graphs; "
        "--undirected adds it\n"
    )


@pytest.mark.parametrize("command", ["bfs --source ann", "cores"])
def test_parquet(call: Call, friends: str, command: str) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    done = call(*command.split(), friends, "--undirected", "--output", "found.parquet", "--quiet")
    assert (done.status, done.out) == (0, "")
    found = parquet.read_table("found.parquet").to_pydict()
    assert found["vertex"] == ["ann", "bob", "cleo", "dan"]
    values = {"parent": ["ann", "ann", "ann", "cleo"], "core": [2, 2, 2, 1]}
    heading = list(found)[1]
    assert found[heading] == values[heading]


@pytest.mark.parametrize(
    "method", ["louvain", "label-propagation", "peer-pressure", "markov-clustering"]
)
def test_communities(call: Call, method: str) -> None:
    """Two cliques; an edge between carries peer pressure over."""
    cliques = [(a, b) for names in ("abcde", "vwxyz") for a in names for b in names if a < b]
    bridge = [("e", "v")] if method != "peer-pressure" else []
    Path("two.csv").write_text("".join(f"{a},{b}\n" for a, b in [*cliques, *bridge]))
    done = call("communities", "two.csv", "--undirected", "--method", method, "--json", "facts.json")
    assert done.out == "vertex\tcommunity\n" + "".join(
        f"{name}\t{names[0]}\n" for names in ("abcde", "vwxyz") for name in names
    )
    assert ", communities: 2, largest community: 5 in " in done.err
    assert json.loads(Path("facts.json").read_text())["communities"] == 2
    if method != "peer-pressure":
        done = call("communities", "two.csv", "--method", method)
        assert (done.status, done.out) == (1, "")
        assert "--undirected adds it" in done.err


@pytest.mark.parametrize("spent", [0.0, 1.0])
def test_nothing_is_compiled_while_the_time_runs(monkeypatch: pytest.MonkeyPatch, spent: float) -> None:
    """Kernels that Python has run until it took too long get machine code in another call before."""
    monkeypatch.setattr(interpreter, "budget", 0.0)
    interpreted = []

    def ask(graph: Matrix) -> Vector:
        interpreted.append(interpreter.budget > 0)
        interpreter.budget -= spent
        return Vector.full(graph.nrows, 1, like=graph)

    at_once = _rehearse(ask, Matrix.from_edges([0], [1]), [], Processes())
    assert (at_once, interpreted) == ((False, [True, False]) if spent else (True, [True]))


def test_errors_tell_what_the_file_calls_their_vertices(call: Call) -> None:
    Path("debts.csv").write_text("from,to,weight\nzoe,ann,1\nann,bob,-3\nbob,ann,1\n")
    done = call("sssp", "debts.csv", "--source", "zoe")
    assert done.status == 1
    assert done.err.endswith("from 2 (vertex 2 is 'zoe', vertex 0 is 'ann', vertex 1 is 'bob')\n")
    most = 2**63 - 2
    Path("far.csv").write_text(f"from,to,weight\nzoe,ann,{most}\nann,bob,{most}\n")
    done = call("sssp", "far.csv", "--source", "zoe")
    assert done.status == 1
    assert "the path to vertex 1 is longer" in done.err
    assert done.err.endswith("(vertex 2 is 'zoe', vertex 1 is 'bob')\n")
    Path("debts.el").write_text("0 1 -3\n1 0 1\n")
    assert call("sssp", "debts.el", "--source", "0").err.endswith("can be reached from 0\n")


def test_stdout_takes_the_table_or_the_facts(call: Call, friends: str) -> None:
    done = call("pagerank", friends, "--json", "-", "--output", "-")
    assert done.status == 2
    assert "arguments --json and --output: stdout takes one of them" in done.err


def test_a_graph_without_vertices_has_no_source(call: Call) -> None:
    Path("none.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n")
    assert (
        "no vertex is called '0'; there is none at all" in call("bfs", "none.mtx", "--source", "0").err
    )
