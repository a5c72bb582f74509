"""What a line of a text file consists of."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass

from anypair.io.kernels.codes import NO_WEIGHTS, NUMBERS

UNBOUNDED = 2**63 - 1


@dataclass(frozen=True)
class LineLayout:
    """What a line consists of. Fields are counted from 0; -1 means that there is none."""

    delimiter: str = ""  # empty: any blanks
    fields: int = 2
    source: int = 0
    target: int = 1
    weight: int = -1
    kind: int = NUMBERS
    mode: int = NO_WEIGHTS
    may_widen: bool = False  # whether whole weights may turn out to be real ones
    base: int = 0
    nrows: int = UNBOUNDED
    ncols: int = UNBOUNDED
    entries: int | None = None  # how many there have to be
    comments: str = "#%"  # how lines begin that are skipped
    is_matrix: bool = False  # whether messages speak of rows and columns
    is_canonical: bool = False  # whether a vertex such as 01 is not the number 1
    columns: tuple[int | str, ...] | None = None  # which ones were taken
    described: str = ""  # the same for messages

    @property
    def numbers(self) -> tuple[int, ...]:
        """For compiled code."""
        delimiter = ord(self.delimiter) if self.delimiter else 0
        places = (self.fields, self.source, self.target, self.weight)
        bounds = (self.base, self.nrows, self.ncols)
        comments = (ord(self.comments[0]), ord(self.comments[-1]))
        return (delimiter, *places, self.kind, self.mode, *bounds, *comments, int(self.is_canonical))


def split(line: str, delimiter: str) -> Sequence[str]:
    """The fields of one line, blanks and quotes around them removed."""
    if not delimiter:
        return line.split()
    try:
        fields = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        fields = line.split(delimiter)
    return [field.strip() for field in fields]
