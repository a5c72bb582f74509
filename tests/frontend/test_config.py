"""Where the backend of a new object comes from, and what is said when it cannot."""

import contextvars
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

import anypair
from anypair import Vector
from anypair.backends.options import Option, choice, whole
from anypair.backends.reference import ReferenceBackend
from anypair.backends.registry import BACKENDS, DEFAULT, Row, default_options, load, why_not
from anypair.errors import BackendUnavailable, UnknownBackend, UnknownOption, UnknownVariable


def backend_of_new() -> str:
    return Vector.empty(1).backend.name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder of our own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Configurable(ReferenceBackend):
    name = "configurable"
    declared: ClassVar[Mapping[str, Option]] = {
        "threads": whole(1, 1, execution=True),
        "fast": Option(False, lambda x: isinstance(x, bool), "is neither True nor False"),
        "direction": choice("auto", ["auto", "push", "pull"], execution=True),
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.settings = tuple(self.options.values())


@pytest.fixture
def configurable(monkeypatch: pytest.MonkeyPatch) -> str:
    """A backend with options, registered for the test."""
    monkeypatch.setitem(BACKENDS, "configurable", Row(__name__, "Configurable", "for tests"))
    return "configurable"


def settings_of(backend: Any) -> tuple[Any, ...]:
    assert isinstance(backend, Configurable)
    return backend.settings


def test_the_order_of_places(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert backend_of_new() == DEFAULT
    (folder / "anypair.toml").write_text('backend = "reference"\n')
    assert backend_of_new() == "reference"
    monkeypatch.setenv("ANYPAIR_BACKEND", "scipy")
    assert backend_of_new() == "scipy"
    with anypair.using("reference"):
        assert backend_of_new() == "reference"
        assert Vector.empty(1, backend="scipy").backend.name == "scipy"
        with anypair.using("scipy"):
            assert backend_of_new() == "scipy"
        assert backend_of_new() == "reference"
    assert backend_of_new() == "scipy"


def test_the_file_is_found_from_folders_below(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "anypair.toml").write_text('backend = "reference"\n')
    below = folder / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert backend_of_new() == "reference"


def test_a_file_is_read_again_after_a_change(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = folder / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    for name in ("reference", "scipy"):
        (folder / "anypair.toml").write_text(f'backend = "{name}"\n')
        if name == "reference":  # written long ago, so that it is kept
            os.utime(folder / "anypair.toml", (1e9, 1e9))
        assert backend_of_new() == backend_of_new() == name
    (folder / "anypair.toml").unlink()
    assert backend_of_new() == DEFAULT


def test_folders_are_looked_through_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend_of_new()
    looked_at: list[str] = []
    look = os.access
    monkeypatch.setattr(os, "access", lambda path, how: looked_at.append(path) or look(path, how))
    backend_of_new()
    assert looked_at == [str(folder / "anypair.toml")]


def test_using_is_undone_after_an_error(folder: Path) -> None:
    with pytest.raises(RuntimeError, match="inside"), anypair.using("reference"):
        raise RuntimeError("inside")
    assert backend_of_new() == DEFAULT


def test_operations_do_not_read_the_configuration(folder: Path) -> None:
    v = Vector.full(2, 1, backend="scipy")
    with anypair.using("reference"):
        assert anypair.apply(v, anypair.position).backend.name == "scipy"


def test_an_unknown_name_is_refused_in_each_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = "known backends are reference, scipy"
    with pytest.raises(UnknownBackend, match=rf"'magic' in the argument backend=; {known}"):
        Vector.empty(1, backend="magic")
    with pytest.raises(UnknownBackend, match=rf"'magic' in using\(\); {known}"), anypair.using("magic"):
        pass
    with pytest.raises(UnknownBackend, match=r"'magic' in the argument"):
        Vector.empty(1).to("magic")
    (folder / "anypair.toml").write_text('backend = "magic"\n')
    with pytest.raises(UnknownBackend, match=rf"'magic' in .*anypair.toml; {known}"):
        Vector.empty(1)
    monkeypatch.setenv("ANYPAIR_BACKEND", "wizard")
    with pytest.raises(UnknownBackend, match=r"'wizard' in the environment variable ANYPAIR_BACKEND"):
        Vector.empty(1)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("backend = ", UnknownOption, "anypair.toml cannot be read"),
        ("backend = 5", UnknownBackend, "unknown backend 5"),
        ("[magic]\nx = 1", UnknownBackend, "'magic' in a table name in .*anypair.toml"),
        ('backend = "scipy"\nscipy = 5', UnknownOption, "scipy has to be a table of options, not 5"),
        (
            'backend = "scipy"\n[scipy]\nthreads = 2',
            UnknownOption,
            "backend 'scipy' has no option 'threads'; it has none",
        ),
    ],
)
def test_a_bad_file_is_refused(folder: Path, text: str, error: type[Exception], message: str) -> None:
    (folder / "anypair.toml").write_text(text)
    with pytest.raises(error, match=message):
        Vector.empty(1)


def test_options_come_from_each_place(
    folder: Path, monkeypatch: pytest.MonkeyPatch, configurable: str
) -> None:
    with anypair.using(configurable) as backend:
        assert settings_of(backend) == (1, False, "auto")
    (folder / "anypair.toml").write_text("[configurable]\nthreads = 3\nfast = true\n")
    with anypair.using(configurable) as backend:
        assert settings_of(backend) == (3, True, "auto")
    monkeypatch.setenv("ANYPAIR_THREADS", "5")
    monkeypatch.setenv("ANYPAIR_FAST", "0")
    monkeypatch.setenv("ANYPAIR_DIRECTION", "push")
    with anypair.using(configurable) as backend:
        assert settings_of(backend) == (5, False, "push")
    with anypair.using(configurable, threads=7) as backend:
        assert settings_of(backend) == (7, False, "push")
        assert Vector.empty(1).backend is backend


def test_bad_options_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, configurable: str
) -> None:
    with (
        pytest.raises(UnknownOption, match="no option 'speed'; it has threads, fast, direction"),
        anypair.using(configurable, speed=9),
    ):
        pass
    monkeypatch.setenv("ANYPAIR_THREADS", "many")
    with pytest.raises(UnknownOption, match="ANYPAIR_THREADS='many' is not a value of type int"):
        Vector.empty(1, backend=configurable)


