"""The state of notes that scoring and tools change, and the figures of ``status``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from genesys.model import FileStat, Json, OwnState, Status
from genesys.store import encode
from genesys.store.counts import Counts
from genesys.store.db import Db
from genesys.store.files import touch
from genesys.store.restore import timestamp

if TYPE_CHECKING:
    from genesys.store.rows import StateChange

__all__ = [
    "counts",
    "own_of",
    "preimage",
    "save_preimage",
    "set_own",
    "set_states",
    "set_times",
    "set_written",
]


def set_states(db: Db, changes: Iterable[StateChange], now: float) -> None:
    """Apply changes in one transaction; a value of None stays as it is. ``now`` dates a new status."""
    rows = [
        (
            c.status.value if c.status else None,
            now,
            c.status.value if c.status else None,
            c.score,
            encode.dump_factors(c.factors),
            None if c.pinned is None else int(c.pinned),
            None if c.core is None else int(c.core),
            c.recalls,
            c.last_recalled,
            c.note_id,
        )
        for c in changes
    ]
    with db.transaction():
        db.many(
            """UPDATE notes SET
            status_since = CASE WHEN coalesce(?, status) <> status THEN ? ELSE status_since END,
            status = coalesce(?, status), score = coalesce(?, score),
            factors = coalesce(?, factors), pinned = coalesce(?, pinned), core = coalesce(?, core),
            recalls = coalesce(?, recalls), last_recalled = coalesce(?, last_recalled) WHERE id = ?""",
            rows,
        )


def set_times(db: Db, note_id: int, first_seen: float, changed_at: float, status_since: float) -> None:
    """When a note was first seen, last changed and came to its status, as another index knew it."""
    db.run(
        "UPDATE notes SET first_seen = ?, changed_at = ?, status_since = ? WHERE id = ?",
        (first_seen, changed_at, status_since, note_id),
    )


def set_written(db: Db, note_id: int, stat: FileStat, values: Mapping[str, Json], shift: int = 0) -> None:
    """Remember what Genesys wrote into a note: this content is its own echo and no edit.

    ``values`` are the ``genesys_*`` properties as they stand in the file now, ``shift`` the number of
    lines by which the body moved down, so that passages and links keep their lines without a new parse.
    """
    with db.transaction():
        touch(db, [stat])
        db.run(
            "UPDATE notes SET written_hash = ?, written = ? WHERE id = ?",
            (stat.content_hash, encode.as_json(dict(values)), note_id),
        )
        set_own(db, note_id, values)
        if shift:
            db.run(
                """UPDATE passages SET line_start = line_start + ?1, line_end = line_end + ?1
                WHERE note_id = ?2""",
                (shift, note_id),
            )
            db.run(
                "UPDATE links SET line = line + ? WHERE source_id = ? AND kind <> 'property'",
                (shift, note_id),
            )


def set_own(db: Db, note_id: int, values: Mapping[str, Json]) -> None:
    """What the ``genesys_*`` properties of a file say, where nothing had to be written."""
    db.run("UPDATE notes SET own = ? WHERE id = ?", (encode.dump_own(own_of(values)), note_id))


def own_of(values: Mapping[str, Json]) -> OwnState:
    """Properties as a state; the prefix may be left out, a time is ISO text or UNIX seconds."""
    bare = {key.removeprefix("genesys_"): value for key, value in values.items()}
    status, recalled = bare.get("status"), bare.get("last_recalled")
    return OwnState(
        status=Status(status) if isinstance(status, str) and status in set(Status) else None,
        score=_number(bare.get("score")),
        recalls=int(n) if (n := _number(bare.get("recalls"))) is not None else None,
        last_recalled=timestamp(recalled) if isinstance(recalled, str) else _number(recalled),
        core=_flag(bare.get("core")),
        pinned=_flag(bare.get("pinned")),
        stale=_flag(bare.get("stale")),
    )


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _flag(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None


# ------------------------------------------------------------------ pre-images


def save_preimage(db: Db, note_id: int, raw: bytes, now: float, keep_s: float) -> None:
    """Keep a note's bytes as they were before a write, the last ones only, and drop those too old."""
    with db.transaction():
        db.run("DELETE FROM preimages WHERE time < ?", (now - keep_s,))
        db.run("INSERT OR REPLACE INTO preimages(note_id, time, raw) VALUES(?, ?, ?)", (note_id, now, raw))


def preimage(db: Db, note_id: int) -> tuple[float, bytes] | None:
    """(time, bytes) of a note before its last write; None where none is kept."""
    row = db.one("SELECT time, raw FROM preimages WHERE note_id = ?", (note_id,))
    return (row[0], row[1]) if row else None


# ------------------------------------------------------------------ figures


def counts(db: Db) -> Counts:
    """Every figure from an index or a small table, in one snapshot."""
    with db.snapshot():
        notes = db.all(
            """SELECT status, kind, count(*), sum(pinned) FROM notes WHERE opted_out = 0
            GROUP BY status, kind ORDER BY status"""
        )
        statuses: dict[str, int] = {}
        for status, _, count, _ in notes:
            statuses[status] = statuses.get(status, 0) + count
        return Counts(
            notes=sum(statuses.values()),
            memories=sum(count for _, kind, count, _ in notes if kind == "memory"),
            pinned=sum(pinned for *_, pinned in notes),
            files=db.value("SELECT count(*) FROM files"),
            passages=db.value("SELECT count(*) FROM passages"),
            links=db.value("SELECT count(*) FROM links"),
            unresolved=db.value("SELECT count(*) FROM links WHERE target_id IS NULL"),
            stale_links=db.value("SELECT count(*) FROM links WHERE stale = 1"),
            edges=dict(db.all("SELECT type, count(*) FROM edges GROUP BY type ORDER BY type")),
            statuses=statuses,
            problems=db.value("SELECT count(*) FROM notes WHERE problem <> ''"),
            skipped=db.value("SELECT count(*) FROM skipped"),
            models=dict(
                db.all(
                    """SELECT m.model, (SELECT count(*) FROM vectors v WHERE v.model_id = m.id)
                    FROM models m ORDER BY m.id"""
                )
            ),
        )
