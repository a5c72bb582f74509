"""All algorithms are in the documentation and in the table of tests."""

import re
from pathlib import Path

from anypair import algorithms
from tests.algorithms.rows import ROWS

PAGE = Path(__file__).parent.parent.parent / "docs" / "algorithms.md"


def test_the_page_lists_all_algorithms() -> None:
    listed = re.findall(r"`(\w+)\(", "".join(re.findall(r"^\| `.*?\|", PAGE.read_text(), re.MULTILINE)))
    assert sorted(listed) == algorithms.__all__


def test_the_table_has_a_row_for_each_algorithm() -> None:
    """These have tests of their own, which call them on what others return."""
    missing = set(algorithms.__all__) - {row.algorithm.__name__ for row in ROWS}
    assert missing == {
        "maximal_bipartite_matching", "path_to", "shortest_path_parents", "undirected",
    }  # fmt: skip
