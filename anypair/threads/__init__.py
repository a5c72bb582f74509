"""A thread pool for kernels that release the GIL: `pool` has its threads, `team` cuts work into parts.

`parts` is how kernels take their parts without the GIL, `kernels/waiting.py` how threads spin, `atomics`
has the instructions of the processor that both are made of.
"""
