"""Lines of code, as the SEI note weighs performance against them (CMU/SEI-2014-TN-001, 3.2)."""

import importlib.util
import io
import tokenize
from pathlib import Path

from anypair.backends.registry import BACKENDS

#: Table 1 of the note: lines of each implementation, common framework left out.
SEI_LINES = {
    "Single CPU, List": 135,
    "Single CPU, CSR": 179,
    "Multi-CPU, CombBLAS": 190,
    "Single GPU, CSR": 217,
    "Single GPU, Out-of-Core CSR": 1932,
}
SEI_SOURCE = "Patterns and Practices for Future Architectures, CMU/SEI-2014-TN-001, Table 1"

_NOT_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def backend_lines(name: str) -> int | None:
    """The lines of code of a backend, templates included; None if it is not one of ours."""
    if name not in BACKENDS:
        return None
    return _module_lines(BACKENDS[name].module)


def search_lines() -> int:
    """The lines of code of breadth-first search, which all backends share."""
    return _module_lines("anypair.algorithms.bfs") or 0


def lines_of_code(source: str) -> int:
    """Lines that hold more than comments, blanks and docstrings, as cloc counts them.

    >>> lines_of_code('x = 1  # one' + chr(10) + '# two' + chr(10) * 2 + 'y = 2')
    2
    """
    lines: set[int] = set()
    begins_statement = True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in _NOT_CODE or token.type == tokenize.ENDMARKER:
            begins_statement = begins_statement or token.type == tokenize.NEWLINE
            continue
        if not (begins_statement and token.type == tokenize.STRING):
            lines.update(range(token.start[0], token.end[0] + 1))
        begins_statement = False
    return len(lines)


def _module_lines(module: str) -> int | None:
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        return None
    path = Path(found.origin)
    files = path.parent.rglob("*.py") if path.name == "__init__.py" else [path]
    return sum(lines_of_code(file.read_text("utf-8")) for file in files)
