"""Measurements that need a process of their own; each prints one line of JSON."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def run(module: str, *arguments: str, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What `python -m benchmarks.processes.<module>` prints."""
    command = [sys.executable, "-m", f"benchmarks.processes.{module}", *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | dict(environment or {}),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
