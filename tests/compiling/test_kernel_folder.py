"""Compiled kernels on disk: checked before use, mended by themselves, and never needed."""

import errno
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from numba import TypingError

from anypair import Vector, apply, unary_op
from anypair.compiling import caching, modules
from anypair.compiling.kernel_folder import (
    ABANDONED,
    SUFFIX,
    UNFINISHED,
    USED_LATELY,
    CacheRefused,
    KernelFolder,
    kernel_folder,
)
from anypair.errors import InvalidValue
from tests.mpi.jobs import ROOT

TEXT = "from anypair.compiling.caching import kernel\n\n@kernel\ndef more(x):\n    return x + 1\n"
MUCH = 10**9
SOMEBODY = 12345  # a user that is neither root nor the one who tests

needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away"
)


class Setting:
    """A folder, and processes that use it: for each the text is executed anew."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = KernelFolder(path, MUCH)

    def answer(self, text: str = TEXT) -> str:
        """Run a kernel as a new process would; returns whether it came from the disk."""
        kernel = modules._executed("a_test", text, {caching.IDENTITY: "a_test"}).more
        assert kernel(41) == 42
        return "loaded" if sum(kernel.stats.cache_hits.values()) else "compiled"

    @property
    def file(self) -> Path:
        (path,) = self.path.iterdir()
        return path


@pytest.fixture
def setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setting:
    made = Setting(tmp_path / "kernels")
    monkeypatch.setattr(caching, "kernel_folder", lambda: made.folder)
    return made


def test_the_next_process_compiles_nothing(setting: Setting) -> None:
    assert [setting.answer() for _ in range(3)] == ["compiled", "loaded", "loaded"]
    assert setting.path.stat().st_mode & 0o777 == 0o700
    assert setting.file.stat().st_mode & 0o777 == 0o600


class Trap:
    """What leaves a trace when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.trace),)


def flipped(at: int) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[at] ^= 1
        path.write_bytes(content)

    return spoil


