"""Lean reads for recall: columns rather than rows, and counters that say when a cache is old."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from genesys.errors import UsageError
from genesys.store import meta, touched
from genesys.store.db import Db, listed
from genesys.store.keys import ATTACHED
from genesys.store.lookup import TITLE_HEADINGS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "daily_notes",
    "mark_mentions",
    "match_count",
    "match_ids",
    "match_rows",
    "names_version",
    "people_pairs",
    "places_version",
    "similar_words",
    "stale_mentions",
    "sync_names",
    "written_sequence",
]


def match_rows(
    db: Db, match: str, weights: Sequence[float], limit: int, count: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(passage ids, BM25) of passages that match, in no order; of more than ``limit`` the best.

    ``match`` is an FTS5 expression over folded terms, ``weights`` are those of title, aliases, heading, text;
    ``count`` is how many match, where that is known.

    :raises UsageError: the expression can't be read.
    """
    import numpy as np

    sql = "SELECT rowid, -bm25(passages_fts, ?, ?, ?, ?) FROM passages_fts WHERE passages_fts MATCH ?"
    with _readable(match):
        rows = [] if (count or 0) > limit else db.all(f"{sql} LIMIT ?", (*weights, match, limit + 1))
        if (count or len(rows)) > limit:
            rows = db.all(f"{sql} ORDER BY rank LIMIT ?", (*weights, match, limit))
    found = np.array(rows, dtype=np.float64).reshape(len(rows), 2)
    return found[:, 0].astype(np.int64), found[:, 1].copy()


def match_ids(db: Db, match: str) -> NDArray[np.int64]:
    """Ids of the passages that match, in order; a fifth of what :func:`match_rows` takes.

    :raises UsageError: the expression can't be read.
    """
    import numpy as np

    with _readable(match):
        rows = db.all("SELECT rowid FROM passages_fts WHERE passages_fts MATCH ?", (match,))
    return np.array(rows, dtype=np.int64).reshape(len(rows))


def match_count(db: Db, match: str) -> int:
    """How many passages match.

    :raises UsageError: the expression can't be read.
    """
    with _readable(match):
        return int(db.value("SELECT count(*) FROM passages_fts WHERE passages_fts MATCH ?", (match,)))


@contextmanager
def _readable(match: str) -> Iterator[None]:
    try:
        yield
    except apsw.SQLError as error:
        raise UsageError(f"the search {match!r} can't be read ({error})", hint="quote its words") from error


def people_pairs(db: Db) -> list[tuple[int, str]]:
    """(note id, name) of every person that a note's properties name."""
    sql = "SELECT n.id, p.value FROM notes n, json_each(n.people) p WHERE n.people <> '[]' ORDER BY n.id"
    return [(int(note), str(name)) for note, name in db.all(sql)]


def places_version(db: Db) -> tuple[int, int]:
    """Changes whenever a passage, a note, a name or an edge comes or goes, in whatever process."""
    return meta.version(db, meta.PASSAGES_VERSION), meta.version(db, meta.EDGES_VERSION)


def similar_words(db: Db, start: str, limit: int) -> list[tuple[str, int]]:
    """(word, passages that have it) of indexed words, as stemmed, that begin with ``start``."""
    sql = "SELECT term, doc FROM passages_vocab WHERE term >= ? AND term < ? ORDER BY doc DESC LIMIT ?"
    return [(str(term), int(doc)) for term, doc in db.all(sql, (start, start + "\U0010ffff", limit))]


# ------------------------------------------------------------------ what inferred edges have seen

# Own passages that come have new ids and those that go change the number: the pair stands for the texts.
_MARKS = f"""SELECT note_id, max(id) * 4096 + count(*) % 4096 AS mark FROM passages
    WHERE ordinal < {ATTACHED} GROUP BY note_id"""
_NAMES = f"""SELECT id AS note_id, title AS name FROM notes WHERE opted_out = 0
    UNION SELECT note_id, alias FROM aliases UNION {TITLE_HEADINGS}"""
