"""Sizes: one rule for every argument that is one, on every backend."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anypair import Matrix, Vector, kron, selection
from anypair.cli.entry import main
from anypair.errors import InvalidValue
from anypair.semiring import land

PLACES: dict[str, Callable[[Any], object]] = {
    "selection: ncols": lambda size: selection(Vector.from_entries([0, 1], [0, 1], 2), size),
    "Vector.from_entries: size": lambda size: Vector.from_entries([0], [1], size),
    "Vector.from_entries: size=": Vector.empty,  # type: ignore[dict-item]
    "Vector.full: size": lambda size: Vector.full(size, 1),
    "Matrix.from_entries: nrows": lambda size: Matrix.from_entries([], [], [], (size, 2)),
    "Matrix.from_entries: ncols": lambda size: Matrix.empty((2, size)),
    "Matrix.from_edges: n": lambda size: Matrix.from_edges([0], [1], n=size),
}


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (2.5, "2.5 is not a whole number"),
        (True, "True is not a whole number"),
        ("3", "'3' is not a whole number"),
        (None, "None is not a whole number"),
        (-5, "-5 is negative"),
        (2**63, r"9223372036854775808 is too large; give at most 2\*\*63 - 1"),
        (2**70, "is too large"),
        (np.uint64(2**64 - 1), "18446744073709551615 is too large"),
    ],
)
@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_size_is_refused(backend: str, place: str, size: Any, said: str) -> None:
    if size is None and place.endswith("from_edges: n"):
        return  # which means: from the edges
    with pytest.raises(InvalidValue, match=f"{place}=?.*{said}"):
        PLACES[place](size)


def test_a_product_of_sizes_is_a_size() -> None:
    long = Matrix.empty((2**40, 1), bool, backend="reference")
    with pytest.raises(InvalidValue, match="kron: nrows=1208925819614629174706176 is too large"):
        kron(long, long, land)


def test_the_largest_vector(backend: str) -> None:
    size = 2**60 if backend == "suitesparse" else 2**63 - 1
    if backend in ("mpi", "cuda"):
        size = 2**20
    v = Vector.from_entries([size - 1], [7], np.int64(size))
    assert v.size == size
    assert v.to_dict() == {size - 1: 7}


def test_a_seed_is_no_size() -> None:
    assert Matrix.from_edges([0, 1], [1, 0]).shuffled(seed=2**70).graph.nvals == 2


def test_a_grid_that_is_too_large_is_refused_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "grid", "--rows", str(2**40), "--columns", str(2**40), "x.npz"]) == 2
    assert "rows * columns=1208925819614629174706176 is too large" in capsys.readouterr().err
