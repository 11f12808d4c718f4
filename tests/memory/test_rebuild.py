"""P1: the index is thrown away and made anew from the vault; what was written back is there again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from genesys.engine.session import Genesys
from genesys.model import CreatedBy, EdgeType, Status
from memory.helpers import DAY, Clock, make_vault, memory_of, row
from support import NOW

TOPICS = ["quinces", "medlars", "rowans", "sloes", "damsons", "elders", "hazels", "walnuts"]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Eight notes in a ring with a few more links, each about one thing, a year old."""
    notes = {
        f"{topic.title()}.md": f"---\ncreated: 2025-06-01\n---\nAll about {topic}. "
        f"[[{TOPICS[(i + 1) % 8].title()}]] [[{TOPICS[(i * 3) % 8].title()}]]\n"
        for i, topic in enumerate(TOPICS)
    }
    return make_vault(tmp_path / "vault", notes, at=NOW - 365 * DAY)


def open_it(vault: Path, clock: Clock) -> Genesys:
    return memory_of(vault, clock, writeback="all", writeback_quiet_s=0.0, writeback_max=1_000)


Story = Callable[[Genesys, Clock], Iterator[None]]


def quiet(memory: Genesys, clock: Clock) -> Iterator[None]:
    """Nobody asks anything for half a year."""
    for _ in range(36):
        clock.later(5)
        yield


def busy(memory: Genesys, clock: Clock) -> Iterator[None]:
    """Three topics a week, in turn."""
    for week in range(20):
        for topic in TOPICS[week % 6 : week % 6 + 3]:
            clock.later(2)
            memory.recall(f"all about {topic}", k=2)
        yield


def spaced(memory: Genesys, clock: Clock) -> Iterator[None]:
    """One topic at widening intervals."""
    for gap in (1, 2, 4, 8, 16, 32, 64):
        clock.later(gap)
        memory.recall("all about sloes", k=1)
        yield


def massed(memory: Genesys, clock: Clock) -> Iterator[None]:
    """Ten times on one day, and then months of nothing."""
    for _ in range(10):
        clock.now += 1_200
        memory.recall("all about elders", k=1)
    for _ in range(20):
        yield
        clock.later(7)


def pinned(memory: Genesys, clock: Clock) -> Iterator[None]:
    """Pins come and go between recalls."""
    memory.pin("Rowans")
    memory.pin("Hazels")
    for turn in range(10):
        clock.later(9)
        memory.recall(f"all about {TOPICS[turn % 8]}", k=3)
        yield
    memory.unpin("Hazels")
    yield


@pytest.mark.parametrize("story", [quiet, busy, spaced, massed, pinned], ids=lambda s: s.__name__)
def test_a_rebuilt_index_has_the_same_state(vault: Path, story: Story) -> None:
    """Status, pins, core and recall counts are what was written back, every score is within 0.1."""
    clock = Clock()
    with open_it(vault, clock) as memory:
        memory.index(embed=False)
        for _ in story(memory, clock):
            memory.decay()
        clock.later(1)
        memory.decay()
        before = {r.path: r for r in memory._index.all_notes()}
        scores = {path: memory.explain(path).factors.score for path in before}
        links = memory._index.all_edges(include_inferred=False)
    shutil.rmtree(vault / ".genesys")
    clock.now += 60
    with open_it(vault, clock) as memory:
        memory.index(embed=False)
        after = {r.path: r for r in memory._index.all_notes()}
        found = {path: memory.explain(path).factors.score for path in after}
        assert links == memory._index.all_edges(include_inferred=False)
        memory.decay()
        later = {r.path: r for r in memory._index.all_notes()}
    assert before.keys() == after.keys()
    for path, old in before.items():
        new = after[path]
        assert (old.status, old.pinned) == (new.status, new.pinned)
        assert (old.own.recalls or 0) == new.recalls
        assert abs(scores[path] - found[path]) <= 0.1, (path, scores[path], found[path])
        assert (old.status, old.core) == (later[path].status, later[path].core)


