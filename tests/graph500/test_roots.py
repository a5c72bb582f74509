"""Roots: different, connected, as many as asked for if there are, from the seed alone."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair.backends.processes import Processes
from anypair.graph500 import EdgeList, Settings, choose_roots, generate
from anypair.graph500 import roots as module
from anypair.graph500.process_edges import ProcessEdges
from tests.graph500.oracles import scrambled

ROOTS_STREAM = 192


@given(
    scale=st.integers(0, 6),
    seed=st.integers(0, 2**32),
    count=st.integers(1, 80),
    usable=st.sets(st.integers(0, 63)),
)
def test_roots_are_the_first_usable_candidates(scale: int, seed: int, count: int, usable: Any) -> None:
    found = choose_roots(count, scale, seed, lambda v: np.isin(v, list(usable)))
    order = [scrambled(k, scale, seed, ROOTS_STREAM) for k in range(1 << scale)]
    assert found == [v for v in order if v in usable][:count]
    assert len(found) == min(count, len(usable & set(range(1 << scale))))


def test_batches_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def odd(vertices: Any) -> Any:
        return vertices % 2 == 1

    whole = choose_roots(100, 9, 4, odd)
    monkeypatch.setattr(module, "BATCH", 7)
    assert choose_roots(100, 9, 4, odd) == whole


def test_no_more_candidates_are_asked_about_than_needed() -> None:
    asked = []

    def all_of(vertices: Any) -> Any:
        asked.append(len(vertices))
        return np.ones(len(vertices), np.bool_)

    assert len(set(choose_roots(64, 40, 1, all_of))) == 64
    assert asked == [module.BATCH]


def test_loops_do_not_make_a_root() -> None:
    edges = EdgeList([0, 1, 1], [0, 1, 2])
    assert sorted(choose_roots(9, 1, 1, ProcessEdges.of(edges, Processes(), 3).connected)) == [1]


def test_roots_of_a_graph_are_spread_over_it() -> None:
    """Every connected vertex is as likely as another, whatever its degree."""
    edges = generate(Settings(scale=10))
    share = ProcessEdges.of(edges, Processes(), edges.n)
    often = np.zeros(1 << 10)
    for seed in range(200):
        often[choose_roots(64, 10, seed, share.connected)] += 1
    connected = share.connected(np.arange(1 << 10))
    usable = often[connected]
    assert usable.mean() == pytest.approx(200 * 64 / np.count_nonzero(connected), rel=0.02)
    assert usable.std() < 2 * np.sqrt(usable.mean())
