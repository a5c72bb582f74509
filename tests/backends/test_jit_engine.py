"""What is particular to the backend `jit`: threads, directions, formats, indices, memory."""

import subprocess
import sys
import threading
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypair
from anypair import Matrix, Semiring, Vector, assign, binary_op, mxm, mxv, reduce, same, update, vxm
from anypair.algorithms import bellman_ford, bfs_levels, bfs_parents, pagerank, triangle_count
from anypair.backends.base import StructuralMask
from anypair.backends.jit import building, elementwise, matrix_products, products, storage
from anypair.backends.jit.kernels import plain_kernels
from anypair.backends.plan import Plan
from anypair.dtypes import index_dtype
from anypair.errors import UnknownOption
from anypair.graph500 import kronecker_edges
from anypair.semiring import (
    any_monoid,
    any_pair,
    any_source,
    max_plus,
    min_plus,
    min_source,
    plus_monoid,
    plus_times,
)
from tests.support.compare import entries
from tests.support.cutting import cut_all_work, tune

SCALE = 7


@pytest.fixture
def work_is_never_small(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_all_work(monkeypatch)


def directed(backend: Any) -> Matrix:
    """A directed graph with weights that round when they are added."""
    sources, targets = kronecker_edges(SCALE, edgefactor=6)
    weights = 1 / (1 + (3 * sources + targets) % 17)
    return Matrix.from_edges(
        sources, targets, weights, n=1 << SCALE, duplicates=plus_monoid, backend=backend
    )


def answers(graph: Matrix) -> list[Any]:
    """Results of products and algorithms that touch every kernel."""
    backend = graph.backend
    source = int(graph.to_entries()[0][0])
    ones = Vector.full(graph.nrows, 1.0, backend=backend)
    sparse = Vector.from_entries(range(0, graph.nrows, 3), 0.1, graph.nrows, backend=backend)
    both_ways = anypair.ewise_add(graph, graph.T, anypair.semiring.plus)
    handles = [
        bfs_parents(graph, source),
        bfs_levels(graph, source),
        bellman_ford(graph, source),
        pagerank(graph),
        mxv(graph, ones, plus_times),
        vxm(sparse, graph, plus_times),
        vxm(sparse, graph, max_plus, mask=~ones.structure),
        mxm(graph, graph, plus_times),
        mxm(graph, graph, plus_times, mask=graph.structure),
        mxm(graph, graph, any_pair, mask=~graph.structure),
        graph.T,
        reduce(graph, plus_monoid, by="columns"),
        both_ways,
        anypair.ewise_mult(graph, graph.T, anypair.semiring.minus),
        anypair.select(graph, anypair.semiring.gt, right=0.2),
    ]
    numbers = [reduce(graph, plus_monoid), triangle_count(both_ways)]
    return [*(entries(handle) for handle in handles), *numbers]


@pytest.mark.usefixtures("work_is_never_small")
def test_answers_do_not_depend_on_threads_or_direction() -> None:
    """Bit for bit, floats included."""
    expected = None
    for number in (1, 2, 5):
        for direction in ("auto", "push", "pull"):
            with anypair.using("jit", threads=number, direction=direction) as backend:
                found = answers(directed(backend))
            expected = found if expected is None else expected
            assert found == expected, (number, direction)


@pytest.mark.parametrize("emptier", [0, 10**9], ids=["always hashed", "never hashed"])
def test_products_of_matrices_with_either_accumulator(
    monkeypatch: pytest.MonkeyPatch, emptier: int
) -> None:
    expected = answers(directed("jit"))
    monkeypatch.setattr(matrix_products, "HASHED_IF_EMPTIER", emptier)
    assert answers(directed("jit")) == expected


@pytest.mark.usefixtures("work_is_never_small")
@pytest.mark.parametrize("number", [1, 2, 5])
def test_building_with_threads(number: int) -> None:
    sources, targets = kronecker_edges(6)
    weights = np.arange(len(sources))
    with anypair.using("jit", threads=number):
        for symmetric in (False, True):
            for self_loops in (False, True):
                given: Any = {"symmetric": symmetric, "self_loops": self_loops, "n": 64}
                plain = Matrix.from_edges(sources, targets, **given)
                expected = Matrix.from_edges(sources, targets, **given, backend="reference")
                assert entries(plain) == entries(expected)
                for duplicates in ("first", "second", "minus", "plus"):
                    given["duplicates"] = getattr(anypair.semiring, duplicates)
                    weighted = Matrix.from_edges(sources, targets, weights, **given)
                    expected = Matrix.from_edges(sources, targets, weights, **given, backend="reference")
                    assert entries(weighted) == entries(expected)


@pytest.mark.usefixtures("work_is_never_small")
@pytest.mark.parametrize("number", [1, 2, 5])
def test_building_from_keys_wider_than_indices(number: int) -> None:
    """Row and column of an entry together have more than 32 bits, each of them fewer."""
    random = np.random.default_rng(number)
    rows, cols = random.integers(0, 1 << 20, (2, 300))
    rows, cols = np.tile(rows, 2), np.tile(cols, 2)
    weights = random.integers(0, 1000, 600)
    with anypair.using("jit", threads=number):
        for values in (weights, 7):
            given: Any = {"shape": (1 << 20, 1 << 20), "duplicates": anypair.semiring.minus}
            built = Matrix.from_entries(rows, cols, values, **given)
            expected = Matrix.from_entries(rows, cols, values, **given, backend="reference")
            assert built.storage.indices.dtype == np.dtype(np.uint32)
            assert entries(built) == entries(expected)
        ones = Matrix.from_entries(rows, cols, 1, **(given | {"duplicates": anypair.semiring.first}))
        assert ones.nvals == len(set(zip(rows.tolist(), cols.tolist(), strict=True)))


@pytest.mark.usefixtures("work_is_never_small")
@pytest.mark.parametrize("weighted", [False, True])
@given(data=st.data())
def test_extracting_rows_and_columns_by_number(weighted: bool, data: Any) -> None:
    """All, some in any order, or some more than once."""
    shape = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    i, j = np.nonzero(random.random(shape) < 0.7)
    values = random.integers(0, 100, len(i)) if weighted else 7
    lists = [
        data.draw(
            st.none() | st.permutations(range(n)) | st.lists(st.integers(0, n - 1), max_size=n + 2)
        )
        for n in shape
    ]
    found = []
    for backend, options in (("reference", {}), ("jit", {"threads": 3})):
        with anypair.using(backend, **options):
            found.append(entries(anypair.extract(Matrix.from_entries(i, j, values, shape), *lists)))
    assert found[0] == found[1]


@pytest.mark.parametrize("entries", [0, 10**3, 10**9])
@pytest.mark.parametrize("shape", [(1 << 40, 1 << 40), (1 << 20, 1 << 62), (4, 1 << 63), (0, 5), (5, 0)])
def test_keys_fit_into_64_bits(entries: int, shape: tuple[int, int]) -> None:
    layout = building.Layout.of(entries, shape, 1 << 16)
    assert layout.shift + layout.width <= 8 * layout.key_dtype.itemsize
    assert layout.blocks << layout.shift >= shape[0]
    bits, digits = layout.digits
    assert bits * digits >= layout.shift + layout.width


def test_answers_with_64_bit_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = answers(directed("jit"))
    storage.all_indices.cache_clear()
    for module in (storage, building, elementwise, matrix_products, products):
        if hasattr(module, "index_dtype"):
            monkeypatch.setattr(module, "index_dtype", lambda bound: np.dtype(np.int64))
    monkeypatch.setattr("anypair.backends.jit.backend.index_dtype", lambda bound: np.dtype(np.int64))
    monkeypatch.setattr("anypair.backends.jit.workspace.index_dtype", lambda bound: np.dtype(np.int64))
    with anypair.using("jit", threads=1) as backend:
        backend.workspace.forget()  # type: ignore[attr-defined]
        graph = directed(backend)
        assert graph.storage.indices.dtype == np.dtype(np.int64)
        assert answers(graph) == expected
        backend.workspace.forget()  # type: ignore[attr-defined]
    storage.all_indices.cache_clear()


def test_indices_have_32_bits_while_they_suffice() -> None:
    assert index_dtype(2**32 - 1) == np.dtype(np.uint32)
    assert index_dtype(2**32) == np.dtype(np.int64)


def test_an_unweighted_graph_stores_no_values() -> None:
    sources, targets = kronecker_edges(10, edgefactor=32)
    graph = Matrix.from_edges(sources, targets, n=1 << 10, symmetric=True, backend="jit")
    assert graph.nbytes <= 4.5 * graph.nvals + 8 * graph.nrows
    assert graph.T is graph
    assert mxv(graph, Vector.full(graph.nrows, 1, backend="jit"), plus_times).nvals
    assert graph.nbytes <= 4.5 * graph.nvals + 8 * graph.nrows
    assert bfs_parents(graph, int(sources[0])).nvals
    assert "row_prefix" in vars(graph.storage)
    assert graph.nbytes <= 4.5 * graph.nvals + 8 * graph.nrows
    assert graph.cast(np.int64).nbytes <= 4.5 * graph.nvals + 8 * graph.nrows
    assert graph.by_degree().graph.nbytes <= 4.5 * graph.nvals + 8 * graph.nrows


def test_vectors_change_their_format_with_their_density() -> None:
    with anypair.using("jit"):
        v = Vector.from_entries([5], [5], size=1000)
        assert v.storage.format == "list"
        update(v, Vector.from_entries([700], [1], size=1000))
        assert v.storage.format == "list"
        update(v, Vector.from_entries(range(100, 200), 2, size=1000))
        assert v.storage.format == "bitmap"
        assert v.nvals == 102
        assign(v, 7)
        assert v.storage.format == "full"
        assert set(v.to_dict().values()) == {7}


def test_writing_in_place_leaves_others_alone() -> None:
    with anypair.using("jit"):
        v = Vector.from_entries(range(50), range(50), size=64)
        copy, applied = v.copy(), anypair.apply(v, anypair.semiring.identity)
        mask = v.structure
        for _ in range(2):
            update(v, Vector.from_entries([60, 3], [1, -1], size=64))
            assert (copy.nvals, applied.nvals, v.nvals) == (50, 50, 51)
            assert (copy.get(3), v.get(3)) == (3, -1)
        assert assign(Vector.empty(64, int), 1, mask=mask).nvals == 51


@pytest.mark.parametrize("places", [[], [7], [5, 60, 3], range(50), range(64)])
def test_indices_of_entries_are_nobody_elses(places: Any) -> None:
    """They are those of the list, and their bitmap is that of the vector, as long as neither is written to."""
    with anypair.using("jit"):
        v = Vector.from_entries(places, np.full(len(places), -1), size=64)
        assert len(v.storage.words) == 1  # so that it is at hand
        ids = anypair.apply(v, anypair.position)
        expected = {place: place for place in sorted(places)}
        assert ids.to_dict() == expected
        update(v, Vector.from_entries([62], [9], size=64))
        assert ids.to_dict() == expected
        update(ids, Vector.from_entries([61], [8], size=64))
        assert v.to_dict() == {**dict.fromkeys(places, -1), 62: 9}
        assert ids.to_dict() == expected | {61: 8}


@pytest.mark.usefixtures("work_is_never_small")
def test_memory_of_a_result_is_used_again_only_when_nobody_holds_it() -> None:
    with anypair.using("jit", direction="pull"):
        graph = Matrix.from_edges(np.arange(99), np.arange(1, 100))
        ones = Vector.full(100, 1)
        held = [vxm(ones, graph, any_source) for _ in range(4)]
        assert len({id(v.storage.by_place) for v in held}) == 4
        expected = held[0].to_dict()
        address = id(held.pop().storage.by_place)
        again = vxm(ones, graph, any_source)
        assert id(again.storage.by_place) == address
        update(again, Vector.full(100, -1))
        assert all(v.to_dict() == expected for v in held)


def test_one_value_for_a_bitmap_is_spread_out_before_a_write_in_place() -> None:
    with anypair.using("jit", direction="pull"):
        graph = Matrix.from_edges(np.arange(99), np.arange(1, 100))
        reached = vxm(Vector.full(100, 1), graph, any_pair)
        sevens = anypair.apply(reached, anypair.semiring.first, left=7)
        assert sevens.storage.format == "bitmap"
        update(sevens, Vector.from_entries([0, 50], [1, 2], 100))
        assert sevens.to_dict() == {0: 1, **dict.fromkeys(range(1, 100), 7), 50: 2}
        assert reached.nvals == 99


@pytest.mark.parametrize(("hubs_first", "expected"), [(True, "pull"), (False, "push")])
def test_a_sample_of_rows_settles_the_direction(
    monkeypatch: pytest.MonkeyPatch, hubs_first: bool, expected: str
) -> None:
    """Two hubs with edges to all: rows that begin with them have a hit at once, others at their end."""
    tune(monkeypatch, sampled_from=0)
    n = 2000
    hubs, others = np.array([0, 1]), np.arange(2, n)
    sources = np.concatenate([np.repeat(hubs, n - 2), *5 * [others]])
    targets = np.concatenate([others, others, *((others + k) % (n - 2) + 2 for k in range(5, 10))])
    number = np.arange(n) if hubs_first else n - 1 - np.arange(n)
    with anypair.using("jit", threads=1):
        graph = Matrix.from_edges(number[sources], number[targets], n=n, symmetric=True)
        frontier = Vector.from_entries(number[hubs], 1, n)
        with anypair.trace() as trace:
            found = vxm(frontier, graph, min_source, mask=~frontier.structure)
    assert trace.records[0].direction == expected
    assert set(found.to_dict().values()) == {min(number[hubs])}
    assert found.nvals == n - 2


@pytest.mark.parametrize("forced", ["push", "pull"])
def test_a_forced_direction_is_not_asked_for(monkeypatch: pytest.MonkeyPatch, forced: str) -> None:
    """Nor is anything counted that only a choice depends on."""
    monkeypatch.setattr(Plan, "direction", None)
    for question in ("open_rows", "covers", "longest", "probes"):
        monkeypatch.setattr(products.VectorProduct, question, None)
    with anypair.using("jit", direction=forced):
        graph = directed(None)
        some = Vector.from_entries(range(0, 1 << SCALE, 3), 1, 1 << SCALE)
        with anypair.trace() as trace:
            found = vxm(some, graph, any_pair, mask=~some.structure)
    assert trace.records[0].direction == forced
    on_reference = some.to("reference")
    expected = vxm(on_reference, graph.to("reference"), any_pair, mask=~on_reference.structure)
    assert found.to_dict() == expected.to_dict()


@given(data=st.data())
def test_a_sample_of_all_rows_is_exact(data: Any) -> None:
    """One row in each word, so that none stands for another."""
    rows, cols = 5, data.draw(st.integers(1, 100))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    i, j = np.nonzero(random.random((rows, cols)) < data.draw(st.floats(0, 1)))
    there = random.choice(cols, data.draw(st.integers(0, cols)), replace=False)
    masked = 64 * random.choice(rows, data.draw(st.integers(0, rows)), replace=False)
    with anypair.using("jit", threads=1) as backend:
        graph = Matrix.from_entries(64 * i, j, 1, (64 * rows, cols)).storage
        u = Vector.from_entries(there, 1, cols)
        mask = StructuralMask(Vector.from_entries(masked, 1, 64 * rows).storage, complemented=True)
        typed = any_pair.typed(graph.dtype, u.dtype)
        product = backend._product(u.storage, None, graph, typed, mask)  # type: ignore[attr-defined]
        product.pull()
        assert product.probes() == product.edges_looked_at()


@pytest.mark.parametrize("options", [{"direction": "sideways"}, {"threads": -1}, {"threads": "two"}])
def test_bad_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UnknownOption, match=next(iter(options))), anypair.using("jit", **options):
        pass