def test_a_backend_is_made_once() -> None:
    assert load("scipy") is load("scipy")


def test_a_missing_library_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Row("anypair.backends.not_there", "Nothing", "for tests", "pip install 'anypair[magic]'")
    monkeypatch.setitem(BACKENDS, "magic", row)
    message = r"'magic' is not ready: No module .*install it with: pip install 'anypair\[magic\]'"
    with pytest.raises(BackendUnavailable, match=message):
        Vector.empty(1, backend="magic")
    reason = why_not("magic")
    assert reason is not None
    assert "anypair[magic]" in reason
    assert why_not("scipy") is None


class NeedsALibrary(ReferenceBackend):
    """A backend that finds out when it is made that something is missing."""

    def __init__(self) -> None:
        import no_such_library  # noqa: F401


def test_a_library_that_is_missing_later_is_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BACKENDS, "magic", Row(__name__, "NeedsALibrary", "for tests", "pip install x"))
    reason = why_not("magic")
    assert reason is not None
    assert "No module named 'no_such_library'; install it with: pip install x" in reason


def test_a_backend_says_what_it_was_made_with(configurable: str) -> None:
    with anypair.using(configurable, fast=True) as made:
        assert made.options == {"threads": 1, "fast": True, "direction": "auto"}
        assert repr(made) == (
            "<backend 'configurable', threads=1, fast=True, direction='auto' (1 thread)>"
        )
    assert default_options(configurable)["fast"] is False


def test_options_and_threads_of_a_backend(backend: str) -> None:
    with anypair.using(backend) as plain:
        if "threads" not in plain.options:
            assert repr(plain) == f"<backend {backend!r} (1 thread)>" or backend == "cuda"
            return
    with anypair.using(backend, threads=1) as made:
        assert made.options["threads"] == 1
        assert ", threads=1" in repr(made)
        assert repr(made).endswith("(1 thread)>")
    with anypair.using(backend, threads=3) as made:
        assert repr(made).endswith("(3 threads)>")


def test_threads_have_to_be_given_the_backend() -> None:
    def made_in_a_thread(run: Any) -> str:
        found: list[str] = []
        thread = threading.Thread(target=run, args=(lambda: found.append(backend_of_new()),))
        thread.start()
        thread.join()
        return found[0]

    with anypair.using("scipy"):
        assert made_in_a_thread(contextvars.copy_context().run) == "scipy"
        assert made_in_a_thread(lambda work: work()) == DEFAULT


