"""Names and signatures that programs outside rely on. They may grow by optional arguments, never change.

A pinned signature is written as Python writes it, without types.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np  # noqa: F401  of defaults
import pytest

import anypair
from anypair import Matrix, Record, Vector, algorithms, gas, generators, semiring
from anypair.semiring import times  # noqa: F401  a default

END = "*, out=None, mask=None, accum=None, replace=False"
FUNCTIONS = {
    "anypair.using": "name, **options",
    "anypair.trace": "",
    "anypair.default_backend": "",
    "anypair.mxv": f"A, u, semiring, {END}",
    "anypair.vxm": f"u, A, semiring, {END}",
    "anypair.mxm": f"A, B, semiring, {END}",
    "anypair.closure": f"u, A, semiring, {END}",
    "anypair.kron": f"A, B, op, {END}",
    "anypair.ewise_add": f"x, y, op, {END}",
    "anypair.ewise_mult": f"x, y, op, {END}",
    "anypair.ewise_all": f"op, *operands, {END[3:]}",
    "anypair.nary_op": "function=None, *, result=None",
    "anypair.apply": f"x, op, *, left=None, right=None, {END[3:]}",
    "anypair.select": f"x, op, *, left=None, right=None, {END[3:]}",
    "anypair.reduce": f"x, monoid, *, by=None, {END[3:]}",
    "anypair.extract": f"x, rows, columns=None, {END}",
    "anypair.assign": "out, value, rows=None, columns=None, *, mask=None, accum=None, replace=False",
    "anypair.transpose": f"A, {END}",
    "anypair.diag": f"x, {END}",
    "anypair.selection": f"indices, ncols, {END}",
    "anypair.update": "out, t",
    "anypair.same": "x, y",
    "anypair.union": "x, y, op, *, default",
    "anypair.scatter": "values, indices, size, monoid",
    "anypair.cumulate": "x, monoid",
    "anypair.order": "x, *, descending=False",
    "anypair.sort": "x, *, descending=False",
    "anypair.top": "x, k, *, smallest=False",
    "anypair.head": "x, k",
    "anypair.sample": "x, k, seed",
    "anypair.unique": "x",
    "anypair.record": "**fields",
    "Record.pack": "self, *values, **named",
    "Record.word": "self, *values, **named",
    "Record.value": "self, word",
    "Record.field": "self, x, name",
    "Record.unpack": "self, x",
    "Record.to_dict": "self, x",
    "Record.unary": "self, function, *, result=None",
    "Record.binary": ("self, function, *, left='record', right='record', result=None, positional=False"),
    "Record.monoid": "self, *, identity, terminal=None",
    "Record.semiring": "self, add, multiply",
    "gas.run": "graph, gather, apply, scatter, *, start, limit=None, changed_only=False",
    "anypair.binary_op": "function=None, *, result=None, positional=False",
    "anypair.check": "x, dtype=None",
    "anypair.unary_op": "function=None, *, result=None",
    "anypair.index_unary_op": "function=None, *, result=None",
    "anypair.monoid": "*, identity, terminal=None, result=None",
    "anypair.Semiring": "add, multiply",
    "anypair.Monoid": "op, identity, terminal=None",
    "Matrix.from_edges": (
        "sources, targets, weights=None, n=None, symmetric=False, *, self_loops=True, dtype=None, "
        "duplicates=None, distributed=False, backend=None"
    ),
    "Matrix.from_entries": "rows, cols, values, shape, *, dtype=None, duplicates=None, backend=None",
    "Matrix.from_edge_parts": (
        "parts, n=None, symmetric=False, *, self_loops=True, dtype=None, duplicates=None, backend=None"
    ),
    "Matrix.from_scipy": "A, *, backend=None",
    "Vector.from_entries": "indices, values, size, *, dtype=None, duplicates=None, backend=None",
    "Vector.range": "size, *, backend=None, like=None",
    "Vector.full": "size, value, dtype=None, *, backend=None, like=None",
    "Matrix.full": "shape, value, dtype=None, *, backend=None, like=None",
    "Matrix.identity": "n, value=True, dtype=None, *, backend=None, like=None",
    "Vector.random": "size, seed, dtype=np.float64, *, backend=None, like=None",
    "Vector.argmin": "self",
    "Vector.argmax": "self",
    "Matrix.argmin": "self, by",
    "Matrix.argmax": "self, by",
    "Matrix.scale": "self, rows=None, columns=None, op=times",
    "Matrix.where": "self, mask",
    "Vector.where": "self, mask",
    "Matrix.to_entries": "self",
    "Vector.to_entries": "self",
    "Matrix.to": "self, backend",
    "Vector.to": "self, backend",
    "algorithms.bfs_parents": "graph, source",
    "algorithms.bfs_levels": "graph, source",
    "algorithms.bellman_ford": "graph, source",
    "algorithms.delta_stepping": "graph, source, delta",
    "algorithms.shortest_path_parents": "graph, source, distances",
    "algorithms.pagerank": "graph, damping=0.85, tolerance=1e-06, limit=100",
    "algorithms.connected_components": "graph",
    "algorithms.triangle_count": "graph",
    "algorithms.maximal_independent_set": "graph, seed=1",
    "algorithms.colouring": "graph, seed=1",
    "algorithms.maximal_matching": "graph, seed=1",
    "algorithms.maximal_bipartite_matching": "A",
    "algorithms.minimum_spanning_forest": "graph",
    "algorithms.maximum_flow": "graph, source, target",
    "algorithms.random_walks": "graph, sources, length, seed=1",
    "algorithms.neighbourhood_sample": "graph, sources, sizes=(10, 5), seed=1",
    "algorithms.label_propagation": "graph, limit=100",
    "algorithms.peer_pressure": "graph, limit=100",
    "algorithms.louvain": "graph, resolution=1.0, seed=1",
    "algorithms.markov_clustering": "graph, inflation=2.0, smallest=0.0001, limit=100",
    "algorithms.modularity": "graph, communities, resolution=1.0",
    "algorithms.jaccard_similarity": "graph, pairs=None",
    "algorithms.cosine_similarity": "graph, pairs=None",
    "algorithms.graph_convolution": "graph, features, weights=None",
    "generators.kronecker": "scale, edgefactor=16, seed=1, **options",
    "generators.uniform": "n, edges, seed=1, **options",
    "generators.grid": "rows, columns, seed=1, **options",
    "generators.path": "n, seed=1, **options",
    "generators.star": "n, seed=1, **options",
    "generators.small_world": "n, neighbours=4, rewired=0.1, seed=1, **options",
    "generators.preferential_attachment": "n, edges, seed=1, **options",
    "generators.planted_partition": "communities, size, inside, outside, seed=1, **options",
    "algorithms.betweenness": "graph, sources=None, batch_size=64",
    "algorithms.all_pairs_distances": "graph",
    "algorithms.average_clustering": "graph",
    "algorithms.bidirectional_path": "graph, source, target",
    "algorithms.bipartition": "graph",
    "algorithms.closeness_centrality": "graph, sources=None, batch_size=64",
    "algorithms.core_numbers": "graph",
    "algorithms.diameter_bounds": "graph, sweeps=16",
    "algorithms.directed_cycle": "graph",
    "algorithms.distance_between": "graph, source, target",
    "algorithms.eigenvector_centrality": "graph, tolerance=1e-06, limit=100",
    "algorithms.harmonic_centrality": "graph, sources=None, batch_size=64",
    "algorithms.hits": "graph, tolerance=1e-08, limit=100",
    "algorithms.k_truss": "graph, k",
    "algorithms.katz_centrality": "graph, alpha=0.1, beta=1.0, tolerance=1e-06, limit=1000",
    "algorithms.local_clustering": "graph",
    "algorithms.most_reliable_paths": "graph, source",
    "algorithms.multi_source_levels": "graph, sources",
    "algorithms.multi_source_parents": "graph, sources",
    "algorithms.nearest_sources": "graph, sources",
    "algorithms.neighbourhood": "graph, sources, hops",
    "algorithms.path_to": "parents, target",
    "algorithms.shortest_path_counts": "graph, source",
    "algorithms.square_clustering": "graph, batch_size=256",
    "algorithms.strongly_connected_components": "graph",
    "algorithms.topological_levels": "graph",
    "algorithms.transitivity": "graph",
    "algorithms.triangles_per_vertex": "graph",
    "algorithms.undirected": "graph",
    "algorithms.widest_paths": "graph, source",
}
ATTRIBUTES = {
    Matrix: "structure true nvals nrows ncols shape dtype T backend copy cast",
    Vector: "structure true nvals size shape dtype backend copy cast",
}
RECORDS = "fields names min_monoid max_monoid"
CONSTANTS = (
    "MAX MIN ANYTHING position __version__ Mask AnypairError BinaryOp UnaryOp IndexUnaryOp NaryOp Record"
)
CATALOGUE = (
    "plus minus times divide minimum maximum first second any_of pair source eq ne lt le gt ge lor land lxor "
    "lxnor identity negate absolute reciprocal logical_not one is_true is_not_finite position column diagonal "
    "off_diagonal lower upper strict_lower strict_upper plus_monoid times_monoid min_monoid max_monoid "
    "lor_monoid land_monoid xor_monoid eq_monoid any_monoid min_select max_select any_pair min_source "
    "any_source min_first any_first any_second plus_times plus_pair plus_first plus_second plus_min min_plus "
    "max_plus min_times max_times min_max max_min lor_land land_lor xor_land xor_pair eq_lor lor_eq land_eq "
    "plus_eq power logaddexp bor band bxor first_fit logaddexp_monoid bor_monoid bxor_monoid max_source "
    "max_first"
)
PLACES = {
    "anypair": anypair,
    "Matrix": Matrix,
    "Vector": Vector,
    "algorithms": algorithms,
    "gas": gas,
    "Record": Record,
    "generators": generators,
}


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Without their types."""
    found = inspect.signature(function).parameters.values()
    return [parameter.replace(annotation=inspect.Parameter.empty) for parameter in found]


