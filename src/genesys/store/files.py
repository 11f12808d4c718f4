"""Files as the index knows them: states, moves, removals, what was skipped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from genesys.model import FileStat, FileType, Move, Skipped
from genesys.store import encode, meta
from genesys.store.db import Db, listed
from genesys.store.keys import name_key, stem

__all__ = [
    "any_below",
    "file_states",
    "hashes",
    "loosen",
    "mark_dirty",
    "move",
    "opted_out",
    "problems",
    "remove",
    "set_skipped",
    "skipped",
    "touch",
]


def file_states(db: Db, paths: Collection[str] | None = None) -> dict[str, FileStat]:
    """Every file, or these, by path. One that must be read again has no content hash and a time of zero."""
    sql = "SELECT path, type, size, mtime_ns, inode, content_hash, reread FROM files"
    if paths is None:
        rows = db.all(sql)
    else:
        rows = db.all(f"{sql} WHERE path IN (SELECT value FROM json_each(?))", (listed(paths),))
    types = {t.value: t for t in FileType}
    return {
        path: FileStat(
            path, types[kind], size, 0 if again else mtime, encode.unsigned64(inode), "" if again else digest
        )
        for path, kind, size, mtime, inode, digest, again in rows
    }


def any_below(db: Db, folder: str) -> bool:
    """Whether any file lies in or below the folder."""
    sql = "SELECT EXISTS(SELECT 1 FROM files WHERE path > ? AND path < ?)"
    return bool(db.value(sql, (folder + "/", folder + "0")))  # "0" is the character behind "/"


def hashes(db: Db) -> dict[str, list[str]]:
    """Paths by content hash, for files that have one: what recognises a move."""
    found: dict[str, list[str]] = {}
    for path, digest in db.all("SELECT path, content_hash FROM files WHERE content_hash <> '' ORDER BY path"):
        found.setdefault(digest, []).append(path)
    return found


def touch(db: Db, stats: Iterable[FileStat]) -> None:
    """The same content under a new time, size or inode. An empty content hash leaves the stored one."""
    rows = [
        (s.size, s.mtime_ns, encode.signed64(s.inode), s.content_hash, s.content_hash, s.path) for s in stats
    ]
    with db.transaction():
        db.many(
            """UPDATE files SET size = ?, mtime_ns = ?, inode = ?,
            content_hash = CASE WHEN ? = '' THEN content_hash ELSE ? END WHERE path = ?""",
            rows,
        )


def loosen(db: Db, note_ids: str) -> None:
    """Note the vector keys of these notes (a JSON list) before their passages go."""
    db.run(
        """INSERT OR IGNORE INTO loose_keys(vec_key)
        SELECT vec_key FROM passages WHERE note_id IN (SELECT value FROM json_each(?))""",
        (note_ids,),
    )


def mark_dirty(db: Db, keys: Iterable[str]) -> None:
    """Links to these names must be resolved anew. Same transaction as the change that says so."""
    db.many("INSERT OR IGNORE INTO dirty_keys(key) VALUES(?)", [(key,) for key in keys])


# ------------------------------------------------------------------ moves


def move(db: Db, moves: Sequence[Move]) -> None:
    """Rename files in place: ids, passages, vectors, accesses and state stay.

    Swaps and case-only renames are fine. A file that lay at a new path and did not move is gone. A
    moved note is marked to be read again, since its title and the text of its passages may name the
    file; until then a title that was the file's name already follows it.
    """
    pairs = {m.old: m.new for m in moves if m.old != m.new}
    with db.transaction():
        rows = db.all(
            "SELECT id, path FROM files WHERE path IN (SELECT value FROM json_each(?))", (listed(pairs),)
        )
        pairs = {path: pairs[path] for _, path in rows}
        remove(db, [new for new in pairs.values() if new not in pairs])
        # a path is unique: clear the way first, "/" begins no path of a vault
        db.many("UPDATE files SET path = '/' || id WHERE id = ?", [(i,) for i, _ in rows])
        db.many(
            "UPDATE files SET path = ?, name_key = ?, reread = (type = 'note') WHERE id = ?",
            [(pairs[path], name_key(pairs[path]), i) for i, path in rows],
        )
        db.many(
            "UPDATE notes SET title = ? WHERE id = ? AND title = ?",
            [(stem(pairs[path]), i, stem(path)) for i, path in rows],
        )
        db.many("UPDATE links SET stale = 1 WHERE source_id = ?", [(i,) for i, _ in rows])
        db.many("UPDATE events SET path = '/' || ? WHERE path = ?", [(i, path) for i, path in rows])
        db.many("UPDATE events SET path = ? WHERE path = '/' || ?", [(pairs[path], i) for i, path in rows])
        mark_dirty(db, {name_key(path) for pair in pairs.items() for path in pair})


# ------------------------------------------------------------------ removals


def remove(db: Db, paths: Collection[str]) -> None:
    """Forget files: nothing of them stays in any table but events that were marked to be kept.

    Vectors are keyed by text and go with :func:`genesys.store.vectors.collect_garbage`, so a file that
    comes back a moment later is not embedded again.
    """
    if not paths:
        return
    with db.transaction():
        wanted = listed(paths)
        rows = db.all(
            "SELECT id, name_key FROM files WHERE path IN (SELECT value FROM json_each(?))", (wanted,)
        )
        ids = listed(i for i, _ in rows)
        buckets = db.all(
            "SELECT bucket FROM aliases WHERE note_id IN (SELECT value FROM json_each(?))", (ids,)
        )
        mark_dirty(db, {key for _, key in rows} | {bucket for (bucket,) in buckets})
        db.run(
            """UPDATE links SET target_id = NULL, via_alias = 0, stale = 1
            WHERE target_id IN (SELECT value FROM json_each(?))""",
            (ids,),
        )
        loosen(db, ids)
        gone = db.all("SELECT id FROM passages WHERE note_id IN (SELECT value FROM json_each(?))", (ids,))
        db.many("DELETE FROM passages_fts WHERE rowid = ?", gone)
        db.run("DELETE FROM files WHERE id IN (SELECT value FROM json_each(?))", (ids,))
        db.run("DELETE FROM events WHERE keep = 0 AND path IN (SELECT value FROM json_each(?))", (wanted,))
        if gone:
            meta.bump(db, meta.PASSAGES_VERSION)
            meta.bump(db, meta.FTS_GARBAGE, len(gone))
            meta.put(db, meta.FTS_REMOVED, "1")


# ------------------------------------------------------------------ what was left out


def set_skipped(db: Db, entries: Sequence[Skipped]) -> None:
    """Replace the list; nothing is written where it has not changed."""
    wanted = sorted({e.path: e for e in entries}.values(), key=lambda e: e.path)
    if wanted == skipped(db):
        return
    with db.transaction():
        db.run("DELETE FROM skipped")
        db.many("INSERT INTO skipped(path, reason) VALUES(?, ?)", [(e.path, e.reason) for e in wanted])


def skipped(db: Db) -> list[Skipped]:
    return sorted((Skipped(*row) for row in db.all("SELECT path, reason FROM skipped")), key=lambda e: e.path)


def opted_out(db: Db) -> list[str]:
    """Paths of the notes that say ``genesys: false``."""
    sql = "SELECT f.path FROM notes n JOIN files f ON f.id = n.id WHERE n.opted_out = 1 ORDER BY f.path"
    return [path for (path,) in db.all(sql)]


def problems(db: Db) -> list[tuple[str, str]]:
    """(path, problem) of notes that were read only in part."""
    rows = db.all(
        """SELECT f.path, n.problem FROM notes n JOIN files f ON f.id = n.id
        WHERE n.problem <> '' ORDER BY f.path"""
    )
    return [(path, problem) for path, problem in rows]
