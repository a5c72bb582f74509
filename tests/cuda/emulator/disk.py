"""What the emulator makes of kernels, kept with the other compiled kernels: made once for all processes."""

from collections.abc import Callable

from anypair.compiling.kernel_folder import kernel_folder


def kept(name: str, make: Callable[[], bytes]) -> bytes:
    """What was made under this name, in whichever process; ranks that need it meanwhile wait."""
    folder = kernel_folder()
    found = folder.read(name)
    if found is None:
        with folder.turn(name) as is_first:
            found = None if is_first else folder.read(name)
            if found is None:
                found = make()
                folder.write(name, found)
    return found
