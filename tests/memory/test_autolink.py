"""Links by meaning for memories: few, only where none is, and made up for when the model comes late."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from genesys.engine.autolink import FLOOR, PER_MEMORY, PER_NODE
from genesys.engine.session import Genesys
from genesys.model import CreatedBy, Edge, EdgeType
from memory.helpers import Clock, make_vault, memory_of

NOTES = {f"Pump {i}.md": f"The pump of station {i} runs at 40 bar and needs oil.\n" for i in range(6)} | {
    "Frogs.md": "Tree frogs sing at dusk in the reeds.\n"
}
TEXT = "The pump of station {} runs at 40 bar and needs oil, says the log."


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", NOTES)


def auto(memory: Genesys) -> list[Edge]:
    return [e for e in memory._index.all_edges() if e.created_by is CreatedBy.AUTO]


def test_a_memory_is_tied_to_the_nearest_few(vault: Path) -> None:
    """At most three, at least at the floor, weight is the cosine; nothing to what is about something else."""
    with memory_of(vault, Clock()) as memory:
        memory.index()
        done = memory.remember(TEXT.format(1))
        edges = auto(memory)
    assert set(edges) <= set(done.edges)
    assert 1 <= len(edges) <= PER_MEMORY
    assert all(e.type is EdgeType.RELATED_TO and e.source == done.path and e.weight >= FLOOR for e in edges)
    assert "Frogs.md" not in {e.target for e in edges}


def test_no_second_edge_where_one_is(vault: Path) -> None:
    """A typed link, in either direction, is enough."""
    with memory_of(vault, Clock()) as memory:
        memory.index()
        done = memory.remember(TEXT.format(1), related=[("Pump 1", EdgeType.CAUSED_BY)])
        assert "Pump 1.md" not in {e.target for e in auto(memory)}
    pairs = Counter((e.source, e.target, e.type) for e in done.edges)
    assert {1} == set(pairs.values())


def test_no_note_gets_more_than_ten(vault: Path) -> None:
    """Thirty memories about the same: no note becomes a hub by likeness."""
    with memory_of(vault, Clock()) as memory:
        memory.index()
        for turn in range(30):
            memory.remember(f"{TEXT.format(turn % 6)} Entry {turn}.")
        edges = auto(memory)
    assert max(Counter(e.target for e in edges).values()) <= PER_NODE
    assert max(Counter(e.source for e in edges).values()) <= PER_MEMORY


def test_a_memory_written_without_the_model_is_tied_later(vault: Path) -> None:
    """While the model loads, remembering goes on; the next embedding makes up for it, once."""
    with memory_of(vault, Clock()) as memory:
        memory.index()
    with memory_of(vault, Clock()) as memory:
        memory.remember(TEXT.format(2), with_vectors=False)
        assert [] == auto(memory)
        memory.embed_pending()
        edges = auto(memory)
        assert edges
        memory.embed_pending()
        assert edges == auto(memory)
