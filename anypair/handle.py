"""What matrices and vectors share: a shape, a dtype, a backend, and storage that only it looks into."""

from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from anypair.arithmetic import Arithmetic
from anypair.backends.base import Backend, Shape, Storage
from anypair.backends.processes import Processes
from anypair.config import resolve
from anypair.container import Container
from anypair.dtypes import Array, DType, as_dtype
from anypair.errors import (
    AnypairError,
    DuplicateEntries,
    InvalidArgument,
    NotEnoughMemory,
    option,
    shown,
)
from anypair.held import hold
from anypair.inputs import as_binary
from anypair.mask import Mask
from anypair.memory import naming_memory_errors, require
from anypair.pickling import parts_of, restored
from anypair.semiring import BinaryOp, Monoid, TypedBinary
from anypair.showing import as_html, as_text

if TYPE_CHECKING:
    from anypair.expression import Expression


class Handle(Container, Arithmetic):
    """A matrix or a vector. Use `Matrix.from_...` and `Vector.from_...` to make one."""

    __slots__ = (
        "__weakref__", "_pending", "backend", "dtype", "shape", "storage", "values_are_indices",
    )  # fmt: skip
    __array_ufunc__ = None  # NumPy has to refuse handles, not iterate over them

    kind: ClassVar[str]

    def __init__(self, shape: Shape, dtype: DType, storage: Storage, backend: Backend) -> None:
        self.shape = shape
        self.dtype = dtype
        self.backend = backend
        #: What the backend keeps; for the backend only. A plain attribute, as each operation reads it.
        self.storage = storage
        #: Of a vector: whether each value is the index of its entry, so that products need not look.
        self.values_are_indices = False

    @classmethod
    def put_off(cls, shape: Shape, dtype: DType, expression: "Expression", backend: Backend) -> Self:
        """What an expression gives, evaluated when somebody asks for the storage."""
        made = cls(shape, dtype, None, backend)
        del made.storage  # which is then looked for by __getattr__
        made._pending = expression
        return made

    _pending: "Expression"

    def __getattr__(self, name: str) -> Any:
        """The storage of an expression that is not evaluated yet."""
        if name != "storage":  # is not there, or is a property that has failed: its own error says how
            return object.__getattribute__(self, name)
        if (expression := self.pending) is not None:
            result = expression.evaluate()
            hold(result)  # other expressions may hold this one
            self.take(result)
            with suppress(AttributeError):  # another thread has looked meanwhile
                del self._pending
        return object.__getattribute__(self, "storage")

    @property
    def pending(self) -> "Expression | None":
        """The expression that this is, if it is not evaluated yet."""
        try:
            return object.__getattribute__(self, "_pending")  # type: ignore[no-any-return]
        except AttributeError:
            return None

    def take(self, other: Self) -> None:
        """Be what another handle is: its storage, and what is known of it."""
        self.storage = other.storage
        self.values_are_indices = other.values_are_indices

    def with_same_storage(self) -> Self:
        """Another handle of the same storage; only for what is not written to."""
        made = type(self)(self.shape, self.dtype, None, self.backend)
        made.take(self)
        return made

    def replace_storage(self, storage: Storage) -> None:
        """Take what `Backend.write` returned for this handle."""
        self.storage = storage
        self.values_are_indices = False

    @property
    def nvals(self) -> int:
        """How many entries there are."""
        return self.backend.nvals(self.storage)

    @property
    def nbytes(self) -> int:
        """How many bytes of memory the entries take now."""
        return self.backend.nbytes(self.storage)

    def finish(self) -> Self:
        """Do now whatever the backend has put off for this, and return it; stop timers after this.

        >>> from time import perf_counter
        >>> from anypair import Vector, apply
        >>> from anypair.semiring import times
        >>> begin = perf_counter()
        >>> doubled = apply(Vector.full(3, 4), times, right=2).finish()
        >>> seconds = perf_counter() - begin
        """
        self.backend.finish(self.storage)
        return self

    def require(self, nbytes: int, what: str) -> None:
        """Refuse, on all processes, what one of them has no memory for."""
        try:
            require(nbytes, what)
        except NotEnoughMemory as error:
            self.backend.processes.fail(error)

    @property
    def structure(self) -> Mask:
        """The mask of the places that have an entry; `~x.structure` is all others."""
        return Mask(self)

    @naming_memory_errors
    def to_entries(self) -> tuple[Array, ...]:
        """Index arrays and values on the host, sorted: `(indices, values)` or `(rows, columns, values)`.

        >>> from anypair import Vector
        >>> Vector.from_entries([2, 0], [5, 7], size=3).to_entries()
        (array([0, 2]), array([7, 5]))
        """
        self.require(self.nvals * (8 * len(self.shape) + self.dtype.itemsize), "a copy of the entries")
        return self.backend.entries(self.storage)

    def copy(self) -> Self:
        """An independent copy."""
        return self.cast(self.dtype)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, parts_of(self)

    @naming_memory_errors
    def cast(self, dtype: Any) -> Self:
        """A copy with values of another dtype.

        >>> from anypair import Vector
        >>> Vector.from_entries([0], [2.9], size=1).cast(int).to_entries()[1]
        array([2])
        """
        wanted = as_dtype(dtype)
        return type(self)(self.shape, wanted, self.backend.cast(self.storage, wanted), self.backend)

    @naming_memory_errors
    def to(self, backend: str | Backend) -> Self:
        """The same entries on another backend; itself if it is there already.

        A backend that differs in options of execution alone takes the entries as they are, as a copy.

        >>> from anypair import Vector
        >>> Vector.from_entries([0], [1], size=2).to("reference").backend.name
        'reference'
        """
        target = resolve(backend)
        if target is self.backend:
            return self
        if target.identity == self.backend.identity:
            return type(self)(self.shape, self.dtype, target.cast(self.storage, self.dtype), target)
        *indices, values = self.to_entries()
        return type(self)(
            self.shape, self.dtype, target.build(tuple(indices), values, self.shape, None), target
        )

    @property
    @abstractmethod
    def described_shape(self) -> str:
        """The shape in words, for messages."""

    def __bool__(self) -> bool:
        raise InvalidArgument(
            f"a {self.kind} is neither true nor false; ask for .nvals, or same(x, y) to compare"
        )

    def __eq__(self, other: object) -> bool:
        raise InvalidArgument(
            f"a {self.kind} is not compared by == or !=; ask same(x, y) whether all entries are equal, "
            "x is y whether both are one object, ewise_mult(x, y, eq) where they are equal"
        )

    __hash__ = object.__hash__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """What NumPy takes it for, if every place has an entry."""
        if self.nvals < prod(self.shape):
            raise InvalidArgument(
                f"NumPy cannot take a {self.kind} that has places without an entry; "
                "x.to_numpy(missing=0) says what stands there, x.to_entries() has what is there"
            )
        if copy is False:
            raise InvalidArgument(f"NumPy gets a copy of a {self.kind}, so copy=False cannot be had")
        dense = self.to_entries()[-1].reshape(self.shape)
        return dense if dtype is None else dense.astype(dtype)

    @abstractmethod
    def get(self, *place: Any) -> Any:
        """The value at a place."""

    @property
    def headline(self) -> str:
        """What it is, in a line."""
        return (
            f"{self.kind}({self.described_shape}, dtype={self.dtype}, nvals={self.nvals}, "
            f"backend={self.backend.name}, {readable_bytes(self.nbytes)})"
        )

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    _columns: ClassVar[tuple[str, ...]]


