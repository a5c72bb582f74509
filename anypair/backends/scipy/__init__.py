"""Backend `scipy`: vectorised NumPy and SciPy, no compiler; any Python function is an operator.

`storage` keeps entries as sorted keys, `ordering` sorts and groups them, `evaluation` runs
operators over arrays, `products` multiplies, and `backend` fills in the contract.
"""

from anypair.backends.scipy.backend import ScipyBackend

__all__ = ["ScipyBackend"]
