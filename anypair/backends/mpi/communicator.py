"""Exchanges by MPI, in rounds where a message is too long for one call.

MPI 3 counts in 32 bits, and Open MPI 5 has no calls with larger counts: `chunk` bounds the bytes of
one call. Short messages travel together with their lengths, so that a small exchange is one call,
not two. Bytes of other memories than the host's are never looked into here; the memory is asked to be
ready before each call that gets some.
"""

import pickle
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from mpi4py import MPI

from anypair.backends.mpi.device_support import why_no_device_memory
from anypair.backends.mpi.watch import Calls, join_job
from anypair.backends.wire.group import Group
from anypair.backends.wire.memories import HOST, Memory, slices
from anypair.backends.wire.traffic import Traffic
from anypair.dtypes import Array
from anypair.machine import usable_cores

SHORT = 504  # bytes of a message that fit beside its length
FEW = 32  # members among which short messages are sent so
CHUNK = 1 << 30


class Communicator(Group):
    """A group of MPI ranks."""

    def __init__(self, comm: Any, traffic: Traffic, calls: Calls, chunk: int = CHUNK) -> None:
        self.comm = comm
        self.calls = calls  # around all that waits for others
        self.size = comm.Get_size()
        self.rank = comm.Get_rank()
        self.traffic = traffic
        self.chunk = chunk
        self._envelope = np.zeros(SHORT + 8, np.uint8)
        self._envelopes = np.empty((self.size, SHORT + 8), np.uint8)

    @classmethod
    def world(cls, chunk: int = CHUNK, timeout: float = 0) -> Self:
        """All ranks of the job, on a communicator of our own; none waits longer than the timeout."""
        calls = Calls(join_job(timeout), timeout)
        with calls:
            comm = MPI.COMM_WORLD.Dup()
        return cls(comm, Traffic(), calls, chunk)

    def allgather(self, message: Array) -> list[Array]:
        if self.size == 1:
            return [message]
        own = self._envelope
        own[:8].view(np.int64)[0] = len(message)
        if len(message) <= SHORT:
            own[8 : 8 + len(message)] = message
        everyone = self._envelopes
        with self.calls:
            self.comm.Allgather(own, everyone)
        lengths: list[int] = everyone.view(np.int64)[:, 0].tolist()
        longest = max(lengths)
        others = self.size - 1
        self.traffic.count(len(message) * others, sum(lengths) - len(message), others)
        if longest <= SHORT:
            return [everyone[p, 8 : 8 + n].copy() for p, n in enumerate(lengths)]
        return self._gathered(HOST, message, lengths)

    def allgather_in(self, memory: Memory, message: Any, lengths: Sequence[int]) -> list[Any]:
        if self.size == 1:
            return [message]
        others = self.size - 1
        self.traffic.count(len(message) * others, sum(lengths) - len(message), others)
        return self._gathered(memory, message, lengths)

    def _gathered(self, memory: Memory, message: Any, lengths: Sequence[int]) -> list[Any]:
        def gather(part: slice, out: Any, sizes: list[int]) -> None:
            memory.ready()
            with self.calls:
                self.comm.Allgatherv(message[part], [out, sizes])

        return self._in_rounds(memory, lengths, max(lengths), gather)

    def alltoall(self, messages: Sequence[Array]) -> list[Array]:
        if self.size == 1:
            return [messages[0]]
        lengths = [len(m) for m in messages]
        inline = SHORT if self.size <= FEW else 0
        # With each length goes the longest of all, so that every member knows how many rounds there are.
        sent = np.zeros((self.size, inline + 16), np.uint8)
        headers = sent.view(np.int64)
        headers[:, 0] = lengths
        headers[:, 1] = max(lengths)
        for envelope, message in zip(sent, messages, strict=True):
            if len(message) <= inline:
                envelope[16 : 16 + len(message)] = message
        came = np.empty_like(sent)
        with self.calls:
            self.comm.Alltoall(sent, came)
        others: list[int] = came.view(np.int64)[:, 0].tolist()
        longest = int(came.view(np.int64)[:, 1].max())
        own = lengths[self.rank]
        self.traffic.count(sum(lengths) - own, sum(others) - own, self.size - 1)
        if longest <= inline:
            return [came[p, 16 : 16 + n].copy() for p, n in enumerate(others)]
        return self._exchanged(HOST, messages, others, longest)

    def alltoall_in(
        self, memory: Memory, messages: Sequence[Any], lengths: Sequence[int], longest: int
    ) -> list[Any]:
        if self.size == 1:
            return [messages[0]]
        own = len(messages[self.rank])
        self.traffic.count(sum(map(len, messages)) - own, sum(lengths) - own, self.size - 1)
        return self._exchanged(memory, messages, lengths, longest)

    def _exchanged(
        self, memory: Memory, messages: Sequence[Any], lengths: Sequence[int], longest: int
    ) -> list[Any]:
        def exchange(part: slice, out: Any, sizes: list[int]) -> None:
            parts = [message[part] for message in messages]
            given = [memory.joined(parts), list(map(len, parts))]
            memory.ready()
            with self.calls:
                self.comm.Alltoallv(given, [out, sizes])

        return self._in_rounds(memory, lengths, longest, exchange)

    def _in_rounds(
        self,
        memory: Memory,
        lengths: Sequence[int],
        longest: int,
        call: Callable[[slice, Any, list[int]], None],
    ) -> list[Any]:
        """What comes from each member, in as many calls as the longest message of all takes."""
        share = max(self.chunk // self.size, 1)  # of a pair: all of a call stay below the chunk
        if longest <= share:
            out = memory.empty(sum(lengths))
            if longest:
                call(slice(None), out, list(lengths))
            return memory.split(out, lengths)
        received = [memory.empty(length) for length in lengths]
        for begin in range(0, longest, share):
            part = slice(begin, begin + share)
            buffers = [each[part] for each in received]
            sizes = list(map(len, buffers))
            out = memory.empty(sum(sizes))
            call(part, out, sizes)
            for buffer, came in zip(buffers, slices(out, sizes), strict=True):
                buffer[:] = came
        return received

    def shift(self, message: Array | None, to: int | None, source: int | None) -> Array | None:
        target = MPI.PROC_NULL if to is None else to
        origin = MPI.PROC_NULL if source is None else source
        length, other = np.zeros(1, np.int64), np.zeros(1, np.int64)
        length[0] = 0 if message is None else len(message)
        with self.calls:
            self.comm.Sendrecv(length, target, 0, other, origin, 0)
        received: Array | None = self.shift_in(HOST, message, to, source, int(other[0]))
        return received

    def shift_in(
        self, memory: Memory, message: Any, to: int | None, source: int | None, length: int
    ) -> Any:
        target = MPI.PROC_NULL if to is None else to
        origin = MPI.PROC_NULL if source is None else source
        data = memory.empty(0) if message is None or to is None else message
        received = memory.empty(length)
        begin = 0
        with self.calls:  # as one call: others may have fewer rounds
            while begin < max(len(data), length):
                end = begin + self.chunk
                memory.ready()
                self.comm.Sendrecv(
                    data[begin:end],
                    target if begin < len(data) else MPI.PROC_NULL,
                    1,
                    received[begin:end],
                    origin if begin < length else MPI.PROC_NULL,
                    1,
                )
                begin = end
        self.traffic.count(len(data), length, int(to is not None))
        return None if source is None else received

    def why_not_on_device(self) -> str | None:
        return why_no_device_memory()

    def broadcast(self, message: Array | None, root: int) -> Array:
        if self.size == 1:
            assert message is not None
            return message
        length = np.array([0 if message is None else len(message)], np.int64)
        with self.calls:
            self.comm.Bcast(length, root)
        data = np.empty(int(length[0]), np.uint8) if message is None else message
        for begin in range(0, len(data), self.chunk):
            with self.calls:
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
            with self.calls:
                request.Wait()
            return sums

        return wait

    def objects(self, value: Any) -> list[Any]:
        if self.size == 1:
            return [value]
        mine = np.frombuffer(pickle.dumps(value), np.uint8)
        return [pickle.loads(each.data) for each in self.allgather(mine)]

    def split(self, colour: int, key: int) -> Self:
        with self.calls:
            comm = self.comm.Split(colour, key)
        return type(self)(comm, self.traffic, Calls(self.calls.watch, self.calls.timeout), self.chunk)

    def place_here(self) -> tuple[int, list[frozenset[int]]]:
        with self.calls:
            near = self.comm.Split_type(MPI.COMM_TYPE_SHARED)
            place = int(near.Get_rank()), near.allgather(usable_cores())
        near.Free()
        return place
