"""Memories: one note for one thing remembered, whatever happens in between."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from genesys.engine.session import Genesys
from genesys.errors import AmbiguousNote, NoteNotFound, UsageError
from genesys.model import CreatedBy, EdgeType, Kind, MemoryType
from genesys.parse.memory_text import as_written
from memory.helpers import Clock, make_vault, memory_of, row
from support import child_env, invoke, tree_bytes

NOTES = {
    "Budget cut.md": "# Budget cut\n\nThe council cut the budget in March.\n",
    "Plan.md": "We plan the mesh.\n",
    "A/Twin.md": "One.\n",
    "B/Twin.md": "Two.\n",
    "C# notes.md": "About the language.\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", NOTES)


@pytest.fixture
def memory(vault: Path) -> Iterator[Genesys]:
    with memory_of(vault, Clock()) as opened:
        opened.index()
        yield opened


def memories(vault: Path) -> list[str]:
    return sorted(p.relative_to(vault).as_posix() for p in (vault / "Memories").rglob("*.md"))


def test_a_memory_is_a_note_that_a_person_can_read(memory: Genesys, vault: Path) -> None:
    """Readable properties, the content as given, and typed links as fields."""
    done = memory.remember(
        "We chose LoRa because modems froze.",
        title="LoRa choice",
        related=[("Budget cut", EdgeType.CAUSED_BY)],
        category="decision",
        memory_type=MemoryType.INSIGHT,
        source_session="s: 1",
        tags=["#radio mesh", "a,b"],
    )
    assert (True, "Memories/2026/LoRa choice.md") == (done.created, done.path)
    head, body = (vault / done.path).read_text(encoding="utf-8").split("\n---\n")
    assert [
        "---", f'memory_id: "{head.split(chr(34))[1]}"', "memory_type: insight", 'category: "decision"',
        'source_session: "s: 1"', "created: 2026-06-01T12:00:00", "tags:", '  - "radio-mesh"', '  - "a-b"',
    ] == head.split("\n")  # fmt: skip
    assert "\nWe chose LoRa because modems froze.\n\ncaused_by:: [[Budget cut]]\n" == body
    [edge] = [e for e in done.edges if e.type is EdgeType.CAUSED_BY]
    assert (done.path, "Budget cut.md", CreatedBy.FIELD) == (edge.source, edge.target, edge.created_by)
    found = row(memory, done.path)
    assert (Kind.MEMORY, MemoryType.INSIGHT, "decision") == (found.kind, found.memory_type, found.category)
    assert [done.path] == [h.path for h in memory.recall("LoRa modems froze", k=1).hits]


def test_the_same_again_is_the_same_note(memory: Genesys, vault: Path) -> None:
    """White space and Unicode form aside; another session or content is another memory."""
    first = memory.remember("Caf\u00e9 opens at 9.", source_session="s1")
    again = memory.remember("Cafe\u0301  opens at 9.\n", source_session="s1", title="another title")
    assert (first.path, False) == (again.path, again.created)
    other = memory.remember("Café opens at 9.", source_session="s2")
    assert other.path != first.path
    assert 2 == len(memories(vault))


def test_a_retry_finds_the_note_in_a_new_index(vault: Path) -> None:
    """After `rm -rf .genesys` the note itself says what it is."""
    with memory_of(vault, Clock()) as memory:
        first = memory.remember("The gate code list hangs in the shed.", source_session="s")
    shutil.rmtree(vault / ".genesys")
    with memory_of(vault, Clock()) as memory:
        again = memory.remember("The gate code list hangs in the shed.", source_session="s")
    assert (first.path, False) == (again.path, again.created)
    assert [first.path] == memories(vault)


def test_a_retry_finds_a_note_that_a_person_moved_renamed_or_edited(memory: Genesys, vault: Path) -> None:
    """Even before the next pass has seen the move; links and history go with it."""
    first = memory.remember("Frogs came back.", related=[("Plan", EdgeType.SUPPORTS)], source_session="s")
    file = vault / first.path
    file.write_text(file.read_text() + "\nMy own remark.\n")
    (vault / "Nature").mkdir()
    file.rename(vault / "Nature" / "Frogs.md")
    again = memory.remember("Frogs came back.", source_session="s")
    assert ("Nature/Frogs.md", False) == (again.path, again.created)
    assert [("Nature/Frogs.md", "Plan.md")] == [
        (e.source, e.target) for e in again.edges if e.type is EdgeType.SUPPORTS
    ]
    memory.index()
    assert memory.remember("Frogs came back.", source_session="s").path == "Nature/Frogs.md"


def test_a_note_that_was_thrown_away_is_written_again(memory: Genesys, vault: Path) -> None:
    """Who deletes a memory and has it remembered again wants it."""
    first = memory.remember("Bees swarm in May.", source_session="s")
    (vault / first.path).unlink()
    again = memory.remember("Bees swarm in May.", source_session="s")
    assert again.created
    assert [again.path] == memories(vault)


def test_a_run_killed_before_the_index_knew_leaves_no_twin(memory: Genesys, vault: Path) -> None:
    """The file is there, the index never heard of it: the retry takes it in."""
    first = memory.remember("Owls nest in the barn.", source_session="s")
    memory._index.remove([first.path])
    again = memory.remember("Owls nest in the barn.", source_session="s")
    assert [first.path] == [again.path] == memories(vault)


def test_two_processes_at_once_make_one_note(vault: Path) -> None:
    """Four of them start together with the same words, and four with the same title but other words."""
    with memory_of(vault, Clock()) as memory:
        memory.index()
    calls = [("Same words.", "Same")] * 4 + [(f"Other words {i}.", "Title") for i in range(4)]
    code = (
        "import sys; from genesys.cli import main;"
        "sys.argv = ['genesys', 'remember', sys.argv[1], '--title', sys.argv[2], '--session', 's', '--json'];"
        "main()"
    )
    env = child_env(vault, {"GENESYS_EMBEDDER": "fake"})
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, *c], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for c in calls
    ]
    done = [process.communicate(timeout=120) for process in running]
    assert [0] * 8 == [process.returncode for process in running], done
    paths = [json.loads(out)["path"] for out, _ in done]
    assert 1 == len(set(paths[:4]))
    assert 4 == len(set(paths[4:]))
    assert sorted(set(paths)) == memories(vault)


@pytest.mark.parametrize(
    ("link", "error"), [("Nobody", NoteNotFound), ("Twin", AmbiguousNote), ("", NoteNotFound)]
)
def test_a_link_to_nowhere_writes_nothing(memory: Genesys, vault: Path, link: str, error: type) -> None:
    """An unknown or ambiguous target is refused before anything is written."""
    before = tree_bytes(vault)
    with pytest.raises(error):
        memory.remember("Something.", related=[("Plan", EdgeType.SUPPORTS), (link, EdgeType.SUPPORTS)])
    assert before == tree_bytes(vault)


@pytest.mark.parametrize("link", ["causes:Plan", "Plan", "caused_by:", ":Plan"])
def test_an_edge_type_that_is_none_writes_nothing(vault: Path, link: str) -> None:
    """The command line says which types there are; exit code 2."""
    with memory_of(vault, Clock()) as memory:
        memory.index()
    before = tree_bytes(vault)
    result = invoke("remember", "Something.", "--link", link, vault=vault)
    assert 2 == result.code
    assert before == tree_bytes(vault)


@pytest.mark.parametrize("content", ["", " \n", "a\0b", "x" * 1_000_001])
def test_what_is_no_text_is_not_remembered(memory: Genesys, vault: Path, content: str) -> None:
    """Nothing, NUL and whole books are refused."""
    with pytest.raises(UsageError):
        memory.remember(content)
    assert [] == memories(vault)


HOSTILE = [
    "```python\nopen fence",
    "<!-- an open comment",
    "<script>\nvar x",
    "---\ntags: [x]\n---\nown frontmatter",
    "%% comment",
    "line\r\nline\r\n",
    "bad \ud800 half \x07 bell \x85 next",
    "caused_by:: [[Plan]] in the text",
    "$$\nopen math",
    "    indented",
    "#hash",
    "../../etc/passwd",
    "CON",
    ".hidden",
    "x" * 5_000,
]


@pytest.mark.parametrize("content", HOSTILE, ids=lambda c: ascii(c[:12]))
def test_no_content_swallows_the_links_or_leaves_the_folder(
    memory: Genesys, vault: Path, content: str
) -> None:
    """Whatever the text opens, its typed link is read, and a retry finds it."""
    done = memory.remember(
        content,
        related=[("Budget cut", EdgeType.CAUSED_BY)],
        category="a: b\x85\ud800",
        source_session="s\x1b\n: '",
    )
    assert done.path.startswith("Memories/2026/")
    assert [done.path] == memories(vault)
    assert "" == row(memory, done.path).problem
    assert as_written((vault / done.path).read_text(encoding="utf-8")), "nobody edited it"
    assert not as_written((vault / done.path).read_text(encoding="utf-8") + "one word")
    assert ("Budget cut.md", EdgeType.CAUSED_BY) in {(e.target, e.type) for e in done.edges}
    again = memory.remember(
        content, related=[("Budget cut", EdgeType.CAUSED_BY)], source_session="s\x1b\n: '"
    )
    assert (done.path, False) == (again.path, again.created)


def test_a_name_that_no_wikilink_can_say_is_linked_all_the_same(memory: Genesys, vault: Path) -> None:
    """`#` starts a heading in a link: the edge is kept in the index, the text names the note."""
    done = memory.remember("Generics are fine.", related=[("C# notes.md", EdgeType.SUPPORTS)])
    assert ("C# notes.md", EdgeType.SUPPORTS) in {(e.target, e.type) for e in done.edges}
    assert "supports:: C# notes\n" in (vault / done.path).read_text()


def test_a_name_that_several_notes_have_is_linked_by_its_path(memory: Genesys, vault: Path) -> None:
    """The link leads to the very note that was meant."""
    done = memory.remember("Twin two it is.", related=[("B/Twin", EdgeType.SUPPORTS)])
    assert "supports:: [[B/Twin]]\n" in (vault / done.path).read_text()
    assert {"B/Twin.md"} == {e.target for e in done.edges if e.type is EdgeType.SUPPORTS}


def test_amend_supersedes_and_keeps_the_old_one(memory: Genesys, vault: Path) -> None:
    """The old memory stays, says what replaced it, and ranks below it; a retry makes no twin."""
    old = memory.remember("The pump runs at 40 bar pressure.", source_session="s")
    new = memory.amend(old.path, "The pump runs at 55 bar pressure.", source_session="s")
    assert old.path == new.supersedes
    assert [new.path] == [
        memory.amend(old.path, "The pump runs at 55 bar pressure.", source_session="s").path
    ]
    hits = {h.path: h for h in memory.recall("pump pressure bar").hits}
    assert new.path == hits[old.path].superseded_by
    assert hits[new.path].score > hits[old.path].score
    assert sorted([old.path, new.path]) == memories(vault)


def test_amending_with_the_same_words_is_not_the_old_note(memory: Genesys) -> None:
    """The idempotency key of a memory is no excuse for not superseding it."""
    old = memory.remember("Nine lambs.", source_session="s")
    new = memory.amend(old.path, "Nine lambs.", source_session="s")
    assert new.created
    assert new.path != old.path


def test_memories_of_one_session_follow_each_other(memory: Genesys) -> None:
    """Order is known at once, not after the next change of a file."""
    first = memory.remember("First we measured.", source_session="s")
    second = memory.remember("Then we cut.", source_session="s")
    kinds = {(e.source, e.target) for e in memory._index.all_edges() if e.type is EdgeType.TEMPORAL_SEQUENCE}
    assert (first.path, second.path) in kinds or (second.path, first.path) in kinds


def test_a_vault_without_index_is_indexed_first(vault: Path) -> None:
    """Links need the names of the notes, so remembering starts with a pass."""
    with memory_of(vault, Clock()) as memory:
        done = memory.remember("New here.", related=[("Plan", EdgeType.SUPPORTS)])
        assert done.created
        assert len(NOTES) + 1 == memory.status().notes
