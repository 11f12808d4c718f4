"""Text of attachments: what was read out of each file, and the passages that embedding notes get of it.

Such a passage belongs to the note, with an ordinal from :data:`ATTACHED` on, so that the note's own are
told from it. What was read is kept by content hash: a file that moved or was touched is not read again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from genesys.model import FileStat, FileType, Passage
from genesys.store import encode, meta
from genesys.store.db import Db
from genesys.store.keys import ATTACHED

__all__ = [
    "Embedded",
    "attach",
    "extract_of",
    "extract_problems",
    "sync_attached",
    "unread_attachments",
    "use_extract",
]

SLOT = 100_000  # ordinals of one attachment in a note; more passages than any has
# From the few files to their links, not the other way round.
_PAIRS = """SELECT l.source_id AS note_id, l.target_id AS file_id, min(l.line) AS line
    FROM files t CROSS JOIN links l ON l.target_id = t.id JOIN notes n ON n.id = l.source_id
    WHERE l.kind = 'embed' AND t.type = 'attachment' AND n.opted_out = 0
    AND (lower(t.path) GLOB '*.pdf' OR lower(t.path) GLOB '*.docx') GROUP BY 1, 2"""


@dataclass(frozen=True, slots=True)
class Embedded:
    """An attachment whose passages a note lacks or has in another state; they are to be made of
    ``sections``: (heading path, text). ``title`` is the note's, ``names`` its aliases and tags.
    """

    note_id: int
    file_id: int
    name: str
    line: int
    mark: str
    title: str
    names: tuple[str, ...]
    sections: tuple[tuple[tuple[str, ...], str], ...]


def unread_attachments(db: Db, limits: str, most: int) -> list[FileStat]:
    """Attachments that some note embeds and that were not read in their present state, the newest first.

    ``limits`` stands for the settings that bound what is read.
    """
    rows = db.all(
        f"""SELECT DISTINCT f.path, f.size, f.mtime_ns FROM ({_PAIRS}) p JOIN files f ON f.id = p.file_id
        LEFT JOIN extracted e ON e.file_id = f.id
        WHERE e.mark IS NOT f.size || ':' || f.mtime_ns || ':' || ?1 ORDER BY f.mtime_ns DESC LIMIT ?2""",
        (limits, most),
    )
    return [FileStat(path, FileType.ATTACHMENT, size, mtime) for path, size, mtime in rows]


def extract_of(db: Db, key: str) -> bool:
    """Whether what this content holds is known."""
    return bool(db.value("SELECT count(*) FROM extracts WHERE key = ?", (key,)))


def use_extract(
    db: Db,
    stat: FileStat,
    limits: str,
    key: str,
    found: tuple[Sequence[tuple[Sequence[str], str]], str] | None,
) -> None:
    """Remember that the file, as it is now, has the content ``key``, and what that holds.

    ``found`` is (sections, problem); None where the content is known.
    """
    with db.transaction():
        if found is not None:
            sections, problem = found
            db.run(
                "INSERT OR REPLACE INTO extracts(key, sections, problem) VALUES(?, ?, ?)",
                (key, encode.as_json([[list(path), text] for path, text in sections]), problem),
            )
        db.run(
            """INSERT OR REPLACE INTO extracted(file_id, mark, key)
            SELECT id, size || ':' || mtime_ns || ':' || ?1, ?2 FROM files
            WHERE path = ?3 AND size = ?4 AND mtime_ns = ?5""",
            (limits, key, stat.path, stat.size, stat.mtime_ns),
        )


def sync_attached(db: Db, limits: str, *, wanted: bool = True) -> list[Embedded]:
    """Take away passages of attachments that are no longer embedded; what is to be attached anew.

    While some wait to be read nothing is taken away: one may be another under a new name, whose text and
    vectors are still good. Without ``wanted`` every passage of an attachment goes.
    """
    waiting = wanted and bool(unread_attachments(db, limits, 1))
    pairs = _PAIRS if wanted else f"SELECT * FROM ({_PAIRS}) WHERE 0"
    rows = db.all(
        f"""SELECT p.note_id, p.file_id, p.line, f.path, e.key, n.title,
          (SELECT json_group_array(alias) FROM aliases s WHERE s.note_id = n.id),
          (SELECT json_group_array(tag) FROM tags s WHERE s.note_id = n.id), a.mark
        FROM ({pairs}) p JOIN files f ON f.id = p.file_id JOIN notes n ON n.id = p.note_id
        JOIN extracted e ON e.file_id = p.file_id
        LEFT JOIN attached a ON a.note_id = p.note_id AND a.file_id = p.file_id ORDER BY p.note_id, p.line"""
    )
    stale = db.all(
        f"""SELECT a.note_id, a.file_id FROM attached a WHERE NOT EXISTS (
          SELECT 1 FROM ({pairs}) p WHERE p.note_id = a.note_id AND p.file_id = a.file_id)"""
    )
    for note_id, file_id in () if waiting else stale:
        _detach(db, note_id, file_id)
    found = []
    for note_id, file_id, line, path, key, title, aliases, tags, old in rows:
        name = path.rpartition("/")[2]
        names = (*json.loads(aliases), *json.loads(tags))
        mark = encode.text_mark(key, str(line), name, title, *names)
        if mark != old:
            text = db.value("SELECT sections FROM extracts WHERE key = ?", (key,)) or "[]"
            sections = tuple((tuple(head), body) for head, body in json.loads(text))
            found.append(Embedded(note_id, file_id, name, line, mark, title, names, sections))
    if not waiting:
        db.run("DELETE FROM extracts WHERE key NOT IN (SELECT key FROM extracted)")
    return found


def attach(db: Db, item: Embedded, passages: Sequence[Passage], folded: tuple[str, str]) -> None:
    """Give a note the passages of an attachment, in place of those that it had of it.

    ``folded`` are the note's title and aliases, for full text.
    """
    with db.transaction():
        slot = _detach(db, item.note_id, item.file_id)
        first = meta.reserve(db, "passages", len(passages))
        rows, words = [], []
        for number, passage in enumerate(passages[:SLOT]):
            heading = encode.as_json(list(passage.heading_path))
            rows.append(
                (first + number, item.note_id, ATTACHED + slot * SLOT + number, heading, passage.line_start,
                 passage.line_end, passage.text_hash, passage.text, passage.embed_text,
                 encode.search_hash(*folded, passage), encode.vec_key(passage.embed_text))
            )  # fmt: skip
            words.append((first + number, *folded, passage.search_heading, passage.search_text))
        db.many(
            """INSERT INTO passages(id, note_id, ordinal, heading, line_start, line_end, text_hash, text,
            embed_text, search_hash, vec_key) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            rows,
        )
        db.many("INSERT INTO passages_fts(rowid, title, aliases, heading, text) VALUES(?, ?, ?, ?, ?)", words)
        db.run(
            "INSERT INTO attached(note_id, file_id, slot, mark) VALUES(?, ?, ?, ?)",
            (item.note_id, item.file_id, slot, item.mark),
        )
        meta.bump(db, meta.PASSAGES_VERSION)


