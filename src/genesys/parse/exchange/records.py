"""Files of other memory systems, as records, and back. Pure.

- **mcp-memory**, the reference MCP memory server's file: JSON Lines, each ``{"type": "entity", "name",
  "entityType", "observations": [text]}`` or ``{"type": "relation", "from", "to", "relationType"}``; names
  identify entities, relations are in active voice from one to the other.
- **mem0**, what ``get_all`` and the export answer: ``{"results": [memory, …]}``, ``{"memories": …}`` or the
  bare list; a memory has ``id``, ``memory`` (its text), ``hash``, ``metadata``, ``categories``,
  ``created_at``, ``updated_at`` and the ids of user, agent and run. With its graph store on, ``relations``
  lists ``{"source", "relationship", "target" or "destination"}`` between names.
- **papez**, its persisted store: ``{user: {"nodes": {id: node}, "edges": [edge]}}``, or one such pair
  without users. A node has ``content_summary``, ``content_full``, times, ``status``, ``pinned``,
  ``reactivation_count``, ``category``, ``source_session``; an edge ``source_id``, ``target_id``, ``type``
  (our seven names), ``weight``, ``reason``. Its ``embedding`` is left behind: it belongs to a model, and the
  vault makes its own.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from genesys.model import Json
from genesys.parcels import Foreign, ForeignLink
from genesys.parse.exchange.values import broken, json_lines, load_json, text_of, typed

__all__ = ["RECORD_FORMATS", "read_records", "write_records"]

RECORD_FORMATS = ("mcp-memory", "mem0", "papez")


def read_records(kind: str, lines: Iterable[str], limit: int) -> tuple[Foreign, ...]:
    """The records of a file, each with its relations.

    Raises :class:`UsageError` with the place of what is wrong, or where there are more than ``limit``.
    """
    if kind == "mcp-memory":
        return _with_links(*_read_mcp(lines, limit))
    value = load_json("".join(lines), "the file")
    found, links = _read_mem0(value, limit) if kind == "mem0" else _read_papez(value, limit)
    return _with_links(found, links)


def write_records(kind: str, records: Sequence[Foreign]) -> Iterator[str]:
    """The file again, in parts."""
    return {"mcp-memory": _write_mcp, "mem0": _write_mem0, "papez": _write_papez}[kind](records)


Links = dict[tuple[str, str], list[ForeignLink]]  # (group, id) of the record that a relation starts at


def _with_links(found: Iterable[Foreign], links: Links) -> tuple[Foreign, ...]:
    """Records with their relations; a name that only relations know becomes a record without content."""
    whole: dict[tuple[str, str], Foreign] = {}
    for record in found:
        at, count = record.id, 1
        while (record.group, at) in whole:  # a second record of a name keeps an identity of its own
            count += 1
            at = f"{record.id}#{count}"
        whole[record.group, at] = replace(record, id=at, links=tuple(links.get((record.group, at), ())))
    for (group, name), outgoing in links.items():
        if (group, name) not in whole:
            whole[group, name] = Foreign(name, None, tuple(outgoing), group)
    return tuple(whole.values())


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def _rest(record: Mapping[str, Json], *known: str) -> dict[str, Json]:
    return {k: v for k, v in record.items() if k not in known}


def _id_of(record: Mapping[str, Json]) -> str:
    """An id for a record that has none."""
    return hashlib.blake2b(json.dumps(record, sort_keys=True).encode(), digest_size=8).hexdigest()


# ------------------------------------------------------------------ mcp-memory


def _read_mcp(lines: Iterable[str], limit: int) -> tuple[list[Foreign], Links]:
    found: list[Foreign] = []
    links: Links = defaultdict(list)
    for place, row in json_lines(lines, limit):
        if row.get("type") == "entity":
            name = text_of(row, "name", place)
            text_of(row, "entityType", place)
            for item in typed(row.get("observations"), list, place, "'observations'"):
                typed(item, str, place, "an observation")
            found.append(Foreign(name, row))
        elif row.get("type") == "relation":
            source, target = text_of(row, "from", place), text_of(row, "to", place)
            rest = _rest(row, "type", "from", "to", "relationType")
            links["", source].append(ForeignLink(target, text_of(row, "relationType", place), rest))
        else:
            raise broken(place, "it is neither an entity nor a relation")
    return found, links


def _write_mcp(records: Sequence[Foreign]) -> Iterator[str]:
    for item in records:
        if item.record is not None:
            yield _dump(item.record) + "\n"
    for item in records:
        for link in item.links:
            row = {"type": "relation", "from": item.id, "to": link.target, "relationType": link.name}
            yield _dump({**row, **link.rest}) + "\n"


# ------------------------------------------------------------------ mem0


def _read_mem0(value: Json, limit: int) -> tuple[list[Foreign], Links]:
    relations: Any = []
    rows: Any = value
    if isinstance(value, Mapping):
        rows = next((value[k] for k in ("results", "memories") if k in value), None)
        relations = value.get("relations") or []
    rows = typed(rows, list, "the file", "it has no list of memories: 'results'")
    if len(rows) > limit:
        raise broken("the file", f"it holds {len(rows):,} records, more than {limit:,}; split it")
    found = []
    for number, row in enumerate(rows, 1):
        place = f"memory {number}"
        record = typed(row, dict, place, "it")
        if not any(isinstance(record.get(k), str) for k in ("memory", "text", "content")):
            raise broken(place, "it has no text: 'memory'")
        key = record.get("id")
        found.append(Foreign(str(key) if isinstance(key, str | int) else _id_of(record), record))
    links: Links = defaultdict(list)
    for number, row in enumerate(typed(relations, list, "the file", "'relations'"), 1):
        place = f"relation {number}"
        record = typed(row, dict, place, "it")
        end = "target" if "target" in record else "destination"
        rest = _rest(record, "source", "relationship", end) | ({"": end} if end != "target" else {})
        link = ForeignLink(text_of(record, end, place), text_of(record, "relationship", place), rest)
        links["", text_of(record, "source", place)].append(link)
    return found, links


def _write_mem0(records: Sequence[Foreign]) -> Iterator[str]:
    yield '{"results": ['
    rows = [item.record for item in records if item.record is not None]
    for number, row in enumerate(rows):
        yield (",\n" if number else "\n") + _dump(row)
    yield "\n]"
    relations = [
        {
            "source": item.id,
            "relationship": link.name,
            str(link.rest.get("", "target")): link.target,
            **_rest(link.rest, ""),
        }
        for item in records
        for link in item.links
    ]
    yield (', "relations": ' + _dump(relations) if relations else "") + "}\n"


# ------------------------------------------------------------------ papez


def _read_papez(value: Json, limit: int) -> tuple[list[Foreign], Links]:
    store = typed(value, dict, "the file", "it")
    flat = "nodes" in store and "edges" in store
    users: Mapping[str, Any] = {"": store} if flat else store
    found: list[Foreign] = []
    links: Links = defaultdict(list)
    for user, data in users.items():
        where = f"user {user!r}" if user else "the file"
        nodes = typed(typed(data, dict, where, "it").get("nodes"), dict, where, "'nodes'")
        if len(found) + len(nodes) > limit:
            raise broken("the file", f"it holds more than {limit:,} records; split it")
        for key, node in nodes.items():
            record = typed(node, dict, f"node {key!r}", "it")
            if not isinstance(record.get("content_summary"), str):
                raise broken(f"node {key!r}", "it has no text: 'content_summary'")
            found.append(Foreign(key, {**record, "embedding": None} if "embedding" in record else record,
                                 group=user))  # fmt: skip
        for number, edge in enumerate(typed(data.get("edges", []), list, where, "'edges'"), 1):
            place = f"edge {number}"
            record = typed(edge, dict, place, "it")
            rest = _rest(record, "source_id", "target_id", "type")
            link = ForeignLink(text_of(record, "target_id", place), text_of(record, "type", place), rest)
            links[user, text_of(record, "source_id", place)].append(link)
    return found, links


def _write_papez(records: Sequence[Foreign]) -> Iterator[str]:
    store: dict[str, Any] = {}
    for item in records:
        data = store.setdefault(item.group, {"nodes": {}, "edges": []})
        if item.record is not None:
            data["nodes"][item.id] = item.record
        data["edges"] += [
            {"source_id": item.id, "target_id": link.target, "type": link.name, **link.rest}
            for link in item.links
        ]
    yield _dump(store[""] if list(store) in ([""], []) and store else store or {"nodes": {}, "edges": []})
    yield "\n"
