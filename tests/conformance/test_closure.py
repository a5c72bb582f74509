"""Closures on every backend: as the reference has them, as SciPy and NetworkX do, and what is refused."""

import math
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse.csgraph
from hypothesis import given
from hypothesis import strategies as st

import anypair
from anypair import (
    ANYTHING,
    MAX,
    MIN,
    Matrix,
    Semiring,
    Vector,
    apply,
    binary_op,
    closure,
    ewise_add,
    monoid,
    position,
    same,
    semiring,
)
from anypair.errors import (
    AnypairError,
    BackendMismatch,
    ImprovingCycle,
    InvalidArgument,
    InvalidValue,
    ResultOverflow,
    SizeMismatch,
    UnsupportedDType,
)
from anypair.semiring import (
    any_pair,
    lor_land,
    max_min,
    max_plus,
    max_times,
    min_first,
    min_max,
    min_plus,
    min_select,
    min_source,
    minimum,
    plus,
)
from tests.conformance.cases import move
from tests.support.covering import FULL
from tests.support.strategies import CHOSEN, DTYPES, matrices, values, vectors


@monoid(identity=MAX, terminal=MIN, selects="min")
def least(x: Any, y: Any) -> Any:
    return x if x < y else y


@monoid(identity=MIN, terminal=MAX, selects="max")
def greatest(x: Any, y: Any) -> Any:
    return x if x > y else y


@monoid(identity=0, terminal=ANYTHING)
def whichever(x: Any, y: Any) -> Any:
    return x


@binary_op
def along(edge: Any, length: Any) -> Any:
    return length + edge


@binary_op
def both(edge: Any, chance: Any) -> Any:
    return edge * chance


@binary_op
def narrower(edge: Any, width: Any) -> Any:
    return width if width < edge else edge


@binary_op
def handed_on(edge: Any, value: Any) -> Any:
    return value


@binary_op(positional=True)
def came_from(edge: Any, value: Any, k: Any) -> Any:
    return k


@binary_op
def there(edge: Any, value: Any) -> Any:
    return True


#: Semirings of the catalogue, and twins of them as a user writes them.
TWINS = {
    "min_plus": Semiring(least, along),
    "max_plus": Semiring(greatest, along),
    "max_times": Semiring(greatest, both),
    "max_min": Semiring(greatest, narrower),
    "min_select": Semiring(least, handed_on),
    "max_select": Semiring(greatest, handed_on),
    "min_source": Semiring(least, came_from),
    "any_pair": Semiring(whichever, there),
}
CLOSED = [*TWINS, "min_max", "min_first", "lor_land", "land_lor", "min_times"]
#: Few, as each semiring is compiled for each; all of them in a full run.
KINDS = (
    DTYPES if CHOSEN or FULL else [np.dtype(x) for x in ("bool", "int8", "int64", "uint64", "float32")]
)
NAN, INF = math.nan, math.inf


def outcome(u: Vector, a: Matrix, over: Semiring, backend: Any, **closing: Any) -> Any:
    """Dtype and entries to the bit, or the error with its message."""
    try:
        found = closure(move(u, backend), move(a, backend), over, **closing)
    except AnypairError as error:
        return type(error).__name__, str(error)
    indices, numbers = found.to_entries()
    return found.dtype, indices.tolist(), numbers.tolist(), numbers.tobytes().hex()


@st.composite
def graphs(draw: Any, dtype: Any, n: int, **limits: bool) -> Matrix:
    """A directed graph, or one that has the reverse of each edge."""
    a = draw(matrices((n, n), dtype, **limits))
    return ewise_add(a, a.T, minimum) if draw(st.booleans()) else a


