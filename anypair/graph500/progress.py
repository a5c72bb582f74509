"""How a long run tells what it is doing."""

from typing import Protocol


class Progress(Protocol):
    """Called at the begin of each stage with `done` 0, and after each step of it."""

    def __call__(self, stage: str, done: int, total: int) -> None: ...


def silent(stage: str, done: int, total: int) -> None:
    """Tell nobody."""
