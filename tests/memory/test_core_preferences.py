"""Core: by pin, by use, by category, and what a person's preferences change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from genesys.engine.session import Genesys
from genesys.errors import UsageError
from genesys.model import Status
from memory.helpers import DAY, Clock, make_vault, memory_of, row
from support import NOW, invoke


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A hub that sixty notes link to, each linked to its neighbour, and notes of three categories."""
    notes = {f"N{i}.md": f"[[Hub]] and [[N{(i + 1) % 60}]]\n" for i in range(60)}
    notes["Hub.md"] = "---\ncategory: idea\n---\nThe hub of it all.\n"
    notes["Rule.md"] = "---\ncategory: rule\n---\nBe kind.\n"
    notes["Draft.md"] = "---\ncategory: draft\n---\nUnfinished.\n"
    return make_vault(tmp_path / "vault", notes, at=NOW - 20 * DAY)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(vault: Path, clock: Clock) -> Iterator[Genesys]:
    """The hub has been in use for a while."""
    with memory_of(vault, clock, writeback="off") as opened:
        opened.index(embed=False)
        for _ in range(4):
            opened.recall("the hub of it all", k=1)
            clock.later(3)
        yield opened


def core(memory: Genesys) -> set[str]:
    return {note.path for note in memory.core().notes}


def test_a_hub_in_use_becomes_core_and_says_why(memory: Genesys) -> None:
    """By consolidation, without a pin; within 2 % of the vault."""
    memory.decay()
    listed = memory.core()
    assert ["Hub.md"] == [note.path for note in listed.notes]
    assert "consolidation" in listed.reasons["Hub.md"]
    assert Status.CORE is row(memory, "Hub.md").status


def test_an_automatic_category_is_core_at_the_next_pass(memory: Genesys) -> None:
    """Listed at once with its reason, status with the pass; and gone with the preference."""
    memory.set_core_preferences(auto=["rule"])
    assert "always core" in memory.core().reasons["Rule.md"]
    memory.decay()
    assert Status.CORE is row(memory, "Rule.md").status
    memory.set_core_preferences()
    memory.decay()
    assert Status.ACTIVE is row(memory, "Rule.md").status


def test_an_excluded_category_is_never_core_by_use(memory: Genesys) -> None:
    """Not even as a hub; but a pin is a person's own word."""
    memory.set_core_preferences(excluded=["idea"])
    memory.decay()
    assert Status.ACTIVE is row(memory, "Hub.md").status
    memory.pin("Hub")
    assert Status.CORE is row(memory, "Hub.md").status


def test_a_category_that_asks_first_is_proposed(memory: Genesys) -> None:
    """It is no core note before the person pins it."""
    memory.set_core_preferences(approval=["idea"])
    memory.decay()
    listed = memory.core()
    assert (set(), ["Hub.md"]) == (core(memory), [note.path for note in listed.proposals])
    assert "asks first" in listed.reasons["Hub.md"]
    memory.pin("Hub")
    assert ({"Hub.md"}, ()) == (core(memory), memory.core().proposals)


def test_unpinning_does_not_demote_what_is_core_by_use(memory: Genesys) -> None:
    """The hub stays core; a note that nothing speaks for goes back to where its score puts it."""
    for name in ("Hub", "Draft"):
        memory.pin(name)
        memory.decay()
        memory.unpin(name)
    assert (Status.CORE, False) == (row(memory, "Hub.md").status, row(memory, "Hub.md").pinned)
    assert (Status.ACTIVE, False) == (row(memory, "Draft.md").status, row(memory, "Draft.md").core)
    memory.decay()
    assert {"Hub.md"} == core(memory)


def test_pinning_twice_leaves_one_trace(memory: Genesys) -> None:
    """One access and one event, however often an agent says so."""
    count = memory.stats().accesses
    memory.pin("Draft")
    memory.pin("Draft")
    assert (count + 1, 1) == (memory.stats().accesses, memory.stats().events["pin"])
    memory.unpin("Draft")
    memory.unpin("Draft")
    assert 1 == memory.stats().events["unpin"]


def test_one_category_on_two_lists_is_refused(memory: Genesys) -> None:
    """And nothing of it is kept."""
    with pytest.raises(UsageError):
        memory.set_core_preferences(auto=["rule"], excluded=["rule"])
    assert ((), ()) == (memory.core().auto, memory.core().excluded)


def test_the_list_can_be_narrowed_to_a_category(memory: Genesys) -> None:
    """Pinned notes come first."""
    memory.pin("Draft")
    memory.decay()
    assert ["Draft.md", "Hub.md"] == [note.path for note in memory.core().notes]
    assert ["Draft.md"] == [note.path for note in memory.core("draft").notes]


def test_the_command_line_keeps_preferences(vault: Path) -> None:
    """A category moves from one list to the other; --clear forgets all."""
    invoke("index", "--no-embed", vault=vault)
    assert 0 == invoke("core", "--auto", "rule", "--exclude", "draft", vault=vault).code
    invoke("core", "--approval", "rule", vault=vault)
    found = json.loads(invoke("core", "--json", vault=vault).stdout)
    assert ([], ["rule"], ["draft"]) == (found["auto"], found["approval"], found["excluded"])
    assert "proposed" not in invoke("core", "--clear", vault=vault).stdout
    assert [] == json.loads(invoke("core", "--json", vault=vault).stdout)["excluded"]
