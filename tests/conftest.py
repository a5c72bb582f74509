"""Every test that takes `backend` runs once for each row of the registry.

`ANYPAIR_TEST_BACKENDS=a,b` names the backends that have to be there: a missing one fails. Without it
backends that are not installed are skipped. `ANYPAIR_TEST_OPTIONS=local=scipy,unit=1` are options for them.
Where no GPU is, `cuda` and `hybrid` run compiled kernels in an emulator (`tests/cuda/emulator`).
`ANYPAIR_TEST_THREADS=5` gives those that have the option so many threads, and cuts even tiny work into
pieces for them.
"""

import math
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

import anypair
from anypair.backends.registry import BACKENDS, default_options, why_not
from anypair.compiling.interpreting import interpreter
from tests.cuda.compilation.registers import pytest_terminal_summary  # noqa: F401  a hook
from tests.support.cutting import cut_all_work
from tests.support.taking_turns import take_turns

THREADS = int(os.environ.get("ANYPAIR_TEST_THREADS", "0"))
REQUIRED = [name for name in os.environ.get("ANYPAIR_TEST_BACKENDS", "").split(",") if name]
OPTIONS = [
    option.split("=") for option in os.environ.get("ANYPAIR_TEST_OPTIONS", "").split(",") if option
]

if os.environ.get("ANYPAIR_TEST_INTERPRETED") == "1":  # as far as that is possible
    interpreter.budget = interpreter.little = math.inf

EMULATED = {"cuda", "hybrid"} & {*REQUIRED} or ["local", "cuda"] in OPTIONS

if EMULATED:
    from tests.cuda.emulator.plugin import draw_schedule, emulate_without_gpu

    emulate_without_gpu()

KEPT_VARIABLES = ("ANYPAIR_TEST_", "ANYPAIR_CACHE")

settings.register_profile(
    "anypair",
    derandomize=True,  # ranks of one MPI job have to draw the same examples
    database=None,
    deadline=None,
    max_examples=int(os.environ.get("ANYPAIR_TEST_EXAMPLES", "40")),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("anypair")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs on each backend, so that `-m each_backend` leaves out what another run has tested.

    What needs the emulator runs with its backend only. And begin with what takes long, so that no worker is
    left with it at the end while others rest.
    """
    for item in items:
        if "backend" in getattr(item, "fixturenames", ()) or "emulated" in item.path.parts:
            item.add_marker("each_backend")
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(params=REQUIRED or list(BACKENDS))
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a backend that is in use during the test."""
    name = request.param
    if reason := why_not(name):
        if REQUIRED:
            pytest.fail(reason)
        pytest.skip(reason)
    options = {"threads": THREADS} if THREADS and "threads" in default_options(name) else {}
    if options:
        cut_all_work(monkeypatch)
    if name == "hybrid" and EMULATED:
        take_turns(monkeypatch)
    with anypair.using(name, **options):
        if EMULATED:
            draw_schedule(request.node.nodeid)
        yield name


@pytest.fixture(autouse=True)
def _clean_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see no configuration but their own."""
    for variable in list(os.environ):
        if variable.startswith("ANYPAIR_") and not variable.startswith(KEPT_VARIABLES):
            monkeypatch.delenv(variable)
    for option, value in OPTIONS:
        monkeypatch.setenv(f"ANYPAIR_{option.upper()}", value)
