"""The vault as a graph for programs: JSON in a stable shape, and GraphML."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from genesys.model import WRITTEN, CreatedBy, Edge, EdgeType, FileType, Json, Link, Relation
from genesys.parse.exchange.own import xml_text
from genesys.parse.graphshape import edge_rows, note_json
from genesys.store.index import Index
from genesys.store.rows import GraphLink

__all__ = ["as_graphml", "as_json"]


def as_json(index: Index, *, inferred: bool) -> dict[str, Json]:
    """What is written in the notes, link by link; with ``inferred`` also the edges nobody wrote.

    A link that only an alias resolves is unresolved here, as it is in Obsidian, and an inferred edge.
    """
    notes, links = index.written_graph()
    edges: list[Json] = []
    seen: set[tuple[object, ...]] = set()
    for link in links:
        target = None if link.via_alias else link.target_path
        for edge in edge_rows(_as_link(link), link.source, target):
            if link.via_alias:
                edge["via_alias"] = link.target_path
            key = tuple(sorted((k, str(v)) for k, v in edge.items()))
            if key not in seen:
                seen.add(key)
                edges.append(edge)
    if inferred:
        edges += [_inferred(e) for e in index.all_edges() if e.created_by not in WRITTEN]
        edges += [e | {"target": e["via_alias"], "kind": "inferred"} for e in _through_alias(edges)]
    listed = [n for n in notes if n.type is FileType.NOTE]
    return {"notes": [note_json(n.path, n.title, n.aliases, n.tags) for n in listed], "edges": edges}


def _through_alias(edges: Sequence[Json]) -> list[dict[str, Json]]:
    """The rows that only an alias resolves, without the text that leads nowhere in Obsidian."""
    rows = [e for e in edges if isinstance(e, dict) and "via_alias" in e]
    return [{k: v for k, v in e.items() if k != "unresolved"} for e in rows]


def _as_link(row: GraphLink) -> Link:
    relations = tuple(
        Relation(EdgeType(t), forward, weight, CreatedBy(by)) for t, forward, weight, by in row.edges
    )
    return Link(row.kind, row.target, row.subpath, row.key, row.line, row.sentence, relations)


def _inferred(edge: Edge) -> dict[str, Json]:
    return {
        "source": edge.source,
        "target": edge.target,
        "kind": "inferred",
        "type": edge.type.value,
        "created_by": edge.created_by.value,
        "weight": round(edge.weight, 4),
        "evidence": edge.evidence,
    }


def as_graphml(index: Index, *, inferred: bool) -> bytes:
    """Nodes are notes, edges are typed edges with weight, author and evidence."""
    root = ET.Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    for key, scope, kind in (
        ("title", "node", "string"),
        ("tags", "node", "string"),
        ("type", "edge", "string"),
        ("weight", "edge", "double"),
        ("created_by", "edge", "string"),
        ("evidence", "edge", "string"),
    ):
        ET.SubElement(root, "key", {"id": key, "for": scope, "attr.name": key, "attr.type": kind})
    graph = ET.SubElement(root, "graph", edgedefault="directed")
    notes = [n for n in index.written_graph()[0] if n.type is FileType.NOTE]
    for note in notes:
        node = ET.SubElement(graph, "node", id=xml_text(note.path))
        _data(node, title=note.title, tags=", ".join(note.tags))
    paths = {n.path for n in notes}
    for edge in index.all_edges(include_inferred=inferred):
        if edge.source not in paths or edge.target not in paths:
            continue
        element = ET.SubElement(graph, "edge", source=xml_text(edge.source), target=xml_text(edge.target))
        _data(
            element,
            type=edge.type.value,
            weight=repr(round(edge.weight, 4)),
            created_by=edge.created_by.value,
            evidence=edge.evidence,
        )
    out = io.BytesIO()
    ET.ElementTree(root).write(out, encoding="utf-8", xml_declaration=True)
    return out.getvalue() + b"\n"


def _data(parent: ET.Element, **values: str) -> None:
    for key, value in values.items():
        ET.SubElement(parent, "data", key=key).text = xml_text(value)
