"""The contract, filled in by two other backends: for each operation one of them is chosen."""

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from threading import Lock
from typing import Any, ClassVar, Literal, Self

import numpy as np

from anypair.backends.base import (
    Applied,
    Backend,
    Indices,
    Rehearsed,
    Shape,
    Storage,
    StructuralMask,
)
from anypair.backends.hybrid.states import METHODS, Seen, State, next_state
from anypair.backends.hybrid.storage import SIDES, Side, TwoSided
from anypair.backends.options import Option, choice, whole
from anypair.backends.places import count_of
from anypair.backends.plan import DIRECTIONS
from anypair.backends.product_range import ProductRange
from anypair.backends.registry import BACKENDS, backend_class, load
from anypair.backends.tree import Step
from anypair.dtypes import Array, DType, Scalar
from anypair.errors import (
    AnypairError,
    BackendUnavailable,
    NoDevice,
    NotEnoughMemory,
    UnknownOption,
)
from anypair.semiring import TypedBinary, TypedMonoid, TypedNary, TypedSemiring, TypedUnary
from anypair.trace import current as current_trace

NOT_CPU = ("mpi", "streamed", "cuda", "hybrid")
#: What of `Backend` is one of its methods, so that another backend can stand in for it.
CONTRACT = tuple(
    name for name, found in vars(Backend).items() if inspect.isfunction(found) and name[0] != "_"
)


