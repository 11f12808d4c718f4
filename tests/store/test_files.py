"""Moves and removals: one row a file, and nothing left behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from genesys.model import CreatedBy, Edge, EdgeType, FileStat, FileType, Move, OwnState, Skipped
from genesys.store.index import Index, open_index
from genesys.store.rows import StateChange
from store.factory import NOW, attachment, canvas, link, record, simple_resolver

ALL = (1.0, 1.0, 1.0, 1.0)


def ids(index: Index) -> dict[str, int]:
    return {path: i for i, path in index._db.all("SELECT id, path FROM files")}


def fill_vectors(index: Index, model: str = "m", dim: int = 8) -> None:
    pending = index.pending(model, 1_000)
    block = np.random.default_rng(0).standard_normal((len(pending), dim)).astype(np.float32)
    block /= np.linalg.norm(block, axis=1, keepdims=True)
    index.put_vectors(model, dim, [key for key, _ in pending], block)


def targets(index: Index) -> dict[tuple[str, str], str | None]:
    return {(x.source, x.target): x.target_path for x in index.written_graph()[1]}


def test_a_move_keeps_everything(index: Index) -> None:
    """Id, passages, vectors, accesses and state stay; path, title and key follow."""
    index.put([record("a/Old.md", ["alpha"])], NOW)
    fill_vectors(index)
    index.set_states([StateChange(1, pinned=True, recalls=4)], NOW)
    passages = [p.id for p in index.passages_of(1)]
    index.move([Move("a/Old.md", "b/New.md")])
    index.put([record("b/New.md", ["alpha"])], NOW)
    row = index.note_row("b/New.md")
    assert row is not None
    assert (1, "New", True, 4) == (row.id, row.title, row.pinned, row.recalls)
    assert passages == [p.id for p in index.passages_of(1)]
    assert [] == index.pending("m", 10)
    assert ["b/New.md"] == index.notes_by_key("new")
    assert [] == index.notes_by_key("old") + index.search_text('"old"', ALL, 5)
    assert 1 == len(index.search_text('"new"', ALL, 5))


def test_a_moved_note_asks_to_be_read_again(index: Index) -> None:
    """Its title may be in its passages; a kill between move and put must not lose that."""
    index.put([record("a.md"), attachment("p.png")], NOW)
    index.move([Move("a.md", "b.md"), Move("p.png", "q.png")])
    states = index.file_states()
    assert ("", 0) == (states["b.md"].content_hash, states["b.md"].mtime_ns)
    assert states["q.png"].mtime_ns
    index.put([record("b.md")], NOW)
    assert index.file_states()["b.md"].content_hash


def test_files_can_swap_names(index: Index) -> None:
    """Two files that exchange their paths in one call keep their ids."""
    index.put([record("a.md", ["one"]), record("b.md", ["two"])], NOW)
    index.add_event("pin", "a.md", {}, NOW)
    before = ids(index)
    index.move([Move("a.md", "b.md"), Move("b.md", "a.md")])
    assert {"a.md": before["b.md"], "b.md": before["a.md"]} == ids(index)
    assert ["b.md"] == [e.path for e in index.events()]


def test_a_case_only_rename_is_a_move(index: Index) -> None:
    """One note before, the same one after."""
    index.put([record("note.md")], NOW)
    index.move([Move("note.md", "Note.md")])
    assert {"Note.md": 1} == ids(index)


def test_a_move_onto_a_file_replaces_it(index: Index) -> None:
    """The one that was there is gone, with its text."""
    index.put([record("a.md", ["one"]), record("b.md", ["two"])], NOW)
    index.move([Move("a.md", "b.md")])
    assert {"b.md": 1} == ids(index)
    assert [] == index.search_text('"two"', ALL, 5)


def test_a_chain_of_moves(index: Index) -> None:
    """a → b while b → c."""
    index.put([record("a.md"), record("b.md")], NOW)
    index.move([Move("a.md", "b.md"), Move("b.md", "c.md"), Move("gone.md", "x.md")])
    assert {"b.md": 1, "c.md": 2} == ids(index)


def test_links_follow_moves_without_reading_other_notes(index: Index) -> None:
    """Old and new name are looked at again, and so are the moved note's own links."""
    index.put(
        [
            record("a.md", links=["b", "c"]),
            record("x/b.md"),
            record("x/src.md", links=["near"]),
            record("x/near.md"),
            record("y/near.md"),
        ],
        NOW,
    )
    index.resolve(simple_resolver)
    assert {("a.md", "b"): "x/b.md", ("a.md", "c"): None, ("x/src.md", "near"): "x/near.md"} == targets(index)
    index.move([Move("x/b.md", "x/c.md"), Move("x/src.md", "y/src.md")])
    index.resolve(simple_resolver)
    assert {("a.md", "b"): None, ("a.md", "c"): "x/c.md", ("y/src.md", "near"): "y/near.md"} == targets(index)


