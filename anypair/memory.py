"""Memory limits: what cannot fit is refused, with the figures, before memory is asked for."""

import os
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path, PurePosixPath
from typing import NamedTuple, ParamSpec, TypeVar

from anypair.errors import NotEnoughMemory

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

ALWAYS_FITS = 1 << 26  # not worth a look at the machine
UNLIMITED = 1 << 62


class Room(NamedTuple):
    """Bytes that a new allocation may take, and what sets the limit."""

    nbytes: int
    limit: str


def require(nbytes: int, what: str) -> None:
    """Raise `NotEnoughMemory` if `nbytes` are more than this process may still take.

    >>> require(1 << 60, "this vector")
    Traceback (most recent call last):
    ...
    anypair.errors.NotEnoughMemory: this vector needs about 1.15e+09 GB...
    """
    if nbytes > ALWAYS_FITS and nbytes > (room := least_room()).nbytes:
        needed, free = nbytes / 1e9, room.nbytes / 1e9
        raise NotEnoughMemory(
            f"{what} needs about {needed:.3g} GB and {free:.3g} GB are free{room.limit}"
        )


def naming_memory_errors(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """`function`, whose errors for want of memory are `NotEnoughMemory` and begin with its name.

    The one place where what NumPy, Numba and the operating system say becomes an error of ours.
    """
    name = function.__qualname__.removeprefix("Handle.")  # of which users see the two kinds

    @wraps(function)
    def operation(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
        try:
            return function(*arguments, **keywords)
        except MemoryError as error:
            if isinstance(error, NotEnoughMemory) and str(error).startswith(name):
                raise
            raise named_memory_error(error, name) from error

    return operation


def named_memory_error(error: MemoryError, name: str) -> NotEnoughMemory:
    """What to raise in its place; for itself, where a decorator would take too long in a search."""
    if isinstance(error, NotEnoughMemory):
        return NotEnoughMemory(f"{name}: {error}")
    room = least_room()
    said = f": {error}" if str(error) else ""
    return NotEnoughMemory(
        f"{name}: out of memory{said}; {room.nbytes / 1e9:.3g} GB are free{room.limit}"
    )


def available() -> int:
    """Bytes that a new allocation may take."""
    return least_room().nbytes


def least_room(proc: Path = Path("/proc")) -> Room:
    """The least of what is free on the machine, in the cgroups of this process and within its limits."""
    return min(
        (_on_the_machine(proc), *_in_cgroups(proc), *_within_limits(proc)), key=lambda r: r.nbytes
    )


def _on_the_machine(proc: Path) -> Room:
    for line in _lines(proc / "meminfo"):
        if line.startswith("MemAvailable:"):
            return Room(int(line.split()[1]) * 1024, "")
    try:
        return Room(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), "")
    except (AttributeError, ValueError, OSError):
        return Room(UNLIMITED, "")


def _within_limits(proc: Path) -> Iterator[Room]:
    """What RLIMIT_AS and RLIMIT_DATA leave, of which some is in use."""
    if resource is None:
        return
    used = [
        int(number) * resource.getpagesize()
        for line in _lines(proc / "self/statm")
        for number in line.split()
    ]
    for name, field in (("RLIMIT_AS", 0), ("RLIMIT_DATA", 5)):
        limit, _ = resource.getrlimit(getattr(resource, name))
        if limit != resource.RLIM_INFINITY:
            in_use = used[field] if len(used) > field else 0
            yield Room(max(0, limit - in_use), f" within {name}, which is {limit / 1e9:.3g} GB")


#: For the two versions: the limit, what is in use, and of that what the kernel can drop.
CGROUP_FILES = {
    "cgroup2": ("memory.max", "memory.current", ("inactive_file", "active_file")),
    "cgroup": (
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        ("total_inactive_file", "total_active_file"),
    ),
}


def _in_cgroups(proc: Path) -> Iterator[Room]:
    """What the memory cgroup of this process leaves, and each one around it."""
    for version, folder, path in _cgroups(proc):
        limit_file, usage_file, dropped = CGROUP_FILES[version]
        for group in (path, *path.parents):
            place = folder / group
            limit, used = _number(place / limit_file), _number(place / usage_file)
            if limit is None or used is None or limit >= UNLIMITED:
                continue
            facts = (line.partition(" ") for line in _lines(place / "memory.stat"))
            cached = sum(int(size) for name, _, size in facts if name in dropped)
            free = max(0, limit - max(0, used - cached))
            yield Room(free, f" in the cgroup, which has {limit / 1e9:.3g} GB")


def _cgroups(proc: Path) -> Iterator[tuple[str, Path, PurePosixPath]]:
    """Version, where it is mounted, and this process's path below there, of what may limit memory."""
    groups = {}
    for line in _lines(proc / "self/cgroup"):
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0":
            groups["cgroup2"] = path
        elif "memory" in controllers.split(","):
            groups["cgroup"] = path
    for line in _lines(proc / "self/mountinfo"):
        before, _, after = line.partition(" - ")
        kind, _, options = after.partition(" ")
        if kind in groups and (kind == "cgroup2" or "memory" in options.split()[-1].split(",")):
            root, mounted = before.split()[3:5]
            own = PurePosixPath(groups[kind])
            # In a container that was given a part of the tree, paths may still be those of the host.
            below = own.relative_to(root) if own.is_relative_to(root) else PurePosixPath()
            yield kind, Path(mounted), below


def _number(path: Path) -> int | None:
    """The number in a file; None if there is none, as in "max"."""
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdecimal() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
