"""The backend that each rank runs on its block."""

import os
from typing import Any

from anypair.backends.base import Backend
from anypair.backends.mpi.group import Group
from anypair.backends.mpi.host_stage import HostStage
from anypair.backends.mpi.stage import Stage
from anypair.backends.registry import BACKENDS, load, option_names
from anypair.errors import BackendUnavailable, UnknownOption
from anypair.machine import available_cores


def threads_for_each(ranks_here: int) -> int:
    """The ranks of a machine share its cores, unless they were bound to some already."""
    return max(1, min(available_cores(), (os.cpu_count() or 1) // ranks_here))


def load_local(name: str, threads: int, number: int) -> dict[str, Backend]:
    """The local backend as it is, and made to push and to pull if it lets itself be told.

    `number` is that of this rank on its machine, whose ranks take its GPUs in turn.
    """
    if not isinstance(name, str) or name not in BACKENDS or name == "mpi":
        others = ", ".join(other for other in BACKENDS if other != "mpi")
        raise UnknownOption(f"backend 'mpi': local={name!r} is none of {others}")
    available = option_names(name)  # without a backend, which would settle on the first GPU
    options: dict[str, Any] = {"threads": threads} if "threads" in available else {}
    if "device" in available:
        from anypair.backends.cuda.device import take_device  # which has been imported by now

        options["device"] = take_device(number)
    found = {"auto": load(name, options)}
    for direction in ("push", "pull") if "direction" in available else ():
        found[direction] = load(name, {**options, "direction": direction})
    return found


def stage_for(name: str, local: Any, world: Group) -> Stage:
    """Where messages are made: `device` is for a local backend that keeps its arrays on one."""
    if name == "host":
        return HostStage(local)
    device = getattr(local, "device", None)
    if device is None:
        raise UnknownOption(
            f"backend 'mpi': stage='device' does not go with local={local.name!r}, whose arrays are on "
            "the host; use stage='host' or local='cuda'"
        )
    if not device.simulated and (reason := world.why_not_on_device()):
        raise BackendUnavailable(f"backend 'mpi' cannot run with stage='device': {reason}")
    from anypair.backends.mpi.device_stage import DeviceStage  # which imports the backend cuda

    with device.scope():
        return DeviceStage(local)