@pytest.mark.parametrize("name", CLOSED)
@given(data=st.data())
def test_a_closure_is_that_of_the_reference(backend: str, name: str, data: st.DataObject) -> None:
    """Answers and refusals: improving cycles, values that a dtype cannot hold, dtypes that do not fit."""
    edge, n = data.draw(st.sampled_from(KINDS)), data.draw(st.integers(0, 7))
    value = data.draw(st.sampled_from(KINDS)) if FULL else data.draw(st.sampled_from([edge, KINDS[-1]]))
    ends = data.draw(st.integers(0, 4)) == 0
    a, u = data.draw(graphs(edge, n, ends=ends)), data.draw(vectors(n, value, ends=ends))
    over = getattr(semiring, name)
    assert outcome(u, a, over, backend) == outcome(u, a, over, "reference")


@pytest.mark.parametrize("name", TWINS)
@given(data=st.data())
def test_a_users_twin_has_the_same_closure(backend: str, name: str, data: st.DataObject) -> None:
    dtype, n = data.draw(st.sampled_from(["int64", "float64"])), data.draw(st.integers(0, 6))
    a, u = (
        data.draw(graphs(np.dtype(dtype), n, ends=False)),
        data.draw(vectors(n, np.dtype(dtype), ends=False)),
    )
    if name == "any_pair":
        a, u = a.cast(bool), u.cast(bool)
    if name == "min_source":
        u = u.cast(int)
    found, expected = (
        outcome(u, a, TWINS[name], backend),
        outcome(u, a, getattr(semiring, name), "reference"),
    )
    assert found == expected or found[0] == expected[0] in ("ImprovingCycle", "InvalidValue")


@pytest.mark.parametrize("name", ["min_plus", "max_times", "max_min", "min_select"])
@given(data=st.data())
def test_floats_with_infinities_and_nan(backend: str, name: str, data: st.DataObject) -> None:
    dtype, n = np.dtype(data.draw(st.sampled_from(["float32", "float64"]))), data.draw(st.integers(0, 5))
    a, u = data.draw(graphs(dtype, n, specials=True)), data.draw(vectors(n, dtype, specials=True))
    over = getattr(semiring, name)
    assert outcome(u, a, over, backend) == outcome(u, a, over, "reference")


@given(data=st.data())
def test_the_equation_holds(backend: str, data: st.DataObject) -> None:
    """x = u + xA, and no smaller x does: what x is made of comes from u along edges."""
    n = data.draw(st.integers(1, 7))
    a, u = data.draw(graphs(np.dtype(float), n)), data.draw(vectors(n, np.dtype(float)))
    a, u = apply(move(a, backend), semiring.absolute), move(u, backend)
    x = closure(u, a, min_plus)
    assert same(x, ewise_add(u, anypair.vxm(x, a, min_plus), minimum))
    lengths = scipy.sparse.csgraph.dijkstra(dense(a))
    start = u.to_numpy(missing=INF)
    expected = (start[:, None] + lengths).min(axis=0)
    assert x.to_numpy(missing=INF) == pytest.approx(expected)


def dense(a: Matrix) -> Any:
    """As csgraph reads it, with zeros as edges."""
    return scipy.sparse.csgraph.csgraph_from_dense(a.to_numpy(missing=INF), null_value=INF)


@given(data=st.data())
def test_lengths_are_those_of_scipy_with_negative_edges_too(backend: str, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 7))
    a = data.draw(matrices((n, n), np.dtype(float)))
    shift = data.draw(st.sampled_from([0.0, 60.0, 100.0]))
    a = apply(a, plus, right=shift)
    u = Vector.from_entries([0], [0.0], size=n, backend=backend)
    try:
        expected = scipy.sparse.csgraph.bellman_ford(dense(a), indices=0)
    except scipy.sparse.csgraph.NegativeCycleError:
        expected = None
    try:
        found = closure(u, a.to(backend), min_plus).to_numpy(missing=INF)
    except ImprovingCycle as error:
        assert expected is None
        weights = a.to_numpy(missing=INF)
        around = zip(error.cycle, (*error.cycle[1:], error.cycle[0]), strict=True)
        assert sum(weights[edge] for edge in around) < 0
    else:
        # SciPy looks for negative cycles anywhere, not only where the source leads to
        assert expected is None or found == pytest.approx(expected)


