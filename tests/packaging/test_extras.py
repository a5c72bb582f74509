"""What `make resolve` tries is what pyproject.toml offers."""

import itertools
import re
import tomllib
from typing import Any

import pytest

from tests.packaging.resolution import EXTRAS, PYTHONS, ROOT


@pytest.fixture(scope="module")
def project() -> Any:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_all_extras_are_resolved(project: Any) -> None:
    assert set(EXTRAS) == {"", *project["optional-dependencies"]}


def test_all_versions_of_python_are_resolved(project: Any) -> None:
    classified = re.findall(r"Python :: (3\.\d+)$", "\n".join(project["classifiers"]), re.MULTILINE)
    assert sorted(classified) == sorted(PYTHONS)
    assert project["requires-python"] == f">={PYTHONS[0]}"


def test_what_we_know_the_inside_of_has_an_upper_bound(project: Any) -> None:
    """Kernels and their cache use internals of these; the C interface of GraphBLAS may change, too."""
    extras = project["optional-dependencies"].values()
    given = [*project["dependencies"], *itertools.chain.from_iterable(extras)]
    for library in ("numba", "llvmlite", "numba-cuda", "suitesparse-graphblas"):
        found = [text for text in given if re.match(rf"{library}(\[\w+\])?[><=]", text)]
        assert found, library
        assert all(re.search(r",<\d", text) for text in found), found
