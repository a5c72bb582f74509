"""Ranks as the processes of a job: who has which places, and ways there and back."""

from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from anypair.backends.mpi.agreement import Agreement
from anypair.backends.mpi.packing import pack, unpacked
from anypair.backends.mpi.rank_layout import RankLayout
from anypair.backends.processes import Processes, Routes
from anypair.dtypes import Array, index_dtype
from anypair.errors import AnypairError


class RankRoutes(Routes):
    """Ways between sorted places and their owners; who asks for what is told once."""

    def __init__(self, layout: RankLayout, places: Array, size: int) -> None:
        super().__init__(places, size)
        self.layout = layout
        blocks = layout.grid.blocks(size)
        starts = [blocks.start(rank) for rank in range(layout.world.size)]
        self.bounds = [*np.searchsorted(places, starts).tolist(), len(places)]
        dtype = index_dtype(blocks.length)
        asked = [
            pack(((places[begin:end] - start).astype(dtype),))
            for (begin, end), start in zip(pairwise(self.bounds), starts, strict=True)
        ]
        self.requests = [unpacked(each, [dtype])[0] for each in layout.world.alltoall(asked)]

    def fetch(self, block: Array) -> Array:
        replies = [pack((block[request],)) for request in self.requests]
        answers = self.layout.world.alltoall(replies)
        return np.concatenate([unpacked(answer, [block.dtype])[0] for answer in answers])

    def add(self, numbers: Array) -> Array:
        sent = [pack((numbers[begin:end],)) for begin, end in pairwise(self.bounds)]
        block = np.zeros(self.layout.count(self.size), numbers.dtype)
        for request, came in zip(self.requests, self.layout.world.alltoall(sent), strict=True):
            block[request] += unpacked(came, [numbers.dtype])[0]
        return block


class Ranks(Processes):
    """The ranks of a grid."""

    def __init__(self, layout: RankLayout, agreement: Agreement) -> None:
        self.layout = layout
        self.agreement = agreement
        self.rank = layout.rank
        self.count = layout.world.size
        self.grid = str(layout.grid)

    def start(self, size: int) -> int:
        return self.layout.start(size)

    def held(self, size: int) -> int:
        return self.layout.count(size)

    def totals(self, numbers: Array) -> Array:
        return self.layout.world.start_sum(numbers)()

    def gather(self, value: Any) -> list[Any]:
        self.agreement.check("an exchange of objects")
        return self.layout.world.objects(value)

    def gather_arrays(self, array: Array) -> list[Array]:
        world = self.layout.world
        given = world.allgather(np.ascontiguousarray(array).view(np.uint8))
        return [each.view(dtype) for each, dtype in zip(given, world.objects(array.dtype), strict=True)]

    def fail(self, error: AnypairError) -> NoReturn:
        self.agreement.fail(error)

    def routes(self, places: Array, size: int) -> Routes:
        return RankRoutes(self.layout, places, size)
