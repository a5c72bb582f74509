"""Fuzz the readers: `python -m tests.fuzz --minutes 30 --reader npz`, or replay what was saved."""

import argparse
import secrets
import sys
import tempfile
from pathlib import Path

from tests.fuzz.readers import READERS
from tests.fuzz.running import Child, fuzz, load, save


def main() -> int:
    """The exit status is 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument(
        "--minutes", type=float, default=1.0, help="for each reader (default: %(default)s)"
    )
    parser.add_argument(
        "--reader",
        choices=list(READERS),
        action="append",
        help="which one; may be repeated (default: all)",
    )
    parser.add_argument("--seed", type=int, help="of the changes (default: a new one each time)")
    parser.add_argument(
        "--save", type=Path, default=Path("fuzz-failures"), help="folder for files that fail"
    )
    parser.add_argument("--replay", type=Path, nargs="+", help="read saved files instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Child(Path(folder)) as child:
        if options.replay:
            return _replay(options.replay, child)
        seed = secrets.randbits(32) if options.seed is None else options.seed
        print(f"seed {seed}", flush=True)
        failed = False
        for name in options.reader or READERS:
            report = fuzz(name, 60 * options.minutes, seed, child)
            print(report, flush=True)
            for failure, given in report.failures.items():
                path = save(name, given, failure, options.save)
                print(
                    f"  {failure}\n  saved; replay it with: python -m tests.fuzz --replay {path}",
                    flush=True,
                )
                failed = True
    return int(failed)


def _replay(paths: list[Path], child: Child) -> int:
    failed = False
    for path in paths:
        _, given, _ = load(path)
        outcome = child.read(given)
        print(f"{path}: {outcome.kind}: {outcome.what}")
        failed = failed or outcome.kind == "failed"
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
