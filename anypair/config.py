"""Which backend a new object is made on, and with which options operations run.

First that is given: the argument `backend=`, `with using(...)`, the environment (`ANYPAIR_BACKEND`,
`ANYPAIR_<OPTION>`), `anypair.toml` here or in a folder above, the default.

Handles carry their backend, and operations follow them. Only options of execution, as `threads`, are
those of the `using` around a call, where that names the same backend.
"""

import os
import tomllib
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from anypair.backends.base import Backend
from anypair.backends.registry import BACKENDS, DEFAULT, default_options, known, load
from anypair.errors import InvalidArgument, UnknownOption, UnknownVariable

FILE_NAME = "anypair.toml"
PREFIX = "ANYPAIR_"
#: Every environment variable besides those of options, which are ANYPAIR_<OPTION>.
VARIABLES = ("ANYPAIR_BACKEND", "ANYPAIR_CACHE", "ANYPAIR_CACHE_LIMIT", "ANYPAIR_CHECK", "ANYPAIR_EAGER")
#: How those begin that belong to somebody else: the tests.
RESERVED = ("ANYPAIR_TEST_",)

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
    with in_use(load(name, _settings(name) | options)) as backend:
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
        name = _configured_name()
    elif isinstance(backend, str):
        name = known(backend, "the argument backend=")
    else:
        raise InvalidArgument(f"backend={backend!r} is neither a name nor a backend")
    return load(name, _settings(name))


def _configured_name() -> str:
    if name := os.environ.get("ANYPAIR_BACKEND"):
        return known(name, "the environment variable ANYPAIR_BACKEND")
    path, settings = _file()
    if "backend" in settings:
        return known(settings["backend"], str(path))
    return DEFAULT


def _settings(name: str) -> dict[str, Any]:
    """The options that environment and file give to this backend."""
    path, settings = _file()
    table = settings.get(name, {})
    if not isinstance(table, Mapping):
        raise UnknownOption(f"{path}: {name} has to be a table of options, not {table!r}")
    found = dict(table)
    options = default_options(name)
    _check_variables(frozenset(v for v in os.environ if v.startswith(PREFIX)), tuple(options))
    for option, default in options.items():
        variable = f"{PREFIX}{option.upper()}"
        if text := os.environ.get(variable):
            found[option] = _parse(variable, text, default)
    return found


@cache
def _check_variables(given: frozenset[str], options: tuple[str, ...]) -> None:
    """Warn, once, of variables with our prefix that nobody reads."""
    of_all = {option for row in BACKENDS.values() for option in row.options}
    read = {*VARIABLES, *(f"{PREFIX}{option.upper()}" for option in {*options, *of_all})}
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


def _file() -> tuple[Path | None, dict[str, Any]]:
    here = Path.cwd()
    for folder in (here, *here.parents):
        path = folder / FILE_NAME
        if path.is_file():
            return path, _read(path)
    return None, {}


def _read(path: Path) -> dict[str, Any]:
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
    return settings
