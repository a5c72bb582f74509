"""anypair: graph algorithms as sparse linear algebra, one text for every machine."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from anypair import semiring
from anypair.config import default_backend, using
from anypair.errors import AnypairError
from anypair.mask import Mask
from anypair.matrix import Matrix
from anypair.operations import (
    apply,
    assign,
    closure,
    cumulate,
    diag,
    ewise_add,
    ewise_all,
    ewise_mult,
    extract,
    head,
    kron,
    mxm,
    mxv,
    order,
    reduce,
    same,
    sample,
    scatter,
    select,
    selection,
    sort,
    top,
    transpose,
    union,
    unique,
    update,
    vxm,
)
from anypair.records import Record, record
from anypair.semiring import (
    ANYTHING,
    MAX,
    MIN,
    BinaryOp,
    IndexUnaryOp,
    Monoid,
    NaryOp,
    Semiring,
    UnaryOp,
    binary_op,
    check,
    index_unary_op,
    monoid,
    nary_op,
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
    "NaryOp",
    "Record",
    "Semiring",
    "UnaryOp",
    "Vector",
    "__version__",
    "algorithms",
    "apply",
    "assign",
    "binary_op",
    "check",
    "closure",
    "cumulate",
    "default_backend",
    "diag",
    "ewise_add",
    "ewise_all",
    "ewise_mult",
    "extract",
    "head",
    "index_unary_op",
    "kron",
    "monoid",
    "mxm",
    "mxv",
    "nary_op",
    "order",
    "position",
    "record",
    "reduce",
    "same",
    "sample",
    "scatter",
    "select",
    "selection",
    "semiring",
    "sort",
    "top",
    "trace",
    "transpose",
    "unary_op",
    "union",
    "unique",
    "update",
    "using",
    "vxm",
]

# Last, because algorithms are written against the names above.
from anypair import algorithms

if TYPE_CHECKING:
    from anypair import backends as backends
    from anypair import cli as cli
    from anypair import config as config
    from anypair import errors as errors
    from anypair import gap as gap
    from anypair import gas as gas
    from anypair import generators as generators
    from anypair import graph500 as graph500
    from anypair import io as io
    from anypair import launch as launch
    from anypair import report as report

# Imported on first use: `import anypair` imports NumPy and nothing else.
_MODULES = (
    "backends",
    "cli",
    "config",
    "errors",
    "gap",
    "gas",
    "generators",
    "graph500",
    "io",
    "launch",
    "report",
)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"anypair.{name}")
    raise AttributeError(f"module 'anypair' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
