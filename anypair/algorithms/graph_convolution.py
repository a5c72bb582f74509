"""Message passing: a layer of a graph-convolution network."""

from typing import Any

from anypair import Matrix, Vector, apply, diag, reduce, unary_op
from anypair.algorithms.checks import check_equal_reverses, check_matrix, check_undirected, check_weights
from anypair.errors import SizeMismatch
from anypair.semiring import plus, plus_times

HEAVY = 2.0**200  # leaves room for sums of numbers divided by it


@unary_op(result=float)
def one_by_root(x: Any) -> Any:
    """The reciprocal of the square root."""
    return x**-0.5


def graph_convolution(graph: Matrix, features: Matrix, weights: Matrix | None = None) -> Matrix:
    """What a layer makes of the features of each vertex: D^-1/2 (A + I) D^-1/2 X W.

    `features` X has a row for each vertex, `weights` W a row for each feature (none: the identity).
    Every vertex hears itself and its neighbours (Kipf and Welling 2017), and D has what the edges of
    each weigh with its loop of 1. What follows a layer is often `apply(h, maximum, right=0)`. A graph
    that does not have the reverse of each edge with the same weight is refused.

    >>> graph = Matrix.from_edges([0], [1], symmetric=True)
    >>> graph_convolution(graph, Matrix.from_numpy([[1.0, 3.0], [5.0, 3.0]])).to_numpy(0).round(3)
    array([[3., 3.],
           [3., 3.]])
    """
    check_undirected("graph_convolution", graph)
    check_weights("graph_convolution", graph, negative=False)
    check_equal_reverses("graph_convolution", graph)
    _check_rows("features", features, graph.nrows)
    if weights is not None:
        _check_rows("weights", weights, features.ncols)
    loops = Vector.full(graph.nrows, 1.0, like=graph)
    if graph.value_range[1] > HEAVY:  # loops as well as edges, which leaves the answer as it is
        graph, loops = graph / HEAVY, loops / HEAVY
    heard = graph.cast(float) + diag(loops)
    roots = apply(reduce(heard, plus, by="rows"), one_by_root)
    # (A + I) is the largest factor: whatever is narrower goes through it
    wide = weights is not None and weights.ncols > features.ncols
    messages = features if weights is None or wide else plus_times(features @ weights)
    sums: Matrix = plus_times(heard.scale(roots, roots) @ messages)
    return (plus_times(sums @ weights) if wide else sums).finish()


def _check_rows(argument: str, A: Matrix, rows: int) -> None:
    check_matrix("graph_convolution", A, argument)
    if A.nrows != rows:
        raise SizeMismatch(f"graph_convolution: {argument} have {A.nrows} rows, not {rows}")
