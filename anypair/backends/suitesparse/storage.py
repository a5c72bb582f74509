"""What the backend stores: vectors, written in place, and matrices, which never change.

So matrices share what they are made of freely, and keep what was once derived from it.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from anypair.backends.base import Shape, StructuralMask
from anypair.backends.suitesparse.library import NULL, call, lib, new_object, query, symbol
from anypair.dtypes import Array, DType
from anypair.errors import NotSupported

LARGEST_SIZE: int = lib.GrB_INDEX_MAX + 1
MANY = 32  # one entry in so many places, and it is worth while to write into a bitmap

SPARSE: int = lib.GxB_SPARSE | lib.GxB_HYPERSPARSE
BITMAP: int = lib.GxB_BITMAP | lib.GxB_FULL


@dataclass(slots=True, eq=False)
class VectorStorage:
    """A GrB_Vector."""

    pointer: Any
    dtype: DType
    size: int
    pulled: bool = False  # whether it came out of a pull

    kind: ClassVar[str] = "Vector"

    @property
    def handle(self) -> Any:
        return self.pointer[0]

    @property
    def shape(self) -> Shape:
        return (self.size,)

    @property
    def nvals(self) -> int:
        return int(query("GrB_Index", lib.GrB_Vector_nvals, self.pointer[0]))

    @property
    def nbytes(self) -> int:
        return int(query("size_t", lib.GxB_Vector_memoryUsage, self.pointer[0]))

    def cast(self, dtype: DType) -> "VectorStorage":
        """A copy with values of `dtype`."""
        if dtype == self.dtype:
            pointer = new_object("GrB_Vector", lib.GrB_Vector_dup, self.handle)
            return VectorStorage(pointer, dtype, self.size)
        copy = new_vector(self.size, dtype)
        operator = symbol("GrB_IDENTITY", dtype)
        call(lib.GrB_Vector_apply, copy.handle, NULL, NULL, operator, self.handle, NULL)
        return copy

    def assign(self, t: "Storage", mask: StructuralMask | None, accum: Any, how: Any) -> "VectorStorage":
        """self<mask> accum= t, in place."""
        if (self.nvals + t.nvals) * MANY > self.size:
            self.prefer(BITMAP)
        call(
            lib.GrB_Vector_assign,
            self.handle,
            NULL if mask is None else mask.storage.handle,
            accum,
            t.handle,
            lib.GrB_ALL,
            self.size,
            how,
        )
        return self

    def prefer(self, formats: int) -> None:
        """Keep the entries in one of these formats of the library from now on."""
        call(lib.GrB_Vector_set_INT32, self.pointer[0], formats, lib.GxB_SPARSITY_CONTROL)


def new_vector(size: int, dtype: DType) -> VectorStorage:
    """A vector without entries."""
    _check_size(size)
    pointer = new_object("GrB_Vector", lib.GrB_Vector_new, symbol("GrB", dtype), size)
    return VectorStorage(pointer, dtype, size)


@dataclass(slots=True, eq=False)
class RowMajorMatrix:
    """A GrB_Matrix held by rows, with what was derived from it."""

    pointer: Any
    dtype: DType
    shape: Shape
    degrees: "Degrees | None" = None  # once somebody has counted
    _casts: dict[DType, "RowMajorMatrix"] = field(default_factory=dict)

    kind: ClassVar[str] = "Matrix"

    @property
    def handle(self) -> Any:
        return self.pointer[0]

    @property
    def nbytes(self) -> int:
        own = int(query("size_t", lib.GxB_Matrix_memoryUsage, self.pointer[0]))
        degrees = 0 if self.degrees is None else self.degrees.each.nbytes
        return own + degrees + sum(matrix.nbytes for matrix in self._casts.values())

    def orient(self, order: int) -> None:
        """Hold the entries by rows or by columns."""
        call(lib.GrB_Matrix_set_INT32, self.handle, order, lib.GrB_STORAGE_ORIENTATION_HINT)

    def prefer(self, formats: int) -> None:
        """Keep the entries in one of these formats of the library from now on."""
        call(lib.GrB_Matrix_set_INT32, self.handle, formats, lib.GxB_SPARSITY_CONTROL)

    def copy(self) -> "RowMajorMatrix":
        pointer = new_object("GrB_Matrix", lib.GrB_Matrix_dup, self.handle)
        return RowMajorMatrix(pointer, self.dtype, self.shape)

    def copy_as(self, dtype: DType) -> "RowMajorMatrix":
        """A copy with values of `dtype`."""
        matrix = new_matrix(self.shape, dtype)
        operator = symbol("GrB_IDENTITY", dtype)
        call(lib.GrB_Matrix_apply, matrix.handle, NULL, NULL, operator, self.handle, NULL)
        matrix.degrees = self.degrees
        return matrix

    def cast(self, dtype: DType) -> "RowMajorMatrix":
        """The same entries as `dtype`, kept: products of mixed dtypes are slow in the library."""
        if dtype == self.dtype:
            return self
        if dtype not in self._casts:
            self._casts[dtype] = self.copy_as(dtype)
        return self._casts[dtype]

    def transpose(self) -> "RowMajorMatrix":
        matrix = new_matrix(self.shape[::-1], self.dtype)
        call(lib.GrB_transpose, matrix.handle, NULL, NULL, self.handle, NULL)
        return matrix


@dataclass(frozen=True, slots=True, eq=False)
class Degrees:
    """How many entries each row has, and how many the longest."""

    each: Array
    most: int


def new_matrix(shape: Shape, dtype: DType) -> RowMajorMatrix:
    """A matrix without entries."""
    for length in shape:
        _check_size(length)
    pointer = new_object("GrB_Matrix", lib.GrB_Matrix_new, symbol("GrB", dtype), *shape)
    matrix = RowMajorMatrix(pointer, dtype, shape)
    matrix.orient(lib.GrB_ROWMAJOR)  # whatever the process has set as its default
    return matrix


@dataclass(slots=True, eq=False)
class Orientations:
    """A matrix by rows and by columns, which is its transpose by rows; at least one is there."""

    stored: list[RowMajorMatrix | None]
    detour: float = (
        0.0  # work done so far the slower way round, because the other orientation was missing
    )

    def __getitem__(self, which: int) -> RowMajorMatrix:
        matrix = self.stored[which]
        if matrix is None:
            other = self.stored[1 - which]
            assert other is not None
            matrix = self.stored[which] = other.transpose()
        return matrix


@dataclass(slots=True, eq=False)
class MatrixStorage:
    """A matrix, seen by rows (`flipped` 0) or with rows and columns exchanged (1)."""

    orientations: Orientations
    dtype: DType
    shape: Shape
    nvals: int
    flipped: int = 0

    kind: ClassVar[str] = "Matrix"

    @staticmethod
    def of(matrix: RowMajorMatrix) -> "MatrixStorage":
        nvals = int(query("GrB_Index", lib.GrB_Matrix_nvals, matrix.handle))
        return MatrixStorage(Orientations([matrix, None]), matrix.dtype, matrix.shape, nvals)

    @property
    def rows(self) -> RowMajorMatrix:
        return self.orientations[self.flipped]

    @property
    def columns(self) -> RowMajorMatrix:
        return self.orientations[1 - self.flipped]

    @property
    def has_rows(self) -> bool:
        return self.orientations.stored[self.flipped] is not None

    @property
    def has_columns(self) -> bool:
        return self.orientations.stored[1 - self.flipped] is not None

    @property
    def handle(self) -> Any:
        return self.rows.handle

    @property
    def nbytes(self) -> int:
        rows, columns = self.orientations.stored
        different = (rows,) if rows is columns else (rows, columns)
        return sum(matrix.nbytes for matrix in different if matrix is not None)

    def prefer(self, formats: int) -> None:
        """Keep the entries in one of these formats of the library from now on."""
        self.rows.prefer(formats)

    def cast(self, dtype: DType) -> "MatrixStorage":
        """The same with values of `dtype`."""
        return self if dtype == self.dtype else MatrixStorage.of(self.rows.copy_as(dtype))

    def assign(self, t: "Storage", mask: StructuralMask | None, accum: Any, how: Any) -> "MatrixStorage":
        """A copy of self with copy<mask> accum= t."""
        copy = self.rows.copy()
        call(
            lib.GrB_Matrix_assign,
            copy.handle,
            NULL if mask is None else mask.storage.handle,
            accum,
            t.handle,
            lib.GrB_ALL,
            self.shape[0],
            lib.GrB_ALL,
            self.shape[1],
            how,
        )
        return MatrixStorage.of(copy)

    def as_symmetric(self) -> "MatrixStorage":
        """The same, known to be symmetric: its rows are its columns."""
        return MatrixStorage(Orientations([self.rows, self.rows]), self.dtype, self.shape, self.nvals)

    def transpose(self) -> "MatrixStorage":
        """Rows and columns exchanged; costs nothing before the rows are asked for."""
        return MatrixStorage(
            self.orientations, self.dtype, self.shape[::-1], self.nvals, 1 - self.flipped
        )


Storage: TypeAlias = VectorStorage | MatrixStorage


Output: TypeAlias = VectorStorage | RowMajorMatrix


def new_output(shape: Shape, dtype: DType) -> Output:
    """A vector or a matrix without entries, for the library to write into."""
    return new_vector(shape[0], dtype) if len(shape) == 1 else new_matrix(shape, dtype)


def as_storage(t: Output) -> Storage:
    """What was written into, as storage."""
    return MatrixStorage.of(t) if isinstance(t, RowMajorMatrix) else t


def compute(operation: str, shape: Shape, dtype: DType, mask: Any, *operands: Any) -> Storage:
    """What GrB_Vector_<operation> or GrB_Matrix_<operation> writes into a new object."""
    t = new_output(shape, dtype)
    call(getattr(lib, f"GrB_{t.kind}_{operation}"), t.handle, mask, NULL, *operands)
    return as_storage(t)


def _check_size(size: int) -> None:
    if size > LARGEST_SIZE:
        raise NotSupported(
            f"backend 'suitesparse' takes sizes up to {LARGEST_SIZE}, not {size}; use another backend"
        )
