"""Drawing programs at random, from a small pool of operators and dtypes: compiled kernels are met again."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anypair import Matrix, Monoid, Vector, semiring
from anypair.dtypes import SUPPORTED
from anypair.semiring import BinaryOp, Semiring, UnaryOp
from tests.soak.operators import Spec, is_users
from tests.soak.oracle import NotComparable, Oracle
from tests.soak.programs import Program, Step

SIZES = (0, 1, 1, 2, 3, 5, 8, 13, 40, 64, 65, 130)
ENTRIES = 90  # of an object, at most: the reference is slow
LONGEST = 20_000  # rows or columns of a Kronecker product, which would grow beyond all memory
FREE = ("any_source", "any_first", "any_second", "any_monoid", "any_of")  # which may choose


def _of_kind(kind: type) -> list[str]:
    found = (name for name in semiring.__all__ if isinstance(getattr(semiring, name), kind))
    return [name for name in found if name not in FREE]


SEMIRINGS, MONOIDS, UNARY = _of_kind(Semiring), _of_kind(Monoid), _of_kind(UnaryOp)
CLOSED = ("min_plus", "max_plus", "max_times", "min_times", "max_min", "min_max", "min_select", "max_select",
          "min_source", "min_first", "any_pair", "lor_land", "land_lor")  # fmt: skip
BINARY = [name for name in _of_kind(BinaryOp) if not getattr(semiring, name).positional]


@dataclass
class Pool:
    """The operators and dtypes that the programs of one session are made of."""

    dtypes: list[str]
    semirings: list[Spec]
    binary: list[Spec]
    monoids: list[Spec]
    unary: list[Spec]
    accums: list[Spec] = field(default_factory=list)
    closed: list[Spec] = field(default_factory=list)


def draw_pool(rng: random.Random, users: bool = True) -> Pool:
    """A few of each kind; with `users` some are a user's functions, which capture variables."""
    names = [str(dtype) for dtype in SUPPORTED]
    pool = Pool(
        rng.sample(names, rng.choice([1, 1, 2])),
        [{"name": rng.choice(SEMIRINGS)}],
        [{"name": name} for name in rng.sample(BINARY, 2)],
        [{"name": rng.choice(MONOIDS)}],
        [{"name": name} for name in rng.sample(UNARY, 2)],
        [{"name": rng.choice(BINARY)}],
        [{"name": rng.choice(CLOSED)}],
    )
    if rng.random() < 0.2:
        pool.semirings[0]["returning"] = rng.choice(names)
    if users:
        _put_users_into(pool, rng)
    return pool


def _put_users_into(pool: Pool, rng: random.Random) -> None:
    # Numba makes a float64 of uint64 and int64 together, Python an integer.
    pool.dtypes = [rng.choice(["int64", "float64"]) if d == "uint64" else d for d in pool.dtypes]

    def number() -> float:
        return rng.choice([2, 3, -1, 0.5])

    def table() -> list[int]:
        return [rng.choice([1, 2, 5, -3]) for _ in range(3)]

    binary: list[Spec] = [{"form": "scaled_sum", "k": number()}, {"form": "beyond", "k": number()}]
    multiply = rng.choice([*binary, {"form": "looked_up", "table": table()}])
    add = rng.choice([{"form": "total"}, {"form": "least"}, {"name": "plus_monoid"}])
    pool.semirings = [{"add": add, "multiply": multiply}]
    pool.binary[1] = rng.choice(binary)
    if rng.random() < 0.5:
        pool.monoids = [rng.choice([{"form": "total"}, {"form": "least"}])]
    unary: list[Spec] = [
        {"form": "shifted", "k": number()},
        {"form": "at_place", "table": table()},
        {"form": "near", "k": rng.choice([0, 1, 2])},
        {"form": "quotient", "k": rng.choice([7, 100])},
    ]
    pool.unary[1] = rng.choice(unary)


