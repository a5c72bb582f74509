"""Which backend a new object is made on, and with which options operations run.

First that is given: the argument `backend=`, `with using(...)`, the environment (`ANYPAIR_BACKEND`,
`ANYPAIR_<OPTION>`), `anypair.toml` here or in a folder above, the default. Folders above are looked
through once for each working folder.

Handles carry their backend, and operations follow them. Only options of execution, as `threads`, are
those of the `using` around a call, where that names the same backend.
"""

import os
import stat
import time
import tomllib
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from anypair.backends.base import Backend
from anypair.backends.registry import (
    BACKENDS,
    DEFAULT,
    backend_class,
    default_options,
    known,
    load,
)
from anypair.errors import InvalidArgument, UnknownOption, UnknownVariable

FILE_NAME = "anypair.toml"
PREFIX = "ANYPAIR_"
#: Every environment variable besides those of options, which are ANYPAIR_<OPTION>.
VARIABLES = ("ANYPAIR_BACKEND", "ANYPAIR_CACHE", "ANYPAIR_CACHE_LIMIT", "ANYPAIR_CHECK", "ANYPAIR_EAGER")
#: How those begin that belong to somebody else: the tests.
RESERVED = ("ANYPAIR_TEST_",)
#: A file that was written so many nanoseconds ago is read again: another write may look the same.
FRESH = 100_000_000


@dataclass(frozen=True, eq=False)
class File:
    """What a file `anypair.toml` says: one object for as long as it says so."""

    path: Path | None = None  # None: there is no such file
    settings: Mapping[str, Any] = field(default_factory=dict)


NO_FILE = File()

_in_use: ContextVar[Backend | None] = ContextVar("anypair_backend", default=None)


@contextmanager
def using(name: str, **options: Any) -> Iterator[Backend]:
    """Make new matrices and vectors on the backend `name` inside the `with` block.

    >>> import anypair
    >>> with anypair.using("reference"):
    ...     v = anypair.Vector.from_entries([1], [5.0], size=3)
    >>> v.backend.name
    'reference'
    """
    known(name, "using()")
    with in_use(load(name, {**_settings(name, _file(), _texts(name)), **options})) as backend:
        yield backend


@contextmanager
def in_use(backend: Backend) -> Iterator[Backend]:
    """As `using`, of a backend that there is already."""
    token = _in_use.set(backend)
    try:
        yield backend
    finally:
        _in_use.reset(token)


def computing_for(backend: Backend) -> Backend:
    """What computes on things that live on `backend`: the one in use, if it only runs another way."""
    here = _in_use.get()
    if here is None or here is backend or here.identity != backend.identity:
        return backend
    return here


def resolve(backend: "str | Backend | None" = None) -> Backend:
    """The backend meant by an argument, or by the configuration when it is None."""
    if isinstance(backend, Backend):
        return backend
    if backend is None:
        if (in_use := _in_use.get()) is not None:
            return in_use
        name = _configured_name(file := _file())
    elif isinstance(backend, str):
        name, file = known(backend, "the argument backend="), _file()
    else:
        raise InvalidArgument(f"backend={backend!r} is neither a name nor a backend")
    return _configured(name, backend_class(name), file, _texts(name))


def default_backend() -> Backend:
    """The backend that new objects are made on here and now, if nothing else is said.

    >>> import anypair
    >>> with anypair.using("reference"):
    ...     anypair.default_backend().name
    'reference'
    """
    return resolve()


def _configured_name(file: File) -> str:
    if name := os.environ.get("ANYPAIR_BACKEND"):
        return known(name, "the environment variable ANYPAIR_BACKEND")
    if "backend" in file.settings:
        return known(file.settings["backend"], str(file.path))
    return DEFAULT


@lru_cache(maxsize=64)
def _configured(name: str, cls: type[Backend], file: File, texts: tuple[Any, ...]) -> Backend:
    """The backend of that name, with the options that file and environment give to it."""
    return load(name, _settings(name, file, texts))


def _texts(name: str) -> tuple[Any, ...]:
    """What the environment says of each option of this backend, as it is kept there."""
    variables, keys = _variables(backend_class(name))
    _check_variables(variables, len(os.environ))
    # Its own `get` raises an error inside for what is not there, which takes longer than all the rest.
    return tuple(map(os.environ._data.get, keys))  # type: ignore[attr-defined]


