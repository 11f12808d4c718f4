"""``why`` as a tree, and the graph's word on aliases."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from genesys.engine.session import Genesys
from genesys.settings import load_settings


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    notes = {
        "R1": "x\n",
        "R2": "y\n",
        "M1": "caused_by:: [[R1]]\n",
        "M2": "caused_by:: [[R2]]\n",
        "Top": "caused_by:: [[M1]]\n\ncaused_by:: [[M2]]\n",
        "Loop": "caused_by:: [[Loop 2]]\n",
        "Loop 2": "caused_by:: [[Loop]]\n",
        "Henrik": "---\naliases: [Henke]\n---\nz\n",
        "X": "see [[Henke]]\n",
    }
    for name, text in notes.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    return tmp_path


def memory_of(vault: Path) -> Genesys:
    memory = Genesys.open(load_settings(vault, os.environ | {"GENESYS_EMBEDDER": "fake"}))
    memory.index(embed=False)
    return memory


def test_each_cause_stands_right_below_what_it_explains(vault: Path) -> None:
    """Depth first: R1 belongs to M1 and R2 to M2."""
    with memory_of(vault) as memory:
        steps = memory.why("Top").upstream
    assert [("M1", 1), ("R1", 2), ("M2", 1), ("R2", 2)] == [(s.title, s.depth) for s in steps]


def test_a_circle_of_causes_ends(vault: Path) -> None:
    """A note is no cause of itself."""
    with memory_of(vault) as memory:
        report = memory.why("Loop", depth=20)
    assert ["Loop 2"] == [s.title for s in report.upstream]


def test_the_graph_says_where_an_alias_leads(vault: Path) -> None:
    """Unresolved as in Obsidian, with the note that the alias belongs to; inferred edges go there."""
    with memory_of(vault) as memory:
        plain = [e for e in memory.graph()["edges"] if e["source"] == "X.md"]
        more = [e for e in memory.graph(inferred=True)["edges"] if e["source"] == "X.md"]
    assert [("Henke", "Henrik.md")] == [(e["unresolved"], e["via_alias"]) for e in plain]
    assert ["Henrik.md"] == [e["target"] for e in more if e["kind"] == "inferred"]
