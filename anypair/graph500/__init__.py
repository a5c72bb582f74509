"""The Graph500 benchmark: generator, kernels, validation, statistics.

>>> from anypair.graph500 import Settings, run
>>> print(run(Settings(scale=8, roots=4)).block().splitlines()[2])
NBFS: 4
"""

from anypair.graph500.benchmark import run
from anypair.graph500.edges import EdgeList, generate
from anypair.graph500.kronecker import kronecker_edges, kronecker_weights
from anypair.graph500.progress import Progress
from anypair.graph500.result import Result
from anypair.graph500.roots import choose_roots
from anypair.graph500.settings import Settings
from anypair.graph500.validation import Broken, broken_rules

__all__ = [
    "Broken",
    "EdgeList",
    "Progress",
    "Result",
    "Settings",
    "broken_rules",
    "choose_roots",
    "generate",
    "kronecker_edges",
    "kronecker_weights",
    "run",
]
