"""Small named values, and the counters that make row ids and caches."""

from __future__ import annotations

from genesys.store.db import Db

__all__ = [
    "EDGES_VERSION",
    "FTS_GARBAGE",
    "FTS_REMOVED",
    "PASSAGES_VERSION",
    "VECTORS_VERSION",
    "bump",
    "get",
    "put",
    "reserve",
    "version",
]

PASSAGES_VERSION = "passages_version"
VECTORS_VERSION = "vectors_version"
EDGES_VERSION = "edges_version"
_TOUCHING = (PASSAGES_VERSION, EDGES_VERSION)
TOUCHES_KEPT = 20_000  # of what genesys.store.touched goes by
FTS_GARBAGE = "fts_garbage"  # number of deleted full-text rows whose words are still in the file
FTS_REMOVED = "fts_removed"  # set where some of them are of removed notes, whose words must go


def get(db: Db, key: str) -> str | None:
    value: str | None = db.value("SELECT value FROM meta WHERE key = ?", (key,))
    return value


def put(db: Db, key: str, value: str | None) -> None:
    """None removes the key."""
    if value is None:
        db.run("DELETE FROM meta WHERE key = ?", (key,))
    else:
        db.run("INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)", (key, value))


def version(db: Db, counter: str) -> int:
    return int(get(db, counter) or 0)


def bump(db: Db, counter: str, by: int = 1) -> None:
    """Count up; of a version: tell every process that what it cached under ``counter`` is old."""
    put(db, counter, str(version(db, counter) + by))
    if counter in _TOUCHING:
        db.run("DELETE FROM touches WHERE id <= (SELECT max(id) FROM touches) - ?", (TOUCHES_KEPT,))


def reserve(db: Db, table: str, count: int) -> int:
    """The first of ``count`` row ids that were never used before; call it inside a transaction.

    Ids are not given twice, so that a cache keyed by them can't mistake a new note for a deleted one.
    """
    first = version(db, f"next_{table}") or 1
    if count:
        put(db, f"next_{table}", str(first + count))
    return first
