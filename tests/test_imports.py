"""Imports point one way, and nothing optional is imported before it is asked for."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "anypair"
PUBLIC = {"anypair", "anypair.semiring", "anypair.errors"}

SERVICES = {"anypair.compiling.*", "anypair.threads.*"}
ALGEBRA = {"anypair.errors", "anypair.dtypes", "anypair.semiring", "anypair.semiring.catalogue"}
ENGINES = (
    "cuda",
    "hybrid",
    "jit",
    "list",
    "mpi",
    "scipy",
    "streamed",
    "suitesparse",
)  # backends that are folders

# What backends share: the contract and the pure decisions, each a file.
CONTRACT = {
    f"anypair.backends.{path.stem}"
    for path in (PACKAGE / "backends").glob("*.py")
    if path.stem not in ("__init__", "reference", "registry")
}
BACKEND = {
    *ALGEBRA,
    *CONTRACT,
    *SERVICES,
    "anypair.semiring.numba_form",
    "anypair.machine",
    "anypair.memory",
    "anypair.trace",
}

# For each room, what of ours it may import besides its own files (`room.*`: all of another one); longest
# match counts.
ALLOWED = {
    "anypair.errors": set(),
    "anypair.dtypes": {"anypair.errors"},
    "anypair.semiring": {"anypair.errors", "anypair.dtypes"},
    "anypair.compiling": {
        *ALGEBRA,
        *(f"anypair.semiring.{name}" for name in ("captures", "numba_form", "trusted_modules")),
        "anypair.version",
    },
    "anypair.threads": {"anypair.compiling.*", "anypair.dtypes", "anypair.machine"},
    **dict.fromkeys(CONTRACT, BACKEND - SERVICES),
    "anypair.backends.base": {
        *BACKEND - SERVICES,
        "anypair.backends.registry",  # a pickle has the backend's name
        "anypair.backends.wire.array_layer",  # a type
    },
    "anypair.backends.tuning": {"anypair.threads.granularity"},
    "anypair.backends.reference": BACKEND - SERVICES,
    "anypair.backends.registry": {*CONTRACT, "anypair.errors"},
    "anypair.backends.wire": BACKEND,
    **{f"anypair.backends.{name}": BACKEND for name in ENGINES},
    "anypair.backends.cuda": {*BACKEND, "anypair.backends.wire.*"},
    # Vectors are another backend's, which is found by its name and known by the contract.
    "anypair.backends.list": {*BACKEND, "anypair.backends.registry"},
    "anypair.backends.streamed": {*BACKEND, "anypair.backends.registry"},
    "anypair.backends.hybrid": {*BACKEND, "anypair.backends.registry"},
    # Ranks run another backend likewise.
    "anypair.backends.mpi": {*BACKEND, "anypair.backends.wire.*", "anypair.backends.registry"},
    "anypair.algorithms": PUBLIC,
    "anypair.gas": {*PUBLIC, "anypair.algorithms.checks"},
    "anypair.memory": {"anypair.errors"},
    "anypair.trace": {"anypair.errors", "anypair.version"},
    "anypair.report": {"anypair.errors", "anypair.version", "anypair.backends.registry"},
}


@cache
def modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = ("anypair", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(p for p in parts if p != "__init__")] = path
    return found


PACKAGES = {"anypair", "anypair.backends", "anypair.compiling", "anypair.threads"}  # which do nothing


def imported(source: str) -> set[str]:
    """The modules that a source text imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            if f"{node.module}.".startswith("anypair."):
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def wrong_imports(module: str, source: str) -> set[str]:
    """Imports from rooms that this module has no business in."""
    rooms = [room for room in ALLOWED if f"{module}.".startswith(f"{room}.")]
    if not rooms:
        return set()
    room = max(rooms, key=len)
    real = {name for name in imported(source) if name in modules()}
    for package in PACKAGES - ALLOWED[room]:
        real -= {package}  # `from anypair import semiring` names the package and the module
    rooms = [room, *(name.removesuffix(".*") for name in ALLOWED[room] if name.endswith(".*"))]
    return {
        name
        for name in real
        if name not in ALLOWED[room] and not f"{name}.".startswith(tuple(f"{r}." for r in rooms))
    }


@pytest.mark.parametrize("module", sorted(modules()))
def test_imports_point_one_way(module: str) -> None:
    assert not wrong_imports(module, modules()[module].read_text())


def test_a_wrong_import_is_noticed() -> None:
    assert wrong_imports("anypair.semiring.rules", "from anypair.matrix import Matrix")
    assert wrong_imports("anypair.algorithms.bfs", "import anypair.backends.scipy")
    assert wrong_imports("anypair.backends.scipy.products", "from anypair import vector")
    assert wrong_imports("anypair.compiling.modules", "from anypair.threads.pool import SpinPool")
    assert wrong_imports(
        "anypair.threads.pool", "from anypair.backends.jit.kernels import plain_kernels"
    )
    assert wrong_imports(
        "anypair.backends.mpi.moving", "from anypair.backends.scipy.ordering import find"
    )
    assert wrong_imports("anypair.backends.cuda.products", "import anypair.backends.jit.kernels")
    assert wrong_imports("anypair.backends.cuda.products", "from anypair.backends import jit")
    assert wrong_imports(
        "anypair.backends.plan", "from anypair.backends.jit.products import VectorProduct"
    )
    assert wrong_imports("anypair.backends.scipy.storage", "from anypair.backends.registry import load")
    assert not wrong_imports("anypair.algorithms.bfs", "from anypair import Matrix")
    assert not wrong_imports(
        "anypair.backends.jit.products", "from anypair.threads.pool import SpinPool"
    )


OPTIONAL = ["numba", "graphblas", "cupy", "mpi4py", "networkx", "pandas", "scipy"]


@pytest.mark.parametrize("module", ["anypair", "anypair.algorithms", "anypair.graph500"])
def test_importing_anypair_imports_no_optional_library(module: str) -> None:
    code = f"import sys, {module}; print([m for m in {OPTIONAL} if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "module", ["io", "gas", "graph500", "report", "errors", "config", "backends", "launch", "cli"]
)
def test_modules_are_there_after_a_plain_import(module: str) -> None:
    """In a new process, where nobody else has imported them."""
    code = f"import anypair; print(anypair.{module}.__name__, {module!r} in dir(anypair))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == f"anypair.{module} True\n", done.stderr


def test_importing_anypair_imports_numpy_and_nothing_else() -> None:
    code = (
        "import sys, numpy; before = set(sys.modules); import anypair; "
        "print({m.split('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names), "
        "[m for m in ('anypair.io', 'anypair.graph500', 'anypair.report', 'anypair.cli') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "{'anypair'} []\n"


def test_a_name_that_is_not_there() -> None:
    import anypair

    with pytest.raises(AttributeError, match="module 'anypair' has no attribute 'magic'"):
        anypair.magic  # noqa: B018


def test_algorithm_files_are_short() -> None:
    for path in set((PACKAGE / "algorithms").glob("[!_]*.py")) - {PACKAGE / "algorithms" / "checks.py"}:
        lines = len(path.read_text().splitlines())
        assert lines <= (40 if path.name == "bfs.py" else 80), path.name
