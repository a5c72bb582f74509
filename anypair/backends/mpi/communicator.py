"""Exchanges by MPI, in rounds where a message is too long for one call.

MPI 3 counts in 32 bits, and Open MPI 5 has no calls with larger counts: `chunk` bounds the bytes of
one call. Short messages travel together with their lengths, so that a small exchange is one call,
not two.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from mpi4py import MPI

from anypair.backends.mpi.group import Group
from anypair.backends.mpi.traffic import Traffic
from anypair.dtypes import Array

SHORT = 504  # bytes of a message that fit beside its length
FEW = 32  # members among which short messages are sent so
CHUNK = 1 << 30


class Communicator(Group):
    """A group of MPI ranks."""

    def __init__(self, comm: Any, traffic: Traffic, chunk: int = CHUNK) -> None:
        self.comm = comm
        self.size = comm.Get_size()
        self.rank = comm.Get_rank()
        self.traffic = traffic
        self.chunk = chunk
        self._envelope = np.zeros(SHORT + 8, np.uint8)
        self._envelopes = np.empty((self.size, SHORT + 8), np.uint8)

    @classmethod
    def world(cls, chunk: int = CHUNK) -> Self:
        """All ranks of the job, on a communicator of our own."""
        if MPI.COMM_WORLD.Get_size() > 1 and sys.excepthook is not _end_the_job:
            sys.excepthook = _end_the_job
        return cls(MPI.COMM_WORLD.Dup(), Traffic(), chunk)

    def allgather(self, message: Array) -> list[Array]:
        if self.size == 1:
            return [message]
        own = self._envelope
        own[:8].view(np.int64)[0] = len(message)
        if len(message) <= SHORT:
            own[8 : 8 + len(message)] = message
        everyone = self._envelopes
        self.comm.Allgather(own, everyone)
        lengths: list[int] = everyone.view(np.int64)[:, 0].tolist()
        longest = max(lengths)
        others = self.size - 1
        self.traffic.count(len(message) * others, sum(lengths) - len(message), others)
        if longest <= SHORT:
            return [everyone[p, 8 : 8 + n].copy() for p, n in enumerate(lengths)]
        received = [np.empty(n, np.uint8) for n in lengths]
        share = self._share()
        for begin in range(0, longest, share):
            rooms = [r[begin : begin + share] for r in received]
            sizes = list(map(len, rooms))
            out = np.empty(sum(sizes), np.uint8)
            self.comm.Allgatherv(message[begin : begin + share], [out, sizes])
            _deal(out, rooms)
        return received

    def alltoall(self, messages: Sequence[Array]) -> list[Array]:
        if self.size == 1:
            return [messages[0]]
        lengths = [len(m) for m in messages]
        room = SHORT if self.size <= FEW else 0
        # With each length goes the longest of all, so that every member knows how many rounds there are.
        sent = np.zeros((self.size, room + 16), np.uint8)
        heads = sent.view(np.int64)
        heads[:, 0] = lengths
        heads[:, 1] = max(lengths)
        for envelope, message in zip(sent, messages, strict=True):
            if len(message) <= room:
                envelope[16 : 16 + len(message)] = message
        came = np.empty_like(sent)
        self.comm.Alltoall(sent, came)
        others: list[int] = came.view(np.int64)[:, 0].tolist()
        longest = int(came.view(np.int64)[:, 1].max())
        own = lengths[self.rank]
        self.traffic.count(sum(lengths) - own, sum(others) - own, self.size - 1)
        if longest <= room:
            return [came[p, 16 : 16 + n].copy() for p, n in enumerate(others)]
        received = [np.empty(n, np.uint8) for n in others]
        share = self._share()
        for begin in range(0, longest, share):
            parts = [m[begin : begin + share] for m in messages]
            rooms = [r[begin : begin + share] for r in received]
            out = np.empty(sum(map(len, rooms)), np.uint8)
            self.comm.Alltoallv(
                [np.concatenate(parts), list(map(len, parts))], [out, list(map(len, rooms))]
            )
            _deal(out, rooms)
        return received

    def shift(self, message: Array | None, to: int | None, source: int | None) -> Array | None:
        target = MPI.PROC_NULL if to is None else to
        origin = MPI.PROC_NULL if source is None else source
        length, other = np.zeros(1, np.int64), np.zeros(1, np.int64)
        length[0] = 0 if message is None else len(message)
        self.comm.Sendrecv(length, target, 0, other, origin, 0)
        data = np.empty(0, np.uint8) if message is None or to is None else message
        received = np.empty(int(other[0]), np.uint8)
        begin = 0
        while begin < max(len(data), len(received)):
            end = begin + self.chunk
            self.comm.Sendrecv(
                data[begin:end],
                target if begin < len(data) else MPI.PROC_NULL,
                1,
                received[begin:end],
                origin if begin < len(received) else MPI.PROC_NULL,
                1,
            )
            begin = end
        self.traffic.count(len(data), len(received), int(to is not None))
        return None if source is None else received

    def broadcast(self, message: Array | None, root: int) -> Array:
        if self.size == 1:
            assert message is not None
            return message
        length = np.array([0 if message is None else len(message)], np.int64)
        self.comm.Bcast(length, root)
        data = np.empty(int(length[0]), np.uint8) if message is None else message
        for begin in range(0, len(data), self.chunk):
            self.comm.Bcast(data[begin : begin + self.chunk], root)
        here = self.rank == root
        self.traffic.count(
            len(data) * (self.size - 1) if here else 0,
            0 if here else len(data),
            self.size - 1 if here else 0,
        )
        return data

    def start_sum(self, numbers: Array) -> Callable[[], Array]:
        if self.size == 1:
            return lambda: numbers
        given, sums = numbers.copy(), np.empty_like(numbers)
        request = self.comm.Iallreduce(given, sums, MPI.SUM)
        self.traffic.count(numbers.nbytes, numbers.nbytes, 1)

        def wait(given: Array = given) -> Array:  # both have to live until the request is done
            request.Wait()
            return sums

        return wait

    def objects(self, value: Any) -> list[Any]:
        found: list[Any] = self.comm.allgather(value)
        return found

    def split(self, colour: int, key: int) -> Self:
        return type(self)(self.comm.Split(colour, key), self.traffic, self.chunk)

    def ranks_here(self) -> int:
        near = self.comm.Split_type(MPI.COMM_TYPE_SHARED)
        size = int(near.Get_size())
        near.Free()
        return size

    def _share(self) -> int:
        """Bytes of one pair of members in one call, so that all of a call stay below the chunk."""
        return max(self.chunk // self.size, 1)


def _end_the_job(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """What nobody catches on one rank must end all: others would wait for this one for ever."""
    sys.__excepthook__(kind, error, trace)
    rank = MPI.COMM_WORLD.Get_rank()
    print(f"anypair: rank {rank} failed with {kind.__name__}; the job ends", file=sys.stderr, flush=True)
    MPI.COMM_WORLD.Abort(1)


def _deal(out: Array, rooms: Sequence[Array]) -> None:
    """Copy what has come in one piece to where it belongs."""
    at = 0
    for room in rooms:
        room[:] = out[at : at + len(room)]
        at += len(room)