def backend_for(operation: str, backend: str | Backend | None, like: Handle | None) -> Backend:
    """Where a new object goes: where `like` is, or the backend that is meant without it."""
    if like is None:
        return resolve(backend)
    if not isinstance(like, Handle):
        raise InvalidArgument(f"{operation}: like={shown(like)} is not a Matrix or Vector")
    if backend is not None:
        raise InvalidArgument(f"{operation}: like= and backend= both say where; give one of them")
    return like.backend


def build(
    operation: str,
    make: Callable[[TypedBinary | None], Storage],
    values: Array,
    duplicates: BinaryOp | Monoid | None,
    processes: Processes,
    *,
    of_slices: bool = False,
    origin: object = None,
) -> Storage:
    """What `make` builds of the values, with the errors that a user understands.

    What one process refuses all refuse; `of_slices` says that each has values of its own. `origin` is
    what to call the source of the entries, such as a file, where that is not the operation.
    """

    def prepare() -> TypedBinary | None:
        require(bytes_to_build(len(values), values.dtype), f"{operation}: building this")
        return _combiner(operation, duplicates, values.dtype)

    if of_slices:
        combine = processes.together(prepare)
    else:
        try:
            combine = prepare()
        except AnypairError as error:
            processes.fail(error)
    try:
        return make(combine)
    except DuplicateEntries as error:
        raise error.reworded(
            f"{origin or operation}: more than one entry at {error.place}; "
            f"say how to combine them, as in {option('duplicates', 'anypair.semiring.plus')}"
        ) from None


def bytes_to_build(count: int, dtype: DType) -> int:
    """What sorting so many entries and removing duplicates takes: about three copies of them."""
    return 3 * count * (16 + dtype.itemsize)


def _combiner(operation: str, op: BinaryOp | Monoid | None, dtype: DType) -> TypedBinary | None:
    if op is None:
        return None
    return as_binary(operation, "duplicates", op).typed(dtype, dtype).into(dtype)


def readable_bytes(nbytes: int) -> str:
    """A size as people write it.

    >>> readable_bytes(1_500_000)
    '1.5 MB'
    """
    size = float(nbytes)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
