"""A row of the comparison: one operation, a way to do it for each engine, and what is compared."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse

from anypair import Matrix, Vector
from benchmarks.operations import OPERATIONS
from benchmarks.progress import say
from benchmarks.results import Timing
from benchmarks.timing import settle, stopwatch

OURS = "anypair-jit"
GRAPHBLAS, SCIPY, SUITESPARSE = "python-graphblas", "scipy", "anypair-suitesparse"

Call = Callable[[], Any]
#: What is timed, or with `fresh`: what makes an operand, untimed, and what is timed, on that.
Way = Call | tuple[Callable[[], Any], Callable[[Any], Any]]


@dataclass(frozen=True)
class Row:
    """One operation on some operands; what is too short for the clock is timed `batch` at a time."""

    group: str
    name: str
    ways: Mapping[str, Way]
    batch: int = 1


def measure(rows: Iterable[Row], turns: int, budget: float) -> list[Timing]:
    """Time all ways of each row in turn, after one turn that compares the answers."""
    return [timing for row in rows for timing in _measure_row(row, turns, budget)]


def _measure_row(row: Row, turns: int, budget: float) -> list[Timing]:
    say(f"{row.group}: {row.name}")
    runs = [(way, Timing(OPERATIONS, row.name, row.group, name)) for name, way in row.ways.items()]
    _compare(runs)
    begin = perf_counter()
    for turn in range(turns):
        shift = turn % max(len(runs), 1)
        for way, timing in (*runs[shift:], *runs[:shift]):
            if not timing.problem:
                with timing.noting_problems():
                    timing.seconds.append(_timed(way, row.batch) / row.batch)
        if perf_counter() - begin > budget:
            break
    return [timing for _, timing in runs]


def _timed(way: Way, batch: int) -> float:
    settle()
    if isinstance(way, tuple):
        make, call = way
        return stopwatch(partial(call, make()))[1]
    return stopwatch(partial(_repeat, way, batch))[1] if batch > 1 else stopwatch(way)[1]


def _repeat(call: Call, batch: int) -> None:
    for _ in range(batch):
        call()


def _compare(runs: Sequence[tuple[Way, Timing]]) -> None:
    """Run each way once; who finds something else than the peer that comes last has a problem."""
    expected: Any = None
    for way, timing in reversed(runs):
        with timing.noting_problems():
            found = summary_of(way[1](way[0]()) if isinstance(way, tuple) else way())
            _timed(way, 1)  # which may do it another way, now that more is known of the operands
            if expected is None:
                expected = found
            elif not same(found, expected):
                timing.problem = "this is another result"


def same(one: Any, other: Any) -> bool:
    """Whether two summaries are of the same result, but for rounding.

    >>> [same((np.ones(1),), (x * np.ones(1),)) for x in (1.0 + 1e-12, 2.0)]
    [True, False]
    """
    return len(one) == len(other) and all(
        x.shape == y.shape and np.allclose(x, y, rtol=1e-6) for x, y in zip(one, other, strict=True)
    )


def summary_of(result: Any) -> tuple[Any, ...]:
    """What a result comes down to: of a matrix how many entries each row has, and its product with
    random numbers; of a vector its entries.

    >>> [x.tolist() for x in summary_of(Vector.from_entries([2], [0.5], 3))]
    [[2], [0.5]]
    """
    if isinstance(result, Vector):
        return result.to_entries()
    if isinstance(result, Matrix):
        return _of_rows(result.shape, *result.backend.to_rows(result.storage))
    if scipy.sparse.issparse(result):
        rows = result.tocsr()
        return _of_rows(rows.shape, rows.indptr, rows.indices, rows.data)
    if hasattr(result, "to_csr"):
        return _of_rows(result.shape, *result.to_csr(sort=False))
    if hasattr(result, "to_coo"):
        return tuple(result.to_coo())
    if isinstance(result, list):
        return tuple(map(np.asarray, result))
    array = np.asarray(result)
    return (np.flatnonzero(array), array[array != 0]) if array.ndim else (array,)


def _of_rows(shape: tuple[int, int], starts: Any, columns: Any, values: Any) -> tuple[Any, ...]:
    values = np.ascontiguousarray(values).astype(np.float64, copy=False)
    matrix = scipy.sparse.csr_array((values, columns, starts), shape=shape, copy=False)
    return np.diff(starts).astype(np.int64), matrix @ np.random.default_rng(1).random(shape[1])
