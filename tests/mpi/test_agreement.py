"""Ranks that were given different arguments are told so: every kind of argument, on every rank."""

import math
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from enum import Enum
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest

import anypair
from anypair import (
    Matrix,
    Monoid,
    Semiring,
    Vector,
    apply,
    assign,
    binary_op,
    closure,
    ewise_add,
    extract,
    index_unary_op,
    kron,
    monoid,
    mxm,
    mxv,
    position,
    reduce,
    select,
    unary_op,
    vxm,
)
from anypair.errors import DistributedError, NotEnoughMemory, OperatorError
from anypair.semiring import (
    lt,
    max_select,
    min_monoid,
    min_select,
    minus,
    plus,
    plus_monoid,
    plus_times,
    times,
)
from tests.mpi.jobs import run_program
from tests.mpi.threaded import ThreadGroup, run_ranks

pytest.importorskip("mpi4py")

from anypair.backends.mpi import MpiBackend
from anypair.backends.mpi.agreement import MOST_NOTED, Agreement
from anypair.backends.mpi.calls import operator_text, semiring_text
from anypair.backends.mpi.digests import ROUND, digest_of, digest_of_arrays, digest_of_operator

N = 100
EDGES = np.random.default_rng(1).integers(0, N, (2, 400))


class Given:
    """What one rank has to call with."""

    def __init__(self, world: ThreadGroup, **options: Any) -> None:
        self.rank = world.rank
        self.differs = int(world.rank == 2)  # the rank whose arguments are others
        self.traffic = world.traffic
        self.backend = MpiBackend(local="scipy", threads=1, world=world, **options)
        self.u = Vector.full(N, 1, backend=self.backend)
        self.ids = apply(self.u, position)
        self.path = Matrix.from_edges(
            range(N - 1), range(1, N), n=N, symmetric=True, backend=self.backend
        )

    def adding(self, number: Any) -> Any:
        @binary_op(result=np.int64)
        def adding(edge: Any, value: Any) -> Any:
            return value + number

        return adding


def edges_of_this_rank(g: Given) -> Any:
    mine = slice(g.rank * 100, (g.rank + 1) * 100)
    return Matrix.from_edges(*EDGES[:, mine], n=N, symmetric=True, backend=g.backend)


def in_another_order(g: Given) -> Any:
    order = slice(None, None, -1 if g.differs else 1)
    return Matrix.from_edges(*EDGES[:, order], n=N, backend=g.backend)


def weighted(g: Given) -> Any:
    weights = np.ones(N - 1)
    weights[50] += g.differs * 2.0**-52
    return Matrix.from_edges(range(N - 1), range(1, N), weights, n=N, backend=g.backend)


def of_weight(g: Given) -> Any:
    return Matrix.from_edges([0], [1], float(g.differs), n=N, backend=g.backend)


def values(g: Given) -> Any:
    return Vector.from_entries([5], [g.differs], N, backend=g.backend)


def same_sum_of_indices(g: Given) -> Any:
    return Vector.from_entries([2, 4] if g.differs else [1, 5], 1, N, backend=g.backend)


def nan_or_number(g: Given) -> Any:
    return apply(g.u, times, right=math.nan if g.differs else 0.0)


def duplicates(g: Given) -> Any:
    op = minus if g.differs else plus
    return Vector.from_entries([1, 1], [2, 3], N, duplicates=op, backend=g.backend)


def indexed(g: Given) -> Any:
    shift = g.differs

    @index_unary_op(result=np.int64)
    def shifted(x: Any, i: Any, j: Any) -> Any:
        return i + shift

    return apply(g.u, shifted)


def with_default(g: Given) -> Any:
    differs = g.differs

    def helper(x: Any, by: Any = differs) -> Any:
        return x + by

    return apply(g.u, unary_op(result=np.int64)(lambda x: helper(x)))


def calling(g: Given) -> Any:
    differs = g.differs

    def helper(x: Any) -> Any:
        return x + differs

    return apply(g.u, unary_op(result=np.int64)(lambda x: helper(x)))


def table(g: Given) -> Any:
    numbers = np.array([1, 2 + g.differs])
    return apply(g.u, unary_op(result=np.int64)(lambda x: numbers[1]))


def other_code(g: Given) -> Any:
    @unary_op(result=np.int64)
    def changed(x: Any) -> Any:
        return x + 7

    @unary_op(result=np.int64)
    def changed_(x: Any) -> Any:
        return x + 8

    object.__setattr__(changed_, "name", "changed")
    return apply(g.u, changed_ if g.differs else changed)


def own_identity(g: Given) -> Any:
    return reduce(Vector.empty(N, int, backend=g.backend), Monoid(plus, identity=g.differs))


