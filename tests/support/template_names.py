"""Every name that generated modules use, taken from the templates themselves."""

import ast
from functools import cache
from pathlib import Path

import numpy as np

import anypair.backends
from anypair import semiring as s
from anypair.backends.jit.kernels import HEADER
from anypair.compiling import prelude

BACKENDS = Path(anypair.backends.__path__[0])


def _names(text: str) -> set[str]:
    tree = ast.parse(text)
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    found |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    found |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return found | {(alias.asname or alias.name) for node in imports for alias in node.names}


def _texts(backend: str) -> list[str]:
    """All templates of a backend, their header, and what stands before them for operators of each kind."""
    number = np.dtype(np.int64)
    semiring, minimum = s.min_plus.typed(number, number), s.minimum.typed(number, number)
    preludes = [
        prelude.product_prelude(semiring),
        prelude.entry_prelude(minimum),
        prelude.applied_prelude(s.position.typed(number)),
        prelude.bound_prelude(minimum, True),
        prelude.sum_prelude(semiring.add),
    ]
    templates = sorted((BACKENDS / backend / "templates").glob("*.py"))
    return [HEADER, *(p.text for p in preludes), *(t.read_text("utf-8") for t in templates)]


@cache
def template_names(backend: str) -> list[str]:
    """Names of templates: of what is defined in them, and of arguments and variables."""
    found: set[str] = set().union(*map(_names, _texts(backend)))
    return sorted(found)


@cache
def defined_names(backend: str) -> list[str]:
    """Names that modules define, import or are given, for which they look in their globals."""
    found: set[str] = set()
    for text in _texts(backend):
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Assign):
                found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found |= {(alias.asname or alias.name) for alias in node.names}
    return sorted(found)
