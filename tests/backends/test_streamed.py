"""Blocks on disk: the format, what is wrong with it, conversion in bounded memory, what is read."""

import gzip
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import Matrix, Semiring, Vector, binary_op, mxv, reduce, vxm
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.backends.streamed.data_file import DataFile
from anypair.backends.streamed.folder import CHUNK, MANIFEST, open_folder
from anypair.backends.streamed.sorting import Sorter
from anypair.backends.streamed.storage import StreamedMatrix
from anypair.cli.entry import main
from anypair.errors import (
    AnypairError,
    DuplicateEntries,
    FileError,
    FileUnreadable,
    NotEnoughMemory,
    UnknownOption,
)
from anypair.graph500 import kronecker_edges
from anypair.io import read, write
from anypair.io.blocks import convert
from anypair.semiring import min_plus, minimum, plus_monoid, plus_times
from tests.support.compare import entries
from tests.support.graphs import sei_graph

SCALE = 8
SOURCES, TARGETS = kronecker_edges(SCALE, edgefactor=8)
SMALL = 16_000  # bytes: some pieces for each matrix


@pytest.fixture(autouse=True)
def on_scipy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Nothing has to be compiled, and all that is left behind is seen."""
    monkeypatch.setenv("ANYPAIR_LOCAL", "scipy")
    monkeypatch.setenv("ANYPAIR_SCRATCH", str(tmp_path))
    with anypair.using("streamed", memory_limit=SMALL):
        yield
    assert not [path for path in tmp_path.glob("anypair-blocks.*/*") if any(path.iterdir())]


def kronecker(**options: Any) -> Matrix:
    return Matrix.from_edges(SOURCES, TARGETS, n=1 << SCALE, symmetric=True, self_loops=False, **options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "graph.blocks"
    write(path, kronecker(backend="reference"))
    return path


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "graph.tsv"
    path.write_text(
        "".join(f"{s}\t{t}\n" for s, t in zip(SOURCES.tolist(), TARGETS.tolist(), strict=True))
    )
    return path


def test_a_matrix_has_several_blocks_and_the_same_entries(folder: Path) -> None:
    graph = read(folder).matrix
    assert len(graph.storage.folder.blocks) > 3
    assert graph.is_symmetric
    assert entries(graph) == entries(kronecker(backend="reference"))
    assert entries(read(folder, backend="scipy").matrix) == entries(graph)
    assert read(folder, backend="scipy").matrix.is_symmetric


def test_figure_11_step_by_step() -> None:
    """Depths relax along edges, launch by launch, on packed vertices (CMU/SEI-2014-TN-001)."""
    compacted = sei_graph().compact()
    graph = compacted.graph.cast(int)
    depths = Vector.from_entries([compacted.new(1)], [0], graph.nrows)
    steps = []
    for _ in range(3):
        mxv(graph, depths, min_plus, out=depths, accum=minimum)
        steps.append(depths.to_dict())
    assert steps == [
        {1: 0, 3: 1, 6: 1},
        {0: 2, 1: 0, 2: 2, 3: 1, 4: 2, 6: 1},
        {0: 2, 1: 0, 2: 2, 3: 1, 4: 2, 5: 3, 6: 1, 7: 3},
    ]


def test_a_search_reads_less_than_all_each_time(folder: Path) -> None:
    with anypair.using("streamed", memory_limit=SMALL) as backend:
        graph = read(folder).matrix
        root = int(SOURCES[SOURCES != TARGETS][0])
        before = backend.bytes_read
        with anypair.trace() as trace:
            parents = bfs_parents(graph, root)
        products = [record for record in trace.records if record.operation == "vxm"]
        full = graph.nvals * graph.storage.entry_bytes
        assert 0 < backend.bytes_read - before < len(products) * full / 2
        assert {record.direction for record in products} == {"push", "pull"}
        assert products[0].formats.startswith("1 pieces, ")
    assert parents.to_dict() == bfs_parents(kronecker(backend="scipy"), root).to_dict()


def ring(n: int, reach: int) -> Matrix:
    """Vertices in a circle, each joined to so many of those that follow."""
    sources = np.repeat(np.arange(n), reach)
    targets = (sources + np.tile(np.arange(1, reach + 1), n)) % n
    return Matrix.from_edges(sources, targets, n=n, symmetric=True)


def test_few_wanted_rows_of_many_pieces_take_no_more_memory_than_a_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n, taken = 4096, []
    some_rows = StreamedMatrix.some_rows

    def measured(self: StreamedMatrix, rows: Any) -> Any:
        found = some_rows(self, rows)
        taken.append(found[1].nbytes)
        return found

    monkeypatch.setattr(StreamedMatrix, "some_rows", measured)
    wanted = Vector.from_entries(np.arange(0, n, 16), np.ones(n // 16, bool), n)
    values = Vector.from_entries(np.arange(n), np.arange(n), n)
    with anypair.using("streamed", memory_limit=SMALL):
        found = mxv(ring(n, 4), values, plus_times, mask=wanted.structure)
    assert sum(taken) == n // 16 * 8 * 4 > max(taken)
    assert 0 < max(taken) <= SMALL // 4
    assert found.to_dict() == {
        i: sum((i + d) % n for d in (-4, -3, -2, -1, 1, 2, 3, 4)) for i in range(0, n, 16)
    }


def test_what_is_left_of_a_search_is_pulled_where_it_is_less_than_the_frontier() -> None:
    """The last vertices of a search ask for their parents: the frontier before them has more edges."""
    n, reach, last = 4096, 8, 8
    places = np.arange(n - last - 222, n - last)
    near = {
        j: min((i for i in places.tolist() if 1 <= abs(i - j) <= reach), default=None)
        for j in range(n - last - 222 - reach, n)
    }
    with anypair.using("streamed", memory_limit=1 << 20):
        graph = ring(n, reach)
        frontier = Vector.from_entries(places, places, n)
        reached = Vector.from_entries(np.arange(n - last), np.arange(n - last), n).structure
        for mask, direction in ((~reached, "pull"), (reached, "push"), (None, "push")):
            with anypair.trace() as trace:
                found = vxm(frontier, graph, anypair.semiring.min_source, mask=mask)
            assert [record.direction for record in trace.records] == [direction]
            assert found.to_dict() == {
                j: parent
                for j, parent in near.items()
                if parent is not None and (mask is None or (j >= n - last) == (mask is not reached))
            }


def test_blocks_end_where_words_of_masks_do(tmp_path: Path) -> None:
    """Also where what is left of a block has room for some rows of the next part, and not for a word."""
    with anypair.using("streamed", memory_limit=1 << 16):
        write(tmp_path / "ring.blocks", ring(4096, 4))
    with anypair.using("streamed", memory_limit=(1 << 16) + 1000):
        write(tmp_path / "copy.blocks", read(tmp_path / "ring.blocks").matrix)
    blocks = open_folder(tmp_path / "copy.blocks").blocks
    assert len(blocks) > 4
    assert [block.first % 64 for block in blocks] == [0] * len(blocks)


def test_what_the_page_cache_has_is_not_asked_for_ahead(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To look up each page takes a core that computes; a page that had to be read changes that at once."""
    reads, asked = [0], []
    monkeypatch.setattr("anypair.backends.streamed.storage.reads_so_far", lambda: reads[0])
    monkeypatch.setattr(DataFile, "fetch", lambda self, begin, end: asked.append(begin))
    graph = read(folder).matrix

    def asked_in_a_pass() -> int:
        asked.clear()
        graph.storage._kept.clear()
        reduce(graph, anypair.semiring.lor_monoid)
        return len(asked)

    all_ = asked_in_a_pass()
    assert all_ > 2
    assert asked_in_a_pass() == 0
    monkeypatch.setattr(DataFile, "release", lambda self, begin, end: reads.__setitem__(0, reads[0] + 1))
    assert asked_in_a_pass() == all_ - 1  # the first one was found missing
    assert asked_in_a_pass() == all_


