"""What a rank keeps: its block of a vector, its block of a matrix."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anypair.backends.base import Shape, Storage
from anypair.dtypes import Array, DType

if TYPE_CHECKING:
    from anypair.backends.mpi.deferral import Search
    from anypair.backends.mpi.masks import SharedMask


@dataclass(eq=False, slots=True)
class MpiVector:
    """A vector: this rank's block, in storage of the local backend.

    `local` has the right places always, and the right values unless some are still to be found:
    then `awaited` knows how. `nvals`, of all blocks, is None while nobody has counted. `pulled` says
    that it was found by a pull.
    """

    size: int
    dtype: DType
    local: Storage
    nvals: int | None = None
    awaited: "list[Search]" = field(default_factory=list)
    shared: "dict[str, SharedMask]" = field(default_factory=dict)
    pulled: bool = False

    @property
    def shape(self) -> Shape:
        return (self.size,)


@dataclass(eq=False, slots=True)
class MatrixBlock:
    """A block of a matrix in storage of the local backend.

    Where most rows (columns) of a block are empty, only those with entries are kept: `rows`
    (`columns`) are their numbers in the block. None stands for all.
    """

    storage: Storage
    shape: tuple[int, int]
    rows: Array | None = None
    columns: Array | None = None

    @property
    def kept_shape(self) -> tuple[int, int]:
        """The shape of what the local backend has."""
        return (
            self.shape[0] if self.rows is None else len(self.rows),
            self.shape[1] if self.columns is None else len(self.columns),
        )


@dataclass(eq=False, slots=True)
class MpiMatrix:
    """A matrix: this rank's block, and what is known of the whole."""

    shape: tuple[int, int]
    dtype: DType
    block: MatrixBlock
    symmetric: bool = False
    nvals: int | None = None
    #: For rows and for columns: entries of each of this rank's, and how many have any anywhere.
    degrees: dict[str, tuple[Array, int]] = field(default_factory=dict)


Stored = MpiVector | MpiMatrix
