"""What properties mean to Genesys: aliases, tags, dates, people, and its own ``genesys_*`` state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache

from genesys.model import Json, Kind, MemoryType, OwnState, Status
from genesys.parse.edges import normal_key
from genesys.parse.inline import split_target, tag_name
from genesys.parse.readable import readable

__all__ = [
    "aliases",
    "day_of",
    "get",
    "kind",
    "memory_type",
    "moment_of",
    "opted_out",
    "own_state",
    "people",
    "search_line",
    "tags",
    "text",
]

_PREFIX = "genesys_"
_ISO = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?(?!\d)")
_NAME_DAY = re.compile(r"(\d{4})([-._ ]?)(\d{2})\2(\d{2})(?!\d)")
_DIGITS = re.compile(r"(\d{4})(\d{2})(\d{2})")
_DAY_MONTH = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\.?\s+([A-Za-z]{3,9})\.?,?\s+(\d{4})\b")
_MONTH_DAY = re.compile(r"\b([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MAX_DATE_CHARS = 60
_NO_STATE = OwnState()
_STATUSES, _MEMORY_TYPES = frozenset(Status), frozenset(MemoryType)
_MEMORY_ID = re.compile(r"[0-9a-f]{16}")

# Properties that tell a reader nothing about the note's subject.
_NOT_FOR_SEARCH_TEXT = """
    aliases alias tags tag cssclass cssclasses publish permalink id uid uuid prev previous next
    source_session banner cover icon color colour position created updated modified date
    date_created date_modified memory_id
"""
_NOT_FOR_SEARCH = frozenset(_NOT_FOR_SEARCH_TEXT.split())
_LINKED = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_NAME_ENDS = re.compile(r"[,;、，；\n]")
_MAX_VALUE_CHARS = 400
_MAX_LINE_CHARS = 2000


def get(values: Mapping[str, Json], *names: str) -> Json:
    """Return the first of these properties that is there: as written first, then in any case."""
    if values:
        for key in _spelled(_keys(values), names):
            if (value := values[key]) is not None:
                return value
    return None


_MANY_KEYS = 100  # more are no template's


def _keys(values: Mapping[str, Json]) -> tuple[str, ...]:
    """The names of a note's properties: many notes have the same, so what follows from them is kept."""
    return tuple(values) if len(values) <= _MANY_KEYS else tuple(values)[:_MANY_KEYS]


