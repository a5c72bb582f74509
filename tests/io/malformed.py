"""Files that are wrong, each with what the error has to say. `read` and the command see the same table."""

import gzip
from dataclasses import dataclass, field
from typing import Any

MTX = "%%MatrixMarket matrix coordinate "
REAL = f"{MTX}real general\n"
PATTERN = f"{MTX}pattern general\n"
ARRAY = "%%MatrixMarket matrix array real general\n"


@dataclass(frozen=True)
class Case:
    """A file of this name and content, read with these options, gives an error with these words."""

    file: str
    content: bytes
    words: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.file}: {self.words}"


def _case(file: str, content: str | bytes, words: str, **options: Any) -> Case:
    return Case(file, content.encode() if isinstance(content, str) else content, words, options)


_MATRIX_MARKET = [
    _case("a.mtx", "", "a.mtx: is empty"),
    _case("a.mtx", "\n", "line 1: should be: %%MatrixMarket matrix"),
    _case("a.mtx", "1 2\n", "line 1: should be: %%MatrixMarket matrix coordinate real general"),
    _case("a.mtx", "%MatrixMarket matrix coordinate real general\n1 1 0\n", "line 1: should be"),
    _case("a.mtx", "%%MatrixMarket matrix coordinate real\n1 1 0\n", "line 1: should be"),
    _case("a.mtx", "%%MatrixMarket vector coordinate real general\n1 1 0\n", "line 1: should be"),
    _case("a.mtx", "%%MatrixMarket matrix list real general\n", "line 1: 'list' is none of coordinate"),
    _case("a.mtx", f"{MTX}float general\n", "line 1: 'float' is none of real, double, integer"),
    _case("a.mtx", f"{MTX}real diagonal\n", "line 1: 'diagonal' is none of general, symmetric"),
    _case("a.mtx", f"{MTX}complex general\n1 1 1\n1 1 2 3\n", "complex numbers are not supported"),
    _case("a.mtx", f"{MTX}complex hermitian\n1 1 0\n", "complex numbers are not supported"),
    _case("a.mtx", f"{MTX}pattern skew-symmetric\n1 1 0\n", "a pattern cannot be skew-symmetric"),
    _case("a.mtx", "%%MatrixMarket matrix array pattern general\n", "a pattern cannot be array"),
    _case("a.mtx", PATTERN, "has no line with the sizes"),
    _case("a.mtx", f"{PATTERN}% only comments\n", "has no line with the sizes"),
    _case("a.mtx", f"{PATTERN}{PATTERN}2 2 0\n", "line 2: a second header"),
    _case("a.mtx", f"{PATTERN}2 2\n", "line 2: should be rows, columns and entries"),
    _case("a.mtx", f"{PATTERN}2 2 one\n", "line 2: should be rows, columns and entries"),
    _case("a.mtx", f"{PATTERN}2 -2 0\n", "line 2: should be rows, columns and entries"),
    _case("a.mtx", f"{PATTERN}2 2 1.5\n", "line 2: should be rows, columns and entries"),
    _case("a.mtx", f"{PATTERN}{2**63} 2 0\n", "line 2: a size too large for 64 bits"),
    _case("a.mtx", f"{PATTERN}{'9' * 5000} 2 0\n", "line 2: a size too large for 64 bits"),
    _case("a.mtx", f"{PATTERN}2 2 5\n1 1\n", "line 2: promises 5 entries in 2x2 places"),
    _case("a.mtx", f"{MTX}real symmetric\n2 3 0\n", "line 2: 2x3 cannot be symmetric"),
    _case("a.mtx", f"{PATTERN}9 9 9\n1 1\n", "promises 9 entries, and only 4 bytes follow"),
    _case("a.mtx", f"{PATTERN}9 9 2\n1 1\n    \n", "ends after 1 of the 2 entries"),
    _case("a.mtx", f"{PATTERN}2 2 1\n1 1\n2 2\n", "line 4: more entries than the 1 that the header"),
    _case("a.mtx", f"{PATTERN}2 2 1\n% x\n1 1\n\n2 2\n", "line 6: more entries than the 1"),
    _case("a.mtx", f"{PATTERN}2 2 1\n3 1\n", "line 3: '3' is beyond the last row, 2: '3 1'"),
    _case("a.mtx", f"{PATTERN}2 2 1\n1 3\n", "line 3: '3' is beyond the last column, 2: '1 3'"),
    _case("a.mtx", f"{PATTERN}2 2 1\n0 1\n", "line 3: '0' is below the first number, 1"),
    _case("a.mtx", f"{PATTERN}2 2 1\n-1 1\n", "line 3: '-1' is negative; vertices are numbered from 1"),
    _case("a.mtx", f"{PATTERN}2 2 1\n{'9' * 30} 1\n", "is too large for a 64-bit number"),
    _case("a.mtx", f"{PATTERN}2 2 1\n1 x\n", "line 3: 'x' is not a whole number: '1 x'"),
    _case("a.mtx", f"{PATTERN}2 2 1\n1.0 1\n", "line 3: '1.0' is not a whole number"),
    _case("a.mtx", f"{PATTERN}2 2 1\n1 1 1\n", "line 3: has more fields than expected, which is 2"),
    _case("a.mtx", f"{PATTERN}2 2 1\n# no\n1 1\n", "line 3: '#' is not a whole number"),
    _case("a.mtx", f"{REAL}2 2 1\n1 1  \n", "line 3: has too few fields; expected 3: '1 1  '"),
    _case("a.mtx", f"{REAL}2 2 1\n1 1 one\n", "line 3: 'one' is not a number: '1 1 one'"),
    _case("a.mtx", f"{REAL}2 2 1\n1 1 1_0\n", "line 3: '1_0' is not a number"),
    _case("a.mtx", f"{REAL}2 2 1\n1 1 1e\n", "line 3: '1e' is not a number"),
    _case("a.mtx", f"{REAL}2 2 1\n1 1 1.5.2\n", "line 3: '1.5.2' is not a number"),
    _case("a.mtx", f"{REAL}2 2 1\n1 1 1,5\n", "line 3: '1,5' is not a number"),
    _case(
        "a.mtx", f"{MTX}integer general\n2 2 1\n1 1 2.5\n", "'2.5' is not a whole number, but the header"
    ),
    _case(
        "a.mtx", f"{MTX}integer general\n2 2 1\n1 1 {2**63}\n", "does not fit into int64; dtype=float"
    ),
    _case("a.mtx", f"{MTX}unsigned-integer general\n2 2 1\n1 1 -1\n", "'-1' does not fit into uint64"),
    _case("a.mtx", f"{MTX}unsigned-integer general\n2 2 1\n1 1 {2**64}\n", "does not fit into uint64"),
    _case(
        "a.mtx", f"{MTX}real skew-symmetric\n2 2 1\n2 2 1.0\n", "has an entry on the diagonal, in row 2"
    ),
    _case("a.mtx", f"{PATTERN}2 2 2\n1 1\r2 2\r", "line 3: a carriage return without a newline"),
    _case("a.mtx", (PATTERN + "2 2 1\n1 1\n").replace("\n", "\r"), "line 1: a carriage return without"),
    _case("a.mtx", f"{PATTERN}2 2 1\n1\0 1\n", "line 3: a NUL byte: this is not a text file"),
    _case("a.mtx", bytes(range(256)), "line 1: should be: %%MatrixMarket"),
    _case("a.mtx", f"{ARRAY}2 2 4\n", "line 2: should be rows and columns"),
    _case("a.mtx", f"{ARRAY}2 2\n1\n2\n3\n   \n", "ends after 3 of the 4 values"),
    _case("a.mtx", f"{ARRAY}1 2\n1\n2\n3\n", "line 5: more entries than the 2"),
    _case("a.mtx", f"{ARRAY}1 2\n1 2\n3\n", "line 3: has more fields than expected, which is 1"),
    _case("a.mtx", f"{ARRAY}1 1\nx\n", "line 3: 'x' is not a number"),
    _case("a.mtx", f"{PATTERN}2 2 1\n1 1\n", "has no weights, though weights=True", weights=True),
]

