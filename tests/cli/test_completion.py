"""Completion, in the shells that there are here."""

import shutil
import subprocess
from pathlib import Path

import pytest

from anypair.backends.registry import BACKENDS
from anypair.cli.commands import COMMANDS
from tests.cli.conftest import Call

NAMES = {command.name for command in COMMANDS}


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"no {shell} here")


CASES: dict[str, tuple[str, set[str], set[str]]] = {
    "subcommands": ("anypair ", NAMES, {"--backend", "x.mtx"}),
    "a beginning": ("anypair gr", {"graph500"}, {"bfs", "generate"}),
    "options": ("anypair graph500 --", {"--scale", "--backend", "--json"}, {"--source"}),
    "options where nothing else can be": (
        "anypair graph500 --s",
        {"--scale", "--seed", "--sssp"},
        {"--json"},
    ),
    "backends": ("anypair graph500 --backend ", set(BACKENDS), {"--scale", "x.mtx"}),
    "files": ("anypair bfs ", {"x.mtx"}, {"--source"}),
    "files after an option": ("anypair graph500 --json ", {"x.mtx"}, {"--scale"}),
    "nothing for a number": ("anypair graph500 --scale ", set(), {"x.mtx", "--scale", "jit"}),
    "shells": ("anypair completion ", {"bash", "zsh", "fish"}, {"graph500"}),
    "what to do with kernels": ("anypair kernels ", {"list", "show", "clear"}, {"bfs", "x.mtx"}),
    "second subcommands": ("anypair generate ", {"kronecker", "uniform", "grid"}, {"bfs"}),
    "commands for ranks": ("anypair launch -n 2 -- ", NAMES | {"x.mtx"}, {"-n", "--scale"}),
    "their options on ranks": (
        "anypair launch -n 2 -- graph500 --",
        {"--scale", "--json"},
        {"--source", "-n"},
    ),
    "their files on ranks": ("anypair launch -n 2 -- bfs ", {"x.mtx"}, NAMES),
    "their options": ("anypair generate grid --", {"--rows", "--seed"}, {"--scale"}),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "x.mtx").touch()
    (tmp_path / "with blank.mtx").touch()
    return tmp_path


def ask(folder: Path, *command: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


def check(offered: list[str], case: str) -> None:
    _, wanted, unwanted = CASES[case]
    assert wanted <= set(offered)
    assert not unwanted & set(offered)


BASH = """source ./script
line=$1; COMP_WORDS=($line); [[ $line == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _anypair
[[ ${#COMPREPLY[@]} -gt 0 ]] && printf '%s\\n' "${COMPREPLY[@]}"; complete -p anypair >&3"""


@needs("bash")
@pytest.mark.parametrize("case", CASES)
def test_bash(call: Call, folder: Path, case: str) -> None:
    (folder / "script").write_text(call("completion", "bash").out)
    offered = ask(folder, "bash", "--norc", "-c", f"exec 3>/dev/null; {BASH}", "bash", CASES[case][0])
    check(offered, case)
    if case == "files":
        assert "with blank.mtx" in offered


@needs("bash")
def test_bash_with_an_equals_sign(call: Call, folder: Path) -> None:
    (folder / "script").write_text(call("completion", "bash").out)
    script = """source ./script; COMP_WORDS=(anypair graph500 --backend = j); COMP_CWORD=4; _anypair
    printf '%s\\n' "${COMPREPLY[@]}" """
    assert ask(folder, "bash", "--norc", "-c", script) == ["jit"]


@needs("fish")
@pytest.mark.parametrize("case", CASES)
def test_fish(call: Call, folder: Path, case: str) -> None:
    (folder / "script").write_text(call("completion", "fish").out)
    line = CASES[case][0]
    lines = ask(folder, "fish", "--no-config", "-c", f"source ./script; complete -C '{line}'")
    check([line.partition("\t")[0] for line in lines], case)


# A shell on a pseudo-terminal that prints what it would offer, instead of showing it.
ZSH = r"""
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; cd $PWD; autoload -Uz compinit; compinit -u -d $PWD/.dump; source ./script"
zpty -w z "compadd() { local -a hits; builtin compadd -O hits \"\$@\"; print -rl -- BEGIN \$hits END >>! offered; }"
zpty -w z "bindkey '^I' complete-word; print READY"
zpty -r z seen '*READY*READY*'
zpty -n -w z "$1"$'\t'
for ((i = 0; i < 100; i++)); do grep -q END offered && break; sleep 0.1; done  # typed ahead, it offers nothing
zpty -w z $'\x15'"print >! done"  # read after the completion: away with the line, then a sign
for ((i = 0; i < 300; i++)); do [[ -e done ]] && break; sleep 0.1; done
zpty -d z
"""


@needs("zsh")
@pytest.mark.parametrize("case", CASES)
def test_zsh(call: Call, folder: Path, case: str) -> None:
    (folder / "script").write_text(call("completion", "zsh").out)
    (folder / "offered").touch()
    ask(folder, "zsh", "-f", "-c", ZSH, "zsh", CASES[case][0])
    assert (folder / "done").exists()
    offered = (folder / "offered").read_text().splitlines()
    check(offered, case)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_can_be_parsed(call: Call, folder: Path, shell: str) -> None:
    done = call("completion", shell)
    assert (done.status, done.err) == (0, "")
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    (folder / "script").write_text(done.out)
    assert ask(folder, shell, "-n", "script") == []
