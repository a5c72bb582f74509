"""Changes to the content of files: some know what a format consists of, others only bytes."""

import contextlib
import gzip
import io
import warnings
import zipfile
import zlib
from random import Random

import numpy as np

WORDS = [
    b"0", b"1", b"-1", b"2", b"01", b"+1", b"3.5", b"1e5", b"1e400", b"-0.0", b"nan", b"inf", b"-inf", b"9" * 19,
    b"9" * 20, b"9" * 400, b"18446744073709551615", b"9223372036854775807", b"9223372036854775808",
    b"1_0", b"0x10", b"source", b"target", b"from", b"to", b"weight", b"a", b"\xc3\xa9", b"\xff", b"\xef\xbb\xbf",
    b'"a,b"', b'"', b'""', b"#", b"%", b"%%MatrixMarket matrix coordinate real general", b"symmetric",
    b"skew-symmetric", b"pattern", b"integer", b"array", b"complex", b"", b"\0", b"1" * 70000, b".", b"-", b"e",
    b"1.", b".5", b"1e", b"1e+", b"65536", b"4294967296", b"2147483648",
]  # fmt: skip
BETWEEN = [b" ", b",", b"\t", b";", b"\n", b"\r\n", b"\r", b"  ", b" ,", b"\n\n", b"\n#", b"\n%"]
NUMBERS = [0, 1, 2, 3, 5, 127, 128, 255, 2**15, 2**31 - 1, 2**31, 2**32, 2**47, 2**62, 2**63 - 1]
DTYPES = ["i1", "i4", "<i8", ">i4", "u8", "f2", "f4", "f8", "c16", "?", "U3", "S3", "M8[s]"]


def change_bytes(content: bytes, draw: Random) -> bytes:
    """Flip, remove, repeat, insert or cut off."""
    changed = bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 4, 9))):
        at = draw.randrange(len(changed) + 1)
        kind = draw.randrange(7)
        if kind == 0 and at < len(changed):
            changed[at] ^= 1 << draw.randrange(8)
        elif kind == 1 and at < len(changed):
            changed[at] = draw.choice((0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)))
        elif kind == 2:
            del changed[at : at + draw.choice((1, 2, 4, 8, 50))]
        elif kind == 3:
            changed[at:at] = changed[at : at + draw.choice((1, 4, 16, 200))]
        elif kind == 4:
            changed[at:at] = draw.choice(WORDS)
        elif kind == 5:
            size = draw.choice((1, 2, 4, 8))
            changed[at : at + size] = (draw.choice(NUMBERS) % 256**size).to_bytes(size, "little")
        elif draw.random() < 0.2:
            del changed[at:]
    return bytes(changed)


def change_text(content: bytes, draw: Random) -> bytes:
    """Lines and fields instead of bytes."""
    lines = content.split(b"\n")
    for _ in range(draw.choice((1, 1, 2, 3))):
        at = draw.randrange(len(lines))
        kind = draw.randrange(6)
        fields = lines[at].split(separator := draw.choice((b" ", b",", b"\t")))
        if kind <= 2:
            fields[draw.randrange(len(fields))] = draw.choice(WORDS)
            lines[at] = separator.join(fields)
        elif kind == 3:
            lines[at] = draw.choice(BETWEEN).join([*fields, draw.choice(WORDS)])
        elif kind == 4:
            lines.insert(at, draw.choice(lines))
        elif len(lines) > 1:
            del lines[at]
    return b"\n".join(lines)


def change_packed(content: bytes, draw: Random) -> bytes:
    """The text inside a gzip file, or how it is packed."""
    try:
        text = gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return change_bytes(content, draw)
    text = text[: 1 << 21]  # more only takes longer
    kind = draw.randrange(4)
    if kind == 0:
        return gzip.compress(text[:5]) + gzip.compress(text[5:]) + draw.choice((b"", bytes(9), b"junk"))
    if kind == 1:
        return gzip.compress(
            text + draw.choice((b"\n", b" ", b"\0")) * draw.choice((1, 1 << 12, 1 << 20))
        )
    packed = gzip.compress(change_text(text, draw), compresslevel=draw.choice((0, 1, 9)))
    return packed if kind == 2 else change_bytes(packed, draw)


