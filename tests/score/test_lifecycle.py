"""Where a note stands, and why."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.model import Kind, Status
from genesys.score.arrays import KIND_CODE, STATUS_CODE
from genesys.score.lifecycle import Roster, changes, next_status, settled_status

A, D, F, P, K = Status.ACTIVE, Status.DORMANT, Status.FADING, Status.PRUNED, Status.CORE
NOTE, MEMORY = Kind.NOTE, Kind.MEMORY


def step(current, score, idle, stayed, kind=MEMORY, pinned=False, core=False, orphan=True):
    return next_status(current, score, idle, stayed, kind, pinned, core, orphan)[0]


@pytest.mark.parametrize(
    ("expected", "current", "score", "idle", "stayed"),
    [
        (D, A, 0.149, 30, 30),
        (A, A, 0.15, 300, 300),
        (A, A, 0.149, 29.9, 300),
        (A, A, 0.01, 300, 29),
        (F, D, 0.029, 180, 30),
        (D, D, 0.03, 400, 300),
        (D, D, 0.01, 179, 100),
        (D, D, 0.01, 400, 29),
        (P, F, 0.009, 210, 30),
        (F, F, 0.01, 400, 300),
        (F, F, 0.001, 209, 100),
        (F, F, 0.001, 400, 29),
        (A, D, 0.21, 100, 50),
        (D, D, 0.2, 100, 50),
        (A, F, 0.21, 400, 50),
        (A, F, 0.001, 10, 50),
        (A, D, 0.001, 0, 1),
        (A, K, 0.0, 900, 900),
        (P, P, 0.9, 0, 10),
    ],
)
def test_each_step_needs_all_its_conditions(expected, current, score, idle, stayed):
    """Down: score, idleness and stay together. Up: use, or a score above 0.2. Pruned: only an undo."""
    assert expected is step(current, score, idle, stayed)


@pytest.mark.parametrize("held", [{"kind": NOTE}, {"orphan": False}])
def test_only_a_lonely_memory_is_pruned(held):
    """A person's note, and a memory that a note links to, fade and stay."""
    assert F is step(F, 0.0, 9999, 9999, **held)


@pytest.mark.parametrize("held", [{"pinned": True}, {"core": True}])
@pytest.mark.parametrize("current", [A, D, F, K])
def test_pinned_and_core_notes_are_core_whatever_the_score(current, held):
    """A pin or membership holds a note, from every status but pruned."""
    assert K is step(current, 0.0, 9999, 9999, **held)


def test_every_change_says_why():
    """The reason has the figures; where nothing changes it is empty."""
    assert ("", "") == (
        next_status(A, 0.5, 1, 1, NOTE, False, False, False)[1],
        next_status(K, 0.5, 1, 1, NOTE, True, False, False)[1],
    )
    reason = next_status(A, 0.1, 43.2, 50, NOTE, False, False, False)[1]
    assert "score 0.100 is below 0.15 after 43 days without use" == reason
    assert "pinned" == next_status(D, 0.1, 40, 50, NOTE, True, False, False)[1]


def test_a_note_of_unknown_history_settles_where_it_belongs():
    """A vault's old notes don't all start as active, and none starts as pruned."""
    assert [A, D, F, F, K] == [
        settled_status(0.3, 400, False, False),
        settled_status(0.1, 40, False, False),
        settled_status(0.02, 200, False, False),
        settled_status(0.0, 9999, False, False),
        settled_status(0.0, 9999, True, False),
    ]


CELL = st.tuples(
    st.sampled_from(list(Status)),
    st.floats(0, 1) | st.sampled_from([0.005, 0.02, 0.1, 0.15, 0.2]),
    st.floats(0, 500) | st.sampled_from([30.0, 180.0, 210.0]),
    st.floats(0, 500) | st.sampled_from([30.0]),
    st.sampled_from([NOTE, MEMORY]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


@given(st.lists(CELL, max_size=40))
def test_the_vault_changes_as_its_notes_do_one_by_one(cells):
    """Looking only at candidates misses no change."""
    column = list(zip(*cells, strict=True)) if cells else [()] * 8
    roster = Roster(
        np.array([STATUS_CODE[s] for s in column[0]], dtype=np.int8),
        np.array(column[3], dtype=float),
        np.array([KIND_CODE[k] for k in column[4]], dtype=np.int8),
        *(np.array(column[i], dtype=bool) for i in (5, 6, 7)),
    )
    found = {c.index: (c.new, c.reason) for c in changes(roster, np.array(column[1]), np.array(column[2]))}
    each = [next_status(*cell) for cell in cells]
    assert found == {i: row for i, row in enumerate(each) if row[0] is not cells[i][0]}