@pytest.mark.parametrize("symmetric", [True, False])
def test_operators_that_see_indices_see_those_of_the_whole(symmetric: bool) -> None:
    @binary_op(result=int, positional=True)
    def weighed(edge: int, value: int, k: int) -> int:
        return value * k

    semiring = Semiring(plus_monoid, weighed)
    for places in ([3, 100, 200], range(256)):
        for product in (mxv, lambda a, u, s: vxm(u, a, s)):
            found = []
            for backend in ("reference", "streamed"):
                with anypair.using(
                    backend, **({"memory_limit": SMALL} if backend == "streamed" else {})
                ):
                    graph = Matrix.from_edges(SOURCES, TARGETS, n=256, symmetric=symmetric)
                    u = Vector.from_entries(list(places), np.arange(len(places)), 256)
                    found.append(product(graph, u, semiring).to_dict())
            assert found[0] == found[1]


# Damage


def damaged(path: Path, change: Callable[[Path], object]) -> str:
    change(path)
    with pytest.raises(FileError) as error:
        reduce(read(path).matrix, anypair.semiring.lor_monoid)
    with pytest.raises(FileError):
        read(path, backend="scipy")
    return str(error.value)


def block_of(path: Path) -> Path:
    return path / json.loads((path / MANIFEST).read_text())["blocks"][1]["file"]


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 4
    path.write_bytes(content)


