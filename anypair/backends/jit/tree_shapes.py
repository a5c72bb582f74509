"""The shape of a tree: what can be said of element-wise work before anybody looks at its operands."""

from typing import Any, TypeAlias

from anypair.backends.tree import Step
from anypair.dtypes import DType
from anypair.semiring import BoundIndexOp, BoundOp

#: A tree without storages: the number of an operand, or an operation, its operands, and its operator.
#: A number that is bound is no part of it, nor is which mask restricts it.
Shape: TypeAlias = "int | tuple[str, tuple[Any, ...], Any]"


def flattened(tree: Any) -> tuple[Shape, list[Any], list[Any], list[bool]]:
    """A tree as its shape, its storages, the operators with a number bound, and which storages have
    their values read: of a mask nobody reads them.
    """
    if type(tree) is Step and len(tree.operands) < 3 and Step not in map(type, tree.operands):
        return _flattened_step(*tree)  # most trees are one operation, and this is a hot path
    leaves: list[Any] = []
    bound: list[BoundOp | BoundIndexOp] = []
    reads: list[bool] = []

    def leaf(x: Any, is_read: bool) -> int:
        for number, known in enumerate(leaves):
            if known is x:
                reads[number] |= is_read
                return number
        leaves.append(x)
        reads.append(is_read)
        return len(leaves) - 1

    def walk(x: Any) -> Shape:
        if not isinstance(x, Step):
            return leaf(x, True)
        operation, operands, given = x
        inner = tuple(map(walk, operands))
        if operation == "restrict":
            mask = leaf(given.storage, False)
            return ("outside" if given.complemented else "inside", (*inner, mask), None)
        if isinstance(given, BoundOp):
            bound.append(given)
            return (_WITH_NUMBER[operation, given.scalar_is_left], inner, given.binary)
        if isinstance(given, BoundIndexOp):
            bound.append(given)
            return (f"{operation}_at_right", inner, given.unbound)
        return (operation, inner, given)

    return walk(tree), leaves, bound, reads


_WITH_NUMBER = {
    ("apply", True): "apply_left",
    ("apply", False): "apply_right",
    ("select", True): "select_left",
    ("select", False): "select_right",
}


def _flattened_step(
    operation: str, operands: tuple[Any, ...], given: Any
) -> tuple[Shape, list[Any], list[Any], list[bool]]:
    """As `flattened`, of one operation on storages."""
    x = operands[0]
    if operation == "restrict":
        name, mask = "outside" if given.complemented else "inside", given.storage
        if mask is x:
            return (name, (0, 0), None), [x], [], [True]
        return (name, (0, 1), None), [x, mask], [], [True, False]
    if isinstance(given, BoundOp):
        name = _WITH_NUMBER[operation, given.scalar_is_left]
        return (name, (0,), given.binary), [x], [given], [True]
    if isinstance(given, BoundIndexOp):
        return (f"{operation}_at_right", (0,), given.unbound), [x], [given], [True]
    if len(operands) == 1:
        return (operation, (0,), given), [x], [], [True]
    if x is operands[1]:
        return (operation, (0, 0), given), [x], [], [True]
    return (operation, (0, 1), given), [*operands], [], [True, True]


def operators_of(shape: Shape) -> list[Any]:
    """The typed operators of a shape, in the order in which it is walked through."""
    if isinstance(shape, int):
        return []
    operation, operands, given = shape
    inner = [op for x in operands for op in operators_of(x)]
    return inner if given is None or operation == "cast" else [*inner, given]


def sees_places(shape: Shape) -> bool:
    """Whether an operator asks where an entry stands."""
    return any(getattr(op.op, "indexed", False) for op in operators_of(shape))


def filters(shape: Shape) -> bool:
    """Whether entries go, depending on values."""
    if isinstance(shape, int):
        return False
    return shape[0].startswith("select") or any(map(filters, shape[1]))


