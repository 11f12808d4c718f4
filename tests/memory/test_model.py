"""The real model: memories find their neighbours, and a contradiction is seen among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from genesys.engine.session import Genesys
from genesys.model import CreatedBy
from genesys.settings import load_settings
from memory.helpers import make_vault
from support import NOW

pytestmark = [pytest.mark.model, pytest.mark.slow]

NOTES = {
    "Greenhouse.md": "# Greenhouse\n\nThe greenhouse is heated to 12 degrees at night in winter.\n",
    "Tomatoes.md": "Tomatoes grow under glass and need warmth; night frost kills them.\n",
    "Taxes.md": "The tax return is due at the end of July, with receipts for the van.\n",
    "Ferry.md": "The ferry to the island sails at 7:15 and takes 40 minutes.\n",
}


def test_memories_find_their_neighbours_and_contradictions(tmp_path: Path) -> None:
    """A paraphrase is tied to what it is about and to nothing else; a changed number returns the hint."""
    vault = make_vault(tmp_path / "vault", NOTES)
    with Genesys.open(load_settings(vault, {"GENESYS_WORKERS": "1"}), clock=lambda: NOW) as memory:
        memory.index()
        tied = memory.remember("Young tomato plants froze because the glasshouse got too cold overnight.")
        near = {e.target for e in tied.edges if e.created_by is CreatedBy.AUTO}
        assert "Tomatoes.md" in near
        assert not {"Taxes.md", "Ferry.md"} & near
        changed = memory.remember("At night the greenhouse is heated to 16 degrees.")
        assert ["Greenhouse.md"] == [hit.path for hit in changed.possible_conflicts]
        assert "12 degrees" in changed.conflict_reasons[0]
        moved = memory.remember("The ferry to the island takes 55 minutes now.")
        assert ["Ferry.md"] == [hit.path for hit in moved.possible_conflicts]
        assert () == memory.remember("The dentist moved to Mill Lane.").possible_conflicts
