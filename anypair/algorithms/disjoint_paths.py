"""Shortest paths that have no edge in common."""

from typing import Any

from anypair import (
    Matrix,
    Semiring,
    Vector,
    apply,
    binary_op,
    ewise_add,
    extract,
    position,
    scatter,
    select,
    update,
    vxm,
)
from anypair.semiring import lt, min_monoid, minimum, ne


@binary_op(result=int)
def if_room(room: Any, vertex: Any) -> Any:
    """The vertex that asks, if the edge has room; else a number beyond all vertices."""
    return vertex if room > 0 else 9223372036854775807


min_if_room = Semiring(min_monoid, if_room)


def disjoint_paths(room: Matrix, source: int, target: int) -> tuple[Vector, Vector, Vector] | None:
    """Shortest paths along edges whose value is above 0, one below each neighbour of the source.

    The parent of each vertex on them but the source, the ends, from which an edge leads to the target,
    and the tree of each vertex, named by the neighbour; None if there is no path.

    >>> square = Matrix.from_edges([0, 0, 1, 2], [1, 2, 3, 3], 1)
    >>> [x.to_dict() for x in disjoint_paths(square, 0, 3)]
    [{1: 0, 2: 0}, {1: 1, 2: 2}, {0: 0, 1: 1, 2: 2}]
    """
    n, numbers = room.nrows, Vector.range(room.nrows, like=room)
    parents = Vector.from_entries([source, target], source, n, like=room)
    frontier = branches = Vector.from_entries([source], source, n, like=room)
    outlets = (extract(room, None, target) > 0).true
    while not (last := frontier.where(outlets)).nvals:
        found = select(vxm(frontier, room, min_if_room, mask=~parents.structure), lt, right=2**63 - 1)
        if not found.nvals:
            return None
        update(parents, found)
        frontier = apply(found, position)
        branches = ewise_add(branches, frontier if branches.nvals == 1 else branches[found], minimum)
    ends = scatter(last, branches, n, minimum)  # of each tree
    walkers = ends = numbers.where(scatter(ends, ends, n, minimum).structure)
    on = Vector.empty(n, int, like=room)
    while walkers.nvals:
        update(on, walkers)
        above = parents.where(walkers.structure)
        walkers = scatter(above, above, n, minimum).where(~on.structure)
    on = branches.where(on.structure)
    off_source = select(numbers.where(on.structure), ne, right=source)
    return parents.where(off_source.structure), ends, on
