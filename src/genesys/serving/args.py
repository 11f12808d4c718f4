"""Tool arguments: one description of each gives its JSON schema and reads what a client sends.

Models send numbers as strings, lists as comma-separated text and nothing at all; that is read, and what is
too big is clamped. Refused is only what can't be meant: a missing query, an unknown edge type, a memory that
would have to be cut. Pure; ``now`` is an argument.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from typing import Any

from genesys.errors import UnknownEdgeType, UsageError
from genesys.model import EdgeType, Filters, Kind, Status
from genesys.quote import clean, inline

__all__ = ["EDGE_TYPES", "Param", "Scope", "Shape", "filters_of", "parse_when", "read_arguments", "schema_of"]

EDGE_TYPES = tuple(t.value for t in EdgeType)
LIST_MAX = 100  # entries of a list argument; the rest is left out and said
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


class Shape(Enum):
    """What an argument looks like."""

    TEXT = "text"  # prose: a query; clamped to its limit
    BODY = "body"  # prose that must not be cut: refused beyond its limit
    NUMBER = "number"
    FLAG = "flag"
    CHOICE = "choice"
    CHOICES = "choices"
    WORDS = "words"
    WHEN = "when"
    RELATIONS = "relations"


@dataclass(frozen=True, slots=True)
class Param:
    """One argument. ``high`` is the largest number, or the greatest length of a text in characters."""

    name: str
    shape: Shape
    description: str
    default: object = ""
    required: bool = False
    low: int = 0
    high: int = 1000
    choices: tuple[str, ...] = ()


# ------------------------------------------------------------------ the schema


def schema_of(params: Sequence[Param]) -> dict[str, Any]:
    """The JSON schema of a tool's input. Limits stand in the descriptions: a client that enforced them
    would refuse what we clamp."""
    schema: dict[str, Any] = {"type": "object", "properties": {p.name: _property(p) for p in params}}
    required = [p.name for p in params if p.required]
    if required:
        schema["required"] = required
    return schema


def _property(param: Param) -> dict[str, Any]:
    match param.shape:
        case Shape.NUMBER:
            body: dict[str, Any] = {"type": "integer"}
        case Shape.FLAG:
            body = {"type": "boolean"}
        case Shape.CHOICE:
            body = {"type": "string", "enum": list(param.choices)}
        case Shape.CHOICES:
            body = {"type": "array", "items": {"type": "string", "enum": list(param.choices)}}
        case Shape.WORDS:
            body = {"type": "array", "items": {"type": "string"}}
        case Shape.RELATIONS:
            body = {"type": "array", "items": _relation_schema()}
        case _:
            body = {"type": "string"}
    body["description"] = param.description
    if not param.required and param.default not in ("", (), None):
        body["default"] = param.default
    return body


def _relation_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "the other note: a path or name, as in a wikilink"},
            "type": {"type": "string", "enum": list(EDGE_TYPES), "default": "related_to"},
        },
        "required": ["id"],
    }


# ------------------------------------------------------------------ reading


def read_arguments(
    params: Sequence[Param], raw: Mapping[str, Any], now: float
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Every parameter's value, and lines that say what was clamped or ignored.

    Raises:
        UsageError: an argument is missing or has a value that can't be meant.
    """
    notices: list[str] = []
    values: dict[str, Any] = {}
    for param in params:
        given = raw.get(param.name)
        if given is None or (given == "" and param.shape is not Shape.TEXT):
            if param.required:
                raise UsageError(f"the argument {param.name} is missing", hint=_about(param))
            values[param.name] = param.default
        else:
            values[param.name] = _read(param, given, now, notices)
    unknown = sorted(set(raw) - {p.name for p in params})
    if unknown:
        shown = ", ".join(inline(name, 40) for name in unknown[:5])
        notices.append(f"ignored, since this tool has no such argument: {shown}")
    return values, tuple(notices)


def _read(param: Param, given: Any, now: float, notices: list[str]) -> object:
    match param.shape:
        case Shape.TEXT | Shape.BODY:
            return _text(param, given, notices)
        case Shape.NUMBER:
            return _number(param, given, notices)
        case Shape.FLAG:
            return _flag(param, given)
        case Shape.CHOICE:
            return _choice(param, given)
        case Shape.CHOICES:
            return tuple(dict.fromkeys(_choice(param, item) for item in _items(param, given, notices)))
        case Shape.WORDS:
            words = (_string(param, item, 200).strip() for item in _items(param, given, notices))
            return tuple(dict.fromkeys(word for word in words if word))
        case Shape.WHEN:
            return parse_when(_string(param, given, 100), now)
        case Shape.RELATIONS:
            return tuple(_relation(param, item) for item in _items(param, given, notices))


def _wrong(param: Param, wanted: str) -> UsageError:
    return UsageError(f"the argument {param.name} must be {wanted}", hint=_about(param))


