"""Records of fields in one word: packed, compared, added up and multiplied alike on every backend."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair import (
    MAX,
    Matrix,
    Record,
    Semiring,
    Vector,
    apply,
    check,
    closure,
    ewise_add,
    ewise_mult,
    mxm,
    mxv,
    record,
    reduce,
    select,
    update,
    vxm,
)
from anypair.errors import InvalidArgument, InvalidValue, LossyCast, OperatorError, SizeMismatch
from anypair.semiring import is_true, position
from tests.conformance.cases import move
from tests.support.compare import assert_same

shortest = record(distance="int32", count="uint32")
nearest = record(distance="int20", source="uint24")
KINDS = {
    "filled": shortest,
    "room": nearest,
    "three": record(a="int8", b="bool", c="int40"),
    "unsigned": record(a="uint63", b="bool"),
    "narrow": record(a="uint8", b="int3", c="uint1"),
    "floats": record(length="float32", place="uint32"),
    "below": record(place="uint31", here="bool", length="float32"),
    "bool": record(here=bool, other=np.int16),
}


@shortest.monoid(identity=(MAX, 0))
def shorter(x: Any, y: Any) -> Any:
    if x[0] == y[0]:
        return x[0], x[1] + y[1]
    return x if x[0] < y[0] else y


def step(edge: Any, x: Any) -> Any:
    return edge + x[0], x[1]


counting = shortest.semiring(shorter, step)
finding = nearest.semiring(nearest.min_monoid, step)


def values_of(kind: Record, draw: Any) -> tuple[Any, ...]:
    """A value for each field, ends among them."""
    return tuple(
        draw(st.floats(width=32, allow_nan=False))
        if field.letter == "f"
        else draw(st.booleans())
        if field.letter == "b"
        else draw(
            st.sampled_from([field.least, field.greatest]) | st.integers(field.least, field.greatest)
        )
        for field in kind.fields
    )


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
def test_words_are_in_the_order_of_records(name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    x, y = values_of(kind, data.draw), values_of(kind, data.draw)
    a, b = kind.word(*x), kind.word(*y)
    assert -(2**63) <= a < 2**63
    assert kind.value(a) == x
    assert ((a < b), (a == b)) == ((x < y), (x == y))


@pytest.mark.parametrize("name", ["filled", "unsigned", "floats"])
@pytest.mark.parametrize("kind", [np.uint8, np.uint64, np.int64, np.float32])
def test_numbers_of_numpy_are_those_of_python(name: str, kind: Any) -> None:
    """Of which 1 - 2 may be a large number."""
    if kind is np.float32 and name != "floats":
        kind = np.int8
    r, second = KINDS[name], True if name == "unsigned" else 3
    assert r.word(kind(1), second) == r.word(1, second)
    packed = r.pack(kind(1), Vector.full(1, second, backend="reference"))
    assert r.to_dict(packed) == {0: (1, second)}


@pytest.mark.parametrize("name", KINDS)
def test_ends_of_int64_are_ends_of_fields(name: str) -> None:
    """What a sum of nothing is, and where it stops."""
    kind = KINDS[name]
    assert kind.value(2**63 - 1) == tuple(field.greatest for field in kind.fields)
    assert kind.value(-(2**63)) == tuple(field.least for field in kind.fields)


def test_floats_in_words() -> None:
    kind = KINDS["floats"]
    for number in (0.0, 1.5, -1e-45, 3.4028234663852886e38, math.inf, -math.inf, 1e-310, 0.1):
        with np.errstate(under="ignore"):
            assert kind.value(kind.word(number, 7)) == (float(np.float32(number)), 7)
    assert kind.value(kind.word(1e39, 0))[0] == math.inf
    assert math.isnan(kind.value(kind.word(math.nan, 0))[0])
    assert kind.word(math.nan, 0) > kind.word(math.inf, 2**32 - 1)
    assert kind.word(-0.0, 3) == kind.word(0.0, 3)


@pytest.mark.parametrize("name", KINDS)
def test_packing_and_taking_out(backend: str, name: str) -> None:
    kind = KINDS[name]
    columns: list[Any] = []
    for field in kind.fields:
        ends = [-1.5, math.inf, 0.1] if field.letter == "f" else [field.least, field.greatest, 1]
        columns.append(Vector.from_entries([0, 2, 3], np.array(ends, field.dtype), size=5))
    x = kind.pack(*columns)
    assert x.dtype == np.int64
    assert kind.to_dict(x) == dict(
        zip((0, 2, 3), zip(*(list(c.to_dict().values()) for c in columns), strict=True), strict=True)
    )
    for field, column, found in zip(kind.fields, columns, kind.unpack(x), strict=True):
        assert_same(found, column)
        assert_same(kind.field(x, field.name), column)


def test_packing_of_numbers_of_matrices_and_of_gaps(backend: str) -> None:
    u, w = Vector.from_entries([0, 1], [5, 6], size=3), Vector.from_entries([1, 2], [7, 8], size=3)
    assert shortest.to_dict(shortest.pack(u, w)) == {1: (6, 7)}
    assert shortest.to_dict(shortest.pack(count=w, distance=-2)) == {1: (-2, 7), 2: (-2, 8)}
    assert shortest.to_dict(shortest.pack(distance=u.cast("uint8"), count=300)) == {
        0: (5, 300),
        1: (6, 300),
    }
    floats = KINDS["below"]
    lengths = Vector.from_entries([1], np.array([0.1], np.float32), size=3)
    packed = floats.pack(place=2**31 - 1, here=True, length=lengths)
    assert floats.to_dict(packed) == {1: (2**31 - 1, True, float(np.float32(0.1)))}
    A = Matrix.from_entries([0, 1], [2, 0], [4, 5], shape=(2, 3))
    assert list(shortest.field(shortest.pack(A, A), "count")) == [(0, 2, 4), (1, 0, 5)]
    empty = shortest.pack(Vector.empty(3, int), 1)
    assert (empty.nvals, empty.size, shortest.to_dict(empty)) == (0, 3, {})
    with pytest.raises(SizeMismatch):
        shortest.pack(u, Vector.full(2, 1))


def test_what_a_field_does_not_hold_is_refused(backend: str) -> None:
    u = Vector.from_entries([0, 1], [5, -1], size=3)
    for fields, told in (
        ({"distance": 0, "count": u}, "count=uint32 does not hold -1"),
        ({"distance": Vector.full(1, 2**31), "count": 1}, "distance=int32 does not hold 2147483648"),
        ({"distance": Vector.full(1, 2**63, dtype="uint64"), "count": 1}, "9223372036854775808"),
        ({"distance": u, "count": -1}, "count=uint32 does not hold -1"),
        ({"distance": u, "count": 0.5}, "count=uint32 does not hold 0.5"),
        ({"distance": u, "count": "1"}, "count=uint32 does not hold '1'"),
    ):
        with pytest.raises(InvalidValue, match=told):
            shortest.pack(**fields)
    with pytest.raises(LossyCast, match="float64"):
        shortest.pack(Vector.full(1, 0.5), 1)
    with pytest.raises(LossyCast, match="int64"):
        KINDS["bool"].pack(Vector.full(1, 2), 1)
    for fields in ({"distance": u}, {"distance": u, "count": 1, "more": 1}):
        with pytest.raises(InvalidArgument, match="each field"):
            shortest.pack(**fields)
    with pytest.raises(InvalidArgument, match="each field"):
        shortest.pack(u, distance=u)
    with pytest.raises(InvalidArgument, match="all fields are numbers"):
        shortest.pack(1, 2)
    with pytest.raises(InvalidArgument, match="no field 'size'"):
        shortest.field(u, "size")
    with pytest.raises(InvalidArgument, match="float64"):
        shortest.field(Vector.full(1, 0.5), "count")


def test_kinds_of_records_that_there_are_not() -> None:
    for fields, told in (
        ({"a": "int32"}, "1 fields"),
        ({"a": "int8", "b": "int8", "c": "int8", "d": "int8"}, "4 fields"),
        ({"a": "int32", "b": "int40"}, r"32 \+ 40 = 72 bits"),
        ({"a": "float64", "b": "bool"}, "a='float64'.*float32"),
        ({"a": "complex64", "b": "bool"}, "complex64"),
        ({"a": "int65", "b": "bool"}, "int65"),
        ({"a": None, "b": "bool"}, "None"),
    ):
        with pytest.raises(InvalidArgument, match=told):
            record(**fields)
    with pytest.raises(InvalidArgument, match="64 \\+ 1 = 65 bits"):
        record(a=int, b=bool)
    with pytest.raises(InvalidArgument, match="neither"):
        shortest.binary(step, left="edge")
    with pytest.raises(InvalidArgument, match="not a tuple of 2"):
        shortest.monoid(identity=0)
    with pytest.raises(InvalidArgument, match="not a function"):
        shortest.unary(3)


def samples() -> tuple[Matrix, Vector, Vector]:
    rng = np.random.default_rng(3)
    rows, cols = np.divmod(np.flatnonzero(rng.random(12 * 12) < 0.3), 12)
    graph = Matrix.from_entries(
        rows, cols, rng.integers(1, 4, len(rows)), shape=(12, 12), backend="reference"
    )
    u = shortest.pack(Vector.from_entries([0, 3, 7], [2, 0, 1], size=12, like=graph), 1)
    mask = Vector.from_entries([1, 2, 5, 8, 11], True, size=12, like=graph)
    return graph, u, mask


def test_products_sums_and_writes(backend: str) -> None:
    graph, u, mask = samples()
    A, v, m = (move(x, backend) for x in (graph, u, mask))
    for s in (counting, shortest.semiring(shortest.max_monoid, step)):
        assert_same(vxm(v, A, s), vxm(u, graph, s))
        assert_same(mxv(A, v, s, mask=m.structure), mxv(graph, u, s, mask=mask.structure))
        found = vxm(v, A, s, out=v.copy(), mask=~m.structure, accum=shorter, replace=True)
        expected = vxm(u, graph, s, out=u.copy(), mask=~mask.structure, accum=shorter, replace=True)
        assert_same(found, expected)
        records, moved = shortest.pack(graph, 1), shortest.pack(A, 1)
        assert_same(mxm(A, moved, s), mxm(graph, records, s))
        assert_same(mxm(A, moved, s, mask=A.structure), mxm(graph, records, s, mask=graph.structure))
    assert_same(reduce(moved, shorter, by="rows"), reduce(records, shorter, by="rows"))
    assert reduce(moved, shorter) == reduce(records, shorter)
    assert_same(
        ewise_add(v, vxm(v, A, counting), shorter), ewise_add(u, vxm(u, graph, counting), shorter)
    )


def test_a_sum_of_nothing(backend: str) -> None:
    nothing = shortest.pack(Vector.empty(3, int), 1)
    assert shortest.value(reduce(nothing, shorter)) == (2**31 - 1, 0)
    assert nearest.value(reduce(nothing, nearest.min_monoid)) == (2**19 - 1, 2**24 - 1)
    assert nearest.value(reduce(nothing, nearest.max_monoid)) == (-(2**19), 0)


def test_fields_wrap_around_as_dtypes_do(backend: str) -> None:
    longer = shortest.unary(lambda x: (x[0] + 1, x[1] - 1))
    x = shortest.pack(Vector.full(2, 2**31 - 1), 0)
    assert shortest.to_dict(apply(x, longer)) == {0: (-(2**31), 2**32 - 1), 1: (-(2**31), 2**32 - 1)}
    three = KINDS["three"]
    moved = three.unary(lambda x: (x[0] * 2, not x[1], x[2] * 2))
    y = three.pack(Vector.full(1, 100), False, 2**39 - 1)
    assert three.to_dict(apply(y, moved)) == {0: (-56, True, -2)}


def test_operators_of_records_and_numbers(backend: str) -> None:
    x = shortest.pack(Vector.from_numpy([4, 2, 9]), Vector.from_numpy([1, 5, 0]))
    same_count = shortest.binary(lambda x, y: x[1] == y[1], result=bool)
    assert ewise_mult(x, shortest.pack(Vector.full(3, 0), 5), same_count).to_dict() == {
        0: False, 1: True, 2: False
    }  # fmt: skip
    mean = shortest.unary(lambda x: x[0] / (x[1] + 1), result=float)
    assert apply(x, mean).to_dict() == {0: 2.0, 1: 2 / 6, 2: 9.0}
    many = shortest.unary(lambda x: x[1] > 0, result=bool)
    assert list(select(x, many).to_dict()) == [0, 1]
    scaled = shortest.binary(lambda x, factor: (x[0] * factor, x[1]), right="number")
    assert shortest.to_dict(apply(x, scaled, right=3))[2] == (27, 0)
    word = shortest.word(0, 100)
    added = shortest.binary(lambda x, y: (x[0] + y[0], x[1] + y[1]))
    assert shortest.to_dict(apply(x, added, right=word))[0] == (4, 101)


def test_the_least_of_products_and_where_it_is(backend: str) -> None:
    best = record(length="float32", place="uint32")
    far = best.binary(lambda x, y, k: (x * y, k), left="number", right="number", positional=True)
    A = Matrix.from_entries([0, 0, 1, 2], [0, 2, 1, 2], [4.0, 1.5, -1.0, 2.0], shape=(4, 3))
    u = Vector.from_numpy([1.0, 2.0, 2.0])
    found = mxv(A, u, Semiring(best.min_monoid, far))
    assert best.to_dict(found) == {0: (3.0, 2), 1: (-2.0, 1), 2: (4.0, 2)}


def test_counting_shortest_paths(backend: str) -> None:
    import networkx as nx

    graph = samples()[0]
    A = move(graph, backend)
    worse = shortest.binary(lambda x, y: x[0] > y[0], result=bool)
    best = shortest.pack(Vector.from_entries([0], [0], size=12, like=A), 1)
    frontier = best.copy()
    while frontier.nvals:
        offers = vxm(frontier, A, counting)
        longer = select(ewise_mult(offers, best, worse), is_true)
        frontier = offers.where(~longer.structure)
        ewise_add(best, frontier, shorter, out=best)
    oracle = nx.DiGraph()
    oracle.add_nodes_from(range(12))
    oracle.add_weighted_edges_from(list(graph))
    lengths = nx.single_source_dijkstra_path_length(oracle, 0)
    counts = {v: len(list(nx.all_shortest_paths(oracle, 0, v, weight="weight"))) for v in lengths}
    assert shortest.to_dict(best) == {v: (lengths[v], counts[v]) for v in sorted(lengths)}


def test_the_nearest_of_several_sources_is_a_closure(backend: str) -> None:
    roads = Matrix.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5], [4, 3, 2, 2, 9], symmetric=True)
    start = Vector.from_entries([0, 4], [0, 0], size=6)
    start = nearest.pack(distance=start, source=apply(start, position))
    with pytest.raises(InvalidArgument, match="not known to be monotone"):
        closure(start, roads, finding)
    rising = Semiring(finding.add, finding.multiply.declaring(monotone=True))
    found = closure(start, roads, rising)
    expected = {0: (0, 0), 1: (4, 0), 2: (4, 4), 3: (2, 4), 4: (0, 4), 5: (9, 4)}
    assert nearest.to_dict(found) == expected


def test_laws_facts_and_travels() -> None:
    check(shorter, dtype=np.int64)
    assert shortest.min_monoid.typed(np.dtype(np.int64)).selects == "min"
    for op in (counting, shorter, shortest.unary(lambda x: (x[1], x[0])), shortest):
        again = pickle.loads(pickle.dumps(op))
        assert repr(again) == repr(op)
    again = pickle.loads(pickle.dumps(counting.multiply))
    assert again(3, shortest.word(4, 5)) == shortest.word(7, 5)
    assert pickle.loads(pickle.dumps(shortest)) == shortest


def test_errors_name_the_operator(backend: str) -> None:
    x = shortest.pack(Vector.full(2, 7), 1)

    def halved(x: Any) -> Any:
        return x[0] / 2, x[1]

    with pytest.raises(OperatorError, match="halved"):
        apply(x, shortest.unary(halved)).to_entries()


def test_what_an_operator_captures_is_frozen(backend: str) -> None:
    rate = 2
    faster = shortest.unary(lambda x: (x[0] * rate, x[1]))
    rate = 3
    x = shortest.pack(Vector.full(1, 7), 1)
    assert shortest.to_dict(apply(x, faster)) == {0: (14, 1)}
    update(x, apply(x, faster))
    assert shortest.to_dict(x) == {0: (14, rate - 2)}
