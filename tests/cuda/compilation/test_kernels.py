"""Every kernel that a run launches compiles for real GPUs and assembles without register spills.

What is launched, and with which types, is recorded in the emulator (`recording.py`).
"""

import ast
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anypair.backends.cuda.kernels import product_kernels
from anypair.backends.cuda.numba_cuda import configured, cuda
from anypair.semiring import min_plus
from tests.cuda.compilation.compiling import (
    CAPABILITIES,
    Usage,
    assemble,
    assembler,
    kernel_of,
    to_ptx,
    to_ptx_for_each,
)
from tests.cuda.compilation.recording import BLOCK, Launch, in_blocks, recorded
from tests.cuda.compilation.registers import PROPERTY
from tests.cuda.support import needs_compiler
from tests.support.covering import FULL

pytestmark = needs_compiler

ROOT = Path(__file__).parents[3]
TEMPLATES = {p.stem: p for p in (ROOT / "anypair/backends/cuda/templates").glob("*.py")}
BFS_OPERATORS = {"min_source", "any_source", "any_pair", "min_select", "own min_select"}


def kernels_in(text: str) -> set[str]:
    """The functions of a template that are launched."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {f.name for f in functions if any(ast.unparse(d) == "kernel" for d in f.decorator_list)}


WITH_KERNELS = sorted(name for name, path in TEMPLATES.items() if kernels_in(path.read_text()))


@pytest.fixture(scope="session")
def launched() -> list[Launch]:
    """Every different launch of the recording."""
    return recorded()


def test_every_kernel_was_launched(launched: list[Launch]) -> None:
    seen = {(entry.template, entry.kernel) for entry in launched}
    assert seen == {(name, k) for name in WITH_KERNELS for k in kernels_in(TEMPLATES[name].read_text())}


def test_grids_of_small_graphs_are_configured_without_a_warning(
    launched: list[Launch],
) -> None:
    """Warnings are errors in these tests; Numba warns of small grids before it asks for a device."""
    for entry in launched:
        kernel = cuda.jit(entry.function)
        configured(kernel, entry.blocks, BLOCK, 0)
    with pytest.warns(Warning, match="Grid size 1 will"):
        kernel[1, BLOCK]  # the kernels of others keep the warning


@pytest.mark.parametrize("template", ["push", "pull", "two_phase", "dots", "pairs"])
def test_products_were_launched_for_every_semiring(launched: list[Launch], template: str) -> None:
    assert {e.operators for e in launched if e.template == template} >= BFS_OPERATORS


@pytest.mark.parametrize("template", WITH_KERNELS)
def test_kernels_compile_and_do_not_spill(
    template: str,
    launched: list[Launch],
    tmp_path: Path,
    record_property: Callable[[str, Any], None],
) -> None:
    """Each launch for one GPU, another one each time; for all of them in a full run."""
    rows, wrong = [], []
    for number, entry in enumerate(entry for entry in launched if entry.template == template):
        chosen = CAPABILITIES if FULL else (CAPABILITIES[number % len(CAPABILITIES)],)
        usages = checked(entry.function, entry.types, tmp_path, chosen)
        name = (template, entry.kernel, entry.operators)
        rows.append((*name, *(str(usages[c].registers) if c in usages else "-" for c in CAPABILITIES)))
        wrong += [name for usage in usages.values() if usage.spilled_bytes]
    assert rows
    assert not wrong, f"registers are spilled in {wrong}"
    if assembler():
        record_property(PROPERTY, rows)


def checked(
    function: Any,
    types: Sequence[Any],
    folder: Path,
    capabilities: Sequence[tuple[int, int]] = CAPABILITIES,
) -> dict[tuple[int, int], Usage]:
    """What the kernel takes on each of the capabilities, if there is an assembler to ask."""
    usages = {}
    all_ptx = to_ptx_for_each(function, types, BLOCK, capabilities)
    for capability, ptx in zip(capabilities, all_ptx, strict=True):
        assert re.search(rf"\.target sm_{capability[0]}{capability[1]}\b", ptx)
        if assembler():
            usages[capability] = assemble(ptx, capability, folder)
    return usages


def test_the_kernel_for_other_blocks_is_the_one_that_the_backend_makes() -> None:
    semiring = min_plus.typed(np.dtype(np.int64), np.dtype(np.int64))
    small, usual = (product_kernels("push", semiring, block).push.py_func for block in (32, BLOCK))
    assert in_blocks(small, BLOCK) is usual is not small


@pytest.mark.parametrize("kernel", ["push", "pull_long_rows"])
def test_what_is_lowered_once_is_the_same_for_each_gpu(launched: list[Launch], kernel: str) -> None:
    entry = next(entry for entry in launched if entry.kernel == kernel)
    function, types = entry.function, entry.types
    chosen = CAPABILITIES if FULL else CAPABILITIES[::3]  # the oldest and the newest
    for capability, ptx in zip(chosen, to_ptx_for_each(function, types, BLOCK, chosen), strict=True):
        assert re.search(rf"\.maxntid {BLOCK}\b", ptx)
        assert without_names(ptx) == without_names(to_ptx(function, types, capability, BLOCK))


def without_names(ptx: str) -> str:
    """Names hold a count of what was compiled before."""
    return re.sub(r"\b_\w+", "_", ptx)


# The checks are able to fail


def source_of(body: str) -> str:
    return f"import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef broken(x):\n    {body}\n"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("cuda.atomic.cas(x, 0, 0.0, 1.0)", "float64"),
        ("cuda.atomic.add(x, 0, True)", "bool"),
        ("x[0] = no_such_function(x[0])", "int64"),
    ],
    ids=["float cas", "bool atomic", "unknown function"],
)
def test_a_kernel_that_no_gpu_runs_is_noticed(body: str, kind: str, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"(?i)failed in|not defined|untyped global|no implementation"):
        checked(kernel_of(source_of(body), "broken"), [f"array({kind}, 1d, C)"], tmp_path)


@pytest.mark.skipif(not assembler(), reason="no ptxas here")
def test_what_the_assembler_refuses_is_noticed(tmp_path: Path) -> None:
    function = kernel_of(source_of("x[0] = x[1]"), "broken")
    ptx = to_ptx(function, ["array(int64, 1d, C)"], (8, 0))
    assert assemble(ptx, (8, 0), tmp_path).spilled_bytes == 0
    with pytest.raises(subprocess.CalledProcessError):
        assemble(ptx.replace("ld.global", "ld.nowhere"), (8, 0), tmp_path)


@pytest.mark.skipif(not assembler(), reason="no ptxas here")
def test_spills_are_noticed(launched: list[Launch], tmp_path: Path) -> None:
    hungry = next(entry for entry in launched if entry.kernel == "pull_long_rows")
    ptx = to_ptx(hungry.function, hungry.types, (8, 0))
    assert assemble(ptx, (8, 0), tmp_path, "-maxrregcount=16").spilled_bytes > 0
