"""Backend `jit`: Numba kernels specialised for each semiring, dtype and direction, on all cores.

`kernels` puts operators into templates, `building` sorts entries into rows, `products` chooses push or
pull, and `backend` fills in the contract.
"""

from anypair.backends.jit.backend import JitBackend

__all__ = ["JitBackend"]
