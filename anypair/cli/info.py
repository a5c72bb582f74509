"""`anypair info`: what kind of graph is in a file."""

from argparse import ArgumentParser, Namespace
from typing import Any

import numpy as np

from anypair import Matrix, Vector, apply, mxv, reduce, same, select, vxm
from anypair.algorithms import connected_components
from anypair.cli.command import Command
from anypair.cli.files import add_input, load
from anypair.cli.options import (
    add_backend,
    add_json,
    add_quiet,
    chosen_backend,
    make_room,
    say,
    write_json,
)
from anypair.cli.progress import Bar
from anypair.dtypes import Array
from anypair.io import Loaded
from anypair.semiring import diagonal, max_monoid, min_monoid, one, plus_pair


def run(options: Namespace) -> int:
    """Print a line for each fact."""
    make_room(options.json)
    with chosen_backend(options) as backend, Bar(quiet=options.quiet) as bar:
        loaded = load(options, bar)
        bar("looking", 0, 0)
        facts = {"file": str(options.file), **describe(loaded)}
    width = max(map(len, facts))
    for name, value in facts.items():
        say(options, f"{name:<{width}}  {_words(value)}")
    write_json(options.json, facts, backend.processes)
    return 0


def describe(loaded: Loaded) -> dict[str, Any]:
    """What can be said of a matrix, and of the graph if it is square."""
    A = loaded.matrix
    facts: dict[str, Any] = {
        "rows": A.nrows,
        "columns": A.ncols,
        "entries": A.nvals,
        "dtype": str(A.dtype),
        "memory_bytes": A.nbytes,
        "named_vertices": loaded.names is not None,
    }
    if loaded.columns is not None:
        facts["taken_columns"] = list(loaded.columns)
    if A.nvals and A.dtype != bool:
        facts["least_value"] = reduce(A, min_monoid)
        facts["largest_value"] = reduce(A, max_monoid)
    facts["out_degree"] = _degrees(_counts(mxv(A, _ones(A, A.ncols), plus_pair)))
    facts["in_degree"] = _degrees(_counts(vxm(_ones(A, A.nrows), A, plus_pair)))
    if A.nrows == A.ncols:
        facts |= _of_graph(A)
    return facts


def _of_graph(A: Matrix) -> dict[str, Any]:
    touched = _counts(mxv(A, _ones(A, A.ncols), plus_pair)) + _counts(
        vxm(_ones(A, A.nrows), A, plus_pair)
    )
    sizes = np.unique(connected_components(A).to_entries()[1], return_counts=True)[1]
    return {
        "symmetric": same(A, A.T)
        or ("structure only" if same(apply(A, one), apply(A, one).T) else False),
        "self_loops": select(A, diagonal).nvals,
        "isolated_vertices": int((touched == 0).sum()),
        "components": len(sizes),
        "largest_component": int(sizes.max(initial=0)),
    }


def _ones(A: Matrix, size: int) -> Vector:
    return Vector.full(size, 1, backend=A.backend)


def _counts(degrees: Vector) -> Array:
    """A number for every vertex, those without entry included."""
    return degrees.to_numpy(missing=0)


def _degrees(counts: Array) -> dict[str, float]:
    if not len(counts):
        return {"least": 0, "median": 0.0, "mean": 0.0, "most": 0}
    return {
        "least": int(counts.min()),
        "median": float(np.median(counts)),
        "mean": float(counts.mean()),
        "most": int(counts.max()),
    }


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {number:g}" for name, number in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def _configure(parser: ArgumentParser) -> None:
    add_input(parser)
    add_backend(parser)
    add_json(parser)
    add_quiet(parser)


COMMAND = Command(
    "info",
    "say what kind of graph is in a file",
    "Read a graph and say how large it is, of what dtype, whether symmetric, how many self-loops,\n"
    "isolated vertices and components it has, and how degrees are spread.",
    ["anypair info roads.mtx", "anypair info friends.csv --undirected --json friends.json"],
    _configure,
    run,
)
