"""Operators are read by many threads at once, as on ranks that are threads."""

import gc
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from anypair.backends.cuda.division import with_checked_division
from anypair.compiling.syntax import parse

TEXT = "\n".join(f"def f{i}(x, y):\n    return (x // y) + x % {i} * (x / y)" for i in range(1, 20))


@pytest.fixture
def other_threads_run_while_one_parses() -> Iterator[None]:
    """CPython parses without a pause, except for the garbage collector's callbacks."""

    def pause(phase: str, info: dict[str, int]) -> None:
        time.sleep(1e-5)

    thresholds = gc.get_threshold()
    gc.callbacks.append(pause)
    gc.set_threshold(50)
    yield
    gc.set_threshold(*thresholds)
    gc.callbacks.remove(pause)


@pytest.mark.usefixtures("other_threads_run_while_one_parses")
@pytest.mark.parametrize("read", [parse, with_checked_division])
def test_threads_that_parse_at_once(read: Callable[[str], object]) -> None:
    errors: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(3):
                read(TEXT)
        except SystemError as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
