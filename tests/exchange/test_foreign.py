"""Records of other memory systems become notes, and the same records again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genesys.errors import UsageError
from genesys.model import EdgeType, Json, Kind, ParseOptions
from genesys.parcels import Foreign
from genesys.parse.exchange.folders import adopt, readable, release
from genesys.parse.exchange.foreign_notes import foreign_note, foreign_of
from genesys.parse.exchange.records import read_records, write_records
from genesys.parse.frontmatter import load, split
from genesys.parse.memory_text import can_link
from genesys.parse.note import parse_note

KEY = "0123456789abcdef"
LIMIT = 1000
odd = st.sampled_from(
    ["", " ", "\n", "\r\n", "- ", "- [[x]]", "[[x]]", "a:: [[b]]", "```", "<!--", "---", "{", "[1]", "\0",
     "é", "字", "👍", "\ud800", "\u2028", "#tag", "x", "\n\n", "  ", "works_at", "led to", "%%"]
)  # fmt: skip
texts = st.lists(odd | st.text(max_size=6), max_size=5).map("".join)
names = texts.filter(lambda t: t.strip() != "")
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
)
values: st.SearchStrategy[Json] = st.recursive(
    scalars | texts, lambda v: st.lists(v, max_size=3) | st.dictionaries(texts, v, max_size=2), max_leaves=4
)
extras = st.dictionaries(st.text(max_size=8), values, max_size=3)


@st.composite
def mcp_files(draw: st.DrawFn) -> list[Any]:
    known = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    ends = st.sampled_from(known) | names
    entities = [
        draw(extras)
        | {
            "type": "entity",
            "name": n,
            "entityType": draw(texts),
            "observations": draw(st.lists(texts, max_size=3)),
        }
        for n in known
    ]
    count = draw(st.integers(0, 4))
    relations = [
        draw(extras) | {"type": "relation", "from": draw(ends), "to": draw(ends), "relationType": draw(texts)}
        for _ in range(count)
    ]
    return entities + relations


@st.composite
def mem0_files(draw: st.DrawFn) -> Any:
    ids = draw(st.lists(st.uuids().map(str) | texts, max_size=4, unique=True))
    rows = [
        draw(extras) | {"id": i, "memory": draw(texts), "user_id": draw(texts), "metadata": draw(values)}
        for i in ids
    ]
    ends = st.sampled_from(["target", "destination"])
    relations = [
        draw(extras.map(lambda e: {k: v for k, v in e.items() if k}))
        | {"source": draw(names), "relationship": draw(texts), draw(ends): draw(names)}
        for _ in range(draw(st.integers(0, 3)))
    ]
    return {"results": rows, "relations": relations} if relations else {"results": rows}


@st.composite
def papez_files(draw: st.DrawFn) -> Any:
    def user() -> Any:
        ids = draw(st.lists(st.uuids().map(str), min_size=1, max_size=3, unique=True))
        nodes = {
            i: draw(extras)
            | {
                "id": i,
                "content_summary": draw(texts),
                "content_full": draw(st.none() | texts),
                "status": draw(texts | st.sampled_from(["core", "pruned"])),
                "pinned": draw(st.booleans()),
                "reactivation_count": draw(st.integers(0, 9)),
            }
            for i in ids
        }
        edges = [
            draw(extras)
            | {
                "id": draw(texts),
                "source_id": draw(st.sampled_from(ids)),
                "target_id": draw(st.sampled_from(ids)),
                "type": draw(st.sampled_from(EdgeType)).value,
                "weight": 0.7,
                "reason": draw(texts),
            }
            for _ in range(draw(st.integers(0, 3)))
        ]
        return {"nodes": nodes, "edges": edges}

    users = draw(st.lists(names, max_size=2, unique=True))
    return {name: user() for name in users} or user()


def through_notes(kind: str, text: str) -> str:
    """The file, imported into notes and exported again; every note is a memory that parses."""
    records = read_records(kind, text.split("\n"), LIMIT)
    stem = {(r.group, r.id): f"n{at}" for at, r in enumerate(records)}
    back = []
    for record in records:
        ids = {name: key for (group, key), name in stem.items() if group == record.group}
        links = [stem.get((record.group, link.target), link.target) for link in record.links]
        note = foreign_note(kind, record, KEY, "2026-01-01", links, ids.get)
        back.append(foreign_of(note.encode().decode(), ids.get))
        parsed = parse_note("x.md", note.encode(), ParseOptions())
        assert not parsed.problem.startswith("properties")
        assert parsed.kind is Kind.MEMORY
    return "".join(write_records(kind, back))


def rows(lines: str) -> list[str]:
    return sorted(json.dumps(json.loads(line), sort_keys=True) for line in lines.split("\n") if line)


@settings(max_examples=80)
@given(mcp_files())
def test_an_mcp_memory_file_comes_back(file: list[Any]) -> None:
    """Every entity and relation, with fields nobody knows, odd names, and ends that are missing."""
    text = "".join(json.dumps(row) + "\n" for row in file)
    assert rows(text) == rows(through_notes("mcp-memory", text))


@settings(max_examples=80)
@given(mem0_files())
def test_a_mem0_export_comes_back(file: Any) -> None:
    """Every memory with its metadata, and the relations of the graph store."""
    back = json.loads(through_notes("mem0", json.dumps(file)))
    assert json.dumps(file["results"], sort_keys=True) == json.dumps(back["results"], sort_keys=True)
    relations = [json.dumps(r, sort_keys=True) for r in file.get("relations", [])]
    assert sorted(relations) == sorted(json.dumps(r, sort_keys=True) for r in back.get("relations", []))


@settings(max_examples=80)
@given(papez_files())
def test_a_papez_store_comes_back(file: Any) -> None:
    """Every node and edge of every user."""
    back = json.loads(through_notes("papez", json.dumps(file)))
    assert _sorted(file) == _sorted(back)


def _sorted(store: Any) -> str:
    users = {"": store} if "edges" in store and "nodes" in store else store
    data = {
        user: {"nodes": d["nodes"], "edges": sorted(json.dumps(e, sort_keys=True) for e in d["edges"])}
        for user, d in users.items()
    }
    return json.dumps(data, sort_keys=True)


def test_a_plain_entity_is_a_plain_note() -> None:
    """What reads well is kept as it reads: no JSON beside it, and relations are fields that make edges."""
    text = (
        '{"type":"entity","name":"Maria","entityType":"person",'
        '"observations":["Likes tea","Speaks\\nSpanish"]}\n'
        '{"type":"relation","from":"Maria","to":"Acme","relationType":"works_at"}\n'
        '{"type":"relation","from":"Maria","to":"Acme","relationType":"caused by"}\n'
    )
    maria = read_records("mcp-memory", text.split("\n"), LIMIT)[0]
    note = foreign_note("mcp-memory", maria, KEY, "2026-01-01", ["Acme", "Acme"], {"Acme": "Acme"}.get)
    assert note == (
        f'---\nmemory_id: "{KEY}"\nmemory_type: semantic\ncategory: "person"\ncreated: 2026-01-01\n'
        'import_from: mcp-memory\nimport_id: "Maria"\n---\n\n'
        "- Likes tea\n- Speaks\n  Spanish\n\nworks_at:: [[Acme]]\ncaused by:: [[Acme]]\n"
    )
    links = parse_note("Maria.md", note.encode(), ParseOptions()).links
    assert [EdgeType.RELATED_TO, EdgeType.CAUSED_BY] == [link.relations[0].type for link in links]


def test_an_edit_of_the_note_is_in_the_export() -> None:
    """What a person changes in Obsidian goes back to the other program, also where JSON was kept beside."""
    record = Foreign(
        "Maria", {"type": "entity", "name": "Maria", "entityType": "", "observations": ["a\r\nb"]}
    )
    note = foreign_note("mcp-memory", record, KEY, "2026-01-01", [], {}.get)
    assert "import_record" in note
    assert record == foreign_of(note, {}.get)
    edited = foreign_of(note.replace("  b\n", "  c\n- d\n"), {}.get)
    assert edited.record is not None
    assert ["a\nc", "d"] == edited.record["observations"]


@pytest.mark.parametrize(
    ("kind", "text", "why"),
    [
        (
            "mcp-memory",
            '{"type":"entity","name":"A","entityType":"x"}',
            "line 1: 'observations' is not a list",
        ),
        (
            "mcp-memory",
            '{"type":"entity","name":7,"entityType":"x","observations":[]}',
            "'name' is not a text",
        ),
        ("mcp-memory", '\n{"type":"thing"}', "line 2: it is neither an entity nor a relation"),
        ("mcp-memory", "hello", "line 1: not JSON"),
        ("mem0", "{}", "it has no list of memories"),
        ("mem0", '[{"id": "x"}]', "memory 1: it has no text"),
        ("papez", "[]", "it is not an object"),
        ("papez", '{"u": {"nodes": {"a": {}}, "edges": []}}', "node 'a': it has no text"),
    ],
)
def test_a_broken_file_names_its_place(kind: str, text: str, why: str) -> None:
    """One line says where and what."""
    with pytest.raises(UsageError, match=why):
        read_records(kind, text.split("\n"), LIMIT)


def test_a_million_lines_end_early() -> None:
    """The line after the last that is allowed is the last that is read."""
    taken = []

    def lines() -> Any:
        for number in range(1_000_000):
            taken.append(number)
            yield '{"type":"relation","from":"a","to":"b","relationType":"c"}'

    with pytest.raises(UsageError, match=r"more than 1,000"):
        read_records("mcp-memory", lines(), LIMIT)
    assert len(taken) == LIMIT + 1


# ------------------------------------------------------------------ folders

parts = st.sampled_from(
    ["---\n", "---\r\n", "title: A\n", "title: A\r\n", "type: feedback\n", "aliases: [x]\n", "tags: [a]\r\n",
     "\ufeff", "- [fact] x #t (c)\n", "- implements [[B]]\n", "text", "\n", "\r\n", "\r", "# H\n", "字",
     "memory_id: x\n", "---"]
)  # fmt: skip


@settings(max_examples=300)
@given(
    st.lists(parts, max_size=9).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9),
    st.sampled_from(["basic-memory", "claude"]),
)
def test_a_file_that_was_taken_over_comes_back_byte_for_byte(text: str, name: str, kind: str) -> None:
    """Whatever its line ends, with and without properties."""
    if readable(text):
        return
    note = adopt(kind, KEY, f"{name}.md", text)
    if note != text:
        block = split(note)
        assert block is not None
        values: Mapping[str, Json] = load(block).values or {}
        assert (KEY, f"{name}.md") == (values["memory_id"], values["import_id"])
    assert text == release(note)


def test_a_persons_own_property_stays_when_the_file_goes_back() -> None:
    """What was added in Obsidian is part of the file from then on."""
    note = adopt("claude", KEY, "a.md", "text\n").replace("memory_id", "mood: good\nmemory_id", 1)
    assert "---\nmood: good\n---\ntext\n" == release(note)


def test_relations_of_basic_memory_are_edges() -> None:
    """The link lines of that program are read as they are; known names make typed edges."""
    text = "---\ntitle: A\n---\n- [fact] one #t\n- caused_by [[B]] (because)\n- implements [[C]]\n"
    note = parse_note("A.md", adopt("basic-memory", KEY, "A.md", text).encode(), ParseOptions())
    assert [EdgeType.CAUSED_BY, EdgeType.RELATED_TO] == [link.relations[0].type for link in note.links]
    assert ("t",) == note.tags
    assert all(can_link(link.target) for link in note.links)