def rewritten(path: Path, **changes: Any) -> None:
    said = json.loads((path / MANIFEST).read_text()) | changes
    said.pop("crc32")
    said["crc32"] = zlib.crc32(json.dumps(said, sort_keys=True, separators=(",", ":")).encode())
    (path / MANIFEST).write_text(json.dumps(said))


def rewritten_block(path: Path, **changes: Any) -> None:
    blocks = json.loads((path / MANIFEST).read_text())["blocks"]
    rewritten(path, blocks=[blocks[0] | changes, *blocks[1:]])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda path: block_of(path).unlink(), "is missing; the folder is incomplete"),
        (lambda path: os.truncate(block_of(path), 100), "has 100 bytes where the manifest says"),
        (lambda path: flip(block_of(path), 20), "bytes 0 to [0-9]+ are damaged"),
        (lambda path: flip(block_of(path), -3), "the checksums are damaged"),
        (lambda path: rewritten(path, version=2), "has version 2 of the format, and this reads 1"),
        (lambda path: rewritten(path, shape=[256, 9]), "does not describe a matrix|out of"),
        (lambda path: rewritten(path, rows={"file": "../x", "bytes": 8}), "does not describe a matrix"),
        (lambda path: rewritten(path, rows={"file": "\0", "bytes": 2056}), "does not describe a matrix"),
        (lambda path: rewritten(path, shape=[256, 256, 1]), "does not describe a matrix"),
        (lambda path: rewritten(path, dtype=None), "does not describe a matrix"),
        (lambda path: rewritten(path, dtype=">i8"), "does not describe a matrix"),
        (lambda path: rewritten(path, symmetric=1), "does not describe a matrix"),
        (lambda path: rewritten(path, nvals=7), "does not describe a matrix"),
        *(
            (lambda path, v=value: rewritten_block(path, value=v), "does not describe a matrix")
            for value in ([1, 2], [[1]], {}, "1", 1.5, 2**70)
        ),
        (lambda path: rewritten_block(path, bytes=2**61), "does not describe a matrix"),
        (lambda path: rewritten(path, blocks=[]), "does not describe a matrix"),
        (lambda path: flip(path / MANIFEST, 40), "manifest|damaged"),
        (lambda path: (path / MANIFEST).write_text("[]"), "is no manifest"),
        (lambda path: (path / MANIFEST).unlink(), "is no folder of blocks: it has no manifest.json"),
        (lambda path: shutil.rmtree(path), "No such file"),
    ],
)
def test_damage_is_named(folder: Path, change: Callable[[Path], object], said: str) -> None:
    assert re.search(said, damaged(folder, change))


