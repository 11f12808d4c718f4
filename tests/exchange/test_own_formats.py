"""Our own formats keep a note whole, and say what is wrong with a file that is not."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genesys.errors import UsageError
from genesys.model import AccessKind, CreatedBy, Edge, EdgeType, Factors, Json, Kind, Status
from genesys.parcels import NoteState, Parcel
from genesys.parse.exchange import own
from genesys.parse.exchange.values import MAX_RECORDS

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.floats(allow_nan=False, allow_infinity=False, width=64)
times = st.floats(0, 4e9)
raws = st.one_of(
    st.binary(max_size=40),
    st.lists(st.sampled_from(["a", "\r\n", "\r", "\n", "é", "字", "\0", "\ufeff", "---", "👍", "\x0b"])).map(
        lambda parts: "".join(parts).encode()
    ),
)
values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | numbers | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)
factors = st.builds(Factors, *[numbers] * 10)
states = st.builds(
    NoteState,
    kind=st.sampled_from(Kind),
    status=st.sampled_from(Status),
    score=st.none() | numbers,
    factors=st.none() | factors,
    pinned=st.booleans(),
    core=st.booleans(),
    recalls=st.integers(0, 10**9),
    last_recalled=st.none() | times,
    first_seen=times,
    changed_at=times,
    status_since=times,
    accesses=st.lists(st.tuples(times, st.sampled_from(AccessKind), numbers), max_size=3).map(tuple),
)


@st.composite
def parcels(draw: st.DrawFn) -> tuple[Parcel, ...]:
    """Notes with edges among them and to others."""
    paths = draw(st.lists(words.filter(bool), unique=True, max_size=4))
    ends = st.sampled_from([*paths, "Elsewhere.md"])
    return tuple(
        Parcel(
            path=path,
            raw=draw(raws),
            mtime_ns=draw(st.integers(0, 2**62)),
            title=draw(words),
            tags=tuple(draw(st.lists(words, max_size=2))),
            properties=draw(st.dictionaries(words, values, max_size=3)),
            state=draw(states),
            edges=tuple(
                Edge(path, draw(ends), kind, draw(numbers), draw(st.sampled_from(CreatedBy)), draw(words))
                for kind in draw(st.lists(st.sampled_from(EdgeType), max_size=3))
            ),
        )
        for path in paths
    )


@settings(max_examples=60)
@given(parcels())
def test_json_loses_nothing(notes: tuple[Parcel, ...]) -> None:
    """What was exported as JSON is read back the same."""
    text = "".join(own.json_parts(notes, len(notes)))
    assert notes == own.read_json(text, MAX_RECORDS)


@settings(max_examples=60)
@given(parcels())
def test_json_lines_lose_nothing(notes: tuple[Parcel, ...]) -> None:
    """What was exported as JSON Lines is read back the same, a note a line."""
    text = "".join(own.jsonl_parts(notes, len(notes)))
    assert notes == own.read_jsonl(text.encode().decode().split("\n"), MAX_RECORDS)


@settings(max_examples=60)
@given(parcels())
def test_graphml_loses_nothing(notes: tuple[Parcel, ...]) -> None:
    """What was exported as GraphML is read back the same, whatever XML has no character for."""
    text = "".join(own.graphml_parts(notes, len(notes)))
    assert notes == own.read_graphml(text, MAX_RECORDS)


@settings(max_examples=60)
@given(parcels())
def test_a_manifest_and_its_files_lose_nothing(notes: tuple[Parcel, ...]) -> None:
    """A folder's manifest has all that is not in the files themselves."""
    text = "".join(own.jsonl_parts(notes, len(notes), text=False))
    files = {note.path: note.raw for note in notes}
    assert notes == own.read_manifest(text.split("\n"), files, MAX_RECORDS)


NOTE = Parcel("A.md", b"text\r\n")
WHOLE = "".join(own.jsonl_parts([NOTE, replace(NOTE, path="B.md")], 2))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no export of Genesys"),
        ("{}\n", "no export of Genesys"),
        ("{\n", "line 1: not JSON"),
        ("[" * 100_000, "nested too deeply"),
        (WHOLE.rsplit("\n", 2)[0], "1 of 2 notes"),
        (WHOLE[:-20], "line 3: not JSON"),
        (WHOLE.replace("B.md", "A.md"), "a path twice"),
        (WHOLE.replace('"status": "active"', '"status": "happy"'), "line 2: it is no note"),
        (WHOLE.replace('"count": 2', '"count": "2"'), "'count' is not a whole number"),
        (WHOLE.replace('"genesys_export": 1', '"genesys_export": 9'), "newer version"),
        (WHOLE.replace('"recalls": 0', '"recalls": NaN'), "NaN is no JSON number"),
    ],
)
def test_a_broken_file_is_one_clear_error(text: str, why: str) -> None:
    """The place and the reason are said, whatever is wrong."""
    with pytest.raises(UsageError, match=why):
        own.read_jsonl(text.split("\n"), MAX_RECORDS)


def test_too_many_notes_are_refused_before_they_are_read() -> None:
    """A million lines end at the first one too many."""
    lines = iter([json.dumps(own.head(10**6)), *["{}"] * 10])
    with pytest.raises(UsageError):
        own.read_jsonl(lines, 3)
    with pytest.raises(UsageError, match="more than 1"):
        own.read_json("".join(own.json_parts([NOTE, replace(NOTE, path="B.md")], 2)), 1)


def test_graphml_with_a_dtd_is_refused() -> None:
    """Entities could stand for gigabytes or for files."""
    text = "".join(own.graphml_parts([NOTE], 1))
    with pytest.raises(UsageError, match="DTD"):
        own.read_graphml(text.replace("<graphml", '<!DOCTYPE x [<!ENTITY a "b">]><graphml', 1), 10)


def test_a_plain_graph_is_no_export() -> None:
    """`genesys graph --format graphml` holds no texts, and says so when it is imported."""
    text = "".join(own.graphml_parts([NOTE], 1))
    bare = text[: text.index('<data key="note"')] + "</node></graph></graphml>"
    with pytest.raises(UsageError, match="genesys export"):
        own.read_graphml(bare, 10)
