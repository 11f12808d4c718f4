"""Whether a note matters now."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.model import AccessKind, ScoreParams
from genesys.score.arrays import DAY, access_rows, history
from genesys.score.relevance import (
    SPACED_LIMIT,
    centroid,
    cosine_to,
    focus,
    freshness,
    idle_days,
    overlap,
    recent_work,
    relevance,
    rescale,
    spaced_recalls,
    stability,
)

NOW = 1_800_000_000.0
C, E, R, X, P = (AccessKind.CREATE, AccessKind.EDIT, AccessKind.RECALL, AccessKind.CASCADE, AccessKind.PIN)


def rows(*given: tuple[int, float, AccessKind]):
    """Accesses from (note, days ago, kind)."""
    return access_rows([(note, NOW - days * DAY, 1.0, kind) for note, days, kind in given])


def test_idleness_ends_with_any_use_of_the_note_itself():
    """Recalls, edits and pins end idleness; the recall of a neighbour does not; no access is forever."""
    accesses = rows((0, 90, C), (0, 5, X), (1, 90, C), (1, 7, E), (2, 90, C), (2, 6, P), (3, -2, R))
    assert [90, 7, 6, 0, np.inf] == idle_days(history(5, accesses), NOW).tolist()


def spaced(*days: float) -> int:
    return int(spaced_recalls(history(1, rows((0, days[0], C), *((0, d, R) for d in days[1:]))))[0])


@pytest.mark.parametrize(
    ("expected", "days"),
    [
        (0, (10,)),
        (0, (10, 9.5)),
        (1, (10, 9)),
        (1, (10, 5, 4.9, 4.8, 4.7, 4.6, 4.5, 4.4, 4.3, 4.2, 4.1)),
        (3, (10, 8, 7, 4)),
        (2, (10, 9, 8.5, 8)),
    ],
)
def test_only_recalls_a_day_apart_make_a_note_more_stable(expected, days):
    """A recall within a day of the last one that counted adds nothing."""
    assert expected == spaced(*days)


def test_a_slightly_early_habit_still_counts():
    """Recalled every 23 hours for three weeks: every second recall is spaced, none is lost for good."""
    assert 10 == spaced(22, *(22 - (i + 1) * 23 / 24 for i in range(21)))


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(0, 60), st.sampled_from([C, R, X, E])), max_size=60))
def test_spaced_recalls_agree_with_counting_one_by_one(given_rows):
    """The vectorised count is the plain loop's, for every note at once."""
    accesses = rows(*given_rows)
    for note, count in enumerate(spaced_recalls(history(5, accesses))):
        times = sorted(NOW - d * DAY for n, d, k in given_rows if n == note and k in (C, R))
        expected, last = 0, times[0] if times else 0.0
        for time in times[1:]:
            if time >= last + DAY - 0.01:
                expected, last = expected + 1, time
        assert min(expected, SPACED_LIMIT) == count


def test_stability_grows_less_with_every_recall_and_ends_at_three():
    """1.0, 1.4, 1.72 … towards 3."""
    steps = stability(np.arange(SPACED_LIMIT + 1))
    assert [1.0, 1.4, 1.72] == pytest.approx(steps[:3].tolist())
    assert (np.diff(steps) > 0).all()
    assert (np.diff(steps, 2) < 0).all()
    assert 2.99 < steps[-1] <= 3.0 == round(float(stability(np.array([10**6]))[0]), 2)


def test_freshness_halves_in_180_days_and_later_for_a_stable_note():
    """The half-life is 180 days times stability."""
    fresh = freshness(np.array([180.0, 180.0, 0.0, np.inf]), np.array([1.0, 3.0, 1.0, 1.0]))
    assert [0.5, 2 ** (-1 / 3), 1.0, 0.0] == pytest.approx(fresh.tolist())


def test_relevance_is_the_better_of_fresh_and_in_focus_and_never_nothing():
    """An old note of today's project is as relevant as its focus says."""
    assert [0.9, 0.7, 0.1] == relevance(np.array([0.9, 0.01, 0.0]), np.array([0.2, 0.7, 0.0])).tolist()


def test_recent_work_is_what_was_used_in_the_last_fortnight():
    """Edits and recalls steer the focus, half as much a week later; cascades and old accesses do not."""
    notes, weight = recent_work(rows((0, 0, E), (1, 7, R), (2, 15, R), (3, 1, X), (4, -3, C)), NOW)
    assert [0, 1, 4] == notes.tolist()
    assert [1.0, 0.5, 1.0] == pytest.approx(weight.tolist())


def test_the_centroid_points_where_the_weight_is():
    """A unit vector, nearer to the heavier note; zeros where nothing was done."""
    vectors = np.eye(3, dtype=np.float32)
    unit = centroid(vectors, np.array([3.0, 1.0, 0.0]))
    assert 1.0 == pytest.approx(float(np.linalg.norm(unit)), abs=1e-6)
    assert unit[0] > unit[1] > unit[2] == 0
    assert not centroid(vectors[:0], np.zeros(0)).any()


def test_a_note_is_as_close_as_its_closest_passage():
    """The best passage decides; a note without vectors is at 0."""
    vectors = np.array([[1, 0], [0, 1], [-1, 0]], dtype=np.float32)
    best = cosine_to(3, np.array([0, 0, 1]), vectors, np.array([1, 0], dtype=np.float32))
    assert [1.0, -1.0, 0.0] == best.tolist()


def test_focus_weighs_closeness_and_shared_names():
    """0.7 of the rescaled cosine and 0.3 of the overlap, within [0, 1]."""
    params = ScoreParams()
    cosine = np.array([params.focus_cosine_low, params.focus_cosine_high, 1.0, -1.0])
    assert [0.0, 1.0, 1.0, 0.0] == rescale(cosine).tolist()
    assert [0.3, 1.0, 0.7, 0.0] == pytest.approx(focus(cosine, np.array([1.0, 1.0, 0.0, 0.0])).tolist())


def test_a_model_that_finds_everything_alike_puts_nothing_in_focus():
    """Where the whole vault is at 0.6, only what stands out of it is in focus; English limits hold else."""
    alike = rescale(np.array([0.6] * 90 + [0.7] * 10))
    assert 0.0 == alike[0]
    assert 0.5 == pytest.approx(alike[-1])
    apart = rescale(np.array([0.1] * 90 + [0.45] * 10))
    assert [0.0, 0.5] == pytest.approx([apart[0], apart[-1]])


def test_overlap_counts_rare_terms_of_recent_work():
    """A tag of today's note lifts the others that bear it; a tag of every note lifts none."""
    note, term = np.array([0, 0, 1, 1, 2, 3]), np.array([0, 1, 0, 1, 0, 0])
    shared = overlap(4, note, term, np.array([0]), np.array([2.0]))
    assert [0.5, 0.5, 0.0, 0.0] == pytest.approx(shared.tolist(), abs=1e-6)
    assert not overlap(4, note, term, np.zeros(0, np.int64), np.zeros(0)).any()
    assert not overlap(4, note[:0], term[:0], np.array([0]), np.array([2.0])).any()
