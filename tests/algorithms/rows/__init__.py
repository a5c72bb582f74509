"""One row for each algorithm, in a file for each subject."""

from tests.algorithms.rows import (
    centrality,
    communities,
    paths,
    searches,
    selection,
    similarity,
    structure,
)

ROWS = [
    *searches.ROWS, *paths.ROWS, *centrality.ROWS, *structure.ROWS, *selection.ROWS, *communities.ROWS,
    *similarity.ROWS,
]  # fmt: skip