def test_removing_leaves_nothing(path: Path) -> None:
    """No table holds a word of a removed note, not even the file itself."""
    secret = "xyzzysentinel"
    with open_index(path) as index:
        index.put(
            [
                record(
                    f"{secret}/{secret}.md",
                    [f"{secret} text", f"more {secret}"],
                    links=[link("other", key=secret, sentence=f"{secret} said"), link(secret)],
                    aliases=(secret + "alias",),
                    tags=(secret + "tag",),
                    properties={secret: secret},
                    people=(secret,),
                    category=secret,
                    source_session=secret,
                    own=OwnState(recalls=3),
                    problem=secret,
                ),
                record("other.md", ["kept words"]),
                canvas("c.canvas", ["other"]),
            ],
            NOW,
        )
        index.resolve(simple_resolver)
        fill_vectors(index)
        note = f"{secret}/{secret}.md"
        index.add_edges([Edge("other.md", note, EdgeType.RELATED_TO, 0.5, CreatedBy.AUTO, secret)])
        index.add_event("write", note, {"values": secret}, NOW)
        index.save_preimage(1, secret.encode(), NOW, keep_s=60)
        index.remove([note])
        index.resolve(simple_resolver)
        index.collect_garbage()
        assert [] == leftovers(index, secret)
        assert 1 == index.counts().passages
        assert (1, 1) == index.vector_counts("m")
        assert 1 == index._db.value("SELECT count(*) FROM vectors")
        assert [] == index.check()
    assert secret.encode() not in path.read_bytes()


def leftovers(index: Index, word: str) -> list[tuple[str, object]]:
    """Every value of every table, shadow tables too, that holds the word."""
    index._db.load_vec()
    found: list[tuple[str, object]] = []
    for (table,) in index._db.all("SELECT name FROM sqlite_schema WHERE type = 'table'"):
        for row in index._db.all(f'SELECT * FROM "{table}"'):
            for value in row:
                raw = value if isinstance(value, bytes) else str(value).encode()
                if word.encode() in raw.lower():
                    found.append((table, value))
    return found


def test_a_removed_note_s_links_wait_for_it(index: Index) -> None:
    """Incoming links turn unresolved, and find the note again when it comes back."""
    index.put([record("a.md", links=["b", "al"]), record("b.md", aliases=("al",))], NOW)
    index.resolve(simple_resolver)
    assert 2 == len(index.written_graph()[1]) - len(index.unresolved())
    index.remove(["b.md"])
    assert [] == index.all_edges()
    index.resolve(simple_resolver)
    assert ["b", "al"] == [x.target for x in index.unresolved()]
    index.put([record("b.md", aliases=("al",))], NOW)
    index.resolve(simple_resolver)
    assert [] == index.unresolved()


def test_a_note_that_comes_back_is_not_embedded_again(index: Index) -> None:
    """Vectors stay until garbage is collected, so delete and add in one pass cost nothing (P10)."""
    rec = record("a.md", ["one", "two"])
    index.put([rec], NOW)
    fill_vectors(index)
    index.remove(["a.md"])
    index.put([rec], NOW)
    assert [] == index.pending("m", 10)
    assert 0 == index.collect_garbage()


def test_a_kept_event_outlives_its_note(index: Index) -> None:
    """An undo of a forgotten memory needs what the event says."""
    index.put([record("a.md")], NOW)
    index.add_event("prune", "a.md", {"trashed": "x"}, NOW, keep=True)
    index.add_event("status", "a.md", {}, NOW)
    index.remove(["a.md"])
    assert ["prune"] == [e.kind for e in index.events()]


def test_ids_are_never_given_twice(index: Index) -> None:
    """A cache keyed by id can't take a new note for a deleted one."""
    index.put([record("a.md"), record("b.md")], NOW)
    last = max(ids(index).values())
    index.remove(["a.md", "b.md"])
    index.put([record("c.md")], NOW)
    assert last < ids(index)["c.md"]


def test_a_touch_changes_times_only(index: Index) -> None:
    """The content hash stays unless a new one is given."""
    rec = record("a.md")
    index.put([rec], NOW)
    index.touch([FileStat("a.md", FileType.NOTE, 99, 5, 6)])
    state = index.file_states()["a.md"]
    assert (99, 5, 6, rec.stat.content_hash) == (state.size, state.mtime_ns, state.inode, state.content_hash)
    assert {rec.stat.content_hash: ["a.md"]} == index.hashes()


def test_skipped_files_are_replaced_as_a_list(index: Index) -> None:
    """The last walk decides."""
    index.set_skipped([Skipped("b", "no"), Skipped("a", "why")])
    assert [Skipped("a", "why"), Skipped("b", "no")] == index.skipped()
    index.set_skipped([])
    assert [] == index.skipped()


@pytest.mark.parametrize("name", ["50%_off.md", "a'b\";--.md", "*[glob]?.md", "日本/ノート.md", "ΣΟΦΟΣ.md"])
def test_names_are_data(index: Index, name: str) -> None:
    """No character of a path has a meaning to SQL, LIKE or glob."""
    index.put([record(name), record("other.md", links=[name.removesuffix(".md")])], NOW)
    index.resolve(simple_resolver)
    assert [] == index.unresolved()
    index.remove([name])
    assert ["other.md"] == list(index.file_states())
