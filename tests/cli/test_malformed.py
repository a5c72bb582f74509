"""Every wrong file of the readers' table, through the command: one line, status 1, no traceback."""

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.io.malformed import CASES, Case

#: What the command can ask of a reader, and how.
OPTIONS = {"format": "--format={}", "vertices": "--vertices={}"}
SAYABLE = [case for case in CASES if set(case.options) <= set(OPTIONS)]


def test_most_of_the_table_can_be_asked_for() -> None:
    assert len(SAYABLE) >= 40


@pytest.mark.parametrize("case", SAYABLE, ids=lambda case: case.id)
def test_malformed(call: Call, case: Case) -> None:
    if case.file.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    Path(case.file).write_bytes(case.content)
    options = [OPTIONS[name].format(value) for name, value in case.options.items()]
    done = call("info", case.file, *options)
    assert (done.status, done.out) == (1, "")
    assert re.fullmatch(rf"anypair: {re.escape(case.file)}.*\n", done.err)
    assert case.words in done.err
