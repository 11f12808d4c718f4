"""Write-back changes our own lines and not one byte more."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import yaml

from genesys.errors import WriteRefused
from genesys.parse.patch import EMPTY_MARK, Value, patch, refusal, unpatch

BOM = b"\xef\xbb\xbf"
VALUES: dict[str, Value] = {
    "genesys_status": "active",
    "genesys_score": 0.42,
    "genesys_recalls": 3,
    "genesys_last_recalled": datetime(2026, 2, 3, 14, 5, 0, 987654),  # noqa: DTZ001 - notes hold local times
    "genesys_core": True,
}
LINES = (
    b"genesys_status: active\n"
    b"genesys_score: 0.42\n"
    b"genesys_recalls: 3\n"
    b"genesys_last_recalled: 2026-02-03T14:05:00\n"
    b"genesys_core: true\n"
)
ONE: dict[str, Value] = {"genesys_status": "active"}


def test_insert_at_the_end_of_the_block() -> None:
    """New properties stand before the closing fence, flat, in the order given."""
    assert b"---\ntags: [a]\n" + LINES + b"---\nText\n" == patch(b"---\ntags: [a]\n---\nText\n", VALUES)


def test_wrap_a_note_without_properties() -> None:
    """A note without a block gets one in front, and the old bytes follow unchanged."""
    assert b"---\n" + LINES + b"---\n# Title\n" == patch(b"# Title\n", VALUES)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BOM + b"text", BOM + b"---\ngenesys_status: active\n---\ntext"),
        (b"a\r\nb\r\n", b"---\r\ngenesys_status: active\r\n---\r\na\r\nb\r\n"),
        (b"a\r\nb\n", b"---\ngenesys_status: active\n---\na\r\nb\n"),
        (b"", b"---\ngenesys_status: active\n---\n"),
        (b"\n---\na: 1\n---\n", b"---\ngenesys_status: active\n---\n\n---\na: 1\n---\n"),
        (b"----\n", b"---\ngenesys_status: active\n---\n----\n"),
        (b"old\rmac", b"---\ngenesys_status: active\n---\nold\rmac"),
    ],
)
def test_wrap_keeps_mark_and_line_ends(before: bytes, after: bytes) -> None:
    """The byte-order mark stays first and a consistent CRLF is taken up; undoing gives the bytes back."""
    assert after == patch(before, ONE)
    assert before == unpatch(after)


@pytest.mark.parametrize(
    "head",
    [
        b"a: 1\n",
        b"a: |\n  text\n\n",
        b"a: |+\n  genesys_status: no\n\n\n",
        b"a: >-\n  folded\n  text\n",
        b"a:\n- x\n- y\n",
        b"a: [x,\n  y]\n",
        b"a: long\n  plain\n  text\n",
        b'a: "b\n  c"\n',
        b"a:\n",
        b"# only a comment\n",
        b"\n",
        b"a: 2024-02-30\n",
        b"a: &x [1]\nb: *x\n",
        b"base: &b {k: 1}\n<<: *b\n",
        b"a: 1\r\nb: 2\n",
        b"a: x   # trailing  \n",
        "тема: Весна\n标签: 春天 \U0001f331\n".encode(),
        "a: 'one\u2028two'\n".encode(),
        b'"genesys_score": 1\n',
        b"up: [[x]]\n",
    ],
)
@pytest.mark.parametrize("fence", [b"---\n", b"---  \n", b"---"])
def test_insert_keeps_every_byte(head: bytes, fence: bytes) -> None:
    """Whatever the last property looks like, ours stand after it and the rest is untouched."""
    body = b"" if fence == b"---" else b"body\r\n\n---\ngenesys_status: in the body\n---"
    after = patch(b"---\n" + head + fence + body, ONE)
    assert b"---\n" + head + b"genesys_status: active\n" + fence + body == after
    assert b"---\n" + head + fence + body == unpatch(after)


def test_new_lines_end_like_the_opening_fence() -> None:
    """CRLF after the opening fence means CRLF after our lines."""
    assert b"---\r\na: 1\ngenesys_status: active\r\n---\r\n" == patch(b"---\r\na: 1\n---\r\n", ONE)


def test_replace_in_place() -> None:
    """A line of ours is changed where it stands, and its comment stays."""
    before = b"---\ngenesys_status: fading # hm\nb: 1 # c\ngenesys_score: 0.10\n---\n"
    after = b"---\ngenesys_status: active # hm\nb: 1 # c\ngenesys_score: 0.42\n---\n"
    assert after == patch(before, {"genesys_score": 0.42, "genesys_status": "active"})


def test_none_removes_the_line() -> None:
    """None takes the line away; asking for what is not there changes nothing."""
    before = b"---\na: 1\ngenesys_score: 0.10\n---\n"
    assert b"---\na: 1\n---\n" == patch(before, {"genesys_score": None, "genesys_core": None})
    assert b"text" == patch(b"text", {"genesys_score": None})
    assert b"---\n---\n" == patch(b"---\n---\n", {"genesys_score": None})


@pytest.mark.parametrize(
    "line",
    [
        b'genesys_status: "active"',
        b"genesys_status:   active   ",
        b"genesys_score: 0.5",
        b"genesys_score: 0.500 # mine",
        b"genesys_last_recalled: 2026-02-03 14:05:00",
        b'genesys_last_recalled: "2026-02-03T14:05:00"',
        b"genesys_recalls: 3",
    ],
)
def test_equal_values_are_no_write(line: bytes) -> None:
    """A value that Obsidian or a person wrote in another notation is left as it stands."""
    before = b"---\n" + line + b"\n---\n"
    key = line.split(b":")[0].decode()
    values: dict[str, Value] = {**VALUES, "genesys_score": 0.5}
    assert before == patch(before, {key: values[key]})


def test_an_empty_block_is_given_back() -> None:
    """A block that was there before us and empty survives, also when the marked line goes first."""
    before = b"---\n---\n\ntext"
    after = patch(before, {"genesys_status": "active", "genesys_score": 0.5})
    assert f"---\ngenesys_status: active{EMPTY_MARK}\ngenesys_score: 0.50\n---\n\ntext".encode() == after
    moved = patch(after, {"genesys_status": None})
    assert f"---\ngenesys_score: 0.50{EMPTY_MARK}\n---\n\ntext".encode() == moved
    assert before == unpatch(after) == unpatch(moved) == patch(moved, {"genesys_score": None})
    assert b"core" + EMPTY_MARK.encode() in patch(after, {"genesys_status": "core"})


def test_the_mark_of_an_empty_block_goes_behind_a_comment() -> None:
    """A value with a hash, or a person's comment on our line, does not lose the mark."""
    assert b"---\n---" == unpatch(patch(b"---\n---", {"genesys_status": "#"}))
    after = patch(b"---\n---", {"genesys_status": "x", "genesys_score": 0.1}).replace(b"0.10", b"0.10 # mine")
    moved = patch(after, {"genesys_status": None})
    assert f"---\ngenesys_score: 0.10 # mine{EMPTY_MARK}\n---".encode() == moved
    assert b"---\n---" == unpatch(moved)


