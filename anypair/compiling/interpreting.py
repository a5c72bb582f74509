"""Kernels without machine code: run by Python where compiling would take far longer than the work.

It is the same text, so the answer is the same to the bit: numbers that kernels read are what Numba
computes with, which has no integers narrower than 64 bits, and casts are ours. That is sure of operators
of the catalogue, and of nothing that users write: theirs are always compiled.
"""

import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import RLock
from time import perf_counter
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

from anypair.compiling.bits import PLACES
from anypair.dtypes import SUPPORTED, Array, DType, caster

LITTLE = 8192  # numbers in all arrays of a call
BUDGET = 0.25  # seconds; then there is so much to do that machine code pays


class Interpreter:
    """Runs kernels of calls with so few numbers, until its seconds are spent."""

    def __init__(self, budget: float, little: float) -> None:
        self.budget = budget
        self.little = little

    @contextmanager
    def at_once(self, budget: float = BUDGET) -> Iterator[Callable[[], bool]]:
        """Inside, do not wait for machine code where there is little to do; whether the budget lasts."""
        before, self.budget = self.budget, max(self.budget, budget)
        try:
            yield lambda: self.budget > 0
        finally:
            self.budget = before

    def takes(self, arguments: tuple[Any, ...]) -> bool:
        """Whether there is so little to do that it is done at once."""
        if self.budget <= 0:
            return False
        arrays = [x for x in arguments if isinstance(x, np.ndarray)]
        return sum(x.size for x in arrays if any(x.strides)) <= self.little

    def stand_in(self, dispatcher: Any) -> Callable[..., Any] | None:
        """What may be called in place of the machine code of a kernel."""
        try:
            function = _interpreted(dispatcher.py_func)
        except LookupError:  # an instruction that has no name here
            return None

        def run(*arguments: Any) -> Any:
            begin = perf_counter()
            try:
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore", RuntimeWarning)
                    return _plain(function(*map(_as_seen_by_numba, arguments)))
            finally:
                self.budget -= perf_counter() - begin

        return run


#: The one of this process.
interpreter = Interpreter(0.0, LITTLE)


class _Numbers:
    """An array whose numbers are read as Numba reads them: narrow ones as Python's."""

    __slots__ = ("_array",)

    def __init__(self, array: Array) -> None:
        self._array = array

    def __getitem__(self, at: Any) -> Any:
        found = self._array[at]
        return _Numbers(found) if isinstance(found, np.ndarray) else found.item()

    def __setitem__(self, at: Any, value: Any) -> None:
        self._array[at] = value._array if isinstance(value, _Numbers) else value

    def __len__(self) -> int:
        return len(self._array)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._array, name)


def _as_seen_by_numba(argument: Any) -> Any:
    if isinstance(argument, np.ndarray) and (
        argument.dtype.kind == "b" or (argument.dtype.kind in "iu" and argument.dtype.itemsize < 8)
    ):
        return _Numbers(argument)
    return argument


def _plain(result: Any) -> Any:
    """What a kernel returns, as numbers of Python."""
    if isinstance(result, tuple):
        return tuple(map(_plain, result))
    return result.item() if isinstance(result, np.generic) else result


# Functions of kernels, with those that they call in place of what is compiled

#: By the identity of a kernel's names: these, so that no other ones get it, and what stands for them.
_names: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}
_filling = RLock()  # names are there, for functions that call each other, before all stand for something


def _interpreted(function: FunctionType) -> FunctionType:
    names = function.__globals__
    with _filling:
        if id(names) not in _names:
            found = dict(names)
            _names[id(names)] = names, found
            try:
                found.update({name: _stand_in_for(value) for name, value in names.items()})
            except LookupError:
                del _names[id(names)]
                raise
    made = FunctionType(
        function.__code__,
        _names[id(names)][1],
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _stand_in_for(value: Any) -> Any:
    if isinstance(value, Dispatcher):
        return _interpreted(value.py_func)
    if isinstance(value, _Intrinsic):
        return _INSTRUCTIONS[value._name]
    if isinstance(value, ModuleType) and value.__name__.startswith("anypair.compiling."):
        found = {}
        for name, inner in vars(value).items():
            with suppress(LookupError):
                found[name] = _stand_in_for(inner)
        return SimpleNamespace(**found)
    return value


# Instructions of the machine


def in_python(name: str, function: Callable[..., Any]) -> None:
    """Say what does in Python what an instruction of this name does in kernels."""
    _INSTRUCTIONS[name] = function


def _trailing_zeros(word: Any) -> np.uint64:
    number = int(word)
    return np.uint64((number & -number).bit_length() - 1)


def _count_ones(word: Any) -> np.uint64:
    return np.uint64(int(word).bit_count())


def _lower_bound(wanted: Any, indices: Any, low: Any, high: Any) -> int:
    return bisect_left(indices, int(wanted), int(low), int(high))


def _part_of_row(low: Any, high: Any, size: Any, indices: Any, begin: Any, end: Any) -> tuple[Any, Any]:
    if low > 0:
        begin = _lower_bound(low, indices, begin, end)
    if high < size:
        end = _lower_bound(high, indices, begin, end)
    return np.uint64(begin), np.uint64(end)


def _atomic_load(array: Any, index: Any) -> Any:
    return array[index]


def _atomic_store(array: Any, index: Any, value: Any) -> None:
    array[index] = value


def _atomic_add(array: Any, index: Any, value: Any) -> Any:
    before = array[index]
    array[index] += value
    return before


def _atomic_or(array: Any, index: Any, value: Any) -> Any:
    before = array[index]
    array[index] |= value
    return before


def _compare_and_swap(array: Any, index: Any, expected: Any, value: Any) -> bool:
    at = slice(int(index), int(index) + 1)
    alike: bool = array[at].tobytes() == np.array([expected], array.dtype).tobytes()
    if alike:
        array[index] = value
    return alike


def _cast_to(dtype: DType) -> Callable[[Any], Any]:
    """The cast rule, to the numbers that Numba computes with."""
    convert, narrow = caster(dtype), dtype.kind in "biu" and dtype.itemsize < 8

    def cast(value: Any) -> Any:
        found = convert(float(value) if isinstance(value, np.floating) else value)
        return found if narrow else dtype.type(found)

    return cast


def _load_word(data: Any, at: Any) -> np.uint64:
    return np.uint64(int.from_bytes(data[int(at) : int(at) + 8].tobytes(), "little"))


_INSTRUCTIONS: dict[str, Callable[..., Any]] = {
    "trailing_zeros": _trailing_zeros,
    "count_ones": _count_ones,
    "prefetch": lambda _array, _index: None,
    "pause": lambda: None,
    "room_for_a_word": lambda: [0] * 64,
    "room_for_places": lambda: [0] * PLACES,
    "lower_bound": _lower_bound,
    "part_of_row": _part_of_row,
    "atomic_load": _atomic_load,
    "atomic_store": _atomic_store,
    "atomic_add": _atomic_add,
    "atomic_or": _atomic_or,
    "compare_and_swap": _compare_and_swap,
    "load_word": _load_word,
    "multiply_high": lambda x, y: np.uint64(int(x) * int(y) >> 64),
    "leading_zeros": lambda word: np.uint64(64 - int(word).bit_length()),
    "as_float": lambda word: np.uint64(word).view(np.float64),
    "as_bits": lambda number: np.float64(number).view(np.uint64),
    **{f"to_{dtype}": _cast_to(dtype) for dtype in SUPPORTED},
}
