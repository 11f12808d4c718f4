"""The blocks that most notes are made of, found without markdown-it-py: paragraphs, headings, fences, lists.

One regular expression a block instead of nine rules a line. What it does not know for sure it leaves to the
full parser, from the block's start to the next line at which a block certainly begins. A test holds that both
say the same of any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Block", "Fence", "Heading", "Items", "Paragraph", "Rule", "Unknown", "quick_blocks", "trim"]

_BLANKS_OF_COMMONMARK = "\t\n\v\f\r \xa0\u1680\u202f\u205f\u3000\u2028\u2029" + "".join(
    chr(code) for code in range(0x2000, 0x200B)
)
# How a line begins that is text wherever it stands: no block of any kind, no underline, no row of a table.
_PLAIN = (
    r"(?:[^\s#>|:=~`$<\-+*_0-9]|\*{1,3}(?=[^\s*])|_{1,3}(?=[^\s_])|`{1,2}(?=[^\s`])|\$(?=[^\s$])|={1,2}(?=[^\s=])"
    r"|~{1,2}(?=[^\s~])|-(?=[^\s\-:|])|\+(?=[^\s+])|:(?=[^\s:\-|])|[0-9]+(?![0-9.)]))"
)
_END = r"(?:\n|\Z)"
_FENCE = r"(?:(?P<ticks>`{3,})(?P<tick_info>[^`\n]*)|(?P<tildes>~{3,})(?P<tilde_info>[^\n]*))"
_BULLET = r"(?:[-*+]|[0-9]{1,9}[.)])"
_BLOCK = re.compile(
    rf"(?P<blank>(?>(?:[ \t]*+\n)+)|[ \t]++\Z)"
    rf"|(?P<text>(?>(?:{_PLAIN}[^\n]*+{_END})+))"
    rf"|(?P<marks>\#{{1,6}})(?P<title>[ \t][^\n]*+)?{_END}"
    rf"|{_FENCE}{_END}"
    rf"|(?P<rule>(?:-{{3,}}|\*{{3,}}|_{{3,}})[ \t]*+){_END}"
    rf"|(?P<math>\$\$)"
    rf"|(?P<item>{_BULLET}[ ]{{1,4}}{_PLAIN})"
)
# What ends a paragraph, or a list, without an empty line before it.
_ENDS_TEXT = re.compile(
    rf"\#{{1,6}}(?:[ \t]|$)|>|{_FENCE}$|[-*+][ ]{{1,4}}{_PLAIN}|1[.)][ ]{{1,4}}{_PLAIN}", re.M
)
_ENDS_LIST = re.compile(rf"\#{{1,6}}(?:[ \t]|$)|>|{_FENCE}$|-{{3,}}[ \t]*$", re.M)
_ROW = re.compile(r"[ \t|:\-]")  # how the second line of a table begins
# Where a block certainly begins, after an empty line.
_BEGINS = re.compile(rf"(?:^|(?<=\n))[ \t]*\n(?={_PLAIN}|\#{{1,6}}(?:[ \t]|$)|{_FENCE}$)", re.M)
# What may hold on past an empty line: code, math, HTML that has an end of its own.
_HOLDS_ON = re.compile(r"```|~~~|\$\$|<(?:script|pre|style|textarea|!|\?)", re.I)
_ITEM = re.compile(
    rf"(?P<indent>\t*|[ ]*)(?P<mark>{_BULLET})(?P<gap>[ ]{{1,4}})(?P<text>{_PLAIN}[^\n]*+){_END}"
)
_EMPTY = re.compile(r"(?>(?:[ \t]*+\n)+)(?:[ \t]++\Z)?|[ \t]++\Z")
_CLOSED = {mark: re.compile(rf"\n[ ]{{0,3}}({mark}{{3,}})[ \t]*(?=\n|\Z)") for mark in "`~"}
_MAX_DEPTH = 20  # levels of a list; markdown-it-py gives up at thirty


@dataclass(slots=True)
class Paragraph:
    """Lines ``start`` to ``end`` (from 0, end excluded), as all of these."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class Heading:
    start: int
    level: int
    title: str


@dataclass(slots=True)
class Fence:
    start: int
    end: int
    info: str


@dataclass(slots=True)
class Rule:
    start: int


@dataclass(slots=True)
class Items:
    """A list: each item's line and text, and the lines of those that are in no other."""

    start: int
    end: int
    items: tuple[tuple[int, str], ...]
    parts: tuple[int, ...]


@dataclass(slots=True)
class Unknown:
    """A stretch for the full parser; ``text`` begins on line ``start``."""

    start: int
    text: str


Block = Paragraph | Heading | Fence | Rule | Items | Unknown


def trim(text: str) -> str:
    """Without white space at both ends, as CommonMark counts it."""
    return text.strip(_BLANKS_OF_COMMONMARK)


def quick_blocks(text: str) -> Iterator[Block]:
    """The blocks at the top level of a body with ``\\n`` line ends, in order. Linear in the text."""
    pos = line = 0
    while pos < len(text):
        match = _BLOCK.match(text, pos)
        if match is None or (block := _block(text, match, line)) is None:
            end = _next_start(text, pos)
            yield Unknown(line, text[pos:end])
        else:
            end = block[1]
            if block[0] is not None:
                yield block[0]
        line += text.count("\n", pos, end)
        pos = end


