"""Backend `mpi`: a 2D grid of ranks, each running a local backend on its block of every matrix.

`../grid.py` says which rank owns what. `group` is what is asked of a set of ranks, `communicator`
that in MPI, `agreement` how ranks keep in step. A product is `expansion`, `masks`, the local
multiply and `folding`, put together in `products`; `messages` and `codec` are what travels. These work
on an array layer, which is the host's or a device's, as `memories` are for the communicator.
`building` and `moving` bring entries to their owners.
"""

from anypair.backends.mpi.backend import MpiBackend
from anypair.backends.mpi.report import phase_table, phases_of

__all__ = ["MpiBackend", "phase_table", "phases_of"]
