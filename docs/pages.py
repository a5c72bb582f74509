"""Writes docs/api.md and docs/catalogue.md from the code; a test compares them."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anypair
from anypair import (
    BinaryOp,
    IndexUnaryOp,
    Matrix,
    Monoid,
    Record,
    Semiring,
    UnaryOp,
    Vector,
    algorithms,
    generators,
    semiring,
)
from anypair.dtypes import as_dtype

DTYPES = {"bool": "bool", "int8": "int8", "int64": "int64", "uint64": "uint64", "float32": "float32"}

API = """# Names

What programs may rely on, with its first sentence; `help(anypair.mxv)` has the rest, and an example that
runs. This page is made from the code by `make pages`.

```python
import anypair

print(anypair.mxv.__doc__.splitlines()[0])
```

```text
out<mask> accum= A u: out(i) = add over k of multiply(A(i, k), u(k)).
```
"""

CATALOGUE = """# Catalogue

All operators, monoids and semirings of `anypair.semiring`, with their [facts](operations.md#facts) and
the dtype of the result for operands of one dtype. This page is made from the code by `make pages`.

```python
from anypair.semiring import min_plus, plus

print(plus(2, 3), plus.commutes, min_plus)
```

```text
5 True Semiring(min_plus)
```
"""


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines
    )


def word(fact: Any) -> str:
    """A fact in a word, or nothing."""
    return "" if fact is None else str(getattr(fact, "name", fact))


def result(typed: Callable[..., Any], operands: int) -> list[str]:
    """The dtype that comes of operands of each dtype."""
    return [str(typed(*[as_dtype(dtype)] * operands).result) for dtype in DTYPES]


def facts(op: BinaryOp) -> str:
    """What is known of an operator."""
    known = [name for name in ("commutes", "associates") if getattr(op, name)]
    known += [f"{name} {value}" for name in ("selects", "gives") if (value := getattr(op, name))]
    if op.monotone:
        known.append("monotone")
    elif op.monotone_within is not None:
        known.append("monotone for some edges")
    return ", ".join(known)


def catalogue() -> str:
    """The page of all operators, monoids and semirings."""
    known = {name: getattr(semiring, name) for name in semiring.catalogue.__all__}
    parts = [CATALOGUE]

    def of(kind: type) -> Iterator[tuple[str, Any]]:
        yield from ((name, x) for name, x in known.items() if type(x) is kind)

    heads = ["name", *(f"of {name}" for name in DTYPES)]
    for title, kind, count in (
        ("Operators of one value", UnaryOp, 1),
        ("Operators that see places", IndexUnaryOp, 1),
        ("Operators of two values", BinaryOp, 2),
    ):
        more = ["facts"] if kind is BinaryOp else []
        rows = [
            [f"`{name}`", *result(x.typed, count), *([facts(x)] if more else [])] for name, x in of(kind)
        ]
        parts.append(f"## {title}\n\n{table([*heads, *more], rows)}")
    rows = [
        [
            f"`{name}`",
            f"`{x.name}`",
            str(x.identity),
            "" if x.terminal is None else str(x.terminal),
            x.selects or "",
        ]
        for name, x in of(Monoid)
    ]
    parts.append(f"## Monoids\n\n{table(['name', 'operator', 'identity', 'terminal', 'selects'], rows)}")
    rows = [
        [f"`{name}`", f"`{x.add.name}`", f"`{x.multiply.name}`", *result(x.typed, 2), facts(x.multiply)]
        for name, x in of(Semiring)
    ]
    heads = ["name", "add", "multiply", *heads[1:], "facts of the multiply"]
    parts.append(f"## Semirings\n\n{table(heads, rows)}")
    return "\n".join(parts)


def first_line(x: Any) -> str:
    """The first sentence of a docstring."""
    return (inspect.getdoc(x) or "").partition("\n")[0].replace("<", "&lt;")


def signature(x: Any) -> str:
    """The arguments as Python writes them, without types."""
    found = inspect.signature(x)
    plain = [
        p.replace(annotation=p.empty) for p in found.parameters.values() if p.name not in ("self", "cls")
    ]
    return str(found.replace(parameters=plain, return_annotation=found.empty))


def api() -> str:
    """The page of all public names."""

    def rows(place: Any, names: list[str]) -> str:
        made = []
        for name in names:
            x = inspect.getattr_static(place, name)
            x = getattr(place, name) if isinstance(x, classmethod | staticmethod) else x
            is_called = inspect.isfunction(x) or inspect.ismethod(x)
            made.append([f"`{name}{signature(x) if is_called else ''}`", first_line(x)])
        return table(["name", "what it is"], made)

    parts = [API]
    functions = [n for n in anypair.__all__ if inspect.isfunction(getattr(anypair, n))]
    parts.append(f"## anypair\n\n{rows(anypair, functions)}")
    for kind in (Matrix, Vector, Record):
        names = [
            n for n in dir(kind) if not n.startswith("_") and first_line(inspect.getattr_static(kind, n))
        ]
        parts.append(f"## {kind.__name__}\n\n{first_line(kind)}\n\n{rows(kind, names)}")
    parts.append(f"## anypair.algorithms\n\n{rows(algorithms, list(algorithms.__all__))}")
    made = [
        n
        for n, x in vars(generators).items()
        if inspect.isfunction(x) and x.__module__ == generators.__name__
    ]
    parts.append(
        f"## anypair.generators\n\n{rows(generators, [n for n in made if not n.startswith('_')])}"
    )
    return "\n".join(parts)


PAGES = {"api.md": api, "catalogue.md": catalogue}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (Path(__file__).parent / name).write_text(page(), encoding="utf-8")
