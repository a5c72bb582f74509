"""Reading an edge list from a file: anypair against SciPy (.mtx) and pandas (.tsv).

`edges` gives arrays of sources and targets, as `mmread` and `read_csv` do; `matrix` goes on to
compressed rows, as `mmread` followed by `tocsr` does.
"""

import gc
import tempfile
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io

from anypair import Matrix
from anypair.io import Edges, read, read_edges
from anypair.io.formatting import write_lines
from benchmarks.graphs import EdgeList, make_edges
from benchmarks.progress import say
from benchmarks.results import Timing
from benchmarks.timing import settle, stopwatch

READ = "read"
MTX, TSV = "mtx", "tsv"
EDGES, MATRIX = "anypair-edges", "anypair-matrix"
MMREAD, MMREAD_CSR = "scipy-mmread", "scipy-mmread-csr"
READ_CSV, READ_CSV_ARROW = "pandas-read_csv", "pandas-read_csv-pyarrow"

Reader = Callable[[], Any]


def measure(graph: str, repeats: int, seed: int) -> list[Timing]:
    """Time every reader in turn, `repeats` times, after one turn that checks the answers."""
    say(f"{graph}: writing files to read")
    edges = make_edges(graph, seed)
    generator = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        files = {MTX: Path(folder, "graph.mtx"), TSV: Path(folder, "graph.tsv")}
        _write(files, edges)
        runs = [
            (reader, Timing(READ, what, graph, name))
            for what, path in files.items()
            for name, reader in readers(what, path).items()
        ]
        for turn in range(1 + repeats):
            # What ran before leaves its memory behind, so the order is another one in each turn.
            for number in generator.permutation(len(runs)):
                reader, timing = runs[number]
                if timing.problem:
                    continue
                say(f"{graph}.{timing.what}: reading with {timing.engine}, {turn} of {repeats}")
                with timing.noting_problems():
                    settle()
                    found, seconds = stopwatch(reader)
                    if turn:
                        timing.seconds.append(seconds)
                    else:
                        timing.problem = _problem(found, edges)
                    del found
                gc.collect()
    return [timing for _, timing in runs]


def readers(what: str, path: Path) -> dict[str, Reader]:
    """Every way to read a file, by the name of the engine."""
    ours: dict[str, Reader] = {EDGES: partial(read_edges, path), MATRIX: lambda: read(path).matrix}
    if what == MTX:
        return ours | {
            MMREAD: partial(scipy.io.mmread, path, spmatrix=False),
            MMREAD_CSR: lambda: scipy.io.mmread(path, spmatrix=False).tocsr(),
        }
    peers: dict[str, Reader] = {}
    if find_spec("pandas"):
        import pandas

        tabs: Reader = partial(pandas.read_csv, path, sep="\t", header=None)
        peers[READ_CSV] = tabs
        if find_spec("pyarrow"):
            peers[READ_CSV_ARROW] = partial(tabs, engine="pyarrow")
    return ours | peers


def _write(files: dict[str, Path], edges: EdgeList) -> None:
    with files[MTX].open("wb") as file:
        header = "%%MatrixMarket matrix coordinate pattern general"
        file.write(f"{header}\n{edges.n} {edges.n} {len(edges.sources)}\n".encode())
        write_lines(file, edges.sources, edges.targets, None, " ", base=1)
    with files[TSV].open("wb") as file:
        write_lines(file, edges.sources, edges.targets, None, "\t")


def _problem(found: Any, edges: EdgeList) -> str:
    """Whether these are the edges that were written; of a matrix, which drops repeated ones, the set."""
    if isinstance(found, Edges):
        sources, targets = found.sources, found.targets
    elif isinstance(found, Matrix):
        sources, targets, _ = found.to_entries()
    elif hasattr(found, "tocoo"):
        sources, targets = found.tocoo().coords
    else:
        sources, targets = found[0].to_numpy(), found[1].to_numpy()
    pairs = ((sources, targets), (edges.sources, edges.targets))
    keys = [np.sort(np.asarray(a, np.int64) * edges.n + b) for a, b in pairs]
    if len(keys[0]) != len(keys[1]):
        keys = [key[np.diff(key, prepend=-1) > 0] for key in keys]
    return "" if np.array_equal(*keys) else "these are other edges"
