"""Examples in docstrings say what a call gives, which is the same on any backend."""

from collections.abc import Iterator

import pytest

import anypair

#: Where examples are about machine code, or a backend.
COMPILED = ("backends", "compiling", "threads", "config.py", "trace.py")


@pytest.fixture(autouse=True)
def _portable(request: pytest.FixtureRequest) -> Iterator[None]:
    """Examples compile nothing but where that is what they show: tests of each backend do."""
    place = request.path.relative_to(request.config.rootpath).parts
    if isinstance(request.node, pytest.DoctestItem) and place[1] not in COMPILED:
        with anypair.using("scipy"):
            yield
    else:
        yield
