"""Promise P2 as a property: notes of every make, edited, edited again and restored."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from genesys.errors import WriteRefused
from genesys.parse.frontmatter import read, split
from genesys.parse.patch import EMPTY_MARK, Value, patch, unpatch

BOM = b"\xef\xbb\xbf"
BLOCK = re.compile(rb"(?:\xef\xbb\xbf)?---\r?\n(?:.*?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
EXAMPLES = 1500

settings.register_profile(
    "patch",
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
PROFILE = settings.get_profile("patch")

eols = st.sampled_from(["\n", "\r\n", "\n", "\r\n", "\r"])
words = st.one_of(
    st.text(max_size=12),
    st.text("ab: #-'\"[]{}|>&*!%@`,?\\\u2028\u0085\t\x0b\x0c ", max_size=10),
    st.sampled_from(
        [
            "genesys_status: x",
            "---",
            "...",
            "[[a]]",
            "[[a]], [[b]]",
            "{{date}}",
            "2024-02-30",
            "null",
            "# c",
            "~",
        ]
    ),
)
keys = st.sampled_from(
    [
        "a",
        "b",
        "tags",
        "日付",
        '"q"',
        "'it''s'",
        "? k",
        "<<",
        '"genesys_score"',
        "Genesys_Core",
        "a b",
        "&n n",
        " c",
    ]
)
values = st.one_of(
    words,
    st.sampled_from(
        [
            "[1, 2]",
            "{k: v}",
            "[x,\n  y]",
            "[x,\ny]",
            "\n- a\n- b",
            "\n  - a\n  -  b # c",
            "|\n  text\n\n  more",
            "|+\n  genesys_status: inside\n\n",
            ">-\n  folded\n  text",
            "plain\n  goes on",
            '"two\n  lines"',
            '"\ngenesys_score: 9"',
            "\n  k: v\n  l: w",
            "&x v",
            "*x",
            "!t v",
            "v   # comment",
            "''",
            '"\\u00e9"',
        ]
    ),
)
lines = st.one_of(
    st.builds("{}: {}".format, keys, values),
    st.builds("{}: {}".format, st.integers(0, 99).map("k{}".format), values),
    st.sampled_from(["", "  ", "# comment", "\t", "{}", '{"a": 1}', "- x", "  # indented"]),
    words,
)
own_lines = st.builds(
    "{}: {}".format,
    st.sampled_from(["genesys_status", "genesys_score", "genesys_x", "genesys_core"]),
    st.one_of(
        st.sampled_from(
            ["x", "0.5", '"active"', "true # mine", "", "[1]", "\n  - 1", "|\n  x", "a\n  b", "&g 1", "*g"]
        ),
        st.just("core" + EMPTY_MARK),
        words,
    ),
)
wanted: st.SearchStrategy[dict[str, Value]] = st.dictionaries(
    st.sampled_from(
        ["genesys_status", "genesys_score", "genesys_recalls", "genesys_last_recalled", "genesys_core"]
    ),
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-1000, 1000),
        st.floats(-10, 10),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
        st.datetimes(),
    ),
    min_size=1,
)


@st.composite
def notes(draw: st.DrawFn, inner: st.SearchStrategy[str] = lines) -> bytes:
    """A note with a block that is mostly valid, mostly; one line end, or several."""
    one = draw(eols)
    head = draw(st.lists(inner, max_size=5))
    opening = draw(st.sampled_from(["---", "---", "---", "---", "---", "--- ", "----", "", "\n---"]))
    closing = draw(st.sampled_from(["---", "---", "---", "---  ", "---\t", "", "..."]))
    body = draw(st.lists(words, max_size=4))
    text = "\n".join([opening, *head, closing, *body])
    text = text.replace("\n", one) if draw(st.booleans()) else text
    if draw(st.integers(0, 9)) == 0:
        text = text.replace(one, draw(eols), 1)
    raw = text.encode("utf-8", "surrogatepass") + draw(
        st.sampled_from([b"", b"\n", b"\r\n", b"\n\n", b"\xff", b"\0"])
    )
    return draw(st.sampled_from([b"", b"", b"", BOM])) + raw


@st.composite
def valid_notes(draw: st.DrawFn) -> bytes:
    """A note whose properties are valid YAML with distinct names, so that most are written to."""
    block = draw(
        st.lists(
            st.sampled_from(
                [
                    ": 1",
                    ": 'x'  # c",
                    ": |\n  text\n\n",
                    ": |+\n  genesys_a: 1\n\n",
                    ": >\n  a\n  b",
                    ":\n- a\n- b",
                    ":\n  - a",
                    ": [a,\n  b]",
                    ": {c: d}",
                    ":",
                    ": a\n  b",
                    ': "a\n  b"',
                    ": [[x]]",
                    ": 2024-02-30",
                    ": été 春\u2028 x",
                    ": &{} v",
                    ":\n  genesys_status: nested",
                    ": no\n# comment",
                    ": x\n\n",
                ]
            ),
            max_size=5,
        )
    )
    text = "---\n" + "".join(f"k{n}{item}\n".replace("{}", f"n{n}") for n, item in enumerate(block)) + "---"
    text += draw(st.sampled_from(["", "\n", "  \n", "\n\n"]))
    text += "\n".join(draw(st.lists(words, max_size=4))) if text.endswith("\n") else ""
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return draw(st.sampled_from([b"", BOM])) + text.encode("utf-8", "surrogatepass")


def _without_ours(raw: bytes) -> bytes:
    """Every line but those that begin with our prefix, cut independently of the code under test."""
    bom = BOM if raw.startswith(BOM) else b""
    pieces = raw[len(bom) :].split(b"\n")
    kept = [piece for piece in pieces if not piece.startswith(b"genesys_")]
    return bom + b"\n".join(kept)


def _check(raw: bytes, values: dict[str, Value]) -> None:
    try:
        once = patch(raw, values)
    except WriteRefused:
        event("refused")
        return
    event("same" if once == raw else "written")
    assert once == patch(once, values), "a second write must be no write"
    block = BLOCK.match(raw)
    assert once.endswith(raw[block.end() :] if block else raw.removeprefix(BOM)), "the body must stay"
    old, new = _without_ours(raw), _without_ours(once)
    if old != new:  # only a whole block of our own may come or go
        bom = BOM if raw.startswith(BOM) else b""
        longer, shorter = (new, old) if len(new) > len(old) else (old, new)
        fences = longer[: len(longer) - len(shorter) + len(bom)]
        assert fences[len(bom) :].replace(b"\r\n", b"\n").rstrip(b" \t\n") == b"---\n---"
        assert longer == fences + shorter[len(bom) :]
    if b"\ngenesys_" not in raw:
        assert raw == unpatch(once), "undoing must give the old bytes back"
        return
    try:
        assert b"\ngenesys_" not in _block(unpatch(once))
    except WriteRefused:
        event("undo refused")  # a person's own genesys_ property goes on over several lines


def _block(raw: bytes) -> bytes:
    raw = raw.removeprefix(BOM)
    return raw.split(b"\n---", 1)[0] if raw.startswith((b"---\n", b"---\r\n")) else b""


@settings(PROFILE)
@given(notes(), wanted)
def test_any_note(raw: bytes, values: dict[str, Value]) -> None:
    """Valid or not, a note is edited in our own lines only, once, and restorably, or refused."""
    _check(raw, values)


@settings(PROFILE)
@given(valid_notes(), wanted)
def test_valid_note(raw: bytes, values: dict[str, Value]) -> None:
    """The same for notes that are nearly all written to."""
    assume(b"\xed" not in raw)
    _check(raw, values)


@settings(PROFILE)
@given(notes(st.one_of(lines, own_lines)), wanted)
def test_note_with_lines_of_ours(raw: bytes, values: dict[str, Value]) -> None:
    """The same for notes that hold our properties already, in any notation; or ours are refused."""
    _check(raw, values)


@settings(PROFILE, max_examples=EXAMPLES // 4)
@given(st.binary(max_size=60), wanted)
def test_any_bytes(raw: bytes, values: dict[str, Value]) -> None:
    """No bytes at all make it fail in another way than by refusing."""
    _check(raw, values)


@settings(PROFILE, max_examples=EXAMPLES // 4)
@given(valid_notes())
def test_the_reader_finds_what_was_written(raw: bytes) -> None:
    """What write-back puts into a note, reading takes out of it; the person's properties read as before."""
    try:
        once = patch(raw, {"genesys_status": "active", "genesys_score": 0.25, "genesys_core": True})
    except WriteRefused:
        return
    before, after = split(raw.decode()), split(once.decode())
    assert after is not None
    old, _ = read(before) if before is not None else ({}, "")
    new, problem = read(after)
    if old is not None:
        assert {**old, "genesys_status": "active", "genesys_score": 0.25, "genesys_core": True} == new, (
            problem
        )
