"""Arithmetic on handles: what it means, when it is evaluated, and what is refused where it is written."""

import gc
import operator
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypair
from anypair import (
    Matrix,
    Vector,
    apply,
    assign,
    ewise_add,
    ewise_mult,
    mxm,
    mxv,
    reduce,
    unary_op,
    update,
    vxm,
)
from anypair.algorithms import pagerank
from anypair.errors import BackendMismatch, InvalidArgument, OperatorError, SizeMismatch
from anypair.expression import DEEPEST
from anypair.held import holder_of
from anypair.semiring import (
    absolute,
    divide,
    ge,
    gt,
    identity,
    le,
    lt,
    max_monoid,
    min_monoid,
    min_plus,
    minus,
    negate,
    plus,
    plus_monoid,
    plus_pair,
    plus_times,
    times,
)
from tests.support.compare import assert_same

PAIRS: dict[str, tuple[Any, Any, Any]] = {
    "+": (operator.add, plus, ewise_add),
    "-": (operator.sub, minus, ewise_add),
    "*": (operator.mul, times, ewise_mult),
    "/": (operator.truediv, divide, ewise_mult),
    "<": (operator.lt, lt, ewise_mult),
    "<=": (operator.le, le, ewise_mult),
    ">": (operator.gt, gt, ewise_mult),
    ">=": (operator.ge, ge, ewise_mult),
}


def x_and_y() -> tuple[Vector, Vector]:
    return Vector.from_entries([0, 1, 4], [3, -2, 7], 6), Vector.from_entries(
        [1, 3, 4], [0.5, 2.0, 7.0], 6
    )


def matrices() -> tuple[Matrix, Matrix]:
    A = Matrix.from_entries([0, 0, 2], [1, 2, 0], [3, 4, -5], (3, 3))
    return A, Matrix.from_entries([0, 1, 2], [1, 1, 0], [2.5, 4.0, 1.0], (3, 3))


@pytest.mark.parametrize("sign", PAIRS)
@pytest.mark.parametrize("make", [x_and_y, matrices])
def test_two_handles(backend: str, sign: str, make: Callable[[], tuple[Any, Any]]) -> None:
    infix, op, operation = PAIRS[sign]
    x, y = make()
    assert_same(infix(x, y), operation(x, y, op))


@pytest.mark.parametrize("sign", PAIRS)
@pytest.mark.parametrize("number", [2, 0.5, True, np.int8(3), np.float32(1.5)])
def test_a_handle_and_a_number(backend: str, sign: str, number: Any) -> None:
    infix, op, _ = PAIRS[sign]
    x, plain = x_and_y()[0], number.item() if isinstance(number, np.generic) else number
    assert_same(infix(x, number), apply(x, op, right=plain))
    assert_same(infix(number, x), apply(x, op, left=plain))


def test_signs_and_sums(backend: str) -> None:
    x, y = x_and_y()
    assert_same(-x, apply(x, negate))
    assert_same(abs(x), apply(x, absolute))
    assert ((x + y).sum(), x.min(), x.max()) == (
        reduce(ewise_add(x, y, plus), plus_monoid),
        reduce(x, min_monoid),
        reduce(x, max_monoid),
    )


def test_products(backend: str) -> None:
    A, B = matrices()
    u = Vector.from_entries([0, 2], [1, 2], 3)
    mask = ~Vector.from_entries([1], [1], 3).structure
    assert_same(plus_times(A @ u), mxv(A, u, plus_times))
    assert_same(min_plus(u @ A, mask=mask), vxm(u, A, min_plus, mask=mask))
    assert_same(plus_pair(A @ B, mask=A.structure), mxm(A, B, plus_pair, mask=A.structure))
    out = Vector.full(3, 1)
    assert plus_times(A @ u, out=out, accum=plus) is out
    assert_same(out, mxv(A, u, plus_times, out=Vector.full(3, 1), accum=plus))


