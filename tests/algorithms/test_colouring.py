"""More colours than are tried at a time."""

import networkx as nx

from anypair.algorithms import colouring
from anypair.algorithms.palette import PALETTE
from tests.algorithms.rows.selection import greedy
from tests.support.graphs import to_matrix


def test_more_colours_than_a_palette(backend: str) -> None:
    """A clique that needs them, and a star at its side that has to begin again from the first."""
    graph = nx.compose(nx.complete_graph(PALETTE + 5), nx.star_graph(range(PALETTE, PALETTE + 40)))
    found = colouring(to_matrix(graph)).to_dict()
    assert max(found.values()) == PALETTE + 4
    assert found == greedy(graph)
