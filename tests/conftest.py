"""Every test that takes `backend` runs once for each row of the registry.

`ANYPAIR_TEST_BACKENDS=a,b` names the backends that have to be there: a missing one fails. Without it
backends that are not installed are skipped.
"""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

import anypair
from anypair.backends.registry import BACKENDS, why_not
from tests.cuda.compilation.registers import pytest_terminal_summary  # noqa: F401  a hook

REQUIRED = [name for name in os.environ.get("ANYPAIR_TEST_BACKENDS", "").split(",") if name]

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


@pytest.fixture(params=REQUIRED or list(BACKENDS))
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of a backend that is in use during the test."""
    name = request.param
    if reason := why_not(name):
        if REQUIRED:
            pytest.fail(reason)
        pytest.skip(reason)
    with anypair.using(name):
        yield name


@pytest.fixture(autouse=True)
def _clean_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see no configuration but their own."""
    for variable in list(os.environ):
        if variable.startswith("ANYPAIR_") and not variable.startswith(KEPT_VARIABLES):
            monkeypatch.delenv(variable)