def test_threads_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYPAIR_THREADS", "3")
    assert Vector.empty(1, backend="jit").backend.team.size == 3  # type: ignore[attr-defined]


def test_a_kernel_that_raises_leaves_no_marks_behind() -> None:
    @anypair.binary_op(result=np.int64)
    def fragile(edge: Any, value: Any) -> Any:
        return 1 // value

    broken = anypair.Semiring(plus_monoid, fragile)
    with anypair.using("jit", direction="push"):
        graph = Matrix.from_edges([0, 1, 2], [1, 2, 3], [1, 1, 1])
        with pytest.raises(anypair.AnypairError, match="fragile"):
            vxm(Vector.from_entries([0, 1], [1, 0], size=4), graph, broken)
        assert vxm(Vector.from_entries([2], [1], size=4), graph, min_plus).to_dict() == {3: 2}


@binary_op
def both_read(edge: Any, value: Any) -> Any:
    """Reads both operands, so that a wrong place of either shows."""
    return 100 * edge + value


FIRST_HITS = [any_pair, min_source, any_source, Semiring(any_monoid, both_read)]


@pytest.mark.parametrize("prefix_from", [0, 10**9], ids=["with row prefixes", "rows alone"])
@pytest.mark.parametrize(
    "semiring", FIRST_HITS, ids=["any_pair", "min_source", "any_source", "both read"]
)
@given(data=st.data())
def test_a_pull_that_stops_at_the_first_hit(semiring: Semiring, prefix_from: int, data: Any) -> None:
    """Rows shorter than, as long as and longer than what is kept of them, hits anywhere or nowhere."""
    rows, cols = data.draw(st.integers(1, 130)), data.draw(st.integers(1, 40))
    lengths = data.draw(st.lists(st.integers(0, min(cols, 7)), min_size=rows, max_size=rows))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    i = np.repeat(np.arange(rows), lengths)
    j = np.concatenate([random.choice(cols, length, replace=False) for length in lengths])
    there = random.choice(cols, data.draw(st.integers(0, cols)), replace=False)
    masked = random.choice(rows, data.draw(st.integers(0, rows)), replace=False)
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        tune(patch, row_prefix_from=prefix_from)
        for name, options in {"reference": {}, "jit": {"direction": "pull", "threads": 1}}.items():
            with anypair.using(name, **options):
                graph = Matrix.from_entries(i, j, i * 7 + j, (rows, cols))
                u, mask = (
                    Vector.from_entries(there, there + 3, cols),
                    Vector.from_entries(masked, 1, rows),
                )
                found[name] = mxv(graph, u, semiring, mask=~mask.structure).to_dict()
    assert found["jit"].keys() == found["reference"].keys()
    if semiring in (any_pair, min_source):
        assert found["jit"] == found["reference"]
        return
    edges = {(a, b) for a, b in zip(i.tolist(), j.tolist(), strict=True) if b in there}
    product = (
        (lambda a, b: 100 * (7 * a + b) + b + 3) if semiring is FIRST_HITS[-1] else (lambda a, b: b)
    )
    for a, value in found["jit"].items():
        assert value in {product(a, b) for k, b in edges if k == a}


