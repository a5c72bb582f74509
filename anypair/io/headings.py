"""The beginning of an edge list: comments, perhaps a row of headings, the first edge."""

from collections.abc import Sequence
from dataclasses import dataclass

from anypair.io.columns import SAMPLE, titles_tell
from anypair.io.complaints import WORDS, complaint
from anypair.io.files import BYTE_ORDER_MARK, HEAD, TextFile
from anypair.io.kernels import problems
from anypair.io.line_layout import split
from anypair.io.options import ReadOptions


@dataclass(frozen=True)
class Head:
    """What the beginning of a file says."""

    begin: int  # of the first line with an edge
    line: int  # lines before
    first: list[str]  # fields of that line
    heading: list[str] | None


def inspect(file: TextFile, options: ReadOptions, delimiter: str) -> Head | None:
    """Find the first edge, and the row of headings before it if there is one."""
    text = file.head()
    if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise complaint(file.path, "is UTF-16 text; convert it to UTF-8")
    begin = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
    lines: list[tuple[int, int, bytes]] = []
    number = 0
    while begin < len(text) and len(lines) < 2:
        newline = text.find(b"\n", begin)
        end = len(text) if newline < 0 else newline
        line = text[begin:end].strip(b" \t\r" if delimiter != "\t" else b" \r")
        if b"\0" in line:
            raise complaint(file.path, WORDS[problems.NUL_BYTE], number + 1, line)
        if b"\r" in line:
            raise complaint(file.path, WORDS[problems.LONE_RETURN], number + 1, line)
        if line and line[:1] not in b"#%":
            lines.append((begin, number, line))
        begin = end + 1
        number += 1
    if not lines:
        if len(text) == HEAD:
            raise complaint(file.path, "the first megabyte holds no edge")
        return None
    rows = [split(line.decode("utf-8", "replace"), delimiter) for *_, line in lines]
    if has_heading(rows) if options.header is None else options.header:
        heading = [field.strip('"') for field in rows[0]]
        if len(lines) == 1:
            return None
        return Head(lines[1][0], lines[1][1], list(rows[1]), heading)
    return Head(lines[0][0], lines[0][1], list(rows[0]), None)


def has_heading(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row holds titles: no numbers, and known ones or else numbers below."""
    first = [field.strip('"') for field in rows[0]]
    if any(map(_is_number, first)):
        return False
    if titles_tell(first):
        return True
    return len(rows) > 1 and len(rows[0]) == len(rows[1]) and any(map(_is_number, rows[1]))


def sample_columns(file: TextFile, head: Head, delimiter: str) -> list[list[str]]:
    """The columns of the first lines with an edge."""
    text = file.head()[head.begin :]
    lines = [line for line in text.decode("utf-8", "replace").splitlines()[:SAMPLE] if line.strip()]
    rows = [split(line, delimiter) for line in lines if line[0] not in "#%"]
    return [[row[k] for row in rows if k < len(row)] for k in range(len(head.first))]


def _is_number(field: str) -> bool:
    try:
        float(field.strip('"'))
    except ValueError:
        return False
    return True
