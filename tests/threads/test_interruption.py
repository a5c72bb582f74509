"""Ctrl-C while kernels run: it does not wait for the end, and leaves everything usable."""

import json
import subprocess
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from anypair import Matrix, Vector, apply, ewise_add, update, using
from anypair.backends.jit import backend as jit_backend
from anypair.backends.jit import elementwise
from anypair.semiring import identity, plus, plus_times, second
from anypair.threads.team import Team
from tests.mpi.jobs import ROOT
from tests.support.cutting import tune
from tests.support.interrupts import heed_interrupts

# It takes many seconds if nobody interrupts it.
PROGRAM = """
import json, os, signal, sys, threading, time
import numpy as np
import anypair
from anypair import Matrix, mxm, same
from anypair.semiring import plus_times

def dense(n, share):
    return Matrix.from_numpy((np.random.default_rng(1).random((n, n)) < share) * 1.0, missing=0.0)

with anypair.using("jit", threads=int(sys.argv[1])):
    small, large = dense(30, 0.5), dense(5000, 0.5)
    expected = mxm(small, small, plus_times)
    out = large.copy()
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.5, interrupt).start()
    try:
        mxm(large, large, plus_times, out=out)
        ended = "done"
    except KeyboardInterrupt:
        ended = "interrupted"
    seconds = time.monotonic() - sent[0]
    print(json.dumps([ended, seconds, same(out, large), same(mxm(small, small, plus_times), expected)]))
"""


@pytest.mark.parametrize("count", ["1", "3"])
def test_a_product_of_matrices_ends_soon(count: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, count],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=heed_interrupts,
    )
    assert done.returncode == 0, done.stderr
    ended, seconds, intact, usable = json.loads(done.stdout)
    assert ended == "interrupted"
    assert seconds < 2
    assert intact
    assert usable


def test_what_nobody_has_begun_is_left_when_one_piece_fails() -> None:
    done = []

    def piece(number: int) -> None:
        if number == 3:
            raise KeyboardInterrupt
        done.append(number)

    with pytest.raises(KeyboardInterrupt):
        Team(3).run(piece, [(number,) for number in range(1000)])
    assert len(done) < 900
    assert Team(3).run(abs, [(-1,), (2,)]) == [1, 2]


@pytest.mark.parametrize("size", [1, 2, 5])
def test_long_work_is_cut_for_any_number_of_threads(size: int) -> None:
    team = Team(size)
    for work in (10, 1 << 20, 1 << 28, 1 << 31):
        assert work / team.pieces_for(work) <= 2 * team.granularity.at_once
        assert work / team.stoppable_parts_for(work) <= 2 * team.granularity.at_once
    assert team.pieces_for(100) == team.stoppable_parts_for(100) == 1


@pytest.mark.parametrize("size", [1, 2, 5])
def test_parts_that_are_many_come_in_rounds(size: int) -> None:
    rounds: list[tuple[int, ...]] = []

    class Shared(Team):
        """Writes down what is shared at once."""

    team = Shared(size)

    def run_kernel(kernel: Any, bounds: list[int], arguments: tuple[Any, ...]) -> list[Any]:
        rounds.append(tuple(bounds))
        return [kernel(None, bounds[0], bounds[-1], *arguments)]

    team._pool.run_kernel = run_kernel  # type: ignore[method-assign]
    bounds = list(range(0, 1001, 10))
    found = team.share(bounds, lambda header, begin, end: end - begin)
    assert sum(found) == 1000
    if size > 1:
        assert [some[0] for some in rounds[1:]] == [some[-1] for some in rounds[:-1]]
        assert all(len(some) <= 8 * size + 1 for some in rounds)
        assert all(before[-1] == after[0] for before, after in pairwise(rounds))
    assert len(found) > 1


@pytest.mark.parametrize("accum", [None, plus], ids=["store", "accumulate"])
def test_a_write_in_place_that_is_interrupted_when_it_is_done(
    accum: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel has written, and its count is lost: what the vector says of itself is true all the same."""
    n = 1000
    out = Vector.from_entries(np.arange(0, n, 2), np.ones(n // 2), n, backend="jit")
    update(out, Vector.from_entries([0], [1.0], n, backend="jit"))
    other = Vector.from_entries(np.arange(0, n, 3), np.full(334, 2.0), n, backend="jit")
    module, made_by = (jit_backend, "plain_kernels") if accum is None else (elementwise, "loop_kernels")
    real = getattr(module, made_by)

    class Interrupted:
        def __init__(self, *chosen: Any) -> None:
            self.kernels = real(*chosen)
            self.writes = accum is None or chosen[0].sink == "patch"

        def __getattr__(self, name: str) -> Any:
            def run(*given: Any) -> None:
                getattr(self.kernels, name)(*given)
                if self.writes:
                    raise KeyboardInterrupt

            return run

    expected = out.to_dict() | (other if accum is None else ewise_add(out, other, plus)).to_dict()
    with monkeypatch.context() as patched:
        patched.setattr(module, made_by, Interrupted)
        with pytest.raises(KeyboardInterrupt):
            apply(other, identity, out=out, accum=accum or second)
    assert out.nvals == len(expected)
    assert out.to_dict() == expected


class EndsAfter:
    """The kernels of a loop, of which a call ends by Ctrl-C when so many calls of its kind are done."""

    def __init__(self, loop: Any, kind: str, calls: int) -> None:
        self.kernel = REAL_KERNELS(loop).run
        self.calls = calls if loop.kind == kind else -1

    def run(self, *given: Any) -> Any:
        found = self.kernel(*given)
        self.calls -= 1
        if self.calls == 0:
            raise KeyboardInterrupt
        return found


REAL_KERNELS = elementwise.loop_kernels


def test_an_expression_that_is_interrupted_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of a product that nobody sees came a part of what it is needed for."""
    n = 100
    ring = Matrix.from_edges(np.arange(n), (np.arange(n) + 1) % n, np.ones(n), n, backend="jit")
    whole = 100.0 + 2 * plus_times(Vector.full(n, 1.0, like=ring) @ ring)
    with monkeypatch.context() as patched:
        patched.setattr(elementwise, "loop_kernels", lambda loop: EndsAfter(loop, "flat", 1))
        with pytest.raises(KeyboardInterrupt):
            whole.finish()
    assert whole.to_dict() == dict.fromkeys(range(n), 102.0)


def test_a_write_in_place_is_not_left_half_done(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 1000
    out = Vector.from_entries(np.arange(0, n, 2), np.ones(n // 2), n, backend="jit")
    update(out, Vector.from_entries([0], [1.0], n, backend="jit"))
    before, added = out.to_dict(), Vector.full(n, 2.0, backend="jit")
    tune(monkeypatch, small_work=0, at_once=64)
    with monkeypatch.context() as patched, using("jit", threads=1):
        patched.setattr(elementwise, "loop_kernels", lambda loop: EndsAfter(loop, "words", 1))
        with pytest.raises(KeyboardInterrupt):
            ewise_add(out, added, plus, out=out)
    assert out.to_dict() == {place: before.get(place, 0.0) + 2.0 for place in range(n)}
