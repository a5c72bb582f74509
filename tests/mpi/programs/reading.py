"""Files of a folder, read by all ranks together and by each alone."""

import sys
from pathlib import Path

from mpi4py import MPI

import anypair
from anypair.errors import AnypairError
from anypair.io import read
from anypair.semiring import first


def outcome(path: Path, backend: str | None) -> str:
    try:
        loaded = read(path, duplicates=first, backend=backend)
    except AnypairError as error:
        return f"{type(error).__name__}: {error}"
    A = loaded.matrix
    names = None if loaded.names is None else loaded.names.tolist()
    return repr((A.shape, A.dtype, [column.tolist() for column in A.to_entries()], names))


paths = sorted(Path(sys.argv[1]).iterdir())
with anypair.using("mpi", local="scipy"):
    for path in paths:
        assert outcome(path, None) == outcome(path, "scipy"), path
if MPI.COMM_WORLD.Get_rank() == 0:
    print(f"{len(paths)} files")
