"""Properties as most people write them, read without a YAML parser: one name or one list item a line.

What is not plainly that is left to the full parser: quotes, brackets, comments, texts of several lines.
A test holds that both say the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from genesys.model import Json

__all__ = ["read_plain_yaml"]

_MAX_CHARS = 20_000
# A text in which no character has a meaning of its own: no colon before a blank, no "#".
_TEXT = r"[^\W_](?>(?:[\w !\"$%&'*+,./;<=>?@\[\]^`{|}~()\-]|:(?=[^\s]))*)"
_LINE = re.compile(
    rf"(?:(?P<key>[^\W_][\w\-]{{0,60}}+(?>(?:[ ][\w\-]{{1,60}}+){{0,8}})):(?:[ ]++(?P<value>{_TEXT})?)?"
    rf"|(?P<indent>[ ]*+)-[ ]++(?P<item>{_TEXT})|)(?:\n|\Z)"
)


def read_plain_yaml(
    text: str, scalar: Callable[[str], Json]
) -> tuple[dict[str, Json], dict[str, int]] | None:
    """Values and lines (from 0) by name; None where it takes the full parser. ``scalar`` reads one value."""
    if len(text) > _MAX_CHARS:
        return None
    values: dict[str, Json] = {}
    lines: dict[str, int] = {}
    items: list[Json] | None = None  # of the last name, where it has no value
    key = indent = ""
    at = line = 0
    while at < len(text):
        match = _LINE.match(text, at)
        if match is None:
            return None
        name, value, inner, item = match.groups()
        if name is not None:
            if name in values:
                return None
            lines[name] = line
            values[name] = None if value is None else scalar(value.rstrip(" "))
            items, key = ([] if value is None else None), name
        elif item is not None:
            if items is None or (items and inner != indent):
                return None
            items.append(scalar(item.rstrip(" ")))
            values[key], indent = items, inner
        at = match.end()
        line += 1
    return values, lines
