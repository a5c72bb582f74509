"""Small kernels, each right or wrong in one way."""

import numpy as np
from numba import cuda


def neighbours(values, out):  # type: ignore[no-untyped-def]
    """Each thread reads what the next one of its block has written."""
    shared = cuda.shared.array(32, np.int64)
    t = cuda.threadIdx.x
    shared[t] = values[cuda.grid(1)]
    cuda.syncthreads()
    out[cuda.grid(1)] = shared[(t + 1) % 32]


def neighbours_without_barrier(values, out):  # type: ignore[no-untyped-def]
    shared = cuda.shared.array(32, np.int64)
    t = cuda.threadIdx.x
    shared[t] = values[cuda.grid(1)]
    out[cuda.grid(1)] = shared[t]
    if t == 0:
        shared[1] = 5


def unwritten(values, out):  # type: ignore[no-untyped-def]
    shared = cuda.shared.array(32, np.int64)
    out[cuda.grid(1)] = shared[cuda.threadIdx.x] + values[0]


def beyond(values, out):  # type: ignore[no-untyped-def]
    out[cuda.grid(1) + 1] = values[cuda.grid(1)]


def diverging(values, out):  # type: ignore[no-untyped-def]
    if cuda.threadIdx.x % 2:
        cuda.syncthreads()
        out[cuda.grid(1)] = values[0]
        cuda.syncthreads()
    else:
        out[cuda.grid(1)] = values[1]
        cuda.syncthreads()
        out[cuda.grid(1)] = values[0]
    cuda.syncthreads()


def endless(values, out):  # type: ignore[no-untyped-def]
    """One thread waits for what nobody writes."""
    while cuda.grid(1) == 37 and values[0] == 0:
        out[0] = values[0]


def lost_updates(values, out):  # type: ignore[no-untyped-def]
    """Blocks add to one place without an atomic: no barrier could help."""
    if cuda.threadIdx.x == 0:
        out[0] += values[cuda.grid(1)]


def atomic_updates(values, out):  # type: ignore[no-untyped-def]
    cuda.atomic.add(out, 0, values[cuda.grid(1)])


def some_leave(values, out):  # type: ignore[no-untyped-def]
    """Threads that have ended are not waited for, and not counted."""
    if values[cuda.grid(1)] < 0:
        return
    out[cuda.grid(1)] = cuda.syncthreads_count(1)


def arithmetic(values, out):  # type: ignore[no-untyped-def]
    """Numbers at the edges of their types."""
    i = cuda.grid(1)
    x = values[i]
    y = values[(i * 7 + 3) % len(values)]
    total = (
        (x >> (y & 127))
        ^ (x << (y & 63))
        ^ (x * y)
        ^ (x - y)
        ^ np.int64(np.int32(x))
        ^ np.int64(np.uint8(y))
    )
    if y != 0 and y != -1:
        total ^= (x // y) ^ (x % y)
    total ^= np.int64(x < y) ^ min(x, y) ^ np.int64(np.uint64(x) > np.uint64(y)) ^ abs(y) ^ ~x
    out[i] = total