@given(data=st.data())
def test_components_and_ancestors(backend: str, data: st.DataObject) -> None:
    """Over min_select, a graph with all reverses gives components, and any other the least ancestor."""
    n = data.draw(st.integers(1, 9))
    a = data.draw(matrices((n, n), np.dtype(bool)))
    numbers = apply(Vector.full(n, 0, backend=backend), position)
    both_ways = ewise_add(a, a.T, minimum)
    count, labels = scipy.sparse.csgraph.connected_components(both_ways.to_numpy(missing=0) != 0)
    found = closure(numbers, both_ways.cast(int).to(backend), min_select).to_numpy(missing=-1)
    filled = apply(both_ways, semiring.one)
    count, labels = scipy.sparse.csgraph.connected_components(filled.to_numpy(missing=0))
    assert len(set(found)) == count
    assert found.tolist() == [int(np.flatnonzero(labels == label)[0]) for label in labels]
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(zip(*(axis.tolist() for axis in a.to_entries()[:2]), strict=True))
    found = closure(numbers, a.to(backend), min_select).to_numpy(missing=-1)
    assert found.tolist() == [min({v, *nx.ancestors(graph, v)}) for v in range(n)]


@given(data=st.data())
def test_sums_of_components_in_which_some_or_no_vertex_has_a_value(
    backend: str, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, 8))
    a = data.draw(matrices((n, n), np.dtype("int8")))
    both_ways = ewise_add(a, a.T, minimum)
    u = data.draw(vectors(n, np.dtype("float32"), specials=False))
    graph = nx.Graph(list(zip(*(axis.tolist() for axis in a.to_entries()[:2]), strict=True)))
    graph.add_nodes_from(range(n))
    given = u.to_dict()
    expected = {}
    for component in nx.connected_components(graph):
        there = [given[v] for v in component if v in given]
        expected |= dict.fromkeys(component, max(there)) if there else {}
    found = closure(u.to(backend), both_ways.to(backend), semiring.max_select)
    assert found.to_dict() == expected
    assert found.dtype == np.float32


def test_reachability_widest_and_most_reliable_paths(backend: str) -> None:
    graph = Matrix.from_edges([0, 0, 1, 2, 4], [1, 2, 3, 3, 4], [0.5, 0.9, 0.8, 0.5, 1.0])
    start = Vector.from_entries([0], [1.0], size=5)
    assert closure(start, graph, max_times).to_dict() == {0: 1.0, 1: 0.5, 2: 0.9, 3: 0.45}
    assert closure(Vector.from_entries([0], [INF], size=5), graph, max_min).to_dict() == {
        0: INF, 1: 0.5, 2: 0.9, 3: 0.5,
    }  # fmt: skip
    reached = closure(start.cast(bool), graph.cast(bool), lor_land)
    assert reached.to_dict() == dict.fromkeys(range(4), True)
    assert same(closure(start.cast(bool), graph, any_pair), reached)
    assert closure(start, graph, min_max).to_dict() == {0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0}


def test_source_gives_the_smallest_reached_neighbour_and_no_tree(backend: str) -> None:
    ring = Matrix.from_edges([5, 0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5])
    found = closure(Vector.from_entries([5], [5], size=6), ring, min_source)
    assert found.to_dict() == {0: 5, 1: 0, 2: 1, 3: 2, 4: 3, 5: 4}  # the root too, in the last round
    short = closure(Vector.from_entries([5], [5], size=6, dtype="int8"), ring, min_source)
    assert short.dtype == np.int64


def test_the_last_round_may_improve_what_depends_on_no_value(backend: str) -> None:
    ring = Matrix.from_edges([0, 1, 2], [1, 2, 0], [5, 4, 3])
    assert closure(Vector.from_entries([0], [9], size=3), ring, min_first).to_dict() == {
        0: 3,
        1: 5,
        2: 4,
    }


# Without vertices, edges or values


