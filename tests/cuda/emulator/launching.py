"""Running a kernel's PTX on arrays of the host."""

import hashlib
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from anypair.dtypes import Array
from tests.cuda.emulator import runtime
from tests.cuda.emulator.disk import kept
from tests.cuda.emulator.lowering import ACCESS, CTAID, TID, lower, slot_count
from tests.cuda.emulator.ptx import WIDTHS, parse

REASONS = {
    runtime.OUT_OF_BOUNDS: "memory out of bounds",
    runtime.MISALIGNED: "a misaligned address",
    runtime.UNINITIALISED: "shared memory that nobody has written",
    runtime.DIVERGED: "a barrier while others of the block wait at another one",
    runtime.ENDLESS: "a launch that does not end",
}
MOST_TURNS = 10_000_000  # of a launch, some hundred times as many as the tests need
LONGEST_TURN = 24  # accesses of a thread in a row: few enough that threads meet in the midst of loops


class EmulatedFault(Exception):
    """What ends a kernel on a GPU, or corrupts memory there without a word."""


@dataclass(frozen=True)
class Race:
    """Two accesses to one place of which one writes, in no order."""

    array: str  # the parameter, or "shared"
    instructions: tuple[str, str]
    threads: tuple[tuple[int, int], tuple[int, int]]  # (block, thread) of each
    count: int


@dataclass(frozen=True)
class Lowered:
    """Machine code for one kernel, and what a launch has to know about it."""

    code: bytes
    points: list[str]
    nslots: int
    shared_bytes: int
    most_threads: int
    parameters: list[str]
    constants: dict[str, Array]


@dataclass(frozen=True)
class Compiled:
    """A kernel that can be called."""

    engine: Any  # keeps the code alive
    step: int
    lowered: Lowered


@lru_cache(maxsize=4096)
def compile_ptx(text: str) -> Compiled:
    """The kernel of a PTX module as a function that runs one thread of it."""
    lowered = _lowered(text) if ".const" in text else _kept(text)  # with addresses of this process
    llvm.add_symbol(ACCESS, runtime.access_callback.address)
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(lowered.code))
    engine.finalize_object()
    return Compiled(engine, engine.get_function_address("step"), lowered)


def _kept(text: str) -> Lowered:
    digest = hashlib.sha256(f"{_depends_on()}{text}".encode()).hexdigest()[:32]
    found: Lowered = pickle.loads(kept(f"emulated-{digest}", lambda: pickle.dumps(_lowered(text))))
    return found


