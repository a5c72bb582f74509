"""Machine code on disk, seen from whole processes: found again, never stale, not needed."""

import builtins
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import anypair
from anypair import Vector, apply, unary_op
from anypair.compiling.kernel_folder import SUFFIX
from anypair.compiling.operator_source import text_of
from anypair.semiring.captures import freeze
from tests.support.template_names import defined_names

SEARCH = """
import anypair
from anypair.algorithms import bfs_parents
graph = anypair.Matrix.from_edges([0, 1, 1], [1, 2, 3], symmetric=True, backend="jit")
print(bfs_parents(graph, 0).to_dict())
"""
ANSWER = "{0: 0, 1: 0, 2: 1, 3: 1}\n"


def run(code: str, folder: Path | None = None, **environment: str) -> subprocess.Popen[str]:
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("ANYPAIR_", "XDG_"))}
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        env=variables | {"NUMBA_OPT": "1"} | environment,  # sooner compiled, and kept in the same way
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


def compiled(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_two_processes_at_once_and_a_third_that_compiles_nothing(tmp_path: Path) -> None:
    both = [run(SEARCH, ANYPAIR_CACHE=str(tmp_path)) for _ in range(2)]
    assert [output(process) for process in both] == [ANSWER, ANSWER]
    before = compiled(tmp_path)
    assert before
    assert output(run(SEARCH, ANYPAIR_CACHE=str(tmp_path))) == ANSWER
    assert compiled(tmp_path) == before
    assert {path.suffix for path in tmp_path.iterdir()} == {SUFFIX}


def test_files_that_are_cut_short_are_compiled_anew(tmp_path: Path) -> None:
    code = (
        "from anypair import Vector, apply; from anypair.semiring import times\n"
        "print(apply(Vector.from_entries([0, 2], [1.5, 2.0], 3), times, right=2.0).to_dict())"
    )
    for _ in range(3):
        assert output(run(code, ANYPAIR_CACHE=str(tmp_path))) == "{0: 3.0, 2: 4.0}\n"
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert files
        for path in files:
            os.truncate(path, 100)


def test_a_folder_beside_the_process_that_goes_elsewhere(tmp_path: Path) -> None:
    code = (
        "import os; from anypair import Vector, apply; from anypair.semiring import plus, times\n"
        "u = Vector.full(3, 1.0, backend='jit'); apply(u, times, right=2.0)\n"
        "os.mkdir('x'); os.chdir('x'); print(apply(u, plus, right=2.0).get(0))"
    )
    assert output(run(code, tmp_path, ANYPAIR_CACHE="here")) == "3.0\n"
    assert compiled(tmp_path / "here")
    assert not list((tmp_path / "x").iterdir())


def test_a_home_that_cannot_be_written_to(tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("not a folder")
    assert output(run(SEARCH, HOME=str(nowhere / "home"))) == ANSWER


def test_nothing_can_be_written_to(tmp_path: Path) -> None:
    """A package that root has installed, used by somebody without a home; nothing is left behind."""
    package = tmp_path / "anypair"
    shutil.copytree(Path(anypair.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (tmp_path, *(path for path in package.rglob("*") if path.is_dir())):
        (folder / "__pycache__").write_text("not a folder")
    with_helpers = (
        f"{SEARCH}print(anypair.threads.team.Team(2).run(abs, [(1,), (-2,)]), anypair.__file__)"
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    home = str(tmp_path / "__pycache__" / "home")
    found = output(run(with_helpers, tmp_path, HOME=home, TMPDIR=str(temporary)))
    assert found == f"{ANSWER}[1, 2] {package / '__init__.py'}\n"
    assert not list(temporary.iterdir())


SCALE_BY = 3


def twice(x: Any) -> Any:
    return x + x


def in_file(folder: Path, text: str) -> Callable[..., Any]:
    """A function `f` that is defined in a file of its own."""
    path = folder / f"module_{abs(hash(text))}.py"
    path.write_text(text)
    namespace: dict[str, Any] = {"__name__": "module"}
    exec(compile(text, str(path), "exec"), namespace)
    function: Callable[..., Any] = namespace["f"]
    return function


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return x * 3\n",
        "f = lambda x: x * 3\n",
        "a, f = (lambda x: x), (lambda x: x * 3)\n",
        "factor = 3\ndef f(x):\n    return x * factor\n",
        "import math\nf = lambda x: x * math.floor(3.5)\n",
        "def make(factor):\n    return lambda x: x * factor\nf = make(3)\n",
        "def g(x):\n    return 2 * x\ndef f(x):\n    return x + g(x)\n",
        "import numpy as np\nfactor = np.int32(3)\ndef f(x):\n    return x * factor\n",
        "import numba\n@numba.njit\ndef g(x):\n    return 2 * x\ndef f(x):\n    return x + g(x)\n",
        "def g(x, y=3):\n    return x * y\ndef f(x):\n    return g(x)\n",
        "from math import floor as down\nf = lambda x: x * down(3.5)\n",
        "minus = -2\nf = lambda x: x * minus ** 2 - x\n",
        "def f(x: int) -> int:\n    '''Doc.'''\n    y = x\n    return y * 3\n",
        "limit = None\ndef f(x):\n    return x * 3 if limit is None else 0\n",
    ],
    ids=[
        "def", "lambda", "two lambdas on a line", "global number", "module", "closure", "other function",
        "NumPy number", "jitted function", "default of a helper", "function of a module", "power of a negative",
        "annotations and locals", "None",
    ],
)  # fmt: skip
def test_functions_have_a_text_that_means_the_same(tmp_path: Path, text: str) -> None:
    function = in_file(tmp_path, text)
    found = text_of(freeze("f", function), "renamed")
    assert found is not None
    import numba
    import numpy

    namespace: dict[str, Any] = {"compiled": numba.njit, "np": numpy}
    exec(found, namespace)
    assert namespace["renamed"](14) == function(14) == 42


@pytest.mark.parametrize(
    "text",
    [
        "class Thing:\n    factor = 3\nthing = Thing()\ndef f(x):\n    return x * thing.factor\n",
        "table = {1: 2}\ndef f(x):\n    return table[x]\n",
        "n = 3\ndef f(x):\n    return n + sum([n for n in (x, x)])\n",
        "n = 3\ndef f(x):\n    renamed_1 = x\n    return renamed_1 * n\n",
    ],
    ids=["object", "dict", "one name for two things", "name that begins as those in the text"],
)
def test_functions_without_a_text_to_be_trusted(tmp_path: Path, text: str) -> None:
    assert text_of(freeze("f", in_file(tmp_path, text)), "renamed") is None


def test_a_file_that_changed_after_the_import_is_not_trusted(tmp_path: Path) -> None:
    text = "def f(x):\n    return x * 3\n"
    function = in_file(tmp_path, text)
    (path,) = tmp_path.glob("*.py")
    path.write_text(text.replace("3", "4"))
    assert text_of(function, "renamed") is None


SCRIPT = """
import settings, helpers
from anypair import *
scaled = unary_op(lambda x: x * settings.RATE + helpers.h(x))
print(apply(Vector.full(2, 10.0, backend="jit"), scaled).get(0))
"""


def test_a_value_of_another_file_that_changes_between_runs(tmp_path: Path) -> None:
    """Two processes share a cache; nothing in it depends on a value that is not part of its name."""
    (tmp_path / "script.py").write_text(SCRIPT)
    code = f"import sys, runpy; sys.path.insert(0, {str(tmp_path)!r}); runpy.run_path({str(tmp_path / 'script.py')!r})"
    said = []
    for rate, offset in ((2.0, 100), (3.0, 100), (3.0, 200), (2.0, 100)):
        (tmp_path / "settings.py").write_text(f"RATE = {rate}\n")
        (tmp_path / "deeper.py").write_text(f"OFFSET = {offset}\n")
        (tmp_path / "helpers.py").write_text(
            "import numba, deeper\n@numba.njit\ndef h(x):\n    return x + deeper.OFFSET\n"
        )
        said.append(
            output(run(code, ANYPAIR_CACHE=str(tmp_path / "cache"), PYTHONDONTWRITEBYTECODE="1"))
        )
    assert said == ["130.0\n", "140.0\n", "240.0\n", "130.0\n"]


@pytest.mark.parametrize("backend", ["jit", "cuda"])
def test_templates_hide_nothing_built_in(backend: str) -> None:
    """A user's function would find it there in place of what it means."""
    assert not [name for name in defined_names(backend) if hasattr(builtins, name)]


def test_captured_values_are_part_of_the_text() -> None:
    def scaled(factor: int) -> Any:
        return unary_op(lambda x: x * factor)

    v = Vector.full(2, 5, backend="jit")
    assert [apply(v, scaled(k)).get(0) for k in (2, 3, 2)] == [10, 15, 10]


def test_functions_typed_at_a_prompt_run_all_the_same() -> None:
    namespace: dict[str, Any] = {}
    exec("def typed(x):\n    return x + 1\n", namespace)
    assert text_of(namespace["typed"], "renamed") is None
    assert apply(Vector.full(2, 5, backend="jit"), unary_op(namespace["typed"])).get(0) == 6


def test_an_operator_used_again_adds_no_files(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(
        "import anypair\n"
        "@anypair.unary_op\n"
        "def tripled(x):\n    return 3 * x\n"
        "v = anypair.Vector.full(3, 2, backend='jit')\n"
        "print(anypair.apply(v, tripled).to_dict())\n"
    )
    code = f"import runpy; runpy.run_path({str(path)!r})"
    cache = tmp_path / "cache"
    for _ in range(2):
        assert output(run(code, ANYPAIR_CACHE=str(cache))) == "{0: 6, 1: 6, 2: 6}\n"
    assert len([name for name in compiled(cache) if name.startswith("flat_values")]) == 1
