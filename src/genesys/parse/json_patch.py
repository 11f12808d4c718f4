"""One entry into a JSON text and out again; every other byte stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from genesys.errors import ConfigRefused
from genesys.model import Json
from genesys.parse.json_text import SPACE, JsonText, Member, members, read_json, root, value_of

__all__ = ["Addition", "add", "covers", "look_up", "remove"]

_NEWLINE = re.compile(r"[\r\n]")
_NOWHERE = object()

Piece = tuple[int, int, str]  # from, to, and what stands there instead


@dataclass(frozen=True, slots=True)
class Addition:
    """An entry of ours: a member of the object at ``path``, or without a name an element of the list there.

    ``made`` are the objects and lists on the way that were not there before.
    """

    path: tuple[str, ...]
    name: str
    value: Json
    made: tuple[tuple[str, ...], ...] = ()


def look_up(doc: JsonText, path: Sequence[str]) -> Json | None:
    """The value at a path of object keys; None where there is none."""
    value: Json = None if doc.blank else value_of(doc)
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def covers(value: Json | None, ours: Json) -> bool:
    """Whether a value is ours, perhaps with more in its objects than we put there."""
    if isinstance(value, dict) and isinstance(ours, dict):
        return all(covers(value.get(key), part) for key, part in ours.items())
    return value == ours


# ------------------------------------------------------------------ in


def add(doc: JsonText, item: Addition) -> tuple[str, Addition]:
    """The text with the entry as the last of its object or list, and the entry with what was made for it.

    Raises :class:`ConfigRefused` where something else is in the way, or a key is there twice.
    """
    if doc.blank:
        made = tuple(item.path[:n] for n in range(len(item.path) + 1))
        return _alone(doc, _nested(item.path, item)), _with(item, made)
    at = root(doc)
    if doc.plain[at] != "{":
        raise ConfigRefused("it is not a JSON object")
    for depth, key in enumerate(item.path):
        found = [m for m in members(doc, at)[0] if m.key == key]
        inner = item.path[: depth + 1]
        if not found:
            made = tuple(item.path[:n] for n in range(depth + 1, len(item.path) + 1))
            text = _insert(doc, at, key, _nested(item.path[depth + 1 :], item))
            return _checked(doc, text, item), _with(item, made)
        is_list = not item.name and inner == item.path
        _fit(doc, found, ".".join(inner), "[" if is_list else "{")
        at = found[0].value
    if item.name and any(m.key == item.name for m in members(doc, at)[0]):
        raise ConfigRefused(f"{'.'.join(item.path)} has an entry {item.name} already")
    return _checked(doc, _insert(doc, at, item.name, item.value), item), _with(item, ())


def _with(item: Addition, made: tuple[tuple[str, ...], ...]) -> Addition:
    return Addition(item.path, item.name, item.value, made)


def _fit(doc: JsonText, found: list[Member], name: str, bracket: str) -> None:
    if len(found) > 1:
        raise ConfigRefused(f"{name} is there twice")
    if doc.plain[found[0].value] != bracket:
        raise ConfigRefused(f"{name} is not {'a list' if bracket == '[' else 'an object'}")


def _nested(path: Sequence[str], item: Addition) -> Json:
    value: Json = {item.name: item.value} if item.name else [item.value]
    for key in reversed(path):
        value = {key: value}
    return value


def _alone(doc: JsonText, value: Json) -> str:
    line = _newline(doc)
    gap = line if doc.text.strip(SPACE) and not doc.text.endswith(("\n", "\r")) else ""
    return doc.text + gap + _dump(value, "  ", line, "") + line


def _insert(doc: JsonText, at: int, name: str, value: Json) -> str:
    """The text with one more member behind the last of the object or list at ``at``."""
    inside, close = members(doc, at)
    line, unit = _newline(doc), _unit(doc)
    if inside:
        wide = _NEWLINE.search(doc.bare, at + 1, inside[0].start) is not None
        indent = _lead(doc, inside[-1].start)
        place, pieces = _behind(doc, inside[-1], close, wide)
    else:
        wide = at == root(doc) or _NEWLINE.search(doc.text) is not None
        indent = _lead(doc, at) + unit
        place, pieces = at + 1 + len(doc.text[at + 1 : close].rstrip(SPACE) if wide else ""), []
    key = _compact(name) + ": " if name else ""
    if wide:
        entry = line + indent + key + _dump(value, unit, line, indent)
        if _NEWLINE.search(doc.bare, place, close) is None:
            entry += line + _lead(doc, at)
    else:
        entry = " " * bool(inside) + key + _compact(value)
    return _edit(doc.text, [*pieces, (place, place, entry)])


def _behind(doc: JsonText, last: Member, close: int, wide: bool) -> tuple[int, list[Piece]]:
    """Where a new member goes, behind a comment on the last one's line, and the comma it needs."""
    comma = doc.bare.find(",", last.end, close)
    start = comma + 1 if comma >= 0 else last.end
    pieces = [] if comma >= 0 else [(start, start, ",")]
    if not wide:
        return start, pieces
    found = _NEWLINE.search(doc.bare, start, close)
    end = found.start() if found else close
    return start + len(doc.text[start:end].rstrip(SPACE)), pieces


def _newline(doc: JsonText) -> str:
    return next((line for line in ("\r\n", "\n", "\r") if line in doc.text), "\n")


def _unit(doc: JsonText) -> str:
    """One step of this document's indentation; two blanks where there is none to see."""
    inside, _ = members(doc, root(doc))
    if not inside or _NEWLINE.search(doc.bare, root(doc), inside[0].start) is None:
        return "  "
    lead, outer = _lead(doc, inside[0].start), _lead(doc, root(doc))
    return lead.removeprefix(outer) or "  "


