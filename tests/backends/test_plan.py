"""The plan of a product, without any backend; and whether the checks would notice another one."""

import ast
import copy
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from anypair.backends import plan
from tests.backends.plan_checks import CHECKS, Check

SOURCE = Path(plan.__file__).read_text()

# Changes that change no answer, and why.
EQUIVALENT = {
    "edges > rows -> edges >= rows": "where they are equal, so are the chances",
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_plan(check: Check) -> None:
    check(plan)


OTHER_COMPARISONS: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
}
OTHER_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}


def other_forms(node: ast.AST) -> Iterator[ast.AST]:
    """The node with one thing changed: a comparison, an operator, a constant, a condition."""
    if isinstance(node, ast.Compare):
        for other in OTHER_COMPARISONS.get(type(node.ops[0]), []):
            yield ast.Compare(node.left, [other()], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in OTHER_OPERATORS:
        yield ast.BinOp(node.left, OTHER_OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        yield from node.values
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield ast.Constant(1 - node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "min":
        yield from node.args


def mutants() -> Iterator[tuple[str, ast.Module]]:
    """plan.py with one thing changed, in every way, where something is decided; what was changed."""
    tree = ast.parse(SOURCE)
    decide = [
        node
        for part in tree.body
        if isinstance(part, ast.FunctionDef) or getattr(part, "name", "") == "Plan"
        for function in ast.walk(part)
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
        for node in ast.walk(statement)
    ]
    for number, node in enumerate(decide):
        for other in other_forms(node):
            changed = copy.deepcopy(tree)
            around = _replace(changed, tree, node, other)
            before, after = map(ast.unparse, around if isinstance(node, ast.Constant) else (node, other))
            yield f"{number}: {before} -> {after}", ast.fix_missing_locations(changed)


def _replace(
    changed: ast.Module, tree: ast.Module, node: ast.AST, other: ast.AST
) -> tuple[ast.AST, ast.AST]:
    """Put `other` where the copy of the tree has what `node` is in the tree; what is around both."""
    for parent, twin in zip(ast.walk(tree), ast.walk(changed), strict=True):
        for name, value in ast.iter_fields(parent):
            if value is node:
                setattr(twin, name, other)
                return parent, twin
            if isinstance(value, list) and any(each is node for each in value):
                getattr(twin, name)[[each is node for each in value].index(True)] = other
                return parent, twin
    raise AssertionError(ast.unparse(node))


def survives(tree: ast.Module) -> bool:
    """Whether no check notices the change."""
    module = ModuleType(plan.__name__)
    try:
        exec(compile(tree, "plan.py", "exec"), module.__dict__)
        for check in CHECKS:
            check(module)
    except Exception:
        return False
    return True


def test_each_change_of_the_plan_is_noticed() -> None:
    changes = dict(mutants())
    assert len(changes) > 60
    unnoticed = {what.partition(": ")[2] for what, tree in changes.items() if survives(tree)}
    assert unnoticed == EQUIVALENT.keys()
