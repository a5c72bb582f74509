"""Backend `streamed`: matrices are folders of blocks on disk, vectors are in memory on a local backend.

`folder` reads and writes the format, `sorting` brings entries into order in bounded memory, `scratch`
has folders that go with the process; `storage` is a matrix, `products` streams its rows through the
local backend, and `backend` fills in the contract.
"""

from anypair.backends.streamed.backend import StreamedBackend

__all__ = ["StreamedBackend"]
