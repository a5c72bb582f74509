"""Files are written by one rank, and what it has to say of them all hear: writing.py FOLDER."""

import os
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import anypair
import anypair.io
from anypair import Matrix
from anypair.errors import DistributedError, FileUnreadable, InvalidArgument

FOLDER = Path(sys.argv[1])
RANK = MPI.COMM_WORLD.rank
replaced = []
replace = os.replace


def note_and_replace(old, new):
    if Path(new).parent == FOLDER:  # and not that of kernels
        replaced.append(Path(new).name)
    replace(old, new)


def expect(kind, text, call):
    said = "nothing"
    try:
        call()
    except kind as error:
        said = str(error)
    assert text in said, said


os.replace = note_and_replace
with anypair.using("mpi", local="scipy"):
    path = Matrix.from_edges(np.arange(2000), np.arange(1, 2001), np.arange(2000.0), n=2001)
    names = ["out.tsv", "out.csv.gz", "out.mtx", "out.npz"]
    for name in names:
        anypair.io.write(FOLDER / name, path)
        assert (FOLDER / name).exists()  # on every rank, as soon as the call is over
        assert anypair.same(anypair.io.read(FOLDER / name, n=None).matrix.cast(float), path), name
    assert replaced == ([] if RANK else names), replaced
    # What the one rank cannot do, all are told, and go on.
    missing = FOLDER / "missing" / "out.tsv"
    expect(FileUnreadable, "no such folder", lambda: anypair.io.write(missing, path))
    expect(InvalidArgument, "no names", lambda: anypair.io.write(FOLDER / "x.mtx", path, range(2001)))
    expect(DistributedError, "disagree", lambda: anypair.io.write(FOLDER / f"{RANK}.tsv", path))
    anypair.io.write(FOLDER / "last.tsv", path)
print("written once")
