"""From what a person or a model calls a note to its path: anything that a wikilink accepts."""

from __future__ import annotations

import difflib
import unicodedata

from genesys.errors import AmbiguousNote, NoteNotFound
from genesys.parse.resolve import resolve
from genesys.parse.text import target_key
from genesys.store.index import Index

__all__ = ["resolve_name"]

MAX_NAME = 1_000  # characters; no path of a vault is longer
SUGGESTIONS = 3
MAX_TITLES = 20_000  # compared one by one for a suggestion; more would keep a person waiting


def resolve_name(index: Index, name: str) -> str:
    """The path of the note called ``name``: path, partial path, title or alias, ``[[…]]`` or a URI too.

    Raises:
        NoteNotFound: no note goes by that name; the hint has the nearest titles.
        AmbiguousNote: several do and none is the exact path; ``candidates`` lists them.
    """
    target = _clean(name)
    if not target:
        raise NoteNotFound("no note was named", hint="give a note's name, path or alias")
    if index.note_id(target) is not None:
        return _allowed(index, target)
    paths = index.notes_by_key(target_key(target))
    owners = index.notes_by_alias(target) if "/" not in target else []
    found = resolve(target, "", paths, owners)
    if found.path is None:
        if len(owners) > 1:
            raise AmbiguousNote(
                f"{len(owners)} notes have the alias {target!r}", sorted(owners), hint="use a path"
            )
        raise NoteNotFound(f"no note is called {target!r}", hint=_nearest(index, target))
    same = sorted(p for p in paths if _matches(p, target))
    if len(same) > 1 and not _exact(found.path, target):
        raise AmbiguousNote(f"{len(same)} notes are called {target!r}", same, hint="use one of these paths")
    return _allowed(index, found.path)


def _allowed(index: Index, path: str) -> str:
    row = index.note_row(path)
    if row is not None and row.opted_out:
        raise NoteNotFound(f"{path} opted out of Genesys", hint="take `genesys: false` out of its properties")
    return path


def _clean(name: str) -> str:
    text = unicodedata.normalize("NFC", name[:MAX_NAME]).strip()
    if text.startswith("genesys://note/"):
        text = text.removeprefix("genesys://note/")
    if text.startswith("[[") and text.endswith("]]"):
        text = text[2:-2].split("|")[0]
    if "#" in text and not text.lower().endswith(".md"):
        text = text.split("#")[0]
    return text.strip().lstrip("/") if "\0" not in text else ""


def _matches(path: str, target: str) -> bool:
    stem, wanted = _fold(path), _fold(target)
    return stem == wanted or stem.endswith("/" + wanted)


def _exact(path: str, target: str) -> bool:
    return _fold(path) == _fold(target)


def _fold(path: str) -> str:
    low = path.lower()
    return low[:-3] if low.endswith(".md") else low


def _nearest(index: Index, target: str) -> str:
    titles = [row.title for row in index.names()]
    near = difflib.get_close_matches(target, titles, SUGGESTIONS, 0.6) if len(titles) < MAX_TITLES else []
    return "did you mean " + " or ".join(repr(t) for t in near) + "?" if near else "see `genesys search`"
