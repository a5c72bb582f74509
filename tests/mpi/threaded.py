"""Ranks as threads of one process: the second implementation of `Group`, for the logic without MPI."""

import pickle
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anypair.backends.wire.group import Group
from anypair.backends.wire.memories import Memory
from anypair.backends.wire.traffic import Traffic
from anypair.machine import usable_cores

TIMEOUT = 60.0


class Board:
    """Where threads meet: what all members of a group bring to one meeting, all of them can read."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.meetings: dict[Any, dict[int, Any]] = {}
        self.broken: BaseException | None = None

    def meet(self, key: Any, rank: int, size: int, value: Any) -> list[Any]:
        with self.changed:
            meeting = self.meetings.setdefault(key, {})
            meeting[rank] = value
            self.changed.notify_all()
            complete = self.changed.wait_for(
                lambda: len(meeting) == size or self.broken is not None, TIMEOUT
            )
            if self.broken is not None:
                raise RuntimeError("another rank has left") from self.broken
            assert complete, f"rank {rank} waits in vain at {key}"
            return [meeting[member] for member in range(size)]

    def leave(self, error: BaseException) -> None:
        with self.changed:
            self.broken = error
            self.changed.notify_all()


class CountedTraffic(Traffic):
    """Traffic that also knows all that was ever sent and received, and in how many exchanges."""

    def __init__(self) -> None:
        super().__init__()
        self.exchanges = self.sent = self.received = 0

    def count(self, sent: int, received: int, messages: int) -> None:
        super().count(sent, received, messages)
        self.sent += sent
        self.received += received


class ThreadGroup(Group):
    """Members that are threads."""

    traffic: CountedTraffic

    def __init__(self, board: Board, name: Any, rank: int, size: int, traffic: CountedTraffic) -> None:
        self.board = board
        self.name = name
        self.rank = rank
        self.size = size
        self.traffic = traffic
        self.calls = 0

    def _meet(self, kind: str, value: Any) -> list[Any]:
        self.calls += 1
        self.traffic.exchanges += 1
        found = self.board.meet((self.name, self.calls), self.rank, self.size, (kind, value))
        kinds = {each for each, _ in found}
        assert len(kinds) == 1, f"members of {self.name} make different calls: {kinds}"
        return [each for _, each in found]

    def allgather(self, message: Any) -> list[Any]:
        received = [m.copy() for m in self._meet("allgather", message.copy())]
        others = sum(map(len, received)) - len(message)
        self.traffic.count(len(message) * (self.size - 1), others, self.size - 1)
        return received

    def alltoall(self, messages: Sequence[Any]) -> list[Any]:
        assert len(messages) == self.size
        received = [row[self.rank] for row in self._meet("alltoall", [m.copy() for m in messages])]
        own = len(messages[self.rank])
        sent = sum(map(len, messages))
        self.traffic.count(sent - own, sum(map(len, received)) - own, self.size - 1)
        return received

    def shift(self, message: Any, to: int | None, source: int | None) -> Any:
        # A meeting of all would be stricter than MPI is: only the two have to come.
        self.traffic.exchanges += 1
        if to is not None:
            self._post(to, message.copy())
            self.traffic.count(len(message), 0, 1)
        if source is None:
            return None
        received = self._fetch(source)
        self.traffic.count(0, len(received), 0)
        return received

    def _post(self, to: int, message: Any) -> None:
        with self.board.changed:
            self.board.meetings.setdefault((self.name, "mail", self.rank, to), {})
            box = self.board.meetings[self.name, "mail", self.rank, to]
            box[len(box)] = message
            self.board.changed.notify_all()

    def _fetch(self, source: int) -> Any:
        taken = self.__dict__.setdefault("taken", {})
        number = taken.get(source, 0)
        taken[source] = number + 1
        key = (self.name, "mail", source, self.rank)
        with self.board.changed:
            came = self.board.changed.wait_for(
                lambda: number in self.board.meetings.get(key, {}) or self.board.broken is not None,
                TIMEOUT,
            )
            if self.board.broken is not None:
                raise RuntimeError("another rank has left") from self.board.broken
            assert came, f"no message from {source} to {self.rank}"
            return self.board.meetings[key][number]

    def allgather_in(self, memory: Memory, message: Any, lengths: Sequence[int]) -> list[Any]:
        received = self._meet("allgather_in", self._sent(memory, message))
        assert [m.shape[0] for m in received] == lengths
        own = message.shape[0]
        self.traffic.count(own * (self.size - 1), sum(lengths) - own, self.size - 1)
        return received

    def alltoall_in(
        self, memory: Memory, messages: Sequence[Any], lengths: Sequence[int], longest: int
    ) -> list[Any]:
        rows = self._meet("alltoall_in", [self._sent(memory, m) for m in messages])
        received = [row[self.rank] for row in rows]
        assert [m.shape[0] for m in received] == lengths
        assert longest == max(m.shape[0] for row in rows for m in row)
        own, sent = messages[self.rank].shape[0], sum(m.shape[0] for m in messages)
        self.traffic.count(sent - own, sum(lengths) - own, self.size - 1)
        return received

    def shift_in(
        self, memory: Memory, message: Any, to: int | None, source: int | None, length: int
    ) -> Any:
        self.traffic.exchanges += 1
        if to is not None:
            self._post(to, self._sent(memory, message))
            self.traffic.count(message.shape[0], 0, 1)
        if source is None:
            return None
        received = self._fetch(source)
        assert received.shape[0] == length
        self.traffic.count(0, length, 0)
        return received

    @staticmethod
    def _sent(memory: Memory, message: Any) -> Any:
        """A copy, as it is on the way: what it was made of may change before it is read."""
        copy = memory.joined([memory.empty(0), message])
        memory.ready()
        return copy

    def why_not_on_device(self) -> str | None:
        return None

    def broadcast(self, message: Any, root: int) -> Any:
        received = self._meet("broadcast", None if message is None else message.copy())[root].copy()
        here, others = self.rank == root, self.size - 1
        sent = len(received) * others if here else 0
        self.traffic.count(sent, 0 if here else len(received), others if here else 0)
        return received

    def start_sum(self, numbers: Any) -> Callable[[], Any]:
        sums = np.sum(self._meet("sum", numbers.copy()), axis=0)
        self.traffic.count(numbers.nbytes, numbers.nbytes, 1)
        return lambda: sums

    def objects(self, value: Any) -> list[Any]:
        found = self._meet("objects", value)
        sizes = [len(pickle.dumps(each)) for each in found]
        own = sizes[self.rank]
        self.traffic.count(own * (self.size - 1), sum(sizes) - own, self.size - 1)
        return found

    def split(self, colour: int, key: int) -> "ThreadGroup":
        given = self._meet("split", (colour, key))
        members = sorted((k, r) for r, (c, k) in enumerate(given) if c == colour)
        rank = members.index((key, self.rank))
        name = (self.name, self.calls, colour)
        return ThreadGroup(self.board, name, rank, len(members), self.traffic)

    def place_here(self) -> tuple[int, list[frozenset[int]]]:
        return self.rank, [usable_cores()] * self.size


def run_ranks(size: int, program: Callable[[ThreadGroup], Any]) -> list[Any]:
    """What the program returns on each rank; the first exception of any is raised."""
    board = Board()
    results: list[Any] = [None] * size
    errors: list[BaseException] = []

    def work(rank: int) -> None:
        try:
            results[rank] = program(ThreadGroup(board, "world", rank, size, CountedTraffic()))
        except BaseException as error:
            errors.append(error)
            board.leave(error)

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
