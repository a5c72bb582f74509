"""`anypair kernels`: the compiled kernels that are kept on disk, and the text that they were made of."""

import time
from argparse import ArgumentParser, Namespace

from anypair.cli.command import Command
from anypair.compiling.kernel_folder import KernelFolder, StoredKernel, kernel_folder
from anypair.errors import InvalidValue
from anypair.report.numbers import si

LISTED = 10  # kernels that a message names


def run(options: Namespace) -> int:
    """Do what the second word says, or list."""
    status: int = options.act(kernel_folder(), options) if options.what else list_all(kernel_folder())
    return status


def list_all(folder: KernelFolder, options: Namespace | None = None) -> int:
    """List the kernels, and how much room they take."""
    used = folder.usage()
    print(f"folder   {folder.path or 'none: this user has no home'}")
    print(f"kernels  {used.kernels}")
    print(f"size     {si(used.nbytes, 'B')} of at most {si(folder.limit, 'B')}")
    print(f"state    {_state(folder)}")
    kernels = folder.kernels()
    if kernels:
        print("\nnumber    size     last used         kernel")
    for kernel in kernels:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(kernel.used))
        print(f"{kernel.number}  {si(kernel.nbytes, 'B'):<7}  {when}  {_described(kernel)}")
    return 0


def show(folder: KernelFolder, options: Namespace) -> int:
    """Print the text that a kernel was made of."""
    wanted = options.kernel
    found = [
        kernel
        for kernel in folder.kernels()
        if "text" in kernel.about and (kernel.number.startswith(wanted) or wanted in _described(kernel))
    ]
    if not found:
        raise InvalidValue(
            f"kernels show: there is no kernel {wanted!r} in {folder.path}; `anypair kernels` lists them"
        )
    if len({kernel.about["text"] for kernel in found}) > 1:
        names = "".join(f"\n  {kernel.number}  {_described(kernel)}" for kernel in found[:LISTED])
        more = f"\n  and {len(found) - LISTED} more" if len(found) > LISTED else ""
        raise InvalidValue(
            f"kernels show: {wanted!r} is in {len(found)} kernels of different texts; give the number "
            f"of one of them:{names}{more}"
        )
    for kernel in found:
        print(f"# {_described(kernel)}\n#   compiled for ({kernel.about['arguments']})")
    print(found[0].about["text"], end="")
    return 0


def clear(folder: KernelFolder, options: Namespace) -> int:
    """Remove all kernels from the folder."""
    removed = folder.clear()
    print(f"removed {removed.kernels} kernels, {si(removed.nbytes, 'B')}")
    return 0


def _described(kernel: StoredKernel) -> str:
    about = kernel.about
    if "kernel" not in about:
        return kernel.name
    operators = f"  {about['operators']}" if about.get("operators") else ""
    return f"{about.get('module', '')}.{about['kernel']}{operators}"


def _state(folder: KernelFolder) -> str:
    if reason := folder.why_refused():
        return f"refused: {reason}; kernels are compiled anew in each process"
    return "in use" if folder.can_write() else "cannot be written to: new kernels are not kept"


def _configure(parser: ArgumentParser) -> None:
    acts = parser.add_subparsers(dest="what", metavar="list | show | clear")
    for name, act in {"list": list_all, "show": show, "clear": clear}.items():
        summary = (act.__doc__ or "").rstrip(".")
        one = acts.add_parser(name, help=summary, description=summary)
        one.set_defaults(act=act)
        if act is show:
            one.add_argument(
                "kernel", metavar="KERNEL", help="its number, or a part of its name or of its operators"
            )


COMMAND = Command(
    "kernels",
    "list, show or clear the compiled kernels that are kept on disk",
    "List the compiled kernels that are kept on disk, with their operators and sizes, and say where\n"
    "they are; print the text that one was made of; or remove all: they are compiled anew when they\n"
    "are needed. The environment variable ANYPAIR_CACHE names another folder; ANYPAIR_CACHE_LIMIT says\n"
    "how many megabytes it may take (512): beyond that, kernels that were not used for longest\n"
    "are removed.",
    ["anypair kernels", "anypair kernels show pull_first", "anypair kernels clear"],
    _configure,
    run,
)
