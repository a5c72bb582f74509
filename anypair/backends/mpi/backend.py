"""The contract, filled in for a grid of ranks: local work by a local backend, and exchanges between."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from anypair.backends.base import Backend, Indices, Rehearsed, Shape, StructuralMask
from anypair.backends.grid import parse_grid
from anypair.backends.mpi.agreement import Agreement
from anypair.backends.mpi.blocks import like
from anypair.backends.mpi.building import Builder
from anypair.backends.mpi.calls import monoid_text, semiring_text, stored_text
from anypair.backends.mpi.deferral import Deferral
from anypair.backends.mpi.direction import Directions
from anypair.backends.mpi.entrywise import Entrywise, held_by
from anypair.backends.mpi.folding import Failed, Fold, Sums
from anypair.backends.mpi.locals import array_layer_for, load_local, threads_for_each
from anypair.backends.mpi.matrix_product import MatrixProduct
from anypair.backends.mpi.moving import Mover
from anypair.backends.mpi.products import DistributedProduct, Engine
from anypair.backends.mpi.rank_layout import RankLayout
from anypair.backends.mpi.ranks import Ranks
from anypair.backends.mpi.storage import MpiMatrix, MpiVector, Stored
from anypair.backends.options import Option, choice, whole
from anypair.backends.plan import DIRECTIONS
from anypair.backends.product_range import ProductRange
from anypair.backends.wire.array_layer import STAGES
from anypair.backends.wire.group import Group
from anypair.backends.wire.messages import MODES, Form
from anypair.dtypes import Array, Scalar
from anypair.semiring import TypedBinary, TypedMonoid, TypedSemiring

PARENTS = ("online", "final")


class MpiBackend(Entrywise):
    """A 2D grid of MPI ranks, each of which runs a local backend on its block."""

    name = "mpi"
    is_distributed = True
    declared: ClassVar[Mapping[str, Option]] = {
        "grid": Option("auto"),  # by the number of ranks
        "local": Option("jit"),  # by the registry
        "threads": whole(0, 0, "is not a number of threads", execution=True),
        "direction": choice("auto", DIRECTIONS, execution=True),
        "expand": choice("auto", MODES, execution=True),
        "fold": choice("alltoall", Fold.METHODS, execution=True),
        "parents": choice("online", PARENTS),
        "stage": choice("host", STAGES),
        "lanes": whole(1, 1, execution=True),
        "unit": whole(64, 1),
        "chunk": whole(1 << 30, 1, execution=True),
        "timeout": whole(1800, 0, execution=True),
    }

    def __init__(self, *, world: Group | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.identity = (*self.identity, world)
        given = self.options
        if world is None:
            try:
                from anypair.backends.mpi.communicator import Communicator  # which starts MPI
            except RuntimeError as error:  # mpi4py is here, and no MPI
                raise ImportError(str(error).splitlines()[0]) from error

            world = Communicator.world(given["chunk"], given["timeout"])
        self.agreement = Agreement(world)
        shown = ", ".join(f"{name}={value!r}" for name, value in given.items())
        self.agreement.check(f"using('mpi', {shown})")
        self.layout = RankLayout(world, parse_grid(given["grid"], world.size, given["unit"]))
        self.processes = Ranks(self.layout, self.agreement)
        number, cores = world.place_here()
        failure: Exception | None = None
        try:  # one machine may lack what others have
            each = given["threads"] or threads_for_each(cores)[number]
            self.by_direction = self._load_local(given["local"], each, number)
            self.local = self.by_direction["auto"]
            self.compiles_operators = self.local.compiles_operators
            self.arrays = array_layer_for(given["stage"], self.local, world)
        except Exception as error:
            failure = error
        self.agreement.check("the local backend of using('mpi')", (), failure)
        self.team = getattr(self.local, "team", None)  # those who read files work with it too
        self.directions = Directions(given["direction"], self.local)
        form = Form(given["expand"], given["lanes"])
        self.engine = Engine(
            self.layout, self.arrays, self.local, self.by_direction, self.agreement, form, given["fold"]
        )
        self.builder = Builder(self.layout, self.local, self.agreement)
        self.mover = Mover(self.builder)
        self.deferral = Deferral(self.engine) if given["parents"] == "final" else None

    def _load_local(self, name: str, threads: int, number: int) -> dict[str, Backend]:
        return load_local(name, threads, number)

    @property
    def threads(self) -> int:
        return self.local.threads

    def prepare(self, a: MpiMatrix, run: Rehearsed) -> None:
        from anypair.backends.mpi.rehearsal import rehearsals  # whose backend is one of this kind

        for rehearsal in rehearsals(self, a):
            run(*rehearsal)

    # In and out

    def build(
        self,
        indices: tuple[Array, ...],
        values: Array,
        shape: Shape,
        duplicates: TypedBinary | None,
    ) -> Stored:
        return self.builder.from_everywhere(indices, values, shape, duplicates)

    def build_of_slices(
        self,
        indices: tuple[Array, ...],
        values: Array,
        shape: Shape,
        duplicates: TypedBinary | None,
    ) -> Stored:
        return self.builder.from_slices(indices, values, shape, duplicates, "build_of_slices")

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
    ) -> MpiMatrix:
        return self.builder.graph(
            sources, targets, values, n, duplicates,
            symmetric=symmetric, self_loops=self_loops, everywhere=True,
        )  # fmt: skip

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
    ) -> MpiMatrix:
        return self.builder.graph(
            sources, targets, values, n, duplicates,
            symmetric=symmetric, self_loops=self_loops, everywhere=False,
        )  # fmt: skip

    def build_full(self, size: int, value: Array) -> MpiVector:
        call = f"a full vector({size}, {value.dtype} {value[0]!r})"
        here = self.layout.count(size)
        block = self._together(call, None, lambda: self.local.build_full(here, value))
        return MpiVector(size, value.dtype, block, size)

    def block(self, u: MpiVector, size: int, missing: Scalar) -> Array:
        self._settle(u)
        places, values = self.local.peek(u.local)
        block = np.full(self.layout.count(size), missing, u.dtype)
        block[places] = values
        return block

    def entries(self, x: Stored) -> tuple[Array, ...]:
        self._settle(x)
        self.agreement.check(f"entries of {stored_text(x)}")
        return self.mover.gathered(x)

    def nvals(self, x: Stored) -> int:
        if x.nvals is None:
            here = self.nvals_here(x)
            (x.nvals,) = self.agreement.check(f"nvals of {stored_text(x)}", (here,))
        return x.nvals

    def nvals_here(self, x: Stored) -> int:
        return self.local.nvals(held_by(x))

    def finish(self, x: Stored) -> None:
        self._settle(x)
        self.local.finish(held_by(x))
        self.nvals(x)  # nobody has the count before all ranks have come so far

    def nbytes(self, x: Stored) -> int:
        here = self.local.nbytes(held_by(x))
        if isinstance(x, MpiMatrix):
            here += sum(0 if kept is None else kept.nbytes for kept in (x.block.rows, x.block.columns))
        (total,) = self.agreement.check(f"nbytes of {stored_text(x)}", (here,))
        return total

    # Products

    def mxv(
        self, a: MpiMatrix, u: MpiVector, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> MpiVector:
        return self._multiply("mxv", a, u, semiring, mask)

    def vxm(
        self, u: MpiVector, a: MpiMatrix, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> MpiVector:
        return self._multiply("vxm", a, u, semiring, mask)

    def _multiply(
        self,
        operation: str,
        a: MpiMatrix,
        u: MpiVector,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
    ) -> MpiVector:
        with self.arrays.scope():
            product = DistributedProduct(self.engine, operation, a, semiring)
            if product.numbering.reads_values:
                self._settle(u)
            if self.deferral is not None and self.deferral.applies(product):
                return self.deferral.run(product, u, mask, self.directions)
            return product.run(u, mask, self.directions)

    def mxm(
        self, a: MpiMatrix, b: MpiMatrix, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> MpiMatrix:
        return MatrixProduct(self.engine, a, b, semiring).run(mask)

    def closure(
        self,
        u: MpiVector,
        a: MpiMatrix,
        semiring: TypedSemiring,
        n: int,
        *,
        symmetric: bool,
        grows: bool,
        products: ProductRange | None,
    ) -> MpiVector:
        self.agreement.note(f"closure({semiring_text(semiring)}, {stored_text(a)})")
        found = super().closure(u, a, semiring, n, symmetric=symmetric, grows=grows, products=products)
        assert isinstance(found, MpiVector)
        return found

    # Fewer, other or more entries

    def reduce(self, x: Stored, monoid: TypedMonoid) -> Scalar:
        self._settle(x)
        held = held_by(x)
        failure: Exception | None = None
        total: Scalar | None = None
        try:
            if self.local.nvals(held):
                total = self.local.reduce(held, monoid)
        except Exception as error:
            failure = error
        self.agreement.check(f"reduce({monoid_text(monoid)}, {stored_text(x)})", (), failure)
        found = [t for t in self.layout.world.objects(total) if t is not None]
        if not found:
            return monoid.identity
        result: Scalar = found[0]
        for other in found[1:]:
            result = monoid.op(result, other)
        return result

    def reduce_rows(self, a: MpiMatrix, monoid: TypedMonoid) -> MpiVector:
        line = self.layout.rows(a.shape[0])
        self.agreement.check(f"reduce_rows({monoid_text(monoid)}, {stored_text(a)})")
        failure: Exception | None = None
        sums: Sums | None = None
        block = None
        with self.arrays.scope():
            try:
                found = self.local.reduce_rows(a.block.storage, monoid)
                places, values = self.arrays.peek(found, values=True)
                if a.block.rows is not None:
                    places = self.arrays.taken(a.block.rows, places)
                sums = Sums(places, values)
            except Exception as error:
                failure = error
            try:
                filler = np.zeros(1, monoid.domain)
                block = self.engine.fold_along(line, sums, monoid, filler, monoid.domain)
            except Failed:
                pass
        nvals = 0 if block is None else self.local.nvals(block)
        (total,) = self.agreement.check("the end of reduce_rows", (nvals,), failure)
        return MpiVector(a.shape[0], monoid.domain, block, total)

    def extract(self, x: Any, indices: Indices) -> Any:
        self._settle(x)
        if all(axis is None for axis in indices):
            return self.cast(x, x.dtype)
        return self.mover.extract(x, indices)

    def place(self, x: Stored, indices: Indices, shape: Shape) -> Stored:
        self._settle(x)
        return self.mover.place(x, indices, shape)

    def renumber(self, u: MpiVector, old: Array, size: int, *, values: bool) -> Stored:
        self._settle(u)
        return self.mover.renumber(u, old, size, values=values)

    def relabel(
        self, x: Stored, rename: Callable[[Array], Array], shape: Shape, *, values: bool
    ) -> Stored:
        self._settle(x)
        return self.mover.relabel(x, rename, shape, values=values)

    def rowwise(self, columns: MpiVector, values: MpiVector, ncols: int) -> Stored:
        self._settle(columns, values)
        return self.mover.rowwise(columns, values, ncols)

    def transpose(self, a: MpiMatrix) -> MpiMatrix:
        if a.symmetric:
            return MpiMatrix(a.shape, a.dtype, a.block, True, a.nvals, degrees=a.degrees)
        return self.mover.transpose(a)

    def as_symmetric(self, a: MpiMatrix) -> MpiMatrix:
        block = a.block
        if self.layout.world.size == 1:
            block = like(block, self.local.as_symmetric(block.storage))
        degrees = a.degrees if "rows" not in a.degrees else {"symmetric": a.degrees["rows"]}
        return MpiMatrix(a.shape, a.dtype, block, True, a.nvals, degrees=degrees)

    def kron(self, a: MpiMatrix, b: MpiMatrix, op: TypedBinary) -> Stored:
        return self.mover.kron(a, b, op)
