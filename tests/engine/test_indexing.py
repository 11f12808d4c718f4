"""What a pass makes of changes on disk, and what it says of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import apsw

from engine.kit import TestVault, run_powerless
from genesys.engine.session import Genesys
from support import tree_bytes

LONG = "\n\n".join(
    f"## Part {i}\n\n" + f"The part number {i} tells of its own subject. " * 12 for i in range(6)
)


def counted(report: object) -> tuple[int, ...]:
    return tuple(getattr(report, n) for n in ("added", "changed", "moved", "removed", "touched"))


# ------------------------------------------------------------------ counters


def test_each_kind_of_change_is_counted_once(vault: TestVault) -> None:
    """Added, changed, moved, removed and merely touched notes; the rest is not mentioned."""
    vault.write_all({f"{name}.md": f"note {name} [[b]]" for name in "abcdef"})
    assert counted(vault.index()) == (6, 0, 0, 0, 0)
    vault.write("new.md", "new")
    vault.write("a.md", "note a, edited")
    vault.move("b.md", "folder/renamed.md")
    vault.remove("c.md")
    vault.touch("d.md")
    assert counted(vault.index()) == (1, 1, 1, 1, 1)
    assert counted(vault.index()) == (0, 0, 0, 0, 0)
    assert vault.paths() == ["a.md", "d.md", "e.md", "f.md", "folder/renamed.md", "new.md"]


def test_a_moved_note_keeps_its_history_and_takes_its_links_along(vault: TestVault) -> None:
    """Recalls stay with the note; a link by name follows it, a link by its old path is unresolved."""
    vault.write_all({"old/plan.md": "a plan for the harbour", "a.md": "[[plan]]", "b.md": "[[old/plan]]"})
    vault.index()
    with vault.memory() as memory:
        memory.recall("harbour")
        before = memory.explain("plan").accesses
    vault.move("old/plan.md", "new/plan.md")
    report = vault.index()
    assert (report.moved, report.unresolved_links, report.embedded) == (1, 1, 0)
    with vault.memory(read_only=True) as memory:
        assert memory.explain("plan").accesses == before
        assert [(s.source, s.target) for s in memory.traverse("plan").edges] == [("a.md", "new/plan.md")]


def test_two_notes_that_trade_names_trade_everything(vault: TestVault) -> None:
    """A swap is two moves, and no note is embedded anew."""
    vault.write_all({"a.md": "about the harbour", "b.md": "about the orchard"})
    vault.index()
    vault.move("a.md", "tmp.md")
    vault.move("b.md", "a.md")
    vault.move("tmp.md", "b.md")
    report = vault.index()
    assert (report.moved, report.added, report.removed, report.embedded) == (2, 0, 0, 0)
    assert vault.found("harbour")[0] == "b.md"


def test_a_rename_of_case_only_leaves_no_ghost(vault: TestVault) -> None:
    """readme.md became README.md."""
    vault.write("readme.md", "the harbour")
    vault.index()
    vault.move("readme.md", "README.md")
    assert vault.index().moved == 1
    assert vault.paths() == ["README.md"]


def test_a_deleted_note_leaves_nothing_behind(vault: TestVault) -> None:
    """Not in the graph, the full text, the vectors, nor as bytes in the file."""
    vault.write_all({"keep.md": "[[secret]]", "secret.md": "zanzibarquux and its tides"})
    vault.index()
    vault.remove("secret.md")
    report = vault.index()
    assert (report.removed, report.unresolved_links) == (1, 1)
    assert "secret.md" not in vault.found("zanzibarquux")
    con = apsw.Connection(str(vault.root / ".genesys" / "index.db"))
    for table in ("notes", "passages", "vectors", "accesses"):
        assert con.execute(f"SELECT count(*) FROM {table}").fetchall() in ([(1,)], [(0,)]), table
    con.close()
    assert b"zanzibarquux" not in (vault.root / ".genesys" / "index.db").read_bytes()


# ------------------------------------------------------------------ content decides


def test_a_full_pass_finds_an_edit_with_the_same_size_time_and_inode(vault: TestVault) -> None:
    """Nothing in the stat tells; only the content does."""
    file = vault.write("a.md", "the harbour")
    vault.index()
    stat = file.stat()
    with file.open("r+b") as handle:
        handle.write(b"the orchard")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert counted(vault.index()) == (0, 0, 0, 0, 0)
    assert counted(vault.index(full=True)) == (0, 1, 0, 0, 0)
    assert vault.found("orchard") == ["a.md"]


def test_a_full_pass_over_an_unchanged_vault_changes_nothing(story: TestVault) -> None:
    """Every file is hashed, none is written or embedded."""
    story.index()
    before = story.graph(inferred=True)
    report = story.index(full=True)
    assert (*counted(report), report.embedded) == (0, 0, 0, 0, 0, 0)
    assert story.graph(inferred=True) == before


def test_indexing_never_writes_into_a_note(story: TestVault) -> None:
    """Not a byte outside the index folder."""
    before = tree_bytes(story.root)
    story.index()
    story.index(full=True)
    assert tree_bytes(story.root) == before


# ------------------------------------------------------------------ nothing is embedded twice


def test_touch_rename_property_and_restart_embed_nothing(vault: TestVault) -> None:
    """A passage is embedded again only when its own text has changed."""
    vault.write("note.md", "---\ntags: [one]\n---\n" + LONG)
    first = vault.index()
    assert first.embedded == first.passages > 5
    vault.touch("note.md")
    assert vault.index().embedded == 0
    vault.move("note.md", "folder/renamed.md")
    assert vault.index().embedded == 0
    vault.write("folder/renamed.md", "---\ntags: [two]\nstatus: done\n---\n" + LONG)
    report = vault.index()
    assert (report.changed, report.embedded, report.reused) == (1, 0, first.passages)
    assert vault.index().embedded == 0


def test_an_edited_paragraph_embeds_its_passage_alone(vault: TestVault) -> None:
    """The others of the note are reused."""
    vault.write("note.md", LONG)
    total = vault.index().passages
    vault.write("note.md", LONG.replace("number 3 tells", "number 3 now tells"))
    report = vault.index()
    assert (report.embedded, report.reused) == (1, total - 1)


def test_another_model_embeds_all_while_the_old_vectors_serve(vault: TestVault) -> None:
    """A change of model costs each passage once, and recall keeps its meaning signal meanwhile."""
    vault.write("note.md", LONG)
    total = vault.index().passages
    old = vault.env.copy()
    vault.env["GENESYS_EMBEDDER"] = "local"
    report = vault.index(embed=False)
    assert (report.embedded, report.pending) == (0, total)
    vault.env = old
    assert vault.index().embedded == 0
    assert "vectors" in vault.recall("part number 3").signals


# ------------------------------------------------------------------ options


def test_a_dry_run_of_a_new_vault_says_what_there_is_and_makes_nothing(story: TestVault) -> None:
    """No folder, no file: the vault is as it was."""
    before = sorted(story.root.rglob("*"))
    with _dry(story) as memory:
        report = memory.index(dry_run=True)
    assert report.dry_run
    assert report.added == report.notes > 40
    assert report.seconds["walk"] >= 0
    assert sorted(story.root.rglob("*")) == before


def _dry(vault: TestVault) -> Genesys:
    return Genesys.open(vault.settings(), read_only=True, missing_ok=True)


def test_a_dry_run_changes_nothing_in_an_index(vault: TestVault) -> None:
    """What would be added, changed and removed; the index's bytes stay."""
    vault.write_all({"a.md": "a", "b.md": "b"})
    vault.index()
    vault.write_all({"a.md": "longer", "c.md": "c"})
    vault.remove("b.md")
    before = (vault.root / ".genesys" / "index.db").read_bytes()
    with _dry(vault) as memory:
        report = memory.index(dry_run=True)
    assert (report.notes, report.added, report.changed, report.removed) == (2, 1, 1, 1)
    assert (vault.root / ".genesys" / "index.db").read_bytes() == before


