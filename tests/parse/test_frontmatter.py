"""The properties block: where it lies and what it says."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.model import Json
from genesys.parse.frontmatter import _plain, _Reader, load, read, split
from genesys.parse.plain_yaml import read_plain_yaml


def values(inner: str) -> dict[str, Json] | None:
    block = split(f"---\n{inner}\n---\nbody")
    assert block
    return read(block)[0]


def problem(inner: str) -> str:
    block = split(f"---\n{inner}\n---\nbody")
    assert block
    found, said = read(block)
    assert found is None
    return said


@pytest.mark.parametrize(
    ("text", "inner", "body", "line"),
    [
        ("---\na: 1\n---\nB", "a: 1\n", "B", 4),
        ("---\n---\nB", "", "B", 3),
        ("---\n\n---\n", "\n", "", 4),
        ("---\na: 1\n---", "a: 1\n", "", 3),
        ("\ufeff---\r\na: 1\r\n--- \t\r\nB\r\n", "a: 1\r\n", "B\r\n", 4),
        ("---\ra: 1\r---\rB", "a: 1\r", "B", 4),
        ("---\na: |\n  ---\n---\nB", "a: |\n  ---\n", "B", 5),
    ],
)
def test_block(text: str, inner: str, body: str, line: int) -> None:
    """A block is found with its offsets and the line on which the body begins."""
    block = split(text)
    assert block
    assert (inner, inner, body, line) == (
        block.inner,
        text[block.start : block.end],
        text[block.body :],
        block.body_line,
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "---\na: 1\n",
        "\n---\na: 1\n---\n",
        "----\na\n----\n",
        "--- \na\n---\n",
        " ---\na\n---\n",
        "+++\na\n+++\n",
        "---\na\n----\n",
        "---\na\n --- \n",
    ],
)
def test_no_block(text: str) -> None:
    """Anything but exactly three dashes on the first line, and on a closing one, is body."""
    assert split(text) is None


def test_values_are_read_as_obsidian_reads_them() -> None:
    """YAML 1.2: no sexagesimal times, no Norwegian booleans, dates as written, nothing lost."""
    assert {
        "time": "12:30",
        "on": "yes",
        "no": True,
        "day": "2024-01-15",
        "never": "2024-02-30",
        "moment": "2024-01-15 08:00",
        "n": 7,
        "f": 1.5,
        "e": "",
        "none": None,
        "big": "9" * 30,
        "inf": ".inf",
        "2024": "x",
        "тема": "Весна",
        "list": ["a", None, 1],
        "deep": {"er": ["[[x]]"]},
    } == values(
        "time: 12:30\non: yes\nno: true\nday: 2024-01-15\nnever: 2024-02-30\nmoment: 2024-01-15 08:00\n"
        f'n: 007\nf: 1.5\ne: ""\nnone:\nbig: {"9" * 30}\ninf: .inf\n2024: x\nтема: Весна\n'
        'list: [a, ~, 1]\ndeep:\n  er: ["[[x]]"]'
    )


@pytest.mark.parametrize(
    ("inner", "said"),
    [
        ("a: [[A]], [[B]]", "line 2"),
        ("a: 1\nb: : :\n", "line 3"),
        ("a: 1\nb: 2\na: 3", "line 4: 'a' stands there twice"),
        ("just text", "not a list of names and values"),
        ("- a\n- b", "not a list"),
        ("a: " + "[" * 5000, "nest"),
        ("\n".join([*(f"{'  ' * n}k:" for n in range(90))]), "nested too deeply"),
        ("a: &a [*a]", "nested too deeply"),
        ("a: \x07", "unacceptable character"),
        ("a: 1\n...\nb: 2", "line"),
        ("x: " + "y" * 1_000_001, "more than 1000000"),
    ],
)
def test_unreadable(inner: str, said: str) -> None:
    """What is no mapping of properties gives none, and one line that says where and what to do."""
    line = problem(inner)
    assert said in line or "control characters" in line
    assert "fix the YAML between the --- lines" in line
    assert "\n" not in line


def test_odd_keys_cost_nothing_else() -> None:
    """A template's placeholder is an odd value; the properties beside it are read."""
    found = values("title: {{title}}\ntags: [a]\n? [x, y]\n: z")
    assert found is not None
    assert ["a"] == found["tags"]


def test_alias_bombs_are_refused_at_once() -> None:
    """Neither references nor merge keys can expand to more than a person writes."""
    names = "abcdefghijklmnopqrst"
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "\n".join(
        f"{b}: &{b} [{','.join(['*' + a] * 9)}]" for a, b in pairwise(names)
    )
    merge = "a: &a {x: 1}\n" + "\n".join(f"{b}: &{b} {{<<: [*{a}, *{a}]}}" for a, b in pairwise(names))
    start = time.perf_counter()
    assert "too many values" in problem(bomb)
    assert "too many values" in problem(merge)
    assert time.perf_counter() - start < 5
    assert {"a": ["x"], "b": ["x"]} == values("a: &v [x]\nb: *v")


def test_lines_of_names() -> None:
    """Top-level names know their line of the file."""
    block = split("---\na: 1\n# note\nb:\n  - c: 2\n---\n")
    assert block
    assert {"a": 2, "b": 4} == load(block).lines


@given(st.text())
def test_nothing_is_raised(inner: str) -> None:
    """Any text between the fences is read or refused."""
    block = split(f"---\n{inner}\n---\n")
    if block:
        load(block)


_WRITTEN = """
    a b1 Ä 日本 no null true False 12 1e5 1.5 .5 0o7 -3 +4 1_0 12:30 a:b a: http://x/y # #t a#b - -- ? ~ ' "
    [ ] [x] { } | > &a *a !x % @ ` , a, = << x_y x-y ... --- ² _
"""
_WORDS = st.sampled_from(
    [*_WRITTEN.split(), "", " ", "  ", "\t", "\x85", "\u2028", "\ufeff", "\x07", "\r", "\xa0"]
)
_STARTS = st.sampled_from(
    ["", "a:", "a: ", "b: ", "key two: ", "a:  ", "- ", "  - ", "   - ", "  ", "-", "1: ", "_: "]
)
_PLAIN_LINES = st.builds(lambda start, words: start + " ".join(words), _STARTS, st.lists(_WORDS, max_size=3))


@given(st.lists(_PLAIN_LINES, max_size=6), st.sampled_from(["", "\n"]))
def test_plain_lines_mean_what_yaml_says(lines: list[str], end: str) -> None:
    """What is read without a YAML parser, the parser reads the same."""
    inner = "\n".join(lines) + end
    found = read_plain_yaml(inner, _plain)
    if found is not None:
        full = _Reader(inner).read()
        assert repr(full.values) == repr(found[0])
        assert full.lines == {name: line + 2 for name, line in found[1].items()}


def test_plain_lines_need_no_parser() -> None:
    """Names, values and lists of one line each are the common case."""
    found = read_plain_yaml(
        "tags:\n  - a b\n  - 12\n\nsource: https://x/y\nempty:\nnote two: it's, well\n", _plain
    )
    assert found
    assert found[0] == {"tags": ["a b", 12], "source": "https://x/y", "empty": None, "note two": "it's, well"}
