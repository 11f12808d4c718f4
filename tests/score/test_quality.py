"""Figures of a ranking: what they are at their ends, that they keep their bounds, and how sure they are."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.score.quality import (
    by_ranks,
    difference,
    hit_at,
    interval,
    ndcg_at,
    recall_at,
    reciprocal_rank,
)
from genesys.score.signals import NO_SIGNAL, SIGNALS, without
from genesys.tuning import RecallParams

NOTES = st.lists(st.sampled_from("abcdefgh"), max_size=8)
GOLD = st.sets(st.sampled_from("abcdefgh"), min_size=1)


@given(NOTES, GOLD, st.integers(1, 10))
def test_figures_keep_their_bounds(ranked: list[str], gold: set[str], k: int) -> None:
    """All in [0, 1]; a hit is there where recall is more than nothing; nDCG is 1 for a perfect order."""
    share = recall_at(ranked, gold, k)
    assert 0.0 <= share <= 1.0
    assert hit_at(ranked, gold, k) == float(share > 0)
    assert 0.0 <= ndcg_at(ranked, gold, k) <= 1.0 + 1e-12
    assert pytest.approx(1.0) == ndcg_at(sorted(gold), gold, k)
    assert (reciprocal_rank(ranked, gold) > 0) == bool(set(ranked) & gold)


def test_the_order_counts_where_it_should() -> None:
    """Recall within k does not care for the order; reciprocal rank and nDCG do. A note counts once."""
    early, late = ["x", "a", "y", "z"], ["x", "y", "z", "a"]
    assert recall_at(early, {"a", "b"}, 4) == recall_at(late, {"a", "b"}, 4) == 0.5
    assert (0.5, 0.25) == (reciprocal_rank(early, {"a"}), reciprocal_rank(late, {"a"}))
    assert ndcg_at(early, {"a"}, 4) > ndcg_at(late, {"a"}, 4)
    assert recall_at(["x", "x", "x", "a"], {"a"}, 2) == 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_an_interval_holds_its_mean(values: list[float]) -> None:
    """low ≤ mean ≤ high, and the same values give the same interval."""
    mean, low, high = interval(values, draws=200)
    assert low - 1e-9 <= mean <= high + 1e-9
    assert (mean, low, high) == interval(values, draws=200)


def test_a_difference_is_sure_where_every_question_agrees() -> None:
    """A paired difference that is the same everywhere has no width; of two equal systems there is none."""
    assert pytest.approx((0.25, 0.25, 0.25)) == difference([0.75] * 30, [0.5] * 30)
    assert (0.0, 0.0, 0.0) == difference([0.3, 1.0], [0.3, 1.0])
    with pytest.raises(ValueError, match="zip"):
        difference([1.0], [1.0, 0.0])


def test_fusion_by_ranks_puts_first_what_both_put_high() -> None:
    """A note that is second in both beats one that is first in one."""
    assert "b" == by_ranks([["a", "b", "c"], ["d", "b", "e"]])[0]
    assert [] == by_ranks([])


def test_every_weight_of_recall_can_be_switched_off() -> None:
    """A field of RecallParams is part of a signal, or named as one that shapes or bounds; none is unknown."""
    known = {f.name for f in fields(RecallParams)}
    off = {name for signal in SIGNALS for name in signal.off}
    assert set() == off - known
    assert set() == NO_SIGNAL - known
    assert set() == known - off - NO_SIGNAL
    assert all(without(RecallParams(), signal) != RecallParams() for signal in SIGNALS)
