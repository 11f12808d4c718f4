"""A record of another program as the parts of a note, and the record again from those parts. Pure.

What a note has a place for goes there; every other field stays a property of its own. Not every record
comes back exactly (a list of texts with odd line breaks, say): who writes the note checks, and keeps the
record itself beside where it must.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from genesys.model import Json, MemoryType, Status
from genesys.parcels import Draft
from genesys.parse.memory_text import derive_title
from genesys.parse.properties import moment_of

__all__ = ["PREFIX", "draft_of", "native_record", "record_of"]

#: Format → what the names of its own properties begin with.
PREFIX = {"mcp-memory": "mcp_", "mem0": "mem0_", "papez": "papez_"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,60}")
_ITEM = re.compile(r"\n(?=- )")


def draft_of(kind: str, key: str, record: Mapping[str, Json]) -> Draft:
    """The parts of the note for a record."""
    return {"mcp-memory": _mcp, "mem0": _mem0, "papez": _papez}[kind](key, record)


def record_of(kind: str, key: str, draft: Draft) -> dict[str, Json]:
    """The record that these parts stand for."""
    fields = {name: _loaded(value) for name, value in draft.fields.items()}
    if kind == "mcp-memory":
        base: dict[str, Json] = {
            "type": "entity",
            "name": key,
            "entityType": draft.category,
            "observations": _observations(draft.content),
        }
    elif kind == "mem0":
        base = {"id": key, "memory": draft.content}
    else:
        base = {"id": key}
        if draft.content != fields.get("content_summary"):
            base["content_full"] = draft.content
    return base | fields


def native_record(kind: str, key: str, draft: Draft) -> dict[str, Json]:
    """A record for a memory that never came from that program."""
    if kind == "mcp-memory":
        texts: list[Json] = [draft.content]
        return {
            "type": "entity",
            "name": key,
            "entityType": draft.category or "memory",
            "observations": texts,
        }
    if kind == "mem0":
        metadata = {"category": draft.category, "tags": list(draft.tags)}
        row: dict[str, Json] = {"id": key, "memory": draft.content, "metadata": metadata}
        return row | ({"created_at": draft.created} if draft.created else {})
    node: dict[str, Json] = {
        "id": key,
        "content_summary": draft.title[:200],
        "content_full": draft.content,
        "category": draft.category or None,
        "source_session": draft.session,
    }
    return node | ({"created_at": draft.created} if draft.created else {})


def _fields(record: Mapping[str, Json], *placed: str) -> dict[str, Json]:
    return {k: _plain(v) for k, v in record.items() if k not in placed and _NAME.fullmatch(k)}


def _plain(value: Json) -> Json:
    """A value as a flat property: Obsidian shows no nested ones, so those are JSON in a text."""
    if isinstance(value, Mapping) or (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and not (value and all(isinstance(v, str) for v in value))
    ):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value


def _loaded(value: Json) -> Json:
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            loaded: Json = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return loaded
    return value


def _mcp(key: str, record: Mapping[str, Any]) -> Draft:
    content = "\n".join("- " + "\n  ".join(text.split("\n")) for text in record["observations"])
    return Draft(
        title=key,
        content=content,
        category=record["entityType"],
        fields=_fields(record, "type", "name", "entityType", "observations"),
    )


def _observations(content: str) -> list[Json]:
    if not content:
        return []
    items = _ITEM.split(content)
    return [item.removeprefix("- ").replace("\n  ", "\n") for item in items]


def _text(record: Mapping[str, Any], *names: str) -> str:
    return next((record[n] for n in names if isinstance(record.get(n), str) and record[n].strip()), "")


def _mem0(key: str, record: Mapping[str, Any]) -> Draft:
    content = _text(record, "memory", "text", "content")
    categories = record.get("categories")
    metadata = record.get("metadata")
    category = categories[0] if isinstance(categories, list) and categories else None
    if category is None and isinstance(metadata, Mapping):
        category = metadata.get("category")
    return Draft(
        title=derive_title(content),
        content=content,
        created=moment_of(record.get("created_at")),
        category=category if isinstance(category, str) else "",
        session=_text(record, "run_id"),
        fields=_fields(record, "id", "memory"),
    )


def _papez(key: str, record: Mapping[str, Any]) -> Draft:
    content = _text(record, "content_full", "content_summary")
    status = record.get("status")
    recalls = record.get("reactivation_count")
    own: dict[str, Json] = {}
    if isinstance(status, str) and status in set(Status) - {Status.PRUNED}:
        own["genesys_status"] = status
    if isinstance(recalls, int) and not isinstance(recalls, bool) and recalls > 0:
        own["genesys_recalls"] = recalls
        if last := moment_of(record.get("last_reactivated_at")):
            own["genesys_last_recalled"] = last
    if record.get("pinned") is True:
        own["genesys_pinned"] = True
    return Draft(
        title=derive_title(record["content_summary"]),
        content=content,
        created=moment_of(record.get("created_at")),
        category=_text(record, "category"),
        session=_text(record, "source_session"),
        memory_type=MemoryType.EPISODIC if record.get("status") == "episodic" else MemoryType.SEMANTIC,
        fields=_fields(record, "id", *(["content_full"] if record.get("content_full") == content else [])),
        own=own,
    )