def test_a_note_that_opts_out_is_not_remembered(vault: TestVault) -> None:
    """``genesys: false`` keeps a note out of every answer; status says so."""
    vault.write_all(
        {"open.md": "the harbour [[private]]", "private.md": "---\ngenesys: false\n---\nthe harbour"}
    )
    report = vault.index()
    assert (report.notes, report.added) == (1, 1)
    assert vault.found("harbour") == ["open.md"]
    with vault.memory(read_only=True) as memory:
        status = memory.status()
    assert [s.path for s in status.skipped] == ["private.md"]
    assert sum(status.statuses.values()) == status.notes == 1


def test_the_index_can_lie_elsewhere(vault: TestVault, tmp_path: Path) -> None:
    """GENESYS_INDEX: nothing is written into the vault at all."""
    vault.write("a.md", "the harbour")
    vault.env["GENESYS_INDEX"] = str(tmp_path / "elsewhere" / "my.db")
    vault.index()
    assert sorted(p.name for p in vault.root.iterdir()) == ["a.md"]
    assert vault.found("harbour") == ["a.md"]


def test_a_new_relation_key_reads_the_notes_again(vault: TestVault) -> None:
    """A setting that changes what is read from a note changes the graph, and embeds nothing."""
    vault.write_all({"a.md": "entstanden_durch:: [[b]]", "b.md": "b"})
    vault.index()
    with vault.memory(read_only=True) as memory:
        assert memory.why("a").upstream == ()
    vault.env["GENESYS_RELATION_KEYS"] = "entstanden_durch=caused_by"
    report = vault.index()
    assert (report.changed, report.embedded) == (0, 0)
    with vault.memory(read_only=True) as memory:
        assert [s.path for s in memory.why("a").upstream] == ["b.md"]
    assert vault.index().seconds.get("read", 0) == 0


def test_the_same_vault_gives_the_same_index(story: TestVault) -> None:
    """The index is disposable: made anew, it has the same graph and the same answers with the same scores."""
    questions = [
        "why pressure sensors",
        "batteries in winter",
        "交换机",
        "Henrik",
        "what happened in March 2026",
    ]

    def answers() -> list[list[tuple[str, float]]]:
        return [[(h.path, round(h.score, 9)) for h in story.recall(q).hits] for q in questions]

    story.index()
    before = story.graph(inferred=True), answers()
    story.drop_index()
    story.index()
    assert (story.graph(inferred=True), answers()) == before


