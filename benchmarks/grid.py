"""The grid of ranks, measured: python -m benchmarks.grid [PART ...].

Bytes are exact on any machine; seconds are of this one, by turns where they are compared.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from anypair.launch import command, environment

ROOT = Path(__file__).parent.parent
RANK_PROGRAM = str(ROOT / "benchmarks" / "processes" / "grid_rank.py")
FAILING_PROGRAM = str(ROOT / "tests" / "mpi" / "programs" / "failures.py")


def start(ranks: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program on so many ranks, none of them bound to a core."""
    variables = environment(ranks, os.environ) | {
        "PYTHONPATH": str(ROOT),
        "PRTE_MCA_hwloc_default_binding_policy": "none",
    }
    return subprocess.run(
        command(ranks, arguments), env=variables, capture_output=True, text=True, check=False
    )


def measure(ranks: int, name: str, **options: Any) -> Any:
    """The figures of a measure of grid_rank.py."""
    done = start(ranks, RANK_PROGRAM, name, json.dumps(options))
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def volume() -> None:
    """Expand by the rule of one sixteenth, and the mask at the sender, on 16 ranks."""
    runs = {
        mode: measure(16, "volume", scale=16, grid="4x4", expand=mode, direction="push")
        for mode in ("bitmap", "auto")
    }
    ratio = runs["auto"]["expand"] / runs["bitmap"]["expand"]
    report("expand bytes, rule of 1/16 against bitmaps, Kronecker 16, 4x4", ratio, "<=", 0.4)
    pairs = runs["auto"]["entries"] / runs["auto"]["edges"]
    report("fold pairs against edges, Kronecker 16, 4x4", pairs, "<=", 0.15)


def speed() -> None:
    """Two ranks of one thread against one process of two threads."""
    found = measure(2, "speed", scale=20, count=16)
    one, ranks = (found[name] for name in ("one process", "ranks"))
    for what, of in (("medians", statistics.median), ("minima", min)):
        print(f"  {what}: one process {of(one) * 1e3:.1f} ms, two ranks {of(ranks) * 1e3:.1f} ms")
    report(
        "TEPS of 2 ranks against jit with 2 threads, Kronecker 20",
        statistics.median(a / b for a, b in zip(one, ranks, strict=True)),
        ">=",
        0.6,
    )


def overhead() -> None:
    """A level of a search of a graph so small that only the overhead counts."""
    for grid in ("4x1", "2x2"):
        seconds = measure(4, "overhead", scale=10, count=40, grid=grid)["seconds per level"]
        name = f"milliseconds per level, 4 ranks as {grid}, Kronecker 10"
        report(f"{name} (least {min(seconds) * 1e3:.3f})", statistics.median(seconds) * 1e3, "<=", 1.0)


def memory() -> None:
    """The most memory of a rank, on one rank and on four."""
    one, four = (measure(ranks, "memory", scale=21) for ranks in (1, 4))
    print(f"  one rank {one['peak'] / 1e6:.0f} MB, four ranks {four['peak'] / 1e6:.0f} MB each")
    report("peak memory of a rank of 4 against one, Kronecker 21", four["peak"] / one["peak"], "<=", 0.4)


def failures() -> None:
    """How long a job takes to end after a rank raises, or is killed."""
    for case in ("raised", "killed"):
        for fold in ("alltoall", "scan", "wave"):
            done = start(4, FAILING_PROGRAM, case, fold)
            ended = time.time()
            began = float(next(x for x in done.stdout.split() if x.startswith("1")))
            assert done.returncode
            report(f"seconds until a job ends, a rank {case}, fold {fold}", ended - began, "<=", 10.0)


def codec() -> None:
    """Millions of places in a second, plain and interleaved."""
    from anypair.backends.wire.codec import decode_places, encode_places

    numbers = np.random.default_rng(1).choice(1 << 24, 1 << 20, replace=False)
    places = np.sort(numbers).astype(np.uint32)
    out = np.empty(len(places), np.uint32)
    for lanes in (1, 32):
        coded = encode_places(places, lanes)
        ways: dict[str, Callable[[], Any]] = {
            "encode": lambda lanes=lanes: encode_places(places, lanes),
            "decode": lambda lanes=lanes, coded=coded: decode_places(coded, out, 0, lanes),
        }
        for name, way in ways.items():
            way()
            seconds = []
            for _ in range(7):
                begin = time.perf_counter()
                way()
                seconds.append(time.perf_counter() - begin)
            rate = len(places) / min(seconds) / 1e6
            print(
                f"  {name}, {lanes} lanes: {rate:.0f} M places/s, {len(coded) / len(places):.2f} B each"
            )


def report(name: str, value: float, sign: str, bar: float) -> None:
    """One bar and whether it was reached."""
    reached = value <= bar if sign == "<=" else value >= bar
    print(f"{'ok  ' if reached else 'MISS'} {name}: {value:.3f} (bar {sign} {bar})", flush=True)


PARTS = {
    "volume": volume,
    "speed": speed,
    "overhead": overhead,
    "memory": memory,
    "failures": failures,
    "codec": codec,
}


if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
