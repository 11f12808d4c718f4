"""The vault as a graph for programs: JSON in a stable shape, and GraphML."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from genesys.model import Edge, Json
from genesys.parse.graphshape import edge_rows, note_json
from genesys.store.index import Index

__all__ = ["as_graphml", "as_json"]


def as_json(index: Index, *, inferred: bool) -> dict[str, Json]:
    """What is written in the notes, link by link; with ``inferred`` also the edges nobody wrote.

    A link that only an alias resolves is unresolved here, as it is in Obsidian, and an inferred edge.
    """
    written = index.written_graph()
    notes = [note_json(n.path, n.title, n.aliases, n.tags) for n in written.notes]
    edges: list[Json] = []
    seen: set[tuple[object, ...]] = set()
    for row in written.links:
        for shaped in edge_rows(row.link):
            end = {"target": row.target} if row.target and not row.via_alias else {"unresolved": row.link.target}
            edge = {"source": row.source, **end, **shaped}
            key = tuple(sorted((k, str(v)) for k, v in edge.items() if k != "line"))
            if key not in seen:
                seen.add(key)
                edges.append(edge)
    if inferred:
        edges += [_inferred(e) for e in index.all_edges(inferred=True, written=False)]
    return {"notes": list(notes), "edges": edges}


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
    for note in index.written_graph().notes:
        node = ET.SubElement(graph, "node", id=_xml(note.path))
        _data(node, title=note.title, tags=", ".join(note.tags))
    for edge in _graph_edges(index, inferred):
        element = ET.SubElement(graph, "edge", source=_xml(edge.source), target=_xml(edge.target))
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


def _graph_edges(index: Index, inferred: bool) -> Iterator[Edge]:
    notes = {n.path for n in index.written_graph().notes}
    for edge in index.all_edges(inferred=inferred, written=True):
        if edge.source in notes and edge.target in notes:
            yield edge


def _data(parent: ET.Element, **values: str) -> None:
    for key, value in values.items():
        ET.SubElement(parent, "data", key=key).text = _xml(value)


def _xml(text: str) -> str:
    """XML 1.0 has no control characters but tab and line ends."""
    return "".join(c if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff") else "�" for c in text)
