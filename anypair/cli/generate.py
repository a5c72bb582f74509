"""`anypair generate`: graphs of a known kind, into a file."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable

import numpy as np

from anypair.cli.command import Command, UsageError
from anypair.cli.files import add_output, check_output
from anypair.cli.options import add_quiet, add_seed, positive, whole, writes_files
from anypair.cli.progress import Bar
from anypair.dtypes import Array
from anypair.graph500 import kronecker_edges
from anypair.inputs import as_size
from anypair.io import write
from anypair.matrix import Matrix
from anypair.memory import require
from anypair.semiring import minimum

Edges = tuple[int, Array, Array]  # how many vertices; sources, targets
BYTES_PER_EDGE = 64  # of the edges and the graph while it is built


def run(options: Namespace) -> int:
    """Make the edges, make a graph of them, write it."""
    check_output(options)
    with Bar(quiet=options.quiet) as bar:
        bar(f"generating {options.kind}", 0, 0)
        n, sources, targets = options.make(options)
        weights = np.random.default_rng(options.seed).random(len(sources)) if options.weights else None
        graph = Matrix.from_edges(
            sources,
            targets,
            weights,
            n=n,
            symmetric=not options.directed,
            self_loops=False,
            duplicates=minimum if options.weights else None,
        )
        bar(f"writing {options.output.name}", 0, 0)
        if writes_files(graph.backend.processes):
            write(options.output, graph, format=options.to)
    if not options.quiet:
        print(f"{options.output}: {n} vertices, {graph.nvals} entries", file=sys.stderr)
    return 0


def kronecker(options: Namespace) -> Edges:
    """As Graph500 has it: few vertices of high degree, many of low."""
    require(BYTES_PER_EDGE * options.edgefactor << options.scale, "generate kronecker: the graph")
    return 1 << options.scale, *kronecker_edges(options.scale, options.edgefactor, options.seed)


def uniform(options: Namespace) -> Edges:
    """Both ends of every edge drawn alike from all vertices."""
    as_size("generate uniform", "vertices", options.vertices)
    if options.edges and not options.vertices:
        raise UsageError(f"argument --edges: no vertices for {options.edges} edges")
    require(BYTES_PER_EDGE * options.edges, "generate uniform: the graph")
    draw = np.random.default_rng(options.seed)
    ends = draw.integers(max(1, options.vertices), size=(2, options.edges))
    return options.vertices, ends[0], ends[1]


def grid(options: Namespace) -> Edges:
    """A mesh: every vertex is joined to those beside, above and below it."""
    count = as_size("generate grid", "rows * columns", options.rows * options.columns)
    require(2 * BYTES_PER_EDGE * count, "generate grid: the graph")
    vertices = np.arange(count, dtype=np.int64).reshape(options.rows, options.columns)
    sources = np.concatenate([vertices[:, :-1].ravel(), vertices[:-1].ravel()])
    targets = np.concatenate([vertices[:, 1:].ravel(), vertices[1:].ravel()])
    return count, sources, targets


def _configure(parser: ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    one = _kind(kinds.add_parser("kronecker", help=_summary(kronecker)), kronecker)
    one.add_argument("--scale", type=whole, required=True, metavar="S", help="2**S vertices")
    one.add_argument(
        "--edgefactor", type=positive, default=16, metavar="E",
        help="edges for each vertex (default: %(default)s)",
    )  # fmt: skip
    one = _kind(kinds.add_parser("uniform", help=_summary(uniform)), uniform)
    one.add_argument("--vertices", type=whole, required=True, metavar="N", help="how many vertices")
    one.add_argument(
        "--edges", type=whole, required=True, metavar="M",
        help="how many edges are drawn; self-loops and edges drawn twice are left out",
    )  # fmt: skip
    one = _kind(kinds.add_parser("grid", help=_summary(grid)), grid)
    one.add_argument("--rows", type=positive, required=True, metavar="R", help="how many rows")
    one.add_argument("--columns", type=positive, required=True, metavar="C", help="how many columns")


def _kind(parser: ArgumentParser, make: Callable[[Namespace], Edges]) -> ArgumentParser:
    parser.description = _summary(make)
    parser.set_defaults(make=make)
    add_output(parser)
    add_seed(parser)
    parser.add_argument(
        "--weights", action="store_true", help="give each edge a random weight in [0, 1)"
    )
    parser.add_argument(
        "--directed", action="store_true", help="keep each edge in one direction (default: both)"
    )
    add_quiet(parser)
    return parser


def _summary(make: Callable[[Namespace], Edges]) -> str:
    return (make.__doc__ or "").rstrip(".")


COMMAND = Command(
    "generate",
    "write a Kronecker, uniform or grid graph to a file",
    "Make a graph and write it to a file. The same seed makes the same graph everywhere.",
    [
        "anypair generate kronecker --scale 16 kron16.mtx",
        "anypair generate uniform --vertices 1000 --edges 8000 --seed 3 --weights random.npz",
        "anypair generate grid --rows 100 --columns 200 mesh.tsv",
    ],
    _configure,
    run,
)
