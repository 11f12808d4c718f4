"""The score of a note: a product that explains itself."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.model import AccessKind, Factors
from genesys.score.arrays import DAY, access_rows
from genesys.score.decay import score_note, score_vault

NOW = 1_800_000_000.0
ROWS = st.lists(
    st.tuples(
        st.integers(0, 5), st.floats(-10, 4000), st.sampled_from([0.3, 0.5, 1.0]), st.sampled_from(AccessKind)
    ),
    max_size=120,
)
SIX = [st.lists(st.floats(0, top), min_size=6, max_size=6) for top in (40, 1)]


def rows(given_rows):
    """Accesses from (note, days ago, weight, kind)."""
    return access_rows([(note, NOW - days * DAY, weight, kind) for note, days, weight, kind in given_rows])


@given(ROWS, *SIX)
def test_the_factors_multiply_to_the_score_to_the_last_bit(given_rows, support, focus):
    """Whatever the vault, a note's three factors re-multiply to its score, within [0, 1]."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = score_vault(6, rows(given_rows), np.array(support), NOW, np.array(focus))
    for at in range(6):
        f = scores.factors(at)
        assert f.score == f.relevance * f.connectivity * f.reactivation
        assert 0.0 <= f.score <= 1.0
        assert f.relevance >= max(f.freshness, f.focus, 0.1) - 1e-15


@given(ROWS)
def test_a_note_scores_alone_as_in_the_vault(given_rows):
    """Scoring one note is the same arithmetic as scoring the vault."""
    accesses = rows(given_rows)
    scores = score_vault(6, accesses, np.arange(6.0), NOW)
    for at in range(6):
        alone, row = score_note(accesses.of(at), float(at), NOW), scores.factors(at)
        for name in Factors.__slots__:
            assert getattr(alone, name) == pytest.approx(getattr(row, name), rel=1e-9, abs=1e-12)


def test_a_recall_raises_a_score_and_waiting_lowers_it():
    """The score is a retention weight: use lifts it, time takes it."""
    old = [(0, 200, 1.0, AccessKind.CREATE)]
    before = score_note(rows(old), 2.0, NOW).score
    assert score_note(rows([*old, (0, 0, 1.0, AccessKind.RECALL)]), 2.0, NOW).score > before
    assert score_note(rows(old), 2.0, NOW + 30 * DAY).score < before


def test_an_old_note_of_todays_project_stays_relevant():
    """Focus stands in for freshness: a three-year-old note at the centre of today's work."""
    old = rows([(0, 1000, 1.0, AccessKind.CREATE), (0, 999, 1.0, AccessKind.RECALL)])
    assert 0.1 == score_note(old, 3.0, NOW).relevance
    assert 0.9 == score_note(old, 3.0, NOW, focus=0.9).relevance


def test_a_vault_without_notes_or_accesses_scores():
    """Empty columns are no special case for the caller."""
    assert 0 == len(score_vault(0, rows([]), np.zeros(0), NOW))
    scores = score_vault(2, rows([]), np.zeros(2), NOW)
    assert [0.0, 0.0] == scores.score.tolist()
