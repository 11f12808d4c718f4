"""The written graph as ``genesys graph --format json`` shows it: one row per note and per kind of edge."""

from __future__ import annotations

from collections.abc import Sequence

from genesys.model import EdgeType, Json, Link, LinkKind
from genesys.parse.edges import normal_key

__all__ = ["edge_rows", "note_json"]

_TYPES = frozenset(t.value for t in EdgeType)
_KINDS = {
    LinkKind.LINK: "link",
    LinkKind.EMBED: "embed",
    LinkKind.PROPERTY: "frontmatter",
    LinkKind.FIELD: "link",
}


def note_json(path: str, title: str, aliases: Sequence[str], tags: Sequence[str]) -> dict[str, Json]:
    """Return a note's row; ``tags`` are without ``#``."""
    return {"path": path, "title": title, "aliases": list(aliases), "tags": list(tags)}


def edge_rows(link: Link, source: str = "", target: str | None = None) -> list[dict[str, Json]]:
    """Return the rows of one link: the plain one as it is written, and the typed one it makes.

    ``target`` is the path it resolves to by Obsidian's rules (not through an alias), None for nothing. A
    field is a link and a typed edge; a property is a ``frontmatter`` edge, typed as well where its name is
    one of the seven types. ``type`` of a typed row is the name as written, normalised; ``edge_type`` and
    ``forward`` are what Genesys takes it for.
    """
    row: dict[str, Json] = {"source": source, "kind": _KINDS[link.kind]}
    if target is None:
        row["unresolved"] = link.target.removeprefix("/") if _is_canvas(source) else link.target
    else:
        row["target"] = target
    if link.subpath:
        row["subpath"] = link.subpath
    if link.key:
        row["key"] = link.key
    rows = [row]
    written = normal_key(link.key)
    if link.kind is LinkKind.FIELD or (link.kind is LinkKind.PROPERTY and written in _TYPES):
        rows.append(row | {"kind": "typed", "type": written})
    for made in rows:
        if link.relations:
            made["edge_type"] = link.relations[0].type.value
            made["forward"] = link.relations[0].forward
    return rows


def _is_canvas(source: str) -> bool:
    return source.lower().endswith(".canvas")
