"""Backend `suitesparse`: SuiteSparse:GraphBLAS, the C library, called through its own cffi binding.

`library` starts and calls it, `storage` owns its objects, `operators` finds the native operator of
each of ours, `callbacks` makes one of a Python function, `products` chooses between push and pull,
and `backend` fills in the contract.
"""

from anypair.backends.suitesparse.backend import SuiteSparseBackend

__all__ = ["SuiteSparseBackend"]