def _lead(doc: JsonText, place: int) -> str:
    """The blanks at the beginning of the line of a place."""
    start = max(doc.text.rfind("\n", 0, place), doc.text.rfind("\r", 0, place)) + 1
    end = start
    while end < place and doc.text[end] in " \t":
        end += 1
    return doc.text[start:end]


def _dump(value: Json, unit: str, line: str, indent: str) -> str:
    """A value as a person would lay it out: lists of plain values stay on one line."""
    deeper = indent + unit
    if isinstance(value, dict) and value:
        inner = (f"{_compact(k)}: {_dump(v, unit, line, deeper)}" for k, v in value.items())
        return "{" + ",".join(line + deeper + part for part in inner) + line + indent + "}"
    if isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
        inner = (_dump(one, unit, line, deeper) for one in value)
        return "[" + ",".join(line + deeper + part for part in inner) + line + indent + "]"
    return _compact(value)


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


# ------------------------------------------------------------------ out


def remove(doc: JsonText, item: Addition) -> str | None:
    """The text without the entry, and without what was made for it and is empty now.

    None where no such entry is there; one with more in its objects than we put there counts as ours.
    Raises :class:`ConfigRefused` where it can't be cut out without changing something else.
    """
    at = _at(doc, item.path)
    if at is None:
        return None
    inside, _ = members(doc, at)
    ours = [n for n, m in enumerate(inside) if m.key == item.name and covers(_read(doc, m), item.value)]
    if not ours:
        return None
    text = _cut(doc, at, ours[-1], item.path)
    for path in sorted(item.made, key=len, reverse=True):
        doc = read_json(text.encode())
        if path and (place := _at(doc, path)) is not None and not members(doc, place)[0]:
            outer = _at(doc, path[:-1])
            assert outer is not None
            names = [m.key for m in members(doc, outer)[0]]
            text = _cut(doc, outer, names.index(path[-1]), path[:-1])
    return text


def _read(doc: JsonText, member: Member) -> Json:
    value: Json = json.loads(doc.plain[member.value : member.end])
    return value


def _at(doc: JsonText, path: Sequence[str]) -> int | None:
    """Where the object or list at a path begins; None where there is none, or more than one."""
    if doc.blank:
        return None
    at = root(doc)
    for key in path:
        if doc.plain[at] != "{":
            return None
        found = [m for m in members(doc, at)[0] if m.key == key]
        if len(found) != 1:
            return None
        at = found[0].value
    return at if doc.plain[at] in "{[" else None


def _cut(doc: JsonText, at: int, index: int, path: Sequence[str]) -> str:
    """The text without one member, its comma, and the space before it."""
    inside, close = members(doc, at)
    member = inside[index]
    space = len(doc.text[: member.start].rstrip(SPACE))
    wanted = _without(value_of(doc), path, member.key or index)
    # Behind a line comment the line's end must stay, or the comment would swallow what follows.
    for start in (space, member.start):
        text = _edit(doc.text, _cuts(doc, inside, index, start, close))
        try:
            if value_of(after := read_json(text.encode())) == wanted:
                return _tidied(after, at) if len(inside) == 1 else text
        except ConfigRefused:
            continue
    raise ConfigRefused("our entry can't be cut out safely")


def _cuts(doc: JsonText, inside: list[Member], index: int, start: int, close: int) -> list[Piece]:
    member = inside[index]
    following = inside[index + 1].start if index + 1 < len(inside) else close
    comma = doc.bare.find(",", member.end, following)
    if comma < 0 and index:
        comma = doc.bare.find(",", inside[index - 1].end, member.start)
    cuts = [(start, member.end, "")]
    if comma >= 0 and not start <= comma < member.end:
        cuts.append((comma, comma + 1, ""))
    return sorted(cuts)


def _tidied(doc: JsonText, at: int) -> str:
    """An object or list that holds nothing, not even a comment, without the space in it."""
    _, close = members(doc, at)
    return doc.text if doc.text[at + 1 : close].strip(SPACE) else doc.text[: at + 1] + doc.text[close:]


# ------------------------------------------------------------------ both


def _edit(text: str, pieces: Iterable[Piece]) -> str:
    parts, place = [], 0
    for start, end, new in pieces:
        parts += [text[place:start], new]
        place = end
    return "".join(parts) + text[place:]


def _checked(doc: JsonText, text: str, item: Addition) -> str:
    """The new text, if it says what the old one says and our entry besides."""
    new: Json = value_of(read_json(text.encode()))
    if not _equal_but_for(value_of(doc), new, list(item.path), item):
        raise ConfigRefused("our entry can't be added safely")
    return text


def _equal_but_for(old: object, new: Json, path: list[str], item: Addition) -> bool:
    if not path:
        empty: Json = {} if item.name else []
        old = empty if old is _NOWHERE else old
        if isinstance(new, dict) and isinstance(old, dict):
            return new == {**old, item.name: item.value} and item.name not in old
        return isinstance(old, list) and new == [*old, item.value]
    if not isinstance(new, dict):
        return False
    before = old if isinstance(old, dict) else {}
    same = {k: v for k, v in new.items() if k != path[0]} == {k: v for k, v in before.items() if k != path[0]}
    return same and _equal_but_for(before.get(path[0], _NOWHERE), new[path[0]], path[1:], item)


def _without(value: Json, path: Sequence[str], which: str | int) -> Json:
    if path:
        assert isinstance(value, dict)
        return {k: _without(v, path[1:], which) if k == path[0] else v for k, v in value.items()}
    if isinstance(value, dict):
        return {k: v for k, v in value.items() if k != which}
    assert isinstance(value, list)
    assert isinstance(which, int)
    return value[:which] + value[which + 1 :]
