"""`anypair cache`: the compiled kernels that are kept on disk."""

from argparse import ArgumentParser, Namespace

from anypair.cli.command import Command
from anypair.compiling.kernel_folder import KernelFolder, kernel_folder
from anypair.report.numbers import si


def run(options: Namespace) -> int:
    """Print where the kernels are, how many, and how large they are; or remove them."""
    folder = kernel_folder()
    if options.clear:
        removed = folder.clear()
        print(f"removed {removed.kernels} kernels, {si(removed.nbytes, 'B')}")
        return 0
    used = folder.usage()
    print(f"folder   {folder.path or 'none: this user has no home'}")
    print(f"kernels  {used.kernels}")
    print(f"size     {si(used.nbytes, 'B')} of at most {si(folder.limit, 'B')}")
    print(f"state    {_state(folder)}")
    return 0


def _state(folder: KernelFolder) -> str:
    if reason := folder.why_refused():
        return f"refused: {reason}; kernels are compiled anew in each process"
    return "in use" if folder.can_write() else "cannot be written to: new kernels are not kept"


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("--clear", action="store_true", help="remove all kernels from the folder")


COMMAND = Command(
    "cache",
    "show or clear the compiled kernels that are kept on disk",
    "Say where compiled kernels are kept, how many there are and how large they are, or remove them.\n"
    "What is removed is compiled anew when it is needed. The environment variable ANYPAIR_CACHE names\n"
    "another folder; ANYPAIR_CACHE_LIMIT says how many megabytes it may take (512): beyond that,\n"
    "kernels that were not used for longest are removed.",
    ["anypair cache", "anypair cache --clear"],
    _configure,
    run,
)
