"""The machine that chooses between queue, read and device, state by state, without any backend."""

import ast
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from anypair.backends.hybrid import states
from anypair.backends.hybrid.states import Seen, next_state
from anypair.backends.tuning import Tuning

#: Read from 1 in 10 places, listed below 1 in 20; to the device from 500 edges, back below 100.
TUNING = Tuning(read_from=10, queue_below=20, device_from=500, device_below=100)
N = 1000

# State, entries before and now, edges: the next state. As drawn in docs/hybrid.md.
TABLE: list[tuple[Any, int, int, float, Any]] = [
    ("queue", 0, 1, 4, "queue"),
    ("queue", 1, 99, 499, "queue"),
    ("queue", 1, 100, 499, "read"),
    ("queue", 100, 100, 499, "queue"),  # has not grown
    ("queue", 200, 100, 499, "queue"),
    ("queue", 1, 2, 500, "device"),  # few vertices of many edges
    ("queue", 1, 100, 500, "device"),
    ("queue", 2, 2, 500, "queue"),
    ("queue", 3, 2, 500, "queue"),
    ("queue", 0, N, 10_000, "device"),
    ("read", 100, 200, 499, "read"),
    ("read", 100, 200, 500, "device"),
    ("read", 200, 200, 500, "read"),
    ("read", 300, 200, 500, "read"),
    ("read", 200, 50, 499, "read"),
    ("read", 200, 49, 499, "queue"),
    ("read", 49, 49, 499, "read"),  # has not shrunk
    ("read", 40, 49, 499, "read"),
    ("device", 100, 200, 1000, "device"),
    ("device", 300, 200, 100, "device"),
    ("device", 300, 200, 99, "read"),
    ("device", 300, 50, 99, "read"),
    ("device", 300, 49, 99, "queue"),
    ("device", 200, 200, 99, "device"),
    ("device", 100, 200, 99, "device"),
    ("device", 300, 0, 0, "queue"),
]


def check_table(module: ModuleType) -> None:
    for state, before, entries, edges, expected in TABLE:
        seen = module.Seen(entries, before, N, edges)
        assert module.next_state(state, seen, TUNING).state == expected, (state, seen)
    empty = module.Seen(0, 0, 0, 0.0)
    assert [module.next_state(s, empty, TUNING).state for s in ("queue", "read", "device")] == [
        "queue", "read", "device",
    ]  # fmt: skip
    assert module.next_state("queue", module.Seen(1, 0, 0, 0.0), TUNING).state == "queue"


def test_each_transition() -> None:
    check_table(states)


def test_why() -> None:
    moved = next_state("queue", Seen(100, 3, N, 499.4), TUNING)
    assert moved.reason == "from queue: 100 of 1000 entries, more than before (3), 499 edges"
    stays = next_state("read", Seen(60, 90, N, 99.0), TUNING)
    assert stays.reason == "stays: 60 of 1000 entries, fewer than before (90), 99 edges"
    assert "as before (7)" in next_state("read", Seen(7, 7, N, 9.0), TUNING).reason


def test_a_vector_that_stays_as_large_goes_nowhere() -> None:
    """Between the thresholds there and back nothing changes, whatever grows or shrinks by one."""
    for state, entries, edges in (("read", 70, 300.0), ("device", 70, 300.0), ("queue", 70, 300.0)):
        for before in (entries - 1, entries, entries + 1):
            assert next_state(state, Seen(entries, before, N, edges), TUNING).state == state  # type: ignore[arg-type]


def test_thresholds_back_are_lower() -> None:
    tuning = Tuning()
    assert tuning.queue_below > tuning.read_from  # of shares: one in so many
    assert tuning.device_below < tuning.device_from


class _Others(ast.NodeTransformer):
    """The machine with the comparison of this number turned round, or made strict or not."""

    def __init__(self, wanted: int, other: dict[type[ast.cmpop], type[ast.cmpop]]) -> None:
        self.wanted, self.other, self.met = wanted, other, -1

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.met += 1
        if self.met == self.wanted and (other := self.other.get(type(node.ops[0]))):
            node.ops[0] = other()
        return self.generic_visit(node)


STRICTER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Eq: ast.NotEq,
}  # fmt: skip
ROUND: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Eq: ast.NotEq,
}  # fmt: skip


@pytest.mark.parametrize("other", [STRICTER, ROUND], ids=["stricter", "round"])
def test_each_change_of_a_threshold_is_noticed(other: Any) -> None:
    source = Path(states.__file__).read_text()
    count = sum(isinstance(node, ast.Compare) for node in ast.walk(ast.parse(source)))
    assert count > 9
    unnoticed = []
    for number in range(count):
        change = _Others(number, other)
        changed = ast.fix_missing_locations(change.visit(ast.parse(source)))
        module = ModuleType(states.__name__)
        exec(compile(changed, "states.py", "exec"), module.__dict__)
        try:
            check_table(module)
        except AssertionError:
            continue
        unnoticed.append(ast.unparse(changed))
    # The comparison of the old state with the new one is for the reason alone.
    assert len(unnoticed) == 1
