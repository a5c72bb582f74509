"""The operations: check arguments, agree on a backend, compute t, write t."""

from anypair.operations.assignment import assign
from anypair.operations.closures import closure
from anypair.operations.elementwise import (
    apply,
    ewise_add,
    ewise_all,
    ewise_mult,
    same,
    select,
    union,
    update,
)
from anypair.operations.gathering import scatter
from anypair.operations.ordering import cumulate, head, order, sample, sort, top, unique
from anypair.operations.products import kron, mxm, mxv, vxm
from anypair.operations.shaping import diag, extract, reduce, selection, transpose

__all__ = [
    "apply",
    "assign",
    "closure",
    "cumulate",
    "diag",
    "ewise_add",
    "ewise_all",
    "ewise_mult",
    "extract",
    "head",
    "kron",
    "mxm",
    "mxv",
    "order",
    "reduce",
    "same",
    "sample",
    "scatter",
    "select",
    "selection",
    "sort",
    "top",
    "transpose",
    "union",
    "unique",
    "update",
    "vxm",
]
