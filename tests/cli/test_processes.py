"""The command as people start it: exit status, terminal, interrupt, closed pipe."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import anypair
from tests.report.samples import result, write
from tests.support.interrupts import heed_interrupts

COMMAND = [sys.executable, "-m", "anypair"]
ROOT = Path(__file__).parent.parent.parent
ENVIRONMENT = {**os.environ, "ANYPAIR_BACKEND": "scipy", "PYTHONPATH": str(ROOT)}


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    options = {"capture_output": True, "text": True, "timeout": 120, "env": ENVIRONMENT, **options}
    return subprocess.run([*COMMAND, *arguments], check=False, **options)


def test_status_and_streams(tmp_path: Path) -> None:
    assert run("--version").stdout == f"anypair {anypair.__version__}\n"
    assert run("backends").returncode == 0
    assert run().returncode == 2
    failed = run("report", str(tmp_path))
    assert (failed.returncode, failed.stdout) == (1, "")
    assert re.fullmatch(r"anypair: .*\n", failed.stderr)


def test_graph500_as_a_process(tmp_path: Path) -> None:
    done = run("graph500", "--scale", "5", "--roots", "2", "--json", "x.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")  # no progress bar: stderr is no terminal
    assert done.stdout.startswith("SCALE: 5\n")
    assert json.loads((tmp_path / "x.json").read_text())["nroots"] == 2


def on_terminal(*arguments: str) -> tuple[str, int]:
    """What a terminal shows of stderr, and the exit status."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=slave,
        env={**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "80"},
    )  # fmt: skip
    os.close(slave)
    shown = b""
    while True:
        try:
            piece = os.read(master, 1 << 16)
        except OSError:  # how a pseudo-terminal ends on Linux
            break
        if not piece:
            break
        shown += piece
    os.close(master)
    return shown.decode(), process.wait(timeout=60)


def test_a_progress_bar_on_a_terminal_that_goes_away() -> None:
    shown, status = on_terminal("graph500", "--scale", "6", "--roots", "4")
    assert status == 0
    assert re.search(r"\[#+-*\]  \d+/\d+  0:\d\d", shown)
    assert shown.endswith("\r\x1b[K")
    assert all(len(line) < 80 + 5 for line in shown.split("\r"))


def test_no_progress_bar_when_quiet() -> None:
    assert on_terminal("graph500", "--scale", "5", "--roots", "2", "--quiet") == ("", 0)


def test_a_clock_where_the_end_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "x.el").write_text("0 1\n")
    shown, status = on_terminal("info", str(tmp_path / "x.el"))
    assert status == 0
    assert re.search(r"reading x.el  0:00", shown)


@pytest.mark.parametrize("moment", [0.0, 0.5])
def test_an_interrupt_is_one_line_and_status_130(moment: float) -> None:
    # A graph that takes long on the slowest backend, so that the interrupt comes in the middle.
    process = subprocess.Popen(
        [*COMMAND, "graph500", "--scale", "15", "--backend", "reference", "--trace", os.devnull],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
        preexec_fn=heed_interrupts,
    )  # fmt: skip
    try:
        _wait_for_work(process.pid)
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, "", "anypair: interrupted\n")


def _wait_for_work(pid: int) -> None:
    """Until the process has imported everything and handles interrupts by itself."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists():
            time.sleep(5)
            return
        ticks = sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13]))
        if ticks / os.sysconf("SC_CLK_TCK") > 2.0:
            return
        time.sleep(0.05)


def test_a_closed_pipe_ends_the_command_quietly(tmp_path: Path) -> None:
    # More lines than a pipe holds, so that the reader leaves before all is written.
    (tmp_path / "star.el").write_text("".join(f"0 {k}\n" for k in range(50_000)))
    command = " ".join(COMMAND)
    script = f"{command} bfs star.el --source 0 --levels --quiet | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=60, cwd=tmp_path,
        env=ENVIRONMENT, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("vertex\tlevel\n141\n", "")


def test_a_full_disk_is_one_line() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("w") as full:
        done = run("backends", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_the_report_of_a_folder_with_an_odd_name(tmp_path: Path) -> None:
    write(tmp_path / "a b;$(c)/x.json", result())
    assert run("report", str(tmp_path / "a b;$(c)")).returncode == 0
