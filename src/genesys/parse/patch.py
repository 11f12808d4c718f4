"""Write-back as an edit of bytes: our own flat ``genesys_*`` lines come, change and go, nothing else does.

- A line we change keeps a comment that a person put behind it; a line we remove takes it along.
- A line that already says what is wanted stays as it is, however it is written (``0.5`` for ``0.50``).
- A note without properties gets a block of its own; once that block holds nothing but our lines, it
  goes with the last of them. A block that was there before us and empty is told apart by
  :data:`EMPTY_MARK` behind our first line in it.
- Every edit is parsed before and after; where a person's property would read differently, or a reader
  might disagree with ours about the block, the note is left alone (:class:`WriteRefused`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from genesys.errors import WriteRefused
from genesys.parse.patch_yaml import Pair, Root, read_block

__all__ = ["EMPTY_MARK", "PREFIX", "Value", "patch", "refusal", "unpatch"]

Value: TypeAlias = None | bool | int | float | str | datetime

PREFIX = "genesys_"
EMPTY_MARK = "  # this block was empty"

_BOM = b"\xef\xbb\xbf"
_OURS = PREFIX.encode()
_KEY = re.compile(r"genesys_[a-z0-9_]+")
_CLOSING = re.compile(rb"---[ \t]*\r?\n?")
_PLAIN = re.compile(r"[^\W\d_](?:[\w ./-]*\w)?")  # letters first: no number, date or indicator
_YAML_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
_MUST_ESCAPE = re.compile('[\\x00-\\x1f"\\\\\\x7f-\\xa0\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]')


@dataclass(frozen=True, slots=True)
class _Layout:
    """A note cut up; joining the parts gives it back. ``opening`` is empty where there is no block."""

    bom: bytes
    opening: bytes
    inner: tuple[bytes, ...]
    closing: bytes
    rest: bytes

    def join(self) -> bytes:
        return b"".join((self.bom, self.opening, *self.inner, self.closing, self.rest))


@dataclass(frozen=True, slots=True)
class _Own:
    """A ``genesys_*`` line: its place among the block's lines, and what stands behind the value.

    ``tail`` is None where the value goes on over several lines.
    """

    line: int
    pair: Pair
    tail: str | None


def patch(raw: bytes, values: Mapping[str, Value]) -> bytes:
    """Return ``raw`` with the properties ``values`` set; None takes a property away.

    Names must match ``genesys_[a-z0-9_]+``. Floats are written with two decimals, date-times to the
    second and without a zone. Patching twice gives the same bytes as patching once, and
    :func:`unpatch` gives ``raw`` back if it had no such line.

    Raises :class:`WriteRefused` where the note must be left alone, ``ValueError`` for a name or a value
    that can't be written (a float that is not finite, a date-time with a zone, half a surrogate pair).
    """
    wanted = {_checked(key): _render(value) for key, value in values.items()}
    layout = _read(raw)
    if not layout.opening:
        return _wrap(layout, wanted)
    return _edit(layout, wanted, values)


def unpatch(raw: bytes, keep: frozenset[str] = frozenset()) -> bytes:
    """Return ``raw`` without its ``genesys_*`` lines, except those of the properties in ``keep``.

    A note that has none comes back as it is, whatever else is wrong with it. Raises
    :class:`WriteRefused` where the lines can't be taken out safely.
    """
    cut = _cut(raw)
    if cut is None or not any(line.startswith(_OURS) for line in cut.inner):
        return raw
    layout = _read(raw)
    wanted: dict[str, str | None] = {own.pair.key: None for own in _own_lines(layout)[1]}
    return _edit(layout, {key: text for key, text in wanted.items() if key not in keep}, {})


def refusal(raw: bytes) -> str:
    """Say why write-back leaves this note alone, in one line; "" where it may write."""
    try:
        patch(raw, {"genesys_status": "active"})
    except WriteRefused as refused:
        return refused.message
    return ""


# ------------------------------------------------------------------ cutting


def _cut(raw: bytes) -> _Layout | None:
    """Cut the note at its fences, as Obsidian does; None where something opens but is no block."""
    bom = _BOM if raw.startswith(_BOM) else b""
    body = raw[len(bom) :]
    if re.match(rb"---[ \t]*(?:[\r\n]|\Z)", body) is None:
        return _Layout(bom, b"", (), b"", body)
    lines: list[bytes] = []
    at = 0
    for line in _lines(body):
        at += len(line)
        if lines and _CLOSING.fullmatch(line):
            if lines[0] not in (b"---\n", b"---\r\n"):
                return None
            return _Layout(bom, lines[0], tuple(lines[1:]), line, body[at:])
        lines.append(line)
    return None


def _lines(data: bytes) -> Iterator[bytes]:
    """Yield lines with their ends. Only a line feed ends one: bytes.splitlines would also split at CR."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        yield data[at:end]
        at = end


