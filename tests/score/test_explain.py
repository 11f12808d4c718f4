"""Why a note has its score, and what would change it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.model import AccessKind, Kind, Status
from genesys.score.arrays import DAY, access_rows
from genesys.score.decay import score_note
from genesys.score.explain import SOURCES, Standing, decline, explain
from genesys.score.lifecycle import next_status

NOW = 1_800_000_000.0  # 2027-01-15 08:00 UTC
C, R = AccessKind.CREATE, AccessKind.RECALL


def rows(*days: float):
    """Creation and recalls, so many days ago."""
    return access_rows([(0, NOW - d * DAY, 1.0, R if i else C) for i, d in enumerate(days)])


@given(st.lists(st.floats(0, 2000), max_size=60), st.floats(0, 20), st.floats(0, 1))
def test_what_is_shown_multiplies_and_adds_up(days, support, focus):
    """The three factors make the score, and the accesses' shares make one."""
    found = explain(rows(*days), support, NOW, Standing(), focus)
    terms = {term.name: term.value for term in found.terms}
    assert found.factors.score == terms["relevance"] * terms["connectivity"] * terms["reactivation"]
    shares = [source.share for source in found.sources]
    assert len(days) == len(shares) + found.older
    assert (1.0 if days else 0.0) == pytest.approx(sum(shares) + found.older_share)
    assert len(shares) <= SOURCES


def test_the_latest_accesses_come_first_with_their_shares():
    """A recall yesterday outweighs a creation a hundred days ago ten to one."""
    found = explain(rows(100, 1), 1.0, NOW, Standing())
    assert [(R, 0.909), (C, 0.091)] == [(s.kind, round(s.share, 3)) for s in found.sources]


def test_the_outlook_says_what_a_recall_would_do():
    """A dormant note's outlook names the score after a recall, and that it would be active."""
    standing = Standing(Status.DORMANT, 60)
    found = explain(rows(200), 1.0, NOW, standing)
    recall = next(o for o in found.outlook if o.act == "recall")
    later = access_rows([(0, NOW - 200 * DAY, 1.0, C), (0, NOW, 1.0, R)])
    assert recall.score == score_note(later, 1.0, NOW).score
    assert f"a recall now would bring it to {recall.score:.2f} and make it active" == recall.text
    assert next(o for o in found.outlook if o.act == "link").score > found.factors.score


def test_the_outlook_dates_every_step_down():
    """A lonely memory made today: dormant on day 30, fading on day 180, pruned on day 210."""
    standing = Standing(kind=Kind.MEMORY, orphan=True)
    steps = decline(rows(0), 0.0, NOW, standing)
    assert [(30, Status.DORMANT), (180, Status.FADING), (210, Status.PRUNED)] == [
        ((o.when - NOW) / DAY, o.status) for o in steps
    ]
    assert steps[0].text.startswith("without use it goes dormant on 2027-02-14: score 0.0")


def test_dates_are_the_persons():
    """Late in the evening far west of Greenwich it is still the day before."""
    standing = Standing(kind=Kind.MEMORY, orphan=True)
    assert "2027-02-13" in decline(rows(0), 0.0, NOW, standing, utc_offset_s=-9 * 3600)[0].text


@given(
    st.lists(st.floats(0.1, 400), min_size=1, max_size=8),
    st.floats(0, 12),
    st.floats(0, 1),
    st.sampled_from([Status.ACTIVE, Status.DORMANT, Status.FADING]),
    st.floats(0, 300),
    st.booleans(),
)
def test_the_outlook_is_what_the_daily_pass_would_do(days, support, focus, status, stayed, orphan):
    """Day by day with the lifecycle itself, the same steps on the same days."""
    standing = Standing(status, stayed, Kind.MEMORY, orphan=orphan)
    expected, current, entered = [], status, -stayed
    for day in range(0, 400):
        factors = score_note(rows(*days), support, NOW + day * DAY, focus if day < 14 else 0.0)
        new, _ = next_status(
            current, factors.score, factors.idle_days, day - entered, Kind.MEMORY, False, False, orphan
        )
        if new is not current:
            expected.append((day, new))
            current, entered = new, float(day)
    steps = decline(rows(*days), support, NOW, standing, focus)
    assert expected == [((o.when - NOW) / DAY, o.status) for o in steps if o.when < NOW + 400 * DAY]


def test_thresholds_are_those_of_the_status():
    """An active note is told what keeps it from dormancy, a fading person's note only the way back."""
    active = explain(rows(100), 1.0, NOW, Standing(days_in_status=100)).thresholds
    assert ["score", "days", "days"] == [limit.unit for limit in active]
    assert 70 == pytest.approx(active[1].distance)
    assert ["active again above {}"] == [
        limit.name for limit in explain(rows(900), 0.0, NOW, Standing(Status.FADING, 300)).thresholds
    ]
    assert () == explain(rows(1), 0.0, NOW, Standing(Status.CORE, 3, pinned=True)).thresholds


def test_a_threshold_is_told_in_words():
    """What happens, where, and how it is now."""
    texts = [limit.text for limit in explain(rows(100), 1.0, NOW, Standing(days_in_status=10)).thresholds]
    assert "goes dormant only after 30 days without use (now 100)" == texts[1]
    assert "goes dormant only after 30 days as active (now 10)" == texts[2]
    assert re.fullmatch(r"goes dormant below 0\.15 \(now 0\.\d\d\)", texts[0])


def test_an_act_that_changes_nothing_has_no_outlook():
    """A note that was used a moment ago gains nothing by one more recall."""
    acts = {o.act for o in explain(rows(0), 1.0, NOW, Standing()).outlook}
    assert acts == {"link", "none"}


def test_a_pinned_note_has_no_way_down():
    """Nothing awaits a pinned note, and nothing revives a pruned one."""
    assert () == decline(rows(500), 0.0, NOW, Standing(Status.CORE, 400, pinned=True))
    assert () == explain(rows(500), 0.0, NOW, Standing(Status.PRUNED, 40)).outlook
