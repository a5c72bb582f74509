"""All algorithms on all graphs: right answers, wrong ones noticed, bad input refused."""

import math
from typing import Any

import networkx as nx
import pytest

import anypair
from anypair import Matrix
from anypair.algorithms import undirected
from anypair.errors import InvalidValue
from tests.algorithms.graphs import prepared
from tests.algorithms.row import EVERY, Row, matrix_of, spoiled
from tests.algorithms.rows import ROWS
from tests.algorithms.verifiers import BAD_GRAPHS, BAD_VERTICES, refused

SMALL = prepared("small", nx.path_graph(3))
ONE_WAY = prepared("one way", nx.path_graph(3, create_using=nx.DiGraph))
WEIGHTS = {
    "negative": [(-1.0, "weight -1.0 is negative")],
    "not finite": [(weight, "is infinite or NaN") for weight in (math.nan, math.inf, -math.inf)],
    "above 1": [(1.5, "weight 1.5 is no chance")],
    "zero": [(0.0, "weight 0.0 is not above 0")],
}


def rows(*rows: Row) -> Any:
    return pytest.mark.parametrize("row", rows, ids=str)


@rows(*ROWS)
def test_answers(backend: str, row: Row) -> None:
    wrong, count = {}, 0
    for graph in row.graphs():
        count += 1
        try:
            row.check(graph, row.answer(graph))
        except AssertionError as error:
            wrong[graph.graph["name"]] = str(error)[:400]
    assert not wrong
    assert count >= 30 // EVERY


@rows(*ROWS)
def test_spoiled_answers_are_noticed(row: Row) -> None:
    """Answers of the portable backend: the checks are the same for all."""
    graph = row.graph(row.spoiled)
    with anypair.using("scipy"):
        answer = row.answer(graph)
        others = [*spoiled(answer), *(spoil(answer) for spoil in row.spoilers)]
        assert others
        for other in others:
            with pytest.raises(AssertionError):
                row.check(graph, other)


def calls(row: Row) -> tuple[Any, dict[str, Any]]:
    """A graph of three vertices that suits, and arguments that do."""
    graph = ONE_WAY if row.acyclic else SMALL
    return graph, row.arguments(graph)


@rows(*ROWS)
def test_refuses_what_is_no_graph(backend: str, row: Row) -> None:
    _, arguments = calls(row)
    for make, error, shown in BAD_GRAPHS.values():
        with refused(row.algorithm, error, shown):
            row.algorithm(make(), **arguments)


@rows(*(row for row in ROWS if row.vertices()))
def test_refuses_what_is_no_vertex(backend: str, row: Row) -> None:
    graph, arguments = calls(row)
    matrix = matrix_of(graph, row.weight)
    for name in row.vertices():
        for vertex, error in BAD_VERTICES:
            given = [0, vertex] if name == "sources" else vertex
            with refused(row.algorithm, error, f"{name}={vertex!r} is not a vertex"):
                row.algorithm(matrix, **arguments | {name: given})
        if name == "sources":
            for given in (3, "12"):
                with refused(
                    row.algorithm, InvalidValue, f"sources={given!r} is not a list of vertices"
                ):
                    row.algorithm(matrix, **arguments | {name: given})


@rows(*(row for row in ROWS if row.undirected))
def test_refuses_directed_graphs(backend: str, row: Row) -> None:
    """And takes what `undirected` makes of them."""
    graph = nx.DiGraph([(0, 1), (1, 2), (0, 2)])
    matrix = matrix_of(graph, None)
    with refused(row.algorithm, InvalidValue, "the edge from 0 to 1 has no reverse"):
        row.algorithm(matrix, **row.arguments(graph))
    row.algorithm(undirected(matrix), **row.arguments(graph))


@rows(*(row for row in ROWS if row.refuses))
def test_refuses_weights(backend: str, row: Row) -> None:
    """Wherever they are."""
    graph, arguments = calls(row)
    ones = matrix_of(graph, None).cast(float)
    for weight, words in [each for kind in row.refuses for each in WEIGHTS[kind]]:
        edges, columns, weights = ones.to_entries()
        weights[-1] = weight
        matrix = Matrix.from_entries(edges, columns, weights, ones.shape)
        with refused(row.algorithm, InvalidValue, words):
            row.algorithm(matrix, **arguments)


@rows(*(row for row in ROWS if row.bad))
def test_refuses_other_arguments(backend: str, row: Row) -> None:
    graph, arguments = calls(row)
    matrix = matrix_of(graph, row.weight)
    for changed, error, shown in row.bad:
        with refused(row.algorithm, error, shown):
            row.algorithm(matrix, **arguments | changed)
