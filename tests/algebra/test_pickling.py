"""Operators, monoids and semirings that travel: the same object where that is possible, else the same answers."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anypair import semiring
from anypair.errors import OperatorError
from anypair.semiring import (
    MAX,
    MIN,
    BinaryOp,
    Monoid,
    Semiring,
    binary_op,
    index_unary_op,
    min_plus,
    monoid,
    pair,
    plus_pair,
    plus_times,
    unary_op,
)
from anypair.semiring import pickling as under_test

CATALOGUE = {name: getattr(semiring, name) for name in semiring.catalogue.__all__}
FACTOR = 3
TABLE = np.array([5, 7, 11])


def helper(x: Any) -> Any:
    return x * FACTOR


@binary_op
def of_this_module(x, y):
    return helper(x) + y


@monoid(identity=MAX, terminal=MIN)
def least(x, y):
    return x if x < y else y


def travelled(x: Any) -> Any:
    """As another process sees it: what this one knows by its bytes is forgotten."""
    data = pickle.dumps(x)
    under_test._known.clear()
    return pickle.loads(data)


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_catalogue_goes_by_name(name: str) -> None:
    entry = CATALOGUE[name]
    data = pickle.dumps(entry)
    assert pickle.loads(data) is entry
    assert len(data) < 120
    assert copy.deepcopy(entry) is entry
    assert copy.copy(entry) is entry


@pytest.mark.parametrize("x", [of_this_module, least], ids=repr)
def test_what_can_be_imported_goes_by_name(x: Any) -> None:
    assert travelled(x) is x


def made_here(scale: float) -> dict[str, Any]:
    def floored(y, floor=scale):
        return max(y, floor)

    @binary_op
    def scaled(x, y):
        return helper(x) * scale + TABLE[1] * y

    @unary_op(result=float)
    def halved(x):
        return x / 2

    @index_unary_op(result=lambda dtype: np.promote_types(dtype, np.int16))
    def shifted(x, i, j):
        return x + i - j

    @monoid(identity=MIN)
    def greatest(x, y):
        return max(x, floored(y))

    return {"scaled": scaled, "halved": halved, "shifted": shifted, "greatest": greatest}


@pytest.mark.parametrize("name", ["scaled", "halved", "shifted", "greatest"])
def test_others_go_as_code_with_what_they_captured(name: str) -> None:
    x = made_here(2.5)[name]
    found = travelled(x)
    assert type(found) is type(x)
    assert found is not x
    assert (found.name, found(8, 3, 1) if name == "shifted" else None) == (
        x.name, x(8, 3, 1) if name == "shifted" else None
    )  # fmt: skip
    if name == "scaled":
        assert found(2, 10) == x(2, 10) == 6 * 2.5 + 70
        assert found.typed(np.dtype("int8"), np.dtype("int8")).result == np.dtype("float64")
    if name == "greatest":
        assert found(1, 2) == 2.5
        assert (found.identity, found.terminal) == (MIN, None)
    if name == "shifted":
        assert found.typed(np.dtype("int8")).result == np.dtype("int16")
    if name == "halved":
        assert found(5) == 2.5


def test_a_frozen_array_stays_one() -> None:
    found = travelled(made_here(2.5)["scaled"])
    array = found.function.__globals__["TABLE"]
    assert not array.flags.writeable
    assert type(array[0]) is int


def test_semirings_and_other_results() -> None:
    mine = Semiring(least, made_here(2.0)["scaled"], "mine")
    found = travelled(mine)
    assert (found.name, found.add) == ("mine", least)
    assert found.multiply(1, 1) == mine.multiply(1, 1)
    counting = travelled(plus_pair.returning(np.uint8))
    assert counting.typed(np.dtype(bool), np.dtype(bool)).result == np.dtype("uint8")
    assert counting.multiply.function is pair.function
    assert counting.add is plus_pair.add
    assert travelled(Semiring(min_plus.add, plus_times.multiply)).add is min_plus.add


def test_one_that_comes_again_is_the_same_object() -> None:
    x = Semiring(least, made_here(2.0)["scaled"])
    assert pickle.loads(pickle.dumps(x)) is x
    data = pickle.dumps(x)
    under_test._known.clear()
    assert pickle.loads(data) is pickle.loads(data)


def test_what_cannot_be_pickled_is_named() -> None:
    lock = {"lock": 1}

    class Local:
        value = 3

    thing = Local()

    @binary_op
    def holding(x, y):
        return x + thing.value + lock["lock"]

    with pytest.raises(
        pickle.PicklingError, match=r"BinaryOp\(holding\) captures what cannot be pickled"
    ):
        pickle.dumps(holding)


def test_another_version_of_python_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pickle.dumps(made_here(2.0)["scaled"])
    under_test._known.clear()
    monkeypatch.setattr(under_test, "MAGIC_NUMBER", b"other")
    with pytest.raises(
        OperatorError, match="'helper', of an operator, was pickled by another version of Python"
    ):
        pickle.loads(data)


def test_of_a_prompt(tmp_path: Path) -> None:
    """What was typed at a prompt is in no module that the other process could import."""
    file = tmp_path / "operator.pickle"
    made = (
        "import pickle, sys\n"
        "from anypair.semiring import binary_op, Semiring, plus_monoid\n"
        "rate = 4\n"
        "@binary_op\n"
        "def rated(x, y):\n"
        "    return x * rate + y\n"
        "pickle.dump(Semiring(plus_monoid, rated), open(sys.argv[1], 'wb'))\n"
    )
    subprocess.run([sys.executable, "-c", made, str(file)], check=True, timeout=120)
    found = pickle.loads(file.read_bytes())
    assert isinstance(found, Semiring)
    assert isinstance(found.add, Monoid)
    assert isinstance(found.multiply, BinaryOp)
    assert found.multiply(2, 1) == 9
