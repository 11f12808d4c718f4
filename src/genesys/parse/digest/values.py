"""Values out of foreign JSON, whatever stands there: text or "", a list or nothing. Pure."""

from __future__ import annotations

import datetime
import json
from typing import Any

__all__ = ["entries", "label", "load", "mapping", "moment", "text_of", "words"]

MAX_TEXT = 100_000  # characters of one turn: beyond it is a pasted document
MAX_LABEL = 300  # characters of a title or an id


def load(raw: bytes) -> dict[str, Any] | None:
    """The object that these bytes are as JSON; None where they are none."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def words(value: Any) -> str:
    """``value`` if it is text, without half surrogate pairs; else ""."""
    if not isinstance(value, str):
        return ""
    return value[:MAX_TEXT].encode("utf-8", "replace").decode("utf-8")


def label(value: Any) -> str:
    """A name or id: on one line, and no longer than anybody would make it."""
    return " ".join(words(value)[:MAX_LABEL].split())


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def entries(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def text_of(content: Any) -> str:
    """The text of a message's content: text itself, or blocks of type ``text`` one below the other."""
    if isinstance(content, str):
        return words(content)
    blocks = [mapping(block) for block in entries(content)]
    return "\n\n".join(filter(None, (words(b.get("text")) for b in blocks if b.get("type") == "text")))


def moment(value: Any) -> str:
    """An ISO date-time in UTC, to the second, of an ISO text or of UNIX seconds; "" for anything else."""
    try:
        if isinstance(value, str):
            at = datetime.datetime.fromisoformat(value)
            at = at.astimezone(datetime.UTC) if at.tzinfo else at
        elif isinstance(value, int | float):
            at = datetime.datetime.fromtimestamp(value, datetime.UTC)
        else:
            return ""
        return at.replace(microsecond=0, tzinfo=None).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
