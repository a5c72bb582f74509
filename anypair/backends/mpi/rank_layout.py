"""Who and where this rank is: the grid, its lines as groups of ranks, and its parts of things."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from anypair.backends.base import Shape
from anypair.backends.grid import Grid, Side
from anypair.backends.wire.group import Group


@dataclass(frozen=True, eq=False)
class Line:
    """The members of a grid row or column, and the side of a matrix block that their blocks make up."""

    name: str
    group: Group
    side: Side

    @cached_property
    def own_count(self) -> int:
        """How many of the places belong to this rank."""
        starts = self.side.starts
        return starts[self.group.rank + 1] - starts[self.group.rank]


class RankLayout:
    """The grid as one of its ranks sees it."""

    def __init__(self, world: Group, grid: Grid) -> None:
        self.world = world
        self.grid = grid
        self.rank = world.rank
        row, column = grid.coordinates(world.rank)
        self.row_group = world.split(row, column)
        self.column_group = world.split(column, row)
        self.rows = lru_cache(maxsize=64)(self._rows)
        self.columns = lru_cache(maxsize=64)(self._columns)

    def _rows(self, nrows: int) -> Line:
        return Line("rows", self.row_group, self.grid.row_side(nrows, self.rank))

    def _columns(self, ncols: int) -> Line:
        return Line("columns", self.column_group, self.grid.column_side(ncols, self.rank))

    def count(self, size: int) -> int:
        """How many places of a vector this rank has."""
        return self.grid.blocks(size).count(self.rank)

    def start(self, size: int) -> int:
        """The first of them."""
        return self.grid.blocks(size).start(self.rank)

    def local_shape(self, shape: Shape) -> Shape:
        """The shape of this rank's part."""
        if len(shape) == 1:
            return (self.count(shape[0]),)
        return self.rows(shape[0]).side.size, self.columns(shape[1]).side.size
