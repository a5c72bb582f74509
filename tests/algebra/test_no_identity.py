"""Nothing outside `semiring/` knows an operator by which object it is: twins of users would get less."""

import ast
from pathlib import Path

import pytest

import anypair
from anypair.semiring import BinaryOp, Monoid, Semiring, UnaryOp, catalogue

ROOT = Path(anypair.__file__).parent
NAMES = {
    name
    for name in catalogue.__all__
    if isinstance(getattr(catalogue, name), UnaryOp | BinaryOp | Monoid | Semiring)
}
COMPARING = ast.Is | ast.IsNot | ast.Eq | ast.NotEq | ast.In | ast.NotIn
FILES = sorted(
    path
    for path in ROOT.rglob("*.py")
    if path.relative_to(ROOT).parts[0] not in ("semiring", "algorithms")
)


def is_function_of_operator(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "function"


def of_catalogue(tree: ast.AST) -> set[str]:
    """The expressions of a module that are operators of the catalogue: `second`, or `s.second`."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("anypair"):
            for alias in node.names:
                known = alias.asname or alias.name
                found |= {known} if alias.name in NAMES else {f"{known}.{name}" for name in NAMES}
    return found


def asks_for_module(node: ast.AST) -> bool:
    """Whether the module of a function is asked for, by which those of the catalogue are told too."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr":
        return is_function_of_operator(node.args[0]) and ast.unparse(node.args[1]) == "'__module__'"
    if not isinstance(node, ast.Attribute):
        return False
    return ast.unparse(node) == "catalogue.__name__" or (
        node.attr == "__module__" and is_function_of_operator(node.value)
    )


def keys_of(node: ast.AST) -> list[ast.expr]:
    """What a table or a set is looked up by."""
    if isinstance(node, ast.Dict):
        return [key for key in node.keys if key is not None]
    if isinstance(node, ast.Set):
        return node.elts
    if isinstance(node, ast.SetComp):
        return [node.elt]
    if isinstance(node, ast.Subscript):
        return [node.slice]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        return node.args[:1]
    return []


def parts_of(node: ast.Compare) -> list[ast.expr]:
    sides = [node.left, *node.comparators]
    return [
        part
        for side in sides
        for part in (side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side])
    ]


def comparisons(text: str) -> list[int]:
    """The lines that compare operators by identity, or look them up by it."""
    tree = ast.parse(text)
    known = of_catalogue(tree)
    # What is handed to a function at once is no table yet: it may be turned into one of normal forms.
    handed = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Call) for part in node.args}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict) and id(node) in handed:
            continue
        compares = isinstance(node, ast.Compare) and any(isinstance(op, COMPARING) for op in node.ops)
        used = parts_of(node) if compares else keys_of(node)  # type: ignore[arg-type]
        by_identity = any(is_function_of_operator(part) or ast.unparse(part) in known for part in used)
        if by_identity or asks_for_module(node):
            found.append(node.lineno)  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_operator_is_known_by_identity(path: Path) -> None:
    lines = comparisons(path.read_text("utf-8"))
    assert not lines, f"{path}: lines {lines} know operators by identity; use their facts"


@pytest.mark.parametrize(
    "text",
    [
        "accum.op.function is second.function",
        "op.function is not f",
        "op.function in (a, b)",
        "op.function in KNOWN",
        "f == op.function",
        "op is minimum",
        "semiring.add in (min_monoid, other)",
        "TABLE = {plus.function: 1}",
        "TABLE = {s.plus: 1}",
        "KNOWN = {op.function for op in (a, b)}",
        "TABLE.get(op.function)",
        "TABLE[op.function]",
        "op.function.__module__ == name",
        "getattr(op.function, '__module__', '')",
    ],
)
def test_each_way_to_know_one_by_identity_is_noticed(text: str) -> None:
    imports = "from anypair.semiring import min_monoid, minimum\nfrom anypair import semiring as s\n"
    assert comparisons(imports + text) == [3]


def test_calls_and_facts_are_no_comparisons() -> None:
    text = "from anypair.semiring import min_monoid, plus\nf(op.function, x)\nmin_monoid.typed(d)"
    assert not comparisons(
        f"{text}\nx.gives == 'value'\nT[plus.canonical]\nT = by_form({{plus: 1}})\nsource == 3"
    )
