"""Those entries of a matrix that are to be kept, put together when somebody looks at them.

A mask by value is asked for as often to filter another matrix with the same places: flags do that
without a list of the places that are left.
"""

from typing import Any

import numpy as np

from anypair.backends.jit.elementwise import keep_entries
from anypair.backends.jit.storage import JitMatrix
from anypair.dtypes import Array
from anypair.threads.team import Team

COMPRESSED = ("starts", "indices", "values")


class JitFiltered(JitMatrix):
    """A matrix that has a flag for each entry of another one, until it is put together."""

    def __init__(self, team: Team, source: JitMatrix, keep: Array) -> None:
        self.shape = source.shape
        self.dtype = source.dtype
        self.nvals = int(np.count_nonzero(keep))
        self._pieces = {}
        self.made_of: tuple[Team, JitMatrix, Array] | None = (team, source, keep)

    def __getattr__(self, name: str) -> Any:
        if name not in COMPRESSED:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.put_together()
        return self.__dict__[name]

    def put_together(self) -> None:
        """Have lists as other matrices do; what they are made of is dropped."""
        if (made_of := self.made_of) is not None:
            made = keep_entries(*made_of)
            self.starts, self.indices, self.values = made.starts, made.indices, made.values
            self.made_of = None  # last: another thread may be looking

    def with_values(self, values: Array) -> JitMatrix:
        self.put_together()
        return super().with_values(values)

    def flags_for(self, x: JitMatrix) -> Array | None:
        """Which entries of x, a matrix with the same places as the source, are inside this one."""
        made_of = self.made_of  # once: another thread may put this together
        if made_of is None or isinstance(x, JitFiltered):
            return None
        _, source, keep = made_of
        return keep if x.starts is source.starts and x.indices is source.indices else None
