"""Unlinked mentions as edges: found in every text once, and kept current when texts or names change.

What was looked at is remembered in the index, so a change of one note costs one note's text, and a new name
one full-text search for the notes that may have it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

from genesys.model import CreatedBy, Edge, EdgeType
from genesys.parse.mentions import Matcher, build_matcher, find_names, name_forms
from genesys.parse.text import fold
from genesys.store.index import Index
from genesys.store.links import RELINKED
from genesys.store.rows import NameRow
from genesys.store.text import fts_quote

__all__ = ["WEIGHT", "mention_edges", "refresh_mentions"]

WEIGHT = 0.5  # of a mention whose name only one note has; divided by √namesakes
MAX_OWNERS = 8  # a name that more notes share says nothing
MAX_PER_NOTE = 64  # of one note's text; an index of everything is no evidence for anything
CHUNK = 512  # notes read at once
MANY_NAMES = 200  # changed names from which reading all texts is cheaper than searching for each
NAMES, HASH, SEEN = "names_list", "names_hash", "mentions_seen"


def refresh_mentions(index: Index) -> tuple[int, int]:
    """Bring the edges of mention up to date; (added, removed).

    Which notes' texts have changed since the last time is known by their content hash.
    """
    rows = index.names()
    seen = _digests(index)
    old_seen: dict[str, str] = json.loads(index.meta_get(SEEN) or "{}")
    old_names: list[str] = json.loads(index.meta_get(NAMES) or "[]")
    names = sorted({form for r in rows for name in (r.title, *r.aliases) for form in name_forms(name)})
    todo = _stale(index, rows, seen, old_seen, set(names) ^ set(old_names))
    relinked = index.meta_get(RELINKED)
    if relinked is not None:  # what a link leads to is no mention, and what it no longer leads to may be one
        todo |= {note for note in json.loads(relinked) if str(note) in seen}
    digest = hashlib.blake2b(json.dumps([(r.path, r.title, r.aliases) for r in rows]).encode(), digest_size=8)
    if not todo and relinked is None and digest.hexdigest() == index.meta_get(HASH):
        return 0, 0
    with index.transaction():
        done = _rewrite(index, rows, todo)
        index.meta_set(HASH, digest.hexdigest())
        index.meta_set(NAMES, json.dumps(names, ensure_ascii=False))
        index.meta_set(SEEN, json.dumps(seen))
        index.meta_set(RELINKED, None)
    return done


def _digests(index: Index) -> dict[str, str]:
    """Short content hash of each note by its id (as text, for JSON)."""
    return {str(row.id): row.content_hash[:8] for row in index.note_rows().values()}


def _stale(
    index: Index, rows: Iterable[NameRow], seen: Mapping[str, str], old: Mapping[str, str], changed: set[str]
) -> set[int]:
    """Notes whose text changed, or that may have a name that came or went."""
    todo = {int(i) for i, digest in seen.items() if old.get(i) != digest}
    if not changed:
        return todo
    if len(changed) > MANY_NAMES or len(todo) * 2 > len(seen):
        return {r.note_id for r in rows}
    for name in changed:
        words = fold(name)
        if index.stems(words):
            found = index.search_text(f"{{text}}: {fts_quote(words)}", (1, 1, 1, 1), 100_000)
            todo |= {note for _, note, _ in found}
    return todo


def _rewrite(index: Index, rows: list[NameRow], todo: set[int]) -> tuple[int, int]:
    paths = {r.note_id: r.path for r in rows}
    matcher = build_matcher({r.note_id: (r.title, *r.aliases) for r in rows})
    added = removed = 0
    order = sorted(todo & paths.keys())
    for start in range(0, len(order), CHUNK):
        part = order[start : start + CHUNK]
        linked = _linked(index, part)
        edges: list[Edge] = []
        for note in part:
            texts = [p.text for p in index.passages_of(note)]
            edges += mention_edges(matcher, paths, note, texts, linked.get(note, set()))
        plus, minus = index.replace_inferred(CreatedBy.MENTION, edges, part)
        added, removed = added + plus, removed + minus
    return added, removed


def _linked(index: Index, notes: list[int]) -> dict[int, set[str]]:
    """Paths that each note links to in writing."""
    ids = {path: note for note, path in ((n, index.file_path(n)) for n in notes) if path is not None}
    found: dict[int, set[str]] = {}
    for edge in index.edges_of(notes, None, "out"):
        if edge.created_by is not CreatedBy.MENTION and edge.source in ids:
            found.setdefault(ids[edge.source], set()).add(edge.target)
    return found


def mention_edges(
    matcher: Matcher, paths: Mapping[int, str], note: int, texts: Iterable[str], linked: set[str]
) -> list[Edge]:
    """What one note's text mentions without a link, the strongest first, each note once."""
    found: dict[str, float] = {}
    for text in texts:
        for mention in find_names(matcher, text):
            owners = matcher.owners[mention.name]
            if note in owners or len(owners) > MAX_OWNERS:
                continue
            weight = WEIGHT / len(owners) ** 0.5
            for owner in owners:
                path = paths[owner]
                if path not in linked:
                    found[path] = max(found.get(path, 0.0), weight)
    best = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:MAX_PER_NOTE]
    return [Edge(paths[note], path, EdgeType.RELATED_TO, weight, CreatedBy.MENTION) for path, weight in best]