class Drawer:
    """One program, drawn step by step: what the reference makes of a step decides what may follow."""

    def __init__(self, rng: random.Random, pool: Pool) -> None:
        self.rng = rng
        self.pool = pool
        self.lengths = [rng.choice(SIZES), rng.choice(SIZES)]
        self.special = rng.random() < 0.3
        self.oracle = Oracle({})
        self.objects: dict[str, dict[str, Any]] = {}
        self.steps: list[Step] = []

    def draw(self) -> Program:
        wanted = self.rng.randint(1, 10)
        for _ in range(self.rng.randint(1, 3)):
            self.new_vector(self.rng.choice(self.lengths))
            self.new_matrix(self.rng.choice(self.lengths), self.rng.choice(self.lengths))
        for _ in range(3 * wanted):
            if len(self.steps) == wanted:
                break
            self.try_step()
        transposed = {step["result"] for step in self.steps if step["call"] == "T"}
        # The transpose of a symmetric matrix is itself, which threads that share it must not write to.
        shares = not any(step.get("out") in transposed for step in self.steps)
        readers = 2 if shares and self.rng.random() < 0.15 else 1
        return {"readers": readers, "objects": self.objects, "steps": self.steps}

    def try_step(self) -> None:
        step = self.rng.choice(CALLS)(self)
        if step is None:
            return
        shape = step.pop("shape", None)
        step["result"] = f"r{len(self.steps)}"
        if shape is not None:
            self.close(step, shape)
        if step.get("out") is not None:
            step["result"] = step["out"]
        try:
            self.oracle.do(step)
        except NotComparable:
            return
        self.steps.append(step)

    # Objects

    def values(self, dtype: str, count: int) -> list[Any]:
        rng, kind = self.rng, np.dtype(dtype).kind
        if kind == "b":
            return [rng.random() < 0.5 for _ in range(count)]
        if kind == "f":
            info: Any = np.finfo(dtype)
            specials = [np.nan, np.inf, -np.inf, -0.0, float(info.max), float(info.tiny)]
            numbers = [float(rng.randint(-40, 40) / 4) for _ in range(count)]
        else:
            info = np.iinfo(dtype)
            specials = [int(info.min), int(info.max), int(info.max) - 1]
            numbers = [rng.randint(max(-9, int(info.min)), 9) for _ in range(count)]
        if self.special:
            numbers = [rng.choice(specials) if rng.random() < 0.15 else x for x in numbers]
        return numbers

    def number(self, dtype: str) -> Any:
        return self.values(dtype, 1)[0]

    def dtype(self) -> str:
        return self.rng.choice(self.pool.dtypes)

    def _added(self, data: dict[str, Any]) -> str:
        name = f"{'v' if len(data['shape']) == 1 else 'M'}{len(self.objects)}"
        self.objects[name] = data
        self.oracle.add(name, data)
        return name

    def _places(self, count: int, rng_of: int) -> list[int]:
        return self.rng.sample(range(rng_of), count)

    def new_vector(self, size: int, dtype: str | None = None) -> str:
        dtype = dtype or self.dtype()
        data: dict[str, Any] = {"kind": "vector", "shape": [size], "dtype": dtype}
        if size and self.rng.random() < 0.15:
            return self._added({**data, "kind": "full", "values": self.values(dtype, 1)})
        places = self._places(self.count(size), size)
        if places and self.rng.random() < 0.15:
            places += self.rng.choices(places, k=3)
            data["duplicates"] = self.rng.choice(["plus", "first", "minus", "second"])
        return self._added({**data, "indices": [places], "values": self.values(dtype, len(places))})

    def new_matrix(self, nrows: int, ncols: int, dtype: str | None = None) -> str:
        dtype = dtype or self.dtype()
        data: dict[str, Any] = {"kind": "matrix", "shape": [nrows, ncols], "dtype": dtype}
        keys = self._places(self.count(nrows * ncols), nrows * ncols)
        rows, cols = [key // ncols for key in keys], [key % ncols for key in keys]
        if nrows == ncols and self.rng.random() < 0.3:
            data |= {"kind": "graph", "symmetric": self.rng.random() < 0.5, "duplicates": "first"}
        return self._added({**data, "indices": [rows, cols], "values": self.values(dtype, len(keys))})

    def count(self, places: int) -> int:
        """How many entries: none, few, many, all."""
        most = min(places, ENTRIES)
        return self.rng.choice([0, min(1, most), most // 8, most // 3, most // 2, most, most])

    def some(self, kind: type | None = None, shape: tuple[int, ...] | None = None) -> str | None:
        """An object of that kind and shape that is there, or now is; seldom of a dtype not in the pool."""
        any_dtype = self.rng.random() < 0.1
        fitting = [
            name
            for name, x in self.oracle.objects.items()
            if isinstance(x, kind or Matrix | Vector)
            and (shape is None or x.shape == shape)
            and (any_dtype or str(x.dtype) in self.pool.dtypes)
        ]
        if fitting and (shape is None or self.rng.random() < 0.8):
            return self.rng.choice(fitting)
        if shape is None or max(shape) > 130:
            return None
        return self.new_vector(*shape) if len(shape) == 1 else self.new_matrix(*shape)

    def handle(self, name: str) -> Any:
        return self.oracle.objects[name]

    def close(self, step: Step, shape: tuple[int, ...]) -> None:
        """Draw out, mask, accum and replace; out and mask may be operands, or one another."""
        rng = self.rng
        if rng.random() < 0.5:
            own = [n for n in step["arguments"] if self.handle(n).shape == shape]
            step["mask"] = rng.choice(own) if own and rng.random() < 0.3 else self.some(shape=shape)
            step["complemented"] = rng.random() < 0.5
        if rng.random() < 0.5:
            own = [n for n in step["arguments"] if self.handle(n).shape == shape]
            step["out"] = rng.choice(own) if own and rng.random() < 0.4 else self.some(shape=shape)
            if step.get("mask") and rng.random() < 0.2:
                step["out"] = step["mask"]
        if step.get("out") is not None:
            if rng.random() < 0.5:
                step["accum"] = rng.choice(self.pool.accums)
            step["replace"] = rng.random() < 0.3

    # Calls: a step without its end, or nothing where no object fits

    def usable(self, specs: list[Spec], *names: str) -> Spec | None:
        """One of the operators, if it takes such operands: a user's takes no uint64."""
        spec = self.rng.choice(specs)
        kinds = {str(self.handle(name).dtype) for name in names}
        if is_users(spec) and "uint64" in kinds:
            return None
        if "least" in (spec.get("form"), spec.get("add", {}).get("form")) and self.may_be_nan(names):
            return None  # which of two NaN-s is less depends on their order
        if spec.get("form") == "quotient" and kinds & {"float32", "float64", "bool"}:
            return None
        return spec

    def may_be_nan(self, names: tuple[str, ...]) -> bool:
        return any(self.handle(name).dtype.kind == "f" for name in names)

    def mxv(self) -> Step | None:
        if (A := self.some(Matrix)) is None:
            return None
        u = self.some(Vector, self.handle(A).shape[1:])
        if u is None or (op := self.usable(self.pool.semirings, A, u)) is None:
            return None
        return {"call": "mxv", "arguments": [A, u], "op": op, "shape": self.handle(A).shape[:1]}

    def vxm(self) -> Step | None:
        if (A := self.some(Matrix)) is None:
            return None
        u = self.some(Vector, self.handle(A).shape[:1])
        if u is None or (op := self.usable(self.pool.semirings, A, u)) is None:
            return None
        return {"call": "vxm", "arguments": [u, A], "op": op, "shape": self.handle(A).shape[1:]}

    def closure(self) -> Step | None:
        square = [
            n for n, x in self.oracle.objects.items() if isinstance(x, Matrix) and x.nrows == x.ncols
        ]
        length = self.rng.choice(self.lengths)
        A = self.rng.choice(square) if square else self.some(Matrix, (length, length))
        u = None if A is None else self.some(Vector, self.handle(A).shape[:1])
        specs = self.pool.closed if self.rng.random() < 0.9 else self.pool.semirings
        if A is None or u is None or (op := self.usable(specs, A, u)) is None:
            return None
        return {"call": "closure", "arguments": [u, A], "op": op, "shape": self.handle(u).shape}

    def mxm(self) -> Step | None:
        if (A := self.some(Matrix)) is None:
            return None
        inner = self.handle(A).shape[1]
        fitting = [
            n for n, x in self.oracle.objects.items() if isinstance(x, Matrix) and x.nrows == inner
        ]
        B = (
            self.rng.choice(fitting)
            if fitting
            else self.some(Matrix, (inner, self.rng.choice(self.lengths)))
        )
        if B is None or (op := self.usable(self.pool.semirings, A, B)) is None:
            return None
        shape = (self.handle(A).shape[0], self.handle(B).shape[1])
        return {"call": "mxm", "arguments": [A, B], "op": op, "shape": shape}

    def kron(self) -> Step | None:
        A, B = self.some(Matrix), self.some(Matrix)
        if A is None or B is None or (op := self.usable(self.pool.binary, A, B)) is None:
            return None
        if self.handle(A).nvals * self.handle(B).nvals > 4 * ENTRIES:
            return None
        (a, b), (c, d) = self.handle(A).shape, self.handle(B).shape
        if max(a * c, b * d) > LONGEST:
            return None
        return {"call": "kron", "arguments": [A, B], "op": op, "shape": (a * c, b * d)}

    def ewise(self) -> Step | None:
        if (x := self.some()) is None:
            return None
        y = self.some(shape=self.handle(x).shape)
        if y is None or (op := self.usable(self.pool.binary, x, y)) is None:
            return None
        call = self.rng.choice(["ewise_add", "ewise_mult"])
        return {"call": call, "arguments": [x, y], "op": op, "shape": self.handle(x).shape}

    def expression(self) -> Step | None:
        """Some operations written with signs, which a backend may compute in one loop."""
        if (x := self.some()) is None:
            return None
        names = [x, *(self.some(shape=self.handle(x).shape) for _ in range(2))]
        if None in names:
            return None
        return {"call": "expression", "arguments": names, "text": self._signs(self.rng.randint(1, 4))}

    def _signs(self, depth: int) -> str:
        if depth == 0:
            return self.rng.choice("xyz")
        inner, kind = self._signs(depth - 1), self.rng.randrange(4)
        if kind == 0:
            return f"{self.rng.choice(['abs', '-'])}({inner})"
        other = self._signs(self.rng.randrange(depth))
        if kind == 1:
            other = str(self.rng.choice([2, 0.5, -3]))
        sign = self.rng.choice(["+", "-", "*", "/", "<", ">="])
        pair = (inner, other) if self.rng.random() < 0.5 else (other, inner)
        return f"({pair[0]} {sign} {pair[1]})"

    def applied(self) -> Step | None:
        if (x := self.some()) is None:
            return None
        unary = self.rng.random() < 0.6
        if (op := self.usable(self.pool.unary if unary else self.pool.binary, x)) is None:
            return None
        call = self.rng.choice(["apply", "select"])
        step: Step = {"call": call, "arguments": [x], "op": op, "shape": self.handle(x).shape}
        if not unary:
            step[self.rng.choice(["left", "right"])] = self.number(self.dtype())
        return step

    def reduced(self) -> Step | None:
        if (x := self.some()) is None or (op := self.usable(self.pool.monoids, x)) is None:
            return None
        step: Step = {"call": "reduce", "arguments": [x], "op": op}
        if isinstance(self.handle(x), Matrix) and self.rng.random() < 0.7:
            by = self.rng.choice(["rows", "columns"])
            shape = self.handle(x).shape
            step |= {"by": by, "shape": shape[:1] if by == "rows" else shape[1:]}
        return step

    def indices(self, length: int, *, unique: bool) -> Any:
        """None, a slice or a list."""
        kind = self.rng.randrange(4)
        if kind == 0:
            return None
        if kind == 1:
            bounds = sorted(self.rng.randint(0, length) for _ in range(2))
            return {"slice": [*bounds, self.rng.choice([None, 1, 2])]}
        count = self.rng.randint(0, min(length, 12))
        if unique or not length:
            return self.rng.sample(range(length), count)
        return [self.rng.randrange(length) for _ in range(count)]

    def extract(self) -> Step | None:
        if (x := self.some()) is None:
            return None
        shape = self.handle(x).shape
        axes = [self.indices(n, unique=False) for n in shape]
        step: Step = {"call": "extract", "arguments": [x], "rows": axes[0]}
        if len(axes) == 2:
            step["columns"] = axes[1]
            if all(shape) and self.rng.random() < 0.2:
                axis = self.rng.randrange(2)
                step[("rows", "columns")[axis]] = self.rng.randrange(shape[axis])
                return step
        step["shape"] = tuple(map(_length, axes, shape))
        return step

    def assign(self) -> Step | None:
        if (out := self.some()) is None:
            return None
        shape = self.handle(out).shape
        axes = [self.indices(n, unique=True) for n in shape]
        part = tuple(map(_length, axes, shape))
        step: Step = {"call": "assign", "arguments": [], "out": out, "rows": axes[0]}
        if len(axes) == 2:
            step["columns"] = axes[1]
        if self.rng.random() < 0.5:
            step["value"] = self.number(self.dtype())
        elif (value := self.some(shape=part)) is None:
            return None
        else:
            step["arguments"] = [value]
        if self.rng.random() < 0.4:
            step |= {"mask": self.some(shape=shape), "complemented": self.rng.random() < 0.5}
        if self.rng.random() < 0.3:
            step["accum"] = self.rng.choice(self.pool.accums)
        step["replace"] = self.rng.random() < 0.2
        return step

    def update(self) -> Step | None:
        if (out := self.some()) is None:
            return None
        value = self.some(shape=self.handle(out).shape)
        return None if value is None else {"call": "update", "arguments": [value], "out": out}

    def transposed(self) -> Step | None:
        if (A := self.some(Matrix)) is None:
            return None
        if self.rng.random() < 0.5:
            return {"call": "T", "arguments": [A]}
        return {"call": "transpose", "arguments": [A], "shape": self.handle(A).shape[::-1]}

    def diag(self) -> Step | None:
        if (x := self.some()) is None:
            return None
        shape = self.handle(x).shape
        return {
            "call": "diag",
            "arguments": [x],
            "shape": shape * 2 if len(shape) == 1 else (min(shape),),
        }

    def selection(self) -> Step | None:
        if (u := self.some(Vector)) is None:
            return None
        ncols = self.rng.choice(self.lengths)
        shape = (self.handle(u).size, ncols)
        return {"call": "selection", "arguments": [u], "ncols": ncols, "shape": shape}

    def copied(self) -> Step | None:
        if (x := self.some()) is None:
            return None
        if self.rng.random() < 0.3:
            return {"call": "copy", "arguments": [x]}
        return {"call": "cast", "arguments": [x], "dtype": self.dtype()}

    def same(self) -> Step | None:
        if (x := self.some()) is None:
            return None
        y = self.some(shape=self.handle(x).shape)
        return None if y is None else {"call": "same", "arguments": [x, y]}


def _length(places: Any, length: int) -> int:
    if places is None:
        return length
    return (
        len(range(*slice(*places["slice"]).indices(length))) if isinstance(places, dict) else len(places)
    )


CALLS: list[Callable[[Drawer], Step | None]] = [
    Drawer.mxv,
    Drawer.vxm,
    Drawer.vxm,
    Drawer.closure,
    Drawer.mxm,
    Drawer.kron,
    Drawer.ewise,
    Drawer.ewise,
    Drawer.expression,
    Drawer.expression,
    Drawer.applied,
    Drawer.applied,
    Drawer.reduced,
    Drawer.extract,
    Drawer.assign,
    Drawer.update,
    Drawer.transposed,
    Drawer.diag,
    Drawer.selection,
    Drawer.copied,
    Drawer.same,
]


def draw_program(rng: random.Random, pool: Pool) -> Program:
    """A program whose results can be compared."""
    return Drawer(rng, pool).draw()
