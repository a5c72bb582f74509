"""The process that reads: a line of JSON in for each file, a line of JSON out about what came of it.

It has a limit to its memory, and kernels with bounds checks. What it reports besides is which lines of
anypair.io were reached and what was said, so that files that reach something new can be kept.
"""

import json
import resource
import sys
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

from anypair.errors import AnypairError
from anypair.io import read
from anypair.io.options import DUPLICATES

ADDRESS_SPACE = 6 << 30
FOLDER = str(Path(__file__).parent.parent.parent / "anypair" / "io")
LONGEST_MESSAGE = 600


class Reached:
    """Lines of anypair.io, in the order of first visits."""

    def __init__(self) -> None:
        self.lines: set[tuple[str, int]] = set()

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(FOLDER):
            return None
        self.lines.add((frame.f_code.co_filename[len(FOLDER) :], frame.f_lineno))
        return self.trace


def attempt(path: str, options: dict[str, Any]) -> dict[str, Any]:
    """Read the file; anything but a matrix or an error of ours, foreseen by the reader, is a failure."""
    given = options | {"duplicates": DUPLICATES.get(options.get("duplicates", ""))}
    if isinstance(given.get("columns"), list):
        given["columns"] = tuple(given["columns"])
    reached = Reached()
    sys.settrace(reached.trace)
    try:
        matrix = read(path, backend="reference", **given).matrix
        sys.settrace(None)
        rows, columns, values = matrix.to_entries()
        wrong = len(rows) and not (
            rows.min() >= 0
            and rows.max() < matrix.nrows
            and columns.min() >= 0
            and columns.max() < matrix.ncols
        )
        outcome = ("failed", "entries outside the matrix") if wrong else ("read", f"{values.dtype}")
    except AnypairError as error:
        outcome = ("refused", str(error))
        unforeseen = error.__cause__ is not None and "cannot be read as" in outcome[1]
        if unforeseen or not outcome[1].isprintable() or len(outcome[1]) > LONGEST_MESSAGE + len(path):
            outcome = ("failed", "".join(traceback.format_exception(error)))
    except Exception:
        outcome = ("failed", traceback.format_exc())
    finally:
        sys.settrace(None)
    return {"kind": outcome[0], "what": outcome[1], "reached": sorted(reached.lines)}


def main() -> None:
    """Serve until the input ends."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(attempt(asked["path"], asked["options"])), flush=True)


if __name__ == "__main__":
    main()
