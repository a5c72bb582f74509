"""How much memory a process may still take, by the machine, its cgroups and its limits."""

import subprocess
import sys
from pathlib import Path

import pytest

from anypair import memory
from anypair.errors import NotEnoughMemory
from anypair.memory import available, least_room, require

GB = 10**9


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine with 64 GB free, in files as the kernel has them."""
    (tmp_path / "self").mkdir()
    (tmp_path / "meminfo").write_text(f"MemTotal: 1 kB\nMemAvailable:   {64 * GB // 1024} kB\n")
    (tmp_path / "self/statm").write_text("0 0 0 0 0 0 0\n")
    return tmp_path


def write(folder: Path, **numbers: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, number in numbers.items():
        (folder / name.replace("__", ".")).write_text(f"{number}\n")


def mounted(machine: Path, cgroup: str, mountinfo: str) -> Path:
    (machine / "self/cgroup").write_text(cgroup)
    folder = machine / "mounted"
    (machine / "self/mountinfo").write_text(mountinfo.format(folder=folder))
    return folder


def test_the_machine(machine: Path) -> None:
    assert least_room(machine) == (64 * GB // 1024 * 1024, "")


def test_a_machine_without_such_files(tmp_path: Path) -> None:
    assert least_room(tmp_path).nbytes > 0
    assert available() > 0


def test_version_2_takes_the_least_of_nested_groups(machine: Path) -> None:
    folder = mounted(
        machine,
        "0::/job/step/task\n",
        "31 23 0:28 / {folder} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\nno mount\n",
    )
    write(folder, memory__stat="inactive_file 5")  # the root has no limit, and no file for it
    write(folder / "job", memory__max=40 * GB, memory__current=30 * GB, memory__stat="")
    write(folder / "job/step", memory__max="max", memory__current=3)
    write(folder / "job/step/task", memory__max=50 * GB, memory__current=10 * GB)
    room = least_room(machine)
    assert room.nbytes == 10 * GB
    assert room.limit == " in the cgroup, which has 40 GB"
    # What the kernel keeps of files it drops before it refuses memory.
    write(folder / "job", memory__stat=f"anon 1\nactive_file {GB}\ninactive_file {4 * GB}")
    assert least_room(machine).nbytes == 15 * GB
    write(folder / "job/step/task", memory__max=10 * GB, memory__current=11 * GB)
    assert least_room(machine).nbytes == 0


def test_version_1_by_its_memory_controller(machine: Path) -> None:
    folder = mounted(
        machine,
        "5:cpu,cpuacct:/elsewhere\n4:memory:/docker/abc/sub\n0::/\n",
        "35 31 0:32 /docker/abc {folder} rw,relatime - cgroup cgroup rw,memory\n"
        "36 31 0:33 / {folder}/cpu rw,relatime - cgroup cgroup rw,cpu\n",
    )
    write(folder, memory__limit_in_bytes=9223372036854771712, memory__usage_in_bytes=5)
    write(folder / "sub", memory__limit_in_bytes=8 * GB, memory__usage_in_bytes=6 * GB)
    (folder / "sub/memory.stat").write_text(f"inactive_file 7\ntotal_inactive_file {GB}\n")
    assert least_room(machine).nbytes == 3 * GB


def test_paths_of_the_host_in_a_container(machine: Path) -> None:
    folder = mounted(
        machine,
        "4:memory:/kubepods/pod1\n",
        "35 31 0:32 /other {folder} rw,relatime - cgroup cgroup rw,memory\n",
    )
    write(folder, memory__limit_in_bytes=2 * GB, memory__usage_in_bytes=GB)
    assert least_room(machine).nbytes == GB


@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_limits_of_the_process_less_what_is_in_use(limit: str) -> None:
    pytest.importorskip("resource")
    program = (
        "import resource, numpy as np\n"
        f"resource.setrlimit(resource.{limit}, (4 << 30, 4 << 30))\n"
        "from anypair.memory import available, least_room\n"
        "before = available()\n"
        "kept = np.ones(1 << 27)\n"
        "assert 3 << 30 < before < 4 << 30, before\n"
        "assert (1 << 30) - (1 << 24) < before - available() < (1 << 30) + (1 << 24)\n"
        f"assert least_room().limit == ' within {limit}, which is 4.29 GB'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_small_amounts_are_not_worth_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    def never() -> None:
        raise AssertionError("looked at the machine")

    monkeypatch.setattr(memory, "least_room", never)
    require(memory.ALWAYS_FITS, "this")
    with pytest.raises(AssertionError):
        require(memory.ALWAYS_FITS + 1, "this")


def test_the_message_has_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "least_room", lambda: memory.Room(2 * GB, " in a box"))
    require(2 * GB, "this")
    with pytest.raises(NotEnoughMemory, match=r"^this needs about 3 GB and 2 GB are free in a box$"):
        require(3 * GB, "this")