def _detach(db: Db, note_id: int, file_id: int) -> int:
    """Take an attachment's passages from a note; the slot it had, or a free one."""
    with db.transaction():
        slot = db.value("SELECT slot FROM attached WHERE note_id = ? AND file_id = ?", (note_id, file_id))
        if slot is None:
            free = db.value("SELECT coalesce(max(slot) + 1, 0) FROM attached WHERE note_id = ?", (note_id,))
            return int(free)
        low = ATTACHED + slot * SLOT
        gone = db.all(
            "SELECT id, vec_key FROM passages WHERE note_id = ? AND ordinal >= ? AND ordinal < ?",
            (note_id, low, low + SLOT),
        )
        db.many("INSERT OR IGNORE INTO loose_keys(vec_key) VALUES(?)", [(key,) for _, key in gone])
        db.many("DELETE FROM passages_fts WHERE rowid = ?", [(i,) for i, _ in gone])
        db.many("DELETE FROM passages WHERE id = ?", [(i,) for i, _ in gone])
        db.run("DELETE FROM attached WHERE note_id = ? AND file_id = ?", (note_id, file_id))
        if gone:
            meta.bump(db, meta.PASSAGES_VERSION)
            meta.bump(db, meta.FTS_GARBAGE, len(gone))
        return int(slot)


def extract_problems(db: Db) -> list[tuple[str, str]]:
    """(path, problem) of attachments that could be read in part or not at all."""
    return db.all(
        """SELECT f.path, x.problem FROM extracted e JOIN files f ON f.id = e.file_id
        JOIN extracts x ON x.key = e.key WHERE x.problem <> '' ORDER BY f.path"""
    )
