"""Element-wise loops: what follows from the shape of a tree, and trees of operands in every form."""

import random
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
import pytest

import anypair
from anypair import Matrix, Vector, binary_op, update
from anypair import semiring as s
from anypair.backends.base import Backend, StructuralMask
from anypair.backends.jit.loops import Loop, Operand, Writer
from anypair.backends.jit.storage import JitMatrix
from anypair.backends.jit.tree_shapes import (
    bound_for_structure,
    flattened,
    may_be,
    required,
    structure_of,
    values_read,
)
from anypair.backends.tree import Step
from anypair.dtypes import BOOL, FLOAT64, INT64
from anypair.errors import OperatorError
from anypair.operations.elementwise import typed_for_apply
from tests.support.cutting import cut_all_work

PLUS = s.plus.typed(INT64, INT64)


def bound(op: Any, number: int, dtype: Any = INT64) -> Any:
    return typed_for_apply("apply", mock.Mock(), op, dtype, None, number)


def test_which_operands_are_required() -> None:
    union, both = ("ewise_add", (0, 1), PLUS), ("ewise_mult", (0, 1), PLUS)
    assert (required(union), required(both)) == (frozenset(), {0, 1})
    assert required(("inside", (union, 2), None)) == {2}
    assert required(("outside", (both, 2), None)) == {0, 1}
    assert may_be(union, frozenset({0}))
    assert not may_be(both, frozenset({0}))
    assert not may_be(("outside", (0, 1), None), frozenset({0}))


def test_what_decides_where_entries_are() -> None:
    tree = Step(
        "apply",
        (Step("select", (Step("apply", ("x",), bound(s.plus, 1)),), bound(s.gt, 5)),),
        bound(s.times, 2),
    )
    shape, leaves, numbers, reads = flattened(Step("ewise_add", (tree, "y"), PLUS))
    assert (leaves, [op.scalar for op in numbers], reads) == (["x", "y"], [1, 5, 2], [True, True])
    structure = structure_of(shape)
    assert values_read(structure) == {0}
    assert bound_for_structure(shape) == (True, True, False)


def test_numbers_are_no_part_of_a_loop() -> None:
    one, other = (flattened(Step("apply", ("x",), bound(s.plus, k)))[0] for k in (1, 2))
    assert one == other
    texts = [Writer(Loop(shape, (Operand("same"),), "flat", "values")).text() for shape in (one, other)]
    assert texts[0] == texts[1]


def test_counting_has_no_operators() -> None:
    """So that it is compiled once, whatever is computed."""
    operands = (Operand("sequence", False), Operand("sequence", False))
    writer = Writer(Loop(structure_of(("ewise_add", (0, 1), PLUS)), operands, "vector", "count"))
    writer.text()
    assert writer.prelude.text == ""


# Trees of all forms, at random, against the reference

DTYPES = [INT64, FLOAT64]
BINARY = [s.plus, s.minus, s.times, s.minimum, s.lt, s.first, s.second]
UNARY = [s.absolute, s.negate, s.position]


