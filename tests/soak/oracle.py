"""What `reference` makes of a program, and how closely others have to agree with it.

Integers, booleans, structures and single operations on floats have one answer, bit by bit. Two things
depend on order: a sum of floats that has to round, and the sign of a zero that a sum or an extremum
gives. What has been rounded is compared within the bound of any order of summation, and no later
step may read it: a comparison or a cast could make a large difference of a small one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from anypair import Matrix, Monoid, Vector
from anypair.backends.registry import load
from anypair.dtypes import Array, DType
from tests.soak.operators import is_users, operator
from tests.soak.programs import Objects, Program, Step, build, names_read, perform

#: Sums and products of numbers with so few bits are exact, in any order: (least step, greatest number).
FEW_BITS = {"float32": (2.0**-2, 2.0**6), "float64": (2.0**-8, 2.0**12)}
PRODUCTS = ("mxv", "vxm", "mxm")
DIVIDING = ("divide", "reciprocal")
ORDERING = ("min", "max", "least", "beyond")
TRANSCENDENTAL = ("power", "logaddexp")  # of exp and log, of which machines have more than one


class NotComparable(Exception):
    """The step's result may differ between backends by more than can be said beforehand."""


@dataclass(frozen=True)
class Facts:
    """What is known about one object besides its entries."""

    slack: float | None = None  # None: exact; else how far a value may be off
    loose_zeros: bool = False  # whether the sign of a zero means nothing

    def joined(self, other: "Facts") -> "Facts":
        slacks = [s for s in (self.slack, other.slack) if s is not None]
        return Facts(max(slacks) if slacks else None, self.loose_zeros or other.loose_zeros)


class Oracle:
    """A program on `reference`, step by step."""

    def __init__(self, objects: dict[str, Any]) -> None:
        self.objects: Objects = {}
        self.facts: dict[str, Facts] = {}
        for name, data in objects.items():
            self.add(name, data)

    def add(self, name: str, data: dict[str, Any]) -> None:
        """One more object to begin with."""
        self.objects[name] = build(data, load("reference"))
        self.facts[name] = Facts()

    def do(self, step: Step) -> None:
        """One step more; if its result cannot be compared, nothing happens but an exception."""
        facts = self._facts_after(step)
        perform(step, self.objects)
        result = self.objects.get(step["result"])
        if isinstance(result, Matrix | Vector) and result.dtype.kind == "f" and _is_transcendental(step):
            few_units = 8 * largest(result) * float(np.finfo(result.dtype).eps)
            facts = facts.joined(Facts(slack=few_units))
        for name, x in self.objects.items():
            if x is result:  # the transpose of a symmetric matrix is itself
                self.facts[name] = facts

    def _facts_after(self, step: Step) -> Facts:
        read = [name for name in names_read(step) if name != step.get("mask")]
        handles = [self.objects.get(name) for name in read]
        if not all(isinstance(x, Matrix | Vector) for x in handles):
            return Facts()
        facts = Facts()
        for name in read:
            facts = facts.joined(self.facts[name])
        replaced = step.get("accum") is None and step.get("mask") is None and step["call"] != "assign"
        for name in step["arguments"]:
            if self.facts[name].slack is not None and step["call"] not in ("copy", "T"):
                raise NotComparable("reads what has been rounded")
        if step.get("out") is not None and self.facts[step["out"]].slack is not None and not replaced:
            raise NotComparable("writes into what has been rounded")
        used = [_name(operator(step[key])) for key in ("op", "accum") if step.get(key)]
        if "/" in step.get("text", ""):
            used.append("divide")
        if facts.loose_zeros and any(name in DIVIDING for name in used):
            raise NotComparable("divides by a zero without a sign")
        if any(name in ORDERING for name in used):
            facts = facts.joined(Facts(loose_zeros=True))
        if step["call"] in (*PRODUCTS, "reduce"):
            facts = facts.joined(self._facts_of_sum(step))
        return facts

    def _facts_of_sum(self, step: Step) -> Facts:
        """What summing does to floats; nothing to others."""
        operands = [self.objects[name] for name in step["arguments"]]
        op = operator(step["op"])
        if isinstance(op, Monoid):
            monoid, domain, terms = op, op.typed(operands[0].dtype).domain, operands[0].nvals
            magnitude = largest(operands[0])
            multiply = "first"
        else:
            if step["call"] == "vxm":
                operands.reverse()
            typed = op.typed(operands[0].dtype, operands[1].dtype)
            monoid, domain, terms = op.add, typed.result, operands[0].shape[1] or 1
            if step["call"] == "vxm":
                terms = operands[0].shape[0] or 1
            multiply = "users" if is_users(step["op"].get("multiply")) else _name(op.multiply)
            magnitude = _magnitude(multiply, *map(largest, operands))
        if domain.kind != "f":
            return Facts()
        if _name(monoid) in ("min", "max"):
            return Facts(loose_zeros=True)
        if _name(monoid) not in ("plus", "total"):
            raise NotComparable(f"sums floats with {_name(monoid)}")
        if all(has_few_bits(x, domain) for x in operands):
            return Facts(loose_zeros=True)
        if any(has_infinities(x) for x in operands) or multiply == "users":
            raise NotComparable("sums large floats and infinities")
        bound = 2.0 * (terms + 1) ** 2 * magnitude
        if not bound < float(np.finfo(domain).max) / 4:
            raise NotComparable("a sum may overflow")
        return Facts(slack=bound * float(np.finfo(domain).eps), loose_zeros=True)


