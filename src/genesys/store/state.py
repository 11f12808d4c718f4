"""The state of notes that scoring and tools change, and the figures of ``status``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from genesys.model import Json
from genesys.store import encode
from genesys.store.db import Db
from genesys.store.rows import Counts, StateChange

__all__ = ["counts", "set_states", "set_written"]


def set_states(db: Db, changes: Iterable[StateChange]) -> None:
    """Apply changes in one transaction; a value of None stays as it is."""
    rows = [
        (
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
            """UPDATE notes SET status = coalesce(?, status), score = coalesce(?, score),
            factors = coalesce(?, factors), pinned = coalesce(?, pinned), core = coalesce(?, core),
            recalls = coalesce(?, recalls), last_recalled = coalesce(?, last_recalled) WHERE id = ?""",
            rows,
        )


def set_written(db: Db, note_id: int, content_hash: str, values: Mapping[str, Json]) -> None:
    """Remember what Genesys wrote into a note: a change to this content is its own echo, no edit."""
    db.run(
        "UPDATE notes SET written_hash = ?, written = ? WHERE id = ?",
        (content_hash, encode.as_json(dict(values)), note_id),
    )


def counts(db: Db) -> Counts:
    """Every figure from an index or a small table, in one snapshot."""
    with db.snapshot():
        links = db.one(
            "SELECT count(*), coalesce(sum(target_id IS NULL), 0), coalesce(sum(stale), 0) FROM links"
        )
        notes = db.one(
            "SELECT count(*), coalesce(sum(kind = 'memory'), 0), coalesce(sum(pinned), 0) FROM notes"
        )
        assert links is not None
        assert notes is not None
        return Counts(
            notes=notes[0],
            memories=notes[1],
            pinned=notes[2],
            files=db.value("SELECT count(*) FROM files"),
            passages=db.value("SELECT count(*) FROM passages"),
            links=links[0],
            unresolved=links[1],
            stale_links=links[2],
            edges=dict(db.all("SELECT type, count(*) FROM edges GROUP BY type ORDER BY type")),
            statuses=dict(db.all("SELECT status, count(*) FROM notes GROUP BY status ORDER BY status")),
            problems=db.value("SELECT count(*) FROM notes WHERE problem <> ''"),
            skipped=db.value("SELECT count(*) FROM skipped"),
            models=dict(
                db.all(
                    """SELECT m.model, (SELECT count(*) FROM vectors v WHERE v.model_id = m.id)
                    FROM models m ORDER BY m.id"""
                )
            ),
        )