def _read(raw: bytes) -> _Layout:
    """Cut a note that may be written to; raises :class:`WriteRefused` for one that may not."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WriteRefused("it is not UTF-8") from error
    if b"\0" in raw:
        raise WriteRefused("it holds NUL bytes")
    if raw.startswith(_BOM + _BOM):
        raise WriteRefused("it starts with two byte-order marks")
    layout = _cut(raw)
    if layout is None:
        raise WriteRefused("its first line is --- but no block of properties follows")
    head = layout.opening + b"".join(layout.inner) + layout.closing
    if b"\r" in head.replace(b"\r\n", b""):
        raise WriteRefused("its properties use the old Mac line end (CR)")
    if layout.inner and layout.inner[0].startswith(_BOM):
        raise WriteRefused("its properties start with a byte-order mark")
    return layout


def _own_lines(layout: _Layout) -> tuple[Root, tuple[_Own, ...]]:
    """Parse the block and find our lines in it; every line that looks like ours must be a property."""
    texts = [line.decode("utf-8") for line in layout.inner]
    root = read_block("".join(texts))
    by_start = {pair.start: pair for pair in root.pairs if pair.bare}
    found: list[_Own] = []
    at = 0
    for number, text in enumerate(texts):
        if text.startswith(PREFIX):
            pair = by_start.get(at)
            if pair is None:
                raise WriteRefused(f"a line that begins with {PREFIX} belongs to another property")
            found.append(_Own(number, pair, _tail(text.rstrip("\r\n"), at, pair)))
        at += len(text)
    return root, tuple(found)


def _tail(text: str, at: int, pair: Pair) -> str | None:
    """Return what stands behind the value on its line: "" or blanks and a comment; None if it goes on."""
    if max(pair.value_start, pair.end) > at + len(text):
        return None
    tail = text[pair.end - at :]
    if not tail.strip():
        return ""
    return tail if tail.lstrip().startswith("#") else None


# ------------------------------------------------------------------ editing


def _wrap(layout: _Layout, wanted: Mapping[str, str | None]) -> bytes:
    """Put a new block in front of a note that has none."""
    body = layout.rest
    feeds = body.count(b"\n")
    eol = "\r\n" if feeds and body.count(b"\r\n") == feeds else "\n"
    lines = tuple(f"{key}: {text}{eol}".encode() for key, text in wanted.items() if text is not None)
    if not lines:
        return layout.join()
    fence = f"---{eol}".encode()
    return replace(layout, opening=fence, inner=lines, closing=fence).join()


def _edit(layout: _Layout, wanted: Mapping[str, str | None], values: Mapping[str, Value]) -> bytes:
    """Change our lines of an existing block, and check that nothing else reads differently."""
    root, owns = _own_lines(layout)
    mine = {own.pair.key: own for own in owns}
    eol = "\r\n" if layout.opening.endswith(b"\r\n") else "\n"
    lines: list[bytes] = list(layout.inner)
    mark = not lines
    for key, text in wanted.items():
        own = mine.get(key)
        if own is None:
            if text is not None:
                _refuse_namesake(key, root)
                lines.append(f"{key}: {text}{eol}".encode())
        elif own.tail is None:
            raise WriteRefused(f"its {key} spans several lines")
        elif text is None:
            lines[own.line] = b""
            mark = mark or own.tail.endswith(EMPTY_MARK)
        elif not _says(own.pair, text, values[key]):
            lines[own.line] = f"{key}: {text}{own.tail}{eol}".encode()
    inner = [line for line in lines if line]
    if not inner and layout.inner and not mark and _starts_as_text(layout.rest):
        return layout.bom + layout.rest
    edited = replace(layout, inner=tuple(inner))
    edited = _marked(edited, eol) if mark else edited
    _verify(root, edited, wanted, values)
    return edited.join()


def _starts_as_text(body: bytes) -> bool:
    """A body that would be read as a block of properties must keep the block before it, even empty."""
    cut = _cut(body)
    return cut is not None and not cut.opening


def _refuse_namesake(key: str, root: Root) -> None:
    """Obsidian takes names without case: a second ``Genesys_Score`` would be the same property twice."""
    for pair in root.pairs:
        if pair.key.casefold() == key:
            raise WriteRefused(f"it has {key} already, written in another way")


def _marked(layout: _Layout, eol: str) -> _Layout:
    """Put :data:`EMPTY_MARK` behind our first line, after a comment that stands there already."""
    for own in _own_lines(layout)[1]:
        if own.tail is not None:
            line = layout.inner[own.line].decode("utf-8").rstrip() + EMPTY_MARK + eol
            inner = (*layout.inner[: own.line], line.encode(), *layout.inner[own.line + 1 :])
            return replace(layout, inner=inner)
    return layout


def _verify(
    old: Root, edited: _Layout, wanted: Mapping[str, str | None], values: Mapping[str, Value]
) -> None:
    """Raise unless the others' properties read as before and ours as wanted."""
    new, owns = _own_lines(edited)
    mine = {own.pair.key: own for own in owns}
    right = _others(old, wanted) == _others(new, wanted)
    if old.signature is not None and new.signature is not None:
        right = right and old.signature == new.signature
    for key, text in wanted.items():
        own = mine.get(key)
        if text is None or own is None:
            right = right and text is None and own is None
        else:
            right = right and own.tail is not None and _says(own.pair, text, values[key])
    if not right:
        raise WriteRefused("its properties would read differently after the edit")


