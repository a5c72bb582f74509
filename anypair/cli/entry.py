"""From arguments to an exit status; expected errors are one line, never a traceback."""

import os
import sys
import time
from collections.abc import Sequence

from anypair.cli.command import UsageError
from anypair.cli.commands import COMMANDS
from anypair.cli.parser import build_parser
from anypair.errors import AnypairError
from anypair.io.options import spell_for_shell
from anypair.machine import PATIENCE, launched_rank

DONE, FAILED, WRONG_USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 1 for an error, 2 for wrong usage.

    >>> main(["completion", "magic"])
    2
    """
    if launched_rank():
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  one rank speaks for all
    parser = build_parser(COMMANDS)
    try:
        options = parser.parse_args(arguments)
    except SystemExit as end:
        return _status(end)
    try:
        status: int = options.run(options)
        sys.stdout.flush()  # here, where a closed pipe can still be handled
    except SystemExit as end:  # `launch` has had a look at what it is to run
        return _status(end)
    except UsageError as error:
        return _complain(str(error), WRONG_USAGE, options.parser.format_usage())
    except BrokenPipeError:
        # Whoever read our output has enough; what is buffered goes nowhere when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except AnypairError as error:
        return _complain(error.spelled(spell_for_shell), FAILED)
    except MemoryError as error:
        return _complain(f"out of memory: {error}" if str(error) else "out of memory", FAILED)
    except OSError as error:
        return _complain(_what_the_system_says(error), FAILED)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    return status


def _status(end: SystemExit) -> int:
    """What the parser ends with: 0 for help and version, 2 for wrong usage."""
    return end.code if isinstance(end.code, int) else FAILED


def _complain(message: str, status: int, usage: str = "") -> int:
    if launched_rank():
        time.sleep(PATIENCE)  # by then the first rank has ended the job, if it has the same to say
    print(f"{usage}anypair: {message}", file=sys.stderr)
    return status


def _what_the_system_says(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename is not None else reason
