"""A note as a whole: what properties mean, what can't be read, and that nothing makes it fail."""

from __future__ import annotations

import time
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genesys.model import CreatedBy, EdgeType, Kind, LinkKind, MemoryType, Note, ParseOptions, Status
from genesys.parse.canvas import parse_canvas
from genesys.parse.graphshape import edge_rows, note_json
from genesys.parse.note import is_conflict_copy, parse_note


def read(text: str, path: str = "n.md", **options: object) -> Note:
    return parse_note(path, text.encode(), ParseOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("yaml", "aliases"),
    [
        ("aliases: [A, B, A]", ("A", "B")),
        ("aliases: Smith, Adam", ("Smith, Adam",)),
        ("aliases: [5, null, {x: y}, [z], ' ']", ("5",)),
        ("Aliases: [Big]", ("Big",)),
        ("alias: Former", ()),
        ("aliases:", ()),
    ],
)
def test_aliases(yaml: str, aliases: tuple[str, ...]) -> None:
    """A list or one text, each once; odd values are passed over."""
    assert aliases == read(f"---\n{yaml}\n---\n").aliases


@pytest.mark.parametrize(
    ("name", "yaml", "day"),
    [
        ("2024-05-01", "", "2024-05-01"),
        ("2024.05.01 Monday", "", "2024-05-01"),
        ("20240501", "", "2024-05-01"),
        ("2024-13-01", "", ""),
        ("123456789", "", ""),
        ("n", "date: 2024-05-01", "2024-05-01"),
        ("n", "date: 2024-05-01 08:15", "2024-05-01T08:15"),
        ("n", "date: 7 May 2023", "2023-05-07"),
        ("n", "date: May 7, 2023", "2023-05-07"),
        ("n", 'date: "[[2024-05-01]]"', "2024-05-01"),
        ("n", "date: 2024-02-30", ""),
        ("n", "date: soon", ""),
        ("n", "created: 2024-05-01", ""),
    ],
)
def test_day(name: str, yaml: str, day: str) -> None:
    """The day a note is about comes from its name, else from its ``date``."""
    assert day == read(f"---\n{yaml}\n---\n", f"daily/{name}.md").note_date


def test_people_are_names() -> None:
    """Of links the note's name, of texts their parts, under any spelling of the key."""
    note = read(
        '---\nSpeaker: "[[People/Maria|Mia]]"\nauthors: [Ann, "Bob, Cem"]\nwith: "@dora"\nto: 5\n---\n'
    )
    assert ("Maria", "Ann", "Bob", "Cem", "dora", "5") == note.people


def test_own_state_is_read_back() -> None:
    """What write-back wrote restores the state; nonsense is None."""
    own = read(
        "---\ngenesys_status: dormant\ngenesys_score: 0.42\ngenesys_recalls: 3\ngenesys_core: true\n"
        "genesys_last_recalled: 2024-05-01T10:00:00\ngenesys_pinned: yes\n---\n"
    ).own
    moment = datetime(2024, 5, 1, 10).timestamp()  # noqa: DTZ001 - Obsidian writes local times without zone
    assert (Status.DORMANT, 0.42, 3, moment, True, True) == (
        own.status,
        own.score,
        own.recalls,
        own.last_recalled,
        own.core,
        own.pinned,
    )
    odd = read(
        "---\ngenesys_status: asleep\ngenesys_score: x\ngenesys_recalls: -1\ngenesys_last_recalled: 9\n---\n"
    ).own
    assert (None, None, None, None) == (odd.status, odd.score, odd.recalls, odd.last_recalled)


def test_memories_say_what_they_are() -> None:
    """A memory carries its type, category and session."""
    note = read(
        '---\nmemory_id: "0123456789abcdef"\nmemory_type: insight\n'
        "category: work\nsource_session: s-1\n---\nx"
    )
    assert (Kind.MEMORY, MemoryType.INSIGHT, "work", "s-1") == (
        note.kind,
        note.memory_type,
        note.category,
        note.source_session,
    )
    assert Kind.NOTE == read("x").kind


def test_opting_out() -> None:
    """``genesys: false`` keeps a note out."""
    assert read("---\ngenesys: false\n---\n").opted_out
    assert not read("---\ngenesys: true\n---\n").opted_out


@pytest.mark.parametrize(
    ("raw", "problem", "refuse"),
    [
        (b"caf\xe9 [[a]]", "not UTF-8 (line 1)", "not UTF-8"),
        ("caf\u00e9 [[a]]".encode("utf-16"), "UTF-16", "not UTF-8"),
        (b"x\0y [[a]]", "NUL", "holds NUL bytes"),
        (b"---\nx: [\n---\n[[a]]", "properties unreadable (line 3", ""),
        (b"[[a]]", "", ""),
    ],
)
def test_what_cannot_be_read_is_said(raw: bytes, problem: str, refuse: str) -> None:
    """Broken bytes are read as far as possible, named in one line, and never written to."""
    note = parse_note("n.md", raw, ParseOptions())
    assert ["a"] == [link.target for link in note.links]
    assert problem in note.problem
    assert refuse == note.refuse_write


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Plan (conflicted copy 2024-05-01).md", True),
        ("Plan (Ann's conflicted copy 2024-05-01).md", True),
        ("Plan.sync-conflict-20240501-101010-ABCDEFG.md", True),
        ("Plan (Conflict 2).md", True),
        ("Plan 2.md", False),
        ("Conflict of interest.md", False),
        ("How to resolve conflicts.md", False),
    ],
)
def test_conflict_copies(name: str, expected: bool) -> None:
    """Copies that a sync service made are known by their names, and left alone."""
    assert expected == is_conflict_copy(f"sync-conflict/{name}")
    assert ("sync-conflict copy" if expected else "") == read("x", name).refuse_write


