"""Operations on large matrices: a Kronecker graph entry by entry, and products of smaller ones."""

from collections.abc import Callable, Iterator
from typing import Any

import graphblas
import numpy as np
import scipy.sparse

from anypair import (
    Matrix,
    Vector,
    apply,
    ewise_add,
    ewise_mult,
    extract,
    mxm,
    mxv,
    reduce,
    select,
    transpose,
    vxm,
)
from anypair.dtypes import Array
from anypair.semiring import (
    absolute,
    gt,
    plus,
    plus_monoid,
    plus_pair,
    plus_times,
    strict_lower,
    times,
)
from benchmarks.graphs import make
from benchmarks.operations.rows import GRAPHBLAS, OURS, SCIPY, Row


class Three:
    """The same matrix in three libraries."""

    def __init__(self, csr: scipy.sparse.csr_array) -> None:
        coo = csr.tocoo()
        self.n = csr.shape[0]
        self.scipy = csr
        self.anypair = Matrix.from_entries(*coo.coords, coo.data, csr.shape, backend="jit")
        self.graphblas = graphblas.Matrix.from_csr(csr.indptr, csr.indices, csr.data, ncols=csr.shape[1])

    def row(self, group: str, name: str, ours: Any, peer: Any, scipys: Any = None) -> Row:
        """A row of which each way is a function of the matrix; results of peers are complete."""
        ways = {OURS: lambda: ours(self.anypair), GRAPHBLAS: lambda: _complete(peer(self.graphblas))}
        if scipys is not None:
            ways[SCIPY] = lambda: scipys(self.scipy)
        return Row(group, name, ways)


def _complete(result: Any) -> Any:
    """A result of python-graphblas with nothing put off, such as to sort its rows."""
    return result.wait() if hasattr(result, "wait") else result


