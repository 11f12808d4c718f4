"""What is written into notes, when, and what never is."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from genesys.engine.session import Genesys
from genesys.errors import WriteRefused
from memory.helpers import DAY, Clock, make_vault, memory_of, row
from support import NOW, invoke, tree_bytes

NOTES: dict[str, str | bytes] = {
    "Plain.md": "# Plain\n\nThe ferry sails at dawn.\n",
    "Props.md": "---\ntags: [a]  # mine\naliases:\n  - p\n---\nHarbour lights.\n",
    "Crlf.md": b"---\r\nx: 1\r\n---\r\nTide tables.\r\n",
    "Linked.md": "See [[Plain]] and [[Props]].\n",
    "Broken.md": "---\nx: [1\n---\nBroken anchors.\n",
    "Latin.md": "Caf\xe9 au port.\n".encode("latin-1"),
    "Plan.sync-conflict-20260101-120000-ABCDEFG.md": "Conflicting anchors.\n",
    "Out.md": "---\ngenesys: false\n---\nPrivate buoys.\n",
    "No.md": "---\ngenesys_pinned: false\n---\nUnpinned on purpose.\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", NOTES, at=NOW - 100 * DAY)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(vault: Path, clock: Clock) -> Iterator[Genesys]:
    with memory_of(vault, clock) as opened:
        opened.index()
        yield opened


def own_lines(vault: Path, path: str) -> dict[str, str]:
    text = (vault / path).read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    return dict(re.findall(r"^(genesys_\w+): (.*)$", text, flags=re.M))


def foreign(raw: bytes) -> bytes:
    """The note without our lines, and without the block that only they would fill."""
    kept = b"".join(line for line in raw.splitlines(keepends=True) if not line.startswith(b"genesys_"))
    return kept.removeprefix(b"---\n---\n")


def test_the_first_index_and_a_recall_write_into_no_note(vault: Path, clock: Clock) -> None:
    """Nor does a pass over notes that nobody asked about."""
    before = tree_bytes(vault)
    with memory_of(vault, clock) as memory:
        memory.index()
        memory.decay()
        memory.recall("ferry at dawn")
        memory.why("Linked")
        memory.explain("Plain")
    assert before == tree_bytes(vault)


def test_a_recalled_note_gets_its_properties_in_the_next_pass(
    memory: Genesys, vault: Path, clock: Clock
) -> None:
    """Flat, and typed as Obsidian reads them: text, number, number, date-time without a zone, checkbox."""
    before = tree_bytes(vault)
    memory.recall("harbour lights", k=1)
    memory.decay()
    assert {"Props.md"} == {path for path, raw in tree_bytes(vault).items() if raw != before[path]}
    lines = own_lines(vault, "Props.md")
    assert ["active", "1", "2026-06-01T12:00:00"] == [
        lines[f"genesys_{key}"] for key in ("status", "recalls", "last_recalled")
    ]
    assert re.fullmatch(r"[01]\.\d\d", lines["genesys_score"])
    assert b"tags: [a]  # mine\naliases:\n  - p\n" in (vault / "Props.md").read_bytes()
    memory.pin("Props")
    values = yaml.safe_load((vault / "Props.md").read_text().split("---")[1])
    assert (True, True) == (values["genesys_core"], values["genesys_pinned"])
    assert [str, float, int] == [type(values[f"genesys_{key}"]) for key in ("status", "score", "recalls")]
    assert values["genesys_last_recalled"].tzinfo is None


def test_a_person_who_just_edited_is_left_in_peace(memory: Genesys, vault: Path, clock: Clock) -> None:
    """For ten minutes; after that the note is written, and our own write starts no new wait."""
    memory.recall("harbour lights", k=1)
    file = vault / "Props.md"
    file.write_text(file.read_text() + "More light.\n")
    os.utime(file, (clock.now, clock.now))
    memory.index()
    clock.now += 599
    assert () == memory.decay().writes.written
    clock.now += 2
    assert ("Props.md",) == memory.decay().writes.written
    clock.later(40)
    memory.recall("harbour lights", k=1)
    clock.later(200)
    assert ("Props.md",) == memory.decay().writes.written


def test_an_edit_that_the_index_has_not_seen_is_never_overwritten(memory: Genesys, vault: Path) -> None:
    """The hash differs, so the write waits for the next pass."""
    memory.recall("harbour lights", k=1)
    file = vault / "Props.md"
    file.write_text("Everything new.\n")
    report = memory.decay()
    assert ((), 1) == (report.writes.written, report.writes.deferred)
    assert "Everything new.\n" == file.read_text()


def test_nothing_new_is_not_written_again(memory: Genesys, vault: Path, clock: Clock) -> None:
    """A score that moved by less than a tenth, or a second pass, touches no file."""
    memory.recall("harbour lights", k=1)
    memory.decay()
    before = tree_bytes(vault), (vault / "Props.md").stat().st_mtime_ns
    clock.later(0.5)
    assert () == memory.decay().writes.written
    assert 0 == memory.index().changed, "our own write is no edit"
    assert before == (tree_bytes(vault), (vault / "Props.md").stat().st_mtime_ns)


REFUSED = ["Broken.md", "Latin.md", "Plan.sync-conflict-20260101-120000-ABCDEFG.md"]


def test_what_can_not_be_edited_safely_is_left_alone_and_said(vault: Path, clock: Clock) -> None:
    """Invalid YAML, not UTF-8, a conflict copy, a hard link; an opted-out note is not even named."""
    os.chmod(vault / "Linked.md", 0o444)
    os.link(vault / "Crlf.md", vault / "Hard.md")
    before = tree_bytes(vault)
    with memory_of(vault, clock, writeback="all", writeback_quiet_s=0.0) as memory:
        memory.index()
        writes = memory.decay().writes
        refused = {r.path: r.reason for r in writes.refused}
        wanted = {*REFUSED, "Crlf.md", "Hard.md"} | (
            {"Linked.md"} if not os.access(vault / "Linked.md", os.W_OK) else set()
        )
        assert wanted <= refused.keys()
        assert all(refused.values())
        assert not {"Out.md", *wanted} & set(writes.written)
        for path in REFUSED:
            with pytest.raises(WriteRefused, match=r"pinned, but .* can.t carry the mark"):
                memory.pin(path)
            assert row(memory, path).pinned
    after = tree_bytes(vault)
    assert all(before[p] == after[p] for p in (*REFUSED, "Out.md", "Crlf.md", "Hard.md"))
    assert all(foreign(before[p]) == foreign(after[p]) for p in writes.written)


def test_notes_that_refuse_do_not_hold_up_the_others(vault: Path, clock: Clock) -> None:
    """The limit of a pass counts what was written, and the rest follows in the next passes."""
    with memory_of(vault, clock, writeback="all", writeback_quiet_s=0.0, writeback_max=2) as memory:
        memory.index()
        written = [memory.decay().writes.written for _ in range(4)]
    assert [2, 2, 1, 0] == [len(paths) for paths in written]
    assert {"Plain.md", "Props.md", "Crlf.md", "Linked.md", "No.md"} == {
        p for paths in written for p in paths
    }


def test_writeback_off_writes_nothing_at_all(vault: Path, clock: Clock) -> None:
    """Not even a pin; the index has it."""
    before = tree_bytes(vault)
    with memory_of(vault, clock, writeback="off") as memory:
        memory.index()
        memory.recall("harbour lights")
        memory.pin("Props")
        memory.decay()
        assert row(memory, "Props.md").pinned
    assert before == tree_bytes(vault)


def test_a_persons_own_false_stays(memory: Genesys, vault: Path) -> None:
    """`genesys_pinned: false` is the person's line; a pin makes it true, unpinning takes our line away."""
    memory.recall("unpinned on purpose", k=1)
    memory.decay()
    assert "false" == own_lines(vault, "No.md")["genesys_pinned"]
    memory.pin("No")
    assert "true" == own_lines(vault, "No.md")["genesys_pinned"]
    memory.unpin("No")
    assert "genesys_pinned" not in own_lines(vault, "No.md")