SPOILED: dict[str, Callable[[Path], Any]] = {
    "truncated": lambda path: os.truncate(path, 100),
    "shorter than its head": lambda path: os.truncate(path, 10),
    "one byte short": lambda path: os.truncate(path, path.stat().st_size - 1),
    "empty": lambda path: path.write_bytes(b""),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "first byte": flipped(0),
    "checksum": flipped(25),
    "in the middle": flipped(3000),
    "last byte": flipped(-1),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "a plain pickle": lambda path: path.write_bytes(pickle.dumps(Trap(path.parent.parent / "trace"))),
    "a pickle behind the old head": lambda path: path.write_bytes(
        path.read_bytes()[:49] + pickle.dumps(Trap(path.parent.parent / "trace"))
    ),
    "not readable as a file": lambda path: (path.unlink(), path.symlink_to("nowhere")),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_a_spoiled_file_is_compiled_anew_and_mended(
    setting: Setting, spoil: Callable[[Path], Any], tmp_path: Path
) -> None:
    setting.answer()
    spoil(setting.file)
    assert [setting.answer(), setting.answer()] == ["compiled", "loaded"]
    assert not (tmp_path / "trace").exists()


def test_the_right_bytes_under_the_name_of_another_kernel(setting: Setting) -> None:
    setting.answer()
    more = setting.file
    setting.answer(TEXT.replace("more(x)", "less(x)") + "more = less\n")
    (less,) = set(setting.path.iterdir()) - {more}
    less.write_bytes(more.read_bytes())
    assert setting.answer(TEXT.replace("more(x)", "less(x)") + "more = less\n") == "compiled"


def test_right_bytes_that_this_process_cannot_use(setting: Setting) -> None:
    setting.answer()
    setting.folder.write(setting.file.name.removesuffix(SUFFIX), pickle.dumps("no machine code"))
    assert [setting.answer(), setting.answer()] == ["compiled", "loaded"]


def test_what_cannot_be_pickled_stays_in_memory(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caching, "dumps", lambda content: pickle.dumps(lambda: 0))
    assert [setting.answer(), setting.answer()] == ["compiled", "compiled"]


@needs_root
def test_a_file_of_another_user(setting: Setting) -> None:
    setting.answer()
    os.chown(setting.file, SOMEBODY, SOMEBODY)
    assert [setting.answer(), setting.answer()] == ["compiled", "loaded"]
    assert setting.file.stat().st_uid == os.geteuid()


def test_a_file_that_others_can_write(setting: Setting) -> None:
    setting.answer()
    setting.file.chmod(0o622)
    assert [setting.answer(), setting.answer()] == ["compiled", "loaded"]
    assert setting.file.stat().st_mode & 0o777 == 0o600


UNSAFE: dict[str, Callable[[Path], None]] = {
    "sticky": lambda path: path.chmod(0o1777),
    "group": lambda path: path.chmod(0o770),
    "another user": lambda path: os.chown(path, SOMEBODY, SOMEBODY),
}


@pytest.mark.parametrize(
    "change", [pytest.param(UNSAFE[x], id=x, marks=needs_root if "user" in x else []) for x in UNSAFE]
)
def test_an_unsafe_folder_is_neither_read_nor_written(
    setting: Setting, change: Callable[[Path], None]
) -> None:
    setting.answer()
    change(setting.path)
    before = setting.file.read_bytes()
    with pytest.warns(CacheRefused, match="stay in memory") as seen:
        assert [setting.answer(), setting.answer()] == ["compiled", "compiled"]
    assert len(seen) == 1
    assert setting.file.read_bytes() == before
    setting.file.unlink()
    setting.answer()
    assert not list(setting.path.iterdir())


def test_a_warning_that_is_an_error_is_not_called_an_operators(setting: Setting) -> None:
    setting.path.mkdir(mode=0o777)
    setting.path.chmod(0o777)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(CacheRefused):
            apply(Vector.full(2, 5, backend="jit"), unary_op(lambda x: x * 41 + 1))


@needs_root
def test_a_folder_of_root_is_read_by_others(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    setting.answer()
    monkeypatch.setattr(os, "geteuid", lambda: SOMEBODY)
    assert setting.answer() == "loaded"


def failing(code: int) -> Callable[..., Any]:
    def fail(*arguments: Any, **named: Any) -> Any:
        raise OSError(code, os.strerror(code))

    return fail


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EDQUOT])
def test_a_folder_that_can_only_be_read(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    setting.answer()
    monkeypatch.setattr(tempfile, "mkstemp", failing(code))
    monkeypatch.setattr(os, "utime", failing(code))
    assert setting.answer() == "loaded"
    setting.file.unlink()
    assert [setting.answer(), setting.answer()] == ["compiled", "compiled"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_is_full_is_left_as_it_was(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with monkeypatch.context() as full:
        full.setattr(os, step, failing(errno.ENOSPC))
        assert [setting.answer(), setting.answer()] == ["compiled", "compiled"]
        assert not list(setting.path.iterdir())
    assert [setting.answer(), setting.answer()] == ["compiled", "loaded"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_write_that_finds_no_room(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tempfile.mkstemp

    def on_a_full_device(**given: Any) -> tuple[int, str]:
        descriptor, path = real(**given)
        os.close(descriptor)
        return os.open("/dev/full", os.O_WRONLY), path

    monkeypatch.setattr(tempfile, "mkstemp", on_a_full_device)
    assert [setting.answer(), setting.answer()] == ["compiled", "compiled"]
    assert not list(setting.path.iterdir())


def test_an_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        KernelFolder(tmp_path / "kernels", MUCH).write("name", b"content")
    assert not list((tmp_path / "kernels").iterdir())


def test_content_is_on_the_disk_before_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    for step in ("fsync", "replace"):
        real = getattr(os, step)
        monkeypatch.setattr(os, step, lambda *a, s=step, r=real: (steps.append(s), r(*a)))
    KernelFolder(tmp_path, MUCH).write("name", b"content")
    assert steps == ["fsync", "replace"]


def test_a_folder_that_is_deleted_meanwhile_is_made_again(setting: Setting) -> None:
    setting.answer()
    shutil.rmtree(setting.path)
    assert [setting.answer(), setting.answer()] == ["compiled", "loaded"]


def test_a_file_where_the_folder_should_be(setting: Setting) -> None:
    setting.path.write_text("a file")
    assert [setting.answer(), setting.answer()] == ["compiled", "compiled"]


def test_no_folder_at_all(setting: Setting) -> None:
    setting.folder = KernelFolder(None, MUCH)
    assert [setting.answer(), setting.answer()] == ["compiled", "compiled"]
    assert not setting.folder.can_write()


def test_a_limit_of_nothing_keeps_nothing(setting: Setting) -> None:
    setting.folder = KernelFolder(setting.path, 0)
    assert [setting.answer(), setting.answer()] == ["compiled", "compiled"]
    assert not setting.path.exists()


@pytest.fixture
def fresh() -> Any:
    kernel_folder.cache_clear()
    yield
    kernel_folder.cache_clear()


@pytest.mark.usefixtures("fresh")
class TestEnvironment:
    """Where the folder is, and how large it may be."""

    def test_a_relative_path_stays_where_it_was(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("ANYPAIR_CACHE", "here")
        kernel_folder().write("before", b"")
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        kernel_folder().write("after", b"")
        assert len(list((tmp_path / "here").iterdir())) == 2
        assert kernel_folder().read("before") == b""

    def test_the_user_has_a_cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("ANYPAIR_CACHE", raising=False)
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        assert kernel_folder().path == tmp_path / ".cache" / "anypair"
        kernel_folder.cache_clear()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
        assert kernel_folder().path == tmp_path / "other" / "anypair"
        kernel_folder.cache_clear()
        monkeypatch.setenv("ANYPAIR_CACHE", "~/mine")
        assert kernel_folder().path == tmp_path / "mine"

    def test_somebody_without_a_home(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("ANYPAIR_CACHE", raising=False)
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(os.path, "expanduser", lambda path: path)
        assert kernel_folder().path is None

    def test_the_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("ANYPAIR_CACHE_LIMIT", raising=False)
        assert kernel_folder().limit == 512 * 10**6
        kernel_folder.cache_clear()
        monkeypatch.setenv("ANYPAIR_CACHE_LIMIT", "0.5")
        assert kernel_folder().limit == 500_000

    @pytest.mark.parametrize("wrong", ["much", "-1", "inf", "nan"])
    def test_a_limit_that_is_none(self, monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
        monkeypatch.setenv("ANYPAIR_CACHE_LIMIT", wrong)
        with pytest.raises(InvalidValue, match=f"ANYPAIR_CACHE_LIMIT='{wrong}' is not a number"):
            kernel_folder()


def names(folder: Path) -> set[str]:
    return {path.name.removesuffix(SUFFIX) for path in folder.iterdir()}


def used(folder: Path, name: str, ago: float) -> None:
    os.utime(folder / (name + SUFFIX), (time.time() - ago,) * 2)


def test_what_was_not_used_for_longest_makes_room(tmp_path: Path) -> None:
    for number in range(10):
        KernelFolder(tmp_path, MUCH).write(f"k{number}", bytes(1000))
        used(tmp_path, f"k{number}", 10 * USED_LATELY - number)
    (tmp_path / "mine.txt").write_text("x" * 9999)
    folder = KernelFolder(tmp_path, 11_000)
    assert folder.read("k0") is not None  # so it was used now
    folder.write("new", bytes(1000))
    assert names(tmp_path) == {"k0", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "new", "mine.txt"}
    for number in range(20):
        folder.write(f"later{number}", bytes(1000))
        assert folder.usage().nbytes <= 11_000
    assert {"later18", "later19", "mine.txt"} <= names(tmp_path)


def test_a_kernel_larger_than_all_room_removes_nothing(tmp_path: Path) -> None:
    folder = KernelFolder(tmp_path, 3000)
    folder.write("small", bytes(1000))
    folder.write("large", bytes(3000))
    assert names(tmp_path) == {"small"}


def test_what_a_killed_process_has_left_is_removed(tmp_path: Path) -> None:
    for name, ago in {"old": 2 * ABANDONED, "new": 0.0}.items():
        (tmp_path / (name + UNFINISHED)).write_bytes(b"half")
        os.utime(tmp_path / (name + UNFINISHED), (time.time() - ago,) * 2)
    KernelFolder(tmp_path, MUCH).write("name", b"")
    assert {path.name for path in tmp_path.iterdir()} == {f"new{UNFINISHED}", f"name{SUFFIX}"}


#: A process that says when it begins, and whether it has compiled or loaded; with a kernel that may be wrong.
IN_STEP = """
import sys
import time
from pathlib import Path

from anypair.compiling import caching, modules

here, others, text = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
(here / f"ready-{sys.argv[4]}").touch()
while len(list(here.glob("ready-*"))) < others:
    time.sleep(0.001)
kernel = modules._executed("a_test", text, {caching.IDENTITY: "a_test"}).more
try:
    print("loaded" if kernel(41) == 42 and sum(kernel.stats.cache_hits.values()) else "compiled")
except Exception as error:
    print(type(error).__name__)
"""
SLOW = TEXT.replace("return x + 1", "\n    ".join(f"x = (x * {k} + 1) % 1000" for k in range(1, 100)))
SLOW = SLOW.replace("x = (x * 99 + 1) % 1000", "return 42")


def in_step(folder: Path, text: str, count: int = 3) -> list[str]:
    """What processes say that need one kernel at the same time."""
    (folder / "program.py").write_text(IN_STEP)
    environment = {**os.environ, "ANYPAIR_CACHE": str(folder / "kernels"), "PYTHONPATH": str(ROOT)}
    processes = [
        subprocess.Popen(
            [sys.executable, str(folder / "program.py"), str(folder), str(count), text, str(number)],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(count)
    ]
    return sorted(process.communicate(timeout=300)[0].strip() for process in processes)


def test_one_of_several_processes_compiles_and_the_others_wait_for_it(tmp_path: Path) -> None:
    assert in_step(tmp_path, SLOW) == ["compiled", "loaded", "loaded"]
    assert [path.suffix for path in (tmp_path / "kernels").iterdir()] == [SUFFIX]


def test_who_waits_for_what_cannot_be_compiled_goes_on(tmp_path: Path) -> None:
    assert in_step(tmp_path, SLOW.replace("return 42", "return nothing")) == ["TypingError"] * 3
    assert not list((tmp_path / "kernels").iterdir())


def test_the_turn_of_what_cannot_be_compiled_is_over(setting: Setting) -> None:
    with pytest.raises(TypingError):
        setting.answer(TEXT.replace("x + 1", "nothing"))
    assert not list(setting.path.iterdir())


def test_a_turn_ends_with_an_error_and_with_patience(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = KernelFolder(tmp_path, MUCH)
    with folder.turn("one") as first, folder.turn("another") as other:
        assert (first, other) == (True, True)
        monkeypatch.setattr("anypair.compiling.kernel_folder.PATIENCE", 0.05)
        with folder.turn("one") as second:
            assert not second
    with pytest.raises(ZeroDivisionError), folder.turn("one"):
        raise ZeroDivisionError
    with folder.turn("one") as third:
        assert third
    assert not list(tmp_path.iterdir())


def test_configuration_of_numba_is_part_of_the_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = modules._environment.__wrapped__()
    monkeypatch.setattr(modules.config, "BOUNDSCHECK", 1)
    assert modules._environment.__wrapped__() != plain


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("from anypair.compiling.bits import count_ones\n", "anypair.compiling.bits"),
        ("from anypair.compiling import casting\n", "anypair.compiling.casting"),
        ("from anypair.compiling import (\n    bits,\n    casting,\n)\n", "anypair.compiling.casting"),
        ("import anypair.compiling.bits\n", "anypair.compiling.bits"),
        ("from anypair.threads.parts import next_part\n", "anypair.compiling.bits"),  # which it imports
        ("from anypair.io.kernels.lines import parse_lines\n", "anypair.io.kernels.numbers"),
        ("from anypair.backends.cuda import casting\n", "anypair.backends.cuda.casting"),
    ],
)
def test_what_a_kernel_imports_is_part_of_its_identity(
    text: str, edited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, plain = modules._texts_imported_by(text), modules._text
    assert modules._texts_imported_by(text) == before
    monkeypatch.setattr(modules, "_text", lambda name: plain(name) + "# edited" * (name == edited))
    assert modules._texts_imported_by(text) != before


def test_what_a_kernel_does_not_import_is_no_part_of_its_identity() -> None:
    assert modules._texts_imported_by("import math\nimport numpy as np\n") == ""
    texts = modules._texts_imported_by("from anypair.compiling import casting\n")
    assert modules._text("anypair.dtypes") not in texts
    assert modules._text("anypair.compiling.bits") not in texts
