"""Filters of a recall or a search as SQL."""

from __future__ import annotations

from typing import Any

from genesys.model import Filters
from genesys.store.db import Db, listed
from genesys.store.keys import alias_key, target_key
from genesys.store.lookup import note_rows
from genesys.store.rows import NoteRow

__all__ = ["list_notes", "matching"]

_LIST = "(SELECT value FROM json_each(?))"
_ACTIVE = "max(n.changed_at, coalesce(n.last_recalled, n.changed_at))"


def matching(db: Db, filters: Filters) -> set[int] | None:
    """Ids of the notes that pass; None where the filters let every note pass."""
    if filters == Filters():
        return None
    where, args = _where(db, filters)
    return {i for (i,) in db.all(f"SELECT n.id FROM notes n JOIN files f ON f.id = n.id WHERE {where}", args)}


def list_notes(db: Db, filters: Filters, limit: int, offset: int = 0) -> list[NoteRow]:
    """Notes that pass, those last edited or recalled first."""
    where, args = _where(db, filters)
    rows = db.all(
        f"""SELECT n.id FROM notes n JOIN files f ON f.id = n.id WHERE {where}
        ORDER BY {_ACTIVE} DESC, f.path LIMIT ? OFFSET ?""",
        (*args, limit, offset),
    )
    ids = [i for (i,) in rows]
    found = note_rows(db, ids)
    return [found[i] for i in ids]


def _where(db: Db, filters: Filters) -> tuple[str, list[Any]]:
    """A condition over ``notes n`` and ``files f``. ``since`` is about creation."""
    parts: list[str] = ["n.opted_out = 0"]
    args: list[Any] = []

    def add(sql: str, *values: Any) -> None:
        parts.append(sql)
        args.extend(values)

    if filters.statuses:
        add(f"n.status IN {_LIST}", listed(s.value for s in filters.statuses))
    if filters.kinds:
        add(f"n.kind IN {_LIST}", listed(k.value for k in filters.kinds))
    if filters.category:
        add("n.category = ? COLLATE NOCASE", filters.category)
    if filters.tag:
        key = filters.tag.lstrip("#").casefold().rstrip("/")
        nested = "(t.key = ? OR (t.key >= ? || '/' AND t.key < ? || '0'))"
        add(f"n.id IN (SELECT t.note_id FROM tags t WHERE {nested})", key, key, key)
    if folder := filters.folder.strip("/"):
        add("f.path >= ? || '/' AND f.path < ? || '0'", folder, folder)
    if filters.since is not None:
        add("n.created_at >= ?", filters.since)
    if filters.active_since is not None:
        add(f"{_ACTIVE} >= ?", filters.active_since)
    if filters.entity:
        add(f"n.id IN {_LIST}", listed(_naming(db, filters.entity)))
    return " AND ".join(parts), args


def _naming(db: Db, entity: str) -> set[int]:
    """Notes that link to a name, whether it has a note or not, or have it as a person or an alias."""
    wanted = alias_key(entity)
    linking = db.all(
        """SELECT l.source_id, l.target FROM links l WHERE l.target_key = ?1
        UNION SELECT l.source_id, ?2 FROM links l JOIN aliases a ON a.note_id = l.target_id
        WHERE a.key = ?3""",
        (target_key(entity), entity, wanted),
    )
    people = db.all(
        """SELECT n.id, p.value FROM notes n, json_each(n.people) p WHERE n.people <> '[]'
        UNION SELECT note_id, alias FROM aliases WHERE key = ?
        UNION SELECT id, title FROM notes""",
        (wanted,),
    )
    found = {note for note, target in linking if "/" not in entity or alias_key(target).endswith(wanted)}
    return found | {note for note, name in people if alias_key(str(name)) == wanted}