def complaint(function: Callable[..., Any], pinned: str) -> str:
    """How a signature fails to do what the pinned one did; nothing if all old calls still work."""
    wanted = parameters(eval(f"lambda {pinned}: None"))
    found = parameters(function)
    by_position = [p for p in wanted if p.kind is p.POSITIONAL_OR_KEYWORD]
    for old, new in zip(by_position, found, strict=False):
        if old != new:
            return f"{new} is where {old} was"
    for old in wanted:
        if old not in found:
            return f"{old} is gone, or another kind of argument"
    for new in found:
        optional = new.default is not new.empty or new.kind in (new.VAR_KEYWORD, new.VAR_POSITIONAL)
        if new not in wanted and not optional:
            return f"{new} has to be given now"
    return ""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_that_are_relied_on(name: str) -> None:
    place, _, function = name.partition(".")
    assert complaint(getattr(PLACES[place], function), FUNCTIONS[name]) == ""


@pytest.mark.parametrize("name", f"{CONSTANTS} semiring algorithms".split())
def test_other_names(name: str) -> None:
    assert hasattr(anypair, name)
    assert name in anypair.__all__


@pytest.mark.parametrize("handle", ATTRIBUTES, ids=lambda handle: handle.__name__)
def test_attributes_of_handles(handle: type) -> None:
    x = Matrix.from_edges([0], [1], backend="reference")
    if handle is Vector:
        x = Vector.full(2, 1, backend="reference")
    assert [name for name in ATTRIBUTES[handle].split() if not hasattr(x, name)] == []


def test_attributes_of_records() -> None:
    kind = anypair.record(a="int32", b="bool")
    assert [name for name in RECORDS.split() if not hasattr(kind, name)] == []


def test_the_catalogue() -> None:
    assert set(CATALOGUE.split()) <= set(semiring.__all__)
    assert [name for name in CATALOGUE.split() if not hasattr(semiring, name)] == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (lambda graph, source, limit=3: None, ""),
        (lambda graph, source, *, limit=3: None, ""),
        (lambda graph, root: None, "root is where source was"),
        (lambda source, graph: None, "source is where graph was"),
        (lambda graph: None, "source is gone, or another kind of argument"),
        (lambda graph, *, source: None, "source is where source was"),
        (lambda graph, source, limit: None, "limit has to be given now"),
        (lambda graph, source=0: None, "source=0 is where source was"),
    ],
)
def test_a_change_is_noticed(changed: Callable[..., Any], expected: str) -> None:
    assert complaint(changed, "graph, source") == expected
