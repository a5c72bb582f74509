"""Small calls, which are nearly all overhead, and few entries with many."""

from collections.abc import Callable, Iterator
from typing import Any

import graphblas
import numpy as np

from anypair import (
    Matrix,
    Vector,
    apply,
    assign,
    ewise_add,
    ewise_mult,
    extract,
    mxm,
    mxv,
    reduce,
    select,
    transpose,
    update,
    vxm,
)
from anypair.semiring import (
    absolute,
    ge,
    gt,
    lt,
    min_monoid,
    min_plus,
    minimum,
    plus,
    plus_monoid,
    times,
)
from benchmarks.operations import BUILT, COPY, FEW_WITH_MANY, SMALL
from benchmarks.operations.rows import GRAPHBLAS, OURS, Row


class Small:
    """Vectors of size 100 with 10 entries, a matrix of 100 x 100 with 50, and one of 10 x 10 with 30."""

    def __init__(self, vector: Callable[..., Any], matrix: Callable[..., Any]) -> None:
        random = np.random.default_rng(1)
        self.places = np.arange(0, 100, 10)
        self.x = vector(self.places, np.full(10, 1.0), 100)
        self.y = vector(np.sort(random.permutation(100)[:10]), np.full(10, 2.0), 100)
        keys = random.permutation(10_000)[:50]
        self.A = matrix(keys // 100, keys % 100, random.random(50), (100, 100))
        keys = random.permutation(100)[:30]
        self.B = matrix(keys // 10, keys % 10, random.random(30), (10, 10))


def small_calls(batch: int) -> Iterator[Row]:
    """One row for each call."""
    ours = Small(
        lambda places, values, size: Vector.from_entries(places, values, size, backend="jit"),
        lambda rows, cols, values, shape: Matrix.from_entries(rows, cols, values, shape, backend="jit"),
    )
    peer = Small(
        lambda places, values, size: graphblas.Vector.from_coo(places, values, size=size),
        lambda rows, cols, values, shape: graphblas.Matrix.from_coo(
            rows, cols, values, nrows=shape[0], ncols=shape[1]
        ),
    )
    binary, step = graphblas.binary, graphblas.semiring.min_plus
    # Kept beside what is written to, so that the answer is the same each time.
    x, x_peer = ours.x.copy(), peer.x.dup()

    def row(name: str, call: Any, other: Any) -> Row:
        return Row(SMALL, name, {OURS: lambda: call(ours), GRAPHBLAS: lambda: other(peer)}, batch)

    def assign_peer(s: Small) -> Any:
        x_peer(s.x.S) << 1.0
        return x_peer

    def update_peer(s: Small) -> Any:
        x_peer(s.x.S) << s.x
        return x_peer

    yield row("vxm", lambda s: vxm(s.x, s.A, min_plus), lambda s: s.x.vxm(s.A, step).new())
    yield row(
        "vxm with a mask",
        lambda s: vxm(s.x, s.A, min_plus, mask=~s.y.structure),
        lambda s: s.x.vxm(s.A, step).new(mask=~s.y.S),
    )
    yield row("mxv", lambda s: mxv(s.A, s.x, min_plus), lambda s: s.A.mxv(s.x, step).new())
    yield row("mxm", lambda s: mxm(s.B, s.B, min_plus), lambda s: s.B.mxm(s.B, step).new())
    yield row(
        "ewise_add", lambda s: ewise_add(s.x, s.y, plus), lambda s: s.x.ewise_add(s.y, binary.plus).new()
    )
    yield row(
        "ewise_mult",
        lambda s: ewise_mult(s.x, s.y, times),
        lambda s: s.x.ewise_mult(s.y, binary.times).new(),
    )
    yield row(
        "apply with a number",
        lambda s: apply(s.x, times, right=2.0),
        lambda s: s.x.apply(binary.times, right=2.0).new(),
    )
    yield row("apply", lambda s: apply(s.x, absolute), lambda s: s.x.apply(graphblas.unary.abs).new())
    yield row("select", lambda s: select(s.x, gt, right=0.5), lambda s: s.x.select(">", 0.5).new())
    yield row(
        "reduce",
        lambda s: reduce(s.x, plus_monoid),
        lambda s: s.x.reduce(graphblas.monoid.plus).value,
    )
    yield row("extract", lambda s: extract(s.x, s.places), lambda s: s.x[s.places].new())
    yield row("assign with a mask", lambda s: assign(x, 1.0, mask=s.x.structure), assign_peer)
    yield row("update", lambda s: update(x, s.x), update_peer)
    yield row(
        BUILT,
        lambda s: Vector.from_entries(s.places, 1.0, 100, backend="jit"),
        lambda s: graphblas.Vector.from_coo(s.places, 1.0, size=100),
    )
    yield row(COPY, lambda s: s.x.copy(), lambda s: s.x.dup())
    yield row("transpose", lambda s: transpose(s.B), lambda s: s.B.T.new())


def few_with_many(size: int, batch: int) -> Iterator[Row]:
    """100 entries with nine tenths of all places, a bitmap that was just written to."""
    random = np.random.default_rng(1)
    places = np.sort(random.permutation(size)[: size * 9 // 10])
    few = np.sort(random.permutation(size)[: min(100, size // 4)])
    values, some = random.integers(0, 1000, len(places)), random.integers(0, 1000, len(few))
    big = Vector.from_entries(places, values, size, backend="jit")
    small = Vector.from_entries(few, some, size, backend="jit")
    own, own_few = (
        graphblas.Vector.from_coo(indices, numbers, size=size)
        for indices, numbers in ((places, values), (few, some))
    )
    update(big, small)
    own(own_few.S) << own_few
    own.ss.config["sparsity_control"] = "bitmap"

    def row(name: str, call: Any, other: Any) -> Row:
        return Row(FEW_WITH_MANY, name, {OURS: call, GRAPHBLAS: other}, batch)

    def updated() -> Any:
        own(own_few.S) << own_few
        return own

    binary = graphblas.binary
    yield row("update", lambda: update(big, small), updated)
    yield row(
        "ewise_mult",
        lambda: ewise_mult(small, big, lt),
        lambda: own_few.ewise_mult(own, binary.lt).new(),
    )
    yield row(
        "select of few",
        lambda: select(small, ge, right=990),
        lambda: own_few.select(">=", 990).new(),
    )
    yield row(
        "ewise_add",
        lambda: ewise_add(small, big, minimum),
        lambda: own_few.ewise_add(own, binary.min).new(),
    )
    yield row("select of many", lambda: select(big, ge, right=990), lambda: own.select(">=", 990).new())
    yield row("reduce", lambda: reduce(big, min_monoid), lambda: own.reduce(graphblas.monoid.min).value)
