"""Parents at the end: searches that find out who is reached first, and from where only when asked."""

from anypair.backends.base import StructuralMask
from anypair.backends.mpi.direction import Directions
from anypair.backends.mpi.products import Engine, VectorProduct
from anypair.backends.mpi.storage import MpiVector


class Search:
    """stub"""


class Deferral:
    """stub"""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
