"""anypair kernels: what is there, the text of one, and the removal of all."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anypair import Vector, binary_op, ewise_mult
from anypair.compiling.kernel_folder import kernel_folder
from tests.cli.conftest import Call


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setenv("ANYPAIR_CACHE", str(tmp_path / "kernels"))
    kernel_folder.cache_clear()
    yield tmp_path / "kernels"
    kernel_folder.cache_clear()


def test_what_there_is_and_its_removal(call: Call, folder: Path) -> None:
    assert call("kernels").out.split() == (
        f"folder {folder} kernels 0 size 0 B of at most 512 MB state in use".split()
    )
    kernel_folder().write("one", b"x" * 1000)
    kernel_folder().write("two", b"x" * 1000)
    mine = folder / "mine.txt"
    mine.write_text("not a kernel")
    assert "kernels  2\nsize     2.13 kB of at most 512 MB\n" in call("kernels").out
    assert call("kernels", "clear").out == "removed 2 kernels, 2.13 kB\n"
    assert list(folder.iterdir()) == [mine]
    assert call("kernels", "clear").out == "removed 0 kernels, 0 B\n"


def test_an_unsafe_folder_is_shown_and_left_alone(call: Call, folder: Path) -> None:
    kernel_folder().write("one", b"x")
    folder.chmod(0o777)
    assert f"state    refused: {folder} can be written by others" in call("kernels").out
    cleared = call("kernels", "clear")
    assert cleared.status == 1
    assert "can be written by others" in cleared.err
    assert len(list(folder.iterdir())) == 1


def test_a_folder_that_cannot_be_made(call: Call, folder: Path) -> None:
    folder.write_text("a file")
    assert "state    cannot be written to" in call("kernels").out


def test_a_wrong_limit(call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYPAIR_CACHE_LIMIT", "much")
    done = call("kernels")
    assert done.status == 1
    assert done.err == (
        "anypair: ANYPAIR_CACHE_LIMIT='much' is not a number of megabytes, such as 512\n"
    )


def say(module: str, kernel: str, text: str, operators: str = "") -> None:
    about = {
        "module": module,
        "kernel": kernel,
        "operators": operators,
        "text": text,
        "arguments": "int64",
    }
    kernel_folder().write(f"{module}_0123.{kernel}-4567", b"x" * 1000, about)


def test_a_kernel_is_listed_with_its_operators(call: Call, folder: Path) -> None:
    say("products", "pull", "x = 1\n", "add = plus(int64, int64) -> int64")
    say("rows", "mark", "y = 2\n")
    first, second = call("kernels", "list").out.splitlines()[-2:]
    assert first.endswith("  products.pull  add = plus(int64, int64) -> int64")
    assert second.endswith("  rows.mark")
    assert first.split()[1:3] == ["1.16", "kB"]
    assert call("kernels", "list").out == call("kernels").out


def test_the_text_of_a_kernel(call: Call, folder: Path) -> None:
    say("products", "pull", "x = 1\n", "add = plus(int64, int64) -> int64")
    say("products", "push", "x = 1\n", "add = plus(int64, int64) -> int64")
    say("rows", "mark", "y = 2\n")
    assert call("kernels", "show", "mark").out == "# rows.mark\n#   compiled for (int64)\ny = 2\n"
    both = call("kernels", "show", "products").out
    assert both.count("compiled for") == 2
    assert both.count("x = 1") == 1
    compile(both, "<shown>", "exec")  # it is Python
    number = call("kernels").out.splitlines()[-1].split()[0]
    assert call("kernels", "show", number).out == call("kernels", "show", "rows.mark").out
    assert call("kernels", "show", "plus(").out == both


def test_a_kernel_that_is_not_there_or_one_of_several(call: Call, folder: Path) -> None:
    missing = call("kernels", "show", "mark")
    assert missing.status == 1
    assert missing.err == (
        f"anypair: kernels show: there is no kernel 'mark' in {folder}; `anypair kernels` lists them\n"
    )
    for number in range(12):
        say("rows", f"mark{number}", f"y = {number}\n")
    several = call("kernels", "show", "mark")
    assert several.status == 1
    assert "'mark' is in 12 kernels of different texts; give the number of one of them:\n" in several.err
    assert several.err.endswith("\n  and 2 more\n")
    assert several.out == ""
    assert call("kernels", "show").status == 2


def test_files_that_are_no_kernels_or_broken_are_not_listed(call: Call, folder: Path) -> None:
    say("rows", "mark", "y = 2\n")
    (kernel,) = folder.iterdir()
    whole = kernel.read_bytes()
    for number, content in enumerate((b"", whole[:60], b"x" * 300, whole[:53] + b"\xff" * 100)):
        (folder / f"broken_{number}.anypair_kernel").write_bytes(content)
    assert call("kernels").out.count("rows.mark") == 1
    assert "broken" not in call("kernels").out
    assert "kernels  5" in call("kernels").out  # they take room all the same, and go with the rest
    assert call("kernels", "clear").out.startswith("removed 5 kernels")


def test_what_was_compiled_can_be_read(call: Call, folder: Path) -> None:
    @binary_op
    def weigh(edge: Any, value: Any) -> Any:
        return edge * 3 + value * 0.125

    u = Vector.from_entries([0, 2], [1.5, 2.0], 3, backend="jit")
    assert ewise_mult(u, u, weigh).to_dict() == {0: 4.6875, 2: 6.25}
    listed = [line for line in call("kernels").out.splitlines() if "weigh" in line]
    assert listed
    assert "step0 = weigh(float64, float64) -> float64" in listed[0]
    shown = call("kernels", "show", "weigh").out
    assert "return edge * 3 + value * 0.125" in shown
    assert "float64[:]" in shown