_EDGE_LISTS = [
    _case("a.el", "", "a.el: holds no edges; give n= for a graph without any"),
    _case("a.el", "# nothing\n\n", "a.el: holds no edges"),
    _case("a.csv", "source,target\n", "a.csv: holds no edges"),
    _case("a.el", "5\n", "line 1: one field where source and target should be"),
    _case("a.tsv", "1 2\n", "line 1: one field where source and target should be; is the delimiter"),
    _case("a.el", "1 2 3 4\n", "line 1: 4 fields where 2 or 3 should be; say which ones"),
    _case("a.el", "0 1\n1\n", "line 2: has too few fields; expected 2: '1'"),
    _case("a.el", "0 1\n1 2 3\n", "line 2: has more fields than expected, which is 2: '1 2 3'"),
    _case("a.csv", "0,1\n1\n", "line 2: has too few fields; expected 2"),
    _case("a.csv", "0,1\n1,2,\n", "line 2: has more fields than expected"),
    _case("a.csv", "0,1\n,2\n", "line 2: '' is not a whole number"),
    _case("a.csv", "0,1\n1;2\n", "line 2: '1;2' is not a whole number"),
    _case("a.el", "0 1\nx 2\n", "line 2: 'x' is not a whole number; vertices='names' takes any text"),
    _case("a.el", "0 1\n12x 2\n", "line 2: '12x' is not a whole number"),
    _case(
        "a.el", "0 1\n-3 2\n", "line 2: '-3' is negative; vertices are numbered from 0; vertices='ids'"
    ),
    _case("a.el", "0 1\n01 2\n", "line 2: '01' begins with a zero: is it the number, or a name?"),
    _case("a.csv", "0,1\n5,00\n", "vertices='names' takes any text, vertices='ids' reads numbers"),
    _case(
        "a.csv",
        "ts,sender,receiver\n170,10,11\n171,11,12\n172,12,10\n",
        "has columns ts, sender, receiver, not titled source and target; say which are source, target "
        "and perhaps weight, as in columns=('sender', 'receiver'); or header=False if that is the first",
    ),
    _case(
        "a.tsv",
        "id\tfrom\tto\tkind\n1\t2\t3\tx\n",
        "has columns id, from, to, kind, of which several could be the weight; say which",
    ),
    _case(
        "a.csv",
        "from,to,kind\n1,2,road\n",
        "line 2: 'road' is not a number (source in column 'from', target in column 'to', weight in "
        "column 'kind')",
    ),
    _case(
        "a.csv", "from,to,to\n1,2,3\n", "has 2 columns 'to'; say which by number", columns=("from", "to")
    ),
    _case("a.csv", "from,to\n1,2,3\n", "line 2: has 3 fields, and the row of headings 2: '1 2 3'"),
    _case("a.csv", "from,to,km\n1,2\n", "line 2: has 2 fields, and the row of headings 3: '1 2'"),
    _case(
        "a.csv",
        "1,2,3\n",
        "cannot take a column for two things, as columns=(2, 2, 2)",
        columns=(2, 2, 2),
    ),
    _case("a.csv", "from,to\n1,2\n", "for two things, as columns=('from', 0) asks", columns=("from", 0)),
    _case("a.txt", "a b\n1 2\n", "has columns a, b, not titled source and target"),
    _case("a.el", f"0 1\n{2**63} 2\n", "line 2: '9223372036854775808' is too large for a 64-bit number"),
    _case("a.el", "0 1\n4 2\n", "line 2: '4' is beyond the last vertex, 3", n=4),
    _case("a.el", "1 2\n0 1\n", "line 2: '0' is below the first number, 1", one_based=True),
    _case("a.wel", "0 1 2\n1 2 x\n", "line 2: 'x' is not a number: '1 2 x'"),
    _case("a.wel", "0 1 0.5\n1 2 ?\n", "line 2: '?' is not a number"),
    _case(
        "a.wel",
        f"0 1 2\n1 2 {2**64}\n",
        "does not fit into int64; dtype=float takes the nearest float, dtype='uint64' what",
    ),
    _case("a.wel", "0 1 2\n1 2 2.5\n", "'2.5' is not a whole number, but dtype= asks for", dtype=int),
    _case("a.el", "0 1\n", "line 1: has no column of weights, though weights=True", weights=True),
    _case("a.csv", "a,b\n1,2\n", "has no column 'c'; it has a, b", columns=("a", "c")),
    _case("a.csv", "1,2\n", "has no row of headings to find the column 'a' in", columns=("a", "b")),
    _case("a.csv", "1,2\n", "has no column 2; it has 2 columns", columns=(0, 2)),
    _case("a.el", "0 1\r1 2\r", "line 1: a carriage return without a newline"),
    _case("a.el", b"0 1\n1 \x002\n", "line 2: a NUL byte: this is not a text file"),
    _case("a.el", b"\0\1\2\3", "line 1: a NUL byte"),
    _case("a.el", b"\xff\xfe0\x00 \x001\x00", "is UTF-16 text; convert it to UTF-8"),
    _case("a.csv", b"ann,bob\nann,b\xe9a\n", "line 2: is not UTF-8: 'ann,b\\xe9a'"),
    _case("a.csv", b'ann,bob\n"ann,bob\n', "line 2: a quote that is not closed on the same line"),
    _case("a.csv", "ann,bob\nann,\n", "line 2: an empty name"),
    _case("a.el", "0 " + "1" * 200, "'111111111111111111111111111111111111111111111111111111111111'..."),
]

