"""How available a note is, from its accesses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.model import ScoreParams
from genesys.score.activation import admissible, base_level, reactivation, recall_weight, strength
from genesys.score.arrays import DAY, Accesses, History, history

NOW = 1_800_000_000.0
PARAMS = ScoreParams()
EXACT = ScoreParams(actr_exact=10**9)


def columns(days: list[float], weights: list[float] | None = None):
    """One note's accesses, so many days ago."""
    times = NOW - np.array(days, dtype=np.float64) * DAY
    weight = np.array(weights if weights is not None else [1.0] * len(days), dtype=np.float64)
    return past(1, np.zeros(len(days), np.int64), times, weight), NOW


def past(n, note, times, weight) -> History:
    """So many notes' accesses, in order."""
    return history(n, Accesses(note, times, weight, np.zeros(len(note), np.int8)))


def awake(days: list[float]) -> float:
    return float(reactivation(base_level(*columns(days)))[0])


@pytest.mark.parametrize(("expected", "age"), [(0.98, 1), (0.65, 30), (0.13, 365)])
def test_one_access_is_available_for_a_day_and_mostly_gone_after_a_year(expected, age):
    """One access leaves 0.98 after a day, 0.65 after a month, 0.13 after a year."""
    assert expected == round(awake([age]), 2)


def test_a_note_never_accessed_has_no_activation():
    """Without accesses B is −inf and reactivation exactly 0, without a warning."""
    level = base_level(past(2, np.array([1]), np.array([NOW]), np.array([1.0])), NOW)
    assert -np.inf == level[0]
    assert 0.0 == reactivation(level)[0]
    assert reactivation(level)[1] > 0.99


def test_an_empty_vault_scores_to_nothing():
    """No notes, no numbers, no error."""
    assert 0 == len(base_level(past(0, np.zeros(0, np.int64), np.zeros(0), np.zeros(0)), NOW))


def test_an_access_in_the_future_counts_as_now():
    """A clock that jumped back makes an access no older than an hour, and no younger."""
    assert awake([0.0]) == awake([-400.0]) == awake([1 / 48])


def test_accesses_may_come_in_any_order():
    """The order of the rows does not matter, beyond the exact ones too."""
    rng = np.random.default_rng(7)
    note, days = rng.integers(0, 9, 900), rng.uniform(0, 900, 900)
    weight = rng.choice([0.3, 0.5, 1.0], 900)
    times = NOW - days * DAY
    order = rng.permutation(900)
    one = base_level(past(9, note, times, weight), NOW)
    other = base_level(past(9, note[order], times[order], weight[order]), NOW)
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_notes_do_not_touch_each_other():
    """A vault's levels are those of its notes one by one."""
    rng = np.random.default_rng(3)
    note = np.concatenate([np.full(200, 0), np.full(5, 1), np.full(33, 2), np.full(32, 3)])
    times = NOW - rng.uniform(0, 500, len(note)) * DAY
    weight = rng.choice([0.3, 1.0], len(note))
    together = base_level(past(4, note, times, weight), NOW)
    for at in range(4):
        own = note == at
        alone = base_level(past(1, np.zeros(own.sum(), np.int64), times[own], weight[own]), NOW)
        assert together[at] == pytest.approx(alone[0], abs=1e-12)


HISTORIES = st.lists(
    st.tuples(st.floats(0.05, 3000), st.sampled_from([0.3, 0.5, 1.0])), min_size=33, max_size=300
)


@given(HISTORIES)
def test_the_closed_form_keeps_within_its_bounds_whatever_the_history(accesses):
    """Too high by less than a factor of two, too low by at most the weight of the older accesses.

    An even spread over [a, b] has mean 2/(√a+√b), less than twice 1/√b; and nothing older than the exact
    accesses can count more than they do.
    """
    accesses.sort()
    days, weights = [a for a, _ in accesses], [w for _, w in accesses]
    exact = base_level(*columns(days, weights), EXACT)[0]
    error = base_level(*columns(days, weights), PARAMS)[0] - exact
    assert -np.log(sum(weights) / sum(weights[:32])) - 1e-9 <= error <= np.log(2)


@given(st.integers(33, 400), st.floats(0.2, 30), st.floats(0, 0.5))
def test_the_closed_form_is_exact_to_a_hundredth_for_steady_use(count, gap, jitter):
    """A note used about every so many days gets the same reactivation either way."""
    wobble = np.random.default_rng(count).uniform(-jitter, jitter, count)
    days = [max(gap * (i + 1 + wobble[i]), 0.05) for i in range(count)]
    exact = reactivation(base_level(*columns(days), EXACT))[0]
    assert abs(reactivation(base_level(*columns(days), PARAMS))[0] - exact) < 0.01


def test_old_accesses_at_one_moment_are_exact():
    """Forty accesses at the same second: the closed form has no zero width to divide by."""
    assert strength(*columns([10.0] * 40))[0] == pytest.approx(40 * 10**-0.5)


def test_a_decay_of_one_is_the_logarithmic_case():
    """d = 1 makes 1−d zero; the integral is a logarithm."""
    days = [float(d) for d in range(1, 101)]
    one, near = ScoreParams(actr_decay=1.0), ScoreParams(actr_decay=1.0001)
    assert strength(*columns(days), one)[0] == pytest.approx(strength(*columns(days), near)[0], rel=1e-2)


@given(st.lists(st.floats(0.1, 2000), min_size=1, max_size=60), st.floats(0, 100))
def test_waiting_never_raises_activation(days, wait):
    """Without a new access, activation only falls."""
    accesses, _ = columns(days)
    before = strength(accesses, NOW)[0]
    assert strength(accesses, NOW + wait * DAY)[0] <= before * (1 + 1e-9)


@given(st.lists(st.floats(0.1, 2000), min_size=1, max_size=31), st.floats(0, 2000))
def test_an_access_never_lowers_activation(days, more):
    """One more access makes a note more available, whenever it was."""
    assert strength(*columns([*days, more]))[0] > strength(*columns(days))[0]


def test_an_edit_counts_once_a_day():
    """A second edit within a day adds nothing, whichever came first."""
    assert admissible([], NOW)
    assert not admissible([NOW - DAY + 1], NOW)
    assert not admissible([NOW + 60], NOW)
    assert admissible([NOW - DAY, NOW - 2 * DAY], NOW)


def test_recalls_of_one_day_count_less_and_less():
    """1 in the top three, half below; every earlier recall of the day halves it; never above two in all."""
    assert [1.0, 1.0, 0.5] == [recall_weight(rank, 0) for rank in (0, 2, 3)]
    assert [1.0, 0.5, 0.25] == [recall_weight(0, earlier) for earlier in range(3)]
    assert sum(recall_weight(0, earlier) for earlier in range(2000)) <= 2