class HybridBackend(Backend):
    """A CPU's backend and a GPU's; without a GPU it is the CPU's."""

    name = "hybrid"
    fuses = True
    declared: ClassVar[Mapping[str, Option]] = {
        "cpu": Option("jit"),  # by the registry
        "threads": whole(0, 0, "is not a number of threads", execution=True),
        "direction": choice("auto", DIRECTIONS, execution=True),
        "method": choice("auto", METHODS, execution=True),
        "device": whole(0, 0, "is not the number of a GPU"),
        "memory_limit": whole(0, 0, "is not a number of bytes of the GPU, or 0 for no limit"),
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._choose_engines()
        self.compiles_operators = any(engine.compiles_operators for engine in self._engines.values())
        self.method: Literal["auto"] | State = self.options["method"]
        self._moving = Lock()
        if (device := self.device) is None:
            self._be(self.cpu)
            self.identity = (*self.identity, None)
        else:
            self.identity = (*self.identity, device.identity)

    def _choose_engines(self) -> None:
        name, method = self.options["cpu"], self.options["method"]
        if name not in BACKENDS or name in NOT_CPU:
            others = ", ".join(other for other in BACKENDS if other not in NOT_CPU)
            raise UnknownOption(f"backend 'hybrid': cpu={name!r} is none of {others}")
        declared = backend_class(name).declared
        given = {x: self.options[x] for x in ("threads", "direction") if x in declared}
        self._engines: dict[State, Backend] = {}
        for state in ("queue", "read"):
            told = {"frontier": state} if "frontier" in declared else {}
            self._engines[state] = load(name, {**given, **told})
        #: What computes on the CPU where no state says how.
        self.cpu = self._engines[method] if method in self._engines else load(name, given)
        self.device: Backend | None = None
        #: Why there is no GPU, for people.
        self.remark = ""
        on_device = {x: self.options[x] for x in ("direction", "device", "memory_limit")}
        try:
            self.device = self._engines["device"] = self._open_device(on_device)
        except BackendUnavailable as error:
            if method == "device":
                raise BackendUnavailable(
                    f"backend 'hybrid': method='device' needs a GPU; {error}"
                ) from error
            self.remark = f"backend 'hybrid' computes on the CPU alone, by {name!r}; {error}"
            warnings.warn(self.remark, NoDevice, stacklevel=2)

    def _open_device(self, options: Mapping[str, Any]) -> Backend:
        return load("cuda", options)

    def _be(self, other: Backend) -> None:
        """Have another backend do everything, on its own storage; only errors speak of this one."""

        def naming(method: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(method)
            def run(*arguments: Any, **keywords: Any) -> Any:
                try:
                    return method(*arguments, **keywords)
                except AnypairError as error:
                    raise self._renamed(error, "cpu") from error.__cause__

            return run

        for name in CONTRACT:
            setattr(self, name, naming(getattr(other, name)))

    def _with_engine(self, state: State, engine: Backend) -> Self:
        """One of the same options that does everything with this engine, in this state."""
        made = type(self)(**{**self.options, "method": state})
        if state == "device":
            made.device = made._engines["device"] = engine
        else:
            made.cpu = made._engines["queue"] = made._engines["read"] = engine
        return made

    @property
    def threads(self) -> int:
        return self.cpu.threads

    @classmethod
    def options_of_rank(cls, number: int, threads: int) -> dict[str, Any]:
        try:
            of_device = backend_class("cuda").options_of_rank(number, threads)
        except BackendUnavailable:
            of_device = {}
        return {"threads": threads, **of_device}

    def prepare(self, a: TwoSided, run: Rehearsed) -> None:
        # With fewer edges no vector goes to the GPU.
        if self.method == "device" or (self.method == "auto" and self._is_large(a)):
            self._prepare_on("device", "device", a, run)
        if self.method != "device":
            self._prepare_on("cpu", "queue", a, run)

    def _is_large(self, a: TwoSided) -> bool:
        return self.nvals(a) >= self.tuning.device_from

    def _prepare_on(self, side: Side, state: State, a: TwoSided, run: Rehearsed) -> None:
        def run_here(engine: Backend, sample: Storage, n: int) -> object:
            made = TwoSided((n, n), side, sample)
            made.symmetric = a.symmetric
            return run(self._with_engine(state, engine), made, n)

        with self._named(side):
            self._on(side).prepare(self._given(a, side), run_here)

    def rehearsing(self) -> Backend:
        return self._with_engine("queue", self.cpu.rehearsing())

    # Sides

    def _on(self, side: Side) -> Backend:
        """What computes there, where no state says how."""
        if side == "cpu":
            return self.cpu
        assert self.device is not None
        return self.device

    @property
    def _home(self) -> Side:
        """Where new objects are made."""
        return "device" if self.method == "device" else "cpu"

    def _given(self, x: Any, side: Side) -> Any:
        """An argument as the backend of that side takes it: its own storage in place of ours."""
        if isinstance(x, TwoSided):
            found = x.on(side)
            return self._moved(x, side) if found is None else found
        if isinstance(x, StructuralMask):
            return StructuralMask(self._given(x.storage, side), x.complemented)
        return x

    def _moved(self, x: TwoSided, side: Side) -> Storage:
        """Make the side that is missing. Threads of the user that look at one object make it once."""
        with self._moving:
            if (found := x.on(side)) is None:
                found = self._copy(x, side)
                if x.symmetric:
                    found = self._on(side).as_symmetric(found)
                x.put(side, found)
            return found

    def _copy(self, x: TwoSided, side: Side) -> Storage:
        target = self._on(side)
        origin = None if x.origin is None else x.origin.on(side)
        if origin is not None:
            return target.transpose(origin)
        ((other, storage),) = x.all()
        source = self._on(other)
        if side == "device" and len(x.shape) == 2:
            # One value for all entries goes over as one.
            return target.build_from_rows(*source.to_rows(storage), x.shape)
        read = source.peek if side == "device" else source.entries  # what is built there is a copy
        *indices, values = read(storage)
        return target.build(tuple(indices), values, x.shape, None)

    def _somewhere(self, x: TwoSided) -> tuple[Backend, Storage]:
        """Where x is already, on the host if it is there."""
        side, storage = min(x.all(), key=lambda found: SIDES.index(found[0]))
        return self._on(side), storage

    def _side_for(self, arguments: Sequence[Any]) -> tuple[Side, str]:
        """Where the least has to be moved for these arguments, and why there."""
        if self.method != "auto":
            return self._home, "asked for"
        missing = dict.fromkeys(SIDES, 0)
        for x in arguments:
            x = x.storage if isinstance(x, StructuralMask) else x
            if isinstance(x, TwoSided):
                for side in SIDES:
                    missing[side] += 0 if side in x.sides else self.nvals(x)
        chosen: Side = "device" if missing["device"] < missing["cpu"] else "cpu"
        return chosen, f"entries to move: {missing['cpu']} to the CPU, {missing['device']} to the device"

    @contextmanager
    def _named(self, side: Side) -> Iterator[None]:
        """Have errors of either backend speak of this one."""
        try:
            yield
        except AnypairError as error:
            raise self._renamed(error, side) from error.__cause__

    def _renamed(self, error: AnypairError, side: Side) -> AnypairError:
        """The same error of this backend, and of the side that it came from."""
        where = "the GPU" if side == "device" else "the CPU"
        ours = f"backend 'hybrid' ({where})"
        said = error.marked.replace(f"backend {self._on(side).name!r}", ours)
        remedy = f'computed on {where}; using("hybrid", method="queue") keeps to the CPU'
        if side == "device" and isinstance(error, NotEnoughMemory):
            said = f"{said}; {remedy}"  # of which operations take the text alone
        renamed = error if said == error.marked else error.reworded(said)
        if side == "device":
            renamed.add_note(remedy)
        return renamed

    # Computing

    def _run(self, name: str, *arguments: Any, **keywords: Any) -> tuple[Side, Any]:
        """Where a method of the contract was run, and what it gave."""
        side, reason = self._side_for(arguments)
        with self._named(side):
            given = [self._given(x, side) for x in arguments]
            found = getattr(self._on(side), name)(*given, **keywords)
        if (trace := current_trace()) is not None:
            trace.note_first(method=side, reason=reason)
        return side, found

    def _made(self, name: str, shape: Shape, *arguments: Any, **keywords: Any) -> TwoSided:
        """What a method of the contract gives, as an object of ours with the history of the first."""
        side, found = self._run(name, *arguments, **keywords)
        made = TwoSided(shape, side, found)
        x = arguments[0]
        if isinstance(x, TwoSided):
            made.state, made.before = x.state, x.before
        return made

    def _new(self, name: str, shape: Shape, *arguments: Any, **keywords: Any) -> TwoSided:
        """What is made of arrays of the host."""
        side = self._home
        with self._named(side):
            return TwoSided(shape, side, getattr(self._on(side), name)(*arguments, **keywords))

    def _into(self, name: str, out: TwoSided, t: TwoSided, *arguments: Any) -> TwoSided:
        """Write t into out, on one side, after which the other has nothing of it any more."""
        side, reason = self._side_for((out, t, *arguments))
        with self._named(side):
            given = [self._given(x, side) for x in (t, *arguments)]
            self._given(out, side)
            found = getattr(self._on(side), name)(out.begin_write(side), *given)
        if (trace := current_trace()) is not None:
            trace.note_first(method=side, reason=reason)
        made = TwoSided(out.shape, side, found)
        made.state, made.before = t.state, t.before
        return made

    # In and out

    def build(
        self, indices: tuple[Array, ...], values: Array, shape: Shape, duplicates: TypedBinary | None
    ) -> TwoSided:
        return self._new("build", shape, indices, values, shape, duplicates)

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
    ) -> TwoSided:
        kinds = {"symmetric": symmetric, "self_loops": self_loops}
        return self._new("build_graph", (n, n), sources, targets, values, n, duplicates, **kinds)

    def build_full(self, size: int, value: Array) -> TwoSided:
        return self._new("build_full", (size,), size, value)

    def build_from_words(self, words: Array, values: Array, size: int) -> TwoSided:
        return self._new("build_from_words", (size,), words, values, size)

    def build_from_rows(self, starts: Array, columns: Array, values: Array, shape: Shape) -> TwoSided:
        return self._new("build_from_rows", shape, starts, columns, values, shape)

    def to_rows(self, a: TwoSided) -> tuple[Array, Array, Array]:
        engine, storage = self._somewhere(a)
        return engine.to_rows(storage)

    def block(self, u: TwoSided, size: int, missing: Scalar) -> Array:
        engine, storage = self._somewhere(u)
        return engine.block(storage, size, missing)

    def entries(self, x: TwoSided) -> tuple[Array, ...]:
        engine, storage = self._somewhere(x)
        return engine.entries(storage)

    def first_entries(self, x: TwoSided, shape: Shape, count: int) -> tuple[Array, ...]:
        engine, storage = self._somewhere(x)
        return engine.first_entries(storage, shape, count)

    def peek(self, x: TwoSided) -> tuple[Array, ...]:
        engine, storage = self._somewhere(x)
        return engine.peek(storage)

    def words(self, x: TwoSided, size: int) -> Array:
        engine, storage = self._somewhere(x)
        return engine.words(storage, size)

    def nvals(self, x: TwoSided) -> int:
        engine, storage = self._somewhere(x)
        return engine.nvals(storage)

    def nbytes(self, x: TwoSided) -> int:
        return sum(self._on(side).nbytes(storage) for side, storage in x.all())

    def finish(self, x: TwoSided) -> None:
        for side, storage in x.all():
            with self._named(side):
                self._on(side).finish(storage)

    # Products

    def mxv(
        self, a: TwoSided, u: TwoSided, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> TwoSided:
        return self._multiply("mxv", u, a, a.shape[1], a.shape[0], (a, u, semiring, mask))

    def vxm(
        self, u: TwoSided, a: TwoSided, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> TwoSided:
        return self._multiply("vxm", u, a, a.shape[0], a.shape[1], (u, a, semiring, mask))

    def _multiply(
        self, name: str, u: TwoSided, a: TwoSided, places: int, size: int, arguments: tuple[Any, ...]
    ) -> TwoSided:
        entries = self.nvals(u)
        edges = self.nvals(a) * entries / max(places, 1)
        state, reason = self._state(u.state, Seen(entries, u.before, places, edges))
        side: Side = "device" if state == "device" else "cpu"
        with self._named(side):
            given = [self._given(x, side) for x in arguments]
            found = getattr(self._engines[state], name)(*given)
        if (trace := current_trace()) is not None:
            trace.note(method=state, reason=reason)
        made = TwoSided((size,), side, found)
        made.state, made.before = state, entries
        return made

    def _state(self, before: State, seen: Seen) -> tuple[State, str]:
        """In which state a product runs, and why."""
        if self.method != "auto":
            return self.method, "asked for"
        return next_state(before, seen, self.tuning)

    def mxm(
        self, a: TwoSided, b: TwoSided, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> TwoSided:
        side, reason = self._side_of_products(a, b)
        shape = (a.shape[0], b.shape[1])
        return TwoSided(shape, side, self._product(side, reason, "mxm", a, b, semiring, mask))

    def reduce_product(
        self,
        a: TwoSided,
        b: TwoSided,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
        monoid: TypedMonoid,
    ) -> Scalar:
        side, reason = self._side_of_products(a, b)
        return self._product(side, reason, "reduce_product", a, b, semiring, mask, monoid)  # type: ignore[no-any-return]

    def _side_of_products(self, a: TwoSided, b: TwoSided) -> tuple[Side, str]:
        """A product of matrices is one of many vectors that no product has made, the rows of a."""
        entries = self.nvals(a)
        edges = self.nvals(b) * entries / max(b.shape[0], 1)
        state, reason = self._state("queue", Seen(entries, 0, a.shape[0] * a.shape[1], edges))
        return "device" if state == "device" else "cpu", reason

    def _product(self, side: Side, reason: str, name: str, *arguments: Any) -> Any:
        with self._named(side):
            found = getattr(self._on(side), name)(*(self._given(x, side) for x in arguments))
        if (trace := current_trace()) is not None:
            trace.note(method=side, reason=reason)
        return found

    def closure(
        self,
        u: TwoSided,
        a: TwoSided,
        semiring: TypedSemiring,
        n: int,
        *,
        symmetric: bool,
        grows: bool,
        products: ProductRange | None,
    ) -> TwoSided:
        known: dict[str, Any] = {"symmetric": symmetric, "grows": grows, "products": products}
        # As a product of a vector with all vertices, since each edge of these is looked at.
        state, reason = self._state("queue", Seen(n, 0, n, self.nvals(a)))
        if state == "device":
            return super().closure(u, a, semiring, n, **known)  # type: ignore[no-any-return]
        with self._named("cpu"):
            given = (self._given(u, "cpu"), self._given(a, "cpu"))
            found = self.cpu.closure(*given, semiring, n, **known)
        if (trace := current_trace()) is not None:
            trace.note_first(method="cpu", reason=reason)
        return TwoSided((n,), "cpu", found)

    # Entry by entry

    def evaluate(self, tree: Step, spare: Sequence[TwoSided] = ()) -> Any:
        leaves = tree.storages()
        side, reason = self._side_for(leaves)
        with self._named(side):
            inner = tree.with_storages({id(x): self._given(x, side) for x in leaves})
            found = self._on(side).evaluate(inner, [self._given(x, side) for x in spare])
        if (trace := current_trace()) is not None:
            trace.note_first(method=side, reason=reason)
        return found if tree.operation == "reduce" else TwoSided(leaves[0].shape, side, found)

    def ewise_add(self, x: TwoSided, y: TwoSided, op: TypedBinary) -> TwoSided:
        return self._made("ewise_add", x.shape, x, y, op)

    def ewise_mult(self, x: TwoSided, y: TwoSided, op: TypedBinary) -> TwoSided:
        return self._made("ewise_mult", x.shape, x, y, op)

    def ewise_all(self, x: TwoSided, op: TypedNary, shape: Shape, *others: TwoSided) -> TwoSided:
        return self._made("ewise_all", shape, x, op, shape, *others)

    def apply(self, x: TwoSided, op: Applied) -> TwoSided:
        return self._made("apply", x.shape, x, op)

    def apply_at(self, x: TwoSided, op: TypedUnary, places: tuple[Array, ...], shape: Shape) -> Array:
        found: Array = self._run("apply_at", x, op, places, shape)[1]
        return found

    def select(self, x: TwoSided, op: Applied) -> TwoSided:
        return self._made("select", x.shape, x, op)

    def restrict(self, x: TwoSided, mask: StructuralMask) -> TwoSided:
        return self._made("restrict", x.shape, x, mask)

    def cast(self, x: TwoSided, dtype: DType) -> TwoSided:
        return self._made("cast", x.shape, x, dtype)

    # Fewer, other or more entries

    def reduce(self, x: TwoSided, monoid: TypedMonoid) -> Scalar:
        found: Scalar = self._run("reduce", x, monoid)[1]
        return found

    def reduce_rows(self, a: TwoSided, monoid: TypedMonoid) -> TwoSided:
        return self._made("reduce_rows", a.shape[:1], a, monoid)

    def extract(self, x: TwoSided, indices: Indices) -> TwoSided:
        shape = tuple(count_of(places, n) for places, n in zip(indices, x.shape, strict=True))
        return self._made("extract", shape, x, indices)

    def place(self, x: TwoSided, indices: Indices, shape: Shape) -> TwoSided:
        return self._made("place", shape, x, indices, shape)

    def renumber(self, u: TwoSided, old: Array, size: int, *, values: bool) -> TwoSided:
        return self._made("renumber", (size,), u, old, size, values=values)

    def relabel(
        self, x: TwoSided, rename: Callable[[Array], Array], shape: Shape, *, values: bool
    ) -> TwoSided:
        return self._made("relabel", shape, x, rename, shape, values=values)

    def rowwise(self, columns: TwoSided, values: TwoSided, ncols: int) -> TwoSided:
        return self._made("rowwise", (columns.shape[0], ncols), columns, values, ncols)

    def transpose(self, a: TwoSided) -> TwoSided:
        made = self._made("transpose", a.shape[::-1], a)
        made.set_origin(a)
        return made

    def as_symmetric(self, a: TwoSided) -> TwoSided:
        for side, storage in a.all():
            a.put(side, self._on(side).as_symmetric(storage))
        a.symmetric = True
        return a

    def kron(self, a: TwoSided, b: TwoSided, op: TypedBinary) -> TwoSided:
        shape = tuple(int(n) for n in np.multiply(a.shape, b.shape, dtype=object))
        return self._made("kron", shape, a, b, op)

    # In an order, and by places

    def revalued(self, x: TwoSided, values: Array, shape: Shape) -> TwoSided:
        return self._made("revalued", shape, x, values, shape)

    def ranks(self, x: TwoSided, shape: Shape, *, by_value: bool, descending: bool = False) -> TwoSided:
        return self._made("ranks", shape, x, shape, by_value=by_value, descending=descending)

    def running(self, x: TwoSided, shape: Shape, monoid: TypedMonoid) -> TwoSided:
        return self._made("running", shape, x, shape, monoid)

    def pairwise(self, x: Array, y: Array, op: TypedBinary) -> Array:
        found: Array = self._run("pairwise", x, y, op)[1]
        return found

    def random(self, x: TwoSided, shape: Shape, seed: int, dtype: DType) -> TwoSided:
        return self._made("random", shape, x, shape, seed, dtype)

    def scale(
        self, a: TwoSided, u: TwoSided, op: TypedBinary, dtypes: tuple[DType, DType], *, by_rows: bool
    ) -> TwoSided:
        return self._made("scale", a.shape, a, u, op, dtypes, by_rows=by_rows)

    def gather(self, u: TwoSided, indices: TwoSided, size: int, dtypes: tuple[DType, DType]) -> TwoSided:
        return self._made("gather", indices.shape, u, indices, size, dtypes)

    # The write rule: what is written in place on one side is not on the other any more

    def write(
        self,
        out: TwoSided,
        t: TwoSided,
        mask: StructuralMask | None,
        accum: TypedBinary | None,
        replace: bool,
        dtype: DType,
    ) -> TwoSided:
        return self._into("write", out, t, mask, accum, replace, dtype)

    def merge(self, out: TwoSided, t: TwoSided, dtype: DType) -> TwoSided:
        return self._into("merge", out, t, dtype)