def test_a_wrapped_block_that_got_company_stays() -> None:
    """Once a person adds a property to our block, undoing removes our lines only."""
    after = patch(b"text", ONE).replace(b"---\ngenesys", b"---\nmine: 1\ngenesys")
    assert b"---\nmine: 1\n---\ntext" == unpatch(after)


def test_unpatch_never_turns_text_into_properties() -> None:
    """Our block stays as an empty one where the text below would be read as properties."""
    wrapped = b"---\ngenesys_status: active\n---\n---\na: 1\n---\n"
    assert b"---\n---\n---\na: 1\n---\n" == unpatch(wrapped)


def test_unpatch_keeps_what_it_is_told_to() -> None:
    """A person's own pin may stay; the block stays with it."""
    before = b"---\ngenesys_pinned: true\n---\n"
    assert before == unpatch(patch(before, VALUES), keep=frozenset({"genesys_pinned"}))
    assert b"" == unpatch(before)


@pytest.mark.parametrize(
    "raw", [b"\xff\xfe", b"---\na: [\n---\n", b"a\0b", b"---\ngenesys", b"x\ngenesys_a: 1"]
)
def test_unpatch_leaves_other_notes_alone(raw: bytes) -> None:
    """Where no line is ours there is nothing to undo, whatever state the note is in."""
    assert raw == unpatch(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"---\na: [\n---\n",
        b"---\nup: [[a]], [[b]]\n---\n",
        b"---\na: 1\na: 2\n---\n",
        b"---\na: {b: 1, b: 2}\n---\n",
        b"---\n- a\n- b\n---\n",
        b"---\njust text\n---\n",
        b"---\n{}\n---\n",
        b'---\n{"a": 1}\n---\n',
        b"---\nnull\n---\n",
        b"---\na: {{date}}\n---\n",
        b"---\n{{date}}: a\n---\n",
        b"---\na: *nowhere\n---\n",
        b"---\na: !secret x\n---\n",
        b"---\n%YAML 1.2\n--- \n---\n",
        b"---\na: 1\n...\n---\n",
        b"---\n--- a\n---\n",
        b"---\n a: 1\n---\n",
        b"---\na: 1\n\tb: 2\n---\n",
        b"---\na: 'open\n---\n",
        b"---\nnever closed\n",
        b"--- \na: 1\n---\n",
        b"---",
        b"---\ra: 1\r---\r",
        b"---\na: 1\rb: 2\n---\n",
        b"---\na: \x0c\n---\n",
        b"---\n\xef\xbb\xbfa: 1\n---\n",
        BOM + BOM + b"text",
        b"caf\xe9",
        b"---\na: 1\n---\ncaf\xe9",
        b"text\0",
        "text".encode("utf-16"),
        "text".encode("utf-16-le"),
        b"---\nGenesys_Status: x\n---\n",
        b'---\n"genesys_status": x\n---\n',
        b"---\ngenesys_status:\n  - x\n---\n",
        b"---\ngenesys_status: >\n  x\n---\n",
        b"---\ngenesys_status: a\n  b\n---\n",
        b'---\na: "\ngenesys_status: x"\n---\n',
        b"---\ngenesys_status: &a x\nb: *a\n---\n",
    ],
)
def test_refuse(raw: bytes) -> None:
    """What can't be edited safely is refused with a reason."""
    with pytest.raises(WriteRefused) as refused:
        patch(raw, ONE)
    assert refused.value.message == refusal(raw) != ""