_TEXT = b"0 1\n" * 1000
_COMPRESSED = [
    _case("a.el.gz", gzip.compress(_TEXT)[:-20], "the gzip file is truncated"),
    _case("a.el.gz", gzip.compress(_TEXT)[:12], "the gzip file is truncated"),
    _case("a.el.gz", gzip.compress(_TEXT)[:15] + b"\xff" * 40, "the gzip file is damaged"),
    _case("a.el.gz", gzip.compress(_TEXT) + b"junk", "the gzip file is damaged"),
    _case("a.el.gz", gzip.compress(_TEXT)[:-8] + bytes(8), "the gzip file is damaged"),
    _case(
        "a.el.gz",
        gzip.compress(b"\n" * 4000),
        "holds more than 1 kB; if you trust it, give a larger",
        limit=1000,
    ),
    _case("a.el.gz", gzip.compress(b"0 1\n" + bytes(1 << 25)), "line 2: a NUL byte"),
    _case(
        "a.mtx.gz",
        gzip.compress(f"{PATTERN}9 9 9\n".encode() + b"\n" * (1 << 21)),
        "holds more than 1.05 MB; if you trust it, give a larger limit=",
    ),
    _case("a.mtx.gz", gzip.compress(f"{PATTERN}2 2 2\n1 1\n".encode()), "ends after 1 of the 2 entries"),
]

_BINARY = [
    _case("a.g500", bytes(15), "has 15 bytes, which is no multiple of 16, one edge"),
    _case("a.g500", (5).to_bytes(8, "little") + b"\xff" * 8, "edge 0 is (5, -1); vertices count from 0"),
    _case(
        "a.g500",
        bytes(16) + (9).to_bytes(16, "little"),
        "edge 1 is (9, 0); vertices count from 0 to 8",
        n=9,
    ),
    _case("a.g500p", bytes(16), "has 16 bytes, which is no multiple of 12, one edge"),
    _case("a.g500p", b"\xff" * 12, "edge 0 is (-1, -1)"),
    _case("a.npz", b"", "is no NumPy archive"),
    _case("a.npz", b"PK\3\4 nothing", "is no NumPy archive"),
    _case("a.parquet", b"", "is no Parquet file"),
    _case("a.parquet", b"PAR1 and nothing more PAR1", "is no Parquet file"),
]

CASES = [*_MATRIX_MARKET, *_EDGE_LISTS, *_COMPRESSED, *_BINARY]
