"""One path, out of a tree of parents."""

from typing import Any, TypeAlias

import numpy as np

from anypair import Vector, closure, selection
from anypair.errors import IndexOutOfRange, InvalidArgument, InvalidValue
from anypair.semiring import min_plus

#: The numbers of some vertices, in an order.
Vertices: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]


def path_to(parents: Vector, target: int) -> Vertices:
    """The vertices along the path from the root to `target`, in order; none if it was not reached.

    `parents` is what `bfs_parents` or `shortest_path_parents` give. Along the edges from each
    vertex to its parent, the closure over min_plus counts how many steps before the target each
    vertex comes.

    >>> path_to(Vector.from_entries([0, 1, 2, 3], [0, 0, 1, 1], size=5), 3)
    array([0, 1, 3])
    """
    if not isinstance(parents, Vector) or parents.dtype.kind not in "iu":
        raise InvalidArgument(f"path_to: parents has to be a Vector of integers, not {parents!r}")
    if isinstance(target, bool) or not isinstance(target, int | np.integer):
        raise InvalidValue(f"path_to: target={target!r} is not a vertex number")
    if not 0 <= target < parents.size:
        raise IndexOutOfRange(
            f"path_to: target={target} is not a vertex; there are {parents.size}, from 0",
            value=int(target),
        )
    if parents.get(target) is None:
        return np.empty(0, np.int64)
    try:
        tree = selection(parents, parents.size)
    except IndexOutOfRange as error:
        raise error.reworded(
            f"path_to: parents hold {error.value} at {error.place}, which is not a vertex; "
            f"there are {parents.size}, from 0"
        ) from None
    start = Vector.from_entries([target], [0], parents.size, like=parents)
    vertices, steps = closure(start, tree, min_plus).to_entries()
    path: Vertices = vertices[np.argsort(-steps)]
    if parents.get(path[0]) != path[0]:
        raise InvalidValue(f"path_to: parents lead from {target} to no vertex that is its own parent")
    return path
