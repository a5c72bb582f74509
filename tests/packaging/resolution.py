"""Whether the dependencies resolve, from wheels alone: python -m tests.packaging.resolution.

It asks package indexes, by uv, so it is no part of `make test`; nothing is installed.
"""

import itertools
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = {
    "Linux": "x86_64-manylinux_2_28",
    "Linux on ARM": "aarch64-manylinux_2_28",
    "macOS": "aarch64-apple-darwin",
    "Windows": "x86_64-pc-windows-msvc",
}
#: For each extra the platforms that have all of it; "" is the plain install.
EXTRAS = {
    "": tuple(PLATFORMS),
    "parquet": tuple(PLATFORMS),
    "test": tuple(PLATFORMS),
    "suitesparse": tuple(PLATFORMS),
    "mpi": tuple(PLATFORMS),
    "cuda": ("Linux", "Windows"),
    "hybrid": ("Linux", "Windows"),
    "cuda-test": tuple(PLATFORMS),
    "bench": ("Linux",),
    "dev": tuple(PLATFORMS),
}
MACOS = "15.0"  # wheels of SuiteSparse:GraphBLAS ask for it


def problem_with(extra: str, python: str, platform: str) -> str:
    """Why this extra cannot be installed there; nothing if it can."""
    chosen = ["--extra", extra] if extra else []
    where = ["--python-version", python, "--python-platform", PLATFORMS[platform]]
    done = subprocess.run(
        ["uv", "pip", "compile", "pyproject.toml", *chosen, *where, "--only-binary", ":all:", "--quiet"],
        cwd=ROOT,
        env={**os.environ, "MACOSX_DEPLOYMENT_TARGET": MACOS},
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else done.stderr.strip()


def main() -> int:
    """Try all; the exit status is 1 if one does not resolve."""
    failed = 0
    for (extra, platforms), python in itertools.product(EXTRAS.items(), PYTHONS):
        for platform in platforms:
            title = f"anypair[{extra}]" if extra else "anypair"
            problem = problem_with(extra, python, platform)
            failed += bool(problem)
            print(f"{title}, Python {python}, {platform}: {problem or 'resolves'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
