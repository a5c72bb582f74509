"""Semirings over which a product may stop at the first term that it finds."""

from anypair.semiring.algebra import TypedSemiring
from anypair.semiring.catalogue import minimum, source


def first_term_decides(semiring: TypedSemiring) -> bool:
    """Whether the first term in the order of k is the sum: any value will do, or the smallest k.

    >>> from anypair.dtypes import BOOL, INT64
    >>> from anypair.semiring import min_source
    >>> first_term_decides(min_source.typed(BOOL, INT64))
    True
    >>> first_term_decides(min_source.returning("int8").typed(BOOL, INT64))  # 128 becomes -128
    False
    """
    add, multiply, result = semiring.add, semiring.multiply, semiring.result
    smallest_k = add.op.op.function is minimum.function and multiply.op.function is source.function
    keeps_order = result.itemsize == 8 or result.kind in "fb"
    return add.takes_any or (smallest_k and keeps_order)
