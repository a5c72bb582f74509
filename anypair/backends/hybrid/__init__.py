"""Backend `hybrid`: a CPU and a GPU, the matrix on both, and for each operation the choice of one.

`states` is the machine that chooses, without arrays; `storage` has the two sides of an object; `backend`
fills in the contract with two other backends, which are found by their names.
"""

from anypair.backends.hybrid.backend import HybridBackend

__all__ = ["HybridBackend"]
