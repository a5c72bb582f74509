"""The contract: what every backend can do, on storage that only it looks into.

Each operation is two visible steps: compute t, then `write` or `merge` t. Methods never change their
arguments and never return storage in which a later write to an argument would show; only these two may
reuse `out`. Operators arrive typed, so a backend decides nothing about dtypes.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from anypair.backends.options import Option, settled
from anypair.backends.places import Places, places_of_edges, require_below
from anypair.backends.processes import Processes
from anypair.backends.product_range import ProductRange
from anypair.backends.tree import Step
from anypair.backends.tuning import Tuning
from anypair.dtypes import Array, DType, Scalar
from anypair.memory import require
from anypair.semiring import BoundOp, TypedBinary, TypedMonoid, TypedSemiring, TypedUnary, second

if TYPE_CHECKING:
    from anypair.backends.wire.array_layer import ArrayLayer

Storage: TypeAlias = Any
Shape: TypeAlias = tuple[int, ...]  # (size,) of a vector, (nrows, ncols) of a matrix
Indices: TypeAlias = tuple[Places, ...]  # one for each axis
Applied: TypeAlias = TypedUnary | BoundOp
Rehearsed: TypeAlias = Callable[["Backend", Storage, int], object]  # see `Backend.prepare`


@dataclass(slots=True, eq=False)
class StructuralMask:
    """Where `storage` has entries, or where it has none if complemented."""

    storage: Storage
    complemented: bool

    def __invert__(self) -> "StructuralMask":
        return StructuralMask(self.storage, not self.complemented)


class Backend(ABC):
    """An engine: builds storage, computes on it, and gives entries back."""

    name: ClassVar[str]
    #: What `using(name, **options)` may set.
    declared: ClassVar[Mapping[str, Option]] = {}
    #: What this backend was made with.
    options: Mapping[str, Any]
    #: Backends with the same identity differ in how they compute alone: they take each other's storage.
    identity: tuple[Any, ...]
    #: The numbers that its decisions are made with.
    tuning: Tuning = Tuning()

    #: The processes that hold the data.
    processes: Processes = Processes()
    #: Whether each of them holds a part that means nothing without the others'.
    is_distributed: ClassVar[bool] = False
    #: Whether operators are compiled, so that not every Python function will do.
    compiles_operators: bool = False
    #: Whether `evaluate` computes a tree in one loop.
    fuses: ClassVar[bool] = False
    #: Peak bytes of a Graph500 run for each edge of the list, without and with kernel 3: the difference
    #: of two runs, two scales apart, at edge factor 16. One that does not say counts as the leanest.
    bytes_per_edge: ClassVar[tuple[int, int]] = (42, 134)

    def __init__(self, **options: Any) -> None:
        self.options = settled(self.name, self.declared, options)
        held = (x for name, x in self.options.items() if not self.declared[name].execution)
        self.identity = (type(self), *held)

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return f"<backend {self.name!r}{options} ({threads})>"

    def __reduce__(self) -> tuple[Any, ...]:
        """By name and options: there is one backend for these in every process."""
        from anypair.backends.registry import load  # which needs this class

        return load, (self.name, dict(self.options))

    @property
    def threads(self) -> int:
        """How many threads it computes with."""
        return 1

    @classmethod
    def options_of_rank(cls, number: int, threads: int) -> dict[str, Any]:
        """What the rank of that number on its machine makes it with, on so many threads."""
        return {"threads": threads} if "threads" in cls.declared else {}

    def device_arrays(self) -> "ArrayLayer | None":
        """Its vectors as arrays of a device, for messages between ranks; None if it has no device."""
        return None

    # Before a timer starts

    def prepare(  # noqa: B027 (most backends compile nothing)
        self, a: Storage, run: "Rehearsed"
    ) -> None:
        """Compile, or load, whatever `run` may need on matrices such as `a`.

        A backend that compiles calls `run` once or more, each time with a backend, a square matrix on
        it that stands for `a`, and its number of rows: operations done there leave everything ready
        that `run` may need with `a` itself. One that compiles nothing has nothing to do here.
        """

    def rehearsing(self) -> "Backend":
        """A backend that does everything in all ways which this one chooses from, to compile them.

        For those that compute on parts with another backend; one that compiles nothing is its own.
        """
        return self

    # In and out

    @abstractmethod
    def build(
        self,
        indices: tuple[Array, ...],
        values: Array,
        shape: Shape,
        duplicates: TypedBinary | None,
    ) -> Storage:
        """Storage of these entries, which come in any order and lie within `shape`.

        Indices are of any integer dtype; users' are int64, those of a block may be smaller.
        Entries at one place are folded in the order given; without `duplicates` they raise
        `DuplicateEntries`. `values` may be one value broadcast over all entries.
        """

    def build_of_slices(
        self,
        indices: tuple[Array, ...],
        values: Array,
        shape: Shape,
        duplicates: TypedBinary | None,
    ) -> Storage:
        """As `build`, of the entries of all processes, each of which gives its own slice."""
        return self.build(indices, values, shape, duplicates)

    def build_graph(
        self,
        sources: Array,
        targets: Array,
        values: Array,
        n: int,
        duplicates: TypedBinary | None,
        *,
        symmetric: bool,
        self_loops: bool,
    ) -> Storage:
        """Storage of a graph on n vertices: the edges, each followed by its reverse if `symmetric`.

        Edges from a vertex to itself have no reverse, and are left out without `self_loops`.
        A backend that can do it without copies of the edges overrides this.
        """
        if not symmetric and self_loops:
            return self.build((sources, targets), values, (n, n), duplicates)
        places, kept = places_of_edges(sources, targets, symmetric=symmetric, self_loops=self_loops)
        values = (np.repeat(values, 2) if symmetric else values)[kept]
        return self.build(places, values, (n, n), duplicates)

    def build_graph_of_slices(
        self,
        sources: Array,
        targets: Array,
        values: Array,
        n: int,
        duplicates: TypedBinary | None,
        *,
        symmetric: bool,
        self_loops: bool,
    ) -> Storage:
        """As `build_graph`, of the edges of all processes, each of which gives its own slice."""
        return self.build_graph(
            sources, targets, values, n, duplicates, symmetric=symmetric, self_loops=self_loops
        )

    def build_full(self, size: int, value: Array) -> Storage:
        """A vector with the one element of `value` at every place."""
        require(size * (16 + value.itemsize), f"a vector with {size} entries")
        return self.build((np.arange(size),), np.broadcast_to(value[0], size), (size,), None)

    def build_from_words(self, words: Array, values: Array, size: int) -> Storage:
        """A vector with an entry at every place whose bit is set in these 64-bit words.

        `values` has one value for each, in order, or one for all. The words may be shared: such a
        vector is an operand or a mask, never written to.
        """
        bits = np.unpackbits(words.view(np.uint8), count=size, bitorder="little")
        places = np.flatnonzero(bits)
        if len(values) != len(places):
            values = np.broadcast_to(values[0], len(places))
        return self.build((places,), values, (size,), None)

    def build_from_rows(self, starts: Array, columns: Array, values: Array, shape: Shape) -> Storage:
        """A matrix of compressed rows (CSR), each sorted and without duplicates.

        The arrays may be shared: such a matrix is an operand, never written to. A backend that keeps
        matrices so overrides this.
        """
        rows = np.repeat(np.arange(shape[0]), np.diff(starts).astype(np.int64))
        return self.build((rows, columns.astype(np.int64)), values, shape, None)

    def shape_of(self, a: Storage) -> tuple[int, int]:
        """The shape of a matrix, which all storages say by the same name."""
        nrows, ncols = a.shape
        return nrows, ncols

    def to_rows(self, a: Storage) -> tuple[Array, Array, Array]:
        """The reverse of `build_from_rows`: starts, columns and values, only to be read."""
        rows, columns, values = self.peek(a)
        counts = np.bincount(rows.astype(np.int64), minlength=self.shape_of(a)[0])
        return np.concatenate([[0], np.cumsum(counts)]), columns, values

    def opened(self, path: Path) -> Storage | None:
        """A folder of blocks as it lies there; None if this backend computes in memory."""
        return None

    def block(self, u: Storage, size: int, missing: Scalar) -> Array:
        """This process's places of a vector of that size, on the host; `missing` where no entry is."""
        indices, values = self.entries(u)
        block = np.full(size, missing, values.dtype)
        block[indices] = values
        return block

    @abstractmethod
    def entries(self, x: Storage) -> tuple[Array, ...]:
        """Index arrays (int64) and values on the host, sorted by row, then column."""

    def first_entries(self, x: Storage, count: int) -> tuple[Array, ...]:
        """As `entries`, of the first `count` only. A backend that need not read all overrides this."""
        return tuple(column[:count] for column in self.entries(x))

    def peek(self, x: Storage) -> tuple[Array, ...]:
        """As `entries`, but shared where possible and with indices of any dtype: only to be read."""
        return self.entries(x)

    def words(self, x: Storage, size: int) -> Array:
        """64-bit words with a bit for each place of a vector of that size, set where there is an entry.

        Only to be read, and only until x is written to.
        """
        words = np.zeros(-(-size // 64), np.uint64)
        places = self.peek(x)[0].astype(np.uint64)
        np.bitwise_or.at(words, places >> np.uint64(6), np.uint64(1) << (places & np.uint64(63)))
        return words

    @abstractmethod
    def nvals(self, x: Storage) -> int:
        """How many entries there are."""

    def nvals_here(self, x: Storage) -> int:
        """How many entries this process holds, found without asking another one."""
        return self.nvals(x)

    @abstractmethod
    def nbytes(self, x: Storage) -> int:
        """How many bytes of memory `x` holds now, cached forms included."""

    def finish(self, x: Storage) -> None:  # noqa: B027 (most backends put nothing off)
        """Do now whatever has been put off for `x`, on all processes; timers stop only after this.

        Another look at `x` then finds nothing left to do. A backend that puts nothing off has nothing
        to do here.
        """

    # Products: they alone see the mask, because only there it saves work

    @abstractmethod
    def mxv(
        self, a: Storage, u: Storage, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Storage:
        """t(i) = add over k of multiply(a(i, k), u(k)), for i inside the mask."""

    @abstractmethod
    def vxm(
        self, u: Storage, a: Storage, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Storage:
        """t(j) = add over k of multiply(a(k, j), u(k)), for j inside the mask."""

    @abstractmethod
    def mxm(
        self, a: Storage, b: Storage, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Storage:
        """t(i, j) = add over k of multiply(a(i, k), b(k, j)), for (i, j) inside the mask."""

    def reduce_product(
        self,
        a: Storage,
        b: Storage,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
        monoid: TypedMonoid,
    ) -> Scalar:
        """The sum of all entries of `mxm`. A backend that need not make these overrides this."""
        return self.reduce(self.mxm(a, b, semiring, mask), monoid)

    def closure(
        self,
        u: Storage,
        a: Storage,
        semiring: TypedSemiring,
        n: int,
        *,
        symmetric: bool,
        grows: bool,
        products: ProductRange | None,
    ) -> Storage:
        """The least x = u + x a, of n places; u has entries, and the dtype that the semiring gives.

        Its sum selects, and its multiply is monotone. `symmetric` says that `a` has the reverse of each
        edge, `grows` that no product is better than the value in it, nor NaN; `products`, if given, is
        asked whether products of integers may leave the dtype. Values that improve for more rounds than
        a path has edges raise `ImprovingCycle`.
        """
        from anypair.backends.closure import by_frontier, by_hooking  # which need this class

        fills_vectors = self.nvals(a) + self.nvals(u) > n // 8  # of which hooking takes a few
        if symmetric and semiring.multiply.gives == "value" and fills_vectors:
            return by_hooking(self, u, a, semiring, n)
        return by_frontier(self, u, a, semiring, n, products)

    # Entry by entry: both operands are vectors, or both are matrices

    def evaluate(self, tree: Step, spare: Sequence[Storage] = ()) -> Any:
        """The storage that a tree of element-wise operations stands for; the sum if `reduce` is its top.

        Nobody else has what is `spare` of its storages: it may be overwritten. Step by step here; a
        backend that `fuses` does it in one loop, with the same answer.
        """
        operands = (self.evaluate(x) if isinstance(x, Step) else x for x in tree.operands)
        return getattr(self, tree.operation)(*operands, tree.given)

    @abstractmethod
    def ewise_add(self, x: Storage, y: Storage, op: TypedBinary) -> Storage:
        """Union: op where both have an entry, else the one that is there, cast to the result."""

    @abstractmethod
    def ewise_mult(self, x: Storage, y: Storage, op: TypedBinary) -> Storage:
        """Intersection: op where both have an entry."""

    @abstractmethod
    def apply(self, x: Storage, op: Applied) -> Storage:
        """op of every entry."""

    def apply_at(self, x: Storage, op: TypedUnary, places: tuple[Array, ...], shape: Shape) -> Array:
        """op of every entry of x, in order, as if they stood at `places` of something of that shape.

        For parts of something larger: the places rise as those in x do.
        """
        elsewhere = self.build(places, self.peek(x)[-1], shape, None)
        return self.entries(self.apply(elsewhere, op))[-1]

    @abstractmethod
    def select(self, x: Storage, op: Applied) -> Storage:
        """The entries for which op is true."""

    @abstractmethod
    def restrict(self, x: Storage, mask: StructuralMask) -> Storage:
        """The entries inside the mask."""

    @abstractmethod
    def cast(self, x: Storage, dtype: DType) -> Storage:
        """A copy with values of `dtype`, by the rule of `anypair.dtypes`; never shared with x."""

    # Fewer, other or more entries

    @abstractmethod
    def reduce(self, x: Storage, monoid: TypedMonoid) -> Scalar:
        """The sum of all entries; the identity when there are none."""

    @abstractmethod
    def reduce_rows(self, a: Storage, monoid: TypedMonoid) -> Storage:
        """t(i) = sum of row i, for the rows that have entries."""

    @abstractmethod
    def extract(self, x: Storage, indices: Indices) -> Storage:
        """t(k) = x(indices(k)); an index may come more than once."""

    @abstractmethod
    def place(self, x: Storage, indices: Indices, shape: Shape) -> Storage:
        """The reverse of extract: t(indices(k)) = x(k) in a larger, otherwise empty t."""

    def renumber(self, u: Storage, old: Array, size: int, *, values: bool) -> Storage:
        """t(old(k)) = u(k) or, if the values are numbers too, old(u(k)); t has this size.

        Values that are no numbers raise `IndexOutOfRange`. A backend that can do it in one pass
        overrides this.
        """
        indices, numbered = self.entries(u)
        if values:
            require_below(len(old), numbered, indices)
            numbered = old[numbered].astype(numbered.dtype)
        return self.build((old[indices].astype(np.int64),), numbered, (size,), None)

    def relabel(
        self, x: Storage, rename: Callable[[Array], Array], shape: Shape, *, values: bool
    ) -> Storage:
        """t(rename(i), rename(j)) = x(i, j), of that shape, or its rename if `values` are numbers too.

        `rename` gives different numbers to different ones.
        """
        *indices, numbers = self.entries(x)
        if values:
            numbers = rename(numbers).astype(numbers.dtype)
        return self.build(tuple(rename(axis) for axis in indices), numbers, shape, None)

    @abstractmethod
    def rowwise(self, columns: Storage, values: Storage, ncols: int) -> Storage:
        """The matrix whose row i holds values(i) at column columns(i); both have one structure.

        Columns out of range raise `IndexOutOfRange`.
        """

    @abstractmethod
    def transpose(self, a: Storage) -> Storage:
        """t(j, i) = a(i, j)."""

    def as_symmetric(self, a: Storage) -> Storage:
        """The same matrix, now known to be its own transpose, which is then not made again."""
        return a

    @abstractmethod
    def kron(self, a: Storage, b: Storage, op: TypedBinary) -> Storage:
        """The Kronecker product: every entry of a with every entry of b."""

    # The one write rule

    def only_adds(
        self, t: Storage, mask: StructuralMask | None, accum: TypedBinary | None, replace: bool
    ) -> bool:
        """Whether a write of t leaves every entry of its output there, so that it can work in place."""
        if replace and mask is not None:
            return False
        covers = mask is not None and not mask.complemented and self.nvals(t) == self.nvals(mask.storage)
        return accum is not None or covers

    def write(
        self,
        out: Storage,
        t: Storage,
        mask: StructuralMask | None,
        accum: TypedBinary | None,
        replace: bool,
        dtype: DType,
    ) -> Storage:
        """out<mask, replace> accum= t, for t inside the mask; `dtype`, that of out, is the result's.

        A backend that can do it in one pass, or in place, overrides this.
        """
        z = self.cast(t, dtype) if accum is None else self.ewise_add(out, t, accum)
        if mask is None:
            return z
        if accum is not None:
            z = self.restrict(z, mask)
        if replace:
            return z
        return self.merge(self.restrict(out, ~mask), z, dtype)

    def merge(self, out: Storage, t: Storage, dtype: DType) -> Storage:
        """out, of `dtype`, with the entries of t over its own: out(i) = t(i) wherever t has an entry.

        What `update` does, and every write that comes to the same. As `write`, it may reuse out; a
        backend that can do it in place overrides this.
        """
        return self.ewise_add(out, self.cast(t, dtype), second.typed(dtype, dtype))
