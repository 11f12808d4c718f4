"""What an answer shows of a note whose best passage has no words of its own: embeds, a query, a heading."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from genesys.model import Json
from genesys.store.index import Index
from genesys.store.rows import PassageRow

__all__ = ["readable", "shown"]

_LOOKED_AT = 50  # passages of a note in which one with words is sought
_PROPERTIES = 300  # characters of a note's properties on their line
# Embeds, comments, blocks that other programs fill, headings and block ids: shown elsewhere, or nowhere.
_WORDLESS = re.compile(
    r"!\[\[[^\]\n]*\]\]|!\[[^\]\n]*\]\([^)\n]*\)|%%.*?%%|<!--.*?-->"
    r"|^(```+|~~~+)[ \t]*(?:base|dataview|dataviewjs|tasks|query|button)\b.*?(?:^\1|\Z)"
    r"|^#{1,6}[ \t].*?$|(?:^|[ \t])\^[A-Za-z0-9\-]+[ \t]*$",
    re.MULTILINE | re.DOTALL,
)


def readable(text: str) -> bool:
    """Whether a passage has words that a person can read where it stands.

    >>> readable("![[Meetings.base#Person]]"), readable("See [[Meetings]].")
    (False, True)
    """
    return bool(re.search(r"\w", _WORDLESS.sub(" ", text)))


def shown(index: Index, row: PassageRow) -> PassageRow:
    """The passage itself, else the note's first one with words, else its properties on one line."""
    if readable(row.text):
        return row
    for other in index.passages_of(row.note_id)[:_LOOKED_AT]:
        if readable(other.text):
            return other
    line = _line(index.properties([row.note_id]).get(row.note_id, {}))
    last = max(1, row.line_start - 1)
    return replace(row, text=line, heading_path=(), line_start=1, line_end=last) if line else row


def _line(properties: Mapping[str, Json]) -> str:
    """``role: engineer · org: [[Acme]]``; what is empty, or Genesys' own, says nothing of the note."""
    told = []
    for key, value in properties.items():
        items = [
            v for v in (value if isinstance(value, list) else [value]) if isinstance(v, (str, int, float))
        ]
        text = ", ".join(" ".join(str(v).split()) for v in items if v not in ("", True, False))
        if text and not key.startswith("genesys"):
            told.append(f"{key}: {text}")
    line = " · ".join(told)
    return line if len(line) <= _PROPERTIES else line[: _PROPERTIES - 1].rstrip() + "…"
