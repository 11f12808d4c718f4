"""Ranking: what a text says for itself, what a note's standing may do, and how ties fall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.model import Status
from genesys.score.rank import around, days_apart, distinct, order, sharpness, standing, time_match, traits


def test_traits_of_a_text() -> None:
    """Length, a bare question, words of time and names."""
    told = traits('We moved the water pump to Lisbon in May 2024, after Ana read "The Dry Year".')
    assert told.time
    assert not told.question
    assert 1.0 == told.names
    assert traits("Shall we?").question
    assert traits("short").length < told.length


def test_people_who_talk_are_no_news() -> None:
    """Names passed as known don't count."""
    assert 0.0 == traits("thanks, Ana", frozenset({"Ana"})).names


@given(st.sampled_from(list(Status)), st.none() | st.floats(0, 1), st.booleans())
def test_standing_is_bounded(status: Status, score: float | None, pinned: bool) -> None:
    """The prior stays within its weight; only what was pruned is gone."""
    prior = standing(status, score, pinned, 0.05)
    assert 0.95 - 1e-12 <= prior <= 1.05 + 1e-12 or (status is Status.PRUNED and prior == 0)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_higher_score_never_stands_lower(a: float, b: float) -> None:
    """Monotone in the decay score, for each status."""
    low, high = sorted((a, b))
    for status in (Status.ACTIVE, Status.DORMANT, Status.FADING):
        assert standing(status, low, False, 0.05) <= standing(status, high, False, 0.05)


def test_fading_stands_below_dormant_below_active_below_core() -> None:
    """At the same score."""
    stand = [
        standing(s, 0.3, False, 0.05) for s in (Status.FADING, Status.DORMANT, Status.ACTIVE, Status.CORE)
    ]
    assert sorted(stand) == stand
    assert len(set(stand)) == 4


def test_equals_fall_by_path() -> None:
    """Whatever order the rows came in."""
    assert [2, 1, 0] == order(np.array([1.0, 2.0, 2.0]), ["a", "b", "a2"]).tolist()


def test_days_are_counted_to_the_nearest_end() -> None:
    """Zero inside the range; a broken date is infinitely far."""
    assert 0.0 == days_apart("2024-03-10T08:00:00", "2024-03-01", "2024-03-31")
    assert 3.0 == days_apart("2024-04-03", "2024-03-01", "2024-03-31")
    assert float("inf") == days_apart("someday", "2024-03-01", "2024-03-31")


def test_a_note_of_the_day_fits_best() -> None:
    """1 inside the range, halved at the spread, 0 without a date."""
    march = [("2024-03-01", "2024-03-31")]
    assert 1.0 == time_match("2024-03-10", march, 7)
    assert 0.5 == pytest.approx(time_match("2024-04-07", march, 7))
    assert 0.0 == time_match("", march, 7) == time_match("2024-03-10", [], 7)


def test_a_day_tells_more_than_a_year() -> None:
    """All of it up to a week, the less the longer the range; never nothing."""
    assert 1.0 == sharpness("2024-03-10", "2024-03-10") == sharpness("2024-03-04", "2024-03-10")
    assert 1.0 > sharpness("2024-03-01", "2024-03-31") > sharpness("2024-01-01", "2024-12-31") > 0.0


def test_a_range_is_widened_on_both_sides() -> None:
    """In days, across months; what can't be read stays."""
    assert ("2024-02-28", "2024-03-02") == around("2024-02-29", "2024-03-01", 1)
    assert ("soon", "later") == around("soon", "later", 1)


def test_copies_collapse_and_short_texts_do_not() -> None:
    """The same paragraph in two notes is one memory; two notes that say "Done." are two."""
    long = "The pump failed because the filter was never cleaned in winter."
    assert [0, 2, 3] == distinct([long, long.upper() + " ", "Done.", "Done."])