def user_monoid(g: Given) -> Any:
    bound = 5 + g.differs

    @monoid(identity=0)
    def bounded(x: Any, y: Any) -> Any:
        return min(x + y, bound)

    return reduce(g.u, bounded)


# Each row of the table of findings first, then what else can differ.
DIFFERENT: dict[str, Callable[[Given], Any]] = {
    "slices without distributed=True": edges_of_this_rank,
    "values": values,
    "weights in their last bit": weighted,
    "one weight for all": of_weight,
    "apply right=": lambda g: apply(g.u, times, right=g.differs),
    "apply left=": lambda g: apply(g.u, times, left=g.differs),
    "select right=": lambda g: select(g.ids, lt, right=10 * g.differs),
    "assign a number": lambda g: assign(Vector.empty(N, int, backend=g.backend), g.differs),
    "assign a number at places": lambda g: assign(g.u.copy(), g.differs, [1, 2]),
    "Vector.full": lambda g: Vector.full(N, g.differs, backend=g.backend),
    "extract, same sum": lambda g: extract(g.ids, [2, 4] if g.differs else [1, 5]),
    "extract of a matrix": lambda g: extract(g.path, [g.differs, 2], None),
    "extract of columns": lambda g: extract(g.path, None, [2, g.differs]),
    "vxm, captured": lambda g: vxm(g.u, g.path, Semiring(min_monoid, g.adding(g.differs))),
    "mxv, captured": lambda g: mxv(g.path, g.u, Semiring(min_monoid, g.adding(g.differs))),
    "mxm, captured": lambda g: mxm(g.path, g.path, Semiring(min_monoid, g.adding(g.differs))),
    "closure": lambda g: closure(g.ids, g.path, max_select if g.differs else min_select),
    "closure, captured": lambda g: closure(
        g.u, g.path, Semiring(min_monoid, g.adding(g.differs).declaring(monotone=True))
    ),
    "kron, captured": lambda g: kron(g.path, g.path, g.adding(g.differs)),
    "order of edges": in_another_order,
    "indices, same sum": same_sum_of_indices,
    "True or 1": lambda g: apply(g.u, plus, right=1 if g.differs else True),
    "0.0 or -0.0": lambda g: apply(g.u, plus, right=-0.0 if g.differs else 0.0),
    "NaN or a number": nan_or_number,
    "duplicates": duplicates,
    "operators that send nothing": lambda g: ewise_add(g.u, g.ids, minus if g.differs else plus),
    "operators of users": lambda g: ewise_add(g.u, g.ids, g.adding(g.differs)),
    "index operators": indexed,
    "default arguments": with_default,
    "functions that are called": calling,
    "captured arrays": table,
    "code of one name": other_code,
    "accumulators": lambda g: apply(
        g.u, times, right=2, out=g.u.copy(), accum=minus if g.differs else plus
    ),
    "complement": lambda g: apply(
        g.u, times, right=2, mask=~g.ids.structure if g.differs else g.ids.structure
    ),
    "replace": lambda g: apply(
        g.u, times, right=2, out=g.u.copy(), mask=g.u.structure, replace=bool(g.differs)
    ),
    "dtypes": lambda g: g.u.cast("float64" if g.differs else "int64"),
    "identities": own_identity,
    "monoids": user_monoid,
    "reduce by rows": lambda g: reduce(g.path, min_monoid if g.differs else plus_monoid, by="rows"),
    "returning": lambda g: vxm(g.u, g.path, plus_times.returning("int32" if g.differs else "int16")),
    "shuffled": lambda g: g.path.shuffled(seed=1 + g.differs).graph,
    "assign at places": lambda g: assign(
        g.u.copy(), Vector.full(2, 7, backend=g.backend), [2, 4] if g.differs else [1, 5]
    ),
    "single entries": lambda g: g.ids.get(g.differs),
}


def look(found: Any) -> Any:
    """What users do next; nobody gets at a result without a sum over all ranks."""
    return found.to_entries() if isinstance(found, Matrix | Vector) else found


@pytest.mark.parametrize("what", DIFFERENT)
def test_different_arguments_are_told_on_all_ranks(what: str) -> None:
    def run(world: ThreadGroup) -> str:
        g = Given(world, grid="2x2")
        with pytest.raises(DistributedError, match="ranks disagree on what to do") as told:
            look(DIFFERENT[what](g))
        # The job can go on.
        assert reduce(g.u, plus_monoid) == N
        return str(told.value)

    said = run_ranks(4, run)
    assert len(set(said)) == 1
    named = re.search(r"rank 0: (.*?); rank (\d): (.*?)(; rank|; \d more|\); every)", said[0])
    assert named, said[0]
    assert named[1] != named[3]
    assert named[2] == ("1" if what.startswith("slices") else "2")
    assert ("distributed=True" in said[0]) == ("edge" in said[0])