def change_records(content: bytes, draw: Random) -> bytes:
    """Numbers of 64 and 32 bits."""
    changed = bytearray(content)
    for _ in range(draw.choice((1, 2, 5))):
        size = draw.choice((4, 8))
        at = draw.randrange(len(changed) // 4 + 1) * 4
        changed[at : at + size] = (draw.choice(NUMBERS) * draw.choice((1, -1)) % 256**size).to_bytes(
            size, "little"
        )
    if draw.random() < 0.1:
        changed += bytes(draw.choice((1, 12, 16)))
    return bytes(changed)


def change_archive(content: bytes, draw: Random) -> bytes:
    """A member of a NumPy archive: its numbers, its dtype, its shape, its header; or how it is packed."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except Exception:
        return change_bytes(content, draw)
    if not members:
        return content
    for _ in range(draw.choice((1, 1, 2))):
        name = draw.choice(sorted(members))
        kind = draw.randrange(7)
        if kind == 0:
            members.pop(name)
            members[draw.choice(("names.npy", "symmetric.npy", "coords.npy", "row.npy", name))] = _array(
                draw
            )
        elif kind == 1:
            members[name] = change_bytes(members[name], draw)
        elif kind == 2:
            members[name] = _array(draw)
        else:
            with contextlib.suppress(Exception):
                members[name] = _changed_array(members[name], draw)
        if not members:
            break
    buffer = io.BytesIO()
    packing = draw.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(buffer, "w", packing) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    packed = buffer.getvalue()
    return change_bytes(packed, draw) if draw.random() < 0.1 else packed


def _changed_array(data: bytes, draw: Random) -> bytes:
    array = np.load(io.BytesIO(data), allow_pickle=False)
    kind = draw.randrange(5)
    if kind <= 1 and array.size and array.dtype.kind in "iufb":
        array = array.copy()
        number = draw.choice(NUMBERS) * draw.choice((1, -1))
        with np.errstate(all="ignore"):
            array.ravel()[draw.randrange(array.size)] = np.array(number).astype(array.dtype)
    elif kind == 2:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = array.astype(draw.choice(DTYPES))
    elif kind == 3:
        array = np.resize(array, draw.choice(((0,), (1,), (2,), (5,), (2, 2), (), (1, 0, 3), (2, 1, 2))))
    else:
        return _saved(array)[:-1] + b"\xff"
    return _saved(array)


def _array(draw: Random) -> bytes:
    size = draw.choice((0, 1, 2, 3, 4, 9))
    numbers = [draw.choice(NUMBERS) * draw.choice((1, -1)) for _ in range(size)]
    with np.errstate(all="ignore"):
        array = np.array(numbers, np.int64).astype(draw.choice(DTYPES))
    return _saved(array if draw.random() < 0.8 else array.reshape(-1, 1))


def _saved(array: np.ndarray) -> bytes:  # type: ignore[type-arg]
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def change_table(content: bytes, draw: Random) -> bytes:
    """A column of a Parquet file: its title, its type, its values, how it is written."""
    try:
        changed = _changed_table(content, draw)
    except Exception:  # what cannot be read, or not be written this way
        return change_bytes(content, draw)
    return change_bytes(changed, draw) if draw.random() < 0.2 else changed


def _changed_table(content: bytes, draw: Random) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(content))
    if not table.num_columns:
        return content
    columns = [(name, table.column(place)) for place, name in enumerate(table.column_names)]
    at = draw.randrange(len(columns))
    name, column = columns[at]
    kind = draw.randrange(6)
    if kind == 0:
        name = draw.choice(("source", "target", "weight", "a", "", "é", "x" * 300, columns[0][0]))
    elif kind == 1:
        types = (
            pa.int8(), pa.uint64(), pa.float16(), pa.float64(), pa.string(), pa.large_string(), pa.binary(), pa.bool_(),
            pa.date32(), pa.timestamp("us", tz="UTC"), pa.decimal128(38, 3), pa.list_(pa.int8()), pa.null(),
            pa.dictionary(pa.int8(), pa.string()), pa.duration("s"), pa.struct([("a", pa.int8())]),
        )  # fmt: skip
        new = draw.choice(types)
        try:
            column = column.cast(new, safe=False)
        except Exception:
            column = pa.nulls(table.num_rows, new)
    elif kind == 2 and table.num_rows:
        values = column.to_pylist()
        values[draw.randrange(len(values))] = draw.choice(
            (None, 0, -1, 2**62, "a", 1.5, float("nan"), True, b"x")
        )
        try:
            column = pa.chunked_array([pa.array(values)])
        except Exception:
            column = pa.nulls(table.num_rows)
    elif kind == 3:
        columns.insert(draw.randrange(len(columns) + 1), (draw.choice(("x", name)), column))
    elif kind == 4:
        columns.pop(at)
    columns[at : at + 1] = [(name, column)]
    changed = pa.table([column for _, column in columns], names=[name for name, _ in columns])
    facts = draw.choice((b'{"shape": [3, 3]}', b'{"shape": [3, -1]}', b"[]", b'{"vertices": "ids"}', b'{"shape": 5}',
                         b'{"symmetric": true}', b'{"vertices": ["a"]}', b"\xff"))  # fmt: skip
    metadata = draw.choice((table.schema.metadata, {b"anypair": facts}))
    buffer = io.BytesIO()
    pq.write_table(
        changed.replace_schema_metadata(metadata), buffer,
        compression=draw.choice(("none", "snappy", "gzip", "zstd")), row_group_size=draw.choice((1, 2, 1000)),
    )  # fmt: skip
    return buffer.getvalue()
