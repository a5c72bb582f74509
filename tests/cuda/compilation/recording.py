"""Every kernel launch of a run in the emulator: its text with the operators, its name, its argument types.

What compiles from these is what a GPU would be asked to run. The emulator runs small blocks, as in other
tests, so that it finds their kernels compiled.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

import anypair
from anypair import Matrix, Semiring, Vector
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.backends.cuda import CudaBackend
from anypair.backends.cuda.arrays import index_dtype
from anypair.backends.cuda.codec import decode, encode
from anypair.backends.cuda.numba_cuda import VERSION
from anypair.backends.wire.messages import Form
from anypair.compiling.caching import ABOUT, IDENTITY
from anypair.compiling.modules import load_source
from anypair.semiring import (
    any_pair,
    any_source,
    gt,
    min_plus,
    min_select,
    min_source,
    plus,
    plus_monoid,
    plus_pair,
    plus_times,
)
from tests.cuda.emulator.device import Emulated, argument_types
from tests.cuda.operators import own_min_select, weight

BLOCK = 256  # what a GPU runs by default
SMALL_BLOCK = 32  # what the emulator runs

BFS_SEMIRINGS: dict[str, Semiring] = {
    "min_source": min_source,
    "any_source": any_source,
    "any_pair": any_pair,
    "min_select": min_select,
    "own min_select": own_min_select,
}


@dataclass(frozen=True)
class Launch:
    """A kernel as it was launched."""

    template: str
    operators: str
    function: Any
    types: tuple[Any, ...]
    blocks: int

    @property
    def kernel(self) -> str:
        """The name of the kernel."""
        return str(self.function.__name__)


class Recorder(Emulated):
    """A device that writes down what it launches, the first launch with each text and types.

    The kernels that it writes down are those for blocks of another size.
    """

    def __init__(self, recorded_block: int = BLOCK) -> None:
        super().__init__(SMALL_BLOCK, most_blocks=4)
        self.recorded_block = recorded_block
        self.semiring = ""
        self.launched: dict[tuple[Any, ...], Launch] = {}

    def launch(self, kernel: Any, blocks: int, block: int, *arguments: Any) -> None:
        function, types = kernel.py_func, argument_types(arguments)
        if (function, types) not in self.launched:
            template, _, _ = function.__globals__[IDENTITY].removeprefix("cuda_").rpartition("_")
            recorded = in_blocks(function, self.recorded_block)
            launched = Launch(template, self.semiring, recorded, types, blocks)
            self.launched[function, types] = launched
        super().launch(kernel, blocks, block, *arguments)


def in_blocks(function: Any, block: int) -> Any:
    """The kernel that the backend makes for blocks of so many threads, which are a number in its text."""
    about = function.__globals__[ABOUT]
    source = re.sub(r"(?m)^BLOCK = \d+$", f"BLOCK = {block}", about["text"], count=1)
    module = load_source(about["module"], source, besides=f"numba_cuda {VERSION}")
    return getattr(module, function.__name__).py_func


def products(recorder: Recorder) -> None:
    """Every way to multiply, for each semiring that a search may be written with, and for floats."""
    weights = np.array([0.5, 1.5, 2.5, 3.5])
    cases = [(name, s, None) for name, s in BFS_SEMIRINGS.items()]
    cases += [("plus_times float64", plus_times, weights), ("min_plus float64", min_plus, weights)]
    cases += [("plus_pair", plus_pair, None)]
    for name, semiring, values in cases:
        recorder.semiring = name
        for options in ({"direction": "push"}, {"direction": "pull"}, {"strategy": "two_phase"}):
            backend = CudaBackend.on(recorder, **options)
            backend.arrays.long = 2
            graph = Matrix.from_edges([0, 0, 1, 2], [1, 2, 2, 0], values, n=4, backend=backend)
            u = Vector.from_entries(
                [0, 1], [3, 4], size=4, backend=backend, dtype=graph.dtype if values is not None else int
            )
            anypair.vxm(u, graph, semiring, mask=~u.structure)
            anypair.vxm(u, graph, semiring)
            anypair.mxm(graph, graph, semiring, mask=~graph.structure)
            anypair.mxm(graph, graph, semiring, mask=graph.structure)


def searches(recorder: Recorder) -> None:
    recorder.semiring = "search"
    backend = CudaBackend.on(recorder)
    graph = Matrix.from_edges([0, 0, 1, 2], [1, 2, 3, 3], n=5, symmetric=True, backend=backend)
    bfs_parents(graph, 0)
    bfs_levels(graph, 0)


def entry_by_entry(recorder: Recorder) -> None:
    backend = CudaBackend.on(recorder)
    backend.arrays.long = 2
    rows, columns = [0, 0, 1, 2, 0], [1, 2, 2, 0, 1]
    for kind, op in ((np.int64, plus), (np.float64, plus), (np.float64, weight)):
        recorder.semiring = f"{op.name} {np.dtype(kind)}"
        values = np.arange(1, 6).astype(kind)
        a = Matrix.from_entries(rows, columns, values, (3, 3), duplicates=op, backend=backend)
        u = Vector.from_entries([0, 2], values[:2], size=3, backend=backend)
        for x in (a, u):
            y: Any = (
                x.T
                if isinstance(x, Matrix)
                else Vector.from_entries([1, 2], values[:2], size=3, backend=backend)
            )
            anypair.ewise_add(x, y, op)
            anypair.ewise_mult(x, y, op)
            anypair.apply(x, op, right=2)
            anypair.apply(x, anypair.position)
            anypair.select(x, gt, right=1)
            anypair.reduce(x, plus_monoid)
            x.cast(np.int8)
        anypair.reduce(a, plus_monoid, by="rows")
        anypair.ewise_mult(u, u, op, out=Vector.full(3, values[0], backend=backend), accum=op)
        anypair.extract(u, [1, 2])
        anypair.extract(a, [0, 1], [1])


def codec(recorder: Recorder) -> None:
    recorder.semiring = ""
    backend = CudaBackend.on(recorder)
    numbers = backend.arrays.to_device(np.array([3, 123456, 80, 300]))
    decode(backend.arrays, *encode(backend.arrays, numbers), 4)


def staging(recorder: Recorder) -> None:
    """What a grid with device buffers asks for: messages of each form, masks, blocks that keep few rows."""
    recorder.semiring = ""
    stage = CudaBackend.on(recorder).device_arrays()
    kept = np.array([1, 70, 150])
    for size in (200, 2**31):  # places of 32 bits, and of 64
        places = stage.arrays.to_device(kept, index_dtype(size))
        for mode in ("list", "bitmap") if size == 200 else ("list",):
            message = stage.list_message(places, size, None, Form(mode))
            part = stage.read(message, None)
            stage.as_list([part], [0], size, Form(mode))
            words = stage.no_words(200)
            stage.into_words(part, words, Form(mode))
            stage.inside(words, kept)
            stage.side_by_side([words, words], [0, 200, 400])
            stage.vector_of_words(words, 200, None, np.ones(1)).any_list()


def recorded() -> list[Launch]:
    """Every different launch."""
    recorder = Recorder()
    for scenario in (products, searches, entry_by_entry, codec, staging):
        scenario(recorder)
    return list(recorder.launched.values())
