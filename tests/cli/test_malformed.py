"""Every wrong file of the readers' table, through the command: one line, status 1, no traceback."""

import shlex
from pathlib import Path

import pytest

from anypair.errors import FileError
from anypair.io import read
from anypair.io.options import spell_for_shell
from tests.cli.conftest import Call
from tests.io.malformed import CASES, Case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_malformed(call: Call, case: Case) -> None:
    """What `read` says, with options as the command has them."""
    if case.file.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    Path(case.file).write_bytes(case.content)
    options = [
        spell_for_shell(name, value.__name__ if isinstance(value, type) else repr(value))
        for name, value in case.options.items()
    ]
    done = call("info", case.file, *shlex.split(" ".join(options)))
    assert (done.status, done.out) == (1, "")
    with pytest.raises(FileError) as caught:
        read(case.file, **case.options)
    assert done.err == f"anypair: {caught.value.spelled(spell_for_shell)}\n"
