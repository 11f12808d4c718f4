"""Unlinked mentions as edges: found in every text once, and kept current when texts or names change.

The index remembers which texts were searched and for which names, so an edited note costs its own text, and a
new name one full-text search for the notes that may have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from weakref import WeakKeyDictionary

from genesys.model import CreatedBy, Edge, EdgeType
from genesys.parse.mentions import Matcher, build_matcher, find_names, name_forms
from genesys.parse.text import fold
from genesys.store.index import Index
from genesys.store.text import fts_quote

__all__ = ["WEIGHT", "matcher_of", "mention_edges", "refresh_mentions"]

WEIGHT = 0.5  # of a mention whose name only one note has; divided by √namesakes
MAX_OWNERS = 8  # a name that more notes share says nothing
MAX_PER_NOTE = 64  # of one note's text; an index of everything is no evidence for anything
CHUNK = 512  # notes read at once
MANY_NAMES = 200  # changed names from which reading all texts is cheaper than searching for each

_matchers: WeakKeyDictionary[Index, tuple[object, Matcher]] = WeakKeyDictionary()


def matcher_of(index: Index) -> Matcher:
    """Titles, headings over whole notes and aliases, by note id; kept while no name changes."""
    stamp = index.names_version() or index.places_version()
    cached = _matchers.get(index)
    if cached is None or cached[0] != stamp:
        matcher = build_matcher({r.note_id: (r.title, r.heading, *r.aliases) for r in index.names()})
        cached = _matchers[index] = (stamp, matcher)
    return cached[1]


def refresh_mentions(index: Index) -> tuple[int, int]:
    """Bring the edges of mention up to date; (added, removed)."""
    added = removed = 0
    with index.transaction():
        todo = set(index.stale_mentions())
        todo |= _naming(index, index.sync_names(), len(todo))
        if not todo:
            return 0, 0
        matcher = matcher_of(index)
        order = sorted(todo)
        for start in range(0, len(order), CHUNK):
            part = order[start : start + CHUNK]
            plus, minus = index.replace_inferred(CreatedBy.MENTION, _edges(index, matcher, part), part)
            added, removed = added + plus, removed + minus
        index.mark_mentions(order)
    return added, removed


def _naming(index: Index, names: list[str], stale: int) -> set[int]:
    """Notes whose text may have one of the names that came or went."""
    total = index.counts().notes if names else 0
    if len(names) > MANY_NAMES or (names and stale * 2 > total):
        return {row.note_id for row in index.names()}
    found: set[int] = set()
    for words in {fold(form) for name in names for form in name_forms(name)}:
        if index.stems(words):
            rows = index.search_text(f"{{text}}: {fts_quote(words)}", (1, 1, 1, 1), 100_000)
            found |= {note for _, note, _ in rows}
    return found


def _edges(index: Index, matcher: Matcher, notes: list[int]) -> list[Edge]:
    linked = _linked(index, notes)
    named: dict[int, dict[int, float]] = {}
    for note, texts in index.texts_of(notes).items():
        named[note] = mentioned(matcher, note, texts)
    paths = index.file_paths({n for found in named.values() for n in found} | set(notes))
    edges: list[Edge] = []
    for note, found in named.items():
        known = {n: w for n, w in found.items() if n in paths and paths[n] not in linked.get(note, ())}
        edges += mention_edges(paths, note, known)
    return edges


def _linked(index: Index, notes: list[int]) -> dict[int, set[str]]:
    """Paths that each note links to in writing."""
    ids = {path: note for note, path in index.file_paths(notes).items()}
    found: dict[int, set[str]] = {}
    for edge in index.edges_of(notes, None, "out"):
        if edge.created_by is not CreatedBy.MENTION and edge.source in ids:
            found.setdefault(ids[edge.source], set()).add(edge.target)
    return found


def mentioned(matcher: Matcher, note: int, texts: Iterable[str]) -> dict[int, float]:
    """Notes that the texts of ``note`` name, with the weight of the mention."""
    found: dict[int, float] = {}
    for text in texts:
        for mention in find_names(matcher, text):
            owners = matcher.owners[mention.name]
            if note not in owners and len(owners) <= MAX_OWNERS:
                weight = WEIGHT / len(owners) ** 0.5
                found |= {owner: max(found.get(owner, 0.0), weight) for owner in owners}
    return found


def mention_edges(paths: Mapping[int, str], note: int, found: Mapping[int, float]) -> list[Edge]:
    """The strongest :data:`MAX_PER_NOTE` mentions as edges."""
    best = sorted(found.items(), key=lambda item: (-item[1], paths[item[0]]))[:MAX_PER_NOTE]
    kind, maker = EdgeType.RELATED_TO, CreatedBy.MENTION
    return [Edge(paths[note], paths[other], kind, weight, maker) for other, weight in best]
