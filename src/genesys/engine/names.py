"""From what a person or a model calls a note to its path: anything that a wikilink accepts."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote

from genesys.errors import AmbiguousNote, NoteNotFound, UnknownEdgeType
from genesys.model import EdgeType
from genesys.parse.edges import normal_key, vocabulary
from genesys.parse.resolve import resolve
from genesys.parse.text import target_key

if TYPE_CHECKING:
    from genesys.store.index import Index

__all__ = ["edge_type", "resolve_name", "well_formed"]

MAX_NAME = 4_000  # characters; no path of a vault is longer, percent-encoded or not
MAX_SHOWN = 80  # characters of an unknown name that an error repeats
MAX_NEAR = 200  # characters of a name that is compared with titles
OWN_URI = "genesys://note/"
_LINK = re.compile(r"!?\[\[(.*)\]\]", re.DOTALL)
SUGGESTIONS = 3
MAX_TITLES = 20_000  # compared one by one for a suggestion; more would keep a person waiting


def resolve_name(index: Index, name: str) -> str:
    """The path of the note called ``name``: path, partial path, title or alias, ``[[…]]`` or a URI too.

    Raises:
        NoteNotFound: no note goes by that name; the hint has the nearest titles.
        AmbiguousNote: several do and none is the exact path; ``candidates`` lists them.
    """
    targets = _targets(name)
    if not targets:
        raise NoteNotFound("no note was named", hint="give a note's name, path or alias")
    for target in targets:
        if found := _find(index, target):
            return _allowed(index, found)
    shown = repr(targets[0][:MAX_SHOWN]) + ("…" if len(targets[0]) > MAX_SHOWN else "")
    raise NoteNotFound(f"no note is called {shown}", hint=_nearest(index, targets[0]))


def _find(index: Index, target: str) -> str | None:
    if index.note_id(target) is not None:
        return target
    paths = index.notes_by_key(target_key(target))
    owners = index.notes_by_alias(target) if "/" not in target else []
    found = resolve(target, "", paths, owners).path
    if found is None and len(owners) > 1:
        raise AmbiguousNote(
            f"{len(owners)} notes have the alias {target!r}", sorted(owners), hint="use one of these paths"
        )
    same = sorted(p for p in paths if _matches(p, target))
    if found is not None and len(same) > 1 and not _exact(found, target):
        raise AmbiguousNote(f"{len(same)} notes are called {target!r}", same, hint="use one of these paths")
    return found


def _allowed(index: Index, path: str) -> str:
    row = index.note_row(path)
    if row is not None and row.opted_out:
        raise NoteNotFound(f"{path} opted out of Genesys", hint="take `genesys: false` out of its properties")
    return path


def _targets(name: str) -> list[str]:
    """What the name may mean, best first: as it stands, then without a heading (``C#`` is a name too)."""
    text = unicodedata.normalize("NFC", _from_uri(name[:MAX_NAME].strip())).strip()
    link = _LINK.fullmatch(text)
    if link:
        text = link[1].split("|")[0].removesuffix("\\")
    if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
        return []
    spellings = (text, text.split("#")[0])
    return list(dict.fromkeys(s.strip().lstrip("/") for s in spellings if s.strip(" /#")))


def _from_uri(text: str) -> str:
    """The path in a URI: our own, or the one that opens a note in Obsidian."""
    if text.startswith(OWN_URI):
        return unquote(text.removeprefix(OWN_URI))
    if text.startswith("obsidian://"):
        query = parse_qs(text.partition("?")[2].replace("+", "%2B"))
        return query.get("file", query.get("path", [""]))[0]
    return text


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
    wanted = target[:MAX_NEAR].lower()
    near = [t for t in titles if t.lower().startswith(wanted)] or [t for t in titles if wanted in t.lower()]
    if not near and len(titles) < MAX_TITLES:
        near = difflib.get_close_matches(target[:MAX_NEAR], titles, SUGGESTIONS, 0.6)
    near = sorted(near, key=len)[:SUGGESTIONS]
    return "did you mean " + " or ".join(repr(t) for t in near) + "?" if near else "see `genesys search`"


def edge_type(word: str, own: Iterable[tuple[str, str]] = ()) -> EdgeType:
    """The edge type that a word means: its name, or a synonym as notes may have it (``because``).

    Raises:
        UnknownEdgeType: it means none, or the inverse of one: what leads from the other note to this.
    """
    meaning = vocabulary(own).get(normal_key(word))
    types = ", ".join(t.value for t in EdgeType)
    if meaning is None:
        raise UnknownEdgeType(f"{word.strip()!r} is no edge type", hint=f"one of {types}")
    if not meaning.forward:
        raise UnknownEdgeType(
            f"{word.strip()!r} says what the other note is: {meaning.type.value} of this one",
            hint=f"write `{meaning.type.value}:: [[…]]` into the other note, or use one of {types}",
        )
    return meaning.type


def well_formed(text: str) -> str:
    """The text with lone surrogates replaced: JSON may bring them, and nothing below can encode them."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