@cache
def _variables(cls: type[Backend]) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """The environment variables of the options of these backends, and what they are kept by."""
    names = tuple(f"{PREFIX}{option.upper()}" for option in cls.declared)
    return names, tuple(map(os.environ.encodekey, names))


def _settings(name: str, file: File, texts: tuple[Any, ...]) -> dict[str, Any]:
    """The options that environment and file give to this backend."""
    table = file.settings.get(name, {})
    if not isinstance(table, Mapping):
        raise UnknownOption(f"{file.path}: {name} has to be a table of options, not {table!r}")
    found = dict(table)
    variables, _ = _variables(backend_class(name))
    for (option, default), variable, text in zip(
        default_options(name).items(), variables, texts, strict=True
    ):
        if text:
            found[option] = _parse(variable, os.environ.decodevalue(text), default)
    return found


@cache
def _check_variables(variables: tuple[str, ...], count: int) -> None:
    """Warn, once, of variables with our prefix that nobody reads: where there are so many in all, as a
    look at each of them takes longer than to make a vector.
    """
    given = {variable for variable in os.environ if variable.startswith(PREFIX)}
    of_all = {option for row in BACKENDS.values() for option in row.options}
    read = {*VARIABLES, *variables, *(f"{PREFIX}{option.upper()}" for option in of_all)}
    for variable in sorted(given - read):
        if not variable.startswith(RESERVED):
            warnings.warn(
                f"the environment variable {variable} has no meaning and is ignored"
                + _nearest(variable, read, PREFIX),
                UnknownVariable,
                stacklevel=2,
            )


def _nearest(name: str, names: Iterable[str], prefix: str = "") -> str:
    """The question whether another name was meant, if one is like it besides the prefix of all."""
    found = get_close_matches(
        name.removeprefix(prefix), sorted(n.removeprefix(prefix) for n in names), n=1, cutoff=0.7
    )
    return f"; did you mean {prefix}{found[0]}?" if found else ""


def _parse(variable: str, text: str, default: Any) -> Any:
    """The text of an environment variable as the type that the option's default has."""
    try:
        if isinstance(default, bool):
            return {"1": True, "true": True, "0": False, "false": False}[text.lower()]
        return int(text) if isinstance(default, int) else text
    except (KeyError, ValueError):
        wanted = type(default).__name__
        raise UnknownOption(f"{variable}={text!r} is not a value of type {wanted}") from None


def _file() -> File:
    """The file of the working folder, or of a folder above; read again when it has changed."""
    here = os.getcwd()  # noqa: PTH109 - a Path takes as long as all the rest
    path = f"{here}{os.sep}{FILE_NAME}"
    if (found := _state(path)) is None:
        if (above := _path_above(here)) is None:
            return NO_FILE
        if (found := _state(path := above)) is None:  # it has gone
            _path_above.cache_clear()
            return _file()
    if time.time_ns() - found.st_mtime_ns < FRESH:
        return _read(Path(path))
    return _read_once(path, found.st_mtime_ns, found.st_size, found.st_ino)


def _state(path: str) -> os.stat_result | None:
    """What the system says of a file; None if there is no such file."""
    if not os.access(path, os.F_OK):  # without an error, which takes longer
        return None
    try:
        found = os.stat(path)  # noqa: PTH116 - as above
    except OSError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None


@lru_cache(maxsize=16)
def _path_above(here: str) -> str | None:
    """The file in the nearest folder above, which is looked for once: each object would take as long."""
    paths = (folder / FILE_NAME for folder in Path(here).parents)
    return next((str(path) for path in paths if path.is_file()), None)


@lru_cache(maxsize=16)
def _read_once(path: str, *state: int) -> File:
    return _read(Path(path))


def _read(path: Path) -> File:
    try:
        settings = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UnknownOption(f"{path} cannot be read: {error}") from error
    for key, value in settings.items():
        if key == "backend" or key in BACKENDS:
            continue
        if isinstance(value, Mapping):
            known(key, f"a table name in {path}")
        raise UnknownOption(
            f"{path}: unknown key {key!r}{_nearest(key, ['backend', *BACKENDS])}; "
            "give backend = ... and tables of options such as [jit]"
        )
    return File(path, settings)
