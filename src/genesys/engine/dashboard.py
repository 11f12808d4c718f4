"""``Genesys.base``: what the vault remembers, as views of Obsidian's Bases over the written properties."""

from __future__ import annotations

import hashlib

__all__ = ["DASHBOARD", "is_ours", "text"]

DASHBOARD = "Genesys.base"
_SIGN = "# Written by Genesys, which replaces or removes it only as long as nobody has changed it: "

_HEAD = """\
filters:
  and:
    - file.ext == "md"
    - file.hasProperty("genesys_status")
formulas:
  strength: 'if(genesys_score, "●".repeat((genesys_score * 5).ceil()), "")'
  edited: file.mtime.relative()
properties:
  file.name:
    displayName: Note
  file.folder:
    displayName: Folder
  note.genesys_status:
    displayName: Status
  note.genesys_score:
    displayName: Score
  note.genesys_recalls:
    displayName: Recalls
  note.genesys_last_recalled:
    displayName: Last recalled
  note.genesys_core:
    displayName: Core
  formula.strength:
    displayName: Strength
  formula.edited:
    displayName: Edited
views:
"""

#: View → type, its filter, its columns, what it is sorted by and how.
_SCORED = ("file.name", "formula.strength", "genesys_score", "genesys_recalls", "genesys_last_recalled")
_LIVELY, _QUIET = (*_SCORED, "file.folder"), (*_SCORED, "formula.edited")
_VIEWS: tuple[tuple[str, str, str, tuple[str, ...], str, str], ...] = (
    ("Core", "cards", "genesys_core == true", _LIVELY, "genesys_score", "DESC"),
    ("Active", "table", 'genesys_status == "active"', _LIVELY, "genesys_score", "DESC"),
    (
        "Dormant",
        "table",
        'genesys_status == "dormant"',
        _QUIET,
        "genesys_score",
        "DESC",
    ),
    ("Fading", "table", 'genesys_status == "fading"', _QUIET, "genesys_score", "ASC"),
    (
        "Recently recalled",
        "table",
        'file.hasProperty("genesys_last_recalled")',
        ("file.name", "genesys_last_recalled", "genesys_recalls", "genesys_status", "genesys_score"),
        "genesys_last_recalled",
        "DESC",
    ),
)
_LIMIT = 50  # rows of the notes recalled last


def text() -> str:
    """The file as it is written."""
    body = _HEAD + "".join(_view(*view) for view in _VIEWS)
    return _SIGN + _digest(body) + "\n" + body


def _view(name: str, kind: str, only: str, order: tuple[str, ...], by: str, direction: str) -> str:
    lines = [f"  - type: {kind}", f"    name: {name}", "    filters:", "      and:", f"        - {only}"]
    lines += ["    order:", *(f"      - {column}" for column in order)]
    lines += ["    sort:", f"      - property: {by}", f"        direction: {direction}"]
    lines += [f"    limit: {_LIMIT}"] if by == "genesys_last_recalled" else []
    return "\n".join(lines) + "\n"


def _digest(body: str) -> str:
    return hashlib.blake2b(body.encode(), digest_size=16).hexdigest()


def is_ours(raw: bytes) -> bool:
    """Whether some version of Genesys wrote these bytes and nobody has changed one since."""
    first, _, body = raw.decode("utf-8", "replace").partition("\n")
    return first == _SIGN + _digest(body)
