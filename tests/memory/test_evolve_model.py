"""With the real model: found by meaning, said twice is found, what only sounds alike is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from genesys import Memory
from genesys.reports import EvolveKind
from memory.helpers import make_vault

SAID = (
    "We chose LoRa because the ice storm took the cellular masts down.",
    "Ana is allergic to peanuts.",
    "The relay at Arnvik must be grounded before it is opened.",
)
# The same statements, in other dress or with more beside them.
AGAIN = (
    "- We chose **LoRa** because the ice storm took the cellular masts down.\n- The vote was unanimous.",
    "Ana is allergic to peanuts. She carries a pen.",
    "The relay at Arnvik must be grounded before it is opened!",
)
APART = (
    "The north field is flooded in spring.",
    "The south field is flooded in spring.",
    "The pump costs 300 euro.",
    "The pump costs 400 euro.",
    "Ben is allergic to penicillin.",
    "The relay at Sund needs no ground.",
    "We gave up on cellular modems in 2024.",
)


@pytest.mark.model
def test_what_is_said_twice_is_merged_and_nothing_else(tmp_path: Path) -> None:
    """Three merges with --apply; seven facts that are alike stay as they are; an undo brings one back."""
    vault = make_vault(tmp_path / "vault", {"Storm.md": "The ice storm.\n"})
    with Memory(vault) as memory:
        for number, text in enumerate((*SAID, *AGAIN, *APART)):
            memory.remember(text, source_session=str(number))
        memory.index()
        # No word of the question is in the answer.
        assert "peanuts" in memory.recall("which food makes her ill", read_only=True).hits[0].text
        report = memory.use(lambda m: m.evolve(apply=True), writes=True)
        done = [p for p in report.proposals if p.done]
        assert [EvolveKind.MERGE] * 3 == [p.kind for p in done], report.proposals
        left = [f.read_text("utf-8") for f in (vault / "Memories").rglob("*.md")]
        assert len(left) == len(SAID) + len(APART)
        assert all(any(text in note for note in left) for text in APART)
        back = memory.use(lambda m: m.undo_evolve(done[0].undo), writes=True)
        assert (vault / back[0]).is_file()
