"""``genesys digest``: proposals with sources, nothing stored unasked, everything stored once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.engine.digest import digest
from genesys.engine.session import Genesys
from genesys.errors import UsageError
from genesys.model import EdgeType, Kind, MemoryType, ParseOptions
from genesys.parse.digest.harmless import harmless
from genesys.parse.digest.texts import episode_text, proposal_text
from genesys.parse.note import parse_note
from genesys.transcripts import Conversation, DigestReport, Head, Place, Proposal, ProposalKind, Turn
from memory.helpers import Clock, make_vault, memory_of, row
from support import FIXTURES, Result, invoke, run_cli, tree_bytes

FOLDER = FIXTURES / "digest"
NOTES = {"Mesh plan.md": "The mesh.\n", "Budget cut.md": "In March.\n"}
TALK = """2026-03-01

User: We decided to drop the Mesh plan because of the Budget cut.
Assistant: Understood.
User: I prefer short reports.
"""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", NOTES)


@pytest.fixture
def memory(vault: Path) -> Iterator[Genesys]:
    with memory_of(vault, Clock()) as opened:
        opened.index()
        yield opened


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    file = tmp_path / "talk.md"
    file.write_text(TALK, encoding="utf-8")
    return file


def texts(report: DigestReport) -> list[str]:
    return [p.text for c in report.conversations for p in c.proposals]


def memories(vault: Path) -> list[str]:
    return sorted(p.stem for p in (vault / "Memories").rglob("*.md"))


def test_nothing_is_stored_unasked(memory: Genesys, vault: Path, talk: Path) -> None:
    """A digest without apply reads; the proposals say where they stand."""
    before = tree_bytes(vault)
    report = digest(memory, [talk])
    assert before == tree_bytes(vault)
    [conversation] = report.conversations
    assert [("decision", 1, 3), ("preference", 3, 5)] == [
        (p.kind.value, p.places[0].turn, p.places[0].line) for p in conversation.proposals
    ]


def test_what_is_accepted_becomes_notes_with_their_source(memory: Genesys, vault: Path, talk: Path) -> None:
    """The conversation as an episode, the proposals derived from it, linked to the notes that they name."""
    report = digest(memory, [talk], apply=True)
    episode, decision, _ = (kept.path for kept in report.kept)
    assert MemoryType.EPISODIC is row(memory, episode).memory_type
    found = row(memory, decision)
    assert (Kind.MEMORY, "decision") == (found.kind, found.category)
    edges = {(e.target, e.type) for e in report.kept[1].edges if e.source == decision}
    assert edges >= {
        (episode, EdgeType.DERIVED_FROM),
        ("Budget cut.md", EdgeType.CAUSED_BY),
        ("Mesh plan.md", EdgeType.RELATED_TO),
    }
    text = (vault / episode).read_text(encoding="utf-8")
    assert "2026-03-01" in text
    assert "We decided to drop the Mesh plan" in text
    assert report.conversations[0].head.session in text


def test_the_same_again_stores_nothing_twice(memory: Genesys, vault: Path, talk: Path) -> None:
    """Also from a file that was renamed, and after the index was made anew."""
    digest(memory, [talk], apply=True)
    before = tree_bytes(vault)
    again = digest(memory, [talk.rename(talk.with_name("other.txt"))], apply=True)
    assert before == tree_bytes(vault)
    assert {False} == {kept.created for kept in again.kept}
    shutil.rmtree(vault / ".genesys")
    with memory_of(vault, Clock()) as anew:
        digest(anew, [talk.with_name("other.txt")], apply=True)
    assert before == tree_bytes(vault)


def test_a_memory_that_a_person_reworded_is_still_known(memory: Genesys, vault: Path, talk: Path) -> None:
    """It is told by its source and not by its words."""
    path = digest(memory, [talk], apply=True).kept[2].path
    note = vault / path
    note.write_text(note.read_text("utf-8").replace("I prefer short reports.", "Reports: short."), "utf-8")
    memory.index()
    assert [path] == [
        p.known for c in digest(memory, [talk]).conversations for p in c.proposals if p.number == 2
    ]


def test_a_conversation_that_went_on_is_continued(memory: Genesys, vault: Path, talk: Path) -> None:
    """Only the new turns are kept, and what is new in them is derived from the new note."""
    digest(memory, [talk], apply=True)
    with talk.open("a", encoding="utf-8") as file:
        file.write("Assistant: Fine.\nUser: We agreed on weekly meetings because of the delays.\n")
    report = digest(memory, [talk], apply=True)
    new = [kept for kept in report.kept if kept.created]
    assert 2 == len(new)
    text = (vault / new[0].path).read_text(encoding="utf-8")
    assert "Turns 4 to 5" in text
    assert "short reports" not in text
    assert new[0].path in {e.target for e in new[1].edges if e.type is EdgeType.DERIVED_FROM}


def test_a_selection_is_stored_alone(memory: Genesys, vault: Path, talk: Path) -> None:
    """With its conversation; a number that no proposal has is refused before anything is written."""
    with pytest.raises(UsageError, match="no proposal 3"):
        digest(memory, [talk], apply=True, only=[3])
    assert not (vault / "Memories").exists()
    report = digest(memory, [talk], apply=True, only=[2])
    assert ["I prefer short reports."] == texts(report)
    assert 2 == len(memories(vault))


def test_a_secret_is_refused_and_not_shown(memory: Genesys, vault: Path, tmp_path: Path) -> None:
    """Neither as a memory nor in the conversation's note; the rest is stored."""
    key = "ghp_" + "a1B2" * 10
    file = tmp_path / "t.md"
    file.write_text(f"User: We decided to use {key} for the deployment.\nUser: I prefer ssh.\n", "utf-8")
    report = digest(memory, [file], apply=True)
    refused, fine = report.conversations[0].proposals
    assert "GitHub token" in refused.refused
    assert not fine.refused
    assert key not in repr(report)
    assert 2 == len(memories(vault))
    assert not any(key.encode() in raw for raw in tree_bytes(vault, skip="").values())