@pytest.mark.parametrize("name", ["min_plus", "min_select", "any_pair", "max_min"])
def test_small_ones(backend: str, name: str) -> None:
    over = getattr(semiring, name)
    dtype = bool if name == "any_pair" else float
    nothing = closure(Vector.empty(0, dtype), Matrix.empty((0, 0), dtype), over)
    assert (nothing.size, nothing.nvals) == (0, 0)
    assert (
        closure(
            Vector.empty(3, dtype), Matrix.from_edges([0], [1], [True], n=3, dtype=dtype), over
        ).nvals
        == 0
    )
    u = Vector.from_entries([1], [1], size=3, dtype=dtype)
    assert same(closure(u, Matrix.empty((3, 3), dtype), over), u)
    loop = Matrix.from_edges([0], [0], [1], dtype=dtype)
    assert closure(Vector.from_entries([0], [1], size=1, dtype=dtype), loop, over).to_dict() == {0: 1}


def test_more_vertices_than_a_vector_could_hold(backend: str) -> None:
    if backend not in ("reference", "suitesparse"):
        pytest.skip("keeps something for each vertex")
    n = 2**31
    graph = Matrix.from_entries([5, n - 1], [n - 1, 5], [-1, 1], shape=(n, n))
    start = Vector.from_entries([5, 8], [3, 2], size=n)
    assert closure(start, graph, min_plus).to_dict() == {5: 3, 8: 2, n - 1: 2}
    assert closure(start, graph, min_select).to_dict() == {5: 3, 8: 2, n - 1: 3}
    with pytest.raises(ImprovingCycle, match=f"5 -> {n - 1} -> 5"):
        closure(start, apply(graph, semiring.absolute), max_plus)


# Dtypes


@pytest.mark.parametrize(
    ("over", "edges", "values", "result"),
    [
        (min_plus, "int8", "int8", "int8"),
        (min_plus, "bool", "bool", "int64"),
        (min_plus, "int64", "int8", "int64"),
        (min_plus, "float32", "int8", "float32"),
        (min_plus, "float32", "int64", "float64"),
        (min_plus, "uint8", "int8", "int16"),
        (min_select, "float64", "uint8", "uint8"),
        (min_first, "int32", "int8", "int32"),
        (min_source, "float64", "bool", "int64"),
        (lor_land, "float64", "bool", "bool"),
        (max_min, "uint64", "uint64", "uint64"),
    ],
)
def test_the_least_dtype_that_holds_all(
    backend: str, over: Semiring, edges: str, values: str, result: str
) -> None:
    graph = Matrix.from_edges([0], [1], [1], dtype=edges)
    found = closure(Vector.from_entries([0], [1], size=2, dtype=values), graph, over)
    assert found.dtype == result
    assert found.nvals == 2


@pytest.mark.parametrize(
    ("over", "edges", "values", "remedy"),
    [
        (lor_land, "bool", "int64", "bool"),
        (any_pair, "bool", "float32", "bool"),
        (min_source, "bool", "float64", "int64"),
        (min_source, "bool", "uint64", "int64"),
        (min_first, "int8", "float64", "int8"),
    ],
)
def test_no_dtype_holds_all(backend: str, over: Semiring, edges: str, values: str, remedy: str) -> None:
    graph = Matrix.from_edges([0], [1], [1], dtype=edges)
    u = Vector.from_entries([0], [1], size=2, dtype=values)
    with pytest.raises(UnsupportedDType, match=f'closure: u has dtype {values}.*u.cast."{remedy}"'):
        closure(u, graph, over)
    assert closure(u.cast(remedy), graph, over).dtype == remedy


# Integers


def test_integers_do_not_wrap_on_the_way(backend: str) -> None:
    """100 + 100 is no int8, but the way around is shorter in the end."""
    graph = Matrix.from_edges([0, 0, 2, 1], [1, 2, 1, 3], [100, 1, 1, 100], dtype="int8")
    found = closure(Vector.from_entries([0], [0], size=4, dtype="int8"), graph, min_plus)
    assert found.dtype == np.int8
    assert found.to_dict() == {0: 0, 1: 2, 2: 1, 3: 102}


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32"])
def test_a_length_that_its_dtype_cannot_hold_is_refused(backend: str, dtype: str) -> None:
    most = int(np.iinfo(dtype).max)
    graph = Matrix.from_edges([0, 1], [1, 2], [most, 1], dtype=dtype)
    start = Vector.from_entries([0], [0], size=3, dtype=dtype)
    with pytest.raises(ResultOverflow, match=f"closure: the value at 2 is beyond what {dtype} holds"):
        closure(start, graph, min_plus)
    assert closure(start.cast(int), graph, min_plus).to_dict() == {0: 0, 1: most, 2: most + 1}