def test_unpatch_refuses_what_it_can_not_take_out() -> None:
    """A property of ours over several lines, or one in a broken block, is reported."""
    for raw in (
        b"---\ngenesys_x:\n  - 1\n---\n",
        b"---\ngenesys_x: [\n---\n",
        b"---\ngenesys_x: 1\n---\n\xff",
    ):
        with pytest.raises(WriteRefused):
            unpatch(raw)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("active", "active"),
        ("two words", "two words"),
        ("春天", "春天"),
        ("true", '"true"'),
        ("No", '"No"'),
        ("", '""'),
        ("1", '"1"'),
        ("2024-01-01", '"2024-01-01"'),
        ("a: b", '"a: b"'),
        ("x #y", '"x #y"'),
        ("[[x]]", '"[[x]]"'),
        (" x", '" x"'),
        ('say "hi" \\', '"say \\"hi\\" \\\\"'),
        ("two\nlines\u2028\x85\ufeff", '"two\\u000alines\\u2028\\u0085\\ufeff"'),
        ("\U0001f331", '"\U0001f331"'),
        (True, "true"),
        (False, "false"),
        (7, "7"),
        (0.425, "0.42"),
        (1.0, "1.00"),
        (-0.001, "0.00"),
    ],
)
def test_values(value: Value, text: str) -> None:
    """Text is quoted only where YAML needs it, and reads back as what it was."""
    raw = patch(b"", {"genesys_x": value})
    assert f"---\ngenesys_x: {text}\n---\n" == raw.decode()
    if isinstance(value, str):
        assert {"genesys_x": value} == yaml.safe_load(raw.decode().split("---\n")[1])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("status", "x"),
        ("genesys_", "x"),
        ("genesys_a: b", "x"),
        ("genesys_x", float("nan")),
        ("genesys_x", float("inf")),
        ("genesys_x", "\ud800"),
        ("genesys_x", datetime(2026, 1, 1, tzinfo=UTC)),
    ],
)
def test_impossible_values_are_a_programming_error(key: str, value: Value) -> None:
    """Names that are not ours and values that no line can hold never reach a note."""
    with pytest.raises(ValueError, match=r"property of ours|number of a note|surrogate|zone"):
        patch(b"", {key: value})


def test_a_bomb_of_aliases_costs_its_text_only() -> None:
    """Aliases are compared, never expanded."""
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40))
    raw = f"---\na0: &a0 [x]\n{levels}---\n".encode()
    assert raw == unpatch(patch(raw, ONE)) != patch(raw, ONE)