def _about(param: Param) -> str:
    return f"{param.name}: {param.description}"


def _string(param: Param, given: Any, limit: int) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise _wrong(param, "text")
    text = clean(str(given))
    if len(text) > limit:
        raise _wrong(param, f"at most {limit:,} characters long")
    return text


def _text(param: Param, given: Any, notices: list[str]) -> str:
    if param.shape is Shape.BODY:
        text = _string(param, given, param.high)
    else:
        text = _string(param, given, 1 << 31)
        if len(text) > param.high:
            notices.append(f"{param.name} was cut to its first {param.high:,} characters")
            text = text[: param.high]
    if param.required and not text.strip():
        raise UsageError(f"the argument {param.name} is empty", hint=_about(param))
    return text


def _number(param: Param, given: Any, notices: list[str]) -> int:
    try:
        if isinstance(given, bool) or not isinstance(given, str | int | float):
            raise ValueError
        value = given if isinstance(given, int) else float(given)
        clamped = int(min(max(value, param.low), param.high))
    except (ValueError, OverflowError):
        raise _wrong(param, "a whole number") from None
    if clamped != value:
        notices.append(f"{param.name} was set to {clamped} (allowed: {param.low} to {param.high})")
    return clamped


def _flag(param: Param, given: Any) -> bool:
    if isinstance(given, bool):
        return given
    word = str(given).strip().casefold() if isinstance(given, str | int) else ""
    if word in _TRUE | _FALSE:
        return word in _TRUE
    raise _wrong(param, "true or false")


def _choice(param: Param, given: Any) -> str:
    word = str(given).strip().casefold().replace("-", "_").replace(" ", "_") if isinstance(given, str) else ""
    if word in param.choices:
        return word
    allowed = ", ".join(param.choices)
    if param.choices == EDGE_TYPES:
        raise UnknownEdgeType(f"{inline(str(given), 60)} is no edge type", hint=f"use one of: {allowed}")
    raise UsageError(f"{inline(str(given), 60)} is no value of {param.name}", hint=f"use one of: {allowed}")


def _items(param: Param, given: Any, notices: list[str]) -> Sequence[Any]:
    """A list as a list, as JSON in a string (as some clients send it), or as comma-separated words."""
    if isinstance(given, str):
        given = _decoded(given)
    if isinstance(given, Mapping):
        given = [given]
    if not isinstance(given, Sequence):
        raise _wrong(param, "a list")
    if len(given) > LIST_MAX:
        notices.append(f"{param.name} was cut to its first {LIST_MAX} entries")
    return given[:LIST_MAX]


def _decoded(text: str) -> Any:
    if text.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
    return [word for word in (part.strip() for part in text.split(",")) if word]


def _relation(param: Param, item: Any) -> tuple[str, EdgeType]:
    """``{"id", "type"}``, or the name alone for a plain relation."""
    if isinstance(item, str):
        item = {"id": item}
    if not isinstance(item, Mapping) or not isinstance(item.get("id"), str) or not item["id"].strip():
        raise _wrong(param, 'a list of {"id", "type"}')
    types = replace(param, choices=EDGE_TYPES)
    return _string(param, item["id"], 1000).strip(), EdgeType(
        _choice(types, item.get("type") or "related_to")
    )


def parse_when(text: str, now: float) -> float:
    """UNIX seconds of an ISO date or date-time (local where it names no zone) or an age: 12h, 30d, 2w.

    Raises:
        UsageError: it is neither.
    """
    word = text.strip()
    try:
        if word[-1:].casefold() in _UNITS and word[:-1].strip().isdigit():
            return now - timedelta(**{_UNITS[word[-1].casefold()]: int(word[:-1])}).total_seconds()
        return datetime.fromisoformat(word).timestamp()
    except (ValueError, OverflowError, OSError):
        hint = "use a date (2026-03-01), a date-time, or an age: 12h, 30d, 2w"
        raise UsageError(f"{inline(text, 40)} is no date", hint=hint) from None


# ------------------------------------------------------------------ filters


def filters_of(values: Mapping[str, Any]) -> Filters:
    """The limits among a call's values; a category, tag or folder is taken as text, whatever it holds."""
    return Filters(
        statuses=tuple(Status(s) for s in values.get("status") or ()),
        kinds=(Kind(values["kind"]),) if values.get("kind") else (),
        category=values.get("category") or "",
        tag=(values.get("tag") or "").removeprefix("#"),
        folder=(values.get("folder") or "").strip("/"),
        entity=values.get("entity") or "",
        since=values.get("since") or None,
        active_since=values.get("active_since") or None,
    )


class Scope(StrEnum):
    """Which vaults a recall reads."""

    PERSONAL = "personal"
    ORG = "org"
    BOTH = "both"
