"""The contract: what every backend can do, on storage that only it looks into.

Each operation is two visible steps: compute t, then `write` or `merge` t. Methods never change their
arguments and never return storage in which a later write to an argument would show; only these two may
reuse `out`. Operators arrive typed, so a backend decides nothing about dtypes.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from anypair.backends.options import Option, settled
from anypair.backends.orderly import first_of_runs, random_at, ranks_in_lines
from anypair.backends.places import Places, places_of_edges, require_below
from anypair.backends.processes import Processes
from anypair.backends.product_range import ProductRange
from anypair.backends.tree import Step
from anypair.backends.tuning import Tuning
from anypair.backends.write_rule import written
from anypair.dtypes import BOOL, Array, DType, Scalar, cast
from anypair.memory import require
from anypair.semiring import (
    BoundOp,
    Monoid,
    Semiring,
    TypedBinary,
    TypedMonoid,
    TypedNary,
    TypedSemiring,
    TypedUnary,
    any_first,
    any_monoid,
    any_second,
    position,
    second,
)

if TYPE_CHECKING:
    from anypair.backends.wire.array_layer import ArrayLayer

Storage: TypeAlias = Any
Shape: TypeAlias = tuple[int, ...]  # (size,) of a vector, (nrows, ncols) of a matrix
Indices: TypeAlias = tuple[Places, ...]  # one for each axis
Applied: TypeAlias = TypedUnary | BoundOp
FEW_LINES = 64  # rows, or places of a vector, to begin with where the first entries are looked for
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
    #: What is to be known of it on this machine, such as what it does without; mostly nothing.
    remark: str = ""
    #: The numbers that its decisions are made with.
    tuning: Tuning = Tuning()

    #: The processes that hold the data.
    processes: Processes = Processes()
    #: Whether each of them holds a part that means nothing without the others'.
    is_distributed: ClassVar[bool] = False
    #: Whether operators are compiled, so that not every Python function will do.
    compiles_operators: bool = False
    #: Whether `build_from_rows` keeps the arrays it is given: parts of a mapped file cost nothing.
    keeps_rows: ClassVar[bool] = False
    #: Whether its products tell a multiply the place of the result, if that wants to know.
    tells_places: ClassVar[bool] = False
    #: Whether `evaluate` computes a tree in one loop.
    fuses: ClassVar[bool] = False
    #: The folder of matrices that are on disk, as is then all that would not fit into memory; None if
    #: they are in memory, "" where the system has its temporary files.
    matrices_on_disk: str | None = None
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

    def build_graph_of_parts(
        self,
        parts: Iterable[tuple[Array, Array, Array]],
        n: Callable[[], int],
        like: Array,
        duplicates: TypedBinary | None,
        *,
        symmetric: bool,
        self_loops: bool,
    ) -> Storage:
        """As `build_graph`, of sources, targets and values that come part by part.

        `n` can be asked after the last part; `like` has two values like theirs, of stride 0 if one
        stands for all.
        """
        sides = [*zip(*parts, strict=True)] or [(np.empty(0, np.int64),), (np.empty(0, np.int64),), ()]
        sources, targets = (np.concatenate(side) for side in sides[:2])
        values = np.concatenate([like[:0], *sides[2]])
        if like.strides == (0,):
            values = np.broadcast_to(like[:1], values.shape)
        return self.build_graph(
            sources, targets, values, n(), duplicates, symmetric=symmetric, self_loops=self_loops
        )

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

    def build_by_place(self, words: Array, values: Array, size: int) -> Storage:
        """As `build_from_words`, with values by place, which may be kept; the rest do not count."""
        bits = np.unpackbits(words.view(np.uint8), count=size, bitorder="little").view(np.bool_)
        return self.build_from_words(words, values[bits], size)

    def by_place(self, u: Storage, size: int) -> Array:
        """The values of a vector by place, only to be read; where no entry is they mean nothing."""
        return self.block(u, size, 0)

    def block(self, u: Storage, size: int, missing: Scalar) -> Array:
        """This process's places of a vector of that size, on the host; `missing` where no entry is."""
        indices, values = self.entries(u)
        block = np.full(size, missing, values.dtype)
        block[indices] = values
        return block

    @abstractmethod
    def entries(self, x: Storage) -> tuple[Array, ...]:
        """Index arrays (int64) and values on the host, sorted by row, then column."""

    def first_entries(self, x: Storage, shape: Shape, count: int) -> tuple[Array, ...]:
        """As `entries`, of the first `count` only, found in longer and longer parts at the beginning."""
        length, many = shape[0], FEW_LINES
        while many < length:
            part = self.extract(x, (range(many), None)[: len(shape)])
            if self.nvals(part) >= count:
                x, many = part, length
            many *= FEW_LINES
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

    def ewise_all(self, x: Storage, op: TypedNary, shape: Shape, *others: Storage) -> Storage:
        """Intersection of several operands of that shape: op where all have an entry."""
        for y in others:
            x = self.restrict(x, StructuralMask(y, False))
        inside = StructuralMask(x, False)
        columns = [self.peek(y)[-1] for y in (x, *(self.restrict(y, inside) for y in others))]
        return self.revalued(x, self.columnwise(op, columns), shape)

    def columnwise(self, op: TypedNary, columns: Sequence[Array]) -> Array:
        """op of arrays of the host, value by value. Those who compile operators override this."""
        lists = (column.tolist() for column in columns)
        return np.array([op(*values) for values in zip(*lists, strict=True)], op.result)

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

    def reduce_columns(self, a: Storage, monoid: TypedMonoid) -> Storage | None:
        """t(j) = sum of column j, for those that have entries; None where the rows of the transpose are
        summed instead.
        """
        return None

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

    # Entries in an order, and by the places where they stand; of a matrix each row is by itself

    def revalued(self, x: Storage, values: Array, shape: Shape) -> Storage:
        """The same structure with these values, which come in the order of `entries`."""
        return self.build(self.peek(x)[:-1], values, shape, None)

    def ranks(self, x: Storage, shape: Shape, *, by_value: bool, descending: bool = False) -> Storage:
        """How many entries come before each one, of its row if x is a matrix: in the order of places, or
        of values, NaN last and equal ones in the order of places.
        """
        *places, values = self.peek(x)
        lines = places[0] if len(shape) == 2 else np.zeros(len(values), np.int64)
        ranks = ranks_in_lines(lines, values if by_value else None, descending=descending)
        return self.revalued(x, ranks, shape)

    def running(self, x: Storage, shape: Shape, monoid: TypedMonoid) -> Storage:
        """The sum of each entry and all before it, of its row if x is a matrix."""
        *places, values = self.peek(x)
        sums = cast(values, monoid.domain)
        positions = np.arange(len(sums))
        firsts = first_of_runs(places[0]) if len(shape) == 2 else np.zeros(len(sums), np.int64)
        if monoid.op.is_addition and monoid.domain.kind in "iu":
            sums = np.cumsum(sums, dtype=monoid.domain)
            return self.revalued(x, sums - (sums - values.astype(monoid.domain))[firsts], shape)
        reach = 1  # each is the sum of as many, or of all from the first of its row on
        while reach < len(sums):
            later = np.flatnonzero(positions - firsts >= reach)
            if not len(later):
                break
            sums[later] = self.pairwise(sums[later - reach], sums[later], monoid.op)
            reach *= 2
        return self.revalued(x, sums, shape)

    def pairwise(self, x: Array, y: Array, op: TypedBinary) -> Array:
        """op of two arrays of the host, value by value."""
        places = (np.arange(len(x)),)
        left, right = (self.build(places, values, (len(x),), None) for values in (x, y))
        return self.entries(self.ewise_mult(left, right, op))[-1]

    def random(self, x: Storage, shape: Shape, seed: int, dtype: DType) -> Storage:
        """A random number in place of each entry, which follows from the seed and the place alone."""
        return self.revalued(x, random_at(self.peek(x)[:-1], seed, dtype), shape)

    # A vector along the rows or columns of a matrix, or at places that another one has

    def scale(
        self, a: Storage, u: Storage, op: TypedBinary, dtypes: tuple[DType, DType], *, by_rows: bool
    ) -> Storage:
        """t(i, j) = op(a(i, j), u(i)), or u(j) if not `by_rows`; `dtypes` are those of a and u."""
        places = self.apply(u, position.typed(dtypes[1]))
        on_diagonal = self.rowwise(places, u, self.shape_of(a)[0 if by_rows else 1])
        if not by_rows:
            return self.mxm(a, on_diagonal, _over_one_term(op), None)
        if op.op.commutes and dtypes[0] == dtypes[1]:
            return self.mxm(on_diagonal, a, _over_one_term(op), None)
        spread = self.mxm(on_diagonal, a, any_first.typed(dtypes[1], dtypes[0]), None)
        return self.ewise_mult(a, spread, op)

    def gather(self, u: Storage, indices: Storage, size: int, dtypes: tuple[DType, DType]) -> Storage:
        """t(i) = u(indices(i)), of a u of that size; `dtypes` are those of u and of the indices.

        Indices out of range raise `IndexOutOfRange`.
        """
        chosen = self._selection(indices, size, dtypes[1])
        return self.mxv(chosen, u, any_second.typed(BOOL, dtypes[0]), None)

    def scatter(
        self,
        values: Storage,
        indices: Storage,
        size: int,
        monoid: TypedMonoid,
        dtypes: tuple[DType, DType],
    ) -> Storage:
        """t(j) = sum of values(i) with indices(i) = j, of that size; `dtypes` are those of both.

        Indices out of range raise `IndexOutOfRange`.
        """
        hands_on = _handing_on(monoid.monoid, dtypes[0])
        return self.vxm(values, self._selection(indices, size, dtypes[1]), hands_on, None)

    def _selection(self, indices: Storage, size: int, dtype: DType) -> Storage:
        """The matrix with True at (i, indices(i))."""
        true = self.apply(indices, BoundOp(second.typed(dtype, BOOL), True, False))
        return self.rowwise(indices, true, size)

    # The one write rule

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
        return written(self, out, t, mask, accum, replace, dtype)

    def merge(self, out: Storage, t: Storage, dtype: DType) -> Storage:
        """out, of `dtype`, with the entries of t over its own: out(i) = t(i) wherever t has an entry.

        What `update` does, and every write that comes to the same. As `write`, it may reuse out; a
        backend that can do it in place overrides this.
        """
        return self.ewise_add(out, self.cast(t, dtype), second.typed(dtype, dtype))


@lru_cache(maxsize=256)
def _over_one_term(op: TypedBinary) -> TypedSemiring:
    """A semiring that multiplies by op, for sums of one term."""
    return TypedSemiring(Semiring(any_monoid, op.op), op, any_monoid.typed(op.result))


@lru_cache(maxsize=256)
def _handing_on(monoid: Monoid, dtype: DType) -> TypedSemiring:
    """A semiring that adds, by that monoid, values of that dtype as they are."""
    return Semiring(monoid, second).typed(BOOL, dtype)
