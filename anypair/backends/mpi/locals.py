"""The backend that each rank runs on its block."""

from collections.abc import Collection, Sequence

from anypair.backends.base import Backend
from anypair.backends.mpi.host_arrays import HostArrays
from anypair.backends.registry import BACKENDS, backend_class, load
from anypair.backends.wire.array_layer import ArrayLayer
from anypair.backends.wire.group import Group
from anypair.errors import BackendUnavailable, UnknownOption


def threads_for_each(cores: Sequence[Collection[int]]) -> list[int]:
    """How many threads each rank of a machine has, of which each may use some cores.

    Every core is given to one rank, whether ranks share cores or are bound to some of their own.

    >>> threads_for_each([{0, 1, 2}] * 2), threads_for_each([{0}, {1, 2}]), threads_for_each([{0}] * 2)
    ([2, 1], [1, 2], [1, 1])
    """
    threads = [0] * len(cores)
    for core in sorted(set().union(*cores)):
        users = [rank for rank, usable in enumerate(cores) if core in usable]
        threads[min(users, key=threads.__getitem__)] += 1
    return [max(1, count) for count in threads]


def load_local(name: str, threads: int, number: int) -> dict[str, Backend]:
    """The local backend as it is, and made to push and to pull if it lets itself be told.

    `number` is that of this rank on its machine, whose ranks take its GPUs in turn.
    """
    if not isinstance(name, str) or name not in BACKENDS or name == "mpi":
        others = ", ".join(other for other in BACKENDS if other != "mpi")
        raise UnknownOption(f"backend 'mpi': local={name!r} is none of {others}")
    made_of = backend_class(name)
    options = made_of.options_of_rank(number, threads)
    found = {"auto": load(name, options)}
    for direction in ("push", "pull") if "direction" in made_of.declared else ():
        found[direction] = load(name, {**options, "direction": direction})
    return found


def array_layer_for(name: str, local: Backend, world: Group) -> ArrayLayer:
    """Where messages are made: `device` is for a local backend that keeps its arrays on one."""
    if name == "host":
        return HostArrays(local)
    layer = local.device_arrays()
    if layer is None:
        raise UnknownOption(
            f"backend 'mpi': stage='device' does not go with local={local.name!r}, whose arrays are on "
            "the host; use stage='host' or local='cuda'"
        )
    if not layer.on_host and (reason := world.why_not_on_device()):
        raise BackendUnavailable(f"backend 'mpi' cannot run with stage='device': {reason}")
    return layer
