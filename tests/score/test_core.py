"""Which notes are the vault's core."""

from __future__ import annotations

import numpy as np
import pytest

from genesys.model import EdgeType
from genesys.score.arrays import edge_rows
from genesys.score.core import Preferences, consolidation, hub_and_schema, select

NOTHING = Preferences()


def choose(value, *, pinned=(), members=(), category=None, preferences=NOTHING, eligible=None):
    """Select from so many notes; ``pinned`` by number."""
    n = len(value)
    pins = np.zeros(n, bool)
    pins[list(pinned)] = True
    return select(np.array(value), pins, members, category or [""] * n, preferences, eligible)


def flat(n: int, **at: float) -> list[float]:
    value = [0.1] * n
    for key, number in at.items():
        value[int(key[1:])] = number
    return value


def test_hub_is_degree_over_the_mean_and_schema_the_share_of_hubs_around():
    """A star: its centre is a full hub, its leaves fit a schema; a lone note is neither."""
    # 16 ends of edges on 10 notes: the mean degree is 1.6, a leaf's 1 is 0.625 of it.
    edges = edge_rows([(0, i, EdgeType.RELATED_TO, 1.0) for i in range(1, 9)])
    hub, schema = hub_and_schema(10, edges)
    assert [1.0, 0.625 / 3, 0.0] == pytest.approx(hub[[0, 1, 9]].tolist())
    assert [0.0, 1.0, 0.0] == schema[[0, 1, 9]].tolist()
    assert not any(part.any() for part in hub_and_schema(3, edge_rows([])))


def test_consolidation_weighs_use_place_fit_and_stability():
    """0.4, 0.3, 0.2 and 0.1, each part in [0, 1]."""
    eye = np.eye(4)
    value = consolidation(eye[0], eye[1], eye[2], 1 + 2 * eye[3])
    assert [0.4, 0.3, 0.2, 0.1] == pytest.approx(value.tolist())


def test_the_best_two_percent_above_the_threshold_are_core():
    """Of 200 notes with ten above the threshold, the four best."""
    choice = choose(flat(200, **{f"n{i}": 0.6 + i / 100 for i in range(10)}))
    assert {9, 8, 7, 6} == set(choice.core)
    assert "consolidation 0.69, at least 0.55" == choice.core[9]


def test_no_more_than_fifty_are_core_by_score():
    """A large vault's core stays small enough to keep at hand."""
    assert 50 == len(choose([0.9] * 10_000).core)


def test_pins_and_auto_categories_take_no_place():
    """What a person wants as core comes on top of what the score gives."""
    category = ["", "people", *[""] * 98]
    always = Preferences(auto=frozenset({"people"}))
    choice = choose(flat(100, n5=0.9, n6=0.8), pinned=[0], category=category, preferences=always)
    assert {0, 1, 5, 6} == set(choice.core)
    assert "pinned" == choice.core[0]


def test_excluded_categories_are_never_core_but_by_a_pin():
    """Excluded goes before auto; a pin before all."""
    never = Preferences(auto=frozenset({"log"}), excluded=frozenset({"log"}))
    value, category = flat(100, n2=0.9), ["log"] * 100
    assert {3} == set(choose(value, pinned=[3], members=[2], category=category, preferences=never).core)


def test_approval_categories_are_proposed_once_and_kept_when_granted():
    """Before the yes a proposal, afterwards an ordinary member."""
    ask = Preferences(approval=frozenset({"work"}))
    category = ["work"] * 100
    assert {2} == set(choose(flat(100, n2=0.9), category=category, preferences=ask).proposals)
    granted = choose(flat(100, n2=0.9), members=[2], category=category, preferences=ask)
    assert ({2}, {}) == (set(granted.core), granted.proposals)


def test_a_member_stays_until_it_falls_below_the_lower_threshold():
    """0.52 does not get in and does not drop out."""
    assert not choose(flat(100, n2=0.52)).core
    assert {2} == set(choose(flat(100, n2=0.52), members=[2]).core)
    assert not choose(flat(100, n2=0.49), members=[2]).core


def test_a_newcomer_must_be_clearly_better_to_take_a_members_place():
    """With one place, 0.60 does not push out 0.57, 0.70 does."""
    assert {1} == set(choose(flat(50, n1=0.57, n2=0.60), members=[1]).core)
    assert {2} == set(choose(flat(50, n1=0.57, n2=0.70), members=[1]).core)


def test_what_is_not_eligible_is_not_core():
    """A pruned note is not brought back by a pin."""
    able = np.ones(100, bool)
    able[2] = False
    assert not choose(flat(100, n2=0.9), pinned=[2], eligible=able).core