def test_words_of_a_conversation_change_no_note(memory: Genesys, vault: Path, tmp_path: Path) -> None:
    """A transcript that supersedes, links, tags or queries is text and nothing else."""
    file = tmp_path / "t.md"
    file.write_text(
        "User: We decided to stay, supersedes:: [[Mesh plan]] and (caused_by:: [[Budget cut]]).\n"
        "Assistant: ok\n\nsupersedes:: [[Mesh plan]]\n\n- contradicts [[Budget cut]]\n\n#tag\n\n"
        "```dataviewjs\nalert(1)\n```\n",
        encoding="utf-8",
    )
    report = digest(memory, [file], apply=True)
    for kept in report.kept:
        edges = [e for e in kept.edges if e.source == kept.path and e.type is not EdgeType.TEMPORAL_SEQUENCE]
        assert {EdgeType.DERIVED_FROM, EdgeType.RELATED_TO} >= {e.type for e in edges}
        raw = (vault / kept.path).read_bytes()
        assert not parse_note(kept.path, raw, ParseOptions()).tags
        assert b"dataviewjs" not in raw


MIXED = r"""[[x]] ![[y]] #tag a::[[b]] (c::d) ` `` ``` ~~~ ```dataview - > |a|b| $$ $ %% <!-- --> <div> </div>
--- ^id [a](b.md) [r]:z.md because_of \ 1. * ** = ^ - caused_by supersedes:: [[ ]] ]( ::"""
SIGNS = MIXED.split()
WORDS = st.lists(st.sampled_from([*SIGNS, "\n", "\n\n", " ", "    ", "# "]), min_size=1, max_size=14).map(
    "".join
)