def _block(text: str, match: re.Match[str], line: int) -> tuple[Block | None, int] | None:
    """The block and where it ends, (None, end) for empty lines; None where it takes the full parser."""
    kind, end = match.lastgroup, match.end()
    if kind == "blank":
        return None, end
    if kind == "text":
        return _paragraph(text, match, line)
    if kind == "item":
        return _list(text, match.start(), line)
    if kind == "math":
        return _math(text, match.start(), line)
    if "|" in match.group() and _ROW.match(text, end):
        return None  # the first row of a table may look like anything
    if kind in ("title", "marks"):
        return Heading(line, len(match["marks"]), _title(match["title"] or "")), end
    return (Rule(line), end) if kind == "rule" else _fence(text, match, line)


def _paragraph(text: str, match: re.Match[str], line: int) -> tuple[Block, int] | None:
    end = match.end()
    if end < len(text) and not _ends(text, end, _ENDS_TEXT) and not _EMPTY.match(text, end):
        return None
    written = match.group()
    count = written.count("\n") + (written[-1] != "\n")
    return Paragraph(line, line + count, trim(written)), end


def _ends(text: str, pos: int, marks: re.Pattern[str]) -> bool:
    """Whether the line at ``pos`` ends what stands before it, without an empty line."""
    return marks.match(text, pos) is not None or (text.startswith("$$", pos) and _math_end(text, pos) > 0)


def _math(text: str, pos: int, line: int) -> tuple[Block, int] | None:
    end = _math_end(text, pos)
    first = text.find("\n", pos) + 1
    if end < 0 or (first and "|" in text[pos:first] and _ROW.match(text, first)):
        return None
    return Fence(line, line + text.count("\n", pos, end) + (text[end - 1] != "\n"), ""), end


def _math_end(text: str, pos: int) -> int:
    """Behind the line of the next ``$$``; -1 where there is none, or text follows it on its line."""
    close = text.find("$$", pos + 2)
    if close < 0:
        return -1
    end = text.find("\n", close)
    end = len(text) if end < 0 else end + 1
    return -1 if text[close + 2 : end].strip() else end


def _title(title: str) -> str:
    """Without the marks that may close a heading."""
    title = title.rstrip(" \t")
    bare = title.rstrip("#")
    return trim(bare if bare != title and bare[-1:] in (" ", "\t") else title)


def _fence(text: str, match: re.Match[str], line: int) -> tuple[Block, int]:
    marks = match["ticks"] or match["tildes"]
    info = (match["tick_info"] or match["tilde_info"] or "").strip()
    for close in _CLOSED[marks[0]].finditer(text, match.end() - 1):
        if len(close[1]) >= len(marks):
            end = min(close.end() + 1, len(text))
            return Fence(line, line + text.count("\n", match.start(), close.end()) + 1, info), end
    lines = text.count("\n", match.start()) + bool(text.rpartition("\n")[2].strip(" \t"))
    return Fence(line, line + lines, info), len(text)


def _next_start(text: str, pos: int) -> int:
    """Where the next block certainly begins, so that what lies before can be parsed by itself."""
    match = _BEGINS.search(text, pos)
    if match is None or _HOLDS_ON.search(text, pos, match.end()):
        return len(text)
    return match.end()


def _list(text: str, pos: int, line: int) -> tuple[Block, int] | None:
    """A list whose items are one paragraph each, at any depth; None where it is more than that."""
    reader = _ListReader(line)
    at, empty = pos, False
    while at < len(text):
        match = _ITEM.match(text, at)
        if match is not None:
            if not reader.item(match, empty):
                return None
            at, empty = match.end(), False
            continue
        if (blank := _EMPTY.match(text, at)) is not None:
            reader.line += text.count("\n", at, blank.end())
            at, empty = blank.end(), True
            continue
        more = _MORE.match(text, at)
        if more is not None and not empty:
            reader.more(more)
            at = more.end()
        elif (more and not more["indent"]) or _ends(text, at, _ENDS_LIST):
            break
        else:
            return None
    return Items(line, reader.line, reader.texts(), tuple(reader.parts)), at


_MORE = re.compile(rf"(?P<indent>[ ]*)(?P<text>{_PLAIN}[^\n]*+){_END}")


class _ListReader:
    """Follows the indentation of a list's items by CommonMark's rules."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.items: list[tuple[int, list[str]]] = []
        self.parts: list[int] = []
        self.kind = ""  # the marker of the list at the top
        self.levels: list[
            tuple[int, int]
        ] = []  # open items: column of the content, and of the item around it

    def item(self, match: re.Match[str], empty: bool) -> bool:
        """Take an item; False where the line is no item, or of another list."""
        indent, mark = match["indent"], match["mark"]
        column = 4 * len(indent) if indent.startswith("\t") else len(indent)
        if not empty and self.levels and self.levels[-1][1] + 4 <= column < self.levels[-1][0]:
            return False  # such a line goes on with the paragraph
        inner = bool(self.levels) and column >= self.levels[-1][0]
        while self.levels and column < self.levels[-1][0]:
            self.levels.pop()
        around = self.levels[-1][0] if self.levels else 0
        if column - around > 3 or len(self.levels) >= _MAX_DEPTH:
            return False
        if inner and not empty and mark[0].isdigit() and int(mark[:-1]) != 1:
            return False
        if not self.levels:
            if column or (self.kind and self.kind != mark[-1]):
                return False
            self.kind = mark[-1]
            self.parts.append(self.line)
        self.levels.append((column + len(mark) + len(match["gap"]), around))
        self.items.append((self.line, [match["text"]]))
        self.line += 1
        return True

    def more(self, match: re.Match[str]) -> None:
        """Another line of the last item's paragraph, its indentation gone as far as it is the item's."""
        beyond = len(match["indent"]) - self.levels[-1][0]
        self.items[-1][1].append(" " * max(0, beyond) + match["text"])
        self.line += 1

    def texts(self) -> tuple[tuple[int, str], ...]:
        return tuple((line, trim("\n".join(lines))) for line, lines in self.items)
