"""What can be written where: the parser's tree in a form that the writers of shell scripts can use."""

import argparse
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass

PATHS = ("FILE", "DIR", "IN", "OUT")  # the names that paths have in usage lines


@dataclass(frozen=True)
class Word:
    """An option or an argument: its spellings, what it means, and what may follow."""

    spellings: tuple[str, ...]
    meaning: str
    takes_value: bool
    choices: tuple[str, ...]
    is_path: bool


@dataclass(frozen=True)
class Place:
    """What can be written after these words: subcommands, options, arguments."""

    words: tuple[str, ...]
    meaning: str
    subcommands: tuple[tuple[str, str], ...]
    options: tuple[Word, ...]
    arguments: tuple[Word, ...]


def places(parser: ArgumentParser, words: tuple[str, ...] = (), meaning: str = "") -> Iterator[Place]:
    """The parser's tree as a list, the root first."""
    subcommands: dict[str, ArgumentParser] = {}
    meanings: dict[str, str] = {}
    options, arguments = [], []
    for action in parser._actions:  # argparse has no public way to look into a parser
        if isinstance(action, argparse._SubParsersAction):
            subcommands = dict(action.choices)
            meanings = {each.dest: each.help or "" for each in action._choices_actions}
        elif action.option_strings:
            options.append(_word(action))
        else:
            arguments.append(_word(action))
    named = tuple((name, meanings.get(name, "")) for name in subcommands)
    yield Place(words, meaning, named, tuple(options), tuple(arguments))
    for name, subparser in subcommands.items():
        yield from places(subparser, (*words, name), meanings.get(name, ""))


def _word(action: argparse.Action) -> Word:
    text = (action.help or "").replace("%(default)s", str(action.default))
    return Word(
        tuple(action.option_strings) or (str(action.metavar or action.dest),),
        text,
        action.nargs != 0,
        tuple(map(str, action.choices or ())),
        action.metavar in PATHS,
    )