def test_a_length_below_what_its_dtype_holds(backend: str) -> None:
    graph = Matrix.from_edges([0, 1], [1, 2], [-100, -100], dtype="int8")
    with pytest.raises(ResultOverflow, match="value at 2 is beyond what int8 holds"):
        closure(Vector.from_entries([0], [0], size=3, dtype="int8"), graph, min_plus)


@pytest.mark.parametrize(("dtype", "most"), [("int64", 2**63 - 1), ("uint64", 2**64 - 1)])
def test_integers_of_64_bits_that_would_wrap_are_refused(backend: str, dtype: str, most: int) -> None:
    graph = Matrix.from_edges([0, 1], [1, 2], [most, 1], dtype=dtype)
    start = Vector.from_entries([0], [0], size=3, dtype=dtype)
    message = f"closure: min_plus of {most} at 1 and 1 on the edge to 2 is {most + 1}, which {dtype}"
    with pytest.raises(ResultOverflow, match=message):
        closure(start, graph, min_plus)
    assert closure(start, Matrix.from_edges([0], [1], [most], n=3, dtype=dtype), min_plus).to_dict() == {
        0: 0, 1: most,
    }  # fmt: skip
    assert closure(start, graph, max_min).to_dict() == {0: 0, 1: 0, 2: 0}


def test_numbers_near_the_end_that_are_not_added_are_not_refused(backend: str) -> None:
    most = 2**63 - 1
    graph = Matrix.from_edges([0, 1], [1, 2], [most, most])
    assert closure(Vector.from_entries([0], [most], size=3), graph, max_min).to_dict() == dict.fromkeys(
        range(3), most
    )
    assert closure(
        Vector.from_entries([0], [most], size=3), graph, min_select
    ).to_dict() == dict.fromkeys(range(3), most)


def test_lengths_beyond_half_the_bytes(backend: str) -> None:
    """Sums that fit int32 may be computed there; these do not, and are found in no edge or in no value."""
    heavy = Matrix.from_edges([0, 1], [1, 2], [2**31 - 1, 1], dtype="int32")
    found = closure(Vector.from_entries([0], [0], size=3), heavy, min_plus)
    assert found.dtype == np.int64
    assert found.to_dict() == {0: 0, 1: 2**31 - 1, 2: 2**31}
    free = Matrix.from_edges([0, 1], [1, 2], [0, 0], dtype="int32")
    for value in (2**40, -(2**40)):
        found = closure(Vector.from_entries([0], [value], size=3), free, min_plus)
        assert found.to_dict() == dict.fromkeys(range(3), value)
    most = 2**31 - 1
    assert closure(Vector.from_entries([0], [most], size=3), free, min_plus).to_dict() == dict.fromkeys(
        range(3), most
    )


# Floats


def test_zero_has_one_sign(backend: str) -> None:
    graph = Matrix.from_edges([0, 0], [1, 2], [-0.0, 1.0])
    for over in (min_plus, min_select, max_min, max_plus):
        numbers = closure(Vector.from_entries([0], [-0.0], size=3), graph, over).to_entries()[1]
        assert not np.signbit(numbers[numbers == 0]).any()
    alone = closure(Vector.from_entries([0], [-0.0], size=1), Matrix.empty((1, 1)), min_plus)
    assert not np.signbit(alone.to_entries()[1]).any()


def test_nan_is_refused(backend: str) -> None:
    graph = Matrix.from_edges([0, 1], [1, 2], [1.0, NAN])
    start = Vector.from_entries([0], [0.0], size=3)
    with pytest.raises(InvalidValue, match="closure: A holds NaN"):
        closure(start, graph, min_plus)
    with pytest.raises(InvalidValue, match="closure: u is NaN at 2"):
        closure(Vector.from_entries([0, 2], [INF, NAN], size=3), graph, min_select)
    assert closure(start, graph, min_select).nvals == 3  # edges that nobody reads