class Drawn:
    """Operands and trees on two backends."""

    def __init__(self, seed: int, jit: Any, reference: Any) -> None:
        self.pick, self.numbers = random.Random(seed), np.random.default_rng(seed)
        self.jit, self.reference = jit, reference

    def vector(self, size: int) -> Any:
        kind, dtype = (
            self.pick.choice(["list", "bitmap", "full", "one"]),
            self.pick.choice(DTYPES),
        )
        count = size if kind in ("full", "one") else self.pick.choice([0, 1, size // 8, size // 2, size])
        places = self.numbers.permutation(size)[:count]
        values = self.numbers.integers(-9, 9, count).astype(dtype)
        if kind == "one":
            return Vector.full(size, dtype.type(3), backend=self.jit)
        made = Vector.from_entries(places, values, size, backend=self.jit)
        if kind == "bitmap":
            made, given = Vector.empty(size, dtype, backend=self.jit), made
            update(made, given).storage.bitmap(self.jit.workspace.get)
        return made

    def matrix(self, shape: tuple[int, int]) -> Any:
        places = shape[0] * shape[1]
        count = self.pick.choice([0, 1, places // 8, places // 2, places])
        key = np.sort(self.numbers.permutation(places)[:count])
        values = self.numbers.integers(-9, 9, count).astype(self.pick.choice(DTYPES))
        given: Any = 2 if self.pick.random() < 0.2 else values
        return Matrix.from_entries(key // shape[1], key % shape[1], given, shape, backend=self.jit)

    def tree(self, leaves: list[tuple[Any, Any]], depth: int) -> tuple[Any, Any, Any]:
        """A tree of jit, what it is on the reference, and its dtype."""
        if depth == 0:
            x, same = self.pick.choice(leaves)
            return x.storage, same.storage, x.dtype
        x, same, dtype = self.tree(leaves, depth - 1)
        kind = self.pick.choice(
            ["ewise_add", "ewise_mult", "apply", "bound", "select", "restrict", "cast"]
        )
        operands, others, result = (x,), (same,), dtype
        given: Any
        if kind.startswith("ewise"):
            y, same_y, other = self.tree(leaves, self.pick.randrange(depth))
            given = self.pick.choice(BINARY).typed(dtype, other)
            operands, others, result = (x, y), (same, same_y), given.result
        elif kind == "select":
            given = bound(s.gt, self.pick.randint(-5, 5), dtype).into(BOOL)
        elif kind == "cast":
            given = result = self.pick.choice(DTYPES)
        elif kind == "restrict":
            mask, flip = self.pick.choice(leaves), self.pick.random() < 0.5
            found = self.reference.restrict(same, StructuralMask(mask[1].storage, flip))
            return Step("restrict", (x,), StructuralMask(mask[0].storage, flip)), found, dtype
        else:
            op = bound(self.pick.choice(BINARY), 3, dtype)
            given = op if kind == "bound" else self.pick.choice(UNARY).typed(dtype)
            kind, result = "apply", given.result
        return Step(kind, operands, given), getattr(self.reference, kind)(*others, given), result


@pytest.mark.parametrize("threads", [1, 5])
@pytest.mark.parametrize("seed", range(12))
def test_any_tree_equals_its_steps(seed: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if threads > 1:
        cut_all_work(monkeypatch)
    with anypair.using("jit", threads=threads) as jit, anypair.using("reference") as reference:
        drawn = Drawn(seed, jit, reference)
        size, shape = (
            drawn.pick.choice([1, 64, 130, 1000]),
            drawn.pick.choice([(1, 7), (20, 40), (30, 1)]),
        )
        for operands in (
            [drawn.vector(size) for _ in range(3)],
            [drawn.matrix(shape) for _ in range(3)],
        ):
            leaves = [(x, x.to(reference)) for x in operands]
            tree, expected, dtype = drawn.tree(leaves, drawn.pick.randint(1, 3))
            total = s.plus_monoid.typed(dtype)
            # what a loop cannot do is done step by step: here it has to be done in a loop
            with mock.patch.object(Backend, "evaluate", side_effect=AssertionError):
                found = jit.evaluate(tree)
                added = jit.evaluate(Step("reduce", (tree,), total))
            assert found.dtype == dtype
            for one, other in zip(jit.entries(found), reference.entries(expected), strict=True):
                np.testing.assert_array_equal(one, other)
            assert added == jit.reduce(found, total) == reference.reduce(expected, total)
            for x, same in leaves:  # operands are as they were
                for one, other in zip(
                    jit.entries(x.storage), reference.entries(same.storage), strict=True
                ):
                    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("flip", [False, True], ids=["inside", "outside"])
@pytest.mark.parametrize("form", ["bitmap", "full"])
def test_masks_of_bitmaps_anywhere_in_a_tree(form: str, flip: bool) -> None:
    """Also where all places of a word have an entry, all or none of them in the mask."""
    size, numbers = 1000, np.random.default_rng(2)
    with anypair.using("jit") as jit, anypair.using("reference") as reference:

        def bitmap(likely: float, certain: slice) -> Any:
            present = numbers.random(size) < likely
            present[certain] = True
            places = np.flatnonzero(present)
            made = Vector.empty(size, int, backend=jit)
            update(made, Vector.from_entries(places, places % 17 - 8, size, backend=jit))
            made.storage.drop_list()
            return made

        x, y = bitmap(0.6, slice(0, 600)), bitmap(0.5, slice(300, 900))
        mask = bitmap(0.0, slice(0, size)) if form == "full" else bitmap(0.03, slice(128, 500))

        def trees(x: Any, y: Any, mask: Any) -> Iterator[Step]:
            def restricted(z: Any) -> Step:
                return Step("restrict", (z,), StructuralMask(mask, flip))

            positive = bound(s.gt, 0).into(BOOL)
            yield restricted(Step("select", (x,), positive))
            yield Step("select", (restricted(x),), positive)
            yield restricted(Step("ewise_add", (x, y), PLUS))
            yield Step("ewise_add", (restricted(x), y), PLUS)
            yield Step("ewise_add", (x, restricted(y)), PLUS)
            yield Step("ewise_mult", (restricted(x), y), PLUS)
            yield Step("select", (Step("ewise_add", (restricted(x), restricted(y)), PLUS),), positive)

        found = trees(x.storage, y.storage, mask.storage)
        expected = trees(*(z.to(reference).storage for z in (x, y, mask)))
        total = s.plus_monoid.typed(INT64)
        for tree, steps in zip(found, expected, strict=True):
            one, other = jit.evaluate(tree), reference.evaluate(steps)
            np.testing.assert_array_equal(jit.entries(one), reference.entries(other))
            assert jit.evaluate(Step("reduce", (tree,), total)) == reference.reduce(other, total)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_sum_of_floats_has_one_order(threads: int) -> None:
    """Whatever the form, the number of threads, and whether its terms were ever stored."""
    n = 300_000
    random_numbers = np.random.default_rng(4)
    present = random_numbers.random(n) < 0.9
    values = random_numbers.standard_normal(n) * 10.0 ** random_numbers.integers(-8, 8, n)
    with anypair.using("jit", threads=threads):
        whole, other = Vector.from_numpy(values), Vector.from_numpy(np.abs(values) / 3)
        assert (
            abs(whole - other).sum()
            == anypair.apply(anypair.ewise_add(whole, other, s.minus), s.absolute).sum()
        )
        listed = Vector.from_entries(np.flatnonzero(present), values[present], n)
        bitmap = Vector.empty(n)
        update(bitmap, listed)
        assert bitmap.storage.format == "bitmap"
        assert anypair.reduce(listed, s.plus_monoid) == anypair.reduce(bitmap, s.plus_monoid)
        lanes = np.zeros((-(-n // 65536), 8))
        for place in np.flatnonzero(present):
            lanes[place >> 16, place & 7] += values[place]
        expected = 0.0
        for block in lanes:
            in_block = 0.0
            for lane in block:
                in_block += lane
            expected += in_block
        assert anypair.reduce(listed, s.plus_monoid) == expected


def test_the_result_may_come_in_place_of_what_nobody_has() -> None:
    with anypair.using("jit") as jit:
        x, y = Vector.from_numpy(np.arange(9000.0)), Vector.from_numpy(np.ones(9000))
        values = x.storage.by_place
        tree = Step("ewise_add", (x.storage, y.storage), s.plus.typed(FLOAT64, FLOAT64))
        assert not np.shares_memory(jit.evaluate(tree).by_place, values)
        found = jit.evaluate(tree, [x.storage])
        assert np.shares_memory(found.by_place, values)
        np.testing.assert_array_equal(found.by_place, np.arange(9000.0) + 1)


def test_an_operator_that_raises_inside_a_tree_is_named() -> None:
    @binary_op(result=float)
    def ratio(x: Any, y: Any) -> Any:
        return x / y

    with anypair.using("jit") as jit:
        x, y = Vector.from_entries([1, 3], [1.0, 2.0], 5), Vector.from_entries([1, 3], [1.0, 0.0], 5)
        inner = Step("ewise_mult", (x.storage, y.storage), ratio.typed(FLOAT64, FLOAT64))
        with pytest.raises(OperatorError, match=r"'ratio' raised ZeroDivisionError.*\(2.0, 0.0\)"):
            jit.evaluate(Step("apply", (inner,), s.absolute.typed(FLOAT64)))


def test_few_entries_cost_no_pass_over_many() -> None:
    """An intersection looks at the fewer entries only: others may be anything."""
    n = 1 << 40
    with anypair.using("jit"):
        few, many = (
            Vector.from_entries([5, n - 1], [1, 2], n),
            Vector.from_entries(np.arange(5000) * 3, 7, n),
        )
        assert anypair.ewise_mult(few, many, s.plus).to_dict() == {}
        assert anypair.ewise_mult(many, Vector.from_entries([6], [1], n), s.minus).to_dict() == {6: 6}


def test_a_matrix_of_one_value_keeps_one_value() -> None:
    with anypair.using("jit"):
        kept = anypair.select(Matrix.from_edges([0, 1, 2], [1, 0, 0]), s.strict_lower).storage
        assert isinstance(kept, JitMatrix)
        assert kept.values.strides == (0,)