def _is_transcendental(step: Step) -> bool:
    ops = (operator(step[key]) for key in ("op", "accum") if step.get(key))
    parts = (part for op in ops for part in (op, getattr(op, "multiply", op), getattr(op, "add", op)))
    return any(_name(part) in TRANSCENDENTAL for part in parts)


def _name(op: Any) -> str:
    return str(op.name)


def has_few_bits(x: Matrix | Vector, domain: DType) -> bool:
    """Whether products of its values, and sums of some of those, are exact."""
    if x.dtype.kind == "b":
        return True
    step, greatest = FEW_BITS[str(domain)]
    values = x.to_entries()[-1].astype(np.float64)
    values = values[np.isfinite(values)]
    return bool(np.all(np.abs(values) <= greatest) and np.all(values % step == 0))


def has_infinities(x: Matrix | Vector) -> bool:
    return x.dtype.kind == "f" and not np.isfinite(x.to_entries()[-1]).all()


def largest(x: Matrix | Vector) -> float:
    """The greatest magnitude among the finite values."""
    values = np.abs(x.to_entries()[-1].astype(np.float64))
    return float(values[np.isfinite(values)].max(initial=1.0))


def _magnitude(multiply: str, edge: float, value: float) -> float:
    if multiply == "times":
        return edge * value
    return edge + value if multiply in ("plus", "minus") else max(edge, value, 1e6)


def expected(program: Program) -> tuple[Objects, dict[str, Facts]]:
    """What the program gives on `reference`, and how closely; raises `NotComparable`."""
    oracle = Oracle(program["objects"])
    for step in program["steps"]:
        oracle.do(step)
    return oracle.objects, oracle.facts


@dataclass(frozen=True)
class Entries:
    """A handle as it was, on the host: ranks look at their handles together and compare alone."""

    kind: str
    shape: tuple[int, ...]
    dtype: DType
    nvals: int
    places: list[Array]
    values: Array

    def __repr__(self) -> str:
        return f"{self.kind} {self.shape} {self.dtype} with {self.nvals} entries"


def looked_at(objects: Objects) -> Objects:
    """All objects, with the entries of handles."""
    found: Objects = {}
    for name, x in objects.items():
        if isinstance(x, Matrix | Vector):
            *places, values = x.to_entries()
            x = Entries(x.kind, x.shape, x.dtype, x.nvals, places, values)
        found[name] = x
    return found


def difference(found: Objects, truth: Objects, facts: dict[str, Facts]) -> str:
    """The first object in which two runs differ, in words; nothing if they agree."""
    found, truth = looked_at(found), looked_at(truth)
    for name in sorted(set(found) | set(truth)):
        if name not in found or name not in truth:
            there, here = truth.get(name, "nothing"), found.get(name, "nothing")
            return f"{name}: found {here!r}, expected {there!r}"
        problem = _difference(found[name], truth[name], facts.get(name, Facts()))
        if problem:
            return f"{name}: {problem}"
    return ""


def _difference(found: Any, truth: Any, facts: Facts) -> str:
    if type(found) is not type(truth):
        return f"found {found!r}, expected {truth!r}"
    if not isinstance(truth, Entries):
        if isinstance(truth, float):
            wrong = _wrong(np.array([found]), np.array([truth]), facts)
            return f"found {found!r}, expected {truth!r}" if wrong.any() else ""
        return "" if found == truth else f"found {found!r}, expected {truth!r}"
    if (found.kind, found.shape, found.dtype) != (truth.kind, truth.shape, truth.dtype):
        return f"found {found!r}, expected {truth!r}"
    if found.nvals != truth.nvals or len(found.values) != found.nvals:
        return f"found {found.nvals} entries ({len(found.values)} listed), expected {truth.nvals}"
    if not all(map(np.array_equal, found.places, truth.places)):
        return f"found entries at {_listed(found.places)}, expected {_listed(truth.places)}"
    wrong = _wrong(found.values, truth.values, facts)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        place = tuple(int(axis[at]) for axis in found.places)
        return f"found {found.values[at]!r} at {place}, expected {truth.values[at]!r}"
    return ""


def _listed(places: list[Array]) -> str:
    return str(list(zip(*(axis.tolist() for axis in places), strict=True)))


def _wrong(found: Array, truth: Array, facts: Facts) -> Array:
    """Where two arrays differ by more than the facts allow; NaN is NaN."""
    if truth.dtype.kind != "f":
        return found != truth
    same = (found == truth) | (np.isnan(found) & np.isnan(truth))
    if facts.slack is not None:
        with np.errstate(invalid="ignore"):
            return ~(same | (np.abs(found.astype(np.float64) - truth) <= facts.slack))
    if facts.loose_zeros:
        return ~same
    signs = (np.signbit(found) == np.signbit(truth)) | np.isnan(truth)
    return ~(same & signs)
