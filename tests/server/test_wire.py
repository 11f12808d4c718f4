"""Messages that JSON can spell and no text can hold."""

from __future__ import annotations

import io
import json

import pytest

from genesys.serving.wire import Lines, mended


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'{"q": "\ud800 a"}', "\ufffd a"),
        (r'{"q": "a\udc00"}', "a\ufffd"),
        (r'{"q": "\ud83d\ude00"}', "\U0001f600"),
        (r'{"q": "\\ud800"}', r"\ud800"),
    ],
)
def test_half_a_pair_is_replaced_and_all_else_kept(text: str, expected: str) -> None:
    """Whole pairs and escaped backslashes stay what they are."""
    assert expected == json.loads(mended(text))["q"]


def test_what_is_no_json_stays_as_it_is() -> None:
    """The reader behind will say what is wrong with it."""
    assert r'{"q": "\ud800' == mended(r'{"q": "\ud800')


def test_lines_are_mended_on_the_way_in() -> None:
    """As the server reads them."""
    lines = Lines(io.BytesIO(rb'{"q": "\ud800"}' + b"\n{}\n"), encoding="utf-8", newline="\n")
    assert ["\ufffd", None] == [json.loads(line).get("q") for line in iter(lines.readline, "")]
