"""Lean reads for recall: columns rather than rows, and counters that say when a cache is old."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import apsw

from genesys.errors import UsageError
from genesys.store import meta
from genesys.store.db import Db

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["match_rows", "people_pairs", "places_version", "similar_words"]


def match_rows(
    db: Db, match: str, weights: Sequence[float], limit: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(passage ids, BM25) of passages that match, in no order; of more than ``limit`` the best.

    ``match`` is an FTS5 expression over folded terms, ``weights`` are those of title, aliases, heading, text.

    :raises UsageError: the expression can't be read.
    """
    import numpy as np

    sql = "SELECT rowid, -bm25(passages_fts, ?, ?, ?, ?) FROM passages_fts WHERE passages_fts MATCH ?"
    try:
        rows = db.all(f"{sql} LIMIT ?", (*weights, match, limit + 1))
        if len(rows) > limit:
            rows = db.all(f"{sql} ORDER BY rank LIMIT ?", (*weights, match, limit))
    except apsw.SQLError as error:
        raise UsageError(f"the search {match!r} can't be read ({error})", hint="quote its words") from error
    found = np.array(rows, dtype=np.float64).reshape(len(rows), 2)
    return found[:, 0].astype(np.int64), found[:, 1].copy()


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
