"""Kernels compiled to PTX without a GPU, and assembled to machine code, with what it takes."""

import importlib
import importlib.util
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from anypair.backends.cuda.numba_cuda import cuda, types

CAPABILITIES = ((7, 5), (8, 0), (9, 0), (10, 0))


class Usage(NamedTuple):
    """What the assembler says of a kernel."""

    registers: int
    spilled_bytes: int


def kernel_of(source: str, name: str) -> Any:
    """A kernel of a module with this text."""
    module = ModuleType(f"compiled_{name}")
    exec(compile(source, f"<{name}>", "exec"), module.__dict__)
    return module.__dict__[name].py_func


def to_ptx(
    function: Any, argument_types: Sequence[Any], capability: tuple[int, int], block: int | None = None
) -> str:
    """The kernel for this compute capability; without one given, Numba would ask the driver."""
    options = {"cc": capability, "device": False, "abi": "numba", "launch_bounds": block}
    ptx, _ = cuda.compile(function, _signature(argument_types), output="ptx", **options)
    return str(ptx)


def to_ptx_for_each(
    function: Any,
    argument_types: Sequence[Any],
    block: int | None = None,
    capabilities: Sequence[tuple[int, int]] = CAPABILITIES,
) -> list[str]:
    """The kernel for each of the capabilities, as `to_ptx` gives it, but for names.

    Numba types and lowers it once, which takes nearly all of the time; only what NVVM makes of that
    depends on the GPU.
    """
    options = {"cc": CAPABILITIES[0], "device": False, "abi": "numba", "launch_bounds": block}
    compiler = importlib.import_module(f"{cuda.__name__}.compiler")
    library, _ = compiler._compile_pyfunc_with_fixup(function, _signature(argument_types), **options)
    return ["".join(library.get_asm_strs(cc=capability)) for capability in capabilities]


def _signature(argument_types: Sequence[Any]) -> Any:
    return types.void(*map(_type, argument_types))


def _type(name: Any) -> Any:
    """A type of Numba, or the one of that name."""
    if not isinstance(name, str):
        return name
    found = re.fullmatch(r"array\((\w+), 1d, C\)", name)
    if found:
        return types.Array(_type(found[1]), 1, "C")
    return getattr(types, "boolean" if name == "bool" else name)


@cache
def assembler() -> str | None:
    """A ptxas: that of the wheel nvidia-cuda-nvcc, of an installed toolkit, or None."""
    spec = importlib.util.find_spec("nvidia.cu13") if importlib.util.find_spec("nvidia") else None
    folders = [Path(place) / "bin" for place in (spec.submodule_search_locations or [] if spec else [])]
    for folder in (*folders, Path("/usr/local/cuda/bin")):
        if found := shutil.which("ptxas", path=str(folder)):
            return found
    return shutil.which("ptxas")


def assemble(ptx: str, capability: tuple[int, int], folder: Path, *options: str) -> Usage:
    """Registers and spills of the machine code; raises `CalledProcessError` if ptxas refuses."""
    command = assembler()
    assert command is not None
    text, binary = folder / "kernel.ptx", folder / "kernel.cubin"
    text.write_text(ptx)
    architecture = f"-arch=sm_{capability[0]}{capability[1]}"
    said = subprocess.run(
        [command, architecture, "-v", *options, str(text), "-o", str(binary)],
        capture_output=True, text=True, check=True, timeout=120,
    ).stderr  # fmt: skip
    registers = max(map(int, re.findall(r"Used (\d+) registers", said)))
    spilled = sum(map(int, re.findall(r"(\d+) bytes spill (?:stores|loads)", said)))
    return Usage(registers, spilled)
