"""The generator of element-wise loops: from a tree of operations to the text of one kernel.

A kernel walks along one or more operands, its sequences, and looks the others up. What it does at a
place is the tree, written out as straight code: of each node whether there is an entry and which value
it has. No array is touched here; `elementwise.py` decides which loop it shall be, and runs it.

| kind     | walks along                                      | what may come of it                     |
| -------- | ------------------------------------------------ | --------------------------------------- |
| `flat`   | values of one structure, or all places           | `values`, `sum`                         |
| `words`  | the words of bitmaps, 64 places at a time        | `values` and words, `words`, `sum`      |
| `vector` | sorted lists, side by side                       | `count`, `fill`, `patch`, `sum`         |
| `matrix` | rows of sorted lists, side by side               | `count`, `fill`, `values`, `row_sums`   |

(`indices` is `fill` without values.)

Sums of floats have one order: values go to eight lanes by the lowest bits of their place, lanes are
added up at the end of a block of places, and blocks one after the other. So neither form nor fusion nor
the number of threads changes a bit. (Entries of a matrix are numbered in the order of rows.)
"""

from functools import lru_cache, reduce
from types import ModuleType
from typing import Any, Literal, NamedTuple, TypeAlias

from anypair.backends.jit.kernels import HEADER, template_text, with_parts
from anypair.backends.jit.tree_shapes import (
    Shape,
    excluded_by,
    filters,
    has_union,
    is_safe,
    present_by,
    required,
)
from anypair.compiling.modules import load_source
from anypair.compiling.prelude import Prelude, sum_prelude
from anypair.dtypes import DType
from anypair.semiring import TypedMonoid, TypedNary, TypedUnary

#: How a kernel gets at an operand: walks along it; finds it where the first sequence is; looks for it in
#: a sorted list; tests a bit; takes it from a full vector; or takes it for empty, to be patched later.
Access: TypeAlias = Literal["sequence", "same", "search", "bits", "full", "never"]
Kind: TypeAlias = Literal["flat", "words", "vector", "matrix"]
Sink: TypeAlias = Literal["values", "words", "count", "indices", "fill", "patch", "sum", "row_sums"]
OF_STRUCTURE = ("words", "count", "indices")  # sinks for which values matter only where they filter

CONSTANTS = """from anypair.compiling.binary_search import lower_bound
from anypair.compiling.bits import count_ones, trailing_zeros

ZERO, ONE, SIX, LOW, ALL = (np.uint64(x) for x in (0, 1, 6, 63, 2**64 - 1))
FAR = ALL
"""


class Operand(NamedTuple):
    """How a kernel gets at one operand, whether it reads values, and whether one stands for all."""

    access: Access
    reads: bool = True
    one: bool = False


class Loop(NamedTuple):
    """All that the text of a kernel depends on, besides the dtypes of arrays."""

    shape: Any
    operands: tuple[Operand, ...]
    kind: Kind
    sink: Sink
    monoid: TypedMonoid | None = None
    #: Of a flat loop: whether places come from lists, of rows and of columns.
    listed: int = 0


@lru_cache(maxsize=1024)
def loop_kernels(loop: Loop) -> ModuleType:
    """The module of a loop: its kernel is `run`, and `sum_of_blocks` adds up what it sums."""
    writer = Writer(loop)
    prelude = writer.prelude
    source = f"{HEADER}{prelude.text}\n{writer.text()}"
    name = f"{loop.kind}_{loop.sink}"
    return load_source(
        name, with_parts(source), prelude.injected,
        operators=prelude.operators, interpreted=prelude.is_ours,
    )  # fmt: skip


