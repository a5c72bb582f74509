"""The words of errors about files: which file, which line, what is wrong, and the text itself."""

from anypair.errors import FileError, option
from anypair.handle import readable_bytes
from anypair.io.kernels import problems

SHOWN = 60  # characters of a line
LONGEST_REASON = 120
U64 = option("dtype", "'uint64'")

WORDS = {
    problems.TOO_FEW_FIELDS: "has too few fields; expected {fields}",
    problems.TOO_MANY_FIELDS: "has more fields than expected, which is {fields}",
    problems.NOT_AN_INDEX: "{token} is not a whole number{names}",
    problems.LEADING_ZERO: "{token} begins with a zero: is it the number, or a name?{names}{numbers}",
    problems.NEGATIVE_INDEX: "{token} is negative; vertices are numbered from {base}{ids}",
    problems.INDEX_OVERFLOW: "{token} is too large for a 64-bit number",
    problems.SOURCE_BEYOND: "{token} is beyond the last {row}, {nrows}",
    problems.TARGET_BEYOND: "{token} is beyond the last {column}, {ncols}",
    problems.BELOW_BASE: "{token} is below the first number, {base}",
    problems.NOT_A_WEIGHT: "{token} is not a number",
    problems.WEIGHT_NOT_WHOLE: "{token} is not a whole number, but {integers}",
    problems.WEIGHT_OVERFLOW: "{token} does not fit into {dtype}; "
    f"{option('dtype', 'float')} takes the nearest float, {U64} what is below 2**64",
    problems.LONE_RETURN: "a carriage return without a newline; convert the line ends to newlines",
    problems.NUL_BYTE: "a NUL byte: this is not a text file",
    problems.OPEN_QUOTE: "a quote that is not closed on the same line",
    problems.TOO_MANY_LINES: "more entries than the {promised} that the header promises",
    problems.EMPTY_NAME: "an empty name",
}


def shown(text: bytes | str, most: int = SHOWN) -> str:
    """A text in quotes, escaped, and cut if it is long.

    >>> shown(b"1 2 \\xff")
    "'1 2 \\\\xff'"
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogateescape")
    escaped = ""
    for character in text:
        code = ord(character)
        # Bytes that are no UTF-8 arrive as numbers from 0xDC80 on.
        piece = f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else repr(character)[1:-1]
        if len(escaped) + len(piece) > most:
            return f"'{escaped}'..."
        escaped += piece
    return f"'{escaped}'"


def reason_of(error: BaseException) -> str:
    """What another library says, as a part of one line."""
    words = " ".join(str(error).split())
    plain = "".join(letter if letter.isprintable() else "?" for letter in words)
    if len(plain) > LONGEST_REASON:
        plain = f"{plain[:LONGEST_REASON]}..."
    return plain or type(error).__name__


def complaint(path: object, what: str, line: int | None = None, text: bytes | None = None) -> FileError:
    """The error to raise."""
    place = f"{path}, line {line}" if line is not None else f"{path}"
    return FileError(f"{place}: {what}" + (f": {shown(text)}" if text is not None else ""))


def holds_too_much(path: object, kind: str, size: int, limit: int) -> FileError:
    """The error about a small file that unpacks to a large one."""
    return complaint(
        path,
        f"the {kind} of {readable_bytes(size)} holds more than {readable_bytes(limit)}; "
        f"if you trust it, give a larger {option('limit')} (in bytes)",
    )
