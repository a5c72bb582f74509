"""The call of an operator that raised, found by calling its Python function again on the operands.

Kernels do not say what an operator was given when it raised: keeping it would cost every search time.
So it is looked for afterwards, in the order of the entries, among the first calls.
"""

import functools
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from anypair.backends.base import Applied
from anypair.dtypes import Array, Scalar, caster
from anypair.errors import OperatorError
from anypair.semiring import BoundOp, TypedBinary, TypedMonoid, TypedNary, TypedSemiring, TypedUnary

CALLS = 1 << 16  # looked at before giving up
LARGE = 1 << 22  # entries of an operand that is not looked at

Entries = tuple[Array, ...]  # places, one array for each dimension, and values
Term = tuple[tuple[int, ...], Scalar, Scalar, int]  # where it is added up, edge, value, and k


def failing_call(op: Any, *operands: Entries) -> OperatorError | None:
    """What an operator raises for the first entries for which it does."""
    if any(len(operand[-1]) > LARGE for operand in operands):
        return None
    try:
        if isinstance(op, TypedUnary | BoundOp):
            _apply(op, *operands)
        elif isinstance(op, TypedBinary | TypedNary):
            _combine(op, *operands)
        elif isinstance(op, TypedMonoid):
            *places, values = (column[:CALLS].tolist() for column in operands[0])
            _fold(op, places[0] if len(places) == 2 else [0] * len(values), values)
    except OperatorError as error:
        return error
    return None


def failing_pair(op: TypedBinary, x: Array, y: Array) -> OperatorError | None:
    """What an operator raises for the first values of two arrays for which it does."""
    numbered = np.arange(len(x))
    return failing_call(op, (numbered, x), (numbered, y))


def failing_sum(
    op: Any, places: tuple[Array, ...], values: Array, mirrored: bool = False, self_loops: bool = True
) -> OperatorError | None:
    """What an operator raises for the first values that meet at a place, in the order given.

    The reverse of each entry of a matrix, if it is `mirrored`, comes right after it.
    """
    sums: dict[tuple[int, ...], Scalar] = {}
    try:
        columns = (column[:CALLS].tolist() for column in (*places, values))
        for *place, value in zip(*columns, strict=True):
            is_loop = len(place) == 2 and place[0] == place[1]
            if is_loop and not self_loops:
                continue
            for at in (place, place[::-1]) if mirrored and not is_loop else (place,):
                sums[*at] = op(sums[*at], value) if (*at,) in sums else value
    except OperatorError as error:
        return error
    return None


def failing_term(op: TypedSemiring, terms: Iterable[Term]) -> OperatorError | None:
    """What one of the two operators of a semiring raises for the first terms for which it does."""
    sums: dict[tuple[int, ...], Scalar] = {}
    as_term = caster(op.result)
    try:
        for place, left, right, k in islice(terms, CALLS):
            term = as_term(op.multiply(left, right, k, *place))
            sums[place] = op.add.op(sums[place], term) if place in sums else term
    except OperatorError as error:
        return error
    return None


def terms_with_vector(
    matrix: Entries, vector: Entries, by_rows: bool, mask: tuple[Array, bool] | None
) -> Iterator[Term]:
    """The terms of a product with a vector, summed by rows or by columns, inside the mask."""
    rows, cols, edges = matrix
    places, inner = (rows, cols) if by_rows else (cols, rows)
    indices, values = vector
    if not len(indices) or len(edges) > LARGE:
        return
    meets = np.isin(inner, indices)
    if mask is not None:
        meets &= np.isin(places, mask[0]) != mask[1]
    at = np.flatnonzero(meets)
    at = at[np.lexsort((inner[at], places[at]))][:CALLS]
    found = values[np.searchsorted(indices, inner[at])]
    yield from zip(
        zip(places[at].tolist()), edges[at].tolist(), found.tolist(), inner[at].tolist(), strict=True
    )


def terms_of_matrices(a: Entries, b: Entries, mask: tuple[Entries, bool] | None) -> Iterator[Term]:
    """The terms of a product of matrices, inside the mask."""
    if max(len(a[-1]), len(b[-1])) > LARGE:
        return
    inside = None if mask is None else set(zip(*(axis.tolist() for axis in mask[0][:2]), strict=True))
    starts = np.searchsorted(b[0], np.arange(b[0][-1] + 2 if len(b[0]) else 1))
    for i, k, left in zip(*(column.tolist() for column in a), strict=True):
        for p in range(starts[k], starts[k + 1]) if k + 1 < len(starts) else ():
            place = (i, int(b[1][p]))
            if inside is None or (place in inside) != mask[1]:  # type: ignore[index]
                yield place, left, b[2][p].item(), k


def _apply(op: Applied, operand: Entries) -> None:
    *places, values = (column[:CALLS].tolist() for column in operand)
    for value, *place in zip(values, *places, strict=True):
        op(value, *place)


def _combine(op: TypedBinary | TypedNary, x: Entries, *others: Entries) -> None:
    at = []
    for y in others:
        *y_places, y_values = (column.tolist() for column in y)
        at.append(dict(zip(zip(*y_places, strict=True), y_values, strict=True)))
    *places, values = (column[:CALLS].tolist() for column in x)
    for value, *place in zip(values, *places, strict=True):
        if all(tuple(place) in found for found in at):
            op(value, *(found[tuple(place)] for found in at))


def _fold(op: TypedMonoid, rows: list[int], values: list[Scalar]) -> None:
    """Sum each row, then the sums of the rows."""
    as_term = caster(op.domain)
    sums: dict[int, Scalar] = {}
    for row, value in zip(rows, values, strict=True):
        sums[row] = op.op(sums[row], as_term(value)) if row in sums else as_term(value)
    functools.reduce(op.op, sums.values())
