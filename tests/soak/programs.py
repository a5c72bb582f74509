"""Programs as data: objects to begin with, and steps, each an operation on objects by name.

Everything is plain JSON, so that a file shows what it does and replays in any later version.
"""

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import anypair
from anypair import Matrix, Vector
from anypair.backends.base import Backend
from anypair.errors import AnypairError
from tests.soak.operators import operator

Program = dict[str, Any]  # {"objects": {name: object}, "steps": [step, ...], "readers": 1 or 2}
Step = dict[str, Any]
Objects = dict[str, Any]  # handles, and numbers or names of errors that steps gave


def build(data: Mapping[str, Any], backend: Backend) -> Matrix | Vector:
    """The object that an entry of `objects` means."""
    options = {"dtype": data["dtype"], "backend": backend}
    if data["kind"] == "full":
        return Vector.full(data["shape"][0], data["values"][0], **options)
    if "duplicates" in data:
        options["duplicates"] = getattr(anypair.semiring, data["duplicates"])
    values = np.array(data["values"], data["dtype"])
    if data["kind"] == "vector":
        return Vector.from_entries(data["indices"][0], values, data["shape"][0], **options)
    if data["kind"] == "matrix":
        return Matrix.from_entries(*data["indices"], values, tuple(data["shape"]), **options)
    return Matrix.from_edges(*data["indices"], values, data["shape"][0], data["symmetric"], **options)


def perform(step: Step, objects: Objects) -> None:
    """Do one step; what comes of it, be it an error, is among the objects afterwards."""
    missing = [name for name in names_read(step) if not isinstance(objects.get(name), Matrix | Vector)]
    if missing:  # what would have made it failed
        objects[step["result"]] = f"no {missing[0]}"
        return
    try:
        objects[step["result"]] = _call(step, objects)
    except AnypairError as error:
        objects[f"{step['result']} error"] = type(error).__name__


def names_read(step: Step) -> list[str]:
    """The objects that a step needs: operands, mask, output."""
    return [*step["arguments"], *(step[k] for k in ("out", "mask") if step.get(k) is not None)]


def _call(step: Step, objects: Objects) -> Any:
    arguments: list[Any] = [objects[name] for name in step["arguments"]]
    call = step["call"]
    if call == "copy":
        return arguments[0].copy()
    if call == "T":
        return arguments[0].T
    if call == "cast":
        return arguments[0].cast(step["dtype"])
    if call == "expression":
        return eval(step["text"], {"abs": abs}, dict(zip("xyz", arguments, strict=True)))
    if call in ("update", "assign"):
        arguments.insert(0, objects[step["out"]])
    if "value" in step:
        arguments.append(step["value"])
    if "ncols" in step:
        arguments.append(step["ncols"])
    if "op" in step:
        arguments.append(operator(step["op"]))
    arguments += [_places(step[axis]) for axis in ("rows", "columns") if axis in step]
    return getattr(anypair, call)(*arguments, **_keywords(step, objects))


def _keywords(step: Step, objects: Objects) -> dict[str, Any]:
    found = {key: step[key] for key in ("left", "right", "by") if key in step}
    if step.get("out") is not None and step["call"] not in ("update", "assign"):
        found["out"] = objects[step["out"]]
    if step.get("mask") is not None:
        structure = objects[step["mask"]].structure
        found["mask"] = ~structure if step.get("complemented") else structure
    if step.get("accum") is not None:
        found["accum"] = operator(step["accum"])
    if step.get("replace"):
        found["replace"] = True
    return found


def _places(written: Any) -> Any:
    """None, one index, a list of them, or a slice, which is written as {"slice": [begin, end, step]}."""
    return slice(*written["slice"]) if isinstance(written, dict) else written


def run(program: Program, backend: Backend) -> list[Objects]:
    """What is there at the end, once for each thread that ran the steps.

    Threads share the objects that no step writes to, and have their own of the others.
    """
    written = {step.get("out") for step in program["steps"]}
    shared = {name: build(data, backend) for name, data in program["objects"].items()}
    tables = [
        {name: x.copy() if name in written else x for name, x in shared.items()}
        for _ in range(program.get("readers", 1))
    ]
    if len(tables) == 1:
        _run_steps(program, tables[0])
        return tables
    problems: list[BaseException] = []

    def work(table: Objects) -> None:
        try:
            _run_steps(program, table)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(table,)) for table in tables]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
    return tables


def _run_steps(program: Program, objects: Objects) -> None:
    for step in program["steps"]:
        perform(step, objects)


def save(program: Program, path: Path) -> None:
    """As a file that replays; NaN and infinities are written as Python's json reads them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    objects = ",\n  ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in program["objects"].items())
    steps = ",\n  ".join(json.dumps(step) for step in program["steps"])
    rest = "".join(
        f" {json.dumps(k)}: {json.dumps(v)},\n"
        for k, v in program.items()
        if k not in ("objects", "steps")
    )
    path.write_text(f'{{\n{rest} "objects": {{\n  {objects}}},\n "steps": [\n  {steps}]\n}}\n', "utf-8")


def read(path: Path) -> Program:
    """The program of a file."""
    program: Program = json.loads(path.read_text("utf-8"))
    return program
