"""The prior: it orders equal matches by retention, and turns nothing but near-ties."""

from __future__ import annotations

import pytest

from engine.kit import TestVault
from genesys.model import Status
from genesys.store.index import open_index
from genesys.store.rows import StateChange

EQUAL = ("One.md", "Two.md", "Three.md")


def give(vault: TestVault, states: dict[str, StateChange]) -> None:
    """States by path, in the index only."""
    with open_index(vault.settings().index) as index:
        index.set_states(list(states.values()), vault.now)


@pytest.fixture
def twins(vault: TestVault) -> TestVault:
    """Three notes that match a question alike, a better one, and others."""
    vault.write_all(dict.fromkeys(EQUAL, "The harbour crane lifts timber.\n"))  # too short to be a copy
    vault.write("Best.md", "The harbour crane that lifts granite blocks is painted red.\n")
    vault.write_all({f"Filler/{i}.md": f"An ordinary note number {i} about bread.\n" for i in range(9)})
    vault.index(embed=False)  # by words alone they are equal to the last bit
    return vault


def state(vault: TestVault, path: str, status: Status, score: float) -> StateChange:
    with open_index(vault.settings().index) as index:
        note = index.note_id(path)
    assert note is not None
    return StateChange(note, status, score)


@pytest.mark.parametrize("order", [EQUAL, EQUAL[::-1], (EQUAL[1], EQUAL[2], EQUAL[0])], ids=" ".join)
def test_equal_matches_are_ordered_by_retention(twins: TestVault, order: tuple[str, ...]) -> None:
    """The same words, the same likeness: whatever their paths, the better kept note comes first."""
    give(twins, {p: state(twins, p, Status.ACTIVE, s) for p, s in zip(order, (0.9, 0.5, 0.1), strict=True)})
    found = [path for path in twins.found("harbour crane lifts timber") if path in EQUAL]
    assert list(order) == found


def test_equal_matches_are_ordered_by_status(twins: TestVault) -> None:
    """With one score, an active note comes before a dormant one, and that before a fading one."""
    statuses = (Status.FADING, Status.ACTIVE, Status.DORMANT)
    give(twins, {p: state(twins, p, s, 0.5) for p, s in zip(EQUAL, statuses, strict=True)})
    found = [path for path in twins.found("harbour crane lifts timber") if path in EQUAL]
    assert ["Two.md", "Three.md", "One.md"] == found


def test_retention_beats_no_better_match(twins: TestVault) -> None:
    """The note that answers stays first, though it fades and its neighbours are core."""
    states = {p: state(twins, p, Status.CORE, 1.0) for p in EQUAL}
    give(twins, {**states, "Best.md": state(twins, "Best.md", Status.FADING, 0.02)})
    assert "Best.md" == twins.found("crane lifts granite blocks")[0]


def test_without_the_prior_retention_says_nothing(twins: TestVault) -> None:
    """GENESYS_PRIOR_WEIGHT=0: the order of equals is that of a vault without states."""
    twins.env["GENESYS_PRIOR_WEIGHT"] = "0"
    before = twins.found("harbour crane lifts timber")
    give(twins, {p: state(twins, p, Status.FADING, 0.1 * i) for i, p in enumerate(EQUAL)})
    assert before == twins.found("harbour crane lifts timber")
