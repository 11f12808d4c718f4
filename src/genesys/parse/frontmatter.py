"""The properties block of a note: where it lies, and what it says.

The block is split by our own rule (Obsidian's): exactly ``---`` on the very first line, ``---`` and
perhaps spaces to close. Values are read as YAML 1.2 does and Obsidian with it: ``yes`` and ``12:30`` are
text, dates stay as they are written (so an impossible one costs nothing), there are no merge keys.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from genesys.model import Json
from genesys.parse.plain_yaml import read_plain_yaml

__all__ = ["MAX_BLOCK_CHARS", "Block", "Properties", "load", "read", "split"]

MAX_BLOCK_CHARS = 1_000_000
_MAX_VALUES = 20_000  # after expanding aliases; more than a person writes, less than an alias bomb
_MAX_DEPTH = 60

_OPENING = re.compile("\ufeff?---(?:\r\n?|\n)")
_CLOSING = re.compile("(?:\r\n?|\n)(---[ \t]*+)(?:\r\n?|\n|\\Z)")
_NEWLINE = re.compile("\r\n?|\n")
_ADVICE = "fix the YAML between the --- lines"


@dataclass(frozen=True, slots=True)
class Block:
    """``inner`` stands at ``text[start:end]``; the body begins at ``text[body:]``, on line ``body_line``."""

    inner: str
    start: int
    end: int
    body: int
    body_line: int


@dataclass(frozen=True, slots=True)
class Properties:
    """What a block says. ``values`` is None where it can't be read, and ``problem`` says why.

    ``lines`` are the file's line numbers of the top-level names.
    """

    values: dict[str, Json] | None
    problem: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)


def split(text: str) -> Block | None:
    """Return where the properties block of a note lies, None where it has none (R70, R71)."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    start = opening.end()
    closing = _CLOSING.search(text, start - 1)  # from the opening's line end: the block may be empty
    if closing is None:
        return None
    end = max(start, closing.start(1))
    body_line = len(_NEWLINE.findall(text, 0, closing.end())) + 1
    return Block(text[start:end], start, end, closing.end(), body_line)


def read(block: Block) -> tuple[dict[str, Json] | None, str]:
    """Return the properties, or None and a one-line problem that a person can act on."""
    loaded = load(block)
    return loaded.values, loaded.problem


def load(block: Block) -> Properties:
    """Return the properties with their lines. Any text will do; nothing is raised."""
    if len(block.inner) > MAX_BLOCK_CHARS:
        return Properties(None, f"properties unreadable (more than {MAX_BLOCK_CHARS} characters): {_ADVICE}")
    if not block.inner.strip():
        return Properties({})
    if (plain := read_plain_yaml(block.inner, _plain)) is not None:
        return Properties(plain[0], "", {name: line + 2 for name, line in plain[1].items()})
    try:
        return _Reader(block.inner).read()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 2}: " if mark else ""
        reason = f"{where}{error.problem or error.context or 'invalid YAML'}"
    except yaml.YAMLError as error:
        reason = str(error).splitlines()[0] if str(error) else "invalid YAML"
    except _Unreadable as error:
        reason = str(error)
    except (ValueError, RecursionError, OverflowError) as error:
        reason = type(error).__name__
    return Properties(None, f"properties unreadable ({reason}): {_ADVICE}")


class _Unreadable(Exception):
    pass


_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]  # typed as Any above: the C parser may be missing
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own way


_TAG = "tag:yaml.org,2002:"
_IMPLICIT = (
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^[-+]?[0-9]{1,18}$", list("-+0123456789")),
    (
        "float",
        r"^[-+]?(?:(?:\.[0-9]{1,40}|[0-9]{1,40}\.[0-9]{0,40})(?:[eE][-+]?[0-9]{1,3})?"
        r"|[0-9]{1,18}[eE][-+]?[0-9]{1,3})$",
        list("-+.0123456789"),
    ),
)
for _name, _pattern, _first in _IMPLICIT:
    _Loader.add_implicit_resolver(_TAG + _name, re.compile(_pattern), _first)


class _Reader:
    """Turns YAML nodes into JSON values; counts them, because an alias may stand for a million."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.left = _MAX_VALUES
        self.lines: dict[str, int] = {}

    def read(self) -> Properties:
        loader = _Loader(self.text)
        try:
            node = loader.get_single_node()
        finally:
            loader.dispose()
        if node is None:
            return Properties({})
        if not isinstance(node, yaml.MappingNode):
            raise _Unreadable("not a list of names and values")
        values: dict[str, Json] = self.mapping(node, 0)
        return Properties(values, "", self.lines)

    def value(self, node: Any, depth: int) -> Json:
        self.left -= 1
        if self.left < 0:
            raise _Unreadable("too many values; YAML references are no longer read by Obsidian either")
        if depth > _MAX_DEPTH:
            raise _Unreadable("nested too deeply")
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node.tag, node.value)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, depth + 1) for item in node.value]
        return self.mapping(node, depth + 1)

    def mapping(self, node: Any, depth: int) -> dict[str, Json]:
        values: dict[str, Json] = {}
        for key_node, value_node in node.value:
            key = self.key(key_node)
            if key in values:
                raise _Unreadable(f"line {key_node.start_mark.line + 2}: {key[:40]!r} stands there twice")
            values[key] = self.value(value_node, depth)
            if depth == 0:
                self.lines[key] = key_node.start_mark.line + 2
        return values

    def key(self, node: Any) -> str:
        """A name is text; ``{{title}}`` of a template is a mapping to YAML, and is taken as written."""
        if isinstance(node, yaml.ScalarNode):
            return str(node.value)
        return self.text[node.start_mark.index : node.end_mark.index].strip()


_BY_FIRST = {
    letter: [(_TAG + name, re.compile(pattern)) for name, pattern, first in _IMPLICIT if letter in first]
    for letter in "nNtTfF0123456789"
}


def _plain(text: str) -> Json:
    """A text without quotes that begins with a letter or a digit."""
    for tag, pattern in _BY_FIRST.get(text[0], ()):
        if pattern.match(text):
            return _scalar(tag, text)
    return text


def _scalar(tag: str, text: str) -> Json:
    if tag == _TAG + "null":
        return None
    if tag == _TAG + "bool":
        return text.lower() == "true"
    if tag == _TAG + "int":
        return int(text) if text.lstrip("+-").isdigit() and len(text) <= 19 else text
    if tag == _TAG + "float":
        try:
            number = float(text)
        except ValueError:
            return text
        return number if math.isfinite(number) else text
    return text
