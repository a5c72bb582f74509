"""Completion scripts for bash, zsh and fish.

All three find the place (the subcommands written so far), then look at the word before: an option
that takes a value wants that value, anything else wants what the place has to offer.
"""

import shlex
from collections.abc import Callable, Iterable, Sequence

from anypair.cli.grammar import AGAIN, Place, Word

HEAD = "# Completes the command anypair; written by `anypair completion {}`.\n"


def bash(places: Sequence[Place]) -> str:
    """A script for bash 4.4 or newer."""
    wanted, offered = [], []
    for place in places:
        for option in _with_value(place):
            tests = "|".join(f'"{_name(place)}|{s}"' for s in option.spellings)
            action = "files=1" if option.is_path else f"words={_quoted(option.choices)}"
            wanted.append(f"        {tests}) {action} ;;\n")
        offered.append(
            f'        "{_name(place)}") options={_quoted(_spellings(place))} '
            f"words={_quoted(_plain_words(place))} files={'1' if _has_path(place) else ''} ;;\n"
        )
    return f"""{HEAD.format("bash")}_anypair() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    local place= options= words= files= i
    # bash cuts --option=value into three words
    if [[ $word == "=" ]]; then word=
    elif [[ $before == "=" ]]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$place ${{COMP_WORDS[i]}}" in
        {_steps(places)}) place="${{place:+$place }}${{COMP_WORDS[i]}}" ;;
        {_steps_again(places)}) place="${{COMP_WORDS[i]}}" ;;
        esac
    done
    case "$place|$before" in
{"".join(wanted)}        *)
        case "$place" in
{"".join(offered)}        esac
        if [[ $word == -* || -z $words$files ]]; then words=$options files=; fi ;;
    esac
    mapfile -t COMPREPLY < <(
        [[ $words ]] && compgen -W "$words" -- "$word"
        [[ $files ]] && compgen -f -- "$word")
    if [[ $files ]]; then compopt -o filenames 2>/dev/null; fi
}}
complete -F _anypair anypair
"""


def zsh(places: Sequence[Place]) -> str:
    """A script for zsh, with descriptions."""
    wanted, offered = [], []
    for place in places:
        for option in _with_value(place):
            tests = "|".join(f'"{_name(place)}|{s}"' for s in option.spellings)
            action = "_files" if option.is_path else f"compadd -- {' '.join(option.choices)}"
            if not option.is_path and not option.choices:
                action = f"_message {shlex.quote(option.meaning)}"
            wanted.append(f"    ({tests}) {action}; return ;;\n")
        named = [_described(*pair) for pair in place.subcommands]
        named += [_described(c, "") for word in place.arguments for c in word.choices]
        options = [_described(s, o.meaning) for o in place.options for s in o.spellings]
        files = "1" if _has_path(place) else ""
        offered.append(
            f'    ("{_name(place)}") named=({" ".join(named)}) files={files}\n'
            f"        options=({' '.join(options)}) ;;\n"
        )
    return f"""#compdef anypair
{HEAD.format("zsh")}_anypair() {{
    local place= files= i
    local -a named options
    for ((i = 2; i < CURRENT; i++)); do
        case "$place $words[i]" in
        ({_steps(places)}) place="${{place:+$place }}$words[i]" ;;
        ({_steps_again(places)}) place="$words[i]" ;;
        esac
    done
    case "$place|$words[CURRENT-1]" in
{"".join(wanted)}    esac
    case "$place" in
{"".join(offered)}    esac
    if [[ $words[CURRENT] == -* || ( -z $named && -z $files ) ]]; then
        _describe option options
    else
        [[ -n $named ]] && _describe command named
        [[ -n $files ]] && _files
    fi
}}
compdef _anypair anypair
"""


def fish(places: Sequence[Place]) -> str:
    """A script for fish, with descriptions."""
    lines = []
    for place in places:
        start = f"complete -c anypair -n '__anypair_at \"{_name(place)}\"'"
        for name, meaning in place.subcommands:
            lines.append(f"{start} -a {name} -d {_fish_quoted(meaning)}")
        for word in place.arguments:
            lines.append(f"{start} {_fish_value(word)} -d {_fish_quoted(word.meaning)}")
        for word in place.options:
            kinds = [f"-l {s[2:]}" if s.startswith("--") else f"-s {s[1:]}" for s in word.spellings]
            value = f" -r {_fish_value(word)}" if word.takes_value else ""
            lines.append(f"{start} {' '.join(kinds)}{value} -d {_fish_quoted(word.meaning)}")
            # Behind `--`, fish knows no options: there they are words.
            on_ranks = start.replace("__anypair_at", "__anypair_on_ranks")
            names = _fish_quoted(" ".join(word.spellings))
            lines.append(f"{on_ranks} -a {names} -d {_fish_quoted(word.meaning)}")
    steps, again = (each.replace("|", " ") for each in (_steps(places), _steps_again(places)))
    return f"""{HEAD.format("fish")}function __anypair_at
    set -l place ''
    for word in (commandline -opc)[2..-1]
        switch "$place $word"
            case {steps}
                set place (string trim "$place $word")
            case {again}
                set place $word
        end
    end
    test "$place" = "$argv[1]"
end
function __anypair_on_ranks
    contains -- -- (commandline -opc)
    and string match -q -- '-*' (commandline -ct)
    and __anypair_at $argv
end
complete -c anypair -f
{chr(10).join(lines)}
"""


SHELLS: dict[str, Callable[[Sequence[Place]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}


def _name(place: Place) -> str:
    return " ".join(place.words)


def _steps(places: Iterable[Place]) -> str:
    """From each place to those below it, as alternatives of a case."""
    below = [place for place in places if place.words]
    return "|".join(f'"{" ".join(place.words[:-1])} {place.words[-1]}"' for place in below)


def _steps_again(places: Iterable[Place]) -> str:
    """From `launch --` to the subcommands, as if nothing stood before them."""
    again = [place for place in places if place.words[-1:] == (AGAIN,)]
    return "|".join(f'"{_name(place)} {name}"' for place in again for name, _ in place.subcommands)


def _with_value(place: Place) -> list[Word]:
    return [option for option in place.options if option.takes_value]


def _spellings(place: Place) -> list[str]:
    return [spelling for option in place.options for spelling in option.spellings]


def _plain_words(place: Place) -> list[str]:
    choices = [choice for word in place.arguments for choice in word.choices]
    return [name for name, _ in place.subcommands] + choices


def _has_path(place: Place) -> bool:
    return any(word.is_path for word in place.arguments)


def _quoted(words: Iterable[str]) -> str:
    return shlex.quote(" ".join(words))


def _described(name: str, meaning: str) -> str:
    """An element of a list for zsh's _describe, which splits at the first colon."""
    return shlex.quote(f"{name}:{meaning}")


def _fish_value(word: Word) -> str:
    if word.is_path:
        return "-F"
    return f"-f -a {_fish_quoted(' '.join(word.choices))}" if word.choices else "-f"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