def test_what_indexing_in_steps_leaves_is_what_one_pass_leaves(story: TestVault, tmp_path: Path) -> None:
    """Moves, edits and deletions one by one end in the graph of a fresh index."""
    story.index()
    folder = sorted(p for p in story.root.rglob("*.md") if "Decisions" in p.parts)
    for number, file in enumerate(folder):
        if number % 3 == 0:
            file.rename(file.with_name(f"moved {file.name}"))
        elif number % 3 == 1:
            file.unlink()
        else:
            file.write_bytes(file.read_bytes() + b"\n\nsee also [[Home]]\n")
        story.index()
    stepwise = story.graph(inferred=True)
    story.drop_index()
    story.index()
    assert story.graph(inferred=True) == stepwise


# ------------------------------------------------------------------ never mass deletion


def test_an_unreadable_folder_is_not_deleted_notes(vault: TestVault) -> None:
    """Its notes stay in the index until it can be read again, and those of an unreadable file too."""
    vault.write_all({"Work/a.md": "the harbour", "b.md": "b", "c.md": "the orchard"})
    vault.index()
    vault.write("c.md", "the orchard and the garden")
    (vault.root / "Work").chmod(0)
    (vault.root / "c.md").chmod(0)
    try:
        done = run_powerless("index", "--json", vault=vault.root)
    finally:
        (vault.root / "Work").chmod(0o755)
    assert done.code == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["removed"], report["notes"]) == (0, 3)
    assert "Work" in report["kept"][0]
    assert vault.found("harbour")[0] == "Work/a.md"
    assert vault.found("orchard")[0] == "c.md"
    with vault.memory(read_only=True) as memory:
        assert {"Work", "c.md"} == {s.path for s in memory.status().skipped}


def test_an_emptied_folder_is_kept_until_a_full_pass(vault: TestVault) -> None:
    """A disk that is not mounted leaves an empty folder; so does a person, who then says --full."""
    vault.write_all({f"Work/deep/{i}.md": f"note {i}" for i in range(12)} | {"b.md": "b"})
    vault.index()
    for file in (vault.root / "Work" / "deep").iterdir():
        file.unlink()
    (vault.root / "Work" / "deep").rmdir()
    report = vault.index()
    assert (report.removed, report.notes) == (0, 13)
    assert "Work is empty but held 12 notes" in report.kept[0]
    assert vault.index(full=True).removed == 12


def test_an_empty_vault_is_a_disk_that_is_not_there(vault: TestVault, tmp_path: Path) -> None:
    """However few notes it had, where the index lies elsewhere and nothing at all is left."""
    vault.env["GENESYS_INDEX"] = str(tmp_path / "index" / "index.db")
    vault.write_all({"Work/a.md": "the harbour", "b.md": "b"})
    vault.index()
    for name in ("Work", "b.md"):
        (vault.root / name).rename(tmp_path / name)
    report = vault.index()
    assert (report.removed, report.notes) == (0, 2)
    assert report.kept


def test_a_folder_whose_notes_were_dragged_elsewhere_is_let_go(vault: TestVault) -> None:
    """Empty it stands there, but what it held has moved: no ghosts stay."""
    vault.write_all({f"Inbox/{i}.md": f"note number {i}" for i in range(12)})
    vault.index()
    (vault.root / "Archive").mkdir()
    for file in list((vault.root / "Inbox").iterdir())[:11]:
        vault.move(f"Inbox/{file.name}", f"Archive/{file.name}")
    for file in (vault.root / "Inbox").iterdir():
        file.unlink()
    report = vault.index()
    assert (report.moved, report.removed, report.notes, report.kept) == (11, 1, 11, ())


def test_counts_that_are_kept_are_the_counts_there_are(vault: TestVault) -> None:
    """Numbers of vectors are remembered between passes; every kind of change makes them be counted anew."""

    def counted_anew() -> tuple[int, int]:
        con = apsw.Connection(str(vault.root / ".genesys" / "index.db"))
        con.execute("DELETE FROM meta WHERE key GLOB 'counted:*'")
        con.close()
        return counts()

    def counts() -> tuple[int, int]:
        with vault.memory(read_only=True) as memory:
            report = memory.status()
        return report.vectors, report.pending

    vault.write_all({"a.md": LONG, "b.md": "b", "c.md": ""})
    changes = [
        lambda: vault.write("a.md", "---\ngenesys: false\n---\n" + LONG),
        lambda: vault.write("a.md", LONG),
        lambda: vault.write("c.md", "no longer empty"),
        lambda: vault.write("c.md", ""),
        lambda: vault.move("b.md", "moved.md"),
        lambda: vault.remove("moved.md"),
    ]
    vault.index()
    for number, change in enumerate(changes):
        change()
        report = vault.index(embed=number % 2 == 0)
        kept = counts()
        assert kept == counted_anew() == (report.reused + report.embedded, report.pending)
