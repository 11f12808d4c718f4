"""Unlinked mentions as edges: found in every text once, and kept current when texts or names change.

The index remembers which texts were searched and for which names, so an edited note costs its own text, and a
new name one full-text search for the notes that may have it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from genesys.model import CreatedBy
from genesys.parse.mentions import Matcher, build_matcher, change_matcher, find_names, name_forms
from genesys.parse.readable import readable
from genesys.parse.text import fold
from genesys.store.index import Index
from genesys.store.text import fts_quote

__all__ = ["WEIGHT", "matcher_of", "refresh_mentions"]

WEIGHT = 0.5  # of a mention whose name only one note has; divided by √namesakes
MAX_OWNERS = 8  # a name that more notes share says nothing
MAX_PER_NOTE = 64  # of one note's text; an index of everything is no evidence for anything
CHUNK = 512  # notes read at once
MANY_NAMES = 200  # changed names from which reading all texts is cheaper than searching for each

_HIDING = re.compile(r"\[\[|\]\(|<|://|\^|```|~~~")  # marks around what is in the file and not read

MANY_ADDED = 500  # names that came after the matcher was built; with more it is built anew
KEPT = 4  # vaults of one process whose names are held in memory


@dataclass(frozen=True, slots=True)
class _Names:
    """What the notes of an index are called at one time, and the matcher for it."""

    stamp: object
    called: Mapping[int, tuple[str, ...]]
    matcher: Matcher


# Of the whole process, not of a connection: the daemon asks on one and writes on another.
_kept: dict[tuple[str, float], _Names] = {}
_lock = threading.Lock()


def matcher_of(index: Index) -> Matcher:
    """Titles, headings over whole notes and aliases, by note id; kept while no name changes."""
    names = _kept_names(index)
    if names is None:
        called = _called(index)
        names = _keep(index, _Names(_stamp(index), called, build_matcher(called)))
    return names.matcher


def _stamp(index: Index) -> object:
    return index.names_version() or index.places_version()


def _called(index: Index, notes: Collection[int] | None = None) -> dict[int, tuple[str, ...]]:
    return {row.note_id: (row.title, row.heading, *row.aliases) for row in index.names(notes)}


def _kept_names(index: Index) -> _Names | None:
    with _lock:
        names = _kept.get((str(index.path), index.born))
    return names if names and names.stamp == _stamp(index) else None


def _keep(index: Index, names: _Names) -> _Names:
    with _lock:
        _kept.pop(key := (str(index.path), index.born), None)
        _kept[key] = names
        while len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
    return names


def _followed(index: Index, names: _Names | None, notes: set[int]) -> _Names:
    """The names after these notes came to be called otherwise."""
    if names is None or len(notes) > MANY_NAMES or names.matcher.added > MANY_ADDED:
        called = _called(index)
        return _Names(_stamp(index), called, build_matcher(called))
    after = _called(index, notes)
    before = {note: names.called[note] for note in notes if note in names.called}
    matcher = change_matcher(names.matcher, before, after)
    called = {note: name for note, name in names.called.items() if note not in notes} | after
    return _Names(_stamp(index), called, matcher)


def refresh_mentions(index: Index, notes: Collection[int] | None = None) -> tuple[int, int]:
    """Bring the edges of mention up to date; (added, removed).

    ``notes``, where given, are all that can be called otherwise than before.
    """
    added = removed = 0
    with index.transaction():
        todo = set(index.stale_mentions())
        names = _kept_names(index)
        changed = index.sync_names(notes)
        todo |= _naming(index, sorted({name for _, name in changed}), len(todo))
        if not todo and (names is None or not changed):
            return 0, 0
        if changed or names is None:
            names = _followed(index, names, {note for note, _ in changed})
        order, matcher = sorted(todo), names.matcher
        for start in range(0, len(order), CHUNK):
            part = order[start : start + CHUNK]
            plus, minus = index.replace_mentions(_named(index, matcher, part), part)
            added, removed = added + plus, removed + minus
        if order:
            index.mark_mentions(order)
    _keep(index, names)  # not before it is certain
    return added, removed


def _naming(index: Index, names: list[str], stale: int) -> set[int]:
    """Notes whose text may have one of the names that came or went."""
    most = len(names) > MANY_NAMES or (stale > MANY_NAMES and stale * 2 > index.counts().notes)
    if names and most:
        return {row.note_id for row in index.names()}
    found: set[int] = set()
    for words in {fold(form) for name in names for form in name_forms(name)}:
        if index.stems(words):
            rows = index.search_text(f"{{text}}: {fts_quote(words)}", (1, 1, 1, 1), 100_000)
            found |= {note for _, note, _ in rows}
    return found


def _named(index: Index, matcher: Matcher, notes: list[int]) -> dict[int, dict[int, float]]:
    """The notes that each of these names and does not link to, with weights: the strongest of each."""
    linked = index.linked(notes, CreatedBy.MENTION)
    named: dict[int, dict[int, float]] = {}
    for note, texts in index.texts_of(notes).items():
        found = mentioned(matcher, note, texts)
        for other in linked.get(note, ()):
            found.pop(other, None)
        if found:
            named[note] = found if len(found) <= MAX_PER_NOTE else _strongest(index, found)
    return named


def _strongest(index: Index, found: Mapping[int, float]) -> dict[int, float]:
    paths = index.file_paths(found)
    best = sorted(found.items(), key=lambda item: (-item[1], paths[item[0]]))
    return dict(best[:MAX_PER_NOTE])


def mentioned(matcher: Matcher, note: int, texts: Iterable[str]) -> dict[int, float]:
    """Notes that the texts of ``note`` name, with the weight of the mention.

    A text is taken as it reads, which is what full text has of it: what a link leads to is no mention.
    """
    found: dict[int, float] = {}
    names: set[int] = set()
    for text in texts:
        mentions = find_names(matcher, readable(text) if _HIDING.search(text) else text)
        names.update([mention.name for mention in mentions])
    for name in names:
        owners = matcher.owners[name]
        if note not in owners and len(owners) <= MAX_OWNERS:
            weight = WEIGHT / len(owners) ** 0.5
            for owner in owners:
                found[owner] = max(found.get(owner, 0.0), weight)
    return found
