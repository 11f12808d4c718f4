"""Fusion: each signal only ever helps, order does not matter, and neighbours count as lighter fields."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.score.fuse import (
    FTS_K1,
    TermRows,
    agreement,
    best_of_notes,
    chain,
    combine,
    lexical,
    near_places,
    note_words,
    smooth,
    term_rows,
    unit,
)

SCORES = st.lists(st.floats(0, 50, allow_subnormal=False), min_size=2, max_size=12)
WEIGHTS = {-1: 0.6, 1: 0.5, -2: 0.4, 2: 0.35}


def line(n: int, cuts: frozenset[int] = frozenset()) -> dict[int, np.ndarray]:
    """Places of n passages in one row, broken after the numbers in ``cuts``."""
    following = np.array([i + 1 if i + 1 < n and i not in cuts else n for i in range(n)], dtype=np.int64)
    return near_places(following, chain(following), 3)


def test_near_places_counts_from_each_passage_and_stops_at_breaks() -> None:
    """Offset k is k places on; a break is the number n."""
    near = line(4, frozenset({1}))
    assert [1, 4, 3, 4] == near[1].tolist()
    assert [4, 0, 4, 2] == near[-1].tolist()
    assert [4, 4, 4, 4] == near[2].tolist()


@given(st.integers(1, 30), st.data())
def test_before_undoes_after(n: int, data: st.DataObject) -> None:
    """Going k places on and k places back leads home, whatever the breaks."""
    cuts = frozenset(data.draw(st.lists(st.integers(0, n), max_size=5)))
    near = line(n, cuts)
    for k in (1, 2, 3):
        there = near[k]
        for i in np.nonzero(there < n)[0]:
            assert i == near[-k][there[i]]


@given(st.floats(0.05, 20), st.integers(1, 50))
def test_a_term_frequency_comes_back_out_of_its_bm25(tf: float, found: int) -> None:
    """term_rows inverts SQLite's formula."""
    total = 101
    idf = math.log((total - found + 0.5) / (found + 0.5))
    if idf <= 0:
        return
    score = idf * tf * (FTS_K1 + 1) / (tf + FTS_K1)
    rows = term_rows(np.arange(found), np.full(found, score), total)
    assert rows.idf == pytest.approx(idf)
    assert rows.tf == pytest.approx(np.full(found, tf), rel=1e-6)


def test_a_word_next_door_counts_less_than_here_and_more_than_nowhere() -> None:
    """Neighbours are lighter fields."""
    term = TermRows(np.array([1]), np.array([1.0]), 2.0)
    scores = lexical([term], 4, line(4), WEIGHTS, 0.9)
    assert scores[1] > scores[2] > scores[3] > 0
    assert scores[1] > scores[0] > 0


def test_a_word_that_a_neighbour_repeats_adds_little() -> None:
    """Frequencies add up before they saturate: two words beat one word twice."""
    here, both = np.array([0]), np.array([0, 1])
    twice = lexical([TermRows(both, np.ones(2), 1.0)], 2, line(2), WEIGHTS, 0.9)[0]
    other = lexical(
        [TermRows(here, np.ones(1), 1.0), TermRows(np.array([1]), np.ones(1), 1.0)], 2, line(2), WEIGHTS, 0.9
    )[0]
    assert other > twice


@given(SCORES, st.randoms(use_true_random=False))
def test_lexical_does_not_depend_on_the_order_of_terms(tfs: list[float], random: object) -> None:
    """A bag of terms."""
    n = len(tfs)
    terms = [TermRows(np.array([i]), np.array([tf]), 1.0 + i) for i, tf in enumerate(tfs)]
    forward = lexical(terms, n, line(n), WEIGHTS, 1.2)
    assert forward == pytest.approx(lexical(terms[::-1], n, line(n), WEIGHTS, 1.2))


@given(SCORES, st.integers(0, 11), st.floats(0.1, 10), st.floats(0.05, 0.95))
def test_more_of_a_signal_never_lowers_a_passage(
    values: list[float], at: int, more: float, weight: float
) -> None:
    """The rank of a passage never falls when its own cosine or its own words rise."""
    scores = np.array(values)
    at %= len(values)
    other = np.linspace(0, 1, len(values))
    raised = scores.copy()
    raised[at] += more

    def rank(dense: np.ndarray, words: np.ndarray) -> int:
        total = sum(combine(dense, words, weight))
        return int((total > total[at] + 1e-9).sum())

    assert rank(raised, other) <= rank(scores, other)
    assert rank(other, raised) <= rank(other, scores)


@given(SCORES)
def test_combine_does_not_depend_on_the_order_of_passages(values: list[float]) -> None:
    """Turned round, everything turns round."""
    scores, words = np.array(values), np.array(values[::-1])
    forward = sum(combine(scores, words, 0.55))
    assert forward == pytest.approx(sum(combine(scores[::-1], words[::-1], 0.55))[::-1])


def test_without_vectors_words_have_all_the_weight() -> None:
    """An index that is still embedding answers on the same scale."""
    meaning, words = combine(None, np.array([1.0, 2.0]), 0.55)
    assert [0.0, 0.0] == meaning.tolist()
    assert [0.5, 1.0] == words.tolist()


@given(SCORES)
def test_unit_stays_in_its_bounds(values: list[float]) -> None:
    """0 … 1, also where all are equal."""
    scaled = unit(np.array(values))
    assert ((scaled >= 0) & (scaled <= 1)).all()


def test_smoothing_fills_a_missing_neighbour_with_a_share_of_oneself() -> None:
    """So a note of one passage is not punished for standing alone."""
    alone = smooth(np.array([1.0]), line(1), {-1: 0.5, 1: 0.3}, 0.7)
    assert [1.0 + 0.7 * 0.8] == pytest.approx(alone.tolist())


def test_the_best_passage_speaks_for_its_note_and_the_first_of_equals_wins() -> None:
    """One number and one passage a note."""
    best, which = best_of_notes(np.array([1.0, 3.0, 3.0, 0.0]), np.array([0, 3]))
    assert ([3.0, 0.0], [1, 3]) == (best.tolist(), which.tolist())


def test_nothing_in_nothing_out() -> None:
    """An empty vault has no scores and no errors."""
    empty = np.zeros(0)
    assert 0 == len(unit(empty)) == len(best_of_notes(empty, np.zeros(0, dtype=np.int64))[0])
    assert 0 == len(lexical([], 0, {}, WEIGHTS, 1.2)) == len(combine(empty, empty, 0.5)[0])


def test_words_that_meet_only_in_the_whole_note_count_for_it() -> None:
    """Two terms in two passages of one note beat the same terms in two notes; length takes its share."""
    terms = [TermRows(np.array([0]), np.ones(1), 1.0), TermRows(np.array([1]), np.ones(1), 1.0)]
    together = note_words(terms, np.array([0, 2]), 4, 1.2)
    apart = note_words(terms, np.array([0, 1, 2, 3]), 4, 1.2)
    assert together[0] > apart.max()
    assert 0.0 == together[1]
    long = note_words(terms[:1], np.array([0, 3]), 4, 1.2)
    assert long[0] < note_words(terms[:1], np.array([0, 1]), 4, 1.2)[0]


def test_agreement_tells_a_model_that_understands_from_one_that_does_not() -> None:
    """High where the best by words are also near in meaning, about zero where they are anywhere."""
    words = np.linspace(0, 1, 200)
    assert agreement(words**2, words) > 1.5
    assert agreement(np.cos(np.arange(200.0)), words) < 0.5
    assert 0.0 == agreement(np.zeros(0), np.zeros(0)) == agreement(np.ones(5), np.ones(5))
