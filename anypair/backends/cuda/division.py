"""Division by zero raises in a user's operator on the GPU too, as it does in Python.

Compiled for a GPU, `//`, `/` and `%` by zero would give some number in silence.
"""

import ast

from anypair.compiling.syntax import parse

NAMES = {ast.FloorDiv: "floor_division", ast.Div: "true_division", ast.Mod: "remainder"}

FUNCTIONS = "".join(
    f"""
@compiled
def checked_{name}(x, y):
    if y == 0:
        raise ZeroDivisionError("division by zero")
    return x {sign} y
"""
    for name, sign in (("floor_division", "//"), ("true_division", "/"), ("remainder", "%"))
)


class _Checked(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = NAMES.get(type(node.op))
        if name is None:
            return node
        called = ast.Name(f"checked_{name}", ast.Load())
        return ast.Call(called, [node.left, node.right], [])


def with_checked_division(text: str) -> str:
    """The same definitions, every division in them checked.

    >>> print(with_checked_division("f = lambda x, y: 1 + x // y"))
    f = lambda x, y: 1 + checked_floor_division(x, y)
    """
    return ast.unparse(ast.fix_missing_locations(_Checked().visit(parse(text))))