@lru_cache(maxsize=2048)
def _spelled(keys: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """Which of the keys are meant by the names, the best first."""
    places = {normal_key(name): place for place, name in reversed(list(enumerate(names)))}
    other = sorted((key for key in keys if normal_key(key) in places), key=lambda k: places[normal_key(k)])
    return (*(name for name in names if name in keys), *other)


def text(value: Json) -> str:
    """Return a single text or number as text, "" for anything else."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def aliases(values: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the aliases, each once: a list, or one text value, commas and all (R42)."""
    return tuple(dict.fromkeys(filter(None, map(text, _items(get(values, "aliases"))))))


def tags(values: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the property's tags without ``#``: a list, or one text without commas or spaces (R41)."""
    names = []
    for item in _items(get(values, "tags")):
        written = text(item).removeprefix("#")
        name = tag_name(written)
        if name and written.rstrip("/") == name:
            names.append(name)
    return tuple(names)


def people(values: Mapping[str, Json], keys: Sequence[str]) -> tuple[str, ...]:
    """Return the names under these properties: of a link the note's name, of a text its parts."""
    if not values or not (found := _of_people(_keys(values), tuple(keys))):
        return ()
    names = (name for key in found for item in _items(values[key]) for name in _names(text(item)))
    return tuple(dict.fromkeys(filter(None, names)))


@lru_cache(maxsize=1024)
def _of_people(keys: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[str, ...]:
    names = {normal_key(key) for key in wanted}
    return tuple(key for key in keys if normal_key(key) in names)


def day_of(title: str, values: Mapping[str, Json]) -> str:
    """Return the ISO day (or date-time) that a note is about: its file name, else its ``date``, else ""."""
    match = _NAME_DAY.match(title)
    day = _iso(match.group(1), match.group(3), match.group(4)) if match else ""
    return day or moment_of(get(values, "date"))


def moment_of(value: Json) -> str:
    """Return a date as people write it in ISO form, with the time where ISO has one; "" for no date."""
    written = text(value)[:_MAX_DATE_CHARS]
    if not written:
        return ""
    if match := _ISO.search(written):
        day = _iso(*match.group(1, 2, 3))
        hour, minute, second = match.group(4, 5, 6)
        if day and hour and int(hour) < 24 and int(minute) < 60:
            return f"{day}T{int(hour):02}:{minute}" + (f":{second}" if second and int(second) < 60 else "")
        return day
    if match := _DAY_MONTH.search(written):
        return _iso(match.group(3), _month(match.group(2)), match.group(1))
    if match := _MONTH_DAY.search(written):
        return _iso(match.group(3), _month(match.group(1)), match.group(2))
    match = _DIGITS.fullmatch(written)
    return _iso(*match.groups()) if match else ""


def opted_out(values: Mapping[str, Json]) -> bool:
    """Return whether the note says ``genesys: false``."""
    value = values.get("genesys")
    return value is False or text(value).lower() in ("false", "no", "off")


def own_state(values: Mapping[str, Json]) -> OwnState:
    """Return the ``genesys_*`` state as it stands; what can't be read is None."""
    if not any(key.startswith(_PREFIX) for key in values):
        return _NO_STATE
    score = _number(values.get("genesys_score"))
    recalls = _number(values.get("genesys_recalls"))
    status = text(values.get("genesys_status")).lower()
    return OwnState(
        status=Status(status) if status in _STATUSES else None,
        score=score,
        recalls=int(recalls) if recalls is not None and recalls >= 0 else None,
        last_recalled=_timestamp(text(values.get("genesys_last_recalled"))),
        core=_flag(values.get("genesys_core")),
        pinned=_flag(values.get("genesys_pinned")),
        stale=_flag(values.get("genesys_stale")),
    )


def kind(values: Mapping[str, Json]) -> Kind:
    """A memory carries the key that Genesys gave it when it wrote the note; all else is a person's."""
    key = values.get("memory_id")
    return Kind.MEMORY if isinstance(key, str) and _MEMORY_ID.fullmatch(key) else Kind.NOTE


def memory_type(values: Mapping[str, Json]) -> MemoryType | None:
    """Return what a memory is, None where it doesn't say."""
    name = text(get(values, "genesys_memory_type", "memory_type")).lower()
    return MemoryType(name) if name in _MEMORY_TYPES else None


def search_line(title: str, values: Mapping[str, Json]) -> str:
    """Return the textual properties as one readable line (``speaker: Maria · topic: soil``)."""
    parts = []
    for key in _for_search(_keys(values)) if values else ():
        words = ", ".join(filter(None, (_words(item) for item in _items(values[key]))))
        if words and words != title:
            parts.append(f"{key}: {words[:_MAX_VALUE_CHARS]}")
    return " · ".join(parts)[:_MAX_LINE_CHARS]


@lru_cache(maxsize=1024)
def _for_search(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(key for key in keys if not _is_internal(normal_key(key)))


def _is_internal(name: str) -> bool:
    return name in _NOT_FOR_SEARCH or name.startswith(_PREFIX) or name == "genesys" or name.endswith("_id")


def _words(value: Json) -> str:
    """Return a text value to be read; dates, addresses and identifiers say nothing."""
    if not isinstance(value, str) or not any(char.isalpha() for char in value):
        return ""
    if moment_of(value) and len(value) < _MAX_DATE_CHARS:
        return ""
    if "://" in value or (len(value) > 30 and " " not in value and value.isascii() and "[[" not in value):
        return ""
    return " ".join(readable(value[: 2 * _MAX_VALUE_CHARS]).split())


def _items(value: Json) -> Iterator[Json]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, Sequence)):
        yield from value
    elif value is not None and not isinstance(value, Mapping):
        yield value


def _names(written: str) -> Iterator[str]:
    """Yield whom ``Maria``, ``Maria, John``, ``[[People/Maria|Mia]]`` or ``@maria`` names."""
    for match in _LINKED.finditer(written):
        parts = split_target(match.group(1))
        if parts:
            yield parts[0].rpartition("/")[2].removesuffix(".md")
    for part in _NAME_ENDS.split(_LINKED.sub("", written)[:_MAX_VALUE_CHARS]):
        yield " ".join(readable(part).split()).removeprefix("@")


def _iso(year: str, month: str, day: str) -> str:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""


def _month(name: str) -> str:
    short = name[:3].lower()
    return str(_MONTHS.index(short) + 1) if short in _MONTHS else "0"


def _number(value: Json) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return float(value) if isinstance(value, (int, float)) and abs(value) < 1e15 else None


def _flag(value: Json) -> bool | None:
    if isinstance(value, bool):
        return value
    name = text(value).lower()
    if name in ("true", "yes", "on"):
        return True
    return False if name in ("false", "no", "off") else None


def _timestamp(written: str) -> float | None:
    """Return UNIX seconds of a local date-time as Obsidian writes it, or of one with its zone."""
    try:
        return datetime.fromisoformat(written).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
