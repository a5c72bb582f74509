"""The layout of the grid, on all small grids, against a walk over every place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair.backends.grid import Grid, default_grid, parse_grid
from anypair.errors import UnknownOption

GRIDS = [(r, c) for r in range(1, 7) for c in range(1, 7) if r * c <= 12]
UNITS = [1, 2, 64]
SIZES = [0, 1, 2, 5, 63, 64, 65, 200, 1000]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("rows", "columns"), GRIDS)
def test_every_place_of_a_vector_has_one_owner(rows: int, columns: int, unit: int) -> None:
    grid = Grid(rows, columns, unit)
    for size in SIZES:
        blocks = grid.blocks(size)
        assert blocks.length % unit == 0
        walked = [b for b in range(grid.ranks) for _ in range(blocks.count(b))]
        owners = grid.owner((size,), (np.arange(size),))
        assert owners.tolist() == walked
        assert [blocks.start(b) for b in range(grid.ranks)] == np.searchsorted(
            owners, np.arange(grid.ranks)
        ).tolist()


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("rows", "columns"), GRIDS)
def test_every_entry_of_a_matrix_has_one_place(rows: int, columns: int, unit: int) -> None:
    grid = Grid(rows, columns, unit)
    for shape in [(0, 3), (1, 1), (5, 7), (65, 3), (130, 70), (64 * grid.ranks, 2)]:
        seen = np.zeros(shape, np.int64)
        for rank in range(grid.ranks):
            down = grid.row_side(shape[0], rank)
            across = grid.column_side(shape[1], rank)
            places = [side.to_global(np.arange(side.size)) for side in (down, across)]
            for side, numbers in zip((down, across), places, strict=True):
                assert (np.diff(numbers) > 0).all()
                assert not side.is_global or numbers.tolist() == list(range(side.size))
            r, c = (axis.ravel() for axis in np.meshgrid(*places, indexing="ij"))
            assert (grid.owner(shape, (r, c)) == rank).all()
            seen[np.ix_(*places)] += 1
        assert (seen == 1).all()


@pytest.mark.parametrize(("rows", "columns"), GRIDS)
def test_sides_are_made_of_the_blocks_of_a_line(rows: int, columns: int) -> None:
    """Piece p of the rows belongs to member p of the grid row, of the columns to that of the column."""
    grid = Grid(rows, columns, 1)
    for rank in range(grid.ranks):
        i, j = grid.coordinates(rank)
        assert grid.rank(i, j) == rank
        lines = [
            (grid.row_side(40, rank), [grid.rank(i, k) for k in range(columns)]),
            (grid.column_side(40, rank), [grid.rank(k, j) for k in range(rows)]),
        ]
        for side, members in lines:
            owners = grid.owner((40,), (side.to_global(np.arange(side.size)),))
            starts = side.starts
            for piece, member in enumerate(members):
                assert (owners[starts[piece] : starts[piece + 1]] == member).all()


@given(st.integers(1, 5000))
def test_the_default_grid_uses_all_ranks(ranks: int) -> None:
    grid = default_grid(ranks)
    assert grid.ranks == ranks
    assert grid.rows >= grid.columns


@pytest.mark.parametrize("text", ["", "4", "0x4", "4x0", "2x2x1", "axb", "-1x-4", 4, None])
def test_what_is_no_grid_is_refused(text: str) -> None:
    with pytest.raises(UnknownOption, match="grid="):
        parse_grid(text, 4)


def test_a_grid_has_to_fit_the_ranks() -> None:
    assert parse_grid("2x3", 6) == Grid(2, 3)
    with pytest.raises(UnknownOption, match=r"6 places for 4 ranks.*start 6 ranks"):
        parse_grid("2x3", 4)
