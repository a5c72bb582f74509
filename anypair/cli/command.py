"""What a subcommand is: a name, words about it, its options, and what it does."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass


class UsageError(Exception):
    """Options that cannot be meant together, which the parser alone cannot see."""


@dataclass(frozen=True)
class Command:
    """A subcommand; `run` returns the exit status."""

    name: str
    summary: str
    description: str
    examples: Sequence[str]
    configure: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]
