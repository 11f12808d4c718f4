"""Our own formats: a note with everything about it as JSON, JSON Lines, GraphML, or a file and a manifest.

JSON: ``{"genesys_export": 1, "count": n, "notes": [note, …]}``. JSON Lines: the same head without
``notes`` on the first line, then a note a line. GraphML: nodes and edges as graph programs read them, and
each note whole, as JSON, in the key ``note``. A folder: each note as its file, and a manifest in JSON Lines
whose notes have no ``text``. Pure.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields, replace
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from genesys.model import AccessKind, CreatedBy, Edge, EdgeType, Factors, Json, Kind, Status
from genesys.parcels import NoteState, Parcel
from genesys.parse.exchange.values import broken, json_lines, load_json, text_of, typed

__all__ = [
    "MANIFEST",
    "VERSION",
    "graphml_parts",
    "head",
    "json_parts",
    "jsonl_parts",
    "note_json",
    "read_graphml",
    "read_json",
    "read_jsonl",
    "read_manifest",
    "xml_text",
]

VERSION = 1
MANIFEST = "genesys-export.jsonl"
_HEAD = "genesys_export"
_XMLNS = "http://graphml.graphdrawing.org/xmlns"


def head(count: int) -> dict[str, Json]:
    """What an export begins with; ``count`` tells a whole file from one that was cut short."""
    return {_HEAD: VERSION, "count": count}


def note_json(parcel: Parcel, *, text: bool = True) -> dict[str, Json]:
    """A note as JSON. Text that is not UTF-8 is in ``base64`` instead."""
    row: dict[str, Json] = {"path": parcel.path}
    if text:
        try:
            row["text"] = parcel.raw.decode("utf-8")
        except UnicodeDecodeError:
            row["base64"] = base64.b64encode(parcel.raw).decode("ascii")
    state = parcel.state
    row |= {
        "title": parcel.title,
        "tags": list(parcel.tags),
        "properties": dict(parcel.properties),
        "mtime_ns": parcel.mtime_ns,
    }
    row |= {f.name: getattr(state, f.name) for f in fields(state) if f.name not in ("factors", "accesses")}
    row["factors"] = asdict(state.factors) if state.factors else None
    row["accesses"] = [[time, kind.value, weight] for time, kind, weight in state.accesses]
    row["edges"] = [
        {
            "target": e.target,
            "type": e.type.value,
            "weight": e.weight,
            "created_by": e.created_by.value,
            "evidence": e.evidence,
        }
        for e in parcel.edges
    ]
    return row


def _dump(value: object, *, ascii_only: bool = False) -> str:
    return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)


def json_parts(parcels: Iterable[Parcel], count: int) -> Iterator[str]:
    """One JSON document, in parts; a note a line."""
    yield _dump(head(count))[:-1] + ', "notes": ['
    for number, parcel in enumerate(parcels):
        yield (",\n" if number else "\n") + _dump(note_json(parcel))
    yield "\n]}\n"


def jsonl_parts(parcels: Iterable[Parcel], count: int, *, text: bool = True) -> Iterator[str]:
    yield _dump(head(count)) + "\n"
    for parcel in parcels:
        yield _dump(note_json(parcel, text=text)) + "\n"


_KEYS = (
    ("title", "node", "string"),
    ("kind", "node", "string"),
    ("status", "node", "string"),
    ("score", "node", "double"),
    ("tags", "node", "string"),
    ("note", "node", "string"),
    ("count", "graph", "int"),
    ("type", "edge", "string"),
    ("weight", "edge", "double"),
    ("created_by", "edge", "string"),
    ("evidence", "edge", "string"),
)


def graphml_parts(parcels: Iterable[Parcel], count: int) -> Iterator[str]:
    """GraphML in parts. Edges to notes that are not in the export are in ``note`` only: a graph program
    refuses an edge without both its ends."""
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{_XMLNS}">\n'
    for name, scope, kind in _KEYS:
        yield f'<key id="{name}" for="{scope}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield f'<graph edgedefault="directed">\n{_data("count", str(count))}\n'
    edges: list[tuple[Edge, ...]] = []
    paths = set()
    for parcel in parcels:
        paths.add(parcel.path)
        edges.append(parcel.edges)
        yield _node(parcel)
    for edge in (e for group in edges for e in group if e.target in paths):
        yield _edge(edge)
    yield "</graph>\n</graphml>\n"


def _node(parcel: Parcel) -> str:
    score = "" if parcel.state.score is None else _data("score", repr(parcel.state.score))
    return (
        f"<node id={quoteattr(xml_text(parcel.path))}>"
        + _data("title", parcel.title)
        + _data("kind", parcel.state.kind.value)
        + _data("status", parcel.state.status.value)
        + score
        + _data("tags", ", ".join(parcel.tags))
        + _data("note", _dump(note_json(parcel), ascii_only=True))
        + "</node>\n"
    )


def _edge(edge: Edge) -> str:
    return (
        f"<edge source={quoteattr(xml_text(edge.source))} target={quoteattr(xml_text(edge.target))}>"
        + _data("type", edge.type.value)
        + _data("weight", repr(edge.weight))
        + _data("created_by", edge.created_by.value)
        + _data("evidence", edge.evidence)
        + "</edge>\n"
    )


def _data(key: str, text: str) -> str:
    text = escape(xml_text(text), {"\r": "&#13;"})
    return f'<data key="{key}">{text}</data>'


def xml_text(text: str) -> str:
    """XML 1.0 has no control characters but tab and line ends."""
    return "".join(c if c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff" else
                   c if c in "\t\n\r" else "�" for c in text)  # fmt: skip


# ------------------------------------------------------------------ reading


def read_json(text: str, limit: int) -> tuple[Parcel, ...]:
    """Raises :class:`UsageError` with the place of what is wrong."""
    value = typed(load_json(text, "the file"), dict, "the file", "it")
    count = _count(value, "the file")
    rows = typed(value.get("notes"), list, "the file", "'notes'")
    _not_too_many(len(rows), limit)
    found = tuple(_parcel(typed(row, dict, f"note {n}", "it"), f"note {n}") for n, row in enumerate(rows, 1))
    return _whole(found, count)


def read_jsonl(lines: Iterable[str], limit: int) -> tuple[Parcel, ...]:
    rows = json_lines(lines, limit + 1)
    place, first = next(rows, ("the file", {}))
    count = _count(first, place)
    return _whole(tuple(_parcel(row, place) for place, row in rows), count)


def read_manifest(lines: Iterable[str], files: Mapping[str, bytes], limit: int) -> tuple[Parcel, ...]:
    """The notes of a manifest with their texts out of ``files``."""
    rows = json_lines(lines, limit + 1)
    place, first = next(rows, (MANIFEST, {}))
    count = _count(first, place)
    found = []
    for place, row in rows:
        path = text_of(row, "path", f"{MANIFEST}, {place}")
        if path not in files:
            raise broken(f"{MANIFEST}, {place}", f"there is no file {path!r} in the folder")
        found.append(replace(_parcel({**row, "text": ""}, f"{MANIFEST}, {place}"), raw=files[path]))
    return _whole(tuple(found), count)


def read_graphml(text: str, limit: int) -> tuple[Parcel, ...]:
    """The notes in a GraphML file that :func:`graphml_parts` wrote; entities and DTDs are refused."""
    import xml.etree.ElementTree as ET

    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise broken("the file", "GraphML has no need of a DTD, and this has one")
    try:
        root = ET.fromstring(text.encode("utf-8"))
    except (ET.ParseError, ValueError, RecursionError) as error:
        raise broken("the file", f"not XML ({error})") from None
    space = f"{{{_XMLNS}}}"
    graph = root.find(f"{space}graph")
    count = "" if graph is None else (graph.findtext(f"{space}data[@key='count']") or "")
    nodes = [] if graph is None else graph.findall(f"{space}node")
    _not_too_many(len(nodes), limit)
    found = []
    for number, node in enumerate(nodes, 1):
        note = node.findtext(f"{space}data[@key='note']")
        if note is None:
            raise broken(
                f"node {number}", "it has no 'note': only GraphML of `genesys export` holds whole notes"
            )
        place = f"node {number}"
        found.append(_parcel(typed(load_json(note, place), dict, place, "it"), place))
    if not count.isdigit():
        raise broken("the file", "it is no export of Genesys")
    return _whole(tuple(found), int(count))


def _not_too_many(count: int, limit: int) -> None:
    if count > limit:
        raise broken("the file", f"it holds {count:,} notes, more than {limit:,}; split it")


def _count(row: Mapping[str, Any], where: str) -> int:
    if _HEAD not in row:
        raise broken(where, "it is no export of Genesys")
    if typed(row[_HEAD], int, where, _HEAD) > VERSION:
        raise broken(where, "it was made by a newer version of Genesys")
    return typed(row.get("count"), int, where, "'count'")


def _whole(found: tuple[Parcel, ...], count: int) -> tuple[Parcel, ...]:
    if len(found) != count:
        raise broken("the file", f"it holds {len(found)} of {count} notes: it was cut short or changed")
    twice = {p.path for p in found}
    if len(twice) != len(found):
        raise broken("the file", "it names a path twice")
    return found


def _parcel(row: Mapping[str, Any], where: str) -> Parcel:
    path = text_of(row, "path", where)
    try:
        edges = tuple(
            Edge(
                path,
                text_of(e, "target", where),
                EdgeType(e["type"]),
                float(e["weight"]),
                CreatedBy(e["created_by"]),
                str(e.get("evidence", "")),
            )
            for e in row.get("edges", ())
        )
        return Parcel(
            path=path,
            raw=_raw(row, where),
            mtime_ns=int(row.get("mtime_ns", 0)),
            title=str(row.get("title", "")),
            tags=tuple(map(str, row.get("tags", ()))),
            properties=dict(row.get("properties", {})),
            state=_state(row),
            edges=edges,
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise broken(where, f"it is no note of an export ({error})") from None


def _raw(row: Mapping[str, Any], where: str) -> bytes:
    if "base64" in row:
        return base64.b64decode(text_of(row, "base64", where), validate=True)
    try:
        return text_of(row, "text", where).encode("utf-8")
    except UnicodeEncodeError:
        raise broken(where, "its text is not Unicode") from None


def _state(row: Mapping[str, Any]) -> NoteState:
    names = {f.name for f in fields(NoteState)} & row.keys() - {"kind", "status", "factors", "accesses"}
    plain: dict[str, Any] = {name: row[name] for name in names}
    factors = row.get("factors")
    for name in ("score", "last_recalled", "first_seen", "changed_at", "status_since"):
        if plain.get(name) is not None:
            plain[name] = float(plain[name])
    return NoteState(
        kind=Kind(row.get("kind", "note")),
        status=Status(row.get("status", "active")),
        factors=None if factors is None else Factors(**{k: float(v) for k, v in factors.items()}),
        accesses=tuple((float(t), AccessKind(k), float(w)) for t, k, w in row.get("accesses", ())),
        **plain,
    )
