"""Edges: reading them, and writing those that no link of a note says."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from genesys.model import WRITTEN, CreatedBy, Edge, EdgeType, FileType, LinkKind, Status
from genesys.store import encode, meta
from genesys.store.db import Db, Row, listed
from genesys.store.rows import EdgeArrays, GraphLink, GraphNote, LinkRow

if TYPE_CHECKING:
    from typing import Literal

__all__ = [
    "CREATORS",
    "EDGE_TYPES",
    "add_edges",
    "edge_arrays",
    "edges_among",
    "edges_of",
    "links_from",
    "links_to",
    "remove_edges",
    "replace_inferred",
    "replace_mentions",
    "written_graph",
]

EDGE_TYPES: tuple[EdgeType, ...] = tuple(EdgeType)
CREATORS: tuple[CreatedBy, ...] = tuple(CreatedBy)

# One row for each source, target and type; the bare columns are those of the strongest edge (SQLite
# promises that for a lone max()). The sentence of a link is its edge's evidence.
_EDGES = """
SELECT s.path, t.path, e.type, max(e.weight), e.created_by,
  CASE WHEN e.evidence <> '' THEN e.evidence ELSE coalesce(l.sentence, '') END
FROM edges e JOIN files s ON s.id = e.source_id JOIN files t ON t.id = e.target_id
LEFT JOIN links l ON l.id = e.link_id
WHERE {where} GROUP BY e.source_id, e.target_id, e.type ORDER BY s.path, t.path, e.type
"""
_LIST = "(SELECT value FROM json_each(?))"


def _edge(row: Row) -> Edge:
    source, target, kind, weight, created_by, evidence = row
    return Edge(source, target, EdgeType(kind), weight, CreatedBy(created_by), evidence)


def _types(types: Collection[EdgeType] | None) -> str:
    return listed(t.value for t in (EDGE_TYPES if types is None else types))


def linked(db: Db, ids: Collection[int], without: CreatedBy) -> dict[int, set[int]]:
    """Which files each of these leads to by an edge that somebody else than this creator made."""
    found: dict[int, set[int]] = {}
    sql = f"SELECT DISTINCT source_id, target_id FROM edges WHERE source_id IN {_LIST} AND created_by <> ?"
    for source, target in db.all(sql, (listed(ids), without.value)):
        found.setdefault(source, set()).add(target)
    return found


def edges_of(
    db: Db,
    note_ids: Collection[int],
    types: Collection[EdgeType] | None = None,
    direction: Literal["out", "in", "both"] = "both",
) -> list[Edge]:
    """Edges that leave (``out``) or reach (``in``) any of the notes."""
    ids, kinds = listed(note_ids), _types(types)
    found: dict[tuple[str, str, str], Edge] = {}
    ends = {"out": ("source_id",), "in": ("target_id",), "both": ("source_id", "target_id")}[direction]
    for end in ends:
        where = f"e.{end} IN {_LIST} AND e.type IN {_LIST}"
        for row in db.all(_EDGES.format(where=where), (ids, kinds)):
            found[row[0], row[1], row[2]] = _edge(row)
    return [found[key] for key in sorted(found)]


def edges_among(db: Db, note_ids: Collection[int], types: Collection[EdgeType] | None = None) -> list[Edge]:
    """Edges with both ends in the set: the induced subgraph."""
    ids = listed(note_ids)
    where = f"e.source_id IN {_LIST} AND e.target_id IN {_LIST} AND e.type IN {_LIST}"
    return [_edge(row) for row in db.all(_EDGES.format(where=where), (ids, ids, _types(types)))]


def all_edges(db: Db, include_inferred: bool = True) -> list[Edge]:
    """Every edge, or only those that a person or a tool wrote into a note."""
    if include_inferred:
        return [_edge(row) for row in db.all(_EDGES.format(where="1"))]
    makers = listed(c.value for c in WRITTEN)
    return [_edge(row) for row in db.all(_EDGES.format(where=f"e.created_by IN {_LIST}"), (makers,))]


def edge_arrays(db: Db, sources: Collection[int] | None = None) -> EdgeArrays:
    """Every edge in columns, or those from some notes, ordered by source; for vectorised scoring."""
    import numpy as np

    types = {t.value: i for i, t in enumerate(EDGE_TYPES)}
    makers = {c.value: i for i, c in enumerate(CREATORS)}
    some = "" if sources is None else f"WHERE source_id IN {_LIST}"
    rows = db.all(
        f"""SELECT source_id, target_id, type, max(weight), created_by FROM edges {some}
        GROUP BY source_id, target_id, type ORDER BY source_id, target_id, type""",
        () if sources is None else (listed(sources),),
    )
    return EdgeArrays(
        np.array([r[0] for r in rows], dtype=np.int64),
        np.array([r[1] for r in rows], dtype=np.int64),
        np.array([types[r[2]] for r in rows], dtype=np.int8),
        np.array([r[3] for r in rows], dtype=np.float64),
        np.array([makers[r[4]] for r in rows], dtype=np.int8),
    )


# ------------------------------------------------------------------ inferred edges


def _as_rows(db: Db, edges: Iterable[Edge]) -> list[Row]:
    """Edges with ids; those with an unknown end or with both ends the same are left out."""
    edges = list(edges)
    paths = {e.source for e in edges} | {e.target for e in edges}
    sql = f"SELECT path, id FROM files WHERE type <> 'attachment' AND path IN {_LIST}"
    ids: dict[str, int] = dict(db.all(sql, (listed(paths),)))
    return [
        (ids[e.source], ids[e.target], e.type.value, e.weight, e.created_by.value, e.evidence)
        for e in edges
        if e.source in ids and e.target in ids and e.source != e.target
    ]


_COLUMNS = "source_id, target_id, type, weight, created_by, evidence"
_INSERT = f"INSERT INTO edges({_COLUMNS}) VALUES(?, ?, ?, ?, ?, ?)"


def add_edges(db: Db, edges: Iterable[Edge]) -> int:
    """Add edges that no link says; one that stands already (same ends, type and creator) is replaced."""
    with db.transaction():
        rows = _as_rows(db, edges)
        db.many(
            """DELETE FROM edges WHERE link_id IS NULL AND source_id = ? AND target_id = ? AND type = ?
            AND created_by = ?""",
            [(r[0], r[1], r[2], r[4]) for r in rows],
        )
        db.many(_INSERT, rows)
        meta.bump(db, meta.EDGES_VERSION)
    return len(rows)


def remove_edges(db: Db, edges: Iterable[Edge]) -> None:
    """Remove edges that no link says, by their ends, type and creator."""
    with db.transaction():
        db.many(
            """DELETE FROM edges WHERE link_id IS NULL AND source_id = ? AND target_id = ? AND type = ?
            AND created_by = ?""",
            [(r[0], r[1], r[2], r[4]) for r in _as_rows(db, edges)],
        )
        meta.bump(db, meta.EDGES_VERSION)


def replace_inferred(
    db: Db, created_by: CreatedBy, edges: Iterable[Edge], sources: Collection[int] | None = None
) -> tuple[int, int]:
    """Make ``edges`` the only ones of this creator, all over the vault or only from ``sources`` (note ids).

    Only the difference is written. Returns (added, removed).
    """
    with db.transaction():
        wanted = _as_rows(db, (e for e in edges if e.created_by is created_by))
        return _replaced(db, created_by, set(wanted), sources)


def replace_mentions(
    db: Db, found: Mapping[int, Mapping[int, float]], sources: Collection[int]
) -> tuple[int, int]:
    """Make these the only edges of mention from ``sources``: by note id, whom it names with what weight.

    Only the difference is written. Returns (added, removed).
    """
    kind, maker = EdgeType.RELATED_TO.value, CreatedBy.MENTION
    with db.transaction():
        wanted = {
            (note, named, kind, weight, maker.value, "")
            for note, names in found.items()
            for named, weight in names.items()
        }
        return _replaced(db, maker, wanted, sources)


def _replaced(
    db: Db, created_by: CreatedBy, wanted: set[Row], sources: Collection[int] | None
) -> tuple[int, int]:
    sql = """SELECT id, source_id, target_id, type, weight, created_by, evidence FROM edges
        WHERE created_by = ? AND link_id IS NULL"""
    args: tuple[str, ...] = (created_by.value,)
    if sources is not None:
        sql, args = f"{sql} AND source_id IN {_LIST}", (*args, listed(sources))
    old = {row[1:]: row[0] for row in db.all(sql, args)}
    gone = [(old[row],) for row in old.keys() - wanted]
    new = sorted(wanted - old.keys())
    db.many("DELETE FROM edges WHERE id = ?", gone)
    db.many(_INSERT, new)
    if gone or new:
        meta.bump(db, meta.EDGES_VERSION)
    return len(new), len(gone)


# ------------------------------------------------------------------ links as written


_LINKS = """
SELECT l.id, s.path, l.kind, l.target, l.subpath, l.key, l.line, l.sentence, t.path, l.via_alias
FROM links l JOIN files s ON s.id = l.source_id LEFT JOIN files t ON t.id = l.target_id
"""


def _link(row: Row) -> LinkRow:
    link_id, source, kind, target, subpath, key, line, sentence, path, via = row
    return LinkRow(link_id, source, LinkKind(kind), target, subpath, key, line, sentence, path, bool(via))


def links_from(db: Db, file_id: int) -> list[LinkRow]:
    return [_link(row) for row in db.all(_LINKS + "WHERE l.source_id = ? ORDER BY l.id", (file_id,))]


def links_to(db: Db, file_id: int) -> list[LinkRow]:
    """Links that lead to a file, attachments included."""
    return [_link(row) for row in db.all(_LINKS + "WHERE l.target_id = ? ORDER BY s.path, l.id", (file_id,))]


def unresolved(db: Db, limit: int = 1_000) -> list[LinkRow]:
    """Links that lead nowhere."""
    sql = _LINKS + "WHERE l.target_id IS NULL AND l.stale = 0 ORDER BY s.path, l.id LIMIT ?"
    return [_link(row) for row in db.all(sql, (limit,))]


def written_graph(db: Db) -> tuple[list[GraphNote], list[GraphLink]]:
    """Notes and canvases, and every link they hold, for an export of the graph; opted-out notes aside."""
    with db.snapshot():
        aliases = _grouped(db.all("SELECT note_id, alias FROM aliases ORDER BY rowid"))
        tags = _grouped(db.all("SELECT note_id, tag FROM tags ORDER BY note_id, tag"))
        files = db.all(
            """SELECT f.id, f.path, f.type, n.title, n.status FROM files f LEFT JOIN notes n ON n.id = f.id
            WHERE f.type <> 'attachment' AND coalesce(n.opted_out, 0) = 0 ORDER BY f.path"""
        )
        links = db.all(
            """SELECT s.path, l.target, t.path, l.kind, l.subpath, l.key, l.line, l.sentence, l.via_alias,
              l.relations
            FROM links l JOIN files s ON s.id = l.source_id LEFT JOIN files t ON t.id = l.target_id
            ORDER BY s.path, l.id"""
        )
    notes = [
        GraphNote(
            path,
            FileType(kind),
            title or path.rpartition("/")[2],
            Status(status) if status else None,
            tuple(aliases.get(file_id, ())),
            tuple(tags.get(file_id, ())),
        )
        for file_id, path, kind, title, status in files
    ]
    return notes, [_graph_link(row) for row in links]


def _graph_link(row: Sequence[object]) -> GraphLink:
    source, target, path, kind, subpath, key, line, sentence, via, relations = row
    share = 0.5 if via else 1.0
    edges = tuple(
        (r.type.value, r.forward, r.weight * share, r.created_by.value)
        for r in encode.load_relations(str(relations))
    )
    return GraphLink(
        str(source),
        str(target),
        None if path is None else str(path),
        LinkKind(str(kind)),
        str(subpath),
        str(key),
        int(str(line)),
        str(sentence),
        bool(via),
        edges,
    )


def _grouped(rows: Iterable[Row]) -> dict[int, list[str]]:
    groups: dict[int, list[str]] = {}
    for key, value in rows:
        groups.setdefault(key, []).append(value)
    return groups
