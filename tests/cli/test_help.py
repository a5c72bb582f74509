"""Help: every subcommand and option is described, and every example can be parsed."""

import argparse
import shlex

import pytest

import anypair
from anypair.cli.command import Command
from anypair.cli.commands import COMMANDS
from anypair.cli.grammar import Place, places
from anypair.cli.parser import build_parser
from tests.cli.conftest import Call

PARSER = build_parser(COMMANDS)
PLACES = [place for place in places(PARSER) if "--" not in place.words]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: " ".join(place.words) or "anypair")
def test_everything_is_described(call: Call, place: Place) -> None:
    done = call(*place.words, "--help")
    assert (done.status, done.err) == (0, "")
    for word in (*place.options, *place.arguments):
        assert word.meaning, f"{word.spellings} has no help text"
        assert all(spelling in done.out for spelling in word.spellings)
    for name, meaning in place.subcommands:
        assert meaning, f"{name} has no help text"
        assert name in done.out
    assert "None" not in done.out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_examples_can_be_parsed(command: Command) -> None:
    assert command.examples
    for example in command.examples:
        words = shlex.split(example.split("<(")[-1].replace(")", " "), comments=True)
        words = words[: words.index("|")] if "|" in words else words
        assert words[0] == "anypair"
        assert PARSER.parse_args(words[1:]).command == command.name


def test_the_lines_of_help_fit_a_terminal(call: Call) -> None:
    for command in COMMANDS:
        assert max(map(len, command.description.splitlines())) <= 100
        assert max(map(len, command.examples)) <= 100


def test_version(call: Call) -> None:
    assert call("--version").out == f"anypair {anypair.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "magic",
        "backends --magic",
        "graph500",
        "graph500 --scale x",
        "graph500 --scale -1",
        "graph500 --scale 5 --roots 0",
        "graph500 --scale 5 --threads 0",
        "graph500 --scale 5 --backend magic",
        "graph500 --scale 5 --back jit",
        "graph500 --scale 5 --backend reference --threads 2",
        "bench --scales 5-3",
        "bench --scales 5,",
        "bench --backends jit,magic",
        "bench --threads 0",
        "bfs x.mtx",
        "bfs x.mtx --source 0 --levels --parents",
        "bfs x.mtx --source 0 --format magic",
        "sssp x.mtx --source 0 --delta 0",
        "sssp x.mtx --source 0 --delta x",
        "sssp x.mtx --source 0 --delta nan",
        "generate",
        "generate magic x.mtx",
        "generate kronecker x.mtx",
        "generate grid --rows 0 --columns 3 x.mtx",
        "convert x.mtx",
        "report",
        "completion",
        "completion csh",
    ],
)
def test_wrong_usage_is_status_2_with_a_usage_line(call: Call, arguments: str) -> None:
    done = call(*arguments.split())
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith("usage: anypair")
    assert done.err.count("Traceback") == 0


def test_subcommands_are_told_apart_by_name() -> None:
    names = [command.name for command in COMMANDS]
    assert len(set(names)) == len(names)
    (action,) = (a for a in PARSER._actions if isinstance(a, argparse._SubParsersAction))
    assert list(action.choices) == names
