"""What the code of a function reads: its arguments, and names that are not its own."""

import dis
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import NamedTuple

GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME"}
CELLS = {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}
ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}
GLOBAL_CHANGES = {"STORE_GLOBAL", "DELETE_GLOBAL"}
CELL_CHANGES = {"STORE_DEREF", "DELETE_DEREF"}


class Use(NamedTuple):
    """A name that some code takes from outside."""

    name: str
    attributes: tuple[str, ...]  # what it asks of it at once: ("a", "b") for name.a.b
    is_global: bool


@dataclass(slots=True)
class Outside:
    """What some code has to do with the world outside of it, functions inside included."""

    uses: list[Use] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)  # names from outside that it assigns
    imports: list[str] = field(default_factory=list)  # modules that it imports when it runs


def outside(code: CodeType) -> Outside:
    """What the code takes from outside, and does to it.

    >>> import math
    >>> outside((lambda x: math.floor(x)).__code__).uses
    [Use(name='math', attributes=('floor',), is_global=True)]
    """
    found = Outside()
    _look_through(code, frozenset(code.co_freevars), found)
    return found


def _look_through(code: CodeType, captured: frozenset[str], found: Outside) -> None:
    if code.co_names or captured:
        use: Use | None = None
        for step in _steps(code):
            name, kind = step.argval, step.opname
            if use is not None and kind in ATTRIBUTES:
                use = use._replace(attributes=(*use.attributes, name))
                continue
            if use is not None:
                found.uses.append(use)
            is_global = kind in GLOBALS
            use = Use(name, (), is_global) if is_global or (kind in CELLS and name in captured) else None
            if kind in GLOBAL_CHANGES or (kind in CELL_CHANGES and name in captured):
                found.changes.append(name)
            elif kind == "IMPORT_NAME":
                found.imports.append(name)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            _look_through(inner, captured & set(inner.co_freevars), found)


def reads_argument(code: CodeType, argument: int) -> bool:
    """Whether the code ever loads its argument of that number."""
    if code.co_argcount <= argument:
        return True
    name = code.co_varnames[argument]
    if name in code.co_cellvars:
        return True
    loaded = (step.argval for step in _steps(code))
    return any(name == x or (isinstance(x, tuple) and name in x) for x in loaded)


def opcodes(code: CodeType) -> set[str]:
    """The names of the instructions in the code, without those of functions inside."""
    return {step.opname for step in _steps(code)}


def with_captured_renamed(code: CodeType, names: dict[str, str]) -> CodeType:
    """The same code, which finds what it captures under other names; attributes keep theirs."""
    kept = {step.argval for step in _steps(code) if step.opname in ATTRIBUTES}
    renamed = tuple(name if name in kept else names.get(name, name) for name in code.co_names)
    constants = tuple(
        with_captured_renamed(each, names) if isinstance(each, CodeType) else each
        for each in code.co_consts
    )
    free = tuple(names.get(name, name) for name in code.co_freevars)
    return code.replace(co_names=renamed, co_consts=constants, co_freevars=free)


def _steps(code: CodeType) -> Iterator[dis.Instruction]:
    return (step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG")