class Writer:
    """Writes the text of one loop."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.prelude = Prelude() if loop.monoid is None else sum_prelude(loop.monoid)
        self.safe = is_safe(loop.shape)
        self.names: dict[int, str] = {}
        self.scalars: list[str] = []
        self.lines: list[str] = []
        self.variables = 0
        self._define(loop.shape)

    # What stands before the kernel

    def _define(self, shape: Shape) -> None:
        """Define the operators of a shape, and number the scalars that are bound."""
        if isinstance(shape, int):
            return
        operation, operands, given = shape
        for x in operands:
            self._define(x)
        if given is None or operation == "cast":
            return
        name = self.names[id(shape)] = f"step{len(self.names)}"
        if isinstance(given, TypedUnary):
            self.prelude.unary(name, given)
        elif isinstance(given, TypedNary):
            self.prelude.nary(name, given)
        else:
            self.prelude.binary(name, given)
        if operation.endswith(("_left", "_right")):
            self.scalars.append(name)

    # The tree at one place

    def emit(self, shape: Shape, site: "Site", depth: int) -> tuple[str, str]:
        """Write what has to be known of a node; returns whether there is an entry, and its value."""
        if isinstance(shape, int):
            return site.has[shape], site.value[shape]
        operation, operands, given = shape
        if operation in ("inside", "outside"):
            has, value = self.emit(operands[0], site, depth)
            mask = site.has[operands[1]]
            return _both(has, mask if operation == "inside" else _not(mask)), value
        inner = [self.emit(x, site, depth) for x in operands]
        if operation in ("ewise_add", "ewise_mult"):
            return self._pair(shape, inner, depth)
        if operation == "ewise_all":
            everywhere = reduce(_both, (has for has, _ in inner))
            if given is None or everywhere == "False":
                return everywhere, inner[0][1]
            call = f"{self.names[id(shape)]}({', '.join(value for _, value in inner)})"
            return everywhere, self._guarded(everywhere, call, given.result, depth)
        ((has, value),) = inner
        if has == "False":
            return has, value
        if operation == "cast":
            return has, f"casting.to_{given}({value})"
        name = self.names[id(shape)]
        if operation.endswith("_left"):
            call = f"{name}({name}_bound, {value})"
        elif operation.endswith("_at_right"):
            call = f"{name}({value}, {site.i}, {site.j}, {name}_bound)"
        elif operation.endswith("_right"):
            call = f"{name}({value}, {name}_bound)"
        else:
            call = f"{name}({value}, {site.i}, {site.j})"
        result = self._guarded(has, call, given.result, depth)
        return (_both(has, result), value) if operation.startswith("select") else (has, result)

    def _pair(self, shape: Any, inner: list[tuple[str, str]], depth: int) -> tuple[str, str]:
        operation, _, op = shape
        (x_has, x), (y_has, y) = inner
        both = _both(x_has, y_has)
        if operation == "ewise_mult":
            if op is None or both == "False":
                return both, x
            call = f"{self.names[id(shape)]}({x}, {y})"
            return both, self._guarded(both, call, op.result, depth)
        either = _either(x_has, y_has)
        if op is None:
            return either, x
        x, y = (f"casting.to_{op.result}({value})" for value in (x, y))
        if both == "False":
            return either, y if x_has == "False" else x
        call = f"{self.names[id(shape)]}({inner[0][1]}, {inner[1][1]})"
        if both == "True":
            return either, self._guarded("True", call, op.result, depth)
        alone = x if x_has == "True" else y if y_has == "True" else f"({x} if {x_has} else {y})"
        name = self._variable()
        if self.safe:
            together = self._guarded("True", call, op.result, depth)
            self.add(depth, f"{name} = {together} if {both} else {alone}")
            return either, name
        self.add(depth, f"if {both}:")
        self.add(depth + 1, f"{name} = {call}")
        if either != "True":
            self.add(depth, f"elif {either}:")
            self.add(depth + 1, f"{name} = {alone}")
            alone = f"casting.to_{op.result}(0)"
        self.add(depth, "else:")
        self.add(depth + 1, f"{name} = {alone}")
        return either, name

    def _guarded(self, has: str, call: str, result: DType, depth: int) -> str:
        """A variable with what a call gives, if there is an entry or operators take anything."""
        name = self._variable()
        if has == "True" or self.safe:
            self.add(depth, f"{name} = {call}")
        else:
            self.add(depth, f"{name} = casting.to_{result}(0)")
            self.add(depth, f"if {has}:")
            self.add(depth + 1, f"{name} = {call}")
        return name

    def _variable(self) -> str:
        self.variables += 1
        return f"n{self.variables}"

    def add(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    # The kernels

    def text(self) -> str:
        """The whole text after the prelude."""
        loop = self.loop
        getattr(self, f"_{loop.kind}")()
        lanes = template_text("lanes") if loop.sink == "sum" else ""
        return f"{CONSTANTS}{lanes}\n\n@kernel\n" + "\n".join(self.lines) + "\n"

    def _arguments(self) -> list[str]:
        """The arrays of each operand, then the numbers that are bound."""
        found = []
        rows = self.loop.kind == "matrix"
        for k, (access, reads, _) in enumerate(self.loop.operands):
            if access in ("sequence", "search"):
                found += [f"starts{k}"] if rows else [f"begin{k}", f"end{k}"]
                found.append(f"indices{k}")
            elif access == "bits":
                found.append(f"words{k}")
            if reads and access != "never":
                found.append(f"values{k}")
        return found + [f"{name}_scalar" for name in self.scalars]

    def _head(self, *arguments: str) -> None:
        self.add(0, f"def run({', '.join(arguments)}):")
        for k, (access, reads, one) in enumerate(self.loop.operands):
            if reads and one and access != "never":
                self.add(1, f"one{k} = values{k}[0]")
        for name in self.scalars:
            self.add(1, f"{name}_bound = {name}_scalar[0]")
        if (monoid := self.loop.monoid) is not None and self.loop.sink == "sum":
            self.add(1, f"lanes = np.empty(8, np.{_array_dtype(monoid.domain)})")

    def _value(self, k: int, at: str) -> str:
        return f"one{k}" if self.loop.operands[k].one else f"values{k}[{at}]"

    def _flat(self) -> None:
        loop = self.loop
        count = len(loop.operands)
        place = "rows[p]" if loop.listed else "p"
        site = Site(
            ["True"] * count,
            [self._value(k, "p") for k in range(count)],
            place,
            "columns[p]" if loop.listed > 1 else "0",
        )
        lists = ["rows", "columns"][: loop.listed]
        if loop.sink == "values":
            self._head("header", "begin", "end", *lists, *self._arguments(), "out")
            self.add(1, "for _part, low, high in parts(header, begin, end):")
            self.add(2, "for p in range(np.uint64(low), np.uint64(high)):")
            _, value = self.emit(loop.shape, site, 3)
            self.add(3, f"out[p] = {value}")
            return
        self._head(
            "header", "begin", "end", "size", "block", *lists, *self._arguments(), "sums", "filled"
        )
        as_they_are = isinstance(loop.shape, int) and not loop.operands[0].one
        if not as_they_are:
            self._terms(512)
        self.add(1, "for _part, low, high in parts(header, begin, end):")
        self.add(2, "for number in range(np.uint64(low), np.uint64(high)):")
        self.add(3, "has = ZERO")
        self.add(3, "first = number * np.uint64(block)")
        self.add(3, "last = min(first + np.uint64(block), np.uint64(size))")
        self.add(3, "while first < last:")
        self.add(4, "stop = min(first + AT_ONCE, last)")
        if as_they_are:
            self.add(4, "has = add_terms(values0, first, stop - first, lanes, has)")
        else:
            self.add(4, "for p in range(first, stop):")
            _, value = self.emit(loop.shape, site, 5)
            self.add(5, f"terms[p - first] = as_term({value})")
            self.add(4, "has = add_terms(terms, ZERO, stop - first, lanes, has)")
        self.add(4, "if is_settled(lanes, has):")
        self.add(5, "break")
        self.add(4, "first = stop")
        self.add(3, "sums[number] = sum_of_lanes(lanes, has)")
        self.add(3, "filled[number] = True")

    def _terms(self, count: int) -> None:
        assert self.loop.monoid is not None
        self.add(1, f"terms = np.empty({count}, np.{_array_dtype(self.loop.monoid.domain)})")

    def _words(self) -> None:
        loop, sums = self.loop, self.loop.sink == "sum"
        filtered = filters(loop.shape)
        sink = {"values": ["out_words", "out"], "words": ["out_words"], "sum": ["sums", "filled"]}
        block = ["block"] if sums else []
        self._head("header", "begin", "end", "size", *block, *self._arguments(), *sink[loop.sink])
        if sums:
            self._terms(64)
        self.add(1, "count = ZERO")
        self.add(1, "for _part, low, high in parts(header, begin, end):")
        depth = 2
        if sums:
            self.add(2, "for number in range(np.uint64(low), np.uint64(high)):")
            self.add(3, "has = ZERO")
            self.add(3, "after = min((number + ONE) * np.uint64(block), np.uint64(size + 63) >> SIX)")
            self.add(3, "for word in range(number * np.uint64(block), after):")
            depth = 4
        else:
            self.add(2, "for word in range(np.uint64(low), np.uint64(high)):")
            depth = 3
        self.add(depth, "base = word << SIX")
        self.add(depth, "room = np.uint64(size) - base")
        for k, operand in enumerate(loop.operands):
            if operand.access == "bits":
                self.add(depth, f"word{k} = words{k}[word]")
        formula = self._formula(loop.shape)
        self.add(depth, f"todo = {formula}")
        self.add(depth, "if room < np.uint64(64):")
        self.add(depth + 1, "todo &= (ONE << room) - ONE")
        self.add(depth, "found = " + ("ZERO" if filtered else "todo"))
        if loop.sink != "words" or filtered:
            self._places_of_word(depth, filtered)
        if sums:
            self.add(depth, "if is_settled(lanes, has):")
            self.add(depth + 1, "break")
            self.add(3, "if has:")
            self.add(4, "sums[number] = sum_of_lanes(lanes, has)")
            self.add(3, "filled[number] = has != ZERO")
        else:
            self.add(depth, "out_words[word] = found")
            self.add(depth, "count += count_ones(found)")
        self.add(1, "return count")

    def _formula(self, shape: Shape) -> str:
        """The bits of a word at which there may be an entry."""
        if isinstance(shape, int):
            access = self.loop.operands[shape].access
            return f"word{shape}" if access == "bits" else "ZERO" if access == "never" else "ALL"
        operation, operands, _ = shape
        inner = [self._formula(x) for x in operands]
        if operation == "ewise_add":
            return f"({inner[0]} | {inner[1]})"
        if operation == "outside":
            return f"({inner[0]} & ~{inner[1]})"
        return f"({' & '.join(inner)})" if len(inner) > 1 else inner[0]

    def _places_of_word(self, depth: int, filtered: bool) -> None:
        """All 64 places at once where that is possible, else one bit after the other."""
        loop, sums = self.loop, self.loop.sink == "sum"
        operands = range(len(loop.operands))
        # What `todo` has where all 64 places are alike: all entries of some operands, and none of masks
        # outside of which entries stay.
        absent, present = excluded_by(loop.shape), present_by(loop.shape)
        bits = [k for k in operands if loop.operands[k].access == "bits"]
        has_none = {"bits": absent - present, "never": frozenset(operands)}
        there = [
            "False" if k in has_none.get(x.access, ()) else "True" for k, x in enumerate(loop.operands)
        ]
        # If the operators take anything, a tree may be computed also where nobody asks for it. Of a
        # union, a place where one operand is missing has another value: it is chosen without a branch.
        if self.safe and not sums:
            self.add(depth, "if room >= np.uint64(64) and count_ones(todo) > np.uint64(15):")
            for k in bits if has_union(loop.shape) else []:
                there[k] = f"(word{k} >> (place & LOW) & ONE != ZERO)"
        else:
            alike = "".join(f" & word{k}" for k in bits if k in present)
            alike += "".join(f" & ~word{k}" for k in bits if k in absent)
            self.add(depth, f"if todo{alike} == ALL:")
        everywhere = Site(
            there,
            [self._value(k, "place") for k in operands],
            "place",
            "0",
        )
        self.add(depth + 1, "for place in range(base, base + np.uint64(64)):")
        has, value = self.emit(loop.shape, everywhere, depth + 2)
        if filtered:
            self.add(depth + 2, f"found |= np.uint64({has}) << (place & LOW)")
        if sums:
            self.add(depth + 2, f"terms[place & LOW] = as_term({value})")
            self.add(depth + 1, "if found == ALL:" if filtered else "if True:")
            self.add(depth + 2, "has = add_terms(terms, ZERO, np.uint64(64), lanes, has)")
            if filtered:
                self.add(depth + 1, "else:")
                self.add(depth + 2, "rest = found")
                self.add(depth + 2, "while rest:")
                self.add(depth + 3, "place = base | trailing_zeros(rest)")
                self.add(depth + 3, "rest &= rest - ONE")
                self.add(depth + 3, "has = add_term(lanes, has, place, terms[place & LOW])")
        elif loop.sink == "values":
            self.add(depth + 2, f"out[place] = {value}")
        if filtered:
            self.add(depth + 1, "found &= todo")
        self.add(depth, "else:")
        self.add(depth + 1, "rest = todo")
        self.add(depth + 1, "while rest:")
        self.add(depth + 2, "bit = trailing_zeros(rest)")
        self.add(depth + 2, "rest &= rest - ONE")
        self.add(depth + 2, "place = base | bit")
        has_bit = {"bits": "(word{k} >> bit & ONE != ZERO)", "never": "False"}
        one_by_one = Site(
            [has_bit.get(loop.operands[k].access, "True").format(k=k) for k in operands],
            everywhere.value,
            "place",
            "0",
        )
        has, value = self.emit(loop.shape, one_by_one, depth + 2)
        inner = depth + 2
        if filtered:
            self.add(inner, f"if {has}:")
            inner += 1
            self.add(inner, "found |= ONE << bit")
        if sums:
            self.add(inner, f"has = add_term(lanes, has, place, as_term({value}))")
        elif loop.sink == "values":
            self.add(inner, f"out[place] = {value}")
        elif not filtered:
            self.add(inner, "pass")

    def _vector(self) -> None:
        sink = self.loop.sink
        outputs = {
            "count": [],
            "indices": ["at", "stop", "out_indices"],
            "fill": ["at", "stop", "out_indices", "out"],
            "patch": ["out_words", "out"],
            "sum": ["block", "sums"],
        }[sink]
        self._head(*self._arguments(), *outputs)
        if sink in ("fill", "indices"):
            self.add(1, "here, last = np.uint64(at), np.uint64(stop)")
        elif sink == "sum":
            self.add(1, "has, limit, some = ZERO, ZERO, False")
        else:
            self.add(1, "count = 0" if sink == "patch" else "count = ZERO")
        for k, (access, _, _) in enumerate(self.loop.operands):
            if access in ("sequence", "search"):
                self.add(1, f"p{k}, e{k} = np.uint64(begin{k}), np.uint64(end{k})")
        self._along(1, "place", "0")
        if sink == "sum":
            self._end_block(1)
            self.add(1, "return some")
        else:
            self.add(1, "return here" if sink in ("fill", "indices") else "return count")

    def _end_block(self, depth: int) -> None:
        self.add(depth, "if has:")
        self.add(depth + 1, "total = sum_of_lanes(lanes, has)")
        self.add(depth + 1, "sums[0] = add(sums[0], total) if some else total")
        self.add(depth + 1, "some, has = True, ZERO")

    def _matrix(self) -> None:
        sink = self.loop.sink
        outputs = {
            "count": ["counts"],
            "indices": ["starts", "out_indices"],
            "fill": ["starts", "out_indices", "out"],
            "values": ["out"],
            "row_sums": ["out"],
        }[sink]
        self._head("header", "begin", "end", *self._arguments(), *outputs)
        self.add(1, "for _part, low, high in parts(header, begin, end):")
        self.add(2, "for row in range(np.uint64(low), np.uint64(high)):")
        for k, (access, _, _) in enumerate(self.loop.operands):
            if access in ("sequence", "search"):
                both = f"np.uint64(starts{k}[row]), np.uint64(starts{k}[row + ONE])"
                self.add(3, f"p{k}, e{k} = {both}")
        if sink in ("fill", "indices"):
            self.add(3, "here, last = np.uint64(starts[row]), np.uint64(starts[row + ONE])")
        elif sink == "count":
            self.add(3, "count = ZERO")
        elif sink == "row_sums":
            self.add(3, f"total = as_term({self._value(0, 'p0')})")
            self.add(3, "p0 += ONE")
        self._along(3, "row", "place")
        if sink == "count":
            self.add(3, "counts[row] = count")
        elif sink == "row_sums":
            self.add(3, "out[row] = total")

    def _along(self, depth: int, i: str, j: str) -> None:
        """Walk along the sequences, side by side, each from p to e."""
        operands = self.loop.operands
        walked = [k for k, operand in enumerate(operands) if operand.access == "sequence"]
        if len(walked) == 1:
            (k,) = walked
            self.add(depth, f"for p in range(p{k}, e{k}):")
            if self.loop.sink == "row_sums":
                self.add(depth + 1, "if STOPS and total == TERMINAL:")
                self.add(depth + 2, "break")
            else:
                self.add(depth + 1, f"place = np.uint64(indices{k}[p])")
            self._at_place(depth + 1, i, j, {k: ("True", "p")})
            return
        needed = sorted(required(self.loop.shape) & {*walked})
        if needed or len(walked) > 2:
            self._merge(depth, i, j, walked, needed)
            return
        # Two lists of which one may end before the other: side by side, then what is left of each.
        self._merge(depth, i, j, walked, walked)
        for k, other in (walked, reversed(walked)):
            self.add(depth, f"while p{k} < e{k}:")
            self.add(depth + 1, f"place = np.uint64(indices{k}[p{k}])")
            self._at_place(depth + 1, i, j, {k: ("True", f"p{k}"), other: ("False", "ZERO")})
            self.add(depth + 1, f"p{k} += ONE")

    def _merge(self, depth: int, i: str, j: str, walked: list[int], needed: list[int]) -> None:
        """Go to the next place of several sequences, until one that is needed ends, or all do."""
        test = " and " if needed else " or "
        self.add(depth, f"while {test.join(f'p{k} < e{k}' for k in needed or walked)}:")
        at = {}
        for k in walked:
            end = "" if k in needed else f" if p{k} < e{k} else FAR"
            self.add(depth + 1, f"head{k} = np.uint64(indices{k}[p{k}]){end}")
            # Where it has ended, its first value is as good as any.
            at[k] = f"at{k}", f"p{k}" if k in needed else f"p{k} if p{k} < e{k} else ZERO"
        self.add(depth + 1, f"place = min({', '.join(f'head{k}' for k in walked)})")
        for k in walked:
            self.add(depth + 1, f"at{k} = head{k} == place")
        self._at_place(depth + 1, i, j, at)
        for k in walked:
            self.add(depth + 1, f"p{k} += np.uint64(at{k})")

    def _at_place(self, depth: int, i: str, j: str, at: dict[int, tuple[str, str]]) -> None:
        """Do what there is to do at a place; of each sequence whether it is there, and where it is."""
        count = len(self.loop.operands)
        has, value = ["True"] * count, [""] * count
        for k, (is_there, where) in at.items():
            has[k], value[k] = is_there, self._value(k, where)
        self._look_up(depth, *at[min(at)], has, value)
        if self.loop.sink in ("fill", "indices"):
            self.add(depth, "if here == last:")  # beyond lies what another thread writes
            self.add(depth + 1, "break")
        found = self.emit(self.loop.shape, Site(has, value, i, j), depth)
        self._sink(depth, *found)

    def _look_up(self, depth: int, is_there: str, where: str, has: list[str], value: list[str]) -> None:
        """Find the operands that are not walked along; that of the same structure as the first sequence
        is where that is.
        """
        for k, operand in enumerate(self.loop.operands):
            access = operand.access
            if access == "same":
                has[k], value[k] = is_there, self._value(k, where)
            elif access == "search":
                within = f"np.int64(place), indices{k}, np.int64(p{k}), np.int64(e{k})"
                self.add(depth, f"q{k} = np.uint64(lower_bound({within}))")
                self.add(depth, f"at{k} = q{k} < e{k} and np.uint64(indices{k}[q{k}]) == place")
                has[k], value[k] = f"at{k}", self._value(k, f"q{k} if at{k} else ZERO")
            elif access == "bits":
                self.add(depth, f"at{k} = words{k}[place >> SIX] >> (place & LOW) & ONE != ZERO")
                has[k], value[k] = f"at{k}", self._value(k, "place")
            elif access == "full":
                value[k] = self._value(k, "place")
            elif access == "never":
                has[k] = "False"

    def _sink(self, depth: int, has: str, value: str) -> None:
        """What becomes of a place."""
        sink = self.loop.sink
        if has == "False" and sink != "patch":
            self.add(depth, "pass")
        elif sink == "count":
            self.add(depth, f"count += np.uint64({has})")
        elif sink == "values":
            self.add(depth, f"out[p] = {value}")
        elif sink == "row_sums":
            self.add(depth, f"total = add(total, as_term({value}))")
        elif sink == "indices" or (sink == "fill" and (self.safe or has == "True")):
            # Always written, and the next one over it if it is not there: no branch for each.
            self.add(depth, "out_indices[here] = place")
            if sink == "fill":
                self.add(depth, f"out[here] = {value}")
            self.add(depth, f"here += np.uint64({has})")
        else:
            if has != "True" and sink != "patch":
                self.add(depth, f"if {has}:")
                depth += 1
            if sink == "fill":
                self.add(depth, "out_indices[here] = place")
                self.add(depth, f"out[here] = {value}")
                self.add(depth, "here += ONE")
            elif sink == "sum":
                self.add(depth, "if place >= limit:")
                self._end_block(depth + 1)
                self.add(depth + 1, "limit = (place // np.uint64(block) + ONE) * np.uint64(block)")
                self.add(depth, f"has = add_term(lanes, has, place, as_term({value}))")
            else:
                self._patch(depth, has, value)

    def _patch(self, depth: int, has: str, value: str) -> None:
        """Write a place of a bitmap; `count` is how many entries it has more."""
        self.add(depth, "mark = ONE << (place & LOW)")
        self.add(depth, "old = out_words[place >> SIX]")
        if has != "False":
            self.add(depth, f"if {has}:")
            self.add(depth + 1, "count += (old & mark) == ZERO")
            self.add(depth + 1, "out_words[place >> SIX] = old | mark")
            self.add(depth + 1, f"out[place] = {value}")
        if has != "True":
            self.add(depth, "if old & mark:" if has == "False" else "elif old & mark:")
            self.add(depth + 1, "count -= 1")
            self.add(depth + 1, "out_words[place >> SIX] = old ^ mark")


class Site(NamedTuple):
    """How a kernel sees a place: of each operand whether it has an entry and which, and the indices."""

    has: list[str]
    value: list[str]
    i: str
    j: str


def _array_dtype(dtype: DType) -> str:
    return "bool_" if dtype.kind == "b" else str(dtype)


def _both(x: str, y: str) -> str:
    if "False" in (x, y):
        return "False"
    return y if x == "True" else x if y == "True" or x == y else f"({x} & {y})"


def _either(x: str, y: str) -> str:
    if "True" in (x, y):
        return "True"
    return y if x == "False" else x if y == "False" or x == y else f"({x} | {y})"


def _not(x: str) -> str:
    return {"True": "False", "False": "True"}.get(x, f"(not {x})")
