"""What can be written where: the parser's tree in a form that the writers of shell scripts can use."""

import argparse
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass

AGAIN = "--"
PATHS = ("FILE", "DIR", "IN", "OUT")  # the names that paths have in usage lines


@dataclass(frozen=True)
class Word:
    """An option or an argument: its spellings, what it means, and what may follow."""

    spellings: tuple[str, ...]
    meaning: str
    takes_value: bool
    choices: tuple[str, ...]
    is_path: bool
    takes_rest: bool = False  # all words that follow, which are for something else


@dataclass(frozen=True)
class Place:
    """What can be written after these words: subcommands, options, arguments."""

    words: tuple[str, ...]
    meaning: str
    subcommands: tuple[tuple[str, str], ...]
    options: tuple[Word, ...]
    arguments: tuple[Word, ...]


def places(parser: ArgumentParser) -> list[Place]:
    """The parser's tree as a list, the root first.

    After `--` of a subcommand that runs another one, all that the root has to offer comes again.
    """
    found = list(_places(parser, (), ""))
    script = Word(("FILE",), "a Python script", True, (), True)
    again = [
        Place((*place.words, AGAIN), place.meaning, found[0].subcommands, (), (script,))
        for place in found
        if any(word.takes_rest for word in place.arguments)
    ]
    return found + again


def _places(parser: ArgumentParser, words: tuple[str, ...], meaning: str) -> Iterator[Place]:
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
        yield from _places(subparser, (*words, name), meanings.get(name, ""))


def _word(action: argparse.Action) -> Word:
    text = (action.help or "").replace("%(default)s", str(action.default))
    return Word(
        tuple(action.option_strings) or (str(action.metavar or action.dest),),
        text,
        action.nargs != 0,
        tuple(map(str, action.choices or ())),
        action.metavar in PATHS,
        action.nargs == argparse.REMAINDER,
    )
