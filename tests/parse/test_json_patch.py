"""One entry into a JSON file and out again, every other byte as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from genesys.errors import ConfigRefused
from genesys.parse.json_patch import Addition, add, look_up, remove
from genesys.parse.json_text import read_json, value_of

SERVER = {"command": "/opt/génesys", "args": ["serve", "--vault", 'C:\\Notes "mine"']}
ENTRY = Addition(("mcpServers",), "genesys", SERVER)
HOOK = Addition(("hooks", "Stop"), "", {"hooks": [{"type": "command", "command": "genesys hook stop"}]})
SHORT = Addition(("mcpServers",), "genesys", {"command": "g"})

# What a person's file looks like, and with {"command": "g"} in it.
CASES = {
    "indented": (
        '{\n  "a": 1,\n  "mcpServers": {\n    "x": {}\n  }\n}\n',
        '{\n  "a": 1,\n  "mcpServers": {\n    "x": {},\n'
        '    "genesys": {\n      "command": "g"\n    }\n  }\n}\n',
    ),
    "no servers yet": (
        '{\n\t"a": 1\n}',
        '{\n\t"a": 1,\n\t"mcpServers": {\n\t\t"genesys": {\n\t\t\t"command": "g"\n\t\t}\n\t}\n}',
    ),
    "on one line": (
        '{"a":1,"mcpServers":{"x":{}}}',
        '{"a":1,"mcpServers":{"x":{}, "genesys": {"command": "g"}}}',
    ),
    "an empty list of servers": (
        '{\n  "mcpServers": {}\n}\n',
        '{\n  "mcpServers": {\n    "genesys": {\n      "command": "g"\n    }\n  }\n}\n',
    ),
    "an empty file": ("", '{\n  "mcpServers": {\n    "genesys": {\n      "command": "g"\n    }\n  }\n}\n'),
    "an empty object": ("{}", '{\n  "mcpServers": {\n    "genesys": {\n      "command": "g"\n    }\n  }\n}'),
    "a trailing comma stays": (
        '{\n  "mcpServers": {\n    "x": {},\n  },\n}\n',
        '{\n  "mcpServers": {\n    "x": {},\n    "genesys": {\n      "command": "g"\n    }\n  },\n}\n',
    ),
    "a comment keeps its line": (
        '{\n  "mcpServers": {\n    "x": {} // mine, "y": 2\n    // "z": {}\n  }\n}\n',
        '{\n  "mcpServers": {\n    "x": {}, // mine, "y": 2\n    "genesys": {\n      "command": "g"\n    }\n'
        '    // "z": {}\n  }\n}\n',
    ),
    "only a comment inside": (
        '{"mcpServers": { // none yet\n}}',
        '{"mcpServers": { // none yet\n  "genesys": {\n    "command": "g"\n  }\n}}',
    ),
    "CRLF": (
        '{\r\n  "mcpServers": {\r\n    "x": {}\r\n  }\r\n}',
        '{\r\n  "mcpServers": {\r\n    "x": {},\r\n'
        '    "genesys": {\r\n      "command": "g"\r\n    }\r\n  }\r\n}',
    ),
    "a comment of many lines": (
        '{\n  "mcpServers": {\n    "x": {} /* a\n b, */\n  }\n}',
        '{\n  "mcpServers": {\n    "x": {}, /* a\n b, */\n'
        '    "genesys": {\n      "command": "g"\n    }\n  }\n}',
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_an_entry_looks_as_if_its_owner_had_written_it(before: str, after: str) -> None:
    """In the file's own indentation and line ends, behind the last entry and its comment."""
    assert after == add(read_json(before.encode()), SHORT)[0]


REFUSED = {
    "not UTF-8": (b'{"a": "\xff"}', "not UTF-8"),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), "not UTF-8"),
    "half a file": (b'{\n  "a": 1,\n  "b', "not valid JSON (line 3"),
    "no value": (b'{"a":,}', "not valid JSON"),
    "commas alone": (b'{"mcpServers": [,]}', "not valid JSON"),
    "two trailing commas": (b'{"a": 1,,}', "not valid JSON"),
    "a comment without an end": (b'{"a": 1} /* ', "not valid JSON"),
    "not a number": (b'{"a": NaN}', "NaN"),
    "a list": (b"[1]", "not a JSON object"),
    "a text": (b'"x"', "not a JSON object"),
    "servers are a list": (b'{"mcpServers": []}', "mcpServers is not an object"),
    "servers are null": (b'{"mcpServers": null}', "mcpServers is not an object"),
    "servers twice": (b'{"mcpServers": {}, "mcp\\u0053ervers": {}}', "mcpServers is there twice"),
    "ours is there": (b'{"mcpServers": {"genesys": 1}}', "an entry genesys already"),
    "nested too deeply": (b"[" * 200_000 + b"]" * 200_000, "nested too deeply"),
}


