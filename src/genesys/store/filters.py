"""Filters of a recall or a search as SQL."""

from __future__ import annotations

from typing import Any

from genesys.model import Filters
from genesys.store.db import Db, listed
from genesys.store.keys import alias_key, level, target_key
from genesys.store.lookup import note_rows
from genesys.store.rows import NoteRow

__all__ = ["list_notes", "matching", "unmet"]

_LIST = "(SELECT value FROM json_each(?))"
_BELOW = "(f.path >= ? || '/' AND f.path < ? || '0')"
_TAGGED = "(t.key = ? OR (t.key >= ? || '/' AND t.key < ? || '0'))"
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


def unmet(db: Db, filters: Filters) -> tuple[str, ...]:
    """A line for a folder or a tag that no note has, with the nearest that some note has."""
    lines = []
    folder, tag = filters.folder.strip("/"), filters.tag.lstrip("#").rstrip("/")
    if folder and not _spelled(db, folder):
        lines.append(f"no note lies in a folder {folder!r}" + _nearest(folder, sorted(_folders(db))))
    if tag and not db.value(f"SELECT EXISTS(SELECT 1 FROM tags t WHERE {_TAGGED})", (tag.casefold(),) * 3):
        known = [name for (name,) in db.all("SELECT tag FROM tags GROUP BY key ORDER BY count(*) DESC")]
        lines.append(f"no note has the tag {tag!r}" + _nearest(tag, known))
    return tuple(lines)


def _nearest(wanted: str, known: list[str]) -> str:
    """The known name that begins with, holds or resembles the wanted one; of a path its end counts too."""
    import difflib  # on use: every command loads this module

    key = level(wanted)
    names = {level(name): name for name in known}
    names |= {level(name).rpartition("/")[2]: name for name in reversed(known)} | names
    near = [n for n in names if n.startswith(key)] or [n for n in names if key in n]
    near = near or difflib.get_close_matches(key, list(names), 1, 0.6)
    return f": did you mean {names[near[0]]!r}?" if near else ""


def _spelled(db: Db, folder: str) -> list[str]:
    """The vault's folders of this name: the one that is spelled so, else those in another case."""
    name = folder.strip("/")
    if db.value(f"SELECT EXISTS(SELECT 1 FROM files f WHERE type = 'note' AND {_BELOW})", (name, name)):
        return [name]
    wanted = level(name)
    return sorted(f for f in _folders(db) if level(f) == wanted)


def _folders(db: Db) -> set[str]:
    """Every folder with a note in it or below it."""
    found: set[str] = set()
    for (path,) in db.all("SELECT path FROM files WHERE type = 'note'"):
        parent = path.rpartition("/")[0]
        while parent and parent not in found:
            found.add(parent)
            parent = parent.rpartition("/")[0]
    return found


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
        add(f"n.id IN (SELECT t.note_id FROM tags t WHERE {_TAGGED})", key, key, key)
    if filters.folder.strip("/"):
        folders = _spelled(db, filters.folder)
        below = " OR ".join([_BELOW] * len(folders)) or "0"
        add(f"({below})", *(name for name in folders for _ in range(2)))
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
