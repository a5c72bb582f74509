"""Files read in parts, on ranks that are threads and on real ones: as one process reads them."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anypair import Matrix
from anypair.backends.base import Backend
from anypair.errors import (
    AnypairError,
    DistributedError,
    DuplicateEntries,
    FileUnreadable,
    NotEnoughMemory,
)
from anypair.io import FORMATS, read, write
from anypair.io.options import ReadOptions
from tests.io.malformed import CASES, Case
from tests.mpi.files import FORMATS as FILES
from tests.mpi.files import Written
from tests.mpi.jobs import Job, run_program
from tests.mpi.threaded import ThreadGroup, run_ranks

pytest.importorskip("mpi4py")
pytest.importorskip("pyarrow")

from anypair.backends.mpi import MpiBackend

EXAMPLES = max(40, settings().max_examples)


def on(world: ThreadGroup) -> MpiBackend:
    return MpiBackend(local="scipy", threads=1, unit=1, world=world)


def outcome(path: Path, backend: str | Backend, options: dict[str, Any]) -> Any:
    """All that can be said of reading a file, or what is wrong with it."""
    try:
        loaded = read(path, backend=backend, **options)
    except NotEnoughMemory as error:
        return type(error), "the figures are those of a rank"
    except AnypairError as error:
        return type(error), str(error)
    names = loaded.names if loaded.names is None else (loaded.names.dtype, loaded.names.tolist())
    A = loaded.matrix
    entries = [column.tolist() for column in A.to_entries()]
    return repr((A.shape, A.dtype, A.nvals, entries, names, loaded.format, loaded.symmetric))


@pytest.mark.parametrize("kind", FILES)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_as_one_process_reads_it(kind: str, data: st.DataObject, tmp_path: Path) -> None:
    written: Written = data.draw(FILES[kind])
    ranks = data.draw(st.integers(1, 4))
    path = written.into(tmp_path)
    expected = outcome(path, "scipy", written.options)
    for found in run_ranks(ranks, lambda world: outcome(path, on(world), written.options)):
        assert found == expected


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_malformed(case: Case, ranks: int, tmp_path: Path) -> None:
    path = tmp_path / case.file
    path.write_bytes(case.content)
    expected = outcome(path, "scipy", case.options)
    assert expected[1].startswith(str(path))
    assert run_ranks(ranks, lambda world: outcome(path, on(world), case.options)) == [expected] * ranks


TEXT = "0 1 2\n1 2 3\n2 3 4\n3 4 5\n4 5 6\n5 6 7\n6 7 8\n7 8 9\n"


@pytest.mark.parametrize("line", range(1, 9))
@pytest.mark.parametrize("wrong", ["8 x 1", "8 9", f"8 9 {2**70}"])
def test_the_line_is_that_of_the_file_whoever_reads_it(line: int, wrong: str, tmp_path: Path) -> None:
    lines = TEXT.splitlines()
    lines.insert(line, wrong)
    path = tmp_path / "a.el"
    path.write_text("\n".join(lines))
    expected = outcome(path, "scipy", {})
    assert f"line {line + 1}: " in expected[1]
    assert run_ranks(4, lambda world: outcome(path, on(world), {})) == [expected] * 4


@pytest.mark.parametrize("line", range(1, 8))
def test_weights_are_real_from_the_first_real_one_on(line: int, tmp_path: Path) -> None:
    """A number too large for int64 is none for a float, if a real one comes before it."""
    lines = TEXT.splitlines()
    lines[line] += ".5"
    path = tmp_path / "a.el"
    path.write_text("\n".join([*lines, f"9 9 {2**70}"]))
    expected = outcome(path, "scipy", {})
    assert "float64" in expected
    assert run_ranks(4, lambda world: outcome(path, on(world), {})) == [expected] * 4


def some_files(folder: Path) -> list[Path]:
    """The same ring in formats that can be read in parts."""
    ring = np.arange(400)
    graph = Matrix.from_edges(ring, np.roll(ring, -1), ring + 7, duplicates=None)
    paths = [folder / f"a.{suffix}" for suffix in ("el", "tsv", "csv", "mtx")]
    for path in paths:
        write(path, graph)
    for suffix in ("g500", "g500p"):
        paths.append(folder / f"a.{suffix}")
        write(paths[-1], Matrix.from_edges(ring, np.roll(ring, -1)))
    (folder / "names.csv").write_text("".join(f"v{i},v{(i + 1) % 400}\n" for i in range(400)))
    (folder / "ids.el").write_text("".join(f"{i << 30} {(i + 1) % 400 << 30}\n" for i in range(400)))
    return [*paths, folder / "names.csv", folder / "ids.el"]


def test_no_rank_holds_all_edges(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    paths = [*some_files(tmp_path), tmp_path / "a.parquet"]
    table = pyarrow.table({"source": list(range(400)), "target": list(range(400))})
    pyarrow.parquet.write_table(table, paths[-1], row_group_size=10)

    def count(world: ThreadGroup) -> list[int]:
        processes = on(world).processes
        held = []
        for path in paths:
            name = next(name for name, row in FORMATS.items() if path.suffix in row.suffixes)
            edges = FORMATS[name].load().read_file(path, name, ReadOptions(), processes)
            assert edges.is_part
            held.append(len(edges))
        return held

    for held in zip(*run_ranks(4, count), strict=True):
        assert sum(held) == 400
        assert max(held) <= 130  # lines differ in length


def test_what_only_one_rank_has_wrong_names_the_rank(tmp_path: Path) -> None:
    for path in some_files(tmp_path):
        other = path.with_name("none" + path.suffix)

        def run(world: ThreadGroup, path: Path = path, other: Path = other) -> None:
            with pytest.raises(FileUnreadable, match=rf"^rank 2: .*{other.name}: there is no such file"):
                read(other if world.rank == 2 else path, backend=on(world))

        run_ranks(4, run)


def test_ranks_that_disagree_are_told(tmp_path: Path) -> None:
    paths = some_files(tmp_path)

    def run(world: ThreadGroup) -> None:
        backend = on(world)
        with pytest.raises(
            DistributedError, match=r"rank 0: read\('el', symmetric=None.*rank 1: read\("
        ):
            read(paths[0], backend=backend, symmetric=True if world.rank else None)
        with pytest.raises(DistributedError, match=r"rank 0: read.*'el'.*rank 2: read.*'tsv'"):
            read(paths[world.rank // 2], backend=backend)
        with pytest.raises(DistributedError, match=r"rank 0: reading \d+ bytes.*rank 3: reading 12 "):
            read(short if world.rank == 3 else paths[0], backend=backend)
        assert read(paths[0], backend=backend).matrix.nvals == 400

    short = tmp_path / "short.el"
    short.write_text("0 1 2\n2 3 4\n")
    run_ranks(4, run)


def test_an_error_of_one_rank_is_one_of_all() -> None:
    def run(world: ThreadGroup) -> None:
        processes = on(world).processes

        def fail() -> None:
            if world.rank in (1, 2):
                raise ZeroDivisionError(f"at {world.rank}")

        with pytest.raises(DistributedError, match="rank 1: ZeroDivisionError: at 1"):
            processes.together(fail)
        assert processes.together(lambda: world.rank) == world.rank

    run_ranks(3, run)


def test_an_edge_given_twice_in_different_parts(tmp_path: Path) -> None:
    path = tmp_path / "a.el"
    path.write_text(f"{TEXT}0 1 5\n")

    def run(world: ThreadGroup) -> None:
        with pytest.raises(DuplicateEntries, match=r"a.el: more than one entry at \(0, 1\); say how"):
            read(path, backend=on(world))

    run_ranks(4, run)


def test_on_real_ranks(tmp_path: Path) -> None:
    some_files(tmp_path)
    (tmp_path / "wrong.el").write_text(f"{TEXT}7 x 1\n")
    (tmp_path / "wide.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 9 1\n1 9 2.5\n")
    job = run_program(4, "reading", str(tmp_path))
    assert job.status == 0, job.said
    assert re.fullmatch(r"10 files\n", job.printed)


def test_commands_on_real_ranks(tmp_path: Path) -> None:
    path = tmp_path / "path.csv"
    path.write_text("from,to\nAnn,Bob\nBob,Cleo\nZoe,Zoe\n")
    job = Job(3, "info", str(path), "--undirected", "--quiet", ANYPAIR_LOCAL="scipy")
    assert job.status == 0, job.said
    assert re.search(r"^entries +5$", job.printed, re.MULTILINE)
    assert re.search(r"^components +2$", job.printed, re.MULTILINE)
    job = Job(4, "bfs", str(path), "--source", "Ann", "--levels", "--quiet", ANYPAIR_LOCAL="scipy")
    assert job.status == 0, job.said
    assert job.printed.split("\n")[1:-1] == ["Ann\t0", "Bob\t1", "Cleo\t2"]
    path.write_text("from,to\nAnn,Bob\nBob,Cleo\nZoe\n")
    job = Job(4, "bfs", str(path), "--source", "Ann", ANYPAIR_LOCAL="scipy")
    assert job.status != 0
    assert "path.csv, line 4: has too few fields; expected 2: 'Zoe'" in job.said
