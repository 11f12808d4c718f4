"""Reading notes and passages: by id, path, name, alias, tag, folder and date."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from genesys.model import Json, Kind, MemoryType, Status
from genesys.store import encode
from genesys.store.db import Db, Row, listed
from genesys.store.keys import ATTACHED, alias_key
from genesys.store.rows import NameRow, NoteRow, NoteStamp, PassageArrays, PassageRow

__all__ = [
    "aliases_of",
    "all_notes",
    "file_path",
    "file_paths",
    "names",
    "note_id",
    "note_ids",
    "note_row",
    "note_rows",
    "note_scores",
    "note_stamps",
    "notes_by_alias",
    "notes_by_date",
    "notes_by_key",
    "notes_by_path",
    "notes_by_property",
    "notes_by_tag",
    "notes_in_folder",
    "passage_arrays",
    "passages",
    "passages_around",
    "passages_of",
    "paths_by_key",
    "properties",
    "sessions",
    "tag_pairs",
    "tags_of",
    "texts_of",
]

_LIST = "(SELECT value FROM json_each(?))"
_NOTES = """
SELECT n.id, f.path, n.title, n.kind, n.memory_type, n.category, n.status, n.score, n.factors, n.pinned,
  n.core, n.recalls, n.last_recalled, n.created, n.created_at, n.note_date, n.source_session, n.people, n.own,
  n.problem, n.refuse_write, n.opted_out, n.written_hash, n.written, n.first_seen, n.changed_at,
  n.status_since, f.mtime_ns, f.content_hash
FROM notes n JOIN files f ON f.id = n.id
"""
_PASSAGES = """
SELECT p.id, p.note_id, p.ordinal, p.heading, p.line_start, p.line_end, p.text, p.block_id,
  f.path, n.title, n.status, n.kind, n.score, n.note_date
