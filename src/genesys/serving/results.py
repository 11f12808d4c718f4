"""What tools return, twice: the JSON schemas they publish and the values that fit them.

Every schema also admits a fault. Clients check the structured content of a failed call against the tool's
schema as well, and one that knew only success would turn our error into theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from genesys.model import Edge, EdgeType, Hit, Json, Kind, Status, Step
from genesys.quote import clean
from genesys.reports import (
    ContextBlock,
    CoreList,
    Explanation,
    Forgotten,
    NoteRef,
    Remembered,
    Stats,
    Subgraph,
    WhyReport,
)

__all__ = [
    "CONTEXT",
    "CORE",
    "DELETED",
    "EXPLANATION",
    "NOTE",
    "PROMOTED",
    "RECALL",
    "SEARCH",
    "STATS",
    "STORED",
    "SUBGRAPH",
    "context_data",
    "core_data",
    "deleted_data",
    "edge_data",
    "explanation_data",
    "hit_data",
    "note_data",
    "stats_data",
    "stored_data",
    "subgraph_data",
    "why_data",
]

# ------------------------------------------------------------------ schemas

_S: dict[str, Any] = {"type": "string"}
_N: dict[str, Any] = {"type": "number"}
_I: dict[str, Any] = {"type": "integer"}
_B: dict[str, Any] = {"type": "boolean"}
_COUNTS: dict[str, Any] = {"type": "object", "additionalProperties": _N}


def _says(schema: dict[str, Any], text: str) -> dict[str, Any]:
    return {**schema, "description": text}


def _list(items: dict[str, Any], text: str = "") -> dict[str, Any]:
    return {"type": "array", "items": items} | ({"description": text} if text else {})


def _object(properties: dict[str, Any], optional: Iterable[str] = ()) -> dict[str, Any]:
    left_out = set(optional)
    required = [name for name in properties if name not in left_out]
    return {"type": "object", "properties": properties, "required": required}


def _result(properties: dict[str, Any], optional: Iterable[str] = ()) -> dict[str, Any]:
    """An object with these properties, or a fault."""
    success = _object({**properties, "notices": _list(_S, "what the caller should know")}, optional)
    fault = {
        "error": _says(_S, "what went wrong, where the call failed"),
        "hint": _says(_S, "what to do next"),
        "retryable": _says(_B, "whether the same call may succeed in a moment"),
        "candidates": _list(_S, "notes that an ambiguous name could mean"),
    }
    return {
        "type": "object",
        "properties": {**success["properties"], **fault},
        "anyOf": [{"required": success["required"]}, {"required": ["error", "hint", "retryable"]}],
    }


_STATUS = {"type": "string", "enum": [s.value for s in Status]}
_KIND = {"type": "string", "enum": [k.value for k in Kind]}
_EDGE = _object(
    {
        "source": _says(_S, "path"),
        "type": {"type": "string", "enum": [t.value for t in EdgeType]},
        "target": _says(_S, "path"),
        "weight": _N,
        "created_by": _S,
        "evidence": _says(_S, "the sentence that says so; quoted text"),
    }
)
_NOTE = _object(
    {
        "path": _says(_S, "id of the note in every tool"),
        "title": _S,
        "kind": _KIND,
        "status": _STATUS,
        "score": _says(_N, "retention, 0 to 1"),
        "pinned": _B,
        "category": _S,
        "last_active": _says(_N, "UNIX seconds"),
        "summary": _says(_S, "quoted text"),
        "uri": _says(_S, "opens the note in Obsidian"),
    }
)
_STEP = _object({"path": _S, "title": _S, "depth": _I, "edge": _EDGE})
_WHY = _object(
    {
        "caused_by": _list(_STEP, "causes, nearest first"),
        "led_to": _list(_STEP, "effects, nearest first"),
        "removal_impact": _object({"lose_last_cause": _list(_S), "lose_only_link": _list(_S)}),
    }
)
_HIT = _object(
    {
        "path": _says(_S, "id of the note in every tool"),
        "title": _S,
        "vault": {"type": "string", "enum": ["personal", "org"]},
        "kind": _KIND,
        "status": _STATUS,
        "date": _S,
        "heading": _list(_S),
        "lines": _says(_list(_I), "first and last line in the file"),
        "text": _says(_S, "quoted text of the note, possibly shortened"),
        "score": _says(_N, "sum of signals × prior"),
        "signals": _COUNTS,
        "prior": _N,
        "why": _S,
        "via": _list(_STEP, "the links that led here, where no word did"),
        "superseded_by": _S,
        "stale": _says(_B, "a decision that nobody has touched for long"),
        "low_confidence": _B,
        "uri": _S,
        "causes": _WHY,
    },
    optional=("causes",),
)

RECALL = _result({"query": _S, "signals": _list(_S, "what the answer could use"), "hits": _list(_HIT)})
SEARCH = _result({"notes": _list(_NOTE), "next_offset": _says(_I, "where more may follow")}, ("next_offset",))
CONTEXT = _result({"text": _S, "tokens": _I, "paths": _list(_S), "signals": _list(_S)})
STORED = _result(
    {
        "path": _S,
        "title": _S,
        "created": _says(_B, "false where the same memory was there already"),
        "edges": _list(_EDGE),
        "possible_conflicts": _list(_object({"path": _S, "title": _S, "reason": _S, "text": _S})),
        "supersedes": _S,
    }
)
SUBGRAPH = _result({"root": _S, "nodes": _list(_NOTE), "edges": _list(_EDGE), "truncated": _B})
EXPLANATION = _result(
    {
        "note": _NOTE,
        "factors": _says(_COUNTS, "score = relevance × connectivity × reactivation"),
        "amounts": _list(_object({"name": _S, "value": _N, "unit": _S, "meaning": _S})),
        "thresholds": _list(_S),
        "outlook": _list(_S),
        **_WHY["properties"],
    }
)
STATS = _result(
    {
        "notes": _I,
        "memories": _I,
        "passages": _I,
        "edges": _COUNTS,
        "statuses": _COUNTS,
        "core": _I,
        "pinned": _I,
        "accesses": _I,
        "mean_score": _N,
        "score_histogram": _says(_list(_I), "ten bins from 0 to 1"),
        "pending": _says(_I, "passages that still wait for their vector"),
        "indexing": _says(_S, "what the server is doing"),
    }
)
NOTE = _result({"note": _NOTE})
DELETED = _result({"path": _S, "trashed_to": _S, "undo": _S, "links_broken": _list(_S)})
CORE = _result(
    {
        "notes": _list({**_NOTE, "properties": {**_NOTE["properties"], "reason": _S}}),
        "proposals": _list(_NOTE),
        "auto": _list(_S),
        "approval": _list(_S),
        "excluded": _list(_S),
    }
)
PROMOTED = _result(
    {
        "dry_run": _B,
        "action": _S,
        "copied": _list(_object({"path": _S, "target": _S, "state": _S})),
        "kept_private": _list(_object({"path": _S, "reason": _S})),
        "links_removed": _list(_S),
    }
)

# ------------------------------------------------------------------ values


def note_data(note: NoteRef) -> dict[str, Json]:
    return {
        "path": note.path,
        "title": clean(note.title),
        "kind": note.kind.value,
        "status": note.status.value,
        "score": round(note.score or 0.0, 4),
        "pinned": note.pinned,
        "category": clean(note.category),
        "last_active": note.last_active,
        "summary": clean(note.summary),
        "uri": note.uri,
    }


def edge_data(edge: Edge) -> dict[str, Json]:
    return {
        "source": edge.source,
        "type": edge.type.value,
        "target": edge.target,
        "weight": round(edge.weight, 4),
        "created_by": edge.created_by.value,
        "evidence": clean(edge.evidence),
    }


def _step_data(step: Step) -> dict[str, Json]:
    return {
        "path": step.path,
        "title": clean(step.title),
        "depth": step.depth,
        "edge": edge_data(step.edge),
    }


def why_data(why: WhyReport) -> dict[str, Json]:
    return {
        "caused_by": [_step_data(s) for s in why.upstream],
        "led_to": [_step_data(s) for s in why.downstream],
        "removal_impact": {
            "lose_last_cause": list(why.loses_last_cause),
            "lose_only_link": list(why.loses_only_link),
        },
    }


def hit_data(hit: Hit, text: str, vault: str, why: WhyReport | None = None) -> dict[str, Json]:
    """``text`` is what of the hit's passage found room."""
    data: dict[str, Json] = {
        "path": hit.path,
        "title": clean(hit.title),
        "vault": vault,
        "kind": hit.kind.value,
        "status": hit.status.value,
        "date": hit.date,
        "heading": [clean(h) for h in hit.heading_path],
        "lines": [hit.line_start, hit.line_end],
        "text": clean(text),
        "score": hit.score,
        "signals": dict(hit.signals),
        "prior": hit.prior,
        "why": clean(hit.why),
        "via": [_step_data(s) for s in hit.via],
        "superseded_by": hit.superseded_by,
        "stale": hit.stale,
        "low_confidence": hit.low_confidence,
        "uri": hit.uri,
    }
    return data | ({"causes": why_data(why)} if why else {})


