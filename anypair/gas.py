"""Gather, apply, scatter: vertex programs in the manner of PowerGraph and MapGraph, on public names.

A program is three operators. In each round the active vertices gather from their in-neighbours and apply
what they have gathered to their own values; where that changes a value enough, it scatters: the
out-neighbours are active in the next round.
"""

from itertools import count

from anypair import (
    BinaryOp,
    Matrix,
    Monoid,
    Semiring,
    Vector,
    ewise_add,
    ewise_mult,
    reduce,
    select,
    update,
    vxm,
)
from anypair import apply as applied
from anypair.algorithms.checks import check_graph, check_whole
from anypair.errors import InvalidArgument, NotConverged, SizeMismatch, shown
from anypair.semiring import any_pair, first, identity, logical_not


def run(
    graph: Matrix,
    gather: Semiring,
    apply: BinaryOp | Monoid,
    scatter: BinaryOp,
    *,
    start: Vector,
    limit: int | None = None,
    changed_only: bool = False,
) -> Vector:
    """The values of the vertices once none is active any more; at first those of `start` are.

    `gather` is summed over the edges that lead to an active vertex; its multiply sees the edge and the
    value where that comes from. The new value is `apply(value, gathered)`: a vertex without a value
    takes what it has gathered, one that gathers nothing applies the identity of the sum.
    `scatter(old, new)` says whether the neighbours are to hear of it; of first values they always do,
    those of `start` included.

    With `changed_only` vertices gather from those neighbours alone that have just scattered. That is
    much less work, and the same where `gather` selects (min, max, any) and `apply` keeps the better one.

    `limit` is how many rounds there may be; if that is not enough, `NotConverged` is raised.

    >>> from anypair.semiring import gt, min_plus, minimum
    >>> roads = Matrix.from_edges([0, 0, 1], [1, 2, 2], [4.0, 9.0, 3.0])
    >>> start = Vector.from_entries([0], [0.0], size=3)
    >>> run(roads, min_plus, minimum, gt, start=start, changed_only=True).to_dict()
    {0: 0.0, 1: 4.0, 2: 7.0}
    """
    _check(graph, gather, start, limit, changed_only)
    values = start.copy()
    active = scattering = start
    # Where a value is kept whatever comes, there is nothing to gather for.
    keeps_values = isinstance(apply, BinaryOp) and apply.gives == "edge"
    without_value = ~values.structure if keeps_values else None
    for number in count(1):
        if changed_only:
            gathered = vxm(scattering, graph, gather, mask=without_value)
        else:
            gathered = _gathered(values, active, graph, gather)
        before = applied(values, identity, mask=gathered.structure)
        after = ewise_add(before, gathered, apply)
        quiet = select(ewise_mult(before, after, scatter), logical_not)
        update(values, after)
        scattering = after.cast(values.dtype)
        if quiet.nvals and (changed_only or number > 1):
            scattering = applied(scattering, identity, mask=~quiet.structure)
        if not scattering.nvals:
            return values
        if number == limit:
            raise NotConverged(f"gas.run: vertices are still active after {limit} rounds")
        if not changed_only:
            active = vxm(scattering, graph, any_pair)
    raise AssertionError("counting does not end")


def _gathered(values: Vector, active: Vector, graph: Matrix, gather: Semiring) -> Vector:
    """What active vertices gather: the identity of the sum where there is a value and nothing comes."""
    found = vxm(values, graph, gather, mask=active.structure)
    alone = applied(values, identity, mask=active.structure)
    nothing = reduce(Vector.empty(found.size, found.dtype, like=found), gather.add)
    return update(applied(alone.cast(found.dtype), first, left=nothing), found)


def _check(
    graph: Matrix, gather: Semiring, start: Vector, limit: int | None, changed_only: bool
) -> None:
    check_graph("gas.run", graph)
    if not isinstance(gather, Semiring):
        raise InvalidArgument(f"gas.run: gather={shown(gather)} is not a Semiring")
    if not isinstance(start, Vector):
        raise InvalidArgument(f"gas.run: start={shown(start)} is not a Vector")
    if start.size != graph.nrows:
        raise SizeMismatch(f"gas.run: start has size {start.size}, the graph {graph.nrows} vertices")
    if limit is not None:
        check_whole("gas.run", "limit", limit, 1)
    if changed_only and not gather.typed(graph.dtype, start.dtype).add.is_idempotent:
        raise InvalidArgument(
            f"gas.run: changed_only needs a sum in which a term may come twice, not {gather.add.name!r}"
        )