def test_an_empty_variable_is_not_set(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYPAIR_BACKEND", "")
    monkeypatch.setenv("ANYPAIR_THREADS", "")
    assert backend_of_new() == DEFAULT
    (folder / "anypair.toml").write_text('backend = "reference"')
    assert backend_of_new() == "reference"


def test_variables_that_nobody_reads_are_warned_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANYPAIR_TEST_ANYTHING", "1")
    monkeypatch.setenv("ANYPAIR_CACHE_LIMIT", "5")
    monkeypatch.setenv("ANYPAIR_GRID", "2x2")
    monkeypatch.setenv("ANYPAIR_BACKEND", "reference")
    backend_of_new()
    monkeypatch.setenv("ANYPAIR_THREDS", "1")
    with pytest.warns(
        UnknownVariable, match=r"ANYPAIR_THREDS has no .*; did you mean ANYPAIR_THREADS\?"
    ):
        backend_of_new()
    backend_of_new()  # said once
    monkeypatch.delenv("ANYPAIR_THREDS")
    monkeypatch.setenv("ANYPAIR_QWERTYUIOP", "1")
    monkeypatch.setenv("ANYPAIR_TEST_MORE", "1")  # a look is taken where their number is another one
    with pytest.warns(UnknownVariable, match="ANYPAIR_QWERTYUIOP has no meaning and is ignored$"):
        backend_of_new()


def test_keys_of_the_file_are_checked_as_keys(folder: Path) -> None:
    (folder / "anypair.toml").write_text('bakend = "reference"')
    with pytest.raises(UnknownOption, match=r"toml: unknown key 'bakend'; did you mean backend\?"):
        backend_of_new()
    (folder / "anypair.toml").write_text("threads = 2")
    with pytest.raises(UnknownOption, match=r"unknown key 'threads'; give .* tables of options"):
        backend_of_new()


@pytest.mark.parametrize("name", list(BACKENDS))
def test_the_registry_names_the_options(name: str) -> None:
    if reason := why_not(name):
        pytest.skip(reason)
    assert BACKENDS[name].options == tuple(default_options(name))


WRONG_OPTIONS = [
    ("jit", {"direction": "up"}, r"backend 'jit': direction='up' is none of \('auto', 'push', 'pull'\)"),
    ("jit", {"frontier": "list"}, r"frontier='list' is none of \('auto', 'queue', 'read'\)"),
    ("jit", {"threads": -1}, "backend 'jit': threads=-1 is not a number of threads"),
    ("jit", {"threads": True}, "backend 'jit': threads=True is not a number of threads"),
    ("suitesparse", {"threads": 1.0}, "backend 'suitesparse': threads=1.0 is not a number from 0 on"),
    ("hybrid", {"method": "gpu"}, r"method='gpu' is none of \('auto', 'queue', 'read', 'device'\)"),
    ("hybrid", {"cpu": "cuda"}, "backend 'hybrid': cpu='cuda' is none of reference, scipy, suitesparse"),
    ("hybrid", {"cpu": 7}, "backend 'hybrid': cpu=7 is none of reference"),
    ("hybrid", {"device": -1}, "backend 'hybrid': device=-1 is not the number of a GPU"),
    ("mpi", {"lanes": 0}, "backend 'mpi': lanes=0 is not a whole number from 1 on"),
    ("mpi", {"fold": "paper"}, r"backend 'mpi': fold='paper' is none of \('alltoall', "),
    ("mpi", {"direction": "up"}, r"backend 'mpi': direction='up' is none of \('auto', 'push', 'pull'\)"),
    ("mpi", {"grid": "2by2"}, "grid='2by2' is not a grid; give rows and columns"),
    ("mpi", {"local": "magic"}, "backend 'mpi': local='magic' is none of reference, scipy"),
    ("mpi", {"unit": "x"}, "backend 'mpi': unit='x' is not a whole number from 1 on"),
    ("scipy", {"threads": 1}, "backend 'scipy' has no option 'threads'; it has none"),
    ("jit", {"grid": 1}, "backend 'jit' has no option 'grid'; it has threads, direction"),
]


@pytest.mark.parametrize(("name", "options", "words"), WRONG_OPTIONS)
def test_values_that_an_option_does_not_take(name: str, options: Any, words: str) -> None:
    if reason := why_not(name):
        pytest.skip(reason)
    with pytest.raises(UnknownOption, match=words), anypair.using(name, **options):
        pass


def test_a_backend_made_without_the_registry_checks_its_options_too() -> None:
    with pytest.raises(UnknownOption, match="threads=0 is not a whole number from 1 on"):
        Configurable(threads=0)
    with pytest.raises(
        UnknownOption, match="'configurable' has no option 'quick'; it has threads, fast"
    ):
        Configurable(quick=True)