@binary_op(result=np.int64)
def by_edge(edge: Any, value: Any) -> Any:
    """Raises for an edge of weight 0."""
    return 1000 // edge + value


@binary_op(result=np.int64)
def by_value(edge: Any, value: Any) -> Any:
    """Raises for a value of 0."""
    return 1000 // value


@anypair.binary_op
def careful_sum(x: Any, y: Any) -> Any:
    """Raises for what no sum can be."""
    if x < 0:
        raise ValueError("negative")
    return x + y


@pytest.mark.parametrize(
    "semiring",
    [
        plus_times,
        min_plus,
        max_plus,
        Semiring(plus_monoid, both_read),
        Semiring(anypair.Monoid(careful_sum, identity=0), both_read),
    ],
    ids=["plus_times", "min_plus", "max_plus", "user's product", "user's sum"],
)
@pytest.mark.usefixtures("work_is_never_small")
@given(data=st.data())
def test_a_push_of_many_edges(semiring: Semiring, data: Any) -> None:
    """So many that each place is written to without a test, blocked or not, with what was there before."""
    rows, cols = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 130))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    i, j = np.nonzero(random.random((rows, cols)) < data.draw(st.floats(0.2, 1)))
    weights = np.round(random.random(len(i)), 3) + 0.001
    there = random.choice(rows, data.draw(st.integers(0, rows)), replace=False)
    masked = random.choice(cols, data.draw(st.integers(0, cols // 2)), replace=False)
    complemented, threads = data.draw(st.booleans()), data.draw(st.sampled_from([1, 3]))
    found = {}
    for name, options in {"reference": {}, "jit": {"direction": "push", "threads": threads}}.items():
        with anypair.using(name, **options):
            graph = Matrix.from_entries(i, j, weights, (rows, cols))
            u = Vector.from_entries(there, there / 7, rows)
            mask = Vector.from_entries(masked, 1, cols).structure
            product = vxm(u, graph, semiring, mask=~mask if complemented else mask)
            found[name] = product.to_dict()
            update(product, Vector.from_entries([0], [5.0], cols))
            vxm(u, graph, max_plus)
            found[name + " kept"] = product.to_dict()
    assert found["jit"] == found["reference"]
    assert found["jit kept"] == found["reference kept"]


def test_an_operator_that_raises_only_where_it_is_not_asked() -> None:
    n = 64
    i, j = np.nonzero(np.ones((n, n)))
    weights = np.where(j == 5, 0, 1 + i)
    found = {}
    for name, options in {"reference": {}, "jit": {"direction": "push"}}.items():
        with anypair.using(name, **options):
            graph, ones = Matrix.from_entries(i, j, weights, (n, n)), Vector.full(n, 1)
            five = Vector.from_entries([5], [1], n).structure
            wanted = vxm(ones, graph, Semiring(plus_monoid, by_edge), mask=~five)
            found[name] = wanted.to_dict()
            with pytest.raises(anypair.AnypairError, match="by_edge"):
                vxm(ones, graph, Semiring(plus_monoid, by_edge))
            assert vxm(ones, graph, plus_times, mask=five).to_dict() == {5: 0}
    assert found["jit"] == found["reference"]


def test_an_operator_that_raises_for_values_that_are_not_there() -> None:
    n = 64
    i, j = np.nonzero(np.ones((n, n)))
    first = Semiring(any_monoid, by_value)
    with anypair.using("jit", direction="pull"):
        graph = Matrix.from_entries(i, j, i, (n, n))
        words, dense = np.full(1, 0b100, np.uint64), np.zeros(n, np.int64)
        dense[2] = 10
        kept = storage.JitVector(n, None, None, words, dense, 1)
        u = Vector((n,), kept.dtype, kept, graph.backend)
        assert n >= graph.backend.tuning.row_prefix_from
        assert mxv(graph, u, first).to_dict() == dict.fromkeys(range(n), 100)
        dense[2] = 0
        with pytest.raises(anypair.AnypairError, match="by_value"):
            mxv(graph, u, first)


def test_an_operator_sees_values_of_entries_only() -> None:
    n = 64
    i, j = np.nonzero(np.ones((n, n)))
    with anypair.using("jit", direction="pull"):
        graph = Matrix.from_entries(i, j, 1, (n, n))
        dense = np.full(n, 2**62)
        dense[60:] = 7
        kept = storage.JitVector(n, None, None, np.full(1, 0b1111 << 60, np.uint64), dense, 4)
        u = Vector((n,), kept.dtype, kept, graph.backend)
        seen = np.zeros(n, np.int64)
        with mock.patch.object(graph.backend.workspace, "get", return_value=seen):  # type: ignore[attr-defined]
            assert mxv(graph, u, Semiring(any_monoid, both_read)).nvals == n
            assert set(seen) == {107}
            missing = Matrix.from_entries(i[j < 30], j[j < 30], 1, (n, n))
            assert missing.nvals >= graph.backend.tuning.row_prefix_from * n
            assert mxv(missing, u, Semiring(any_monoid, both_read)).nvals == 0
            assert set(seen) == {107}  # dropped, and of an entry all the same


ENDLESS = """
import numpy as np
import anypair
from anypair import Matrix, Semiring, Vector, monoid, vxm
from anypair.semiring import second

@monoid(identity=0)
def divisor(x, y):
    while x != y:  # never ends for 0, of which fresh memory is full
        if x > y:
            x -= y
        else:
            y -= x
    return x

n = 1 << 12
i = np.repeat(np.arange(n), 40)
with anypair.using("jit", direction="push"):
    graph = Matrix.from_entries(i, (i + np.tile(np.arange(40), n)) % n, 1, (n, n))
    print(vxm(Vector.full(n, 6), graph, Semiring(divisor, second)).nvals)
"""


def test_a_monoid_that_loops_for_ever_on_what_is_no_sum() -> None:
    done = subprocess.run([sys.executable, "-c", ENDLESS], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("4096\n", "")


def test_a_push_that_is_interrupted_leaves_no_marks_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 64
    i, j = np.nonzero(np.ones((n, n)))
    with anypair.using("jit", direction="push"):
        graph = Matrix.from_entries(i, j, 1, (n, n))
        few = Matrix.from_entries([0], [1], [1], (n, n))
        for semiring, collecting in ((plus_times, "collect_flags"), (any_source, "collect_words")):
            with monkeypatch.context() as patch:
                patch.setattr(
                    plain_kernels("structure"), collecting, mock.Mock(side_effect=KeyboardInterrupt)
                )
                with pytest.raises(KeyboardInterrupt):
                    vxm(Vector.full(n, 1), graph, semiring)
            assert vxm(Vector.full(n, 1), few, semiring).nvals == 1


def test_threads_that_read_one_vector() -> None:
    n = 1 << 14
    places = np.arange(0, n, 3)
    words = np.zeros(n // 64, np.uint64)
    plain_kernels("structure").mark(places, words)
    dense = np.arange(n)
    expected = places.tolist(), places.tolist()
    start = threading.Barrier(4)
    found: list[Any] = []

    def read(x: storage.JitVector) -> None:
        start.wait(30)
        found.append(tuple(column.tolist() for column in x.sorted_list()))

    for turn in range(40):
        if turn % 2:
            shared = storage.JitVector(n, None, None, words, dense, len(places))
        else:
            shared = storage.JitVector(n, None, None, None, dense, len(places), places=places)
        threads = [threading.Thread(target=read, args=(shared,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert len(found) == 160
    assert all(each == expected for each in found)


def test_an_operator_over_a_bitmap_sees_entries_only() -> None:
    with anypair.using("jit", direction="pull"):
        graph = Matrix.from_edges(np.arange(0, 99, 2), np.arange(1, 100, 2))
        reached = vxm(Vector.full(100, 1), graph, any_source)
        assert reached.storage.format == "bitmap"
        doubled = anypair.apply(reached, anypair.position)
        assert doubled.storage.format == "bitmap"
        assert doubled.to_dict() == {k: k for k in range(1, 100, 2)}
        update(doubled, Vector.from_entries([1, 2], [-1, -2], 100))
        assert reached.to_dict() == {k: k - 1 for k in range(1, 100, 2)}


@pytest.mark.usefixtures("work_is_never_small")
@pytest.mark.parametrize(
    "semiring",
    [plus_times, min_plus, min_source, any_pair, Semiring(plus_monoid, both_read)],
    ids=["plus_times", "min_plus", "min_source", "any_pair", "user's"],
)
@given(data=st.data())
def test_products_with_a_diagonal(semiring: Semiring, data: Any) -> None:
    """On either side, with gaps, and with one entry that is not on it."""
    n, m = data.draw(st.integers(1, 70)), data.draw(st.integers(1, 70))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    i, j = np.nonzero(random.random((n, m)) < 0.3)
    left = random.choice(n, data.draw(st.integers(0, n)), replace=False)
    right = random.choice(m, data.draw(st.integers(0, m)), replace=False)
    off = data.draw(st.booleans()) and len(left) and n > 1
    columns = left.copy()
    if off:
        columns[0] = (columns[0] + 1) % n
    found = {}
    for name in ("reference", "jit"):
        with anypair.using(name):
            a = Matrix.from_entries(i, j, i * 7 + j / 4, (n, m))
            d = Matrix.from_entries(left, columns, left + 0.5, (n, n))
            e = anypair.diag(Vector.from_entries(right, right - 2, m))
            scaled = mxm(mxm(d, a, semiring), e, semiring)
            update(scaled, scaled)
            found[name] = [entries(scaled), entries(mxm(d, d, semiring)), entries(a), scaled.shape]
    assert found["jit"] == found["reference"]


@binary_op
def _seven(edge: Any, value: Any) -> Any:
    return 7


@pytest.mark.parametrize("direction", ["auto", "push", "pull"])
@pytest.mark.parametrize("scale", [6, 13])
def test_a_product_of_one_value_stores_it_once(direction: str, scale: int) -> None:
    sources, targets = kronecker_edges(scale)
    n, constant = 1 << scale, Semiring(any_monoid, _seven)
    reached = np.arange(0, n, 3)
    found = {}
    for backend in ("scipy", "jit"):
        options = {"direction": direction, "threads": 2} if backend == "jit" else {}
        with anypair.using(backend, **options):
            graph = Matrix.from_edges(sources, targets, n=n, symmetric=True)
            frontier = Vector.from_entries(np.arange(1, n, 5), 1.5, n)
            seen = Vector.from_entries(reached, 0, n)
            found[backend] = vxm(frontier, graph, constant, mask=~seen.structure)
    assert same(found["jit"].to("scipy"), found["scipy"])
    assert found["jit"].dtype == np.int64
    assert set(found["jit"].to_entries()[1]) == {7}
    assert found["jit"].nbytes <= 4 * n + n // 8 + 64  # places, bits, and one value
    with anypair.using("jit", direction=direction):
        copy = found["jit"].copy()
        update(copy, Vector.from_entries([0], [3], n, backend=copy.backend))
        assert copy.get(0) == 3
        assert set(found["jit"].to_entries()[1]) == {7}
