"""The shortest form of a program that still fails: fewer steps, plainer steps, fewer entries."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from time import monotonic

from tests.soak.programs import Program, names_read

SECONDS = 90.0


def shrink(
    program: Program, fails: Callable[[Program], bool], goes_on: Callable[[], bool] | None = None
) -> Program:
    """What is left when nothing more can be taken away; `goes_on` says when to stop trying."""
    end = monotonic() + SECONDS
    more = goes_on or (lambda: monotonic() < end)
    smaller = True
    while smaller and more():
        smaller = False
        for candidate in candidates(program):
            if not more():
                break
            if fails(candidate):
                program, smaller = candidate, True
                break
    return program


def candidates(program: Program) -> Iterator[Program]:
    """Programs with one thing less, the largest first."""
    steps = program["steps"]
    for at in reversed(range(len(steps))):
        yield {**program, "steps": steps[:at] + steps[at + 1 :]}
    if program.get("readers", 1) > 1:
        yield {**program, "readers": 1}
    used = {name for step in steps for name in names_read(step)}
    if unused := [name for name in program["objects"] if name not in used]:
        yield {**program, "objects": {k: v for k, v in program["objects"].items() if k not in unused}}
    for at, step in enumerate(steps):
        for key in ("mask", "accum", "replace", "complemented"):
            if step.get(key):
                plainer = {k: v for k, v in step.items() if k != key}
                yield {**program, "steps": [*steps[:at], plainer, *steps[at + 1 :]]}
        if step.get("out") and step["call"] not in ("assign", "update"):
            plainer = {k: v for k, v in step.items() if k not in ("out", "accum", "replace")}
            yield {**program, "steps": [*steps[:at], plainer, *steps[at + 1 :]]}
    for name in program["objects"]:
        yield from _with_fewer_entries(program, name)


def _with_fewer_entries(program: Program, name: str) -> Iterator[Program]:
    data = program["objects"][name]
    if data["kind"] == "full":
        return
    count = len(data["values"])
    pieces = [(0, count // 2), (count // 2, count)] if count > 3 else []
    pieces += [(at, at + 1) for at in range(count)]
    for begin, end in pieces:
        smaller = deepcopy(data)
        for column in (*smaller["indices"], smaller["values"]):
            del column[begin:end]
        yield {**program, "objects": {**program["objects"], name: smaller}}
