"""JSON as people keep it: with comments, trailing commas and a byte order mark, read without losing a place.

The standard library checks and reads the values. Ours is only a copy of the text, of the same length, in
which what strict JSON does not know is blank; so every position found in it holds in the text as it stands.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from genesys.errors import ConfigRefused
from genesys.model import Json

__all__ = ["JsonText", "Member", "members", "read_json", "root", "value_of"]

BOM = "\ufeff"
SPACE = " \t\r\n"
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_COMMENTS = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
# A comma before a closing bracket; behind an opening one, or another comma, it is no JSON of any kind.
_TRAILING = re.compile(rf"{_STRING}|(?P<bad>[\[{{,:][{SPACE}]*)?,(?=[{SPACE}]*[}}\]])", re.DOTALL)
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class JsonText:
    """A document. ``bare`` has blanks for comments, ``plain`` also for trailing commas; all are as long as
    ``text``, which is without the byte order mark."""

    text: str
    bare: str
    plain: str
    bom: bool = False

    def encode(self, text: str) -> bytes:
        """Another text as the bytes of this document's file."""
        return (BOM * self.bom + text).encode()

    @property
    def blank(self) -> bool:
        """Nothing but space and comments."""
        return not self.plain.strip(SPACE)

    @property
    def strict(self) -> bool:
        """Whether programs that know plain JSON only can read it."""
        return self.text == self.plain and not self.bom


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object, or an element of a list (``key`` is empty then), by its places in the text."""

    key: str
    start: int
    value: int
    end: int


def read_json(raw: bytes) -> JsonText:
    """Raises :class:`ConfigRefused` for what is not UTF-8 or not JSON, with the line."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigRefused("it is not UTF-8") from None
    bom, text = text.startswith(BOM), text.removeprefix(BOM)
    bare = _COMMENTS.sub(_comment, text)
    doc = JsonText(text, bare, _TRAILING.sub(_comma, bare), bom)
    if not doc.blank:
        value_of(doc)
    return doc


def _comment(match: re.Match[str]) -> str:
    return match[0] if match[0][0] == '"' else " " * len(match[0])


def _comma(match: re.Match[str]) -> str:
    return " " if match[0] == "," else match[0]


def value_of(doc: JsonText) -> Json:
    """What the document says. Raises :class:`ConfigRefused`."""
    try:
        value: Json = json.loads(doc.plain, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        line = doc.text.count("\n", 0, error.pos) + 1
        raise ConfigRefused(f"it is not valid JSON (line {line}: {error.msg})") from None
    except ValueError as error:
        raise ConfigRefused(f"it is not valid JSON ({error})") from None
    except RecursionError:
        raise ConfigRefused("it is nested too deeply") from None
    return value


def _refuse(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


def root(doc: JsonText) -> int:
    """Where the outermost value begins."""
    return _skip(doc.plain, 0)


def members(doc: JsonText, at: int) -> tuple[list[Member], int]:
    """The members of the object or list that begins at ``at``, and where its closing bracket is."""
    text, found = doc.plain, []
    named, place = text[at] == "{", _skip(text, at + 1)
    while text[place] not in "}]":
        start, key = place, ""
        if named:
            key, place = _DECODER.raw_decode(text, place)
            place = _skip(text, _skip(text, place) + 1)
        _, end = _DECODER.raw_decode(text, place)
        found.append(Member(key, start, place, end))
        place = _skip(text, end)
        if text[place] == ",":
            place = _skip(text, place + 1)
    return found, place


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in SPACE:
        place += 1
    return place
