"""Inline fields: ``key:: value`` on a line, ``[key:: value]``, ``(key:: value)``, and ``- key [[x]]``.

A key is a short name of letters, digits, spaces and hyphens, perhaps with emphasis around it. What comes
before it on the line decides: ``[[later]] supports:: [[later]]`` and ``std::vector`` are prose.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from genesys.parse.edges import clean_key, normal_key

__all__ = ["FieldSpan", "Fields", "find_fields", "list_relation"]

_EMOJI = r"\U0001f000-\U0001faff\u2600-\u27bf\ufe0f"
_KEY = rf"[^\W_][\w \-/&{_EMOJI}]{{0,60}}?|[{_EMOJI}][\w \-/&{_EMOJI}]{{0,60}}?"
_GAP = r"(?:[ \t]+|(?=[\[\"!<])|$)"
_LINE = re.compile(
    rf"^[ \t]*(?:\[[^\[\]\n]\][ \t]+)?[*_~=]{{0,5}}({_KEY})[*_~=]{{0,5}}[ \t]*"
    rf"::[*_~=]{{0,5}}{_GAP}(.*)$",
    re.MULTILINE,
)
_BRACKET = re.compile(
    rf"(?<![\[\\])([\[(])[ \t]*[*_~=]{{0,5}}({_KEY})[*_~=]{{0,5}}[ \t]*::[*_~=]{{0,5}}{_GAP}"
)
_STEP = {"[": re.compile(r"[\[\]\n]"), "(": re.compile(r"[()\n]")}
_CLOSE = {"[": "]", "(": ")"}
_MAX_VALUE = 2000  # characters of a bracketed value; keeps a row of open brackets linear
_MAX_WORDS = 6  # longer "names" are sentences

_LINK = r"!?\[\[[^\[\]\n]{1,400}\]\]"
_LIST = re.compile(
    rf"^[*_]{{0,3}}([A-Za-z][A-Za-z_\-]{{1,40}})[*_]{{0,3}}[ \t]+{_LINK}"
    rf"(?>(?:(?:[ \t]*[,;&][ \t]*|[ \t]+(?:and[ \t]+)?){_LINK})*)"
    r"[ \t]*(?:\([^()\n]*\))?[ \t]*(?:\^[A-Za-z0-9\-]+)?$"
)


@dataclass(slots=True)
class FieldSpan:
    start: int
    end: int
    key: str
    line_start: int  # of the line that the field stands on
    line_end: int


@dataclass(slots=True)
class Fields:
    """The fields of a block; a bracketed one wins inside a line."""

    brackets: tuple[FieldSpan, ...] = ()
    lines: tuple[FieldSpan, ...] = ()

    def at(self, pos: int) -> FieldSpan | None:
        """Return the field whose value holds the character at ``pos``."""
        return _holding(self.brackets, pos) or _holding(self.lines, pos)


def find_fields(text: str, *, whole_lines: bool = True) -> Fields:
    """Return the fields of a block's text; in tables and headings only bracketed ones count."""
    lines = _line_fields(text) if whole_lines else ()
    return Fields(tuple(_bracketed(text)), lines)


def list_relation(item: str) -> FieldSpan | None:
    """Return the relation that a list item consists of (``caused_by [[x]]``), any word as key."""
    match = _LIST.match(item)
    if match is None:
        return None
    return FieldSpan(match.end(1), len(item), clean_key(match.group(1)), 0, len(item))


def _holding(spans: tuple[FieldSpan, ...], pos: int) -> FieldSpan | None:
    """Spans are sorted by their start; one may lie inside the one before it."""
    index = bisect_right(spans, pos, key=_start)
    for span in reversed(spans[max(0, index - 3) : index]):
        if pos < span.end:
            return span
    return None


def _start(span: FieldSpan) -> int:
    return span.start


def _line_fields(text: str) -> tuple[FieldSpan, ...]:
    return tuple(
        FieldSpan(m.start(2), m.end(2), clean_key(m.group(1)), m.start(), m.end())
        for m in _LINE.finditer(text)
        if _is_name(m.group(1))
    )


def _bracketed(text: str) -> list[FieldSpan]:
    spans = []
    for match in _BRACKET.finditer(text):
        close = _closing(text, match.end(), match.group(1))
        if close is not None and _is_name(match.group(2)):
            spans.append(FieldSpan(match.end(), close, clean_key(match.group(2)), match.start(), close + 1))
    return spans


def _closing(text: str, pos: int, bracket: str) -> int | None:
    depth = 0
    for step in _STEP[bracket].finditer(text, pos, pos + _MAX_VALUE):
        mark = step.group()
        if mark == "\n":
            return None
        if mark == bracket:
            depth += 1
        elif depth == 0:
            return step.start()
        else:
            depth -= 1
    return None


def _is_name(key: str) -> bool:
    return bool(normal_key(key)) and len(key.split()) <= _MAX_WORDS