@pytest.mark.parametrize(("raw", "why"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_edited_safely_is_refused(raw: bytes, why: str) -> None:
    """With a reason that a person understands."""
    with pytest.raises(ConfigRefused) as refused:
        add(read_json(raw), ENTRY)
    assert why in refused.value.message


def test_an_empty_list_of_hooks_is_filled_beside_those_of_others() -> None:
    """Lists on the way are made where there are none, and other tools' hooks stay in front."""
    doc = read_json(b'{"hooks": {"Stop": [{"hooks": []}], "Other": []}}')
    text, item = add(doc, HOOK)
    assert {"hooks": {"Stop": [{"hooks": []}, HOOK.value], "Other": []}} == json.loads(text)
    assert doc.text == remove(read_json(text.encode()), item)


# ------------------------------------------------------------------ documents of every kind

KEYS = st.one_of(
    st.sampled_from(["mcpServers", "hooks", "Stop", "a", "", "//", "/* x", 'q"', "ключ", "\\"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
)
NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, KEYS)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
SERVERS = st.dictionaries(KEYS, VALUES, max_size=3)
ROOTS = st.builds(
    lambda rest, known, before: {**known, **rest} if before else {**rest, **known},
    st.dictionaries(KEYS.filter(lambda k: k not in ("mcpServers", "hooks")), VALUES, max_size=4),
    st.fixed_dictionaries(
        {},
        optional={
            "mcpServers": SERVERS,
            "hooks": st.fixed_dictionaries(
                {}, optional={"Stop": st.lists(VALUES, max_size=3), "Other": VALUES}
            ),
        },
    ),
    st.booleans(),
)
FILLER = st.one_of(
    st.text(" \t\r\n", max_size=4),
    st.sampled_from(
        ["/* a, b } */", "// it's, {\n", "//\r\n", '\n  // "x": 1,\n  ', "/**/", "\n\t", "\r\n    "]
    ),
)


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """A document as somebody may have written it: comments and space anywhere, commas at the end."""

    def text(value: Any) -> str:
        if isinstance(value, dict):
            parts = [f"{gap()}{escaped(k)}{gap()}:{gap()}{text(v)}{gap()}" for k, v in value.items()]
        elif isinstance(value, list):
            parts = [f"{gap()}{text(v)}{gap()}" for v in value]
        else:
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        last = f",{gap()}" if parts and draw(st.booleans()) else ""
        brackets = "{}" if isinstance(value, dict) else "[]"
        return brackets[0] + (gap() if not parts else "") + ",".join(parts) + last + brackets[1]

    def escaped(key: str) -> str:
        return json.dumps(key, ensure_ascii=draw(st.booleans()))

    def gap() -> str:
        return draw(FILLER)

    plain = draw(st.sampled_from([None, None, 2, "\t"]))
    if plain is not None or draw(st.booleans()):
        return json.dumps(value, indent=plain) + draw(st.sampled_from(["", "\n"]))
    return gap() + text(value) + gap()


DOCUMENTS = st.tuples(ROOTS.flatmap(lambda v: st.tuples(st.just(v), written(v))), st.booleans())


def without(text: str, piece: str) -> bool:
    """Whether ``piece`` is ``text`` with some characters put in."""
    rest = iter(piece)
    return all(c in rest for c in text)


@given(DOCUMENTS, st.sampled_from([ENTRY, HOOK]))
@example((({"mcpServers": {}}, '{"mcpServers":{/**/}}'), True), ENTRY)
@example((({"a": 1}, '{"a": 1 // b\n, // c\n}'), False), ENTRY)
def test_what_is_added_is_the_only_difference(document: tuple[tuple[Any, str], bool], item: Addition) -> None:
    """The new document says what the old one said and our entry; its text is the old one with ours put in;
    taken out by its text, the document says what it said before."""
    (value, text), bom = document
    raw = b"\xef\xbb\xbf" * bom + text.encode()
    doc = read_json(raw)
    assert value == value_of(doc)
    if item.name in dict(value).get("mcpServers", {}):
        return
    new, done = add(doc, item)
    after = doc.encode(new)
    assert after.startswith(b"\xef\xbb\xbf") == bom
    assert without(text, new)
    again = read_json(after)
    wanted = json.loads(json.dumps(value))
    if item is ENTRY:
        wanted.setdefault("mcpServers", {})["genesys"] = SERVER
    else:
        wanted.setdefault("hooks", {}).setdefault("Stop", []).append(HOOK.value)
    assert wanted == value_of(again)
    found = look_up(again, item.path)
    assert item.value == (found["genesys"] if isinstance(found, dict) else found[-1])
    back = remove(again, done)
    assert back is not None
    assert value == value_of(read_json(back.encode()))


@given(ROOTS, st.sampled_from([ENTRY, HOOK]))
def test_a_client_that_writes_its_file_anew_loses_nothing(value: dict[str, Any], item: Addition) -> None:
    """Whatever it wrote after us: with our entry out, the file is what it would be without us."""
    if item.name in value.get("mcpServers", {}):
        return
    new, done = add(read_json(json.dumps(value, indent=2).encode()), item)
    rewritten = json.dumps({"numStartups": 7, **json.loads(new)}, indent=2)
    wanted = json.dumps({"numStartups": 7, **value}, indent=2)
    assert wanted == remove(read_json(rewritten.encode()), done)


def test_only_our_own_entry_is_taken_out() -> None:
    """One that runs something else is a person's, whatever its name; what was added to ours goes with it."""
    mine = '{"mcpServers": {"genesys": {"command": "other"}}}'
    assert remove(read_json(mine.encode()), ENTRY) is None
    more = json.dumps({"mcpServers": {"genesys": {**SERVER, "env": {"A": "1"}}}})
    assert '{"mcpServers": {}}' == remove(read_json(more.encode()), ENTRY)
    assert remove(read_json(b"{}"), ENTRY) is None
    assert remove(read_json(b""), ENTRY) is None
    assert remove(read_json(b'{"mcpServers": 3}'), ENTRY) is None


def test_a_comment_does_not_swallow_what_follows() -> None:
    """A line's end behind a comment stays where it is needed."""
    text = '{"mcpServers": { // mine\n "genesys": {"command": "g"}, "b": 1,\n "c": 2}}'
    back = remove(read_json(text.encode()), SHORT)
    assert back is not None
    assert {"mcpServers": {"b": 1, "c": 2}} == value_of(read_json(back.encode()))