def test_a_note_edited_since_the_last_pass_is_read_and_then_pinned(memory: Genesys, vault: Path) -> None:
    """The edit counts as an edit and stays; nobody has to index first."""
    file = vault / "Plain.md"
    file.write_text("# Plain\n\nAn edit that no pass has seen.\n")
    memory.pin("Plain")
    assert file.read_text().endswith("---\n# Plain\n\nAn edit that no pass has seen.\n")
    assert "core" == own_lines(vault, "Plain.md")["genesys_status"]
    assert ["Plain.md"] == [h.path for h in memory.recall("an edit that no pass has seen", k=1).hits]


def test_a_dry_run_changes_nothing_and_says_what_and_why(memory: Genesys, vault: Path, clock: Clock) -> None:
    """Bytes and time stamps of the notes and of the index are as before."""
    memory.decay()
    clock.later(400)
    memory._index._db.run("PRAGMA wal_checkpoint(TRUNCATE)")
    files = [p for p in vault.rglob("*") if p.is_file()]
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in files}
    dry = memory.decay(dry_run=True)
    assert dry.dry_run
    assert before == {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in files}
    done = memory.decay()
    assert dry.changes == done.changes
    assert dry.changes
    assert all(change.reason for change in dry.changes)


def test_the_command_line_tells_a_dry_run_from_a_pass(vault: Path) -> None:
    """With an index it lists, without one it says what to do, in one line."""
    assert 1 == (missing := invoke("decay", "--dry-run", vault=vault)).code
    assert "genesys index" in missing.stderr
    assert 1 == invoke("decay", vault=vault).code
    invoke("index", "--no-embed", vault=vault)
    result = invoke("decay", "--dry-run", vault=vault)
    assert (0, "") == (result.code, result.stderr)
    assert "would change" in result.stdout