def required(shape: Shape) -> frozenset[int]:
    """The operands without an entry of which there is none in the result."""
    if isinstance(shape, int):
        return frozenset((shape,))
    operation, operands, _ = shape
    if operation == "outside":
        return required(operands[0])
    inner = [required(x) for x in operands]
    return frozenset.intersection(*inner) if operation == "ewise_add" else frozenset().union(*inner)


def may_be(shape: Shape, absent: frozenset[int]) -> bool:
    """Whether there may be an entry where these operands have none."""
    if isinstance(shape, int):
        return shape not in absent
    operation, operands, _ = shape
    if operation == "outside":
        return may_be(operands[0], absent)
    inner = [may_be(x, absent) for x in operands]
    return any(inner) if operation == "ewise_add" else all(inner)


def is_safe(shape: Shape) -> bool:
    """Whether all operators may be called with anything, also for places without an entry."""
    return all(op.op.never_raises for op in operators_of(shape))


def structure_of(shape: Shape) -> Shape:
    """The tree as far as it decides where entries are."""
    if isinstance(shape, int):
        return shape
    operation, operands, _ = shape
    if operation.startswith("select"):
        return shape
    if operation in ("ewise_add", "ewise_mult", "ewise_all", "inside", "outside"):
        return (operation, tuple(map(structure_of, operands)), None)
    return structure_of(operands[0])


def values_read(shape: Shape) -> frozenset[int]:
    """The operands whose values a tree reads, structures cut down by `structure_of`."""
    if isinstance(shape, int):
        return frozenset()
    _, operands, given = shape
    if given is None:
        return frozenset().union(*map(values_read, operands))
    return _leaves(shape)


def _leaves(shape: Shape) -> frozenset[int]:
    if isinstance(shape, int):
        return frozenset((shape,))
    inner = shape[1][:1] if shape[0] in ("inside", "outside") else shape[1]
    return frozenset().union(*map(_leaves, inner))


def excludes(shape: Shape) -> bool:
    """Whether entries go where a mask has one."""
    return bool(excluded_by(shape))


def excluded_by(shape: Shape) -> frozenset[int]:
    """The operands that are masks outside of which entries stay."""
    if isinstance(shape, int):
        return frozenset()
    operation, operands, _ = shape
    inner = frozenset().union(*map(excluded_by, operands))
    return inner | {operands[1]} if operation == "outside" else inner


def present_by(shape: Shape) -> frozenset[int]:
    """The operands whose entries make for entries of the result: all but those of `excluded_by`, unless
    they are these as well.
    """
    if isinstance(shape, int):
        return frozenset((shape,))
    operation, operands, _ = shape
    return frozenset().union(*map(present_by, operands[:1] if operation == "outside" else operands))


def result_dtype(shape: Shape) -> DType | None:
    """The dtype of the result; None if it is that of the operand that is passed on."""
    if isinstance(shape, int):
        return None
    operation, operands, given = shape
    if passes_on(operation):
        return result_dtype(operands[0])
    dtype: DType = given if operation == "cast" else given.result
    return dtype


def passed_on(shape: Shape) -> int | None:
    """The operand whose values the result has, if they stay as they are."""
    if isinstance(shape, int):
        return shape
    return passed_on(shape[1][0]) if passes_on(shape[0]) else None


def passes_on(operation: str) -> bool:
    """Whether an operation leaves values as they are."""
    return operation.startswith("select") or operation in ("inside", "outside")


def bound_for_structure(shape: Shape) -> tuple[bool, ...]:
    """Of each number that is bound, in order, whether `structure_of` the tree still has it."""
    if isinstance(shape, int):
        return ()
    operation, operands, _ = shape
    inner = sum(map(bound_for_structure, operands), ())
    if operation.startswith("select"):
        inner = (True,) * len(inner)
    if operation.endswith(("_left", "_right")):
        inner += (operation.startswith("select"),)
    return inner


def has_union(shape: Shape) -> bool:
    """Whether there is a union in it."""
    if isinstance(shape, int):
        return False
    return shape[0] == "ewise_add" or any(map(has_union, shape[1]))