def test_whatever_bytes_change_the_matrix_is_right_or_refused(folder: Path) -> None:
    """As the fuzzer does: flips, cuts and exchanges at random places of any file."""
    expected = entries(read(folder, backend="reference").matrix)
    files = sorted(path.name for path in folder.iterdir())
    draw = random.Random(5)
    refused = 0
    for number in range(60):
        copy = folder.with_name(f"copy{number}.blocks")
        shutil.copytree(folder, copy)
        path = copy / draw.choice(files)
        content = bytearray(path.read_bytes())
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(len(content))
            kind = draw.randrange(3)
            if kind == 0:
                content[at] = draw.randrange(256)
            elif kind == 1:
                del content[at : at + draw.randint(1, 9)]
            else:
                content[at:at] = bytes(draw.randrange(256) for _ in range(draw.randint(1, 9)))
        path.write_bytes(content)
        try:
            found = entries(read(copy, backend="scipy").matrix)
            few = vxm(
                Vector.from_entries([7], [True], 256), read(copy).matrix, anypair.semiring.any_pair
            )
        except AnypairError as error:
            refused += str(copy) in str(error)
        else:
            assert found == expected
            assert set(few.to_dict()) == {j for i, j in expected if i == 7}
        shutil.rmtree(copy)
    assert refused > 40  # each with its file named


