"""A score brought back from what a note says about itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.model import AccessKind, Factors
from genesys.score.activation import recall_weight
from genesys.score.arrays import ACCESS_CODE, DAY, Accesses, access_rows
from genesys.score.decay import score_note
from genesys.score.restore import MAX_ROWS, restore, synthesise

NOW = 1_800_000_000.0
C, E, R, X = AccessKind.CREATE, AccessKind.EDIT, AccessKind.RECALL, AccessKind.CASCADE
SUPPORT = st.sampled_from([0.0, 0.5, 1.0, 2.5, 6.0, 12.0])


@st.composite
def histories(draw) -> Accesses:
    """Creation up to four years ago, then recalls, edits and echoes: bursts and single ones."""
    created = draw(st.floats(0.1, 1500))
    rows = [(0, NOW - created * DAY, 1.0, C)]
    for burst in draw(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 12)), max_size=12)):
        start = created * burst[0]
        for i in range(burst[1]):
            weight = recall_weight(draw(st.sampled_from([0, 5])), i)
            rows.append((0, NOW - max(start - i / 48, 0) * DAY, weight, R))
    for share in draw(st.lists(st.floats(0, 1), max_size=10)):
        rows.append((0, NOW - created * share * DAY, 0.5, E))
    for share in draw(st.lists(st.floats(0, 1), max_size=30)):
        rows.append((0, NOW - created * share * DAY, 0.3, X))
    return access_rows(rows)


def written(accesses: Accesses, at: float = NOW) -> tuple[float, int, float | None, float | None]:
    """What a note would say at ``at``: created, recalls, last recalled, last edit."""
    past = accesses.take(accesses.time <= at)
    recalls, edits = (past.time[past.kind == ACCESS_CODE[kind]] for kind in (R, E))
    last = float(recalls.max()) if len(recalls) else None
    edit = float(edits.max()) if len(edits) else None
    return float(accesses.time.min()), len(recalls), last, edit


@given(histories(), SUPPORT, st.sampled_from([0.0, 0.4, 0.9]))
def test_a_rebuilt_score_is_the_written_one_whatever_the_history(accesses, support, focus):
    """Rebuilt from created, count, last recall, last edit and score: within 0.1, in truth within 0.03."""
    original = score_note(accesses, support, NOW, focus)
    created, recalls, last, edited = written(accesses)
    rebuilt = restore(
        created,
        recalls,
        last,
        round(original.score, 2),
        support=support,
        focus=focus,
        scored_at=NOW,
        edited=edited,
    )
    assert abs(score_note(rebuilt, support, NOW, focus).score - original.score) <= 0.03


@given(histories(), SUPPORT, st.floats(2, 30), st.floats(0, 90))
def test_a_pause_of_three_months_costs_little_more(accesses, support, since, pause):
    """Genesys last ran up to 90 days before the rebuild: still within 0.15 of what the index would say."""
    at = float(accesses.time.max()) + since * DAY
    now = at + pause * DAY
    created, recalls, last, edited = written(accesses)
    score = round(score_note(accesses, support, at).score, 2)
    rebuilt = restore(created, recalls, last, score, support=support, scored_at=at, edited=edited)
    assert abs(score_note(rebuilt, support, now).score - score_note(accesses, support, now).score) <= 0.15


@given(histories(), SUPPORT, st.integers(-9, 9))
def test_a_score_written_before_its_last_small_move_serves(accesses, support, moved):
    """Write-back skips moves of less than 0.1, so what is written may be that far off; not further."""
    original = score_note(accesses, support, NOW).score
    score = round(original, 2) + moved / 100
    if not 0 <= score <= 1:
        return
    created, recalls, last, edited = written(accesses)
    rebuilt = restore(created, recalls, last, score, support=support, scored_at=NOW, edited=edited)
    assert abs(score_note(rebuilt, support, NOW).score - original) <= 0.1


def test_a_note_without_a_score_gets_even_recalls():
    """Five recalls, the last when the note says; the count is the count."""
    rows = synthesise(NOW - 100 * DAY, 5, NOW)
    recalls = rows.time[rows.kind == ACCESS_CODE[R]]
    assert NOW == recalls.max()
    assert [20, 20, 20, 20, 20] == pytest.approx((np.diff(rows.time) / DAY).tolist())
    assert [C, *[R] * 5] == [list(AccessKind)[k] for k in rows.kind]


def test_thousands_of_recalls_make_few_rows_of_the_same_weight():
    """Ten thousand recalls are no ten thousand rows; together they weigh the same."""
    rows = synthesise(NOW - 1000 * DAY, 10_000, NOW)
    assert MAX_ROWS + 1 == len(rows)
    assert 10_001 == pytest.approx(float(rows.weight.sum()))


@pytest.mark.parametrize("shape", [0.0, 0.25, 1.0, 4.0, float("inf")])
@pytest.mark.parametrize("recalls", [0, 1, 2, 50])
def test_every_shape_ends_at_the_last_recall_and_never_starts_before_creation(shape, recalls):
    """Whatever the spread, the count and both ends are right, also within a single minute."""
    for created in (NOW - 300 * DAY, NOW - 60, NOW):
        rows = synthesise(created, recalls, NOW if recalls else None, shape)
        assert recalls + 1 == len(rows)
        assert created == rows.time.min()
        assert rows.time.max() == (NOW if recalls else created)


def test_a_creation_date_after_the_last_recall_is_no_trouble():
    """A person may type any date as created."""
    rows = restore(NOW, 3, NOW - 10 * DAY, 0.4, support=1.0, scored_at=NOW)
    assert np.isfinite(rows.time).all()
    assert rows.time.max() <= NOW


def test_an_impossible_score_comes_as_near_as_it_can():
    """A score of 0.9 on a lonely note can't be had; nothing breaks, weights stay finite and positive."""
    for score in (0.0, 0.9, 1.0):
        rows = restore(NOW - 100 * DAY, 2, NOW - 50 * DAY, score, support=0.0, scored_at=NOW)
        assert np.isfinite(rows.weight).all()
        assert (rows.weight > 0).all()
        assert isinstance(score_note(rows, 0.0, NOW), Factors)
