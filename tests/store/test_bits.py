"""Sign bits: what is counted, what is nearest."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from genesys.store.bits import WORD, differing, nearest, sign_words, words_of


def vectors(n: int, dim: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.random.default_rng(seed).standard_normal((n, dim)).astype(np.float32)


@given(st.integers(1, 70), st.integers(1, 300), st.integers(0, 99))
def test_differing_signs_are_counted_whatever_the_dimension(n: int, dim: int, seed: int) -> None:
    """Bits beyond the last dimension say nothing."""
    some, centre = vectors(n, dim, seed), vectors(1, dim, seed + 1)[0]
    words = sign_words(some, centre)
    assert (n, words_of(dim)) == words.shape
    assert words_of(dim) * WORD >= dim
    found = differing(np.ascontiguousarray(words.T), words[n // 2], n)
    above = some > centre
    assert (above != above[n // 2]).sum(axis=1).tolist() == found.tolist()


@given(st.lists(st.integers(0, 400), min_size=1, max_size=80), st.integers(0, 90))
def test_nearest_are_those_that_sorting_finds_with_all_ties(distances: list[int], count: int) -> None:
    """As many as asked for, and whatever is as near as the last of them."""
    found = nearest(np.array(distances, dtype=np.uint16), count)
    limit = sorted(distances)[min(count, len(distances)) - 1] if count else -1
    assert [i for i, d in enumerate(distances) if d <= limit] == found.tolist()