def test_true_is_the_mask_of_what_is_true(backend: str) -> None:
    x, y = x_and_y()
    kept = apply(x, absolute, mask=(x >= y).true)
    assert kept.to_dict() == {4: 7}
    assert apply(x, absolute, mask=~(x < y).true).to_dict() == {0: 3, 4: 7}


def test_it_waits_until_somebody_looks(backend: str) -> None:
    x, y = x_and_y()
    z = 2 * x + y
    assert z.pending is not None
    assert (z.shape, z.dtype, z.size) == ((6,), np.dtype(float), 6)
    assert z.pending is not None
    assert z.nvals == 4
    assert z.pending is None


LOOKS: dict[str, Callable[[Vector], Any]] = {
    "finish": lambda z: z.finish(),
    "repr": repr,
    "an operation": lambda z: apply(z, absolute),
    "update": lambda z: update(Vector.empty(6), z),
    "a write": lambda z: assign(z, 1, mask=z.structure),
    "to_entries": lambda z: z.to_entries(),
    "copy": lambda z: z.copy(),
    "mask": lambda z: apply(Vector.full(6, 1), absolute, mask=z.structure),
}


@pytest.mark.parametrize("how", LOOKS)
def test_whatever_looks_evaluates_it(backend: str, how: str) -> None:
    x, y = x_and_y()
    z = x + y
    LOOKS[how](z)
    assert z.pending is None


def test_it_is_what_it_was_when_it_was_written(backend: str) -> None:
    x, y = x_and_y()
    A, _ = matrices()
    u = Vector.from_entries([0, 2], [1, 2], 3)
    written, expected = (x + y) * x, ewise_mult(ewise_add(x, y, plus), x, times)
    product, multiplied = plus_times(u @ A, mask=u.structure), vxm(u, A, plus_times, mask=u.structure)
    update(x, Vector.full(6, 100))
    assign(y, 5.0)
    ewise_add(x, x, plus, out=x)
    assign(u, 9)
    assign(A, 1, mask=A.structure)
    assert_same(written, expected)
    assert_same(product, multiplied)


def test_a_part_that_somebody_looked_at_and_wrote_to(backend: str) -> None:
    x, y = x_and_y()
    inner = x + y
    outer = inner * 2
    before = inner.copy()
    assign(inner, 0.0)
    assert_same(outer, apply(before, times, right=2))
    assert_same(inner, Vector.full(6, 0.0))


def test_it_is_computed_once(backend: str) -> None:
    x, y = x_and_y()
    with anypair.trace() as seen:
        part = x + y
        one, other = part * 2, part * 3
        one.finish(), other.finish(), part.finish()
    assert [record.operation for record in seen.records] == ["ewise_add", "apply", "apply"]


def test_nothing_is_held_when_it_is_over(backend: str) -> None:
    x, _ = x_and_y()
    written = x + 1
    assert holder_of(x.storage) is not None
    written.finish()
    assert holder_of(x.storage) is None
    assert holder_of(written.storage) is None
    forgotten = x + 1
    del forgotten
    assert holder_of(x.storage) is None


def test_a_trace_has_what_was_written_in_it(backend: str) -> None:
    x, y = x_and_y()
    with anypair.trace() as seen:
        z = x + y
        x * 2  # nobody refers to it, so nobody misses it
    assert [record.operation for record in seen.records] == ["ewise_add"]
    assert z.pending is None


