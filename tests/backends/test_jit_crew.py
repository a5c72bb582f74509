"""Helpers that wait in compiled code: all work is done, errors arrive, nobody hangs."""

import gc
import os
import threading
import time

import pytest

from anypair.backends.jit import crew as crew_module
from anypair.backends.jit.crew import Crew
from anypair.backends.jit.threads import Team

LIMIT = 30.0  # seconds


def number_of(item: int) -> tuple[int, str]:
    time.sleep(0.001)  # lets another thread have the next one
    return item, threading.current_thread().name


def squares(team: Team, count: int) -> list[int]:
    return team.run(lambda x: x * x, [(x,) for x in range(count)])


def helpers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("anypair_")}


@pytest.mark.parametrize("size", [2, 3, 5])
def test_results_come_in_the_order_of_calls(size: int) -> None:
    team = Team(size)
    for count in (1, 2, 3, 7, 40):
        assert squares(team, count) == [x * x for x in range(count)]


def test_helpers_take_their_part() -> None:
    found = Team(3).run(number_of, [(x,) for x in range(30)])
    assert [item for item, _ in found] == list(range(30))
    assert len({name for _, name in found}) == 3


def test_a_sleeping_helper_is_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew_module, "LISTENS", 1)
    team = Team(3)
    for _ in range(200):
        assert squares(team, 5) == [0, 1, 4, 9, 16]
    time.sleep(0.05)
    assert squares(team, 5) == [0, 1, 4, 9, 16]


def test_an_error_of_any_thread_reaches_the_caller() -> None:
    team = Team(3)

    def fail_in_helper() -> None:
        if threading.current_thread().name.startswith("anypair_"):
            raise ZeroDivisionError("in a helper")
        time.sleep(0.01)

    with pytest.raises(ZeroDivisionError, match="in a helper"):
        team.run(fail_in_helper, [() for _ in range(50)])
    with pytest.raises(ZeroDivisionError):
        team.run(lambda x: 1 // x, [(x,) for x in (1, 0, 1)])
    assert squares(team, 9) == [x * x for x in range(9)]


def test_an_interrupted_caller_waits_until_its_helpers_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    crew = Crew(1)
    crew.share(lambda: None, 1)
    state = crew._ready()
    hear, interruptions = state.hear, iter([KeyboardInterrupt])
    caller, begun, done = threading.get_ident(), threading.Event(), []

    def hear_or_stop(*arguments: object) -> object:
        for error in interruptions:
            raise error
        return hear(*arguments)

    def work() -> None:
        if threading.get_ident() == caller:
            assert begun.wait(LIMIT)
            return
        begun.set()
        time.sleep(0.1)
        done.append(True)
        raise ZeroDivisionError("of an interrupted call")

    monkeypatch.setattr(state, "hear", hear_or_stop)
    with pytest.raises(KeyboardInterrupt):
        crew.share(work, 1)
    assert done
    crew.share(lambda: None, 1)  # and nothing is left of the helper's error


def test_a_second_caller_works_alone() -> None:
    team = Team(2)
    inside = threading.Event()
    go_on = threading.Event()

    def wait(_: int) -> bool:
        inside.set()
        return go_on.wait(LIMIT)

    first = threading.Thread(target=team.run, args=(wait, [(0,), (1,)]))
    first.start()
    assert inside.wait(LIMIT)
    assert squares(team, 4) == [0, 1, 4, 9]
    go_on.set()
    first.join(LIMIT)
    assert not first.is_alive()


def test_work_within_work() -> None:
    team = Team(2)
    found = team.run(lambda x: sum(squares(team, x)), [(x,) for x in range(6)])
    assert found == [0, 0, 1, 5, 14, 30]


def test_helpers_go_home_when_nobody_needs_them() -> None:
    before = helpers()
    team = Team(4)
    squares(team, 8)
    own = helpers() - before
    assert len(own) == 3
    del team
    gc.collect()
    for helper in own:
        helper.join(LIMIT)
        assert not helper.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_that_was_forked_has_helpers_of_its_own() -> None:
    team = Team(2)
    squares(team, 4)
    child = os.fork()
    if not child:
        found = team.run(number_of, [(x,) for x in range(20)])
        os._exit(0 if len({name for _, name in found}) == 2 else 1)
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.01)
    os.kill(child, 9)
    pytest.fail("the child hangs")


def test_many_short_jobs_end() -> None:
    """Bells and answers cross in every order; a lost one would hang."""
    crew = Crew(3)
    done = []
    for job in range(3000):
        todo = iter(range(4))
        crew.share(lambda todo=todo: done.extend(todo), 1 + job % 3)  # type: ignore[misc]
    assert len(done) == 4 * 3000