FROM passages p JOIN files f ON f.id = p.note_id JOIN notes n ON n.id = p.note_id
"""
_KINDS = {k.value: k for k in Kind}
_STATUSES = {s.value: s for s in Status}


def _note(row: Row) -> NoteRow:
    (note, path, title, kind, memory_type, category, status, score, factors, pinned, core) = row[:11]
    (recalls, last, created, created_at, date, session, people, own, problem, refuse, opted_out) = row[11:22]
    (written_hash, written, first_seen, changed_at, status_since, mtime_ns, content_hash) = row[22:]
    return NoteRow(
        id=note,
        path=path,
        title=title,
        kind=_KINDS[kind],
        memory_type=MemoryType(memory_type) if memory_type else None,
        category=category,
        status=_STATUSES[status],
        score=score,
        factors=encode.load_factors(factors),
        pinned=bool(pinned),
        core=bool(core),
        recalls=recalls,
        last_recalled=last,
        created=created,
        created_at=created_at,
        note_date=date,
        source_session=session,
        people=tuple(json.loads(people)) if people != "[]" else (),
        own=encode.load_own(own),
        problem=problem,
        refuse_write=refuse,
        opted_out=bool(opted_out),
        written_hash=written_hash,
        written=json.loads(written) if written != "{}" else {},
        first_seen=first_seen,
        changed_at=changed_at,
        status_since=status_since,
        mtime=mtime_ns / 1e9,
        content_hash=content_hash,
    )


def _passage(row: Row) -> PassageRow:
    passage, note, ordinal, heading, start, end, text, block, path, title, status, kind, score, date = row
    return PassageRow(
        id=passage,
        note_id=note,
        ordinal=ordinal,
        heading_path=tuple(json.loads(heading)) if heading != "[]" else (),
        line_start=start,
        line_end=end,
        text=text,
        block_id=block,
        path=path,
        title=title,
        status=_STATUSES[status],
        kind=_KINDS[kind],
        score=score,
        note_date=date,
    )


# ------------------------------------------------------------------ notes


def note_id(db: Db, path: str) -> int | None:
    """The id of a note by its exact path; None for other files."""
    found: int | None = db.value(
        "SELECT n.id FROM notes n JOIN files f ON f.id = n.id WHERE f.path = ?", (path,)
    )
    return found


def file_path(db: Db, file_id: int) -> str | None:
    found: str | None = db.value("SELECT path FROM files WHERE id = ?", (file_id,))
    return found


def file_paths(db: Db, ids: Collection[int]) -> dict[int, str]:
    """The paths of those of these files that there are, in the order of their ids."""
    sql = f"SELECT id, path FROM files WHERE id IN {_LIST} ORDER BY id"
    return dict(db.all(sql, (listed(ids),)))


def note_row(db: Db, path: str) -> NoteRow | None:
    row = db.one(_NOTES + "WHERE f.path = ?", (path,))
    return _note(row) if row else None


def note_rows(db: Db, ids: Collection[int] | None = None) -> dict[int, NoteRow]:
    """Notes by id, all of them where ``ids`` is None."""
    if ids is None:
        return {row[0]: _note(row) for row in db.all(_NOTES)}
    return {row[0]: _note(row) for row in db.all(_NOTES + f"WHERE n.id IN {_LIST}", (listed(ids),))}


def note_ids(db: Db, paths: Collection[str]) -> dict[str, int]:
    """Ids of the notes among ``paths``."""
    return dict(
        db.all(
            f"SELECT f.path, n.id FROM notes n JOIN files f ON f.id = n.id WHERE f.path IN {_LIST}",
            (listed(paths),),
        )
    )


def all_notes(db: Db) -> list[NoteRow]:
    """Every note, in order of id."""
    return [_note(row) for row in db.all(_NOTES + "ORDER BY n.id")]


def note_scores(db: Db) -> list[float]:
    """The score of every note that has one and has not opted out, in order of id."""
    rows = db.all("SELECT score FROM notes WHERE score IS NOT NULL AND opted_out = 0 ORDER BY id")
    return [float(score) for (score,) in rows]


def note_stamps(db: Db) -> list[NoteStamp]:
    """Every note that has not opted out, in order of id."""
    rows = db.all(
        """SELECT n.id, f.path, n.changed_at FROM notes n JOIN files f ON f.id = n.id
        WHERE n.opted_out = 0 ORDER BY n.id"""
    )
    return [NoteStamp(*row) for row in rows]


def notes_by_path(db: Db, paths: Sequence[str]) -> list[NoteRow]:
    """Notes in the order of ``paths``; those that are gone are left out."""
    rows = {row[1]: _note(row) for row in db.all(_NOTES + f"WHERE f.path IN {_LIST}", (listed(paths),))}
    return [rows[path] for path in paths if path in rows]


def notes_by_property(db: Db, key: str, value: str) -> list[str]:
    """Paths of the notes whose property ``key`` is the text ``value``."""
    rows = db.all(
        """SELECT f.path FROM notes n JOIN files f ON f.id = n.id
        WHERE instr(n.properties, ?1) AND EXISTS (
          SELECT 1 FROM json_each(n.properties) p WHERE p.key = ?1 AND p.value = ?2) ORDER BY f.path""",
        (key, value),
    )
    return [path for (path,) in rows]


def memories_after(db: Db, note_id: int) -> list[tuple[int, str]]:
    """(id, path) of the memories with a higher id, the oldest first; notes that opted out are left out."""
    rows = db.all(
        """SELECT n.id, f.path FROM notes n JOIN files f ON f.id = n.id
        WHERE n.id > ? AND n.kind = 'memory' AND n.opted_out = 0 ORDER BY n.id""",
        (note_id,),
    )
    return [(number, path) for number, path in rows]


def has_unscored_own(db: Db) -> bool:
    """Whether some note carries a written-back state that this index has not scored yet."""
    sql = "SELECT EXISTS(SELECT 1 FROM notes WHERE factors IS NULL AND own <> '{}')"
    return bool(db.value(sql))


def properties(db: Db, ids: Collection[int]) -> dict[int, dict[str, Json]]:
    rows = db.all(f"SELECT id, properties FROM notes WHERE id IN {_LIST}", (listed(ids),))
    return {i: json.loads(text) for i, text in rows}


def tags_of(db: Db, ids: Collection[int] | None = None) -> dict[int, tuple[str, ...]]:
    return _many(db, "SELECT note_id, tag FROM tags", ids, "tag")


def aliases_of(db: Db, ids: Collection[int] | None = None) -> dict[int, tuple[str, ...]]:
    return _many(db, "SELECT note_id, alias FROM aliases", ids, "rowid")


def _many(db: Db, select: str, ids: Collection[int] | None, order: str) -> dict[int, tuple[str, ...]]:
    where, args = ("", ()) if ids is None else (f" WHERE note_id IN {_LIST}", (listed(ids),))
    groups: dict[int, list[str]] = {}
    for note, value in db.all(f"{select}{where} ORDER BY note_id, {order}", args):
        groups.setdefault(note, []).append(value)
    return {note: tuple(values) for note, values in groups.items()}


# ------------------------------------------------------------------ names


# The heading under which all of a note stands: its title where the file is named by a number or a date.
TITLE_HEADINGS = f"""SELECT note_id, name FROM (
    SELECT p.note_id, json_extract(p.heading, '$[0]') AS name FROM passages p
    WHERE p.ordinal = 0 AND p.heading <> '[]') t
  WHERE NOT EXISTS (SELECT 1 FROM notes n WHERE n.id = t.note_id AND n.title = t.name)
  AND NOT EXISTS (SELECT 1 FROM passages o
    WHERE o.note_id = t.note_id AND o.ordinal < {ATTACHED}
    AND json_extract(o.heading, '$[0]') IS NOT t.name)"""


def names(db: Db, ids: Collection[int] | None = None) -> list[NameRow]:
    """Every note, or these, with every name it goes by, in order of path; notes that opted out excluded."""
    args = () if ids is None else (listed(ids),)
    of_note, of_passage = ("", "") if ids is None else (f" AND n.id IN {_LIST}", f" AND p.note_id IN {_LIST}")
    with db.snapshot():
        aliases = aliases_of(db, ids)
        headings: dict[int, str] = dict(db.all(TITLE_HEADINGS.replace(") t", f"{of_passage}) t"), args))
        rows = db.all(
            f"""SELECT n.id, f.path, n.title FROM notes n JOIN files f ON f.id = n.id
            WHERE n.opted_out = 0{of_note} ORDER BY f.path""",
            args,
        )
    return [
        NameRow(note, path, title, aliases.get(note, ()), headings.get(note, ""))
        for note, path, title in rows
    ]


def notes_by_key(db: Db, key: str) -> list[str]:
    """Paths of the notes whose :func:`~genesys.store.keys.name_key` is ``key``."""
    rows = db.all("SELECT path FROM files WHERE name_key = ? AND type = 'note' ORDER BY path", (key,))
    return [path for (path,) in rows]


def paths_by_key(db: Db, key: str) -> list[str]:
    """Paths of the files of any type whose name key is ``key``."""
    return [path for (path,) in db.all("SELECT path FROM files WHERE name_key = ? ORDER BY path", (key,))]


def tag_pairs(db: Db) -> list[tuple[int, str]]:
    """Every (note id, tag in lower case)."""
    return [(note, key) for note, key in db.all("SELECT note_id, key FROM tags ORDER BY note_id, key")]


def notes_by_alias(db: Db, alias: str) -> list[str]:
    """Paths of the notes that have this alias, in any case."""
    rows = db.all(
        """SELECT DISTINCT f.path FROM aliases a JOIN files f ON f.id = a.note_id
        WHERE a.key = ? ORDER BY f.path""",
        (alias_key(alias),),
    )
    return [path for (path,) in rows]


def notes_by_tag(db: Db, tag: str) -> list[int]:
    """Notes with the tag or one nested below it, in any case."""
    key = tag.lstrip("#").casefold().rstrip("/")
    rows = db.all(
        """SELECT DISTINCT note_id FROM tags
        WHERE key = ?1 OR (key >= ?1 || '/' AND key < ?1 || '0') ORDER BY note_id""",
        (key,),
    )
    return [note for (note,) in rows]


def notes_in_folder(db: Db, folder: str) -> list[int]:
    """Notes in a folder or below it; "" is the whole vault."""
    prefix = folder.strip("/")
    rows = db.all(
        """SELECT n.id FROM notes n JOIN files f ON f.id = n.id
        WHERE ?1 = '' OR (f.path >= ?1 || '/' AND f.path < ?1 || '0') ORDER BY n.id""",
        (prefix,),
    )
    return [note for (note,) in rows]


def notes_by_date(db: Db, first: str, last: str) -> list[tuple[int, str]]:
    """(note id, date) of notes about a day from ``first`` to ``last``, ISO dates, both included."""
    return [
        (note, date)
        for note, date in db.all(
            """SELECT id, note_date FROM notes
            WHERE note_date <> '' AND note_date >= ? AND substr(note_date, 1, 10) <= ?
            ORDER BY note_date, id""",
            (first, last),
        )
    ]


def sessions(db: Db) -> dict[str, list[int]]:
    """Notes of each ``source_session``, oldest first (by date of the note, then by creation)."""
    groups: dict[str, list[int]] = {}
    for session, note in db.all(
        """SELECT n.source_session, n.id FROM notes n JOIN files f ON f.id = n.id
        WHERE n.source_session <> '' ORDER BY n.source_session, n.note_date, n.created_at, f.path"""
    ):
        groups.setdefault(session, []).append(note)
    return groups


# ------------------------------------------------------------------ passages


def passages(db: Db, ids: Sequence[int]) -> list[PassageRow]:
    """Passages in the order of ``ids``; those that are gone are left out."""
    rows = {row[0]: _passage(row) for row in db.all(_PASSAGES + f"WHERE p.id IN {_LIST}", (listed(ids),))}
    return [rows[i] for i in ids if i in rows]


def passages_of(db: Db, note: int) -> list[PassageRow]:
    """All passages of a note, in order."""
    return [_passage(row) for row in db.all(_PASSAGES + "WHERE p.note_id = ? ORDER BY p.ordinal", (note,))]


def texts_of(db: Db, notes: Collection[int]) -> dict[int, list[str]]:
    """The texts of these notes' own passages, in order."""
    found: dict[int, list[str]] = {note: [] for note in notes}
    own = f"note_id IN {_LIST} AND ordinal < {ATTACHED}"
    for note, text in db.all(
        f"SELECT note_id, text FROM passages WHERE {own} ORDER BY note_id, ordinal", (listed(notes),)
    ):
        found[note].append(text)
    return found


