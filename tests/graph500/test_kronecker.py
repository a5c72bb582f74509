"""The generator: reproducible by the slice, permuted vertices, the probabilities of the specification."""

import hashlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair.errors import InvalidValue, NotEnoughMemory
from anypair.graph500 import kronecker_edges, kronecker_weights
from anypair.graph500.kronecker import ROOTS, A, B, C, scramble
from tests.graph500 import oracles

seeds = st.integers(0, 2**64 - 1)


@given(scale=st.integers(0, 62), seed=seeds, data=st.data())
def test_edges_and_weights_of_any_number_are_those_of_the_oracle(
    scale: int, seed: int, data: Any
) -> None:
    edgefactor = data.draw(st.integers(1, 2 ** (62 - scale)))
    start = data.draw(st.integers(0, edgefactor << scale))
    stop = start + data.draw(st.integers(0, 20))
    sources, targets = kronecker_edges(scale, edgefactor, seed, start, stop)
    numbers = range(start, min(stop, edgefactor << scale))
    assert list(zip(sources.tolist(), targets.tolist(), strict=True)) == [
        oracles.edge(number, scale, seed) for number in numbers
    ]
    weights = kronecker_weights(scale, edgefactor, seed, start, stop)
    assert weights.tolist() == [oracles.weight(number, seed) for number in numbers]


def test_the_list_of_a_seed_stays_what_it_is() -> None:
    """Results of different versions can be compared only while this holds."""
    edges = np.array(kronecker_edges(10)).astype("<i8").tobytes()
    assert hashlib.sha256(edges).hexdigest()[:16] == "c823441de4dac735"
    weights = kronecker_weights(10).astype("<f4").tobytes()
    assert hashlib.sha256(weights).hexdigest()[:16] == "3478bed1f4086567"


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_any_slice_is_the_same_wherever_it_is_made(threads: int) -> None:
    """By one thread or by several: the whole is large enough to be shared out."""
    scale, step = 12, 7000
    whole = np.array(kronecker_edges(scale, threads=threads))
    weights = kronecker_weights(scale, threads=threads)
    starts = range(0, 16 << scale, step)
    parts = [kronecker_edges(scale, start=k, stop=k + step) for k in starts]
    np.testing.assert_array_equal(np.concatenate([np.array(p) for p in parts], axis=1), whole)
    pieces = [kronecker_weights(scale, start=k, stop=k + step) for k in starts]
    np.testing.assert_array_equal(np.concatenate(pieces), weights)
    assert whole.shape == (2, 16 << scale)
    assert whole.min() >= 0
    assert whole.max() < 1 << scale


def test_seeds_give_different_graphs() -> None:
    assert not np.array_equal(kronecker_edges(6, seed=1), kronecker_edges(6, seed=2))
    assert not np.array_equal(kronecker_weights(6, seed=1), kronecker_weights(6, seed=2))


@pytest.mark.parametrize("scale", range(12))
def test_scramble_is_a_permutation(scale: int) -> None:
    scrambled = scramble(np.arange(1 << scale), scale, seed=3)
    np.testing.assert_array_equal(np.sort(scrambled), np.arange(1 << scale))
    assert scrambled.tolist() == [oracles.scrambled(v, scale, 3) for v in range(1 << scale)]


def test_streams_scramble_differently() -> None:
    numbers = np.arange(1 << 10)
    agree = scramble(numbers, 10, seed=1) == scramble(numbers, 10, seed=1, stream=ROOTS)
    assert np.count_nonzero(agree) < 10


def unscrambled(scale: int, seed: int) -> tuple[Any, Any]:
    inverse = np.argsort(scramble(np.arange(1 << scale), scale, seed))
    sources, targets = (inverse[v] for v in kronecker_edges(scale, seed=seed))
    return sources, targets


@pytest.mark.parametrize("level", [0, 5, 13])
def test_quarters_are_drawn_with_the_probabilities_of_the_specification(level: int) -> None:
    sources, targets = (v >> level & 1 for v in unscrambled(scale=14, seed=1))
    found = np.bincount(2 * sources + targets, minlength=4) / len(sources)
    np.testing.assert_allclose(found, [A, B, C, 1 - A - B - C], atol=0.005)


@pytest.mark.parametrize("distance", [1, 2, 1024])
def test_edges_say_nothing_about_those_near_them(distance: int) -> None:
    """The order is as good as shuffled: neighbours agree in a bit as often as any two edges."""
    sources, _ = unscrambled(scale=14, seed=1)
    first = sources >> 13
    agree = np.mean(first[distance:] == first[:-distance])
    assert agree == pytest.approx((A + B) ** 2 + (1 - A - B) ** 2, abs=0.005)


def test_weights_are_even_and_exact() -> None:
    weights = kronecker_weights(14).astype(np.float64)
    assert weights.min() >= 0
    assert weights.max() < 1
    np.testing.assert_array_equal(weights * 2**24, np.floor(weights * 2**24))
    np.testing.assert_allclose(np.histogram(weights, 8, (0, 1))[0] / len(weights), 1 / 8, atol=0.005)


def test_the_smallest_graphs() -> None:
    sources, targets = kronecker_edges(0)
    assert sources.tolist() == targets.tolist() == [0] * 16
    assert [len(x) for x in kronecker_edges(3, edgefactor=0)] == [0, 0]
    assert [len(x) for x in kronecker_edges(3, start=500)] == [0, 0]
    assert [len(x) for x in kronecker_edges(3, start=9, stop=7)] == [0, 0]
    assert len(kronecker_weights(3, edgefactor=0)) == 0


@pytest.mark.parametrize("generator", [kronecker_edges, kronecker_weights])
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"scale": -1}, "scale=-1 is negative"),
        ({"scale": 2.0}, "scale=2.0 is not a whole number"),
        ({"scale": 63}, "scale=63 is too large; give at most 62"),
        ({"scale": 4, "edgefactor": -2}, "edgefactor=-2 is negative"),
        ({"scale": 60, "edgefactor": 16}, "scale=60 with edgefactor=16 makes .* at most 58"),
        ({"scale": 4, "seed": -3}, "seed=-3 is negative"),
        ({"scale": 4, "seed": "x"}, "seed='x' is not a whole number"),
        ({"scale": 4, "start": -1}, "start=-1 is negative"),
        ({"scale": 4, "stop": 1.5}, "stop=1.5 is not a whole number"),
    ],
)
def test_bad_arguments(generator: Any, arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidValue, match=f"{generator.__name__}: {reason}"):
        generator(**arguments)


def test_a_list_that_cannot_fit_is_refused() -> None:
    with pytest.raises(NotEnoughMemory, match="a list of 281474976710656 edges needs about"):
        kronecker_edges(44)
