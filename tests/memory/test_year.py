"""A year of the whole engine on a frozen clock: what is used stays, what is not fades."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from genesys.engine.session import Genesys
from genesys.errors import FileGone, NoteNotFound, WriteRefused
from genesys.model import EdgeType, Status
from memory.helpers import DAY, Clock, make_vault, memory_of, row
from support import NOW, invoke

NOTES = {
    "Spaced.md": "Quinces ripen. [[Hub]] [[Other]]\n",
    "Massed.md": "Medlars blet. [[Hub]] [[Other]]\n",
    "Rule.md": "Never prune in frost.\n",
    "Lonely.md": "An old thought of mine about zithers.\n",
    "Hub.md": "Orchard.\n",
    "Other.md": "Cellar.\n",
}
WIDENING = {1, 3, 7, 15, 31, 63, 127, 255}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", NOTES)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(vault: Path, clock: Clock) -> Iterator[Genesys]:
    with memory_of(vault, clock, writeback="touched") as opened:
        opened.index(embed=False)
        yield opened


def sleep(memory: Genesys, clock: Clock, days: int, step: int = 5) -> list[str]:
    """So many days with a pass every ``step``; what was pruned."""
    pruned: list[str] = []
    for _ in range(0, days, step):
        clock.later(step)
        pruned += memory.decay().pruned
    return pruned


def statuses(memory: Genesys, path: str) -> list[tuple[float, str]]:
    """(time, new status) of a note, oldest first."""
    found = memory._index.events(kinds=("status",), path=path, newest_first=False)
    return [(event.time, str(event.detail["new"])) for event in found]


def flaps(steps: list[tuple[float, str]]) -> int:
    """Returns to a status that was left less than 30 days before."""
    triples = zip(steps, steps[1:], steps[2:], strict=False)
    return sum(one == two and back - left < 30 * DAY for (_, one), (left, _), (back, two) in triples)


@pytest.mark.slow
def test_a_year(memory: Genesys, vault: Path, clock: Clock) -> None:
    """Widening recalls end active, ten in a day dormant; a lonely memory goes, no person's note."""
    memory.pin("Rule")
    lonely = memory.remember("A passing remark about bassoons.", source_session="s").path
    kept = memory.remember("Kazoos matter.", related=[("Hub", EdgeType.SUPPORTS)], source_session="t").path
    pruned: list[str] = []
    for day in range(1, 366):
        clock.later(1)
        if day in WIDENING:
            memory.recall("quinces ripen", k=1)
        if day == 1:
            for _ in range(10):
                clock.now += 600
                memory.recall("medlars blet", k=1)
        if day % 2:
            pruned += memory.decay().pruned
    assert [lonely] == pruned
    wanted = {
        "Spaced.md": Status.ACTIVE,
        "Massed.md": Status.DORMANT,
        "Rule.md": Status.CORE,
        "Lonely.md": Status.FADING,
    }
    assert wanted == {path: row(memory, path).status for path in wanted}
    assert row(memory, "Spaced.md").score > 2 * row(memory, "Massed.md").score
    assert [] == [t for t, new in statuses(memory, "Spaced.md") if new != "active"]
    assert (vault / kept).exists()
    assert all(flaps(statuses(memory, path)) <= 1 for path in [*NOTES, kept])
    assert NOTES.keys() <= {p.name for p in vault.glob("*.md")}


def test_a_pruned_memory_lies_in_the_trash_and_comes_back_whole(
    memory: Genesys, vault: Path, clock: Clock
) -> None:
    """An event says why; undo restores note, index, links and history, and the next passes leave it alone."""
    path = memory.remember("A passing remark about bassoons.", source_session="s").path
    raw = (vault / path).read_bytes()
    memory.recall("remark about bassoons", k=1)
    recalled = clock.now
    pruned = sleep(memory, clock, 400)
    assert [path] == pruned
    assert not (vault / path).exists()
    assert (vault / ".trash" / path).exists()
    [event] = memory._index.events(kinds=("prune",))
    assert (path, "memory") == (event.path, event.detail["kind"])
    assert "score" in str(event.detail["reason"])
    assert [] == [h for h in memory.recall("remark about bassoons", read_only=True).hits if h.path == path]
    assert path == memory.undo_forget()
    assert [raw] == [
        b"".join(x for x in (vault / path).read_bytes().splitlines(True) if b"genesys_" not in x)
    ]
    back = row(memory, path)
    assert (Status.ACTIVE, 1, recalled) == (back.status, back.recalls, back.last_recalled)
    assert path in {h.path for h in memory.recall("remark about bassoons", read_only=True).hits}
    assert [] == sleep(memory, clock, 100)
    with pytest.raises(NoteNotFound):
        memory.undo_forget()


