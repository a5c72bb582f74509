"""Entries in an order: running sums, sorting, the greatest, the first, and some at random."""

from typing import Any, Literal, overload

import numpy as np

from anypair.dtypes import FLOAT64, INT64, Array
from anypair.errors import InvalidArgument, InvalidValue
from anypair.handle import Handle
from anypair.inputs import as_monoid, as_whole
from anypair.matrix import Matrix
from anypair.memory import naming_memory_errors
from anypair.operations.elementwise import apply, select
from anypair.operations.gathering import scale, scatter
from anypair.operations.output import HandleType, Output, expect, type_on
from anypair.operations.restriction import where
from anypair.operations.shaping import reduce
from anypair.semiring import (
    BinaryOp,
    Monoid,
    any_monoid,
    column,
    eq,
    is_true,
    lt,
    max_monoid,
    min_monoid,
    position,
)
from anypair.vector import Vector


@naming_memory_errors
def cumulate(x: HandleType, monoid: Monoid | BinaryOp) -> HandleType:
    """The sum of each entry and all before it, of its row if x is a matrix.

    >>> from anypair.semiring import plus
    >>> cumulate(Vector.from_entries([0, 2, 3], [5, 1, 4], size=5), plus).to_dict()
    {0: 5, 2: 6, 3: 10}
    """
    adding = as_monoid("cumulate", "monoid", monoid)
    output = Output("cumulate", monoid, None, None, None, False, x=x)
    typed = type_on(output.backend, adding, x.dtype)
    output.prepare(type(x), x.shape, typed.domain)
    result: HandleType = output.write(output.backend.running(x.storage, x.shape, typed))
    return result


def order(x: Vector, *, descending: bool = False) -> Vector:
    """The places of the entries in the order of their values, as `x[order(x)]` has them.

    Equal ones keep the order of their places; NaN comes last. The result has the size of x, and entries
    at its first `x.nvals` places.

    >>> order(Vector.from_entries([0, 2, 3], [5, 1, 4], size=4)).to_dict()
    {0: 2, 1: 3, 2: 0}
    """
    ranks = _ranks("order", expect("order", "x", x, Vector), by_value=True, descending=descending)
    return scatter(apply(x, position), ranks, x.size, any_monoid)


def sort(x: Vector, *, descending: bool = False) -> Vector:
    """The values in order, at the first `x.nvals` places; NaN comes last.

    >>> sort(Vector.from_entries([0, 2, 3], [5, 1, 4], size=4), descending=True).to_dict()
    {0: 5, 1: 4, 2: 1}
    """
    ranks = _ranks("sort", expect("sort", "x", x, Vector), by_value=True, descending=descending)
    return scatter(x, ranks, x.size, any_monoid)


def top(x: HandleType, k: int, *, smallest: bool = False) -> HandleType:
    """The k greatest entries, or the smallest, at their places; of each row if x is a matrix.

    Of equal ones the first are taken, NaN only if nothing else is left.

    >>> top(Vector.from_entries([0, 2, 3], [5, 1, 4], size=5), 2).to_dict()
    {0: 5, 3: 4}
    """
    k = as_whole("top", "k", k)
    return _of_ranks_below(x, k, _ranks("top", x, by_value=True, descending=not smallest))


def head(x: HandleType, k: int) -> HandleType:
    """The first k entries, of each row if x is a matrix.

    >>> head(Matrix.from_edges([0, 0, 0, 2], [0, 1, 2, 1]), 2).to_entries()[:2]
    (array([0, 0, 2]), array([0, 1, 1]))
    """
    k = as_whole("head", "k", k)
    return _of_ranks_below(x, k, _ranks("head", x, by_value=False))


def sample(x: HandleType, k: int, seed: int) -> HandleType:
    """k entries at random, of each row if x is a matrix; all where there are no more.

    The choice follows from the seed and the places alone: it is the same on every backend.

    >>> friends = Matrix.from_edges([0, 0, 0, 2], [0, 1, 2, 1])
    >>> sample(friends, 1, seed=3).nvals
    2
    """
    k = as_whole("sample", "k", k)
    output = Output("sample", None, None, None, None, False, x=x)
    drawn = output.backend.random(x.storage, x.shape, as_whole("sample", "seed", seed), FLOAT64)
    keys = type(x)(x.shape, FLOAT64, drawn, output.backend)
    return _of_ranks_below(x, k, _ranks("sample", keys, by_value=True))


@naming_memory_errors
def unique(x: Handle) -> tuple[Array, Array]:
    """The different values in ascending order, and how often each is there, as arrays of the host.

    >>> unique(Vector.from_entries([0, 2, 3], [5, 1, 5], size=5))
    (array([1, 5]), array([1, 2]))
    """
    output = Output("unique", None, None, None, None, False, x=x)
    values, counts = np.unique(output.backend.peek(x.storage)[-1], return_counts=True)
    output.record(len(values))
    return values, counts


@overload
def extreme(x: Handle, name: str, by: None) -> int: ...
@overload
def extreme(x: Handle, name: str, by: Literal["rows", "columns"]) -> Vector: ...
def extreme(x: Any, name: str, by: Any) -> Any:
    """Where the greatest or the smallest entry stands; see `argmin` and `argmax`."""
    monoid = min_monoid if name == "argmin" else max_monoid
    if isinstance(x, Matrix):
        if by not in ("rows", "columns"):
            raise InvalidArgument(f"{name}: by={by!r}; of a Matrix give by='rows' or by='columns'")
        A = x if by == "rows" else x.T
        is_extreme = select(scale(A, rows=reduce(A, monoid, by="rows"), op=eq), is_true)
        return reduce(apply(is_extreme, column), min_monoid, by="rows")
    if by is not None:
        raise InvalidArgument(f"{name}: by={by!r} given for a Vector")
    equal = select(x, eq, right=reduce(x, monoid))
    if not equal.nvals:
        raise InvalidValue(f"{name}: {x.described_shape} has no entry that is a number")
    return reduce(apply(equal, position), min_monoid)


def _ranks(operation: str, x: HandleType, *, by_value: bool, descending: bool = False) -> HandleType:
    """How many entries of x, or of the same row, come before each."""
    output = Output(operation, None, None, None, None, False, x=x)
    output.prepare(type(x), x.shape, INT64)
    backend = output.backend
    ranks = backend.ranks(x.storage, x.shape, by_value=by_value, descending=descending)
    result: HandleType = output.write(ranks)
    return result


def _of_ranks_below(x: HandleType, k: int, ranks: HandleType) -> HandleType:
    return where(x, select(ranks, lt, right=k).structure)
