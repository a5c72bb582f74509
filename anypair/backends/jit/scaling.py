"""A vector along the rows or the columns of a matrix, or sent to places that another one has."""

from typing import Any

import numpy as np

from anypair.backends.jit.extraction import taken
from anypair.backends.jit.kernels import entry_kernels
from anypair.backends.jit.storage import JitMatrix, JitVector, is_broadcast, nwords
from anypair.backends.places import require_below
from anypair.memory import require
from anypair.semiring import TypedBinary, TypedMonoid
from anypair.threads.team import Team


def scaled(team: Team, a: JitMatrix, u: JitVector, op: TypedBinary, *, by_rows: bool) -> JitMatrix:
    """op of each entry and of what u has for its row or its column: it has something for each entry."""
    kernels: Any = entry_kernels("scaling", op)
    kernel = kernels.by_rows if by_rows else kernels.by_columns
    one = is_broadcast(a.values)
    values = a.values[:1] if one else a.values
    dense = np.ascontiguousarray(u.by_place)
    out = np.empty(a.nvals, op.result)
    bounds = a.pieces(team.pieces_for(a.nvals), 1)
    team.over(bounds, kernel, a.starts, a.indices, values, one, dense, out)
    return a.with_values(out)


def scattered(values: JitVector, indices: JitVector, size: int, monoid: TypedMonoid) -> JitVector:
    """Each value at the place that the other vector has for it; the monoid adds what meets there."""
    places, targets = indices.sorted_list()
    require_below(size, targets, places)
    if values.is_full:
        sent = values.by_place
        sent = sent if len(places) == values.size else sent[places]
    else:
        found, sent = taken(values, places)
        targets = targets[found]
    require(size * (monoid.domain.itemsize + 1), f"a vector of {size} places")
    words, dense = np.zeros(nwords(size), np.uint64), np.empty(size, monoid.domain)
    one = is_broadcast(sent)
    kernels: Any = entry_kernels("scattering", monoid.op)
    given = (np.ascontiguousarray(targets), sent[:1] if one else np.ascontiguousarray(sent), one)
    return JitVector(size, None, None, words, dense, int(kernels.scatter(*given, words, dense)))