def _lowered(text: str) -> Lowered:
    kernel = parse(text)
    # Words, so that every constant begins where a number of any kind may.
    constants = {
        name: np.frombuffer(data.ljust(-(-len(data) // 8) * 8, b"\0"), np.uint64).copy()
        for name, data in kernel.constants.items()
    }
    module_text, points = lower(kernel, {name: x.ctypes.data for name, x in constants.items()})
    module = llvm.parse_assembly(module_text)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1, jit=True)
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    passes.getModulePassManager().run(module, passes)
    kinds = list(kernel.parameters.values())
    code = machine.emit_object(module)
    sizes = slot_count(kernel), kernel.shared_bytes, kernel.most_threads
    return Lowered(code, points, *sizes, kinds, constants)


@cache
def _depends_on() -> str:
    """What the machine code of a kernel depends on beside its PTX."""
    here = Path(__file__).parent
    texts = [(here / name).read_text("utf-8") for name in ("ptx.py", "lowering.py", "launching.py")]
    return "".join([llvmlite.__version__, llvm.get_default_triple(), *texts])


def launch(
    ptx: str, names: Sequence[str], arguments: Sequence[Any], blocks: int, block: int, seed: int
) -> list[Race]:
    """Run so many blocks of so many threads to their end; what they write is in the arrays.

    Raises `EmulatedFault` for an access that must not be.
    """
    compiled = compile_ptx(ptx)
    kernel = compiled.lowered
    if block > kernel.most_threads:
        raise EmulatedFault(f"a block of {block} threads, where launch bounds are {kernel.most_threads}")
    regions, owners, nplaces = _regions(
        [*names, *kernel.constants], [*arguments, *kernel.constants.values()]
    )
    epochs = np.zeros(blocks, np.int64)
    places = np.zeros((nplaces, runtime.PLACE), np.int64)
    nbytes = kernel.shared_bytes
    shared = np.full(max(blocks * nbytes, 1), 0xCB, np.uint8)
    shared_places = np.zeros((max(blocks * nbytes, 1), runtime.PLACE), np.int64)
    failure = np.zeros(runtime.FAILURE_FIELDS, np.int64)
    nraces = np.zeros(1, np.int64)
    races = np.zeros((runtime.MOST_RACES, runtime.RACE), np.int64)
    table = np.zeros(runtime.ENTRIES, np.int64)
    table[runtime.NBLOCKS], table[runtime.NREGIONS] = blocks, len(regions)
    table[runtime.NPLACES], table[runtime.SHARED_BYTES] = nplaces, nbytes
    for entry, array in (
        (runtime.BLOCK_EPOCHS, epochs), (runtime.REGIONS, regions), (runtime.PLACES, places),
        (runtime.SHARED, shared), (runtime.SHARED_PLACES, shared_places), (runtime.FAILURE, failure),
        (runtime.NRACES, nraces), (runtime.RACES, races),
    ):  # fmt: skip
        table[entry] = array.ctypes.data
    parameters = _packed(kernel.parameters, arguments)
    given = np.array([block, blocks, parameters.ctypes.data, table.ctypes.data], np.int64)
    threads = np.zeros((blocks * block, kernel.nslots), np.int64)
    numbers = np.arange(blocks * block)
    threads[:, TID], threads[:, CTAID] = numbers % block, numbers // block
    if not runtime.run(compiled.step, threads, given, table, block, LONGEST_TURN, MOST_TURNS, seed):
        raise EmulatedFault(_described(failure, kernel.points))
    return [_race(row, kernel.points, owners) for row in races[: nraces[0]]]


def _regions(names: Sequence[str], arguments: Sequence[Any]) -> tuple[Array, list[str], int]:
    """The memory of the arguments, sorted; those that overlap are one region."""
    arrays = [
        (n, a) for n, a in zip(names, arguments, strict=True) if isinstance(a, np.ndarray) and a.nbytes
    ]
    arrays.sort(key=lambda pair: pair[1].ctypes.data)
    rows: list[list[int]] = []
    owners: list[str] = []
    for name, array in arrays:
        begin, shift = array.ctypes.data, array.itemsize.bit_length() - 1
        if rows and begin < rows[-1][0] + rows[-1][1]:
            last = rows[-1]
            last[1] = max(last[1], begin + array.nbytes - last[0])
            last[2] = min(last[2], shift)
            owners[-1] += f"/{name}"
        else:
            rows.append([begin, array.nbytes, shift])
            owners.append(name)
    table = np.zeros((max(len(rows), 1), runtime.REGION), np.int64)
    nplaces = 0
    for k, (begin, nbytes, shift) in enumerate(rows):
        table[k] = begin, nbytes, shift, nplaces
        nplaces += (nbytes + (1 << shift) - 1) >> shift
    return table[: len(rows)], owners, max(nplaces, 1)


def _packed(kinds: Sequence[str], arguments: Sequence[Any]) -> Array:
    """The parameters as numba-cuda lays them out: an array is seven numbers, all else is one."""
    flat: list[Any] = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            size, item = argument.size, argument.itemsize
            flat += [0, 0, size, item, argument.ctypes.data, size, item]
        else:
            flat.append(argument)
    assert len(flat) == len(kinds), (len(flat), len(kinds))
    packed = bytearray()
    for kind, value in zip(kinds, flat, strict=True):
        size = WIDTHS[kind] // 8
        packed += bytes(-len(packed) % size)
        if kind[0] == "f":
            packed += np.array(value, f"f{size}").tobytes()
        else:
            packed += (int(value) & (1 << 8 * size) - 1).to_bytes(size, "little")
    return np.frombuffer(bytes(packed) or b"\0", np.uint8).copy()


def _described(failure: Array, points: list[str]) -> str:
    why, point, address, block, thread = (int(x) for x in failure)
    reason = REASONS.get(why, "an unknown failure")
    return f"{reason}: block {block}, thread {thread}, at {points[point]!r}, address {address:#x}"


def _race(row: Array, points: list[str], owners: list[str]) -> Race:
    fields = [int(x) for x in row]
    who = [fields[runtime.EARLIER_WHO], fields[runtime.WHO]]
    where = fields[runtime.WHERE]
    return Race(
        "shared" if where < 0 else owners[where],
        (points[fields[runtime.EARLIER_POINT]], points[fields[runtime.POINT]]),
        ((runtime.block_of(who[0]), runtime.thread_of(who[0])),
         (runtime.block_of(who[1]), runtime.thread_of(who[1]))),
        fields[runtime.COUNT],
    )  # fmt: skip
