"""What README and docs promise is what happens: their Python runs and prints what stands below it."""

import contextlib
import io
import json
import math
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import anypair
from anypair.backends.registry import BACKENDS, backend_class, default_options, why_not
from anypair.cli.backends import describe_backends
from anypair.cli.commands import COMMANDS
from anypair.cli.parser import build_parser
from anypair.config import PREFIX, RESERVED, VARIABLES
from anypair.handle import backend_for

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"```python\n(.*?)```(?:\s*```text\n(.*?)```)?", re.DOTALL)


def blocks(name: str) -> list[tuple[str, str]]:
    return BLOCK.findall((ROOT / name).read_text())


def run_blocks(found: list[tuple[str, str]]) -> None:
    """Run the blocks one after another in one namespace; each prints what is stated."""
    names: dict[str, Any] = {}
    for code, stated in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), names)
        assert printed.getvalue() == stated


DOCUMENTS = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_code_in_documents_runs(backend: str, name: str) -> None:
    assert blocks(name)
    run_blocks(blocks(name))


#: Documents whose graphs may be anywhere, as nothing in them speaks of backends.
ANYWHERE = ["README.md", "docs/index.md", "docs/operations.md", "docs/records.md", "docs/tutorial.md"]


@pytest.mark.parametrize("name", ANYWHERE)
def test_code_in_documents_follows_the_graph(
    backend: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Matrices are on this backend, and all else on another one unless the text says like=."""

    def elsewhere(operation: str, given: Any, like: Any) -> Any:
        return backend_for(operation, backend if given is None and like is None else given, like)

    monkeypatch.setattr("anypair.matrix.backend_for", elsewhere)
    with anypair.using("scipy" if backend == "reference" else "reference"):
        run_blocks(blocks(name))


def test_the_example_follows_its_roads(backend: str) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "reliable_routes.py"))
    roads = anypair.Matrix.from_edges([0, 1], [1, 2], [0.5, 0.5])
    with anypair.using("scipy" if backend == "reference" else "reference"):
        assert example["reliabilities"](roads, 0).to_dict() == {0: 1.0, 1: 0.5, 2: 0.25}


def test_closures_of_the_example(backend: str) -> None:
    found = runpy.run_path(str(ROOT / "examples" / "one_line_closures.py"))["answers"](0)
    expected = {
        "shortest": {0: 0.0, 1: 4.0, 2: 7.0, 3: 9.0, 4: 10.0},
        "widest": {0: math.inf, 1: 4.0, 2: 6.0, 3: 4.0, 4: 2.0},
        "most reliable": {0: 1.0, 1: 0.9, 2: 0.81, 3: 0.648, 4: 0.6156},
        "reachable": dict.fromkeys(range(5), True),
        "component": {0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 5},
    }
    assert list(found) == list(expected)
    for question, answer in found.items():
        assert answer.to_dict() == pytest.approx(expected[question])


PROMPTS = re.compile(r"```console\n(>>> .*?)```", re.DOTALL)
PROMPTED = [(name, text) for name in DOCUMENTS for text in PROMPTS.findall((ROOT / name).read_text())]


def type_in(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What somebody gets who types this at a new prompt."""
    (folder / "session.txt").write_text(text)
    options = ["-o", "NORMALIZE_WHITESPACE", "-o", "ELLIPSIS"]
    return subprocess.run(
        [sys.executable, "-m", "doctest", *options, "session.txt"], capture_output=True, text=True,
        timeout=120, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(("name", "text"), PROMPTED, ids=[name for name, _ in PROMPTED])
def test_what_documents_type_at_a_prompt_runs(name: str, text: str, tmp_path: Path) -> None:
    done = type_in(text, tmp_path)
    assert done.returncode == 0, done.stdout


def test_prompts_are_found_and_wrong_ones_noticed(tmp_path: Path) -> None:
    assert "README.md" in [name for name, _ in PROMPTED]
    assert type_in(">>> 1 + 1\n3\n", tmp_path).returncode == 1


def test_links_between_documents_lead_somewhere() -> None:
    for name in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / name).read_text()):
            assert ((ROOT / name).parent / target).exists(), f"{name}: {target}"


COMMAND_LINE = re.compile(r"^\$ (.*)$|`(anypair [a-z].*?)`", re.MULTILINE)
TYPED = [
    (name, line)
    for name in DOCUMENTS
    for found in COMMAND_LINE.findall((ROOT / name).read_text())
    for line in found
    if re.match(r"(\w+=\S+ )*anypair ", line) and not re.search(r" [A-Z]{3,}", line)
]


