"""Exchanges of arrays that only MPI can look into, in one call and in many, each right after a wait.

The arrays show `__cuda_array_interface__`, as those of a GPU do, and nothing else: no buffer, no numbers.
Their pointers are the host's, so that every MPI can follow them.
"""

from itertools import pairwise

import numpy as np
from mpi4py import MPI

from anypair.backends.mpi.communicator import Communicator
from anypair.backends.mpi.watch import Calls, join_job
from anypair.backends.wire.traffic import Traffic


class Opaque:
    """Bytes on something like a device: slices, copies between slices, and an address."""

    def __init__(self, hidden):
        self._hidden = hidden

    def __len__(self):
        return len(self._hidden)

    def __getitem__(self, part):
        assert isinstance(part, slice), "a byte was looked at"
        return Opaque(self._hidden[part])

    def __setitem__(self, part, other):
        self._hidden[part] = other._hidden

    @property
    def __cuda_array_interface__(self):
        address = self._hidden.ctypes.data if len(self) else 0  # CuPy has none for no bytes
        shape = self._hidden.shape
        return {
            "shape": shape,
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
            "strides": None,
        }


class Device:
    """Their memory; all that is asked of it goes into the record."""

    def __init__(self, record, *, waits=True):
        self.record = record
        self.waits = waits

    def empty(self, length):
        self.record.append("empty")
        return Opaque(np.empty(length, np.uint8))

    def joined(self, parts):
        self.record.append("joined")
        return Opaque(np.concatenate([part._hidden for part in parts]))

    def split(self, whole, lengths):
        bounds = np.cumsum([0, *lengths])
        return [whole[a:b] for a, b in pairwise(bounds)]

    def ready(self):
        if self.waits:
            self.record.append("ready")


class Recorded:
    """A communicator of mpi4py that notes the calls which get such arrays."""

    def __init__(self, comm, record):
        self.comm = comm
        self.record = record

    def __getattr__(self, name):
        found = getattr(self.comm, name)
        if not name[0].isupper() or name.startswith("Get_"):
            return found

        def call(*arguments):
            given = [x for a in arguments for x in (a if isinstance(a, list) else [a])]
            if any(isinstance(x, Opaque) for x in given):
                self.record.append(name)
            return found(*arguments)

        return call


CALLS = ("Allgatherv", "Alltoallv", "Sendrecv")


def is_safe(record):
    """Whether a wait is the last thing before every call: not even room for what comes is made after it."""
    return all(before == "ready" for before, call in pairwise(record) if call in CALLS)


def message(length, *seed):
    return np.random.default_rng([length, *seed]).integers(0, 256, length * (seed[0] + 1) // 2, np.uint8)


def exchanges(group, memory, length):
    """All three, compared with what was sent."""
    ranks = range(group.size)
    sent = [message(length, rank) for rank in ranks]
    found = group.allgather_in(memory, Opaque(sent[group.rank].copy()), list(map(len, sent)))
    assert [x._hidden.tobytes() for x in found] == [x.tobytes() for x in sent]

    table = [[message(length, p, q)[p:] for q in ranks] for p in ranks]
    longest = max(len(each) for row in table for each in row)
    lengths = [len(row[group.rank]) for row in table]
    given = [Opaque(each.copy()) for each in table[group.rank]]
    found = group.alltoall_in(memory, given, lengths, longest)
    assert [x._hidden.tobytes() for x in found] == [row[group.rank].tobytes() for row in table]

    to = group.rank + 1 if group.rank + 1 < group.size else None
    source = group.rank - 1 if group.rank else None
    length = 0 if source is None else len(sent[source])
    found = group.shift_in(memory, Opaque(sent[group.rank].copy()), to, source, length)
    assert (found is None) == (source is None)
    assert found is None or found._hidden.tobytes() == sent[source].tobytes()


kinds = set()
for chunk in (7, 64, 1 << 20):
    record = []
    group = Communicator(Recorded(MPI.COMM_WORLD.Dup(), record), Traffic(), Calls(join_job(0), 0), chunk)
    for length in (0, 1, 50, 2000):
        exchanges(group, Device(record), length)
    assert is_safe(record)
    kinds |= set(record)
assert set(CALLS) <= kinds, kinds

record = []
group = Communicator(Recorded(MPI.COMM_WORLD.Dup(), record), Traffic(), Calls(join_job(0), 0))
exchanges(group, Device(record, waits=False), 50)
assert not is_safe(record), "nobody would notice a wait that is left out"
if not MPI.COMM_WORLD.rank:
    print("as sent")