def context_data(block: ContextBlock) -> dict[str, Json]:
    return {
        "text": block.text,
        "tokens": block.tokens,
        "paths": list(block.paths),
        "signals": list(block.signals),
    }


def stored_data(stored: Remembered) -> dict[str, Json]:
    reasons = [*stored.conflict_reasons, *[""] * len(stored.possible_conflicts)]
    conflicts: Sequence[Json] = [
        {"path": hit.path, "title": clean(hit.title), "reason": clean(reason), "text": clean(hit.text)}
        for hit, reason in zip(stored.possible_conflicts, reasons, strict=False)
    ]
    return {
        "path": stored.path,
        "title": clean(stored.title),
        "created": stored.created,
        "edges": [edge_data(e) for e in stored.edges],
        "possible_conflicts": conflicts,
        "supersedes": stored.supersedes,
    }


def subgraph_data(root: str, graph: Subgraph) -> dict[str, Json]:
    return {
        "root": root,
        "nodes": [note_data(n) for n in graph.nodes],
        "edges": [edge_data(e) for e in graph.edges],
        "truncated": graph.truncated,
    }


def explanation_data(found: Explanation, why: WhyReport) -> dict[str, Json]:
    f = found.factors
    factors = {name: getattr(f, name) for name in type(f).__slots__}
    return {
        "note": note_data(found.note),
        "factors": factors,
        "amounts": [
            {"name": a.name, "value": a.value, "unit": a.unit, "meaning": a.meaning} for a in found.amounts
        ],
        "thresholds": list(found.thresholds),
        "outlook": list(found.outlook),
        **why_data(why),
    }


def stats_data(stats: Stats, pending: int, indexing: str) -> dict[str, Json]:
    return {
        "notes": stats.notes,
        "memories": stats.memories,
        "passages": stats.passages,
        "edges": dict(stats.edges),
        "statuses": dict(stats.statuses),
        "core": stats.core,
        "pinned": stats.pinned,
        "accesses": stats.accesses,
        "mean_score": stats.mean_score,
        "score_histogram": list(stats.score_histogram),
        "pending": pending,
        "indexing": indexing,
    }


def deleted_data(gone: Forgotten) -> dict[str, Json]:
    return {
        "path": gone.path,
        "trashed_to": gone.trashed_to,
        "undo": gone.undo,
        "links_broken": list(gone.links_broken),
    }


def core_data(core: CoreList) -> dict[str, Json]:
    reasons: Mapping[str, str] = core.reasons
    return {
        "notes": [note_data(n) | {"reason": clean(reasons.get(n.path, ""))} for n in core.notes],
        "proposals": [note_data(n) for n in core.proposals],
        "auto": list(core.auto),
        "approval": list(core.approval),
        "excluded": list(core.excluded),
    }