def passages_around(db: Db, ids: Collection[int], reach: int) -> list[tuple[int, int, int]]:
    """(passage, neighbour in the same note, offset) with offset from -``reach`` to ``reach``, never 0."""
    return [
        (passage, other, offset)
        for passage, other, offset in db.all(
            f"""SELECT p.id, q.id, q.ordinal - p.ordinal FROM passages p JOIN passages q
            ON q.note_id = p.note_id AND q.ordinal BETWEEN p.ordinal - ?1 AND p.ordinal + ?1 AND q.id <> p.id
            WHERE p.id IN {_LIST.replace("?", "?2")} ORDER BY p.id, q.ordinal""",
            (reach, listed(ids)),
        )
    ]


def passage_arrays(db: Db, notes: Collection[int] | None = None) -> PassageArrays:
    """Where every passage stands, or those of some notes, ordered by note and ordinal."""
    import numpy as np

    some = "" if notes is None else "WHERE note_id IN (SELECT value FROM json_each(?))"
    rows = db.all(
        f"SELECT id, note_id, ordinal, vec_key FROM passages {some} ORDER BY note_id, ordinal, id",
        () if notes is None else (listed(notes),),
    )
    return PassageArrays(
        np.array([r[0] for r in rows], dtype=np.int64),
        np.array([r[1] for r in rows], dtype=np.int64),
        np.array([r[2] for r in rows], dtype=np.int32),
        np.array([r[3] for r in rows], dtype=np.int64),
    )
