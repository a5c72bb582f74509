"""The Kronecker generator: reproducible by the slice, a permutation of vertices, skewed degrees."""

import numpy as np
import pytest

from anypair.errors import InvalidValue
from anypair.graph500 import kronecker_edges
from anypair.graph500.kronecker import A, B, C, scramble


def test_any_slice_is_the_same_wherever_it_is_made() -> None:
    whole = np.array(kronecker_edges(8))
    parts = [kronecker_edges(8, start=k, stop=k + 700) for k in range(0, 16 << 8, 700)]
    np.testing.assert_array_equal(np.concatenate([np.array(p) for p in parts], axis=1), whole)
    assert whole.shape == (2, 16 << 8)
    assert whole.min() >= 0
    assert whole.max() < 1 << 8


def test_seeds_give_different_graphs() -> None:
    assert not np.array_equal(kronecker_edges(6, seed=1), kronecker_edges(6, seed=2))


@pytest.mark.parametrize("scale", range(12))
def test_scramble_is_a_permutation(scale: int) -> None:
    scrambled = scramble(np.arange(1 << scale), scale, seed=3)
    np.testing.assert_array_equal(np.sort(scrambled), np.arange(1 << scale))


def test_quarters_are_drawn_with_the_probabilities_of_the_specification() -> None:
    scale, seed = 14, 1
    inverse = np.argsort(scramble(np.arange(1 << scale), scale, seed))
    sources, targets = (inverse[v] >> (scale - 1) for v in kronecker_edges(scale, seed=seed))
    found = np.bincount(2 * sources + targets, minlength=4) / len(sources)
    np.testing.assert_allclose(found, [A, B, C, 1 - A - B - C], atol=0.005)


def test_the_smallest_graphs() -> None:
    sources, targets = kronecker_edges(0)
    assert sources.tolist() == targets.tolist() == [0] * 16
    assert [len(x) for x in kronecker_edges(3, edgefactor=0)] == [0, 0]


def test_bad_arguments() -> None:
    with pytest.raises(InvalidValue, match="kronecker_edges: scale=-1 is negative"):
        kronecker_edges(-1)