NAMES_VERSION = "names_version"
MENTIONS_SEEN = "mentions_seen"  # up to which touch of an edge they were followed


# Searched once, and nothing to search any more: a note that opted out.
_EMPTIED = f"""SELECT note_id FROM mention_marks m WHERE NOT EXISTS (
    SELECT 1 FROM passages p WHERE p.note_id = m.note_id AND p.ordinal < {ATTACHED})"""


def stale_mentions(db: Db) -> list[int]:
    """Notes whose passages or edges have changed since :func:`mark_mentions`.

    Edges, because what a note links to is no mention: a link that now leads elsewhere changes that without
    a change of the text.
    """
    seen = meta.get(db, MENTIONS_SEEN)
    changed = None if seen is None else touched.all_since(db, int(seen))
    if changed is None:
        return [note for (note,) in db.all(f"SELECT note_id FROM ({_MARKS}) UNION {_EMPTIED}")]
    # Passages that come or go are touches too, so no other note can differ from its mark.
    sql = f"""SELECT value FROM json_each(?1) WHERE value IN (SELECT note_id FROM passages)
        UNION {_EMPTIED} AND m.note_id IN (SELECT value FROM json_each(?1)) ORDER BY 1"""
    return [note for (note,) in db.all(sql, (listed(changed),))]


def mark_mentions(db: Db, notes: Sequence[int]) -> None:
    """Remember that the texts of these notes, as they are, have been searched, with the edges there are."""
    marks = _MARKS.replace("GROUP", "AND note_id IN (SELECT value FROM json_each(?)) GROUP")
    db.run(f"INSERT OR REPLACE INTO mention_marks(note_id, mark) {marks}", (listed(notes),))
    db.run(
        f"""DELETE FROM mention_marks WHERE note_id IN (
        {_EMPTIED} AND m.note_id IN (SELECT value FROM json_each(?)))""",
        (listed(notes),),
    )
    meta.put(db, MENTIONS_SEEN, str(touched.moment(db)))


def sync_names(db: Db, notes: Collection[int] | None = None) -> list[tuple[int, str]]:
    """Bring the list of names up to date; (note id, name) of those that came or went since the last call.

    Where ``notes`` are given, all others are known to be called as before.
    """
    some = "" if notes is None else "WHERE note_id IN (SELECT value FROM json_each(?1))"
    args = () if notes is None else (listed(notes),)
    old, new = (f"SELECT note_id, name FROM {names} {some}" for names in ("mention_names", f"({_NAMES})"))
    gone = db.all(f"{old} EXCEPT {new}", args)
    come = db.all(f"{new} EXCEPT {old}", args)
    db.many("DELETE FROM mention_names WHERE note_id = ? AND name = ?", gone)
    db.many("INSERT OR IGNORE INTO mention_names(note_id, name) VALUES(?, ?)", come)
    if gone or come:
        meta.bump(db, NAMES_VERSION)
    return sorted({(int(note), str(name)) for note, name in (*gone, *come)})


def names_version(db: Db) -> int:
    """Changes whenever :func:`sync_names` found a difference."""
    return meta.version(db, NAMES_VERSION)


def daily_notes(db: Db) -> list[str]:
    """Paths of notes whose names begin with an ISO date."""
    day = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*"
    sql = "SELECT path FROM files WHERE type = 'note' AND name_key GLOB ?"
    return [path for (path,) in db.all(sql, (day,))]


def written_sequence(db: Db) -> set[tuple[str, str]]:
    """(earlier, later) of every order in time that a note says itself."""
    rows = db.all(
        """SELECT s.path, t.path FROM edges e
        JOIN files s ON s.id = e.source_id JOIN files t ON t.id = e.target_id
        WHERE e.type = 'temporal_sequence' AND e.link_id IS NOT NULL"""
    )
    return {(str(a), str(b)) for a, b in rows}
