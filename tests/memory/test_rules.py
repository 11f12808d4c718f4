"""A person's rules by category: never forget, a factor of the score, a least score."""

from __future__ import annotations

from pathlib import Path

import pytest

from genesys.model import Status
from genesys.settings import load_settings
from memory.helpers import DAY, Clock, make_vault, memory_of, row
from support import NOW

NOTES = {
    "Kept.md": "---\ncategory: Preference\n---\nI take no milk.\n",
    "Chat.md": "---\ncategory: chat\n---\nThe weather was fine.\n",
    "Plain.md": "Nothing was said of this.\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", NOTES, at=NOW)


def aged(vault: Path, **rules: object) -> dict[str, tuple[Status, float]]:
    """Status and score of each note after three idle years, a pass every month."""
    clock = Clock()
    with memory_of(vault, clock, writeback="off", **rules) as memory:
        memory.index()
        for _ in range(37):
            memory.decay()
            clock.later(30)
        return {path: (row(memory, path).status, row(memory, path).score or 0.0) for path in NOTES}


def test_what_is_never_forgotten_sinks_no_lower_than_dormant(vault: Path) -> None:
    """Case of the category does not matter; other notes fade as ever."""
    found = aged(vault, never_forget="preference")
    assert Status.DORMANT is found["Kept.md"][0]
    assert Status.FADING is found["Chat.md"][0]
    assert Status.FADING is found["Plain.md"][0]


def test_a_rule_made_later_brings_back_what_had_faded(vault: Path) -> None:
    """The next pass lifts it to dormant, and says why."""
    clock = Clock()
    with memory_of(vault, clock, writeback="off") as memory:
        memory.index()
        for _ in range(37):
            memory.decay()
            clock.later(30)
    with memory_of(vault, clock, writeback="off", never_forget="preference") as memory:
        changes = memory.decay().changes
        assert [("Kept.md", Status.DORMANT)] == [(c.path, c.new) for c in changes]
        assert "never forgotten" in changes[0].reason


def test_a_least_score_holds_and_keeps_a_note_awake(vault: Path) -> None:
    """Above the limits of the lifecycle, it does not sink at all."""
    found = aged(vault, category_floor="preference=0.3")
    assert (Status.ACTIVE, 0.3) == found["Kept.md"]
    assert found["Plain.md"][1] < 0.03


@pytest.mark.parametrize(("weight", "floor"), [(2.0, 0.0), (0.5, 0.0), (0.0, 0.0), (10.0, 0.0), (0.5, 0.9)])
def test_a_ruled_score_explains_itself(vault: Path, weight: float, floor: float) -> None:
    """relevance × connectivity × reactivation × weight, at most 1 and at least the floor, to the last bit;
    the parts are named, and the pass stored the same."""
    rules = {"category_weight": f"chat={weight}", "category_floor": f"chat={floor}"}
    with memory_of(vault, Clock(NOW + 5 * DAY), writeback="off", **rules) as memory:
        memory.index()
        memory.decay()
        found = memory.explain("Chat")
        f = found.factors
        assert f.score == max(min(f.relevance * f.connectivity * f.reactivation * weight, 1.0), floor)
        assert (weight, floor) == (f.weight, f.floor)
        assert {"weight"} <= {a.name for a in found.amounts}
        assert row(memory, "Chat.md").score == pytest.approx(f.score, abs=1e-9)
        plain = memory.explain("Plain").factors
        assert (1.0, 0.0) == (plain.weight, plain.floor)


def test_rules_can_stand_in_a_file(vault: Path) -> None:
    """As tables of TOML, with numbers."""
    (vault / ".genesys.toml").write_text(
        'never_forget = ["preference"]\n[category_weight]\ndecision = 1.5\nchat = 1\n', encoding="utf-8"
    )
    settings = load_settings(vault, {"HOME": str(vault.parent)})
    assert (("decision", 1.5), ("chat", 1.0)) == settings.score.category_weight
    assert ("preference",) == settings.lifecycle.never_forget


def test_an_index_made_anew_reads_ruled_scores_back(vault: Path) -> None:
    """P1: what was written with the rules gives the same score again."""
    clock = Clock(NOW + 3 * DAY)
    rules = {"category_weight": "chat=0.5", "writeback": "all"}
    with memory_of(vault, clock, **rules) as memory:
        memory.index()
        memory.decay()
        before = row(memory, "Chat.md").score
    for file in (vault / ".genesys").glob("index.db*"):
        file.unlink()
    with memory_of(vault, clock, **rules) as memory:
        memory.index()
        memory.decay()
        assert row(memory, "Chat.md").score == pytest.approx(before, abs=0.03)
