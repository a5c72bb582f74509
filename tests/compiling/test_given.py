"""The names that templates take for given are what stands before them, and stubs say so."""

import ast
from pathlib import Path

import numpy as np
import pytest

import anypair.backends
from anypair import semiring as s
from anypair.backends.jit import kernels as jit
from anypair.compiling import prelude

BACKENDS = Path(anypair.backends.__path__[0])
STUBS = {
    "anypair.compiling.given": BACKENDS.parent / "compiling" / "given.pyi",
    "anypair.backends.cuda.given": BACKENDS / "cuda" / "given.pyi",
    "anypair.backends.suitesparse.given": BACKENDS / "suitesparse" / "given.pyi",
}
TEMPLATES = sorted(BACKENDS.glob("*/templates/*.py"))
NUMBER = np.dtype(np.int64)
SEMIRING = s.min_plus.typed(NUMBER, NUMBER)
MINIMUM = s.minimum.typed(NUMBER, NUMBER)


def ordered(before: prelude.Prelude) -> prelude.Prelude:
    """With what closures are given besides."""
    prelude.order_of_values(before, SEMIRING.add)
    return before


#: What may stand before each template of jit.
PRELUDES = {
    "buckets": [ordered(prelude.product_prelude(SEMIRING))],
    "components": [ordered(prelude.Prelude())],
    "duplicates": [prelude.entry_prelude(MINIMUM)],
    "lanes": [prelude.sum_prelude(SEMIRING.add)],
    "product_of_matrices": [prelude.product_prelude(SEMIRING)],
    "scaling": [prelude.entry_prelude(MINIMUM)],
    "scattering": [prelude.entry_prelude(MINIMUM)],
    "products_of_vectors": [
        prelude.product_prelude(SEMIRING),
        prelude.product_prelude(SEMIRING, flipped=True),
    ],
}


def given(path: Path) -> dict[str, set[str]]:
    """By stub, the names that a template takes for given."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module in STUBS:
            found.setdefault(node.module, set()).update(alias.name for alias in node.names)
    return found


def defined(text: str) -> set[str]:
    """The names that a text defines or imports at its top."""
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
    return found


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_stubs_have_what_templates_are_given(path: Path) -> None:
    for stub, names in given(path).items():
        assert names <= defined(STUBS[stub].read_text())


def test_stubs_have_nothing_that_no_template_is_given() -> None:
    taken = {stub: set[str]() for stub in STUBS}
    for path in TEMPLATES:
        for stub, names in given(path).items():
            taken[stub] |= names
    ours = taken["anypair.compiling.given"] | taken["anypair.backends.cuda.given"]
    assert defined(STUBS["anypair.compiling.given"].read_text()) - {"Any", "Iterator"} <= ours
    for stub in ("anypair.backends.cuda.given", "anypair.backends.suitesparse.given"):
        assert defined(STUBS[stub].read_text()) - {"Any"} == taken[stub]


@pytest.mark.parametrize("name", [path.stem for path in TEMPLATES if path.parts[-3] == "jit"])
def test_what_is_given_stands_before_the_template(name: str) -> None:
    names = given(jit.TEMPLATES / f"{name}.py").get("anypair.compiling.given", set())
    header = defined(jit.HEADER) | {"VALUED", "parts"}
    for each in PRELUDES.get(name, []):
        assert names <= header | defined(each.text)
    if name not in PRELUDES:
        assert names <= header


@pytest.mark.parametrize("name", [path.stem for path in TEMPLATES if path.parts[-3] == "jit"])
def test_loops_that_take_parts_are_written_out(name: str) -> None:
    template, text = (jit.TEMPLATES / f"{name}.py").read_text(), jit.template_text(name)
    assert "in parts(" not in text
    loops = sum(
        isinstance(n, ast.For) and "parts(" in ast.unparse(n.iter) for n in ast.walk(ast.parse(template))
    )
    taking = [
        n
        for n in ast.walk(ast.parse(text))
        if isinstance(n, ast.While) and "next_part(" in ast.unparse(n)
    ]
    assert len(taking) == loops
    assert ("import next_part" in text) == (loops > 0)
    assert "next_part" not in template