def test_the_vaults_trash_option_does_not_take_a_pruned_memory_away(
    memory: Genesys, vault: Path, clock: Clock
) -> None:
    """Whatever the person chose for their own deletions, what Genesys prunes stays in the vault's trash."""
    (vault / ".obsidian" / "app.json").write_text('{"trashOption": "system"}')
    path = memory.remember("Something about oboes.").path
    assert [path] == sleep(memory, clock, 260)
    assert (vault / ".trash" / path).exists()


@pytest.mark.parametrize("touch", ["body", "property", "unseen"])
def test_a_memory_that_a_person_edited_is_never_pruned(
    memory: Genesys, vault: Path, clock: Clock, touch: str
) -> None:
    """What a person wrote into a memory is a person's, be it a word, a property, or not read yet."""
    path = memory.remember("Something about oboes.").path
    file = vault / path
    if touch == "unseen":
        assert [] == sleep(memory, clock, 200)
    text = file.read_text()
    changed = text.replace("created:", "mood: fine\ncreated:") if touch == "property" else text + "My word.\n"
    file.write_text(changed)
    os.utime(file, (clock.now, clock.now))
    if touch != "unseen":
        memory.index(embed=False)
    assert [] == sleep(memory, clock, 500)
    assert file.exists()


def test_a_note_that_only_looks_like_a_memory_is_a_persons(vault: Path, clock: Clock) -> None:
    """A key that does not belong to the content proves that Genesys did not write it so."""
    (vault / "Mine.md").write_text('---\nmemory_id: "0123456789abcdef"\n---\n\nNot from Genesys.\n')
    with memory_of(vault, clock) as memory:
        memory.index(embed=False)
        assert [] == sleep(memory, clock, 500)
    assert (vault / "Mine.md").exists()


def test_forgetting_a_persons_note_needs_their_word(memory: Genesys, vault: Path) -> None:
    """The engine refuses; the command line asks, and without a terminal says how."""
    with pytest.raises(WriteRefused):
        memory.forget("Hub")
    result = invoke("forget", "Hub", vault=vault)
    assert 2 == result.code
    assert "--yes" in result.stderr
    assert (vault / "Hub.md").exists()


def test_forget_and_undo_by_number_name_and_path(memory: Genesys, vault: Path) -> None:
    """Links to the note lead nowhere in between, and to it again afterwards."""
    before = {(e.source, e.target) for e in memory._index.all_edges(include_inferred=False)}
    for name in ("", "event", "Hub", "Hub.md"):
        gone = memory.forget("Hub", allow_person_note=True)
        assert ("Massed.md", "Spaced.md") == gone.links_broken
        assert not [e for e in memory._index.all_edges() if e.target == "Hub.md"]
        assert "Hub.md" == memory.undo_forget(gone.undo.rpartition(" ")[2] if name == "event" else name)
        assert before == {(e.source, e.target) for e in memory._index.all_edges(include_inferred=False)}


def test_undo_never_writes_over_a_note_and_says_when_the_trash_is_empty(memory: Genesys, vault: Path) -> None:
    """A new note has taken the place, or the trash was emptied."""
    gone = memory.forget("Hub", allow_person_note=True)
    (vault / "Hub.md").write_text("A new one.\n")
    with pytest.raises(WriteRefused):
        memory.undo_forget()
    assert "A new one.\n" == (vault / "Hub.md").read_text()
    (vault / "Hub.md").unlink()
    trashed = Path(gone.trashed_to)
    (trashed if trashed.is_absolute() else vault / trashed).unlink()
    with pytest.raises(FileGone):
        memory.undo_forget()


def test_undo_finds_a_note_in_the_trash_after_the_index_was_made_anew(vault: Path, clock: Clock) -> None:
    """The event is gone with the index, the file in the vault's trash is not."""
    (vault / ".obsidian" / "app.json").write_text('{"trashOption": "local"}')
    with memory_of(vault, clock) as memory:
        memory.index(embed=False)
        memory.forget("Hub", allow_person_note=True)
    for file in (vault / ".genesys").iterdir():
        file.unlink()
    with memory_of(vault, clock) as memory:
        memory.index(embed=False)
        assert "Hub.md" == memory.undo_forget("Hub")
        assert "Hub.md" == memory.resolve("Hub")


def test_a_clock_that_was_ahead_once_holds_nothing_up(memory: Genesys, clock: Clock) -> None:
    """A pass in the wrong year prunes nothing; back in the right one, notes still rise and sink."""
    path = memory.remember("Something about oboes.").path
    clock.now = NOW + 5_000 * DAY
    assert () == memory.decay().pruned
    clock.now = NOW + DAY
    assert () == memory.decay().pruned
    assert Status.ACTIVE is row(memory, path).status
    sleep(memory, clock, 70)
    assert Status.DORMANT is row(memory, path).status