def test_rows_alone_are_checked_too(tmp_path: Path) -> None:
    """A push reads some chunks of a file, and sees damage there, and only there."""
    n = 3000
    with anypair.using("streamed", memory_limit=1 << 24):
        rows, columns = np.divmod(np.arange(n * 40), 40)
        big = Matrix.from_entries(rows, columns, np.arange(n * 40), (n, n))
        write(tmp_path / "big.blocks", big)
        (name,) = [path for path in (tmp_path / "big.blocks").iterdir() if path.suffix == ".block"]
        flip(name, 5 * CHUNK + 9)
        matrix = read(tmp_path / "big.blocks").matrix
        assert vxm(Vector.from_entries([3], [1], n), matrix, plus_times).nvals == 40
        with pytest.raises(FileError, match="are damaged"):
            vxm(Vector.from_entries([5 * CHUNK // 160 + 2], [1], n), matrix, plus_times)


# Conversion


def test_conversion_spills_and_gives_what_reading_gives(text: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.blocks"
    with anypair.using("streamed", memory_limit=20_000):
        convert(text, target, symmetric=True, self_loops=False)
    assert entries(read(target).matrix) == entries(kronecker(backend="reference"))
    assert sorted(path.suffix for path in target.iterdir() if path.suffix != ".block") == [
        ".json",
        ".rows",
    ]
    root = str(SOURCES[0])
    assert main(["bfs", str(target), "--source", root, "--backend", "streamed", "--quiet"]) == 0


def skewed(path: Path) -> None:
    path.write_text("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 1 7.5\n")


def dense(path: Path) -> None:
    path.write_text("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n")


def wide(path: Path) -> None:
    write(path, Matrix.from_entries(np.arange(500) % 20, np.arange(500), np.arange(500.0), (20, 600)))


def graph(path: Path) -> None:
    write(path, kronecker(backend="scipy"))


def weighted(path: Path) -> None:
    places = np.divmod(np.arange(0, 250 * 250, 37), 250)
    write(path, Matrix.from_entries(*places, np.arange(len(places[0])) / 4, (250, 250), backend="scipy"))


@pytest.mark.parametrize(
    ("name", "make"),
    [
        *(
            (f"g.{ending}", graph)
            for ending in ("tsv", "csv.gz", "el", "mtx", "npz", "parquet", "g500p")
        ),
        *((f"w.{ending}", weighted) for ending in ("tsv.gz", "csv", "mtx.gz", "npz", "parquet")),
        *((f"w.{ending}", wide) for ending in ("mtx", "npz")),
        ("s.mtx", skewed),
        ("d.mtx", dense),
    ],
)
def test_every_format_is_converted_to_what_reading_gives(
    name: str, make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anypair.io.parquet.GROUP", 100)
    source, target = tmp_path / name, tmp_path / "out.blocks"
    make(source)
    convert(source, target)
    expected, found = read(source, backend="scipy").matrix, read(target).matrix
    assert (found.shape, found.dtype, found.is_symmetric) == (
        (expected.shape, expected.dtype, expected.is_symmetric)
    )
    assert entries(found) == entries(expected)
    assert not [path for path in target.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("ending", ["mtx", "mtx.gz"])
def test_a_file_that_ends_early_or_goes_on_is_refused(ending: str, tmp_path: Path) -> None:
    source = tmp_path / f"a.{ending}"
    for entries_promised, said in ((3, "ends after 2 of the 3 entries"), (1, "1 entries|more")):
        text = (
            f"%%MatrixMarket matrix coordinate pattern general\n3 3 {entries_promised}\n2   1\n3   1\n"
        )
        source.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
        with pytest.raises(FileError, match=said):
            convert(source, tmp_path / "out.blocks")
        assert not (tmp_path / "out.blocks" / MANIFEST).exists()


def test_a_matrix_on_disk_is_written_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = kronecker().cast(int)
    monkeypatch.setattr(Matrix, "to_entries", None)
    write(tmp_path / "copy.blocks", graph)
    copy = read(tmp_path / "copy.blocks").matrix
    monkeypatch.undo()
    assert (entries(copy), copy.is_symmetric) == (entries(graph), graph.is_symmetric)


@pytest.mark.parametrize("weights", ["1 2 3", "1 2.5 3", "-1 0 1e3"])
def test_weights_that_turn_out_not_to_be_whole(weights: str, tmp_path: Path) -> None:
    path = tmp_path / "w.tsv"
    lines = [f"{v}\t{v + 1}\t{w}" for v, w in enumerate(weights.split() * 400)]
    path.write_text("\n".join(lines))
    convert(path, tmp_path / "w.blocks")
    assert entries(read(tmp_path / "w.blocks").matrix) == entries(read(path, backend="scipy").matrix)


@pytest.mark.parametrize(
    ("content", "options", "error"),
    [
        ("0\t1\t5\n0\t1\t6\n", {}, DuplicateEntries),
        ("a\tb\n", {}, AnypairError),
        ("0\t1\nx\ty\n", {}, FileError),
        ("", {}, FileError),
    ],
)
def test_what_cannot_be_converted_leaves_the_earlier_copy(
    content: str, options: Any, error: Any, tmp_path: Path, folder: Path
) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text(content)
    before = entries(read(folder).matrix)
    with pytest.raises(error):
        convert(path, folder, **options)
    assert entries(read(folder).matrix) == before
    assert path.read_text() == content
    with pytest.raises(error):
        convert(path, tmp_path / "new.blocks", **options)
    assert not (tmp_path / "new.blocks").exists()


def test_sparse_numbers_and_names_are_packed(tmp_path: Path) -> None:
    path = tmp_path / "ids.tsv"
    path.write_text("7000000\t9000000\n9000000\t5\n")
    convert(path, tmp_path / "ids.blocks", names=False)
    assert read(tmp_path / "ids.blocks").matrix.shape == (3, 3)


def test_a_full_disk_leaves_the_earlier_copy(
    folder: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = entries(read(folder).matrix)
    files = set(folder.iterdir())

    def full(*arguments: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("anypair.backends.streamed.folder.write_data", full)
    with pytest.raises(FileUnreadable, match="cannot be written: No space left on device"):
        convert(text, folder)
    monkeypatch.undo()
    assert set(folder.iterdir()) == files
    assert entries(read(folder).matrix) == before


def test_numbers_that_grow_beyond_the_first_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is spilled first has few rows, what comes later many, and numbers beyond 32 bits."""
    monkeypatch.setattr("anypair.backends.streamed.sorting.RANGES", 4)
    rows = np.arange(4000) ** 2 // 7
    columns = np.where(rows > 1_000_000, 2**40 + rows, rows)
    values = np.arange(4000)
    found = Matrix.from_entries(
        rows, columns, values, (3_000_000, 2**41), duplicates=anypair.semiring.first
    )
    with anypair.using("scipy"):
        expected = Matrix.from_entries(
            rows, columns, values, (3_000_000, 2**41), duplicates=anypair.semiring.first
        )
    for mine, other in zip(found.to_entries(), expected.to_entries(), strict=True):
        assert mine.tolist() == other.tolist()


@pytest.mark.parametrize("where", ["spill", "block", "manifest"])
@pytest.mark.parametrize("what", ["convert", "operation"])
def test_a_full_disk_anywhere(
    where: str, what: str, folder: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full is said, nothing is left behind, and what was there before is still right."""
    graph = read(folder).matrix
    before, files = entries(graph), set(folder.iterdir())

    def full(*arguments: Any, **keywords: Any) -> Any:
        raise OSError(28, "No space left on device")

    if where == "spill":
        monkeypatch.setattr("anypair.backends.streamed.sorting.write_all", full)
    elif where == "block":
        monkeypatch.setattr("anypair.backends.streamed.folder.write_data", full)
    else:
        monkeypatch.setattr(Path, "write_text", full)
    make = kronecker if what == "operation" else lambda: convert(text, folder, symmetric=True)
    with pytest.raises(FileUnreadable, match="cannot be written: No space left on device"):
        make()
    monkeypatch.undo()
    assert set(folder.iterdir()) == files
    assert entries(graph) == entries(read(folder).matrix) == before


@pytest.mark.skipif(os.name == "nt", reason="has no limits to the sizes of files")
@pytest.mark.parametrize("beyond", [1, 4, 9])
@pytest.mark.parametrize("ending", [".rows", ".block"])
def test_a_disk_that_gets_full_within_a_write(ending: str, beyond: int, folder: Path) -> None:
    """Of the last bytes the system takes some, and says so by their number alone."""
    import resource

    graph = read(folder).matrix
    before = entries(graph)
    longest = max(path.stat().st_size for path in folder.iterdir() if path.suffix == ending)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (longest - beyond, limits[1]))
    try:
        with pytest.raises(FileUnreadable, match="cannot be written: File too large"):
            write(folder, graph)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert entries(read(folder).matrix) == before


def test_a_scratch_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any, **keywords: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("anypair.backends.streamed.scratch.tempfile.mkdtemp", full)
    with pytest.raises(FileUnreadable, match=r"cannot be written: No space left .* option scratch"):
        kronecker()


KILLED = """
import os, signal, sys
from pathlib import Path
import anypair
from anypair.backends.streamed.sorting import Sorter
from anypair.backends.streamed.storage import StreamedMatrix
from anypair.io.blocks import convert
build, calls = Sorter._build, []
def slow(self, *arguments):
    build(self, *arguments)
    calls.append(1)
    if len(calls) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
Sorter._build = slow
with anypair.using("streamed", local="scipy", memory_limit=20_000):
    convert(Path(sys.argv[1]), Path(sys.argv[2]), symmetric=True)
"""


def test_a_killed_conversion_can_be_started_again(folder: Path, text: Path) -> None:
    before = entries(read(folder).matrix)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(text), str(folder)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert entries(read(folder).matrix) == before
    assert [path for path in folder.iterdir() if path.name.startswith(".sorting.")]
    convert(text, folder)
    assert entries(read(folder).matrix) == entries(read(text, backend="scipy").matrix)
    assert {path.suffix for path in folder.iterdir()} == {".json", ".rows", ".block"}


@pytest.mark.skipif(os.name == "nt", reason="has no locks that a folder could have")
def test_of_two_writers_the_second_is_refused(
    folder: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would remove what the first one has written so far, and leave the folder without a matrix."""
    build, matrix = Sorter._build, kronecker()

    def meanwhile(self: Sorter, *arguments: Any) -> None:
        patch.undo()
        build(self, *arguments)
        for again in (lambda: convert(text, folder), lambda: write(folder, matrix)):
            with pytest.raises(
                FileUnreadable, match="cannot be written: somebody else is writing there"
            ):
                again()

    with monkeypatch.context() as patch:
        patch.setattr(Sorter, "_build", meanwhile)
        convert(text, folder)
    assert entries(read(folder).matrix) == entries(read(text, backend="scipy").matrix)
    write(folder, matrix)
    assert entries(read(folder).matrix) == entries(matrix)


TERMINATED = """
import os, signal, sys, time
import anypair
with anypair.using("streamed", local="scipy", scratch=sys.argv[1]):
    graph = anypair.Matrix.from_edges([0, 1], [1, 2])
    print(len(os.listdir(sys.argv[1])), flush=True)
    if sys.argv[2] == "TERM":
        os.kill(os.getpid(), signal.SIGTERM)
"""


@pytest.mark.parametrize("how", ["TERM", "end"])
def test_temporary_folders_go_with_the_process(how: str, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", TERMINATED, str(scratch), how],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("1\n", -signal.SIGTERM if how == "TERM" else 0)
    assert not list(scratch.iterdir())


# Limits and options


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="does not say what is mapped")
def test_of_a_block_far_above_the_limit_little_is_mapped_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that was made under another limit, of one block: checked, streamed, read row by row."""
    n, rows = 1 << 20, 1 << 10
    with anypair.using("streamed", memory_limit=1 << 30):
        columns = np.tile(np.arange(0, n, 256), rows)
        whole = Matrix.from_entries(np.arange(rows).repeat(n >> 8), columns, True, (rows, n))
        write(tmp_path / "big.blocks", whole)
    (block,) = (tmp_path / "big.blocks").glob("*.block")
    for module in ("folder", "storage"):
        monkeypatch.setattr(f"anypair.backends.streamed.{module}.AT_ONCE", 1 << 20)
    mapped, release = [0], DataFile.release

    def measured(self: DataFile, begin: int, end: int) -> None:
        lines = iter(Path("/proc/self/smaps").read_text().splitlines())
        for line in lines:
            if line.endswith(str(block)):
                size = next(each for each in lines if each.startswith("Rss:"))
                mapped.append(int(size.split()[1]) << 10)
        release(self, begin, end)

    monkeypatch.setattr(DataFile, "release", measured)
    some = np.arange(0, rows, 3)
    for local in ("scipy", "jit"):
        with anypair.using("streamed", local=local, memory_limit=1 << 21):
            for use in (
                lambda a: reduce(a, anypair.semiring.lor_monoid),
                lambda a: anypair.extract(a, some, slice(None)).nvals,
                lambda a: a.to_entries(),
                lambda a: write(tmp_path / "copy.blocks", a),
            ):
                use(read(tmp_path / "big.blocks").matrix)
    assert block.stat().st_size > 1 << 24
    assert 1 << 18 < max(mapped) < 6 << 20  # a window, or a piece, and what the system maps with it


def test_a_spilled_file_that_somebody_cuts(
    folder: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, build = entries(read(folder).matrix), Sorter._build

    def cut(self: Sorter, *arguments: Any) -> None:
        os.truncate(self._file.name, 1000)
        build(self, *arguments)

    monkeypatch.setattr(Sorter, "_build", cut)
    with pytest.raises(FileUnreadable, match="ends early"):
        convert(text, folder)
    assert entries(read(folder).matrix) == before


def test_a_limit_too_small_for_a_row() -> None:
    with anypair.using("streamed", memory_limit=400):
        star = Matrix.from_edges([0] * 99, list(range(1, 100)), symmetric=True)
        with pytest.raises(
            NotEnoughMemory, match=r"row 0 of .* takes 396 bytes, and memory_limit leaves 100"
        ):
            bfs_levels(star, 3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"local": "mpi"}, "local='mpi' is none of"),
        ({"local": 7}, "local=7 is none of"),
        ({"scratch": "/nowhere/at/all"}, "is not a folder"),
        ({"memory_limit": -1}, "memory_limit=-1"),
    ],
)
def test_options_that_mean_nothing(options: Any, said: str) -> None:
    with pytest.raises(UnknownOption, match=said), anypair.using("streamed", **options):
        pass


def test_the_command_replaces_only_when_told(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "new" / "graph.blocks"
    assert main(["convert", str(text), str(target), "--quiet"]) == 0
    assert main(["convert", str(text), str(target), "--quiet"]) != 0
    assert "--force replaces it" in capsys.readouterr().err
    assert main(["convert", str(text), str(target), "--quiet", "--force", "--undirected"]) == 0
    assert open_folder(target).symmetric
    assert main(["convert", str(target), str(tmp_path / "back.tsv"), "--quiet"]) == 0
    back = read(tmp_path / "back.tsv", n=256, backend="scipy").matrix
    assert entries(back) == entries(read(target).matrix)


def test_a_matrix_that_is_gone_takes_its_folder_along(tmp_path: Path) -> None:
    graph = kronecker()
    path = graph.storage.folder.path
    doubled = graph.cast(int)
    assert path.is_dir()
    del graph
    assert not path.exists()
    assert doubled.nvals
