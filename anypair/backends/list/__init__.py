"""Backend `list`: the SEI note's first implementation, adjacency lists of head, next and edge arrays.

`storage` has the two forms of a matrix, `templates/walking.py` the compiled loops along lists, and
`backend` fills in the contract: products with vectors walk lists, all else goes through entries.
"""

from anypair.backends.list.backend import ListBackend

__all__ = ["ListBackend"]
