"""The 2D layout of vectors and matrices over a grid of ranks: index arithmetic, nothing else.

Vectors are cut into one block for each rank, rank b = j * R + i at row i and column j of an R x C grid.
A matrix entry (r, c), in row block r // nb(nrows) and column block c // nb(ncols), lives at grid row
(row block) % R and grid column (column block) // R (Yoo et al. 2005, Ueno and Suzumura 2013). So the
columns of a matrix block are the vector blocks of its grid column, and its rows those of its grid row:
no vector has to be transposed before or after a product, on a grid of any shape.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from anypair.dtypes import Array
from anypair.errors import UnknownOption

WORD = 64  # blocks are whole words of a bitmap
TALL_UP_TO = 256  # ranks; taller ones send less and hold more, square ones the reverse (docs/grid.md)
TALLNESS = 4


@dataclass(frozen=True)
class Blocks:
    """How the places 0 to size - 1 are cut into blocks of one length; the last ones may be short."""

    size: int
    length: int

    def owner(self, places: Array) -> Array:
        """The rank that each place belongs to."""
        return places // self.length

    def start(self, block: int) -> int:
        """The first place of a block."""
        return min(block * self.length, self.size)

    def count(self, block: int) -> int:
        """How many places a block has."""
        return self.start(block + 1) - self.start(block)


@dataclass(frozen=True)
class Side:
    """The rows or the columns of a rank's matrix block: some vector blocks, one after the other.

    Piece p of them is vector block first + p * step, which belongs to member p of a line of the grid.
    Local numbers rise with global ones.
    """

    blocks: Blocks
    first: int
    step: int
    pieces: int

    @cached_property
    def starts(self) -> list[int]:
        """Where each piece begins, in local numbers, and where the last one ends."""
        starts = [0]
        for piece in range(self.pieces):
            starts.append(starts[-1] + self.blocks.count(self.first + piece * self.step))
        return starts

    @property
    def size(self) -> int:
        """How many local numbers there are."""
        return self.starts[-1]

    @property
    def is_global(self) -> bool:
        """Whether local numbers are the global ones."""
        return self.first == 0 and (self.step == 1 or self.pieces == 1)

    def to_global(self, local: Array) -> Array:
        """The global numbers of local ones."""
        if self.is_global:
            return local
        length = self.blocks.length
        if self.step == 1:
            return local + self.first * length
        # Operators alone: this serves the arrays of a device, too.
        places: Array = local + (local // length * (self.step - 1) + self.first) * length
        return places


@dataclass(frozen=True)
class Grid:
    """A grid of `rows` x `columns` ranks; block lengths are multiples of `unit`."""

    rows: int
    columns: int
    unit: int = WORD

    def __str__(self) -> str:
        return f"{self.rows}x{self.columns}"

    @property
    def ranks(self) -> int:
        return self.rows * self.columns

    def coordinates(self, rank: int) -> tuple[int, int]:
        """The grid row and the grid column of a rank.

        >>> Grid(2, 3).coordinates(5)
        (1, 2)
        """
        return rank % self.rows, rank // self.rows

    def rank(self, row: int, column: int) -> int:
        """The rank at a grid row and a grid column."""
        return column * self.rows + row

    def blocks(self, size: int) -> Blocks:
        """How a vector of this size is cut.

        >>> Grid(2, 2).blocks(1000)
        Blocks(size=1000, length=256)
        """
        share = -(-size // self.ranks)
        return Blocks(size, max(-(-share // self.unit), 1) * self.unit)

    def row_side(self, nrows: int, rank: int) -> Side:
        """The rows of a rank's block of a matrix: a stripe for each member of its grid row."""
        return Side(self.blocks(nrows), self.coordinates(rank)[0], self.rows, self.columns)

    def column_side(self, ncols: int, rank: int) -> Side:
        """The columns of a rank's block of a matrix: a range, a piece for each member of its column."""
        return Side(self.blocks(ncols), self.coordinates(rank)[1] * self.rows, 1, self.rows)

    def owner(self, shape: tuple[int, ...], indices: tuple[Array, ...]) -> Array:
        """The rank of each place of a vector or a matrix."""
        blocks = [self.blocks(n).owner(axis) for n, axis in zip(shape, indices, strict=True)]
        if len(blocks) == 1:
            return blocks[0]
        ranks: Array = blocks[1] // self.rows * self.rows + blocks[0] % self.rows
        return ranks


def default_grid(ranks: int, unit: int = WORD) -> Grid:
    """The grid for so many ranks: some four times as tall as wide while there are few.

    >>> [str(default_grid(ranks)) for ranks in (1, 2, 4, 6, 16, 64, 1024)]
    ['1x1', '2x1', '4x1', '6x1', '8x2', '16x4', '32x32']
    """
    tallness = TALLNESS if ranks <= TALL_UP_TO else 1
    widths = [c for c in range(1, ranks + 1) if ranks % c == 0 and c * c * tallness <= ranks]
    columns = max(widths, default=1)
    return Grid(ranks // columns, columns, unit)


def parse_grid(text: str, ranks: int, unit: int = WORD) -> Grid:
    """The grid that an option names, as in "4x2"; "auto" leaves it to the number of ranks.

    >>> parse_grid("4x2", 8)
    Grid(rows=4, columns=2, unit=64)
    """
    if text == "auto":
        return default_grid(ranks, unit)
    found = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", text) if isinstance(text, str) else None
    if found is None:
        raise UnknownOption(
            f"grid={text!r} is not a grid; give rows and columns, as in '4x2', or 'auto'"
        )
    grid = Grid(int(found[1]), int(found[2]), unit)
    if grid.ranks != ranks:
        raise UnknownOption(
            f"grid={text!r} has {grid.ranks} places for {ranks} ranks; "
            f"start {grid.ranks} ranks, or give a grid such as '{default_grid(ranks)}'"
        )
    return grid
