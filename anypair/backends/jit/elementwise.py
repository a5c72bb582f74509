"""Element-wise work: which loop computes a tree, along which operand, and what form its result has.

`loops.py` writes the loop. Of an intersection the shortest list is walked along and the others are
looked up; bitmaps go word by word; lists are merged where none of them can only shrink the result. Where
entries of a list meet a bitmap in a union, the bitmap is computed without them, and then patched.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from anypair.backends.jit.building import starts_of
from anypair.backends.jit.kernels import plain_kernels
from anypair.backends.jit.loops import (
    OF_STRUCTURE,
    Access,
    Kind,
    Loop,
    Operand,
    Sink,
    loop_kernels,
)
from anypair.backends.jit.storage import (
    JitMatrix,
    JitVector,
    all_indices,
    broadcast,
    is_broadcast,
    nwords,
)
from anypair.backends.jit.tree_shapes import (
    Shape,
    bound_for_structure,
    excludes,
    filters,
    flattened,
    may_be,
    passed_on,
    required,
    result_dtype,
    sees_places,
    structure_of,
    values_read,
)
from anypair.backends.jit.workspace import Workspace
from anypair.backends.tree import Step
from anypair.backends.tuning import Tuning
from anypair.dtypes import Array, DType, Scalar, caster, index_dtype
from anypair.memory import require
from anypair.semiring import BoundOp, TypedBinary, TypedMonoid, TypedUnary
from anypair.threads.pool import ALONE
from anypair.threads.team import Team, even_bounds

Entries = JitVector | JitMatrix

#: Of each operand how a kernel gets at it, by which arrays and numbers, and its values if they are read.
Arrays: TypeAlias = list[tuple[Access, list[Any], Array | None]]

MOST_OPERANDS = 3  # of one loop: more of them have more forms than anybody wants to compile


class Facts(NamedTuple):
    """What is known of a tree before anybody looks at its operands."""

    filters: bool
    sees_places: bool
    required: frozenset[int]
    keeps_structure: bool  # if all operands have one, so has the result
    keeps_places: bool  # and what becomes of a value does not depend on where it is
    dtype: DType | None  # None: that of the operand whose values are passed on
    passed_on: int | None
    structure: Shape
    read_by_structure: frozenset[int]
    bound_for_structure: tuple[bool, ...]
    kernels: dict[Any, Any]  # those that walk along short lists, found again without a detour


@lru_cache(maxsize=1024)
def facts_of(shape: Shape) -> Facts:
    """What follows from a shape."""
    structure, has_filters, has_places = structure_of(shape), filters(shape), sees_places(shape)
    keeps = not has_filters and not excludes(shape)
    return Facts(
        has_filters,
        has_places,
        required(shape),
        keeps,
        keeps and not has_places,
        result_dtype(shape),
        passed_on(shape),
        structure,
        values_read(structure),
        bound_for_structure(shape),
        {},
    )


class Engine(NamedTuple):
    """What element-wise work is done with."""

    team: Team
    tuning: Tuning
    workspace: Workspace


def evaluate(engine: Engine, tree: Step, spare: Sequence[Entries] = ()) -> Any:
    """The vector, the matrix or the sum of a tree, which may come in place of what is spare."""
    if tree.operation == "reduce":
        return work_on(engine, tree.operands[0]).sum(tree.given)
    work = work_on(engine, tree)
    work.spare = spare
    return work.result()


def work_on(engine: Engine, tree: Any) -> "VectorWork | MatrixWork":
    """The work that a tree takes, of which parts are done if it has many operands."""
    shape, leaves, bound, reads = flattened(tree)
    if len(leaves) > MOST_OPERANDS:
        shape, leaves, bound, reads = flattened(_with_fewer_operands(engine, tree))
    kind = VectorWork if isinstance(leaves[0], JitVector) else MatrixWork
    return kind(engine, shape, leaves, bound, reads)


def _with_fewer_operands(engine: Engine, tree: Step) -> Step:
    """The tree with its largest parts computed, until few operands are left."""
    while len(flattened(tree)[1]) > MOST_OPERANDS:
        counts = [len(flattened(x)[1]) if isinstance(x, Step) else 0 for x in tree.operands]
        at = counts.index(max(counts))
        part = tree.operands[at]
        if counts[at] > MOST_OPERANDS:
            part = _with_fewer_operands(engine, part)
            if len(flattened(tree._replace(operands=_replaced(tree, at, part)))[1]) <= MOST_OPERANDS:
                return tree._replace(operands=_replaced(tree, at, part))
        tree = tree._replace(operands=_replaced(tree, at, work_on(engine, part).result()))
    return tree


def _replaced(tree: Step, at: int, operand: Any) -> tuple[Any, ...]:
    return (*tree.operands[:at], operand, *tree.operands[at + 1 :])


def depends_on_places(tree: Step) -> bool:
    """Whether what becomes of a value depends on where it is."""
    return facts_of(flattened(tree)[0]).sees_places


class Work:
    """A tree and its operands."""

    def __init__(
        self, engine: Engine, shape: Shape, leaves: list[Any], bound: list[BoundOp], reads: list[bool]
    ) -> None:
        self.team, self.tuning, self.workspace = engine
        self.engine = engine
        self.shape = shape
        self.leaves = leaves
        self.bound = bound
        self.reads = reads
        self.facts = facts_of(shape)
        self.spare: Sequence[Entries] = ()

    @property
    def dtype(self) -> DType:
        """Of the result."""
        found: DType | None = self.facts.dtype
        return self.leaves[self.facts.passed_on].dtype if found is None else found  # type: ignore[index]

    def scalars(self) -> list[Array]:
        """The numbers that are bound, as arrays of one: another number compiles nothing."""
        if not self.bound:
            return []
        found = []
        for op in self.bound:
            assert op.number is not None
            found.append(np.array([caster(op.number)(op.scalar)], op.number))
        return found

    def loop(self, arrays: "Arrays", kind: Kind, sink: Sink, monoid: TypedMonoid | None = None) -> Loop:
        """The loop over operands that are given by these arrays."""
        shape, read = self.shape, None
        if sink in OF_STRUCTURE:
            shape, read = self.facts.structure, self.facts.read_by_structure
        operands = tuple(
            Operand(access, True, is_broadcast(values))
            if values is not None and (read is None or k in read)
            else Operand(access, False)
            for k, (access, _, values) in enumerate(arrays)
        )
        return Loop(shape, operands, kind, sink, monoid)

    def given(self, loop: Loop, arrays: "Arrays") -> list[Any]:
        """What the kernel of a loop is given of its operands, and the numbers that are bound."""
        found = []
        for (_, some, values), operand in zip(arrays, loop.operands, strict=True):
            found += some
            if operand.reads:
                found.append(values[:1] if operand.one else values)  # type: ignore[index]
        if loop.shape is self.shape:
            return found + self.scalars()
        kept = zip(self.scalars(), self.facts.bound_for_structure, strict=True)
        return found + [scalar for scalar, is_kept in kept if is_kept]

    def run(self, loop: Loop, bounds: list[int], *arguments: Any) -> list[Any]:
        """The kernel of a loop on each part."""
        kernel = loop_kernels(loop).run
        if len(bounds) == 2:
            return [kernel(ALONE, *bounds, *arguments)]
        return self.team.share(bounds, kernel, *arguments)

    def values_for(self, count: int) -> tuple[Array, Sink]:
        """Where so many values are listed, and what comes of the loop: one for all is not listed."""
        if (k := self.facts.passed_on) is not None and is_broadcast(
            values := self.leaves[k].stored_values
        ):
            return broadcast(values, count), "indices"
        return np.empty(count, self.dtype), "fill"

    def flat(self, values: list[Array], count: int, out: Array | None = None) -> Array:
        """The values of the result, of operands that have theirs in the same order."""
        if not self.facts.sees_places and count > 1 and all(map(is_broadcast, values)):
            return broadcast(self.flat([v[:1] for v in values], 1), count)
        arrays: Arrays = [("same", [], v) for v in values]
        if out is None:
            out = np.empty(count, self.dtype)
        bounds = even_bounds(count, self.team.stoppable_parts_for(count))
        loop = self.loop(arrays, "flat", "values")
        self.run(loop, bounds, *self.given(loop, arrays), out)
        return out

    def flat_sum(self, values: list[Array], count: int, monoid: TypedMonoid) -> Scalar:
        """The sum of these values."""
        arrays: Arrays = [("same", [], v) for v in values]
        loop = self.loop(arrays, "flat", "sum", monoid)
        return self.sum_in_blocks(loop, arrays, monoid, self.tuning.folded_at_once, count, count)

    def sum_in_blocks(
        self, loop: Loop, arrays: "Arrays", monoid: TypedMonoid, block: int, count: int, size: int
    ) -> Scalar:
        """The sum of `count` values or words, of so many places, a block of them at a time."""
        if not count:
            return monoid.identity
        blocks = -(-count // block)
        sums, filled = np.empty(blocks, monoid.domain), np.empty(blocks, np.bool_)
        bounds = even_bounds(blocks, min(blocks, self.team.stoppable_parts_for(size)))
        self.run(loop, bounds, size, block, *self.given(loop, arrays), sums, filled)
        if blocks > 1:
            total = np.empty(1, monoid.domain)
            some = loop_kernels(loop).sum_of_blocks(sums, filled, total)
            return total[0].item() if some else monoid.identity
        return sums[0].item() if filled[0] else monoid.identity


class VectorWork(Work):
    """A tree of vectors."""

    def result(self) -> JitVector:
        """The vector that the tree stands for."""
        size = self.leaves[0].size
        if (found := self._of_few_entries(size)) is not None:
            return found
        forms = self._forms()
        if "list" not in forms:
            if self._is_full(forms):
                values = [x.by_place for x in self.leaves]
                return JitVector(size, all_indices(size), self.flat(values, size, self._room()))
            return self._by_words(forms)
        facts = self.facts
        if facts.keeps_places and self._have_one_list():
            indices, _ = self.leaves[0].sorted_list()
            listed = self.flat([x.sorted_list()[1] for x in self.leaves], len(indices))
            return JitVector(size, indices, listed)
        lists = [k for k, form in enumerate(forms) if form == "list"]
        if self.facts.required.isdisjoint(lists) and may_be(self.shape, frozenset(lists)):
            self.spare = ()  # a place may be computed twice
            words, out, count = self._words_and_values(forms)
            for k in lists:
                count += self._patch(k, words, out)
            return self._by_place(words, out, count)
        return self._along_lists(forms)

    def _of_few_entries(self, size: int) -> JitVector | None:
        """The result along short lists, where it has entries only at theirs; for so little anything but
        a kernel is a detour.
        """
        facts, few = self.facts, self.tuning.short_lists
        walked: list[JitVector] = []
        form: list[
            Any
        ] = []  # what a kernel is for: of each operand the access, and whether one is for all
        given: list[Any] = []
        read: list[Array] = []
        most, is_within, first, is_same = 0, False, None, facts.keeps_places
        for k, x in enumerate(self.leaves):
            nvals, is_read = x.nvals, self.reads[k]
            values: Any = None
            if (kept := x.kept_list) is None and x.has_list:
                kept = x.sorted_list()
            if kept is not None and nvals <= few and 0 < nvals < size:
                indices, values = kept
                walked.append(x)
                is_within = is_within or k in facts.required
                first = indices if first is None else first
                is_same = is_same and indices is first
                most += nvals
                access: Access = "sequence"
                given += (0, nvals, indices)
            elif 0 < nvals == size:
                values, access = x.by_place if is_read else None, "full"
            elif nvals and x.has_words and (x.has_dense or not is_read):
                values, access = x.by_place if is_read else None, "bits"
                given.append(x.words)
            else:
                return None
            one = False
            if is_read:
                if one := len(values) > 1 and values.strides == (0,):
                    values = values[:1]
                given.append(values)
                read.append(values)
            form += (access, one)
        others = len(self.leaves) - len(walked)
        if first is None or (others and not is_within):
            return None
        is_same = is_same and not others
        if (run := facts.kernels.get(key := (is_same, *form))) is None:
            run = facts.kernels[key] = self._kernel_for_few(form, is_same)
        scalars = self.scalars() if self.bound else ()
        if is_same:
            out = np.empty(len(first), self.dtype)
            run(ALONE, 0, len(out), *read, *scalars, out)
            return JitVector(size, first, out)
        indices, out = np.empty(most, first.dtype), np.empty(most, self.dtype)
        count = run(*given, *scalars, 0, most, indices, out)
        if count < most:
            indices, out = indices[:count], out[:count]
        elif len(walked) == 1:
            indices = first
        return JitVector(size, indices, out)

    def _kernel_for_few(self, form: list[Any], is_same: bool) -> Any:
        """The kernel along short lists for operands of this form."""
        operands = tuple(
            Operand("same" if is_same else access, is_read, one)
            for access, one, is_read in zip(form[::2], form[1::2], self.reads, strict=True)
        )
        kind, sink = ("flat", "values") if is_same else ("vector", "fill")
        return loop_kernels(Loop(self.shape, operands, kind, sink)).run  # type: ignore[arg-type]

    def sum(self, monoid: TypedMonoid) -> Scalar:
        """The sum of all entries; the identity if there are none."""
        size = self.leaves[0].size
        if len(self.leaves) == 1 and (x := self.leaves[0]).has_list and 0 < x.nvals < size:
            indices, values = x.sorted_list()
            total, one = np.empty(1, monoid.domain), is_broadcast(values)
            loop = Loop(self.shape, (Operand("sequence", True, one),), "vector", "sum", monoid)
            run = loop_kernels(loop).run
            given = (indices, values[:1] if one else values, *self.scalars())
            if run(0, len(indices), *given, self.tuning.folded_at_once, total):
                return total[0].item()  # type: ignore[no-any-return]
            return monoid.identity
        forms = self._forms()
        if "list" not in forms:
            if self._is_full(forms):
                return self.flat_sum([x.by_place for x in self.leaves], size, monoid)
            arrays = self._by_places(forms)
            loop = self.loop(arrays, "words", "sum", monoid)
            block = self.tuning.folded_at_once >> 6
            return self.sum_in_blocks(loop, arrays, monoid, block, nwords(size), size)
        lists = [k for k, form in enumerate(forms) if form == "list"]
        if self.facts.required.isdisjoint(lists) and may_be(self.shape, frozenset(lists)):
            return VectorWork(self.engine, 0, [self.result()], [], [True]).sum(monoid)
        accesses = self._accesses(forms)
        if accesses is None:
            return monoid.identity
        arrays = self._arrays(accesses)
        total = np.empty(1, monoid.domain)
        loop = self.loop(arrays, "vector", "sum", monoid)
        some = loop_kernels(loop).run(*self.given(loop, arrays), self.tuning.folded_at_once, total)
        return total[0].item() if some else monoid.identity

    def _forms(self) -> list[str]:
        """How each operand is read: as a list where it has one, unless that is long."""
        found = []
        for x, is_read in zip(self.leaves, self.reads, strict=True):
            if x.is_full:
                found.append("full")
            elif not x.has_list:
                found.append("bitmap")
            elif x.has_dense or (not is_read and x.has_words):
                few = x.nvals * self.tuning.listed_below <= x.size
                found.append("list" if few else "bitmap")
            else:
                found.append("list")
        return found

    def _is_full(self, forms: list[str]) -> bool:
        return self.facts.keeps_structure and forms.count("full") == len(forms)

    def _have_one_list(self) -> bool:
        first = self.leaves[0]
        return first.has_list and all(x.has_list and x.indices is first.indices for x in self.leaves)

    def _room(self) -> Array:
        """Where values by place go: in place of an operand that is spare, if there is one."""
        dtype = self.dtype
        for x in self.spare:
            assert isinstance(x, JitVector)
            if x.dtype == dtype and (values := x.own_values) is not None:
                return values
        return self.workspace.get(self.leaves[0].size, dtype)

    def _by_places(self, forms: list[str]) -> "Arrays":
        """Operands whose values are found by place; lists are taken for empty."""
        found: Arrays = []
        for x, form, is_read in zip(self.leaves, forms, self.reads, strict=True):
            if form == "list":
                found.append(("never", [], None))
                continue
            values = x.by_place if is_read else None
            found.append(("full", [], values) if form == "full" else ("bits", [x.words], values))
        return found

    def _by_words(self, forms: list[str]) -> JitVector:
        if (k := self.facts.passed_on) is None or forms[k] == "list":
            return self._by_place(*self._words_and_values(forms))
        # Values stay as they are: which ones are kept is found out first, and they may be few.
        x = self.leaves[k]
        words, count = self._words_alone(forms)
        values = x.by_place
        if count * self.tuning.listed_below > x.size:
            if is_broadcast(values):
                return JitVector(x.size, None, None, words, broadcast(values, x.size), count)
            out = self._room()
            self._flat_copy(values, out)
            return self._by_place(words, out, count)
        return JitVector(x.size, None, None, words, values, count).as_list()

    def _flat_copy(self, values: Array, out: Array) -> None:
        VectorWork(self.engine, 0, [self.leaves[0]], [], [True]).flat([values], len(out), out)

    def _words_alone(self, forms: list[str]) -> tuple[Array, int]:
        """The bits of the result, and how many there are."""
        size = self.leaves[0].size
        arrays = self._by_places(forms)
        words = np.empty(nwords(size), np.uint64)
        bounds = even_bounds(len(words), self.team.stoppable_parts_for(size))
        loop = self.loop(arrays, "words", "words")
        return words, int(sum(self.run(loop, bounds, size, *self.given(loop, arrays), words)))

    def _words_and_values(
        self, forms: list[str], into: tuple[Array, Array] | None = None
    ) -> tuple[Array, Array, int]:
        """Bits and values of the result, in which lists count as empty, and how many there are."""
        size = self.leaves[0].size
        arrays = self._by_places(forms)
        words, out = into or (np.empty(nwords(size), np.uint64), self._room())
        # What is written to in place is never left half done.
        parts = self.team.stoppable_parts_for if into is None else self.team.parts_for
        bounds = even_bounds(len(words), parts(size))
        loop = self.loop(arrays, "words", "values")
        counts = self.run(loop, bounds, size, *self.given(loop, arrays), words, out)
        return words, out, int(sum(counts))

    def _patch(self, k: int, words: Array, out: Array) -> int:
        """Write the places where operand k, a list, has entries; how many there are more."""
        accesses = [self._looked_up(other, k) for other in range(len(self.leaves))]
        arrays = self._arrays(accesses)
        loop = self.loop(arrays, "vector", "patch")
        return int(loop_kernels(loop).run(*self.given(loop, arrays), words, out))

    def patch_in_place(self, words: Array, out: Array) -> int:
        """Write into the bitmap of the first operand where the second has entries; how many are new.

        The result is there wherever one of them is.
        """
        forms = self._forms()
        before: int = self.leaves[0].nvals
        if forms[1] == "list":
            return self._patch(1, words, out)
        return self._words_and_values(["bitmap", forms[1]], (words, out))[2] - before

    def _looked_up(self, k: int, along: int) -> Access:
        """How operand k is found at a place of another one, a list."""
        x, walked = self.leaves[k], self.leaves[along]
        if k == along:
            return "sequence"
        if x.is_full:
            return "full"
        if x.has_dense or (not self.reads[k] and self._bits_pay(x, walked)):
            return "bits"
        if not x.nvals:
            return "never"
        return "same" if x.indices is walked.indices else "search"

    def _bits_pay(self, x: JitVector, walked: JitVector) -> bool:
        """Whether to test bits, which a list has to be written into: memory may not hold them all."""
        return bool(x.has_words or (x.nvals + walked.nvals) * 64 >= x.size)

    def _accesses(self, forms: list[str]) -> list[Access] | None:
        """How lists are walked along, and how others are found; None if the result is empty."""
        leaves = self.leaves
        empty = frozenset(k for k, x in enumerate(leaves) if not x.nvals)
        if not may_be(self.shape, empty):
            return None
        lists = [k for k, form in enumerate(forms) if form == "list"]
        if shrinking := [k for k in lists if k in self.facts.required]:
            along = min(shrinking, key=lambda k: leaves[k].nvals)
            many = leaves[along].nvals * self.tuning.probed_if_fewer
            found = [self._looked_up(k, along) for k in range(len(leaves))]
            return [
                "sequence" if access == "search" and leaves[k].nvals < many else access
                for k, access in enumerate(found)
            ]
        return [
            "never" if k in empty else "sequence" if k in lists else self._looked_up(k, lists[0])
            for k in range(len(leaves))
        ]

    def _arrays(self, accesses: list[Access]) -> "Arrays":
        """What kernels get at operands by."""
        found: Arrays = []
        for x, access, is_read in zip(self.leaves, accesses, self.reads, strict=True):
            some: list[Any] = []
            values = None
            if access in ("sequence", "search", "same"):
                indices, values = x.sorted_list()
                some = [] if access == "same" else [0, len(indices), indices]
            elif access != "never":
                some = [x.words] if access == "bits" else []
                values = x.by_place if is_read else None
            found.append((access, some, values if is_read else None))
        return found

    def _along_lists(self, forms: list[str]) -> JitVector:
        """The result of walking along lists."""
        size = self.leaves[0].size
        accesses = self._accesses(forms)
        if accesses is None:
            return JitVector(size, np.empty(0, index_dtype(size)), np.empty(0, self.dtype))
        arrays = self._arrays(accesses)
        walked = [k for k, access in enumerate(accesses) if access == "sequence"]
        pieces = self.team.pieces_for(sum(self.leaves[k].nvals for k in walked))
        parts = [arrays] if pieces == 1 else _cut(arrays, walked, pieces)
        counts = self._counts(parts, walked)
        total = sum(counts)
        require(total * (8 + self.dtype.itemsize), f"a result of {total} entries")
        indices, out, sink = np.empty(total, index_dtype(size)), *self.values_for(total)
        loop = self.loop(arrays, "vector", sink)
        ends = pairwise(accumulate(counts, initial=0))
        filled = (indices, out) if sink == "fill" else (indices,)
        calls = [
            (*self.given(loop, part), begin, end, *filled)
            for part, (begin, end) in zip(parts, ends, strict=True)
        ]
        used = self.team.run(loop_kernels(loop).run, calls)
        if len(used) == 1 and used[0] < total:
            indices, out = indices[: used[0]], out[: used[0]]
        first = self.leaves[walked[0]]
        if len(walked) == 1 and len(out) == first.nvals:
            indices = first.indices
        return JitVector(size, indices, out)

    def _counts(self, parts: "list[Arrays]", walked: list[int]) -> list[int]:
        """How many results each part has, or at most has if that is little."""
        lengths = {k: self.leaves[k].nvals for k in walked}
        shrinking = [n for k, n in lengths.items() if k in self.facts.required]
        most = min(shrinking) if shrinking else sum(lengths.values())
        if len(parts) == 1 and most <= self.tuning.uncounted:
            return [most]
        is_sure = all(access in ("sequence", "same", "full") for access, _, _ in parts[0])
        if len(walked) == 1 and is_sure and self.facts.keeps_structure:
            return [end - begin for part in parts for begin, end, _ in (part[walked[0]][1],)]
        loop = self.loop(parts[0], "vector", "count")
        calls = [tuple(self.given(loop, part)) for part in parts]
        return [int(count) for count in self.team.run(loop_kernels(loop).run, calls)]

    def _by_place(self, words: Array, out: Array, count: int) -> JitVector:
        """So many results where they are, or as a list if they are few."""
        size = len(out)
        if count == size:
            return JitVector(size, all_indices(size), out, words)
        result = JitVector(size, None, None, words, out, count)
        return result if count * self.tuning.listed_below > size else result.as_list()


def _cut(arrays: "Arrays", walked: list[int], pieces: int) -> "list[Arrays]":
    """The same arrays for each piece, where lists that are walked along begin and end elsewhere."""
    longest = max(walked, key=lambda k: arrays[k][1][1])
    indices = arrays[longest][1][2]
    cuts = even_bounds(len(indices), pieces)
    at = {longest: cuts}
    for k in walked:
        if k != longest:
            inner = np.searchsorted(arrays[k][1][2], indices[cuts[1:-1]]).tolist()
            at[k] = [0, *inner, len(arrays[k][1][2])]
    return [
        [
            (access, [at[k][piece], at[k][piece + 1], some[2]] if k in at else some, values)
            for k, (access, some, values) in enumerate(arrays)
        ]
        for piece in range(len(cuts) - 1)
    ]


class MatrixWork(Work):
    """A tree of matrices."""

    def result(self) -> JitMatrix:
        """The matrix that the tree stands for."""
        first: JitMatrix = self.leaves[0]
        if self.facts.keeps_structure and self._have_one_structure():
            if not self.facts.sees_places:
                return first.with_values(self.flat([x.values for x in self.leaves], first.nvals))
            out = np.empty(first.nvals, self.dtype)
            others: list[Access] = ["same"] * (len(self.leaves) - 1)
            arrays = self._arrays(["sequence", *others])
            loop = self.loop(arrays, "matrix", "values")
            self.run(loop, self._bounds(first), *self.given(loop, arrays), out)
            return first.with_values(out)
        accesses = self._accesses()
        starts = np.zeros(first.shape[0] + 1, index_dtype(1))
        if accesses is None:
            none = np.empty(0, first.indices.dtype), np.empty(0, self.dtype)
            return JitMatrix(first.shape, starts, *none)
        arrays = self._arrays(accesses)
        walked = [x for x, access in zip(self.leaves, accesses, strict=True) if access == "sequence"]
        bounds = self._bounds(max(walked, key=lambda x: x.nvals))
        counts = np.empty(first.shape[0], np.int64)
        loop = self.loop(arrays, "matrix", "count")
        self.run(loop, bounds, *self.given(loop, arrays), counts)
        starts = starts_of(counts)
        total = int(starts[-1])
        if total == first.nvals and self.facts.passed_on == 0 and len(self.leaves) == 1:
            same = first.with_values(first.values)
            same.share_transposed(first)
            return same
        require(total * (first.indices.itemsize + self.dtype.itemsize), f"a result of {total} entries")
        indices, out, sink = np.empty(total, first.indices.dtype), *self.values_for(total)
        loop = self.loop(arrays, "matrix", sink)
        filled = (starts, indices, out) if sink == "fill" else (starts, indices)
        self.run(loop, bounds, *self.given(loop, arrays), *filled)
        return JitMatrix(first.shape, starts, indices, out)

    def sum(self, monoid: TypedMonoid) -> Scalar:
        """The sum of all entries; the identity if there are none."""
        first = self.leaves[0]
        simple = self.facts.keeps_places
        if simple and self._have_one_structure():
            return self.flat_sum([x.values for x in self.leaves], first.nvals, monoid)
        return MatrixWork(self.engine, 0, [self.result()], [], [True]).sum(monoid)

    def _have_one_structure(self) -> bool:
        first = self.leaves[0]
        return all(x is first or x.has_structure_of(first) for x in self.leaves)

    def _bounds(self, x: JitMatrix) -> list[int]:
        """Ranges of rows to share out."""
        pieces: list[int] = x.pieces(self.team.stoppable_parts_for(x.nvals), 1)
        return pieces

    def _accesses(self) -> list[Access] | None:
        """How rows are walked along, and how others are found; None if the result is empty."""
        leaves = self.leaves
        empty = frozenset(k for k, x in enumerate(leaves) if not x.nvals)
        if not may_be(self.shape, empty):
            return None
        needed = self.facts.required
        found: list[Access] = ["never" if k in empty else "sequence" for k in range(len(leaves))]
        if needed:
            along = min(needed, key=lambda k: leaves[k].nvals)
            walked = leaves[along]
            for k, x in enumerate(leaves):
                if k == along or k in empty:
                    continue
                if x.indices is walked.indices and x.starts is walked.starts:
                    found[k] = "same"
                elif x.nvals > walked.nvals * self.tuning.probed_if_fewer:
                    found[k] = "search"
        return found

    def _arrays(self, accesses: list[Access]) -> Arrays:
        found: Arrays = []
        for x, access, is_read in zip(self.leaves, accesses, self.reads, strict=True):
            some = [x.starts, x.indices] if access in ("sequence", "search") else []
            found.append((access, some, x.values if is_read and access != "never" else None))
        return found


def sum_rows(engine: Engine, a: JitMatrix, monoid: TypedMonoid) -> JitVector:
    """The sum of each row that has entries, from the first to the last."""
    nrows, starts = a.shape[0], a.starts
    rows = all_indices(nrows)
    if a.nonempty[1] < nrows:
        rows = np.flatnonzero(starts[1:] != starts[:-1]).astype(rows.dtype)
        starts = np.append(starts[rows], starts[-1:])
    sums = np.empty(len(rows), monoid.domain)
    work = MatrixWork(engine, 0, [a], [], [True])
    arrays: Arrays = [("sequence", [starts, a.indices], a.values)]
    loop = work.loop(arrays, "matrix", "row_sums", monoid)
    bounds = even_bounds(len(rows), engine.team.stoppable_parts_for(a.nvals))
    work.run(loop, bounds, *work.given(loop, arrays), sums)
    return JitVector(nrows, rows, sums)


def combined(engine: Engine, op: TypedBinary, x: Array, y: Array) -> Array:
    """op of two arrays, value by value."""
    work = Work(engine, ("ewise_mult", (0, 1), op), [x, y], [], [True, True])
    return work.flat([x, y], len(x))


def applied_at(engine: Engine, op: TypedUnary, places: tuple[Array, ...], values: Array) -> Array:
    """op of values that stand where these lists say."""
    shape, _, bound, reads = flattened(Step("apply", (values,), op))
    work = Work(engine, shape, [values], bound, reads)
    loop = work.loop([("same", [], values)], "flat", "values")._replace(listed=len(places))
    out = np.empty(len(values), op.result)
    bounds = even_bounds(len(out), engine.team.stoppable_parts_for(len(out)))
    work.run(loop, bounds, *places, *work.given(loop, [("same", [], values)]), out)
    return out


def keep_entries(team: Team, x: JitMatrix, keep: Array) -> JitMatrix:
    """The entries that are to be kept, of all in the order in which they are kept."""
    rows = x.pieces(team.pieces_for(x.nvals), 1)
    bounds = x.starts[rows].tolist()
    counts = [int(np.count_nonzero(keep[begin:end])) for begin, end in pairwise(bounds)]
    firsts = [0, *accumulate(counts)]
    indices, values = (_compressed(team, keep, bounds, firsts, each) for each in (x.indices, x.values))
    starts = np.empty_like(x.starts)
    starts[-1] = len(indices)
    kernel: Any = plain_kernels("structure").kept_starts
    calls = [
        (begin, end, x.starts, keep, first, starts)
        for (begin, end), first in zip(pairwise(rows), firsts, strict=False)
    ]
    team.run(kernel, calls)
    return JitMatrix(x.shape, starts, indices, values)


def _compressed(team: Team, keep: Array, bounds: list[int], firsts: list[int], values: Array) -> Array:
    """The values that are to be kept; what is broadcast stays so."""
    if is_broadcast(values):
        return broadcast(values, firsts[-1])
    out = np.empty(firsts[-1], values.dtype)
    pieces = zip(pairwise(bounds), pairwise(firsts), strict=True)
    calls = [(begin, end, keep, values, first, last, out) for (begin, end), (first, last) in pieces]
    team.run(plain_kernels("structure").compress, calls)
    return out