@pytest.mark.parametrize("what", DIFFERENT)
def test_equal_arguments_are_not(what: str) -> None:
    """The same with equal arguments, on operators that every rank has made for itself."""

    def run(world: ThreadGroup) -> None:
        g = Given(world, grid="2x2")
        g.differs = g.rank = 0
        look(DIFFERENT[what](g))

    run_ranks(4, run)


def test_comparing_arguments_exchanges_nothing_more() -> None:
    """A sum each for the start and the end of what talks, none for what does not."""

    def run(world: ThreadGroup) -> dict[str, int]:
        g = Given(world, grid="2x2")
        calls: dict[str, Callable[[], Any]] = {
            "apply": lambda: apply(g.u, times, right=3),
            "full": lambda: Vector.full(N, 2, backend=g.backend),
            "build": lambda: Vector.from_entries([1, 2], [3, 4], N, backend=g.backend),
            "graph": lambda: Matrix.from_edges(*EDGES, n=N, backend=g.backend),
            "update": lambda: anypair.update(g.u.copy(), g.ids),
            "extract": lambda: extract(g.ids, [1, 5]),  # a sum, a question, an answer
            "user": lambda: apply(g.u, unary_op(result=np.int64)(lambda x: x + 1)),
            "raising": lambda: apply(g.u, unary_op(result=np.int64)(lambda x: 7 // (x + 1))),
        }
        used = {}
        for name, call in calls.items():
            before = g.traffic.exchanges
            call()
            used[name] = g.traffic.exchanges - before
        return used

    expected = {"apply": 0, "full": 0, "build": 1, "graph": 2, "update": 0, "extract": 3}
    expected |= {"user": 0, "raising": 1}  # what may raise on one rank
    assert run_ranks(4, run) == [expected] * 4


def test_many_calls_that_send_nothing_are_kept_as_a_digest() -> None:
    def run(world: ThreadGroup) -> str:
        agreement = Agreement(world)
        for number in range(5 * MOST_NOTED):
            agreement.note(f"call {number + (number == 7 and world.rank == 1)}")
            assert len(agreement._noted) <= MOST_NOTED
        with pytest.raises(DistributedError) as told:
            agreement.check("end")
        for _ in range(5 * MOST_NOTED):
            agreement.note("call")
        agreement.check("end")
        return str(told.value)

    (said,) = set(run_ranks(2, run))
    assert re.search(r"rank 0: 316 calls #[0-9a-f]{16}; rank 1: 316 calls #[0-9a-f]{16}\)", said)


def test_the_error_names_some_of_many_calls() -> None:
    def run(world: ThreadGroup) -> str:
        with pytest.raises(DistributedError) as told:
            Agreement(world).check(f"call {world.rank // 2}")
        return str(told.value)

    (said,) = set(run_ranks(12, run))
    assert "(rank 0: call 0; rank 2: call 1; rank 4: call 2; rank 6: call 3; 2 more)" in said


def test_a_call_more_on_one_rank_is_told() -> None:
    def run(world: ThreadGroup) -> str:
        g = Given(world, grid="2x2")
        if g.rank == 1:
            apply(g.u, times, right=5)
        with pytest.raises(DistributedError) as told:
            g.ids.to_dict()
        return str(told.value)

    (said,) = set(run_ranks(4, run))
    assert "rank 0: entries of a vector" in said
    assert "rank 1: apply(times(int64, int64 5) -> int64" in said


SPOILED = {
    "vxm": lambda g, op: vxm(g.u, g.path, Semiring(min_monoid, op)),
    "mxm": lambda g, op: mxm(g.path, g.path, Semiring(min_monoid, op)),
    "ewise_add": lambda g, op: ewise_add(g.u, g.u, op),
    "apply": lambda g, op: apply(g.u, op, right=1),
    "accum": lambda g, op: apply(g.u, times, right=1, out=g.u.copy(), accum=op),
    "kron": lambda g, op: kron(g.path, g.path, op),
    "from_entries": lambda g, op: Vector.from_entries(
        [1, 1], [1, 2], N, duplicates=op, backend=g.backend
    ),
    "from_edges": lambda g, op: Matrix.from_edges(
        [1, 1], [2, 2], [1, 2], n=N, duplicates=op, distributed=True, backend=g.backend
    ),
}


@pytest.mark.parametrize("ranks", ["one", "all"])
@pytest.mark.parametrize("what", SPOILED)
def test_an_operator_that_cannot_be_typed_on_one_rank(what: str, ranks: str) -> None:
    """All ranks hear why, by the same class, at once where an operator may fail on the others too."""

    def run(world: ThreadGroup) -> str:
        g = Given(world, grid="2x2")
        wrong = g.rank == 2 or ranks == "all"
        number: Any = "text" if wrong else 1
        with pytest.raises(OperatorError) as told:
            SPOILED[what](g, binary_op(lambda x, y: (x + number) // y))
        assert reduce(g.u, plus_monoid) == N
        return str(told.value)

    (said,) = set(run_ranks(4, run))
    assert "cannot be typed" in said
    assert said.startswith("rank 2: ") == (ranks == "one" and what != "from_edges")


def test_a_lack_of_memory_on_one_rank_before_it_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    refusing: list[int] = []

    def refuse(nbytes: int, what: str) -> None:
        if threading.get_ident() in refusing:
            raise NotEnoughMemory("no room")

    monkeypatch.setattr("anypair.handle.require", refuse)

    def run(world: ThreadGroup) -> None:
        g = Given(world, grid="2x2")
        if g.rank == 1:
            refusing.append(threading.get_ident())
        with pytest.raises(NotEnoughMemory, match="rank 1: no room"):
            Vector.from_entries([1], [2], N, backend=g.backend)

    run_ranks(4, run)


NOTHING_IS_SENT: dict[str, Callable[[Given], Any]] = {
    "apply": lambda g: apply(g.u, times, right=2),
    "cast": lambda g: g.u.cast(float),
    "restrict": lambda g: apply(g.u, position, mask=g.u.structure),
    "build_full": lambda g: Vector.full(N, 2, backend=g.backend),
}


class Refusing:
    """A local backend that has no memory for one of its methods."""

    def __init__(self, local: Any, method: str) -> None:
        self.local = local
        self.method = method

    def __getattr__(self, name: str) -> Any:
        return self.refuse if name == self.method else getattr(self.local, name)

    def refuse(self, *given: Any) -> Any:
        raise NotEnoughMemory("no room")


@pytest.mark.parametrize("ranks", ["one", "all"])
@pytest.mark.parametrize("method", NOTHING_IS_SENT)
def test_a_lack_of_memory_where_nothing_is_sent(method: str, ranks: str) -> None:
    """The others hear of it when they next send something."""

    def run(world: ThreadGroup) -> str:
        g = Given(world, grid="2x2")
        kept = g.backend.local
        if g.rank == 1 or ranks == "all":
            g.backend.local = Refusing(kept, method)  # type: ignore[assignment]
        with pytest.raises(NotEnoughMemory) as told:
            look(NOTHING_IS_SENT[method](g))
        g.backend.local = kept
        assert reduce(g.u, plus_monoid) == N
        return str(told.value)

    for said in run_ranks(4, run):  # each with the call that it was in before it
        assert re.fullmatch(r"[\w.]+: (rank 1: )?no room", said)
        assert ("rank 1" in said) == (ranks == "one")


def test_ranks_in_different_calls_get_no_advice_on_edges() -> None:
    def run(world: ThreadGroup) -> None:
        g = Given(world, grid="2x2")
        build = partial(Matrix.from_edges, *EDGES, n=N, backend=g.backend)
        call: Callable[[], Any] = build if g.rank < 3 else g.ids.to_dict
        with pytest.raises(DistributedError, match="rank 0: build_graph") as told:
            call()
        assert "distributed=True" not in str(told.value)

    run_ranks(4, run)


def test_a_flag_that_differs() -> None:
    """One rank forgets distributed=True: nobody waits."""

    def run(world: ThreadGroup) -> None:
        g = Given(world, grid="2x2")
        with pytest.raises(DistributedError, match="disagree"):
            Matrix.from_edges([1], [2], distributed=g.rank != 3, backend=g.backend)

    run_ranks(4, run)


def test_real_ranks_are_told_too() -> None:
    job = run_program(2, "different_arguments")
    assert job.status == 0, job.said
    assert job.printed == "told 12 times\n"


class Adding:
    """A function with a state."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, x: Any) -> Any:
        return x + self.number


class Colour(Enum):
    RED = 1
    BLUE = 2


def capturing(value: Any) -> Callable[..., Any]:
    return lambda x: x + value


def different_values() -> list[Any]:
    """No two of them equal; made anew by each call."""
    return [
        *(1, 2, 1.0, True, -0.0, 0.0, math.nan, "ab", b"ab", None, Colour.RED, Colour.BLUE),
        *(np.int32(1), np.int64(1), np.float64(1), np.zeros(2), np.zeros((2, 1)), np.zeros(2, "f4")),
        *(
            np.arange(6)[::2],
            np.arange(6)[::-2],
            np.arange(3),
            np.array(3),
            np.dtype("i4"),
            np.dtype("i8"),
        ),
        *((1, (2, 3)), ((1, 2), 3), [1, 2], (1, 2), {1: 2}, {2: 1}, {1, 2}, {1, 3}),
        *(SimpleNamespace(b=1), SimpleNamespace(b=2), math, np, math.sin, math.cos, np.sin, np.cos),
        *(lambda x: x + 1, lambda x: x + 2, lambda x: x + 1.0, lambda x: x - 1, lambda x, y=1: x + 1),
        *(lambda x: math.sin(x), lambda x: math.cos(x), lambda x: abs(x), lambda x: round(x)),
        *(lambda x: x in {1, 2}, lambda x: x in {1, 3}, lambda x, *, a=1: x, lambda x, *, a=2: x),
        *(lambda x: [y + 1 for y in x], lambda x: [y + 2 for y in x]),
        *(capturing(1), capturing(2), capturing(capturing(1)), capturing(capturing(2))),
        *(partial(capturing, 1), partial(capturing, 2), Adding(1), Adding(2), Adding(1).__call__),
    ]


def test_digests_tell_values_and_functions_apart() -> None:
    one, other = ([digest_of(x) for x in different_values()] for _ in range(2))
    assert one == other
    assert len(set(one)) == len(one)


def test_digests_see_what_compiled_functions_and_operators_do() -> None:
    def of(number: int) -> set[str]:
        def plain(x: Any) -> Any:
            return x + number

        compiled, operator = numba.njit(plain), unary_op(plain)
        uses = (lambda x: plain(x), lambda x: compiled(x), lambda x: operator(x))
        return {digest_of_operator(unary_op(each)) for each in uses}

    assert not of(1) & of(2)
    assert of(1) == of(1)


def test_of_a_module_only_what_is_read_counts() -> None:
    def of(rate: int, name: str) -> str:
        settings = ModuleType("settings")
        settings.__dict__.update(rate=rate, name=name)
        return digest_of_operator(unary_op(lambda x: x * settings.rate))

    assert of(1, "one") == of(1, "other") != of(2, "one")


def test_what_refers_to_itself_has_a_digest() -> None:
    def again(x: Any) -> Any:
        return again(x - 1) if x else 0

    endless: list[Any] = [1]
    endless.append(endless)
    deep: list[Any] = [1]
    for _ in range(10_000):
        deep = [deep]
    assert len(digest_of(again)) == len(digest_of(endless)) == len(digest_of(deep)) == 16


def test_digests_are_the_same_in_every_process() -> None:
    """With another order of sets, other addresses, from another folder."""
    program = (
        "from anypair import unary_op\n"
        "from anypair.backends.mpi.digests import digest_of_operator as digest\n"
        "def f(x, names=frozenset(['a', 'b', 'c', 'd']), g=lambda y: y in {'p', 'q', 'r'}, o=object()):\n"
        "    return x + len(names)\n"
        "print(digest(unary_op(result=int)(lambda x: f(x))))\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": s},
            capture_output=True, text=True, check=True,
        ).stdout
        for s in "123"
    }  # fmt: skip
    assert len(said) == 1


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float32", "float64"])
def test_digests_of_arrays(dtype: str) -> None:
    size = 2 * ROUND + 3
    array = np.random.default_rng(0).integers(0, 2, size).astype(dtype)
    spread = np.zeros((size, 3), dtype)
    spread[:, 1] = array
    assert digest_of_arrays(array) == digest_of_arrays(spread[:, 1])
    ones = np.ones(size, dtype)
    assert digest_of_arrays(ones) == digest_of_arrays(np.broadcast_to(ones[:1], size))
    changed = array.copy()
    changed[-1] = not changed[-1]
    swapped = array[::-1]
    joined = (array[:5], array[5:]), (array[:6], array[6:])
    different = [(array,), (changed,), (swapped,), (array[:-1],), (ones,), *joined]
    assert len({digest_of_arrays(*each) for each in different}) == len(different)


def test_operators_of_the_catalogue_are_compared_by_name() -> None:
    int64 = np.dtype(np.int64)
    assert operator_text(plus.typed(int64, int64)) == "plus(int64, int64) -> int64"
    assert semiring_text(plus_times.typed(int64, int64)) == "plus_times -> int64"
    assert "#" in semiring_text(Semiring(Monoid(plus, 1), times).typed(int64, int64))
