"""Where links lead: kept in the database what must be looked at again, so a kill loses nothing.

A link is stale when its own text or its source's folder changed; a key is dirty when a name of that
bucket came, went or moved. Both are written in the transaction of the change itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from genesys.store import encode, meta
from genesys.store.db import Db, Row, listed
from genesys.store.keys import alias_key
from genesys.store.rows import ResolveReport

__all__ = ["Resolver", "resolve"]

Resolver = Callable[[str, str, Sequence[str], Sequence[str]], tuple[str | None, bool]]
"""``(target, source, candidates, alias_owners) -> (path or None, via_alias)``.

``candidates`` are the paths whose name shares the target's key, ``alias_owners`` the notes that have the
target as an alias; both sorted."""

CHUNK = 4_000  # links in one transaction
BULK = 1_500  # stale links from which on the whole name table is read at once
ALIAS_SHARE = 0.5  # an edge through an alias weighs half: Obsidian itself would not follow the link


class _Names(Protocol):
    """The name table as the resolver needs it."""

    def candidates(self, key: str) -> Sequence[str]: ...

    def owners(self, alias: str) -> Sequence[str]: ...

    def find(self, path: str) -> tuple[int, bool] | None:
        """(file id, is a note)."""


def resolve(db: Db, resolver: Resolver) -> ResolveReport:
    """Resolve what is stale or dirty, and rebuild the edges of those links.

    Works in chunks, each a transaction; a run that is killed continues where it stopped, and a second
    run finds nothing to do.
    """
    _spread_dirt(db)
    total: int = db.value("SELECT count(*) FROM links WHERE stale = 1")
    table: _Names | None = _WholeTable(db) if total >= BULK else None
    checked = changed = 0
    while rows := _stale(db, CHUNK):
        names = table or _PartTable(db, rows)
        changed += _resolve_chunk(db, rows, names, resolver)
        checked += len(rows)
    return ResolveReport(checked, changed)


def _spread_dirt(db: Db) -> None:
    if not db.value("SELECT EXISTS(SELECT 1 FROM dirty_keys)"):
        return
    with db.transaction():
        db.run("UPDATE links SET stale = 1 WHERE stale = 0 AND target_key IN (SELECT key FROM dirty_keys)")
        db.run("DELETE FROM dirty_keys")


def _stale(db: Db, limit: int) -> list[Row]:
    return db.all(
        """SELECT l.id, l.source_id, f.path, f.type <> 'attachment', l.target, l.target_key, l.relations,
          l.target_id, l.via_alias
        FROM links l JOIN files f ON f.id = l.source_id
        WHERE l.stale = 1 ORDER BY l.id LIMIT ?""",
        (limit,),
    )


def _resolve_chunk(db: Db, rows: Sequence[Row], names: _Names, resolver: Resolver) -> int:
    links: list[Row] = []
    edges: list[Row] = []
    changed = 0
    relinked: set[int] = set()
    known: dict[tuple[str, str], tuple[str | None, bool]] = {}
    for link_id, source_id, source, linking, target, key, relations, old_id, old_via in rows:
        place = (source[: source.rfind("/") + 1], target) if target.strip() else (source, "")
        if place not in known:  # of a source only its folder counts
            known[place] = _look_up(target, key, source, names, resolver)
        path, via = known[place]
        found = names.find(path) if path is not None else None
        target_id = found[0] if found else None
        if (target_id, int(via)) != (old_id, old_via):
            changed += 1
            relinked.add(source_id)
        links.append((target_id, int(via and found is not None), link_id))
        if found and found[1] and linking and target_id != source_id:
            edges.extend(_edges(link_id, source_id, found[0], via, relations))
    with db.transaction():
        meta.bump(db, meta.EDGES_VERSION)
        if relinked:  # what a link leads to is no mention, and what it no longer leads to may be one
            marked = "note_id IN (SELECT value FROM json_each(?))"
            db.run(f"DELETE FROM mention_marks WHERE {marked}", (listed(relinked),))
        db.many("UPDATE links SET target_id = ?, via_alias = ?, stale = 0 WHERE id = ?", links)
        # a link that led nowhere has no edges
        db.many("DELETE FROM edges WHERE link_id = ?", [(row[0],) for row in rows if row[7] is not None])
        columns = "source_id, target_id, type, weight, created_by, link_id"
        db.many(f"INSERT INTO edges({columns}) VALUES(?, ?, ?, ?, ?, ?)", edges)
    return changed


def _look_up(
    target: str, key: str, source: str, names: _Names, resolver: Resolver
) -> tuple[str | None, bool]:
    if not target:
        return source, False  # [[#heading]] means the note itself
    return resolver(target, source, names.candidates(key), names.owners(target))


def _edges(link_id: int, source_id: int, target_id: int, via: bool, relations: str) -> Iterable[Row]:
    share = ALIAS_SHARE if via else 1.0
    for relation in encode.load_relations(relations):
        ends = (source_id, target_id) if relation.forward else (target_id, source_id)
        yield (*ends, relation.type.value, relation.weight * share, relation.created_by.value, link_id)


class _WholeTable:
    """Every name in memory, for a first index."""

    def __init__(self, db: Db) -> None:
        self._files: dict[str, tuple[int, bool]] = {}
        self._keys: dict[str, list[str]] = {}
        self._aliases: dict[str, list[str]] = {}
        for file_id, path, key, note in db.all(
            "SELECT id, path, name_key, type = 'note' FROM files ORDER BY path"
        ):
            self._files[path] = (file_id, bool(note))
            self._keys.setdefault(key, []).append(path)
        for key, path in db.all(
            "SELECT DISTINCT a.key, f.path FROM aliases a JOIN files f ON f.id = a.note_id ORDER BY f.path"
        ):
            self._aliases.setdefault(key, []).append(path)

    def candidates(self, key: str) -> Sequence[str]:
        return self._keys.get(key, ())

    def owners(self, alias: str) -> Sequence[str]:
        return self._aliases.get(alias_key(alias), ()) if self._aliases else ()

    def find(self, path: str) -> tuple[int, bool] | None:
        return self._files.get(path)


class _PartTable(_WholeTable):
    """Only the names that some links ask for."""

    def __init__(self, db: Db, rows: Sequence[Row]) -> None:
        self._files = {}
        self._keys = {}
        self._aliases = {}
        keys = listed({row[5] for row in rows})
        for file_id, path, key, note in db.all(
            """SELECT id, path, name_key, type = 'note' FROM files
            WHERE name_key IN (SELECT value FROM json_each(?)) ORDER BY path""",
            (keys,),
        ):
            self._files[path] = (file_id, bool(note))
            self._keys.setdefault(key, []).append(path)
        for key, path, file_id in db.all(
            """SELECT DISTINCT a.key, f.path, f.id FROM aliases a JOIN files f ON f.id = a.note_id
            WHERE a.key IN (SELECT value FROM json_each(?)) ORDER BY f.path""",
            (listed({alias_key(row[4]) for row in rows}),),
        ):
            self._aliases.setdefault(key, []).append(path)
            self._files[path] = (file_id, True)
        for row in rows:
            self._files.setdefault(row[2], (row[1], True))
