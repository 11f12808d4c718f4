"""Accesses, the raw data of scoring, and events, the audit trail."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping

from genesys.model import AccessKind, Json
from genesys.store import encode
from genesys.store.db import Db, Row, listed
from genesys.store.rows import AccessArrays, AccessRow, EventRow

__all__ = [
    "ACCESS_KINDS",
    "access_arrays",
    "access_count",
    "accesses_of",
    "add_accesses",
    "add_event",
    "event_counts",
    "events",
    "remove_events",
    "replace_accesses",
    "set_event_detail",
]

ACCESS_KINDS: tuple[AccessKind, ...] = tuple(AccessKind)


def add_accesses(db: Db, rows: Iterable[AccessRow]) -> None:
    """Append accesses; those of notes that are gone are left out."""
    with db.transaction():
        db.many(
            """INSERT INTO accesses(note_id, time, kind, weight)
            SELECT id, ?, ?, ? FROM notes WHERE id = ?""",
            [(r.time, r.kind.value, r.weight, r.note_id) for r in rows],
        )


def access_arrays(db: Db) -> AccessArrays:
    """Every access in columns, ordered by note and time."""
    import numpy as np

    kinds = {k.value: i for i, k in enumerate(ACCESS_KINDS)}
    rows = db.all("SELECT note_id, time, weight, kind FROM accesses ORDER BY note_id, time, id")
    return AccessArrays(
        np.array([r[0] for r in rows], dtype=np.int64),
        np.array([r[1] for r in rows], dtype=np.float64),
        np.array([r[2] for r in rows], dtype=np.float64),
        np.array([kinds[r[3]] for r in rows], dtype=np.int8),
    )


def accesses_of(db: Db, note_ids: Collection[int]) -> list[AccessRow]:
    """Accesses of some notes, ordered by note and time."""
    rows = db.all(
        """SELECT note_id, time, kind, weight FROM accesses
        WHERE note_id IN (SELECT value FROM json_each(?)) ORDER BY note_id, time, id""",
        (listed(note_ids),),
    )
    return [AccessRow(note, time, AccessKind(kind), weight) for note, time, kind, weight in rows]


def replace_accesses(db: Db, note_ids: Collection[int], rows: Iterable[AccessRow]) -> None:
    """Make ``rows`` the whole history of these notes: compaction, or a better restoration."""
    with db.transaction():
        db.run("DELETE FROM accesses WHERE note_id IN (SELECT value FROM json_each(?))", (listed(note_ids),))
        add_accesses(db, rows)


def access_count(db: Db) -> int:
    return int(db.value("SELECT count(*) FROM accesses"))


# ------------------------------------------------------------------ events


def add_event(db: Db, kind: str, path: str, detail: Mapping[str, Json], now: float, keep: bool) -> int:
    """Record what was done to a note; the event's id.

    ``keep`` lets the event outlive the note's removal from the index: an undo needs it.
    """
    rows = db.all(
        "INSERT INTO events(time, kind, path, detail, keep) VALUES(?, ?, ?, ?, ?) RETURNING id",
        (now, kind, path, encode.as_json(dict(detail)), int(keep)),
    )
    return int(rows[0][0])


def _event(row: Row) -> EventRow:
    event_id, time, kind, path, detail = row
    return EventRow(event_id, time, kind, path, json.loads(detail))


def events(
    db: Db, since: float, kinds: Collection[str] | None, path: str | None, limit: int, newest_first: bool
) -> list[EventRow]:
    """Events at or after ``since``, of some kinds or of one note where given."""
    rows = db.all(
        """SELECT id, time, kind, path, detail FROM events
        WHERE time >= ?1 AND (?2 IS NULL OR kind IN (SELECT value FROM json_each(?2)))
          AND (?3 IS NULL OR path = ?3)
        ORDER BY time DESC, id DESC LIMIT ?4""",
        (since, None if kinds is None else listed(kinds), path, limit),
    )
    found = [_event(row) for row in rows]
    return found if newest_first else found[::-1]


def event_counts(db: Db) -> dict[str, int]:
    """How many events of each kind."""
    return dict(db.all("SELECT kind, count(*) FROM events GROUP BY kind ORDER BY kind"))


def set_event_detail(db: Db, event_id: int, detail: Mapping[str, Json]) -> None:
    db.run("UPDATE events SET detail = ? WHERE id = ?", (encode.as_json(dict(detail)), event_id))


def remove_events(db: Db, ids: Collection[int]) -> None:
    db.run("DELETE FROM events WHERE id IN (SELECT value FROM json_each(?))", (listed(ids),))
