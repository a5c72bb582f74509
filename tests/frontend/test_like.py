"""New objects where another one is, whatever backend is in use."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas
import pytest
import scipy.sparse

import anypair
from anypair import Matrix, Vector, vxm
from anypair.algorithms import bfs_parents
from anypair.errors import BackendMismatch, InvalidArgument
from anypair.semiring import min_plus, min_source

FRAME = pandas.DataFrame({"from": [0, 1], "to": [1, 2], "weight": [3, 4]})
ROADS = Path(__file__).parents[1] / "support" / "roads.csv"
CONSTRUCTORS: dict[str, Callable[..., Any]] = {
    "Vector.from_entries": lambda **how: Vector.from_entries([1], [2.0], 3, **how),
    "Vector.empty": lambda **how: Vector.empty(3, **how),
    "Vector.full": lambda **how: Vector.full(3, 1, **how),
    "Vector.range": lambda **how: Vector.range(3, **how),
    "Vector.random": lambda **how: Vector.random(3, 5, **how),
    "Matrix.full": lambda **how: Matrix.full((2, 1), 7, **how),
    "Matrix.identity": lambda **how: Matrix.identity(2, **how),
    "Vector.from_numpy": lambda **how: Vector.from_numpy([1, 2, 3], **how),
    "Matrix.from_entries": lambda **how: Matrix.from_entries([0], [1], [2], (2, 2), **how),
    "Matrix.from_edges": lambda **how: Matrix.from_edges([0], [1], symmetric=True, **how),
    "Matrix.empty": lambda **how: Matrix.empty((2, 2), **how),
    "Matrix.from_numpy": lambda **how: Matrix.from_numpy([[1, 2]], **how),
    "io.from_networkx": lambda **how: anypair.io.from_networkx(nx.path_graph(3), **how).matrix,
    "io.from_pandas": lambda **how: anypair.io.from_pandas(FRAME, **how).matrix,
    "io.read": lambda **how: anypair.io.read(ROADS, **how).matrix,
    "Matrix.from_scipy": lambda **how: Matrix.from_scipy(scipy.sparse.csr_array(np.eye(2)), **how),
}


def other_than(backend: str) -> str:
    return "scipy" if backend == "reference" else "reference"


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_every_constructor_takes_like(backend: str, name: str) -> None:
    graph, vector = Matrix.from_edges([0], [1]), Vector.empty(1)
    with anypair.using(other_than(backend)):
        for like in (graph, vector):
            made = CONSTRUCTORS[name](like=like)
            assert made.backend is like.backend
            assert anypair.same(made.to("reference"), CONSTRUCTORS[name](backend="reference"))
        assert CONSTRUCTORS[name]().backend.name == other_than(backend)
    with pytest.raises(
        InvalidArgument, match=f"{CONSTRUCTORS_CALL[name]}: like=.* is not a Matrix or Vector"
    ):
        CONSTRUCTORS[name](like="graph")
    with pytest.raises(InvalidArgument, match="like= and backend= both say where"):
        CONSTRUCTORS[name](like=graph, backend="scipy")


#: Whose name the error has: some constructors are another one with other arguments.
CONSTRUCTORS_CALL = {
    name: f"({name.split('.', maxsplit=1)[0]}.)?({name.split('.')[1]}|from_entries)"
    for name in CONSTRUCTORS
}


def test_a_mismatch_advises_to_move_the_vector(backend: str) -> None:
    graph = Matrix.from_edges([0], [1], [5])
    with anypair.using(other_than(backend)):
        u = Vector.from_entries([0], [1], 2)
        message = r"make new ones with like=A, or move them, as in u\.to\(A\.backend\)"
        with pytest.raises(BackendMismatch, match=message):
            vxm(u, graph, min_plus)
        with pytest.raises(BackendMismatch, match=r"as in mask=x\.to\(A\.backend\)\.structure"):
            vxm(u.to(graph.backend), graph, min_source, mask=~u.structure)
    assert vxm(u.to(graph.backend), graph, min_plus).to_dict() == {1: 6}


def test_algorithms_follow_the_graph(backend: str) -> None:
    graph = Matrix.from_edges([0], [1])
    with anypair.using(other_than(backend)):
        assert bfs_parents(graph, 0).backend is graph.backend
