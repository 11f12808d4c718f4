"""Putting notes: what is kept, what is replaced, what counts as an access."""

from __future__ import annotations

from dataclasses import replace

import pytest

from genesys.model import AccessKind, FileRecord, Note, OwnState, Passage, Status
from genesys.store.index import Index
from store.factory import DAY, NOW, attachment, canvas, digest, passage, record

ALL = (1.0, 1.0, 1.0, 1.0)


def note(rec: FileRecord) -> Note:
    assert rec.note is not None
    return rec.note


def passages(index: Index, path: str) -> dict[str, tuple[int, int]]:
    """Text → (passage id, vector key)."""
    found = index.note_id(path)
    rows = index._db.all("SELECT text, id, vec_key FROM passages WHERE note_id = ?", (found,))
    return {text: (i, key) for text, i, key in rows}


def found(index: Index, word: str) -> list[int]:
    return sorted(note for _, note, _ in index.search_text(f'"{word}"', ALL, 50))


def test_a_note_comes_back_as_it_was_put(index: Index) -> None:
    """Every fact of a note can be read again."""
    rec = record(
        "a/b.md",
        ["one", "two"],
        aliases=("B", "Bee"),
        tags=("Project/X",),
        properties={"x": [1, {"y": None}]},
        people=("Ann",),
        category="work",
        source_session="s1",
        note_date="2026-05-04",
        created="2026-05-01",
        problem="odd",
        refuse_write="odd",
    )
    index.put([rec, attachment("p.png"), canvas("c.canvas", ["b"])], NOW)
    row = index.note_row("a/b.md")
    assert row is not None
    assert ("b", ("Ann",), "work", "s1", "2026-05-04") == (
        row.title,
        row.people,
        row.category,
        row.source_session,
        row.note_date,
    )
    assert {row.id: {"x": [1, {"y": None}]}} == index.properties([row.id])
    assert {row.id: ("B", "Bee")} == index.aliases_of()
    assert {row.id: ("Project/X",)} == index.tags_of([row.id])
    assert [("a/b.md", "odd")] == index.problems()
    assert ["one", "two"] == [p.text for p in index.passages_of(row.id)]
    assert rec.stat == index.file_states()["a/b.md"]
    assert ["a/b.md", "c.canvas", "p.png"] == sorted(index.file_states())


def test_unchanged_passages_keep_row_and_vector(index: Index) -> None:
    """An edit in one place re-embeds that place only, even where the passages moved (P10)."""
    index.put([record("a.md", ["one", "two", "three"])], NOW)
    before = passages(index, "a.md")
    index.put([record("a.md", ["new", "three", "one"])], NOW)
    after = passages(index, "a.md")
    assert before["one"] == after["one"]
    assert before["three"] == after["three"]
    assert {"new", "three", "one"} == set(after)
    assert ["new", "three", "one"] == [p.text for p in index.passages_of(1)]


def test_a_new_title_in_the_embedded_text_re_embeds_nothing(index: Index) -> None:
    """A rename or a date changes the text that a model would read, but not what the passage says (P10)."""
    rec = record("a.md", ["one"], title="Old")
    index.put([rec], NOW)
    before = passages(index, "a.md")
    index.put([record("a.md", ["one"], title="New")], NOW)
    assert before == passages(index, "a.md")
    assert [] == found(index, "old")
    assert [1] == found(index, "new")


def test_equal_passages_of_one_note_are_told_apart(index: Index) -> None:
    """Twice the same text is two passages; taking one away leaves one."""
    index.put([record("a.md", ["same", "same", "other"])], NOW)
    index.put([record("a.md", ["same", "other"])], NOW)
    assert ["same", "other"] == [p.text for p in index.passages_of(1)]
    index.put([record("a.md", ["same", "same", "same"])], NOW)
    assert 3 == len(index.passages_of(1))
    assert 3 == index.doc_frequency(["same"])["same"]


def test_full_text_follows_every_edit(index: Index) -> None:
    """Text, headings, aliases and titles of before are not found any more."""
    index.put([record("a.md", ["apple"], aliases=("avocado",))], NOW)
    index.put([record("a.md", ["banana"], aliases=("blueberry",))], NOW)
    assert [] == found(index, "apple") + found(index, "avocado")
    assert [1] == found(index, "banana")
    assert [1] == found(index, "blueberry")


def test_an_opted_out_note_leaves_only_its_name(index: Index) -> None:
    """``genesys: false`` takes the text out of the index; links to the note still lead to it."""
    index.put([record("a.md", ["secret"], tags=("t",), aliases=("al",))], NOW)
    index.put([record("a.md", ["secret"], tags=("t",), aliases=("al",), opted_out=True)], NOW)
    assert [] == found(index, "secret")
    assert [] == index.passages_of(1) + index.names()
    assert index.note_row("a.md") is not None


def test_a_lone_surrogate_does_not_stop_a_batch(index: Index) -> None:
    """YAML escapes can make text that UTF-8 can't hold; its batch is stored all the same."""
    bad = record("b.md", ["x \ud800 y"], properties={"k\udc00": ["\ud800"]}, aliases=("\ud800",))
    index.put([record("a.md"), bad, record("c.md")], NOW)
    assert ["a.md", "b.md", "c.md"] == sorted(index.file_states())
    assert "x ? y" == index.passages_of(2)[0].text


def test_odd_values_are_stored(index: Index) -> None:
    """NUL characters, huge numbers and infinite times are data like any other."""
    own = OwnState(recalls=10**30, last_recalled=float("inf"), score=float("nan"))
    index.put(
        [record("a.md", ["nul \x00 here"], own=own, created="0001-01-01", properties={"n": 10**40})], NOW
    )
    row = index.note_row("a.md")
    assert row is not None
    assert {1: {"n": 10**40}} == index.properties([1])
    assert "nul \x00 here" == index.passages_of(1)[0].text