def test_eager(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYPAIR_EAGER", "1")
    x, y = x_and_y()
    assert (x + y).pending is None
    monkeypatch.setenv("ANYPAIR_EAGER", "0")
    assert (x + y).pending is not None


def test_depth_is_bounded(backend: str) -> None:
    x = Vector.full(2, 1)
    depths = []
    for _ in range(3 * DEEPEST):
        x = x + 1
        depths.append(0 if x.pending is None else x.pending.depth)
    assert max(depths) == DEEPEST
    assert x.to_dict() == {0: 1 + 3 * DEEPEST, 1: 1 + 3 * DEEPEST}


def test_options_are_those_of_where_it_was_written() -> None:
    with anypair.using("jit", threads=1):
        x = Vector.full(3, 1)
    with anypair.using("jit", threads=2) as two:
        z = x + 1
    with anypair.using("jit", threads=1):
        assert z.pending is not None
        assert z.pending.backend is two
        assert z.finish().backend is two


def test_two_threads_look_at_once() -> None:
    """Each of many expressions is computed once, and both threads see it whole."""
    shared = [Vector.full(1000, k) * 2 + 1 for k in range(200)]
    parts = [x.pending for x in shared]
    found: list[list[int]] = [[], []]

    def look(which: int) -> None:
        found[which] = [int(x.sum()) for x in shared]

    threads = [threading.Thread(target=look, args=(which,)) for which in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1] == [1000 * (2 * k + 1) for k in range(200)]
    assert all(part is not None and part.result is not None for part in parts)


def test_an_error_says_which_line_wrote_it() -> None:
    @unary_op(result=float)
    def inverse(x: Any) -> Any:
        return 1 / x

    from anypair.expression import applied

    with anypair.using("reference"):
        z = applied(Vector.full(1, 0), inverse)
        for _ in range(2):  # it raises each time that somebody looks
            with pytest.raises(OperatorError) as caught:
                z.finish()
        (note,) = set(caught.value.__notes__)
    assert "test_expressions.py, line " in note


def test_refused_where_it_is_written(backend: str) -> None:
    x, y = x_and_y()
    A, _ = matrices()
    with pytest.raises(SizeMismatch, match="of size 6 and of size 3"):
        x + Vector.full(3, 1)
    with pytest.raises(SizeMismatch, match="A has 3 rows and u has size 6"):
        x @ A
    with pytest.raises(InvalidArgument, match="is not compared by =="):
        x == y  # noqa: B015
    with pytest.raises(InvalidArgument, match="neither true nor false"):
        bool(x < y)
    with pytest.raises(InvalidArgument, match="one of the two has to be a Matrix"):
        x @ y
    with pytest.raises(TypeError, match="unsupported operand"):
        x + "one"
    with pytest.raises(TypeError, match="unsupported operand"):
        [1] - x  # type: ignore[operator]
    for combined in (
        lambda: x + np.ones(6),
        lambda: np.ones(6) - x,
        lambda: x < np.ones(6),
        lambda: A @ np.ones(3),
    ):
        with pytest.raises(InvalidArgument, match=r"as in Vector\.from_numpy\(array, like=x\)"):
            combined()
    with pytest.raises(InvalidArgument, match="is not a product; write plus_times"):
        plus_times(x)
    with pytest.raises(SizeMismatch, match="the mask is"):
        plus_times(A @ Vector.full(3, 1), mask=x.structure)
    elsewhere = Vector.full(6, 1, backend="scipy" if x.backend.name == "reference" else "reference")
    with pytest.raises(BackendMismatch, match="different backends"):
        x + elsewhere


def test_a_product_without_a_semiring_holds_nothing(backend: str) -> None:
    A = Matrix.from_entries([0], [0], [2], (1, 1))
    x = Vector.full(1, 3)
    unfinished = x @ A
    update(x, Vector.full(1, 5))
    made = plus_times(unfinished)
    update(x, Vector.full(1, 7))
    assert made.to_dict() == {0: 10}


def test_a_mask_of_what_is_true_stays_as_it_was(backend: str) -> None:
    x = Vector.from_entries([0, 1], [True, False], size=3)
    mask = x.true
    update(x, Vector.full(3, True))
    assert apply(Vector.full(3, 7), identity, mask=mask).to_dict() == {0: 7}
    assert apply(Vector.full(3, 7), identity, mask=~mask).to_dict() == {1: 7, 2: 7}


@pytest.mark.parametrize(
    "use",
    [
        lambda p: p + 1,
        lambda p: 1 + p,
        lambda p: p.nvals,
        abs,
        bool,
        lambda p: p.to_dict(),
        lambda p: p < 1,
    ],
)
def test_a_product_without_a_semiring(use: Callable[[Any], Any]) -> None:
    A, _ = matrices()
    with pytest.raises(InvalidArgument, match=r"plus_times\(A @ x\), or take the operation, as in mxv"):
        use(A @ Vector.full(3, 1))


def test_augmented_assignment_makes_something_new(backend: str) -> None:
    x, _ = x_and_y()
    before, alias = x.copy(), x
    x += 1
    assert_same(alias, before)
    assert_same(x, apply(before, plus, right=1))


SIGNS = st.sampled_from([operator.add, operator.sub, operator.mul])
LEAVES = st.integers(0, 2)
TREES = st.recursive(
    LEAVES, lambda inner: st.tuples(SIGNS, inner, inner | st.integers(3, 5)), max_leaves=6
)


@given(tree=TREES)
def test_any_expression_equals_its_operations(backend: str, tree: Any) -> None:
    leaves = [
        Vector.from_entries([0, 2, 5], [1, 2, 3], 6),
        Vector.from_entries([1, 2], [4, -5], 6),
        Vector.full(6, 7),
    ]

    def grown(node: Any) -> Any:
        if isinstance(node, int):
            return leaves[node] if node < len(leaves) else node
        sign, left, right = node
        return sign(grown(left), grown(right))

    def step(node: Any) -> Any:
        if isinstance(node, int):
            return leaves[node] if node < len(leaves) else node
        sign, left, right = node
        x, y = step(left), step(right)
        _, op, operation = next(row for row in PAIRS.values() if row[0] is sign)
        if isinstance(x, int) and isinstance(y, int):
            return sign(x, y)
        if isinstance(y, int):
            return apply(x, op, right=y)
        return apply(y, op, left=x) if isinstance(x, int) else operation(x, y, op)

    found, expected = grown(tree), step(tree)
    assert_same(found, expected) if isinstance(expected, Vector) else None
    gc.collect()


def test_a_chain_is_one_loop_on_jit() -> None:
    """What nobody has a name for is not made; a part that has one is computed by itself, once."""
    with anypair.using("jit"):
        x, y = x_and_y()
        with anypair.trace() as seen:
            abs(x - y).sum()
            (2 * x + y).finish()
            (x < y).true.handle.finish()
            named = x - y
            abs(named).sum(), named.max()
    assert [(record.operation, record.operator) for record in seen.records] == [
        ("expression", "plus(absolute(minus(x, y)))"),
        ("expression", "plus(times(2, x), y)"),
        ("expression", "is_true(lt(x, y))"),
        ("ewise_add", "minus"),
        ("expression", "plus(absolute(x))"),
        ("reduce", "max"),
    ]


def test_fused_or_not_the_bits_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def answers() -> list[Any]:
        random = np.random.default_rng(3)
        n = 70_000  # more than one block of a sum
        full = Vector.from_numpy(random.standard_normal(n))
        most = Vector.from_entries(np.flatnonzero(random.random(n) < 0.8), random.random(n)[0], n)
        bitmap = Vector.empty(n)
        update(bitmap, most * 3.7)
        graph = Matrix.from_edges(random.integers(0, n, 9 * n), random.integers(0, n, 9 * n), n=n)
        ranks = 0.1 + 0.85 * plus_times((full / bitmap) @ graph)
        return [
            abs(full - bitmap).sum(),
            (full * bitmap + most).sum(),
            (full * bitmap - 2.5 * most + full).to_entries(),
            (full < bitmap).true.handle.to_entries(),
            ranks.to_entries(),
            pagerank(graph, iterations=4).to_entries(),
        ]

    with anypair.using("jit"):
        fused = answers()
        monkeypatch.setenv("ANYPAIR_EAGER", "1")
        for one, other in zip(fused, answers(), strict=True):
            np.testing.assert_array_equal(one, other)
