"""Sparse matrices, which are graphs: entry (i, j) is the edge from vertex i to vertex j."""

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal
from weakref import ref

import numpy as np

from anypair.backends.base import Backend, Storage, StructuralMask
from anypair.config import in_use
from anypair.dtypes import BOOL, Array, DType, Scalar, largest, smallest
from anypair.edge_parts import EdgeParts
from anypair.errors import InvalidArgument, InvalidValue, SizeMismatch, shown
from anypair.handle import Handle, backend_for, build
from anypair.inputs import (
    as_duplicates,
    as_index,
    as_indices,
    as_shape,
    as_size,
    as_values,
    dtype_with,
    entries_of_dense,
    one_value,
)
from anypair.memory import naming_memory_errors
from anypair.semiring import (
    BinaryOp,
    Monoid,
    binary_op,
    eq,
    is_not_finite,
    land_monoid,
    max_monoid,
    min_monoid,
    position,
    second,
    times,
)
from anypair.trace import untraced

if TYPE_CHECKING:
    from anypair.relabelling import Compacted, Relabelled, Shuffled
    from anypair.vector import Vector


class Matrix(Handle):
    """A matrix of `nrows` by `ncols` places, some of which have an entry.

    >>> graph = Matrix.from_edges([0, 1], [1, 2])
    >>> graph.shape, graph.nvals
    ((3, 3), 2)
    """

    __slots__ = ("_range", "_symmetric", "_symmetric_structure", "_transposed")
    kind = "Matrix"
    _columns = ("row", "column", "value")

    def __init__(self, shape: tuple[int, ...], dtype: DType, storage: Storage, backend: Backend) -> None:
        super().__init__(shape, dtype, storage, backend)
        self._symmetric = False
        #: The transpose that was made of this; one that was made only refers back, so that both are gone
        #: when nobody refers to them.
        self._transposed: Matrix | ref[Matrix] | None = None
        self._symmetric_structure: bool | None = None
        self._range: tuple[Scalar, Scalar] | None = None

    @classmethod
    @naming_memory_errors
    def from_entries(
        cls,
        rows: Any,
        cols: Any,
        values: Any,
        shape: tuple[int, int],
        *,
        dtype: Any = None,
        duplicates: BinaryOp | Monoid | None = None,
        backend: str | Backend | None = None,
        like: Handle | None = None,
    ) -> "Matrix":
        """A matrix with `values[k]` at `(rows[k], cols[k])`; one value may stand for all.

        >>> from anypair.semiring import first
        >>> Matrix.from_entries([0, 0], [1, 1], [2, 5], (2, 2), duplicates=first).to_entries()
        (array([0]), array([1]), array([2]))
        """
        operation = "Matrix.from_entries"
        shape = as_shape(operation, shape)
        places = (
            as_indices(operation, "rows", rows, shape[0]),
            as_indices(operation, "cols", cols, shape[1]),
        )
        _check_lengths(operation, "rows", places[0], "cols", places[1])
        checked = as_values(operation, "values", values, dtype, len(places[0]))
        engine = backend_for("Matrix.from_entries", backend, like)
        storage = build(
            operation,
            lambda combine: engine.build(places, checked, shape, combine),
            checked,
            duplicates,
            engine.processes,
        )
        return cls(shape, checked.dtype, storage, engine)

    @classmethod
    @naming_memory_errors
    def from_edges(
        cls,
        sources: Any,
        targets: Any,
        weights: Any = None,
        n: int | None = None,
        symmetric: bool = False,
        *,
        self_loops: bool = True,
        dtype: Any = None,
        duplicates: BinaryOp | Monoid | None = None,
        distributed: bool = False,
        backend: str | Backend | None = None,
        like: Handle | None = None,
    ) -> "Matrix":
        """The graph of these edges on `n` vertices (by default one more than the largest number).

        `symmetric` adds the reverse of each edge, right after it; `self_loops=False` drops edges from
        a vertex to itself. Without weights every edge is True and an edge given twice is one edge;
        with weights `duplicates` has to say what becomes of the weights of an edge given twice.
        On a grid of ranks every rank gives all edges or, if `distributed`, its own slice of them.

        >>> Matrix.from_edges([0, 1, 1], [1, 0, 1], symmetric=True, self_loops=False).nvals
        2
        """
        operation = "Matrix.from_edges"
        engine = backend_for(operation, backend, like)

        def checked() -> tuple[int | None, Array, Array, Array]:
            stated = None if n is None else as_size(operation, "n", n)
            tails = as_indices(operation, "sources", sources, stated)
            heads = as_indices(operation, "targets", targets, stated)
            _check_lengths(operation, "sources", tails, "targets", heads)
            given = True if weights is None else weights
            return stated, tails, heads, as_values(operation, "weights", given, dtype, len(tails))

        # what is wrong with the slice of one rank, the others do not see
        together = engine.processes.together
        stated, tails, heads, values = together(checked, alike=True) if distributed else checked()
        combine = as_duplicates(weights, duplicates)
        if stated is None:
            largest = max(int(tails.max()), int(heads.max())) if len(tails) else -1
            stated = (max(engine.processes.gather(largest)) if distributed else largest) + 1
        bound = stated
        make = engine.build_graph_of_slices if distributed else engine.build_graph
        storage = build(
            operation,
            lambda combine: make(
                tails, heads, values, bound, combine, symmetric=symmetric, self_loops=self_loops
            ),
            values,
            combine,
            engine.processes,
            of_slices=distributed,
        )
        graph = cls((bound, bound), values.dtype, storage, engine)
        if symmetric:
            graph.assume_symmetric()
        return graph

    @classmethod
    @naming_memory_errors
    def from_edge_parts(
        cls,
        parts: Iterable[Any],
        n: int | None = None,
        symmetric: bool = False,
        *,
        self_loops: bool = True,
        dtype: Any = None,
        duplicates: BinaryOp | Monoid | None = None,
        backend: str | Backend | None = None,
        like: Handle | None = None,
    ) -> "Matrix":
        """As `from_edges`, of edges that come part by part: `(sources, targets)`, or weights with them.

        Any iterable of such parts will do, a generator too. On backend `streamed` they are never in
        memory all at once; others put them together.

        >>> parts = (([v], [v + 1]) for v in range(3))
        >>> Matrix.from_edge_parts(parts, symmetric=True).nvals
        6
        """
        operation = "Matrix.from_edge_parts"
        engine = backend_for(operation, backend, like)
        edges = EdgeParts(operation, parts, None if n is None else as_size(operation, "n", n), dtype)
        combine = as_duplicates(edges.weighted or None, duplicates)
        storage = build(
            operation,
            lambda combine: engine.build_graph_of_parts(
                edges, edges.count, edges.like, combine, symmetric=symmetric, self_loops=self_loops
            ),
            edges.like[:0],
            combine,
            engine.processes,
        )
        graph = cls((edges.count(), edges.count()), edges.like.dtype, storage, engine)
        if symmetric:
            graph.assume_symmetric()
        return graph

    @classmethod
    def empty(
        cls,
        shape: tuple[int, int],
        dtype: Any = np.float64,
        *,
        backend: str | Backend | None = None,
        like: Handle | None = None,
    ) -> "Matrix":
        """A matrix without entries.

        >>> Matrix.empty((2, 3)).nvals
        0
        """
        return cls.from_entries([], [], [], shape, dtype=dtype, backend=backend, like=like)

    @classmethod
    @naming_memory_errors
    def full(
        cls,
        shape: tuple[int, int],
        value: Scalar,
        dtype: Any = None,
        *,
        backend: str | Backend | None = None,
        like: Handle | None = None,
    ) -> "Matrix":
        """A matrix with `value` at every place.

        >>> Matrix.full((2, 2), 0.5).to_entries()[2]
        array([0.5, 0.5, 0.5, 0.5])
        """
        nrows, ncols = shape = as_shape("Matrix.full", shape)
        checked = one_value("Matrix.full", value, dtype)
        engine = backend_for("Matrix.full", backend, like)
        count = as_size("Matrix.full", "nrows * ncols", nrows * ncols)
        made = cls(shape, checked.dtype, None, engine)
        made.require(count * (16 + checked.dtype.itemsize), f"a matrix with {count} entries")
        # Every place of a column with every place of a row: no rank makes more than its part.
        column, row = (
            engine.rowwise(engine.build_full(n, np.zeros(1, np.int64)), engine.build_full(n, checked), 1)
            for n in shape
        )
        copied = second.typed(checked.dtype, checked.dtype)
        made.storage = engine.kron(column, engine.transpose(row), copied)
        if nrows == ncols:
            made.assume_symmetric()
        return made

    @classmethod
    @naming_memory_errors
    def identity(
        cls,
        n: int,
        value: Scalar = True,
        dtype: Any = None,
        *,
        backend: str | Backend | None = None,
        like: Handle | None = None,
    ) -> "Matrix":
        """The matrix of n rows and columns with `value` on its diagonal: True, which counts as 1.

        What is 1 to a semiring is said by `value`: `Matrix.identity(n, 0)` for `min_plus`.

        >>> Matrix.identity(2).to_entries()
        (array([0, 1]), array([0, 1]), array([ True,  True]))
        """
        n = as_size("Matrix.identity", "n", n)
        checked = one_value("Matrix.identity", value, dtype)
        engine = backend_for("Matrix.identity", backend, like)
        values = engine.build_full(n, checked)
        places = engine.apply(values, position.typed(checked.dtype))
        made = cls((n, n), checked.dtype, engine.rowwise(places, values, n), engine)
        made.assume_symmetric()
        return made

    @classmethod
    @naming_memory_errors
    def from_numpy(
        cls,
        array: Any,
        *,
        missing: Scalar | None = None,
        backend: str | Backend | None = None,
        like: Handle | None = None,
    ) -> "Matrix":
        """A matrix with an entry for each element, zeros too, except those equal to `missing`.

        >>> Matrix.from_numpy([[0, 4], [5, 0]], missing=0).nvals
        2
        """
        shape, (rows, cols), values = entries_of_dense("Matrix.from_numpy", array, 2, missing)
        return cls.from_entries(rows, cols, values, shape, backend=backend, like=like)

    @classmethod
    @naming_memory_errors
    def from_scipy(
        cls, A: Any, *, backend: str | Backend | None = None, like: Handle | None = None
    ) -> "Matrix":
        """The entries of a SciPy sparse array or matrix, stored zeros included.

        Entries that a COO matrix holds twice are added up, as SciPy itself does.

        >>> import scipy.sparse
        >>> Matrix.from_scipy(scipy.sparse.eye_array(3, format="csr")).nvals
        3
        """
        if not hasattr(A, "tocoo"):
            raise InvalidArgument(f"Matrix.from_scipy: {type(A).__name__} is no SciPy sparse array")
        coo = A.tocoo(copy=True)
        coo.sum_duplicates()
        rows, cols = coo.coords
        return cls.from_entries(rows, cols, coo.data, coo.shape, backend=backend, like=like)

    @property
    def nrows(self) -> int:
        return self.shape[0]

    @property
    def ncols(self) -> int:
        return self.shape[1]

    @property
    def T(self) -> "Matrix":
        """The transpose, made once; a later write to one of the two does not show in the other.

        A matrix that is known to be symmetric is its own transpose, and no second one: a write shows.

        >>> graph = Matrix.from_edges([0], [1])
        >>> graph.T.to_entries()[:2], graph.T.T is graph
        ((array([1]), array([0])), True)
        """
        if self._symmetric:
            return self
        if (transposed := self._known_transpose()) is None:
            storage = self.backend.transpose(self.storage)
            transposed = Matrix(self.shape[::-1], self.dtype, storage, self.backend)
            self._transposed = self.hand_on(transposed, values=True)
            transposed._transposed = ref(self)
        return transposed

    def _known_transpose(self) -> "Matrix | None":
        other = self._transposed
        return other() if isinstance(other, ref) else other

    def mark_symmetric(self) -> None:
        """Have this matrix known as its own transpose; one that is not is refused.

        Compares each entry with the one across the diagonal, once: what is known is not looked at again.

        >>> A = Matrix.from_entries([0, 1], [1, 0], [5, 5], shape=(2, 2))
        >>> A.mark_symmetric()
        >>> A.T is A
        True
        """
        if self._symmetric:
            return
        if not self._equals_its_transpose():
            raise InvalidValue(
                f"mark_symmetric: {shown(self)} is not its own transpose; "
                "every entry (i, j) needs an equal one at (j, i), "
                "as Matrix.from_edges(..., symmetric=True) makes them"
            )
        self.assume_symmetric()

    def _equals_its_transpose(self) -> bool:
        if self.nrows != self.ncols or self._symmetric_structure is False:
            return False
        transposed = self._transposed_storage()
        alike = (_interchangeable if self.dtype.kind == "f" else eq).typed(self.dtype, self.dtype)
        pairs = self.backend.ewise_mult(self.storage, transposed, alike)
        return self.backend.nvals(pairs) == self.nvals and bool(
            self.backend.reduce(pairs, land_monoid.typed(BOOL))
        )

    def assume_symmetric(self) -> None:
        """As `mark_symmetric`, unchecked: for code that has just made this matrix so."""
        self.storage = self.backend.as_symmetric(self.storage)
        self._symmetric = True
        self._transposed = None

    @property
    def is_symmetric(self) -> bool:
        """Whether this matrix, with its values, is known to be its own transpose.

        Known are graphs made with `symmetric=True`, matrices that were marked, and what is made of them
        without regard to rows and columns: copies, casts, `apply` and `select` of values.

        >>> Matrix.from_edges([0], [1], symmetric=True).cast(float).is_symmetric
        True
        """
        return self._symmetric

    @property
    def has_symmetric_structure(self) -> bool:
        """Whether there is an entry at (j, i) for each one at (i, j), whatever their values; found once.

        >>> Matrix.from_edges([0, 1], [1, 0], [3, 5]).has_symmetric_structure
        True
        """
        if self._symmetric:
            return True
        if self._symmetric_structure is None:
            self._symmetric_structure = self.nrows == self.ncols and self._has_all_reverses()
        return self._symmetric_structure

    def _has_all_reverses(self) -> bool:
        reverses = StructuralMask(self._transposed_storage(), False)
        return self.backend.nvals(self.backend.restrict(self.storage, reverses)) == self.nvals

    def _transposed_storage(self) -> Storage:
        known = self._known_transpose()
        return self.backend.transpose(self.storage) if known is None else known.storage

    @property
    def value_range(self) -> tuple[Scalar, Scalar]:
        """The smallest and the largest value, found once; NaN twice if there is one, 0 twice of nothing.

        >>> Matrix.from_edges([0, 1], [1, 2], [4.5, -1.0]).value_range
        (-1.0, 4.5)
        """
        if self._range is None:
            self._range = self._find_range()
        return self._range

    def _find_range(self) -> tuple[Scalar, Scalar]:
        backend, dtype = self.backend, self.dtype
        if not self.nvals:
            return 0, 0
        if dtype.kind == "f":
            odd = backend.select(self.storage, is_not_finite.typed(dtype))
            if backend.nvals(odd) and np.isnan(backend.entries(odd)[-1]).any():
                return math.nan, math.nan
        least, greatest = (
            backend.reduce(self.storage, monoid.typed(dtype)) for monoid in (min_monoid, max_monoid)
        )
        return least, greatest

    def cast(self, dtype: Any) -> "Matrix":
        made = super().cast(dtype)
        return self.hand_on(made, values=made.dtype == self.dtype)

    def to(self, backend: str | Backend) -> "Matrix":
        return self.hand_on(super().to(backend), values=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return *super().__reduce__(), self._symmetric

    def __setstate__(self, symmetric: bool) -> None:
        if symmetric:
            self.assume_symmetric()

    def hand_on(self, made: "Matrix", *, values: bool, symmetric: bool = True) -> "Matrix":
        """`made`, which has the same structure or is transposed, with what is known of this matrix.

        `values` says that it has the same values, `symmetric` that it has equal ones at (i, j) and at
        (j, i) if this has. For operations; nothing is checked.
        """
        if made is not self:
            made._symmetric_structure = self._symmetric or self._symmetric_structure
            made._range = self._range if values else None
            if self._symmetric and symmetric:
                made.assume_symmetric()
        return made

    def take(self, other: "Matrix") -> None:
        super().take(other)
        self._symmetric = other._symmetric
        self._symmetric_structure = other._symmetric_structure
        self._range = other._range

    def replace_storage(self, storage: Storage) -> None:
        super().replace_storage(storage)
        if (transposed := self._known_transpose()) is not None:
            transposed._transposed = None
        self._transposed = None
        self._symmetric = False
        self._symmetric_structure = self._range = None

    def prepare(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Compile, or load, whatever `function(self, *arguments)` may need, before a timer starts.

        The function is called with a small square matrix of the same kind instead of this one; it has
        to make its vectors itself. A backend that compiles nothing does not call it.

        >>> from anypair.algorithms import bfs_parents
        >>> graph = Matrix.from_edges([0, 1], [1, 2])
        >>> graph.prepare(bfs_parents, 0)
        >>> bfs_parents(graph, 0).to_dict()
        {0: 0, 1: 0, 2: 1}
        """

        def run(backend: Backend, storage: Storage, n: int) -> None:
            sample = Matrix((n, n), self.dtype, storage, backend)
            if self.is_symmetric:
                sample.mark_symmetric()
            sample._range = self._range_for(n)
            with in_use(backend):
                function(sample, *arguments)

        with untraced():
            self.backend.prepare(self.storage, run)

    def _range_for(self, n: int) -> tuple[Scalar, Scalar] | None:
        """The range of values with which n rows lead to what this matrix leads to.

        Whether sums along paths fit a dtype is told by the greatest value and the number of rows.
        """
        if self.dtype.kind not in "iu":
            return None if self.dtype.kind == "b" else self.value_range
        times = max(-(-self.nrows // n), 1)
        least, greatest = (times * value for value in self.value_range)
        return max(least, smallest(self.dtype)), min(greatest, largest(self.dtype))

    def by_degree(self) -> "Relabelled":
        """The same graph with vertices renumbered by falling degree, those without edges left out.

        Searches of a graph with a few vertices of high degree run several times faster on it.

        >>> star = Matrix.from_edges([5, 5, 5], [1, 2, 3], symmetric=True)
        >>> relabelled = star.by_degree()
        >>> relabelled.graph.shape, relabelled.new(5), relabelled.original.tolist()
        ((4, 4), 0, [5, 1, 2, 3])
        """
        from anypair.relabelling import by_degree  # which needs this class

        return by_degree(self)

    def compact(self) -> "Compacted":
        """The same graph without the vertices that have no edge; the others stay in their order.

        >>> compacted = Matrix.from_edges([2, 7], [7, 9]).compact()
        >>> compacted.graph.shape, compacted.new(9)
        ((3, 3), 2)
        """
        from anypair.relabelling import compact  # which needs this class

        return compact(self)

    def shuffled(self, seed: int = 1) -> "Shuffled":
        """The same graph with vertices renumbered at random, so that blocks of a grid weigh the same.

        >>> ring = Matrix.from_edges([0, 1, 2], [1, 2, 0]).shuffled(seed=5)
        >>> ring.graph.nvals
        3
        """
        from anypair.relabelling import shuffled  # which needs this class

        return shuffled(self, seed)

    def scale(
        self,
        rows: "Vector | None" = None,
        columns: "Vector | None" = None,
        op: BinaryOp | Monoid = times,
    ) -> "Matrix":
        """op(A(i, j), rows(i)), and then op(that, columns(j)), where both operands have an entry.

        With `op=second` each entry becomes the one of the vector.

        >>> from anypair import Vector
        >>> from anypair.semiring import divide
        >>> graph = Matrix.from_edges([0, 0, 1], [1, 2, 2], [6, 3, 8])
        >>> graph.scale(rows=Vector.from_entries([0, 1], [3, 4], size=3), op=divide).to_entries()[2]
        array([2., 1., 2.])
        """
        from anypair.operations.gathering import scale  # which needs this class

        return scale(self, rows, columns, op)

    def argmin(self, by: Literal["rows", "columns"]) -> "Vector":
        """For each row the column of its smallest entry, the first of equal ones; rows of each column.

        >>> Matrix.from_edges([0, 0, 2], [1, 2, 0], [5, 4, 7]).argmin(by="rows").to_dict()
        {0: 2, 2: 0}
        """
        from anypair.operations.ordering import extreme  # which needs this class

        return extreme(self, "argmin", by)

    def argmax(self, by: Literal["rows", "columns"]) -> "Vector":
        """For each row the column of its greatest entry, the first of equal ones; rows of each column.

        >>> Matrix.from_edges([0, 0, 2], [1, 2, 0], [5, 4, 7]).argmax(by="rows").to_dict()
        {0: 1, 2: 0}
        """
        from anypair.operations.ordering import extreme  # which needs this class

        return extreme(self, "argmax", by)

    @naming_memory_errors
    def to_numpy(self, missing: Scalar) -> Array:
        """A dense array with `missing` where there is no entry.

        >>> Matrix.from_edges([0], [1]).to_numpy(missing=0)
        array([[0, 1],
               [0, 0]])
        """
        dtype = dtype_with("Matrix.to_numpy", self.dtype, missing)
        self.require(self.nrows * self.ncols * dtype.itemsize, "the dense array")
        rows, cols, values = self.to_entries()
        dense = np.full(self.shape, missing, dtype)
        dense[rows, cols] = values
        return dense

    @naming_memory_errors
    def to_scipy(self) -> Any:
        """A `scipy.sparse.csr_array` with the same entries, zeros included."""
        import scipy.sparse

        rows, cols, values = self.to_entries()
        return scipy.sparse.coo_array((values, (rows, cols)), shape=self.shape).tocsr()

    @naming_memory_errors
    def get(self, row: int, col: int, default: Any = None) -> Any:
        """The value at `(row, col)`, or `default` if there is no entry.

        >>> Matrix.from_edges([0], [1], [2.5]).get(0, 1)
        2.5
        """
        place = (
            np.array([as_index("Matrix.get", "row", row, self.nrows)]),
            np.array([as_index("Matrix.get", "col", col, self.ncols)]),
        )
        values = self.backend.entries(self.backend.extract(self.storage, place))[-1]
        return values.item() if values.size else default

    @property
    def described_shape(self) -> str:
        return f"{self.nrows}x{self.ncols}"


@binary_op(result=bool)
def _interchangeable(x: Any, y: Any) -> Any:
    """Equal, and alike in what they are divided by: 0.0 is not -0.0."""
    return (x == y and math.copysign(1.0, x) == math.copysign(1.0, y)) or (x != x and y != y)


def _check_lengths(operation: str, name: str, one: Array, other_name: str, other: Array) -> None:
    if len(one) != len(other):
        raise SizeMismatch(
            f"{operation}: {name} has {len(one)} elements and {other_name} has {len(other)}"
        )