def test_large_inodes_survive(index: Index) -> None:
    """Some file systems number beyond what SQLite's integers hold."""
    rec = record("a.md")
    stat = replace(rec.stat, inode=2**64 - 5)
    index.put([replace(rec, stat=stat)], NOW)
    assert stat == index.file_states()["a.md"]


def test_a_batch_of_many_thousand_files_has_no_parameter_limit(index: Index) -> None:
    """SQLite binds at most 32,766 parameters a statement."""
    many = [attachment(f"{i}.png") for i in range(40_000)]
    index.put(many, NOW)
    index.remove([r.stat.path for r in many])
    assert {} == index.file_states()


# ------------------------------------------------------------------ accesses


def times(index: Index, kind: AccessKind) -> list[float]:
    return [a.time for a in index.accesses_of([1]) if a.kind is kind]


def test_the_first_sight_of_a_note_is_its_creation(index: Index) -> None:
    """At the date it claims, else when the file was changed, never in the future."""
    future = NOW + 5 * DAY
    index.put(
        [record("a.md", created="2020-01-02T00:00:00+00:00"), record("b.md"), record("c.md", mtime=future)],
        NOW,
    )
    rows = {a.note_id: a.time for a in index.accesses_of([1, 2, 3])}
    assert {1: 1577923200.0, 2: NOW - 10 * DAY, 3: NOW} == rows


def test_an_edit_counts_once_a_day(index: Index) -> None:
    """More edits within a day add nothing; a touch never does."""
    start = NOW - 10 * DAY
    for hours, text in ((0, "a"), (1, "b"), (5, "c"), (26, "d"), (27, "d"), (60, "d")):
        index.put([record("a.md", [text], mtime=start + hours * 3600)], NOW)
    assert [start + 3600, start + 26 * 3600] == times(index, AccessKind.EDIT)


def test_our_own_writing_is_no_edit(index: Index) -> None:
    """The echo of a write-back is recognised by its content."""
    index.put([record("a.md", ["a"])], NOW)
    echo = record("a.md", ["b"], mtime=NOW)
    index.set_written(1, echo.stat, {"genesys_status": "dormant"})
    report = index.put([echo], NOW)
    assert [] == times(index, AccessKind.EDIT)
    assert () == report.edited


def test_a_report_says_what_was_new(index: Index) -> None:
    """New, edited and restored notes by id."""
    first = index.put([record("a.md"), record("b.md", own=OwnState(recalls=2)), attachment("x.png")], NOW)
    second = index.put([record("a.md", ["more"]), record("b.md", own=OwnState(recalls=2))], NOW)
    assert ((1, 2), (), (2,)) == (first.new, first.edited, first.restored)
    assert ((), (1,), ()) == (second.new, second.edited, second.restored)


# ------------------------------------------------------------------ restoring (P1)


def test_a_note_s_own_state_is_restored(index: Index) -> None:
    """Status, pin, core, recalls and their last time come back from the properties."""
    own = OwnState(Status.DORMANT, 0.4, 5, NOW - 3 * DAY, True, True)
    index.put([record("a.md", created="2026-01-01", own=own)], NOW)
    row = index.note_row("a.md")
    assert row is not None
    assert (Status.DORMANT, 0.4, 5, NOW - 3 * DAY, True, True) == (
        row.status,
        row.score,
        row.recalls,
        row.last_recalled,
        row.core,
        row.pinned,
    )
    recalls = times(index, AccessKind.RECALL)
    assert 5 == len(recalls)
    assert NOW - 3 * DAY == max(recalls)


def test_a_person_s_pin_is_followed(index: Index) -> None:
    """Setting the property pins, clearing it unpins, leaving it alone keeps what a tool did."""
    pins = []
    for text, pinned in (("a", None), ("b", True), ("c", None), ("d", None)):
        index.put([record("a.md", [text], own=OwnState(pinned=pinned))], NOW)
        row = index.note_row("a.md")
        assert row is not None
        pins.append(row.pinned)
    assert [False, True, False, False] == pins


def test_a_file_may_stop_being_a_note(index: Index) -> None:
    """What can't be read as a note any more keeps its place as a file, without the note's text."""
    rec = record("a.md", ["secret"])
    index.put([rec], NOW)
    index.put([replace(rec, note=None)], NOW)
    assert ["a.md"] == list(index.file_states())
    assert index.note_row("a.md") is None
    assert [] == found(index, "secret")
    index.put([rec], NOW)
    assert 1 == len(found(index, "secret"))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_passages_may_come_and_go(index: Index, count: int) -> None:
    """From any number of passages to any other, the full text has exactly those there are."""
    index.put([record("a.md", [f"word text{i}" for i in range(2)])], NOW)
    index.put([record("a.md", [f"word other{i}" for i in range(count)])], NOW)
    assert count == len(index.passages_of(1))
    assert count == index.doc_frequency(["word"])["word"]


def test_a_heading_is_searched_with_its_passage(index: Index) -> None:
    """The heading path is a column of its own."""
    rec = record("a.md")
    made: tuple[Passage, ...] = (passage("body", heading=("Top", "Inner")),)
    index.put([replace(rec, note=replace(note(rec), passages=made, content_hash=digest("x")))], NOW)
    assert [1] == found(index, "inner")
    assert ("Top", "Inner") == index.passages_of(1)[0].heading_path