def test_memories_are_tied_again_in_a_new_index(vault: Path) -> None:
    """Links by meaning live in the index alone, so they are made anew with it."""
    clock = Clock()

    def ties(memory: Genesys) -> set[tuple[str, str]]:
        return {(e.source, e.target) for e in memory._index.all_edges() if e.created_by is CreatedBy.AUTO}

    with open_it(vault, clock) as memory:
        memory.index()
        memory.remember("All about sloes and rowans, their jelly.")
        before = ties(memory)
    assert before
    shutil.rmtree(vault / ".genesys")
    with open_it(vault, clock) as memory:
        memory.index()
        assert before == ties(memory)


def test_a_later_edit_does_not_restore_again(vault: Path) -> None:
    """A note known to the index takes no history from its own properties, whatever a person does to them."""
    clock = Clock()
    with open_it(vault, clock) as memory:
        memory.index(embed=False)
        memory.recall("all about sloes", k=1)
        memory.decay()
        count = len(memory._index.accesses_of([row(memory, "Sloes.md").id]))
        file = vault / "Sloes.md"
        file.write_text(file.read_text().replace("genesys_recalls: 1", "genesys_recalls: 99") + "More.\n")
        clock.later(2)
        os.utime(file, (clock.now, clock.now))
        assert 1 == memory.index(embed=False).changed
        assert 1 == row(memory, "Sloes.md").recalls
        kinds = [a.kind.value for a in memory._index.accesses_of([row(memory, "Sloes.md").id])]
        assert count + 1 == len(kinds)
        assert "edit" in kinds


def test_a_moved_note_keeps_its_state(vault: Path) -> None:
    """Pin, recalls, history and status go along."""
    clock = Clock()
    with open_it(vault, clock) as memory:
        memory.index(embed=False)
        memory.recall("all about sloes", k=1)
        memory.pin("Sloes")
        old = row(memory, "Sloes.md")
        history = memory._index.accesses_of([old.id])
        (vault / "Trees").mkdir()
        (vault / "Sloes.md").rename(vault / "Trees" / "Blackthorn.md")
        assert 1 == memory.index(embed=False).moved
        new = row(memory, "Trees/Blackthorn.md")
        assert (old.id, True, 1, Status.CORE) == (new.id, new.pinned, new.recalls, new.status)
        assert history == memory._index.accesses_of([new.id])
        memory.decay()
        assert "genesys_pinned: true" in (vault / "Trees" / "Blackthorn.md").read_text()


def test_a_pin_that_a_person_writes_or_takes_away_counts(vault: Path) -> None:
    """`genesys_pinned: true` in a note pins it; deleting the line unpins it."""
    clock = Clock()
    file = vault / "Sloes.md"
    file.write_text(file.read_text().replace("---\n", "---\ngenesys_pinned: true\n", 1))
    with open_it(vault, clock) as memory:
        memory.index(embed=False)
        memory.decay()
        assert (True, Status.CORE) == (row(memory, "Sloes.md").pinned, row(memory, "Sloes.md").status)
        file.write_text(file.read_text().replace("genesys_pinned: true\n", ""))
        memory.index(embed=False)
        memory.decay()
        assert (False, Status.ACTIVE) == (row(memory, "Sloes.md").pinned, row(memory, "Sloes.md").status)


def test_causal_links_of_memories_survive(vault: Path) -> None:
    """They stand in the notes, so a new index has them."""
    clock = Clock()
    with open_it(vault, clock) as memory:
        path = memory.remember("Jelly set.", related=[("Sloes", EdgeType.CAUSED_BY)]).path
    shutil.rmtree(vault / ".genesys")
    with open_it(vault, clock) as memory:
        memory.index(embed=False)
        assert (path, "Sloes.md", EdgeType.CAUSED_BY) in {
            (e.source, e.target, e.type) for e in memory._index.all_edges()
        }
