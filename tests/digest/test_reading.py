"""Transcripts of every kind, read: turns in order, what is broken reported, any bytes survived."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.parse.digest.collect import conversations
from genesys.parse.digest.formats import read_events
from genesys.parse.digest.stream import lines_of, objects_of
from genesys.transcripts import Conversation, Head, Problem, Run, Turn
from support import FIXTURES

FOLDER = FIXTURES / "digest"


def pieces(raw: bytes, size: int) -> Iterator[bytes]:
    return (raw[at : at + size] for at in range(0, len(raw), size))


def turns(raw: bytes) -> list[tuple[int, str, str, int]]:
    return [(e.number, e.role, e.text, e.line) for e in read_events([raw], "x") if isinstance(e, Turn)]


@pytest.mark.parametrize("name", ["tidegate.jsonl", "chatgpt.json", "stations-zh.md", "heldout/claude.json"])
def test_how_a_file_is_cut_into_chunks_does_not_matter(name: str) -> None:
    """Objects, escapes and UTF-8 letters that a chunk splits are whole again."""
    raw = (FOLDER / name).read_bytes()
    whole = list(read_events([raw], "x"))
    assert any(isinstance(event, Turn) for event in whole)
    assert whole == list(
        read_events(pieces(raw, 4096), "x")
    )  # the first chunk, which tells the kind, is never small
    objects = list(objects_of([raw]))
    assert objects == list(objects_of(pieces(raw, 7)))
    assert list(lines_of([raw])) == list(lines_of(pieces(raw, 7)))


def test_a_session_of_claude_code_is_what_was_said() -> None:
    """No thoughts, reminders, commands or results of tools among the turns; runs with their answers."""
    events = list(read_events([(FOLDER / "tidegate.jsonl").read_bytes()], "x"))
    head = next(e for e in events if isinstance(e, Head))
    assert ("5b1f7c52-0d7e-4f43-9a35-0d2b6c9e1a77", "Claude Code") == (head.session, head.source)
    said = [e.text for e in events if isinstance(e, Turn)]
    assert not [t for t in said if "system-reminder" in t or "command-name" in t or "interrupted" in t]
    assert "Let me use grep" not in " ".join(said)
    failed = [e.command for e in events if isinstance(e, Run) and e.failed]
    assert ["pytest -q tests/test_upload.py", "pytest -q"] == [c for c in failed if "pytest" in c]
    [problem] = [e for e in events if isinstance(e, Problem)]
    assert "this line was cut" in (FOLDER / "tidegate.jsonl").read_text("utf-8").split("\n")[problem.line - 1]


def test_the_branch_of_chatgpt_is_the_last_one_seen() -> None:
    """An answer that was tried and left is no part of the conversation."""
    raw = (FOLDER / "chatgpt.json").read_bytes()
    assert "stay with Haspa" in raw.decode()
    said = " ".join(text for _, _, text, _ in turns(raw))
    assert "stay with Haspa" not in said
    assert "move the account to GLS" in said


def test_tags_that_a_person_wrote_are_theirs() -> None:
    """Only what the program closes again is taken out; many that stay open cost no time."""
    row = {"type": "user", "message": {"content": "<system-reminder>x</system-reminder>a <bash-input> b"}}
    assert ["a <bash-input> b"] == [text for _, _, text, _ in turns(json.dumps(row).encode())]
    row["message"] = {"content": "<bash-input>" * 8_000}
    assert 1 == len(turns(json.dumps(row).encode()))


@pytest.mark.parametrize(
    "text",
    [
        "User: one\nmore\n\nAssistant: two\n",
        "**User:** one\nmore\n\n**Assistant:** two\n",
        "## User\none\nmore\n\n## Assistant\n\ntwo\n",
        "You said:\none\nmore\nChatGPT said:\ntwo\n",
        "\ufeff我：one\nmore\n助手：two\n",
        "_**User (2026-07-13 13:40:49Z)**_\n\none\nmore\n\n_**Agent (some-model 13:41)**_\n\ntwo\n",
        "[2026-03-01 10:02] Human: one\nmore\r\nAI: two\r\n",
    ],
)
def test_turns_of_a_text_begin_as_people_write_them(text: str) -> None:
    """However they are marked, the words are the same."""
    assert [(1, "user", "one\nmore"), (2, "assistant", "two")] == [
        (number, role, said.replace("\r", "")) for number, role, said, _ in turns(text.encode())
    ]


def test_a_text_without_turns_says_what_is_missing() -> None:
    """And a mark inside a block of code, or in another style than the first, begins no turn."""
    [problem] = read_events([b"just a note\n"], "x")
    assert isinstance(problem, Problem)
    assert "User:" in problem.reason
    assert 1 == len(turns(b"User: see\n```\nUser: root\n```\n"))
    assert 2 == len(turns(b"**User:** see\nUser: root\n**Assistant:** no"))


def test_a_broken_conversation_costs_only_itself() -> None:
    """One object of an export that is none, one without an id; the third is read."""
    good = {"uuid": "u", "name": "n", "chat_messages": [{"sender": "human", "text": "hello there"}]}
    raw = b'[{"a" 1}, {"chat_messages": []}, ' + json.dumps(good).encode() + b", {"
    events = list(read_events([raw], "x"))
    assert ["hello there"] == [e.text for e in events if isinstance(e, Turn)]
    assert 3 == sum(isinstance(e, Problem) for e in events)


def test_a_huge_file_is_read_in_bounded_memory() -> None:
    """What is kept of a conversation does not grow with it; broken lines are counted, not collected."""
    row = json.dumps({"type": "user", "sessionId": "s", "message": {"role": "user", "content": "hm, " * 20}})
    block = (row + "\n" + "{broken\n" * 9).encode() * 100
    found = list(conversations(read_events((block for _ in range(30)), "x"), "big"))
    [talk] = [f for f in found if isinstance(f, Conversation)]
    assert 3_000 == talk.count
    assert sum(len(turn.text) for turn in talk.turns) < 300_000
    assert len(found) < 110
    assert "more lines" in [f.reason for f in found if isinstance(f, Problem)][-1]


def test_a_line_or_object_without_end_is_left_out() -> None:
    """It is named by its number, and what follows is read."""
    assert [(1, b"ab"), (2, None), (3, b"c")] == list(lines_of(pieces(b"ab\n" + b"x" * 50 + b"\nc", 8), 20))
    raw = b'[{"a": "' + b"x" * 50 + b'"},\n{"b": 1}]'
    assert [(1, None), (2, b'{"b": 1}')] == list(objects_of(pieces(raw, 8), 20))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "message",
                    "content",
                    "mapping",
                    "chat_messages",
                    "uuid",
                    "id",
                    "parts",
                    "author",
                    "role",
                ]
            )
            | st.text(max_size=3),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.binary(max_size=300) | JSON.map(lambda v: json.dumps(v).encode()), st.integers(1, 40))
def test_no_bytes_make_it_raise(raw: bytes, size: int) -> None:
    """Neither noise nor JSON of another shape; with any beginning."""
    for start in (b"", b"[", b'{"type": "user"}\n', b"User: ", b"[{", b'{"mapping": '):
        list(conversations(read_events(pieces(start + raw, size), "x"), "x"))


@given(JSON, JSON, JSON)
def test_foreign_values_in_known_places_do_no_harm(a: object, b: object, c: object) -> None:
    """The shape is right and everything in it is something else."""
    node = {
        "message": {"author": a, "content": {"content_type": "text", "parts": b}},
        "parent": c,
        "children": a,
    }
    exports: list[object] = [
        {"id": "i", "mapping": {"n": node, "m": a}, "current_node": "n", "create_time": b},
        {"uuid": "u", "chat_messages": [{"sender": "human", "text": a, "content": b, "created_at": c}, a]},
    ]
    rows: list[object] = [
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": a, "input": b, "name": c}]}},
        {
            "type": "user",
            "message": {"content": [{"type": "tool_result", "tool_use_id": a, "content": b}, c]},
        },
        {"type": "user", "message": a, "timestamp": b, "sessionId": c},
    ]
    list(conversations(read_events([json.dumps(exports).encode()], "x"), "x"))
    list(conversations(read_events(["\n".join(map(json.dumps, rows)).encode()], "x"), "x"))