def test_a_note_over_the_limit_is_read_in_part() -> None:
    """Its start is indexed, and a line says so."""
    note = read("[[a]]\n" + "x " * 200_000 + "[[z]]", max_note_bytes=1000)
    assert ["a"] == [link.target for link in note.links]
    assert "larger than 1000 bytes" in note.problem


def test_keys_of_a_person_are_typed() -> None:
    """Synonyms, inverses and a person's own names give one typed edge each."""
    note = read(
        "led to:: [[a]]\n\nBegründung:: [[b]]\n\nhelps:: [[c]]\n\nx:: [[d]]\n\n[[e]]",
        relation_keys=(("begründung", "caused_by"), ("Helps", "!supports")),
    )
    assert [
        (EdgeType.CAUSED_BY, False, CreatedBy.FIELD),
        (EdgeType.CAUSED_BY, True, CreatedBy.FIELD),
        (EdgeType.SUPPORTS, False, CreatedBy.FIELD),
        (EdgeType.RELATED_TO, True, CreatedBy.LINK),
        (EdgeType.RELATED_TO, True, CreatedBy.LINK),
    ] == [(r.type, r.forward, r.created_by) for link in note.links for r in link.relations]


def test_evidence_is_the_sentence_around_the_link() -> None:
    """Abbreviations and numbers end none; long sentences are cut at words around the link."""
    note = read(
        "First. We left at 1.30 with Dr. Fern because of [[Rain]], e.g. floods. Last! "
        + "word " * 100
        + "[[End]]."
    )
    assert "We left at 1.30 with Dr. Fern because of [[Rain]], e.g. floods." == note.links[0].sentence
    assert note.links[1].sentence.endswith("word [[End]].")
    assert len(note.links[1].sentence) <= 300


def test_rows_of_the_graph() -> None:
    """Fields are links and typed; a property is typed where its name is one of the seven."""
    note = read('---\nsupports: "[[p]]"\nup: "[[q]]"\n---\nDue to:: [[r#h]]\n\n![[s]]')
    rows = [
        (r["kind"], r["target"], r.get("type"))
        for link in note.links
        for r in edge_rows(link, "n.md", link.target)
    ]
    assert [
        ("frontmatter", "p", None),
        ("typed", "p", "supports"),
        ("frontmatter", "q", None),
        ("link", "r", None),
        ("typed", "r", "due_to"),
        ("embed", "s", None),
    ] == rows
    assert {"path": "n.md", "title": "n", "aliases": [], "tags": ["t"]} == note_json("n.md", "n", (), ("t",))
    assert "unresolved" in edge_rows(note.links[0], "n.md")[0]


def test_canvas_cards_are_links() -> None:
    """File cards link by complete path; all else is passed over, broken files too."""
    raw = (
        b'{"nodes":[{"type":"file","file":"a/B.md","subpath":"#H"},{"type":"text","text":"[[no]]"},'
        b'{"type":"file","file":7},5,{"type":"file","file":"a/B.md","subpath":"#H"}]}'
    )
    (link,) = parse_canvas("c.canvas", raw)
    assert (LinkKind.LINK, "/a/B.md", "#H") == (link.kind, link.target, link.subpath)
    assert "a/B.md" == edge_rows(link, "c.canvas")[0]["unresolved"]
    for broken in (
        b"",
        b"{",
        b"[]",
        b'{"nodes": 3}',
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"nodes":[{"type":"file","file":"\\ud800"}]}',
    ):
        for found in parse_canvas("c.canvas", broken):
            found.target.encode()


@settings(max_examples=200)
@given(
    st.one_of(
        st.binary(max_size=400),
        st.text(alphabet="[]()!#`$<>-*_|:\\\n ^%a&\"'~=.{}", max_size=400).map(str.encode),
    )
)
def test_no_bytes_make_it_fail(raw: bytes) -> None:
    """Any bytes give a note, and whatever it holds can be stored."""
    note = parse_note("a/n.md", raw, ParseOptions())
    repr(note).encode()
    assert note.passages


HOSTILE = {
    "quotes": ">" * 5000 + " x [[a]]",
    "lists": "- " * 5000 + "x",
    "brackets": "[" * 20000,
    "wikilinks left open": "[[a" * 20000,
    "links left open": "[](a (" * 10000,
    "backticks": "".join("`" * (n % 90) + " " for n in range(5000)),
    "dollars": "$a " * 20000,
    "comments": "a <!-- b\n\n" * 5000,
    "tags": "<a " * 20000,
    "fields": "(a:: " * 10000,
    "stars": "* a **b " * 10000,
    "one word": "x" * 200_000,
    "ideographs": "字" * 50_000,
    "columns": "|a" * 2000 + "|\n" + "|-" * 2000 + "|\n" + ("|b" * 2000 + "|\n") * 3,
    "links": "- [[n1]] and [[missing]]\n" * 5000,
    "headings": "# a\n\nx\n" * 5000,
    "megabytes": "A line of words that goes on. [[a]]\n\n" * 60_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_read_in_bounded_time(name: str) -> None:
    """Nesting, repetition and size cost no more than their length (generous bound for slow machines)."""
    start = time.process_time()
    note = parse_note("n.md", HOSTILE[name].encode(), ParseOptions())
    assert time.process_time() - start < 8
    assert note.passages


def test_a_table_shows_its_row_as_evidence() -> None:
    """The other cells say what the linked one is about."""
    (link,) = read("| who | why |\n| - | - |\n| [[Ann]] | moved for work |\n").links
    assert "[[Ann]] | moved for work" == link.sentence
