"""What a caller may ask of a reader or a writer, checked once."""

from dataclasses import dataclass, fields
from typing import Any

from anypair.dtypes import DType, as_dtype
from anypair.errors import InvalidArgument, InvalidValue
from anypair.inputs import as_size

VERTICES = ("auto", "numbers", "ids", "names")


@dataclass(frozen=True)
class ReadOptions:
    """The options of `read` and `read_edges` that say how a file is to be understood."""

    weights: bool | None = None
    vertices: str = "auto"
    one_based: bool = False
    n: int | None = None
    delimiter: str | None = None
    header: bool | None = None
    columns: tuple[int | str, ...] | None = None
    dtype: DType | None = None
    limit: int | None = None
    start: int | None = None
    stop: int | None = None

    @property
    def is_range(self) -> bool:
        return self.start is not None or self.stop is not None

    def refuse(self, format: str, *names: str) -> None:
        """Complain about options that mean nothing for a format."""
        for field in fields(self):
            if field.name in names and getattr(self, field.name) != field.default:
                raise InvalidArgument(f"read: {field.name}= means nothing for the format {format!r}")


def read_options(**given: Any) -> ReadOptions:
    """The options, or an error that names the one that is wrong."""
    if given["vertices"] not in VERTICES:
        raise InvalidValue(f"read: vertices={given['vertices']!r} is none of {', '.join(VERTICES)}")
    for name in ("n", "limit", "start", "stop"):
        if given[name] is not None:
            given[name] = as_size("read", name, given[name])
    if given["dtype"] is not None:
        given["dtype"] = as_dtype(given["dtype"])
    if given["delimiter"] is not None:
        given["delimiter"] = as_delimiter("read", given["delimiter"])
    if given["columns"] is not None:
        columns = given["columns"]
        chosen = () if isinstance(columns, str | bytes) else tuple(columns)
        if len(chosen) not in (2, 3) or not all(isinstance(c, int | str) for c in chosen):
            raise InvalidValue(f"read: columns={columns!r} has to be two or three names or numbers")
        given["columns"] = chosen
    return ReadOptions(**given)


def as_delimiter(operation: str, delimiter: Any) -> str:
    """One character that can stand between fields; empty for blanks of any kind."""
    if delimiter in (" ", ""):
        return ""
    usable = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()
    if not usable or delimiter in '\n\r\0"#%+-.' or delimiter.isalnum():
        raise InvalidValue(f"{operation}: delimiter={delimiter!r} cannot stand between fields")
    return str(delimiter)
