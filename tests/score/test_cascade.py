"""What a recall does to the neighbours."""

from __future__ import annotations

import pytest

from genesys.score.cascade import cascade


def test_neighbours_get_a_third_and_theirs_a_tenth():
    """0.3 a hop to depth 2, nothing for the recalled note itself nor for the third hop."""
    chain = {0: [1], 1: [0, 2], 2: [1, 3], 3: [2]}
    assert {1: 0.3, 2: 0.09} == pytest.approx(cascade(chain, [0]))


def test_the_strongest_way_counts_once():
    """A note next to two recalled ones gets one access, not a sum."""
    square = {0: [2, 3], 1: [2], 2: [0, 1, 3], 3: [0, 2]}
    assert {2: 0.3, 3: 0.3} == pytest.approx(cascade(square, [0, 1]))


def test_a_hub_does_not_refresh_half_the_vault():
    """A note with very many neighbours shares out what it passes on, down to nothing."""
    wide = {0: range(1, 65), 1: [0, 65], 65: [1]}
    reached = cascade(wide, [0])
    assert 64 * [0.15] == pytest.approx([reached[i] for i in range(1, 65)])
    assert 0.045 == pytest.approx(reached[65])
    assert {} == cascade({0: range(1, 1000)}, [0])


def test_a_note_without_neighbours_passes_nothing_on():
    """An unknown or lonely note is no error."""
    assert {} == cascade({}, [5])