@pytest.mark.parametrize(("name", "line"), TYPED, ids=[line for _, line in TYPED])
def test_command_lines_in_documents_are_understood(name: str, line: str) -> None:
    """`anypair bench` and the like, which only name a subcommand, have to name one that there is."""
    words = shlex.split(line.split("|")[0], comments=True)
    _, *given = words[words.index("anypair") :]
    if len(given) == 1:
        assert given[0] in {command.name for command in COMMANDS}
    else:
        assert build_parser(COMMANDS).parse_args(given).command == given[0]


def test_a_wrong_command_line_is_noticed() -> None:
    assert len(TYPED) > 30
    with pytest.raises(SystemExit):
        test_command_lines_in_documents_are_understood("README.md", "anypair bfs --from 3")
    with pytest.raises(AssertionError):
        test_command_lines_in_documents_are_understood("README.md", "anypair search")


#: Where the options of a backend are listed.
LISTED = {"hybrid": "hybrid", "streamed": "streamed", "cuda": "gpu", "mpi": "grid", "jit": "backends"}


@pytest.mark.parametrize("name", LISTED)
def test_tables_of_options_are_complete(name: str) -> None:
    _, _, table = (ROOT / "docs" / f"{LISTED[name]}.md").read_text().partition("| option | ")
    listed = re.findall(r"^\| `(\w+)` \|", table.partition("\n\n")[0], re.MULTILINE)
    assert sorted(listed) == sorted(default_options(name))


def test_options_of_execution_are_those_that_the_page_names() -> None:
    text = (ROOT / "docs" / "backends.md").read_text()
    sentence = re.search(r"Options of execution say (.*?)\. Objects", text, re.DOTALL)
    assert sentence
    execution = {
        option
        for name in BACKENDS
        if not why_not(name)
        for option, declared in backend_class(name).declared.items()
        if declared.execution
    }
    named = set(re.findall(r"`(\w+)`", sentence[1])) - set(BACKENDS)
    assert execution <= named <= execution | {"strategy", "buffer"}  # of `cuda`, which may be missing


def test_the_list_of_backends_is_what_the_command_prints() -> None:
    """But for what is ready, which is a matter of the machine."""
    shown = re.search(r"\$ anypair backends\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert shown
    row = re.compile(r"^..(\w+) +(?:not )?ready +(.*)$", re.MULTILINE)
    assert row.findall(shown[1]) == row.findall(describe_backends())


def test_variables_in_documents_are_read() -> None:
    of_options = {f"{PREFIX}{option.upper()}" for row in BACKENDS.values() for option in row.options}
    for name in DOCUMENTS:
        for variable in re.findall(rf"{PREFIX}[A-Z_]*[A-Z]", (ROOT / name).read_text()):
            known = variable in (*VARIABLES, *of_options) or variable.startswith(RESERVED)
            assert known or variable in ("ANYPAIR_THREDS", "ANYPAIR_TEST"), f"{name}: {variable}"


def test_a_wrong_promise_is_noticed() -> None:
    with pytest.raises(AssertionError):
        run_blocks([("print(1)", "2\n")])


EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(script: Path) -> None:
    """One as it is, the others where nothing is compiled."""
    command, backend = [sys.executable, str(script)], "scipy"
    if script.name == "kronecker_bfs.py":
        command, backend = [*command, "8"], ""
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "ANYPAIR_BACKEND": backend},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert result.stdout


NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def run_cells(notebook: dict[str, Any]) -> None:
    """Run the cells of code one after another in one namespace; each prints what stands below it."""
    found = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert found
    stated = ["".join(line for output in cell["outputs"] for line in output["text"]) for cell in found]
    run_blocks([("".join(cell["source"]), text) for cell, text in zip(found, stated, strict=True)])


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_run(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of their own, from which they, and ranks that they start, import what they write."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    before = set(sys.modules)
    try:
        run_cells(json.loads(notebook.read_text()))
    finally:
        for name in [path.stem for path in tmp_path.glob("*.py") if path.stem not in before]:
            sys.modules.pop(name, None)


def test_a_notebook_that_prints_something_else_is_noticed() -> None:
    cell = {"cell_type": "code", "source": ["print(1)"], "outputs": [{"text": ["2\n"]}]}
    with pytest.raises(AssertionError):
        run_cells({"cells": [cell]})


def test_backends_of_the_makefile_are_those_of_the_registry() -> None:
    stated = re.findall(r"_BACKENDS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert ",".join(stated).split(",") == list(BACKENDS)


def test_pages_made_from_the_code_are_up_to_date() -> None:
    for name, page in runpy.run_path(str(ROOT / "docs" / "pages.py"))["PAGES"].items():
        stands = (ROOT / "docs" / name).read_text()
        assert stands == page(), f"docs/{name} is old: python docs/pages.py writes it anew"
