"""Deferred parents: a search finds first who is reached, and from where only when that is asked.

With `parents = "final"` a product over `min_source` and its like sends no values: its result knows
its places, and how to find its values. Vectors that such results are written into, as in
`update(parents, frontier)`, wait for theirs too. When the values are read, each rank goes
over its block once more, level by level but without a message, and one fold brings them all to
their owners (Fu et al., Checconi and Petrini).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from anypair.backends.base import Storage, StructuralMask
from anypair.backends.mpi.calls import semiring_text
from anypair.backends.mpi.direction import Directions
from anypair.backends.mpi.folding import Sums
from anypair.backends.mpi.products import DistributedProduct, Engine, Found
from anypair.backends.mpi.storage import MpiVector
from anypair.semiring import any_pair
from anypair.trace import current as current_trace


@dataclass(frozen=True, eq=False)
class Search:
    """A product whose values are still to be found: its operand and the places that this block reached.

    `outside` is the vector that its mask kept it out of, when that one waited for so many searches.
    """

    product: DistributedProduct
    found: Found
    outside: MpiVector | None
    before: int


class Deferral:
    """Products that leave their values for later."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @staticmethod
    def applies(product: DistributedProduct) -> bool:
        """Whether values are indices, which can be found again from the places alone."""
        return product.numbering.numbers_after

    def run(
        self,
        product: DistributedProduct,
        u: MpiVector,
        mask: StructuralMask | None,
        directions: Directions,
    ) -> MpiVector:
        """The places of the product, with values that wait."""
        reach = DistributedProduct(
            self.engine, product.operation, product.a, any_pair.typed(product.a.dtype, u.dtype)
        )
        reached = reach.run(u, mask, directions)
        assert reach.found is not None
        outside = mask.storage if mask is not None and mask.complemented else None
        search = Search(product, reach.found, outside, 0 if outside is None else len(outside.awaited))
        result = product.numbering.result
        local = self.engine.local.cast(reached.local, result)
        found = MpiVector(reached.size, result, local, reached.nvals, [search])
        found.pulled = reached.pulled
        return found

    @staticmethod
    def takes_over(out: MpiVector, t: MpiVector) -> bool:
        """Whether t brings out places that are new to it: then out can wait for the values."""
        if len(t.awaited) != 1 or t.dtype != out.dtype:
            return False
        (search,) = t.awaited
        # All searches of a vector are folded at once, which is right only if no two reach one place.
        return search.outside is out and search.before == len(out.awaited)

    def merge(self, out: MpiVector, t: MpiVector) -> None:
        """Let out wait for the values of t."""
        out.local = self.engine.local.merge(out.local, t.local, out.dtype)
        out.awaited += t.awaited
        out.nvals = None

    def settle(self, x: MpiVector) -> None:
        """Find all values that x waits for: one fold for all searches of one matrix."""
        groups: dict[tuple[int, bool, object], list[Search]] = {}
        for search in x.awaited:
            product = search.product
            key = (id(product.a), product.by_columns, product.semiring)
            groups.setdefault(key, []).append(search)
        for searches in groups.values():
            with self.engine.arrays.scope(), self._traced(searches, x):
                block = self._values(searches, x)
            x.local = self.engine.local.merge(x.local, block, x.dtype)
            x.awaited = [search for search in x.awaited if search not in searches]

    @contextmanager
    def _traced(self, searches: list[Search], x: MpiVector) -> Iterator[None]:
        """Tell the trace, if there is one, that this is an operation of its own."""
        trace = current_trace()
        if trace is None:
            yield
            return
        semiring, here = searches[0].product.semiring.semiring, self.engine.local.nvals(x.local)
        with trace.inner("finish", semiring, "mpi", here, self.engine.layout.rank):
            yield

    def _values(self, searches: list[Search], x: MpiVector) -> Storage:
        """This rank's block of the values of searches that reach different places of x."""
        engine, product = self.engine, searches[0].product
        engine.agreement.check(
            f"values of {len(searches)} products over {semiring_text(product.semiring)}"
        )
        failure: Exception | None = None
        sums: Sums | None = None
        total: Storage = None
        trace = current_trace()
        edges = 0
        try:
            with engine.layout.world.traffic.phase("local"):
                for search in searches:
                    t = self._again(search)
                    if trace is not None:
                        edges += trace.noted("edges") or 0
                    op = product.semiring.add.op
                    total = t if total is None else engine.local.ewise_add(total, t, op)
            sums = product.sums(Found(total, None, product.a.block))
            if trace is not None:
                trace.note(edges=edges)
        except Exception as error:
            failure = error
        block = product.fold(sums, total)
        here = engine.local.nvals(x.local)
        (x.nvals,) = engine.agreement.check("the end of values", (here,), failure)
        return block

    def _again(self, search: Search) -> Storage:
        """The product once more, on this rank's block, for the places that it has reached."""
        local = self.engine.by_direction.get("pull", self.engine.local)
        product, found = search.product, search.found
        mask = StructuralMask(found.storage, False)
        semiring = product.numbering.semiring
        if product.by_columns:
            return local.mxv(found.block.storage, found.operand, semiring, mask)
        return local.vxm(found.operand, found.block.storage, semiring, mask)