def real(name: str, seed: int) -> scipy.sparse.csr_array:
    """The graph of that name with weights between 0 and 1; `random16` has 8 entries in each row."""
    random = np.random.default_rng(4)
    if name.startswith("random"):
        n = 1 << int(name.removeprefix("random"))
        keys = np.unique(np.repeat(np.arange(n), 8) * n + random.integers(0, n, 8 * n))
        csr = scipy.sparse.coo_array((np.ones(len(keys)), (keys // n, keys % n)), shape=(n, n)).tocsr()
    else:
        csr = make(name, seed).csr.astype(np.float64)
    csr.sort_indices()
    csr.data = random.random(csr.nnz)
    return csr


def entrywise(name: str, seed: int) -> Iterator[Row]:
    """Everything but products of matrices, on the graph of that name."""
    A, B = Three(real(name, seed)), real(name, seed + 1)
    other = Three(B)
    n, random = A.n, np.random.default_rng(9)
    chosen = random.permutation(n)[: n // 2]
    yield A.row(
        name,
        "ewise_add plus",
        lambda a: ewise_add(a, other.anypair, plus),
        lambda a: a.ewise_add(other.graphblas, graphblas.binary.plus).new(),
        lambda a: a + B,
    )
    yield A.row(
        name,
        "ewise_mult times",
        lambda a: ewise_mult(a, other.anypair, times),
        lambda a: a.ewise_mult(other.graphblas, graphblas.binary.times).new(),
        lambda a: a.multiply(B),
    )
    twice = Three(A.scipy * 2.0)
    yield A.row(
        name,
        "ewise_add plus, equal structures",
        lambda a: ewise_add(a, twice.anypair, plus),
        lambda a: a.ewise_add(twice.graphblas, graphblas.binary.plus).new(),
        lambda a: a + twice.scipy,
    )
    yield A.row(
        name,
        "select > 0.5",
        lambda a: select(a, gt, right=0.5),
        lambda a: a.select(">", 0.5).new(),
        lambda a: a * (a > 0.5),
    )
    yield A.row(
        name,
        "select lower triangle",
        lambda a: select(a, strict_lower),
        lambda a: a.select("tril", -1).new(),
        lambda a: scipy.sparse.tril(a, -1, format="csr"),
    )
    yield A.row(
        name,
        "apply times 2",
        lambda a: apply(a, times, right=2.0),
        lambda a: a.apply(graphblas.binary.times, right=2.0).new(),
        lambda a: a * 2.0,
    )
    fresh = (lambda: apply(A.anypair, absolute).finish(), transpose)  # or it is remembered
    ways = {
        OURS: fresh,
        GRAPHBLAS: lambda: _complete(A.graphblas.T.new()),
        SCIPY: lambda: A.scipy.T.tocsr(),
    }
    yield Row(name, "transpose", ways)
    yield from _parts(A, name, chosen)
    yield from _sums(A, name)
    yield from _vectors(A, name)


def _parts(A: Three, name: str, chosen: Array) -> Iterator[Row]:
    ordered, half, block = np.sort(chosen), A.n // 2, slice(0, A.n // 2)
    yield A.row(
        name,
        "extract half of the rows",
        lambda a: extract(a, chosen),
        lambda a: a[chosen, :].new(),
        lambda a: a[chosen],
    )
    for title, some in (("sorted", ordered), ("random", chosen)):
        yield A.row(
            name,
            f"extract a {title} half of both",
            lambda a, some=some: extract(a, some, some),
            lambda a, some=some: a[some, some].new(),
            _sorted(lambda a, some=some: a[some][:, some]),
        )
    yield A.row(
        name,
        "extract the leading block",
        lambda a: extract(a, block, block),
        lambda a: a[:half, :half].new(),
        lambda a: a[:half, :half],
    )


def _sums(A: Three, name: str) -> Iterator[Row]:
    add = graphblas.monoid.plus
    yield A.row(
        name,
        "reduce",
        lambda a: reduce(a, plus_monoid),
        lambda a: a.reduce_scalar(add).value,
        lambda a: a.sum(),
    )
    yield A.row(
        name,
        "reduce rows",
        lambda a: reduce(a, plus_monoid, by="rows"),
        lambda a: a.reduce_rowwise(add).new(),
        lambda a: a.sum(axis=1),
    )
    yield A.row(
        name,
        "reduce columns",
        lambda a: reduce(a, plus_monoid, by="columns"),
        lambda a: a.reduce_columnwise(add).new(),
        lambda a: a.sum(axis=0),
    )


def _vectors(A: Three, name: str) -> Iterator[Row]:
    values = np.random.default_rng(8).random(A.n)
    u = Vector.from_entries(np.arange(A.n), values, A.n, backend="jit")
    v = graphblas.Vector.from_dense(values)
    step = graphblas.semiring.plus_times
    yield A.row(
        name,
        "mxv dense",
        lambda a: mxv(a, u, plus_times),
        lambda a: a.mxv(v, step).new(),
        lambda a: a @ values,
    )
    yield A.row(
        name,
        "vxm dense",
        lambda a: vxm(u, a, plus_times),
        lambda a: v.vxm(a, step).new(),
        lambda a: values @ a,
    )


def products(name: str, seed: int, *, unmasked: bool = True) -> Iterator[Row]:
    """Products of the matrix of that name with itself; without a mask they may not fit."""
    csr = real(name, seed)
    A, L = Three(csr), Three(scipy.sparse.tril(csr, -1, format="csr"))
    step = graphblas.semiring.plus_times
    pairs = graphblas.semiring.plus_pair
    if unmasked:
        yield A.row(
            name,
            "A A",
            lambda a: mxm(a, a, plus_times),
            lambda a: a.mxm(a, step).new(),
            _sorted(lambda a: a @ a),
        )
    yield A.row(
        name,
        "A A inside A",
        lambda a: mxm(a, a, plus_times, mask=a.structure),
        lambda a: a.mxm(a, step).new(mask=a.S),
    )
    if unmasked:
        yield A.row(
            name,
            "A A outside A",
            lambda a: mxm(a, a, plus_times, mask=~a.structure),
            lambda a: a.mxm(a, step).new(mask=~a.S),
        )
    yield L.row(
        name,
        "L L inside L, plus_pair",
        lambda a: mxm(a, a, plus_pair, mask=a.structure),
        lambda a: a.mxm(a, pairs).new(mask=a.S),
    )


def _sorted(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """SciPy leaves rows of some results in disorder, which the others do not."""

    def in_order(a: Any) -> Any:
        result = compute(a)
        result.sort_indices()
        return result

    return in_order
