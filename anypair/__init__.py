"""anypair: graph algorithms as sparse linear algebra, one text for every machine."""

from anypair import semiring
from anypair.config import using
from anypair.errors import AnypairError
from anypair.mask import Mask
from anypair.matrix import Matrix
from anypair.operations import (
    apply,
    assign,
    diag,
    ewise_add,
    ewise_mult,
    extract,
    kron,
    mxm,
    mxv,
    reduce,
    same,
    select,
    selection,
    transpose,
    update,
    vxm,
)
from anypair.semiring import (
    ANYTHING,
    MAX,
    MIN,
    BinaryOp,
    IndexUnaryOp,
    Monoid,
    Semiring,
    UnaryOp,
    binary_op,
    index_unary_op,
    monoid,
    position,
    unary_op,
)
from anypair.trace import trace
from anypair.vector import Vector
from anypair.version import __version__

__all__ = [
    "ANYTHING",
    "MAX",
    "MIN",
    "AnypairError",
    "BinaryOp",
    "IndexUnaryOp",
    "Mask",
    "Matrix",
    "Monoid",
    "Semiring",
    "UnaryOp",
    "Vector",
    "__version__",
    "algorithms",
    "apply",
    "assign",
    "binary_op",
    "diag",
    "ewise_add",
    "ewise_mult",
    "extract",
    "index_unary_op",
    "kron",
    "monoid",
    "mxm",
    "mxv",
    "position",
    "reduce",
    "same",
    "select",
    "selection",
    "semiring",
    "trace",
    "transpose",
    "unary_op",
    "update",
    "using",
    "vxm",
]

# Last, because algorithms are written against the names above.
from anypair import algorithms
