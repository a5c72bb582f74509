"""The net holds: a planted fault is found, shrunk to what matters and saved; right answers pass."""

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anypair import Vector
from anypair.backends.base import StructuralMask
from anypair.backends.scipy.backend import ScipyBackend
from tests.soak.__main__ import main
from tests.soak.checking import problem_with
from tests.soak.drawing import draw_pool, draw_program
from tests.soak.operators import operator
from tests.soak.oracle import Facts, NotComparable, difference, expected
from tests.soak.programs import Program, read, save
from tests.soak.session import soak
from tests.soak.shrinking import shrink


def on_scipy(program: Program) -> str:
    return problem_with(program, ["scipy"])


def programs(seed: int, count: int, users: bool = False) -> list[Program]:
    rng = random.Random(seed)
    pools = [draw_pool(rng, users) for _ in range(-(-count // 8))]
    return [draw_program(rng, pools[k % len(pools)]) for k in range(count)]


def test_programs_are_drawn_alike_from_one_seed_and_pass() -> None:
    drawn = programs(5, 60, users=True)
    assert repr(drawn) == repr(programs(5, 60, users=True))
    assert max(len(program["steps"]) for program in drawn) == 10
    assert not [problem for program in drawn if (problem := on_scipy(program))]


def test_everything_is_drawn() -> None:
    drawn = programs(1, 800)
    steps = [step for program in drawn for step in program["steps"]]
    wanted = (
        "mxv vxm mxm kron ewise_add ewise_mult apply select reduce extract assign update transpose T diag "
        "selection copy cast same closure expression"
    )
    assert {step["call"] for step in steps} == set(wanted.split())
    with_out = [step for step in steps if step.get("out")]
    assert any(step["out"] in step["arguments"] for step in with_out)
    assert any(step["out"] == step.get("mask") for step in with_out)
    assert any(step.get("complemented") and step.get("accum") and step.get("replace") for step in steps)
    objects = [data for program in drawn for data in program["objects"].values()]
    assert {data["dtype"] for data in objects} >= {"bool", "int8", "uint64", "float32"}
    numbers = [x for data in objects for x in data["values"] if data["dtype"][0] == "f"]
    assert any(x != x for x in numbers)
    assert any(x == 0 and np.signbit(x) for x in numbers)
    assert {program["readers"] for program in drawn} == {1, 2}


def ignores_complements(monkeypatch: pytest.MonkeyPatch) -> None:
    right = ScipyBackend.restrict

    def restrict(self: ScipyBackend, x: Any, mask: StructuralMask) -> Any:
        return right(self, x, StructuralMask(mask.storage, False))

    monkeypatch.setattr(ScipyBackend, "restrict", restrict)


def test_a_planted_fault_is_found_shrunk_and_replayed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patch:
        ignores_complements(patch)
        tally = soak(4, 60, tmp_path, on_scipy, users=False)
        assert tally.problem.startswith("scipy: ")
        program = read(Path(tally.file))
        assert len(program["steps"]) == 1
        assert sum(len(data["values"]) for data in program["objects"].values()) <= 4
        assert main(["replay", tally.file]) == 1
    assert tally.problem in capsys.readouterr().out
    assert on_scipy(program) == ""


def test_memory_that_grows_is_a_problem(tmp_path: Path) -> None:
    kept = []

    def leaks(program: Program) -> str:
        kept.append(np.ones(200_000))
        return ""

    tally = soak(1, 1, tmp_path, leaks, users=False)
    assert re.fullmatch(r"memory grew by \d+\.\d MB in \d+ programs", tally.problem)
    assert soak(1, 1, tmp_path, lambda program: "", users=False).problem == ""


@pytest.mark.parametrize(
    ("entries", "facts", "agrees"),
    [
        ([1.0, 2.0], Facts(), True),
        ([1.0, 2.0 + 2**-40], Facts(), False),
        ([1.0, 2.0 + 2**-40], Facts(slack=2.0**-39), True),
        ([1.0, 2.5], Facts(slack=2.0**-39), False),
        ([1.0], Facts(), False),
    ],
)
def test_the_comparison_is_as_strict_as_the_facts(
    entries: list[float], facts: Facts, agrees: bool
) -> None:
    truth = Vector.from_entries([0, 1], [1.0, 2.0], 3, backend="reference")
    found = Vector.from_entries(range(len(entries)), entries, 3, backend="scipy")
    assert (difference({"x": found}, {"x": truth}, {"x": facts}) == "") is agrees


def test_signs_of_zeros_and_errors_count() -> None:
    plus, minus = (Vector.from_entries([0], [z], 1, backend="reference") for z in (0.0, -0.0))
    assert difference({"x": minus}, {"x": plus}, {}) != ""
    assert difference({"x": minus}, {"x": plus}, {"x": Facts(loose_zeros=True)}) == ""
    assert (
        difference({}, {"r error": "OperatorError"}, {})
        == "r error: found 'nothing', expected 'OperatorError'"
    )
    assert difference({"r error": "SizeMismatch"}, {"r error": "OperatorError"}, {}) != ""


def rounded_sum() -> Program:
    """A sum of floats that has to round, and a step that reads it."""
    thirds = {"kind": "vector", "shape": [3], "dtype": "float64", "indices": [[0, 1, 2]]}
    ones = {"kind": "matrix", "shape": [3, 1], "dtype": "float64", "indices": [[0, 1, 2], [0, 0, 0]]}
    return {
        "objects": {
            "v": {**thirds, "values": [1 / 3, 1e9, 0.1]},
            "M": {**ones, "values": [1.0, 1.0, 1.0]},
        },
        "steps": [
            {"call": "vxm", "arguments": ["v", "M"], "op": {"name": "plus_times"}, "result": "r0"}
        ],
    }


def test_what_is_rounded_may_differ_within_the_bound_and_is_not_read_again() -> None:
    program = rounded_sum()
    _, facts = expected(program)
    assert facts["r0"].slack is not None
    assert 0 < facts["r0"].slack < 1e-4
    program["steps"].append({"call": "same", "arguments": ["r0", "r0"], "result": "r1"})
    with pytest.raises(NotComparable):
        expected(program)


def test_a_program_comes_back_from_its_file(tmp_path: Path) -> None:
    for program in programs(9, 30, users=True):
        save(program, tmp_path / "program.json")
        assert repr(read(tmp_path / "program.json")) == repr(program)


def test_the_shortest_form_keeps_what_matters() -> None:
    program = max(programs(3, 20), key=lambda p: len(p["steps"]))
    call = program["steps"][2]["call"]
    small = shrink(program, lambda p: call in [step["call"] for step in p["steps"]])
    assert [step["call"] for step in small["steps"]] == [call]


def test_operators_of_one_form_differ_in_what_they_capture() -> None:
    doubled, tripled = ({"form": "shifted", "k": k} for k in (2, 3))
    assert operator(doubled)(1) == 3
    assert operator(tripled)(1) == 4
    assert operator(doubled) is operator({"k": 2, "form": "shifted"})


def test_a_program_replays_on_ranks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mpi4py")
    program = max(programs(4, 8), key=lambda p: len(p["steps"]))
    save({**program, "seed": 1, "ranks": 3, "local": "scipy"}, tmp_path / "program.json")
    assert main(["replay", str(tmp_path / "program.json")]) == 0
    assert "no difference" in capsys.readouterr().out
    spoiled = {**program["objects"], "v0": {**program["objects"]["v0"], "dtype": "no dtype"}}
    save(
        {**program, "objects": spoiled, "seed": 1, "ranks": 3, "local": "scipy"},
        tmp_path / "spoiled.json",
    )
    assert main(["replay", str(tmp_path / "spoiled.json")]) == 1