@pytest.mark.parametrize(
    ("over", "edges", "value"),
    [(min_plus, [INF, -INF], 0.0), (min_plus, [-INF, 1.0], INF), (max_times, [0.0, 1.0], INF)],
)
def test_products_that_are_nan_are_refused(
    backend: str, over: Semiring, edges: list[float], value: float
) -> None:
    graph = Matrix.from_edges([0, 1], [1, 2], edges)
    with pytest.raises(InvalidValue, match=f"closure: {over.name} of an edge of .* NaN|a value is NaN"):
        closure(Vector.from_entries([0], [value], size=3), graph, over)


def test_nan_that_a_sum_passes_over_is_refused_too(backend: str) -> None:
    """The edge of infinity offers NaN to a vertex that has another offer."""
    graph = Matrix.from_edges([0, 1, 0], [1, 2, 2], [-INF, INF, 1.0])
    with pytest.raises(
        InvalidValue, match=r"closure: min_plus of an edge of -?inf and a value of -?inf is NaN"
    ):
        closure(Vector.from_entries([0], [0.0], size=3), graph, min_plus)


def test_nan_that_an_operator_makes_of_numbers(backend: str) -> None:
    @binary_op(monotone=True)
    def no_two(edge: Any, value: Any) -> Any:
        return math.nan if value == 2.0 else edge + value

    graph = Matrix.from_edges([0, 1, 2, 0], [1, 2, 3, 4], [1.0, 1.0, 1.0, 9.0])
    with pytest.raises(InvalidValue, match="closure: a value is NaN at 3"):
        closure(Vector.from_entries([0], [0.0], size=5), graph, Semiring(semiring.min_monoid, no_two))


def test_infinite_weights_are_roads_that_lead_nowhere(backend: str) -> None:
    graph = Matrix.from_edges([0, 1], [1, 2], [INF, 1.0])
    assert closure(Vector.from_entries([0], [0.0], size=3), graph, min_plus).to_dict() == {
        0: 0.0,
        1: INF,
        2: INF,
    }


def test_what_grows_beyond_all_floats_is_refused(backend: str) -> None:
    """A cycle that makes it infinite, which nothing improves, before as many rounds are over as are allowed."""
    path = [*range(2, 12)]
    loop = Matrix.from_edges([0, 1, *path], [1, 0, *path[1:], 12], 1e100)
    with pytest.raises(ResultOverflow, match=r"closure: max_times.*float64.*for ever"):
        closure(Vector.from_entries([0], [1.0], size=13), loop, max_times)
    down = Matrix.from_edges([0, 1], [1, 2], [-1e308, -1e308])
    with pytest.raises(ResultOverflow, match="closure: min_plus"):
        closure(Vector.from_entries([0], [0.0], size=3), down, min_plus)
    assert closure(Vector.from_entries([0], [0.0], size=3), down, max_plus).to_dict()[2] == -INF
    start = Vector.from_entries([0], [-INF], size=3)
    assert closure(start, down, min_plus).to_dict() == {0: -INF, 1: -INF, 2: -INF}


# Cycles


def test_a_cycle_that_improves_is_named(backend: str) -> None:
    graph = Matrix.from_edges([0, 1, 2, 3, 1], [1, 2, 3, 1, 4], [1, 2, -4, 1, 7])
    with pytest.raises(
        ImprovingCycle, match="min_plus improve for ever along the cycle 1 -> 2 -> 3 -> 1"
    ) as found:
        closure(Vector.from_entries([0], [0], size=5), graph, min_plus)
    assert found.value.cycle == (1, 2, 3)
    with pytest.raises(ImprovingCycle):
        closure(Vector.from_entries([0], [0], size=5), apply(graph, semiring.absolute), max_plus)
    assert closure(Vector.from_entries([4], [0], size=5), graph, min_plus).to_dict() == {4: 0}