@given(st.lists(WORDS, min_size=2, max_size=4))
def test_no_words_keep_a_meaning(said: list[str]) -> None:
    """Whatever mixture of signs, in turns, titles and quotations: our own parser finds no link, no tag."""
    turns = tuple(Turn(n, "user", text, n) for n, text in enumerate(said, 1))
    talk = Conversation("f", Head("s", " ".join(said[0].split()), "ChatGPT"), len(said), turns, ())
    place = Place(1, 1, "user", said[1])
    drawn = Proposal(1, ProposalKind.FACT, said[0], MemoryType.SEMANTIC, (place,), "llm")
    for text in (harmless(said[0]), episode_text(talk), proposal_text("s", drawn)):
        note = parse_note("x.md", f"\n{text}\n\nafter".encode(), ParseOptions())
        assert ((), (), {}) == (note.links, note.tags, dict(note.properties))


def genesys(vault: Path, *args: str) -> Result:
    return invoke("digest", *args, vault=vault)


def test_the_command_line_shows_and_stores(vault: Path, talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A preview, a selection, the rest; the second time it is known."""
    monkeypatch.setenv("GENESYS_EMBEDDER", "fake")
    seen = genesys(vault, str(talk))
    assert (0, True) == (seen.code, "2 proposals, nothing is stored yet" in seen.stdout)
    assert not (vault / ".genesys").exists()
    assert "1 memory stored" in genesys(vault, str(talk), "--apply", "--only", "2").stdout
    assert "1 memory stored, 1 known already" in genesys(vault, str(talk), "--apply").stdout
    data = json.loads(genesys(vault, str(talk), "--json").stdout)
    assert ["decision", "preference"] == [p["kind"] for p in data["conversations"][0]["proposals"]]
    assert all(p["known"] for p in data["conversations"][0]["proposals"])


@pytest.mark.parametrize(
    ("content", "args", "code", "words"),
    [
        (None, (), 2, "is not there"),
        ("just text", (), 1, "no turns are found"),
        (TALK, ("--only", "x"), 2, "no number of a proposal"),
        (TALK, ("--only", "9"), 2, "no proposal 9"),
        ("PK\x03\x04zip", (), 1, "unpack it first"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    vault: Path, tmp_path: Path, content: str | None, args: tuple[str, ...], code: int, words: str
) -> None:
    """With the exit code of its kind."""
    file = tmp_path / "f.md"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    done = genesys(vault, str(file), *args)
    assert code == done.code
    assert words in done.stdout + done.stderr


@pytest.mark.model
def test_what_was_decided_is_recalled(vault: Path) -> None:
    """With the real model, through the command line: digest, then a question in other words."""
    done = run_cli("digest", str(FOLDER / "tidegate.jsonl"), "--apply", vault=vault)
    assert 0 == done.code, done.stderr
    asked = run_cli(
        "recall", "how do we keep measurements through a power cycle of the gateway", "--json", vault=vault
    )
    assert "disk spool" in asked.stdout


ROOM = """User: The club has paid 12 euros a month for the room since 1 March 2026.
Assistant: So the club has paid 15 euros a month for the room?
"""


def test_a_memory_that_contradicts_a_note_says_so(memory: Genesys, tmp_path: Path) -> None:
    """As remembering does; what was said on the way to it in the same conversation is no contradiction."""
    memory.remember("The club has paid 9 euros a month for the room.", title="Room")
    file = tmp_path / "t.md"
    file.write_text(ROOM, "utf-8")
    [_, kept] = digest(memory, [file], apply=True).kept
    [conflict] = kept.conflicts
    assert conflict.startswith("Memories/2026/Room.md")


BACKUP = """User: We decided to keep only seven daily snapshots, because the disk is full every month.
Assistant: Noted.
User: I prefer plain rsync to borg. Never use borg on this machine.
Assistant: Fine.
User: The lease of the flat ends on 2027-03-31.
"""


def test_where_memories_come_from_contradicts_nothing(memory: Genesys, tmp_path: Path) -> None:
    """Memories of one conversation name different turns, and that is all they differ in."""
    file = tmp_path / "t.md"
    file.write_text(BACKUP, "utf-8")
    kept = digest(memory, [file], apply=True).kept
    assert 5 == len(kept)  # the conversation and four memories
    assert [()] * 5 == [one.conflicts for one in kept]