def _others(root: Root, wanted: Mapping[str, str | None]) -> list[object]:
    return [pair.signature for pair in root.pairs if pair.key not in wanted or not pair.bare]


# ------------------------------------------------------------------ values


def _checked(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise ValueError(f"not a property of ours: {key!r}")
    return key


def _render(value: Value) -> str | None:
    """Return the YAML text of a value on one line, None for None."""
    match value:
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            if not math.isfinite(value):
                raise ValueError("a number of a note must be finite")
            return f"{round(value, 2) + 0.0:.2f}"  # + 0.0 makes -0.0 a plain zero
        case datetime():
            if value.tzinfo is not None:
                raise ValueError("a date-time of a note is local and has no zone")
            return value.isoformat(timespec="seconds")
        case str():
            return _render_text(value)
    raise ValueError(f"a property of ours can't hold {type(value).__name__}")


def _render_text(value: str) -> str:
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise ValueError("half a surrogate pair can't be written")
    if _is_plain(value):
        return value
    return '"' + _MUST_ESCAPE.sub(_escape, value) + '"'


def _is_plain(value: str) -> bool:
    return bool(_PLAIN.fullmatch(value)) and value.lower() not in _YAML_WORDS


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    return "\\" + char if char in '"\\' else f"\\u{ord(char):04x}"


def _says(pair: Pair, text: str, value: Value) -> bool:
    """Does the line already hold the value, in whatever notation?"""
    have = pair.scalar
    if have is None:
        return False
    if isinstance(value, str):
        return have == value and (not pair.plain or _is_plain(value))
    if isinstance(value, datetime):
        return have.replace(" ", "T", 1) == text
    if isinstance(value, bool):
        return pair.plain and have == text
    return pair.plain and _number(have) == float(text)


def _number(text: str) -> float | None:
    """Read a number as every YAML reader does; no underscores, no octal or hexadecimal ones."""
    return float(text) if re.fullmatch(r"[-+]?(0|[1-9]\d*)(\.\d*)?", text, re.ASCII) else None