def test_a_loop_that_improves(backend: str) -> None:
    with pytest.raises(ImprovingCycle, match="cycle 0 -> 0") as found:
        closure(Vector.from_entries([0], [1.0], size=1), Matrix.from_edges([0], [0], [2.0]), max_times)
    assert found.value.cycle == (0,)


def test_a_long_cycle_is_not_listed_in_full(backend: str) -> None:
    ring = Matrix.from_edges(range(40), [*range(1, 40), 0], -1)
    with pytest.raises(ImprovingCycle, match=r"0 -> 1 -> .* -> \.\.\. -> .* -> 39 -> 0") as found:
        closure(Vector.from_entries([3], [0], size=40), ring, min_plus)
    assert found.value.cycle == tuple(range(40))
    assert len(str(found.value)) < 200


def test_a_cycle_that_improves_once_is_refused_in_the_last_round(backend: str) -> None:
    """The least of all edges on the way: what comes around is better, but no more the second time."""
    least_edge = Semiring(semiring.min_monoid, minimum)
    loop = Matrix.from_edges([0], [0], [1])
    with pytest.raises(
        ImprovingCycle, match="min_min improve along cycles, for more rounds than a path"
    ) as found:
        closure(Vector.from_entries([0], [5], size=1), loop, least_edge)
    assert found.value.cycle == ()
    path = Matrix.from_edges([0, 1], [1, 2], [4, 7])
    assert closure(Vector.from_entries([0], [5], size=3), path, least_edge).to_dict() == {
        0: 5,
        1: 4,
        2: 4,
    }


def test_a_longest_path_without_cycles(backend: str) -> None:
    """Every edge of a path of n vertices, the last improvement in round n - 1."""
    graph = Matrix.from_edges([*range(6), 0], [*range(1, 7), 6], [1] * 6 + [2])
    assert closure(Vector.from_entries([0], [0], size=7), graph, max_plus).to_dict() == {
        v: v for v in range(7)
    }


# Semirings without a closure


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plus_times", "the sum 'plus' of 1 and 1 is 2"),
        ("plus_min", "the sum 'plus' of 1 and 1 is 2"),
        ("plus_pair", "the sum 'plus' of 1 and 1 is 2"),
        ("xor_land", "the sum 'xor' of True and True is False"),
        ("xor_pair", "the sum 'xor'"),
        ("eq_lor", "the sum 'eq' of False and False is True"),
        (
            "any_second",
            "'any' takes any of the products, and those of 'second' are not known to be all alike",
        ),
        ("any_first", "'any' takes any of the products"),
        ("any_source", "'any' takes any of the products, and those of 'source'"),
    ],
)
def test_semirings_of_the_catalogue_without_a_closure(backend: str, name: str, message: str) -> None:
    for dtype in (bool, int):
        graph = Matrix.from_edges([0], [1], [1], dtype=dtype)
        with pytest.raises(InvalidArgument, match=f"closure: {name}: {message}"):
            closure(Vector.from_entries([0], [1], size=2, dtype=dtype), graph, getattr(semiring, name))


def test_facts_that_are_not_known(backend: str) -> None:
    @monoid(identity=MAX)
    def least_by_sorting(x: Any, y: Any) -> Any:
        return x - max(x - y, 0)

    @binary_op
    def steps(edge: Any, value: Any) -> Any:
        total = value
        for _ in range(3):
            total = total + edge
        return total

    @binary_op
    def falling(edge: Any, value: Any) -> Any:
        return edge - value

    graph, start = Matrix.from_edges([0], [1], [1]), Vector.from_entries([0], [0], size=2)
    with pytest.raises(
        InvalidArgument,
        match=r"'least_by_sorting' is not known to select .* declare @monoid.*selects=.min.*anypair.check",
    ):
        closure(start, graph, Semiring(least_by_sorting, plus))
    with pytest.raises(
        InvalidArgument,
        match=r"multiply 'steps' is not known to be monotone .* declare @binary_op.monotone=True.*anypair.check",
    ):
        closure(start, graph, Semiring(semiring.min_monoid, steps))
    declared = Semiring(semiring.min_monoid, steps.declaring(monotone=True))
    assert closure(start, graph, declared).to_dict() == {0: 0, 1: 3}
    with pytest.raises(InvalidArgument, match="multiply 'falling' is not monotone"):
        closure(start, graph, Semiring(semiring.min_monoid, falling))


