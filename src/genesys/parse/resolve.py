"""Where a link goes: Obsidian's lookup as measured, not as one expects it.

In this order: the complete path from the vault's root (even over a note beside the source), the
source's own folder, then the shortest path string that ends in the target on whole segments. ``./`` and
``../`` are read from the source's folder, ``/`` from the root, and none of the three falls back.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from genesys.parse.text import path_key

__all__ = ["Resolution", "resolve"]


@dataclass(frozen=True, slots=True)
class Resolution:
    """``path`` is None where nothing in the vault goes by that name."""

    path: str | None
    via_alias: bool = False


def resolve(
    target: str, source: str, candidates: Sequence[str], alias_owners: Sequence[str] = ()
) -> Resolution:
    """Return the file that ``target`` means in the note ``source``.

    ``candidates`` are all paths of the vault whose ``name_key`` is the target's ``target_key``, in any
    order. ``alias_owners`` are the notes that have the target as an alias: Obsidian ignores them; we take
    one where no file has the name and no second note has the alias. An empty target (``[[#Heading]]``)
    is the source itself.
    """
    wanted = unicodedata.normalize("NFC", target).strip()
    if not wanted:
        return Resolution(source)
    folder = source.rpartition("/")[0]
    if wanted.startswith(("./", "../")):
        absolute = _join(folder, wanted)
        return Resolution(_exact(absolute, candidates) if absolute else None)
    if wanted.startswith("/"):
        return Resolution(_exact(wanted.lstrip("/"), candidates))
    found = _search(wanted, folder, candidates)
    if found is None and "/" not in wanted and len(set(alias_owners)) == 1:
        return Resolution(alias_owners[0], via_alias=True)
    return Resolution(found)


def _join(folder: str, relative: str) -> str | None:
    """Return the vault path, None where it climbs out of the vault."""
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _exact(wanted: str, candidates: Sequence[str]) -> str | None:
    for spelling in _spellings(wanted):
        if found := _same(spelling, candidates):
            return found
    return None


def _search(wanted: str, folder: str, candidates: Sequence[str]) -> str | None:
    if len(candidates) == 1:  # most names: there is nothing to choose, it only has to fit
        key = path_key(candidates[0])
        ends = (path_key(spelling) for spelling in _spellings(wanted))
        return candidates[0] if any(key == end or key.endswith("/" + end) for end in ends) else None
    for spelling in _spellings(wanted):
        found = (
            _same(spelling, candidates)
            or _same(f"{folder}/{spelling}", candidates)
            or _shortest(spelling, candidates)
        )
        if found:
            return found
    return None


def _spellings(wanted: str) -> tuple[str, ...]:
    """The name as written comes before the name with ``.md``: attachments always carry their extension."""
    name = wanted.rpartition("/")[2]
    return (wanted, wanted + ".md") if "." in name else (wanted + ".md",)


def _same(wanted: str, candidates: Sequence[str]) -> str | None:
    key = path_key(wanted)
    return min((c for c in candidates if path_key(c) == key), key=lambda c: (c != wanted, c), default=None)


def _shortest(wanted: str, candidates: Sequence[str]) -> str | None:
    """Equal lengths are not settled in Obsidian: the spelling as written first, then code point order."""
    ending = "/" + path_key(wanted)
    written = "/" + wanted
    matches = (c for c in candidates if path_key(c).endswith(ending))
    return min(matches, key=lambda c: (len(c), not c.endswith(written), c), default=None)
