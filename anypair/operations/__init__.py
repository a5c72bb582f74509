"""The operations: check arguments, agree on a backend, compute t, write t."""

from anypair.operations.assignment import assign
from anypair.operations.closures import closure
from anypair.operations.elementwise import apply, ewise_add, ewise_mult, same, select, update
from anypair.operations.products import kron, mxm, mxv, vxm
from anypair.operations.shaping import diag, extract, reduce, selection, transpose

__all__ = [
    "apply",
    "assign",
    "closure",
    "diag",
    "ewise_add",
    "ewise_mult",
    "extract",
    "kron",
    "mxm",
    "mxv",
    "reduce",
    "same",
    "select",
    "selection",
    "transpose",
    "update",
    "vxm",
]