def test_edges_for_which_the_multiply_is_not_monotone(backend: str) -> None:
    start = Vector.from_entries([0], [1.0], size=2)
    with pytest.raises(
        InvalidValue, match=r"'times' is known to be monotone for edges from 0 on.* from -1.0 to -1.0"
    ):
        closure(start, Matrix.from_edges([0], [1], [-1.0]), max_times)
    assert closure(start, Matrix.from_edges([0], [1], [2.0]), max_times).to_dict() == {0: 1.0, 1: 2.0}


# Arguments


def test_arguments(backend: str) -> None:
    square, u = Matrix.from_edges([0], [1], [1]), Vector.from_entries([0], [0], size=2)
    wrong: list[tuple[type[AnypairError], str, tuple[Any, ...], dict[str, Any]]] = [
        (SizeMismatch, "closure: A is 2x3", (u, Matrix.empty((2, 3), int), min_plus), {}),
        (
            SizeMismatch,
            "closure: A is 2x2 and u has size 3",
            (Vector.empty(3, int), square, min_plus),
            {},
        ),
        (InvalidArgument, "closure: u has to be a Vector", (square, square, min_plus), {}),
        (InvalidArgument, "closure: A has to be a Matrix", (u, u, min_plus), {}),
        (InvalidArgument, "closure: .* is not a semiring", (u, square, plus), {}),
        (InvalidArgument, "closure: accum= needs out=", (u, square, min_plus), {"accum": plus}),
        (
            SizeMismatch,
            "closure: out is of size 3",
            (u, square, min_plus),
            {"out": Vector.empty(3, int)},
        ),
    ]
    for error, message, arguments, closing in wrong:
        with pytest.raises(error, match=message):
            closure(*arguments, **closing)
    other = "scipy" if backend == "reference" else "reference"
    with pytest.raises(BackendMismatch, match="closure"):
        closure(u, square.to(other), min_plus)


def test_out_may_be_an_operand_and_stays_as_it_is_after_an_error(backend: str) -> None:
    graph = Matrix.from_edges([0, 1, 2], [1, 2, 3], [2, 3, -9], n=4)
    u = Vector.from_entries([0, 3], [0, 1], size=4)
    result = closure(u, graph, min_plus, out=u, mask=u.structure)
    assert result is u
    assert u.to_dict() == {0: 0, 3: -4}
    closure(u, graph, min_plus, out=u, accum=plus)
    assert u.to_dict() == {0: 0, 1: 2, 2: 5, 3: -8}
    closed = Matrix.from_edges([0, 1], [1, 0], [-1, 0], n=4)
    with pytest.raises(ImprovingCycle):
        closure(u, closed, min_plus, out=u)
    assert u.to_dict() == {0: 0, 1: 2, 2: 5, 3: -8}
    closure(
        u, graph, min_plus, out=u, mask=~Vector.from_entries([0], [1], size=4).structure, replace=True
    )
    assert u.to_dict() == {1: 2, 2: 5, 3: -8}


@given(numbers=st.lists(values(np.dtype("float64"), specials=True), min_size=1, max_size=5))
def test_u_is_left_alone(backend: str, numbers: list[float]) -> None:
    u = Vector.from_entries(range(len(numbers)), numbers, len(numbers))
    before = u.to_entries()[1].tobytes()
    graph = Matrix.from_edges(range(len(numbers)), [0] * len(numbers), 1.0, n=len(numbers))
    if np.isnan(numbers).any():
        with pytest.raises(InvalidValue):
            closure(u, graph, min_plus)
    else:
        closure(u, graph, min_plus)
    assert u.to_entries()[1].tobytes() == before
