"""Backend `cuda`: one GPU. CuPy arrays, numba-cuda kernels made of the operators' own Python text.

`device` owns the hardware, `arrays` is the layer over `xp`, `kernels` puts operators
into `templates/`, `pushing` and `pulling` multiply, and `backend` fills in the contract.
"""

from anypair.backends.cuda.backend import CudaBackend

__all__ = ["CudaBackend"]
