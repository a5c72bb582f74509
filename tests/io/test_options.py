"""One table of options: `read` and its kin, the command, and what errors advise, cannot differ from it."""

import inspect
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anypair.cli.files import add_input
from anypair.errors import AnypairError, InvalidValue, option
from anypair.io import from_pandas, from_polars, read, read_edges
from anypair.io.options import OPTIONS, TABLE, Switches, Value, spell_for_shell

OF_READ = [row for row in OPTIONS if row.name not in ("start", "stop")]


def keywords(function: Callable[..., Any]) -> dict[str, Any]:
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and name not in ("backend", "like")
    }


def test_read_has_the_options_of_the_table_and_no_others() -> None:
    assert keywords(read) == {row.name: row.default for row in OF_READ}
    documented = read.__doc__ or ""
    assert [row.name for row in OF_READ if f"`{row.name}" not in documented] == ["format"]


@pytest.mark.parametrize("function", [read_edges, from_pandas])
def test_its_kin_have_some_of_them(function: Callable[..., Any]) -> None:
    for name, default in keywords(function).items():
        assert default == TABLE[name].default or (name, default) == ("symmetric", False)


def test_the_command_has_the_options_of_read() -> None:
    assert {row.name for row in OPTIONS if row.shell is not None} == {row.name for row in OF_READ}
    parser = ArgumentParser()
    add_input(parser)
    given = vars(parser.parse_args(["graph.csv"]))
    assert given == {"file": Path("graph.csv")} | {row.name: row.default for row in OF_READ}


SAID: dict[str, tuple[list[str], Any]] = {
    "format": (["--format", "el"], "el"),
    "symmetric": (["--undirected"], True),
    "weights": (["--no-weights"], False),
    "vertices": (["--vertices", "names"], "names"),
    "one_based": (["--one-based"], True),
    "n": (["--n", "7"], 7),
    "delimiter": (["--delimiter", "tab"], "\t"),
    "header": (["--no-header"], False),
    "columns": (["--columns", 'from,"to, really",3'], ("from", "to, really", 3)),
    "dtype": (["--dtype", "float32"], "float32"),
    "duplicates": (["--duplicates", "plus"], "plus"),
    "self_loops": (["--no-self-loops"], False),
    "limit": (["--limit", "100"], 100),
}


@pytest.mark.parametrize("name", [row.name for row in OF_READ])
def test_each_can_be_said_on_a_command_line(name: str) -> None:
    parser = ArgumentParser()
    add_input(parser)
    words, value = SAID[name]
    assert vars(parser.parse_args(["graph.csv", *words]))[name] == value


@pytest.mark.parametrize(
    ("mentioned", "in_python", "in_a_shell"),
    [
        (option("n"), "n=", "--n"),
        (option("columns", "(0, 1, 3)"), "columns=(0, 1, 3)", "--columns 0,1,3"),
        (option("columns", "('a b', 'c')"), "columns=('a b', 'c')", "--columns 'a b,c'"),
        (option("vertices", "'names'"), "vertices='names'", "--vertices names"),
        (option("header", "False"), "header=False", "--no-header"),
        (option("weights", "True"), "weights=True", "--weights"),
        (option("self_loops", "False"), "self_loops=False", "--no-self-loops"),
        (option("dtype", "float"), "dtype=float", "--dtype float"),
        (option("duplicates", "anypair.semiring.plus"), "duplicates=anypair.semiring.plus",
         "--duplicates plus"),
        (option("start"), "start=", "start="),
    ],
)  # fmt: skip
def test_advice_in_the_words_of_each_front_end(mentioned: str, in_python: str, in_a_shell: str) -> None:
    error = AnypairError(f"give {mentioned}, please")
    assert str(error) == f"give {in_python}, please"
    assert error.spelled(spell_for_shell) == f"give {in_a_shell}, please"


def test_advice_for_the_shell_can_be_followed() -> None:
    parser = ArgumentParser()
    add_input(parser)
    for row in OF_READ:
        if isinstance(row.shell, Switches):
            words = [switch[0] for switch in (row.shell.on, row.shell.off) if switch is not None]
        else:
            assert isinstance(row.shell, Value)
            words = [row.shell.spell(row.name, "")]
        assert all(word in parser.format_help() for word in words)


@pytest.mark.parametrize("name", [row.name for row in OF_READ if isinstance(row.shell, Switches)])
def test_switches_are_true_or_false(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.el").write_text("0 1\n")
    given: dict[str, Any] = {name: "yes"}
    with pytest.raises(InvalidValue, match=f"{name}='yes' is neither True nor False"):
        read(tmp_path / "a.el", **given)


def test_polars_takes_what_pandas_takes() -> None:
    assert list(inspect.signature(from_polars).parameters)[:2] == ["frame", "columns"]
