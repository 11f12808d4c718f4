"""The blocks of a body: which lines are text, headings, code, tables, and where each begins.

What most notes are made of is found by :mod:`.quick`; markdown-it-py's block rules do the rest, without its
inline pass. One rule of our own knows math blocks.
A body that is very large, or nested beyond reason, is read line by line instead (:mod:`.plain`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from genesys.parse.quick import Block, Fence, Heading, Items, Paragraph, Rule, Unknown, quick_blocks

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

__all__ = ["Body", "Role", "Text", "Unit", "UnitKind", "read_body", "read_markdown", "read_tokens"]

MAX_PARSED_CHARS = 2_000_000
_MAX_NESTING = 60  # levels of lists and quotes; an item takes two
_COMMENT_END = "-->"


class Role(StrEnum):
    """What a stretch of text is, as far as fields and sentences care."""

    PARAGRAPH = "paragraph"
    ITEM = "item"  # the first paragraph of a list item
    HEADING = "heading"
    CELL = "cell"


@dataclass(slots=True)
class Text:
    """A stretch in which links, tags and fields count; ``line`` is the body's, from 0.

    ``row`` is what a table's row says, for evidence; "" elsewhere.
    """

    content: str
    line: int
    role: Role = Role.PARAGRAPH
    row: str = ""


class UnitKind(StrEnum):
    PROSE = "prose"  # may be split at sentences
    LINES = "lines"  # lists, quotes, html: split at lines first
    CODE = "code"
    TABLE = "table"
    HEADING = "heading"


@dataclass(slots=True)
class Unit:
    """A block at the top level, lines ``start`` to ``end`` (from 0, end excluded).

    ``parts`` are the first lines of a list's items. A heading has ``level`` and ``title`` as written, a
    code block the ``info`` behind its fence.
    """

    kind: UnitKind
    start: int
    end: int
    parts: tuple[int, ...] = ()
    level: int = 0
    title: str = ""
    info: str = ""


@dataclass(slots=True)
class Body:
    texts: Sequence[Text]
    units: Sequence[Unit]


def read_body(text: str) -> Body:
    """Return the blocks of a body with ``\\n`` line ends. Linear in the text, whatever it holds."""
    if len(text) <= MAX_PARSED_CHARS:
        try:
            return read_markdown(text)
        except (RecursionError, _TooDeepError):
            pass
    from genesys.parse.plain import read_plain

    return read_plain(text)


def read_markdown(text: str) -> Body:
    """:func:`read_body` the quick way, with markdown-it-py for what that does not know."""
    return _Reader(text.split("\n")).read(quick_blocks(text))


def read_tokens(text: str) -> Body:
    """:func:`read_body` by markdown-it-py alone: what the quick way is held to."""
    return _Reader(text.split("\n")).read((Unknown(0, text),))


class _TooDeepError(Exception):
    """Nesting went past the bound, where markdown-it-py loses text."""


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table")
    # A footnote `[^1]: [[x]]` would pass for a link definition and vanish; ours are read in inline.py.
    parser.disable("reference")
    parser.block.ruler.before("fence", "math", _math_block, {"alt": ["paragraph", "blockquote", "list"]})
    return parser


def _math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``$$`` at the start of a line, up to the line that holds the next ``$$``; unclosed it is text."""
    pos = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith("$$", pos) or state.is_code_block(start):
        return False
    close = state.src.find("$$", pos + 2, state.eMarks[end - 1])
    if close < 0:
        return False
    last = start
    while state.eMarks[last] < close + 2:
        last += 1
    if state.src[close + 2 : state.eMarks[last]].strip():
        return False  # text follows on the line: the inline scan steps over the math
    if not silent:
        token = state.push("math_block", "math", 0)
        token.map = [start, last + 1]
        state.line = last + 1
    return True


def _tokens(text: str) -> list[Token]:
    parser = _parser()
    tokens: list[Token] = []
    parser.block.parse(text, parser, {}, tokens)
    if any(token.level >= _MAX_NESTING - 1 for token in tokens):
        raise _TooDeepError
    return tokens


class _Reader:
    """Walks the blocks once and keeps what the rest of the room needs."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.texts: list[Text] = []
        self.units: list[Unit] = []
        self.first_of_item = False
        self.in_footnote = False
        self.cells: list[tuple[str, int]] = []

    def read(self, blocks: Iterable[Block]) -> Body:
        for block in blocks:
            if isinstance(block, Unknown):
                self.unknown(block)
            else:
                self.known(block)
        return Body(self.texts, self.without_gaps())

    def known(self, block: Paragraph | Heading | Fence | Rule | Items) -> None:
        start, units, texts = block.start, self.units, self.texts
        if isinstance(block, Items):
            texts += [Text(content, line, Role.ITEM) for line, content in block.items]
            self.first_of_item = False
            units.append(Unit(UnitKind.LINES, start, block.end, block.parts))
        elif isinstance(block, Paragraph):
            content = block.text
            self.in_footnote = content[:2] == "[^" and _FOOTNOTE.match(content) is not None
            texts.append(Text(content, start, Role.ITEM if self.first_of_item else Role.PARAGRAPH))
            self.first_of_item = False
            units.append(Unit(UnitKind.PROSE, start, block.end))
        elif isinstance(block, Heading):
            texts.append(Text(block.title, start, Role.HEADING))
            self.first_of_item = False
            units.append(Unit(UnitKind.HEADING, start, start + 1, (), block.level, block.title))
        elif isinstance(block, Fence):
            units.append(Unit(UnitKind.CODE, start, block.end, info=block.info))
        else:
            units.append(Unit(UnitKind.LINES, start, start + 1))

    def text(self, content: str, line: int, role: Role | None = None) -> None:
        if role is None:
            role = Role.ITEM if self.first_of_item else Role.PARAGRAPH
        self.first_of_item = False
        self.texts.append(Text(content, line, role))

    def unknown(self, block: Unknown) -> None:
        tokens = _tokens(block.text)
        for token in tokens:
            if token.map and block.start:
                token.map = [line + block.start for line in token.map]
        self.tokens(tokens)

    def tokens(self, tokens: Sequence[Token]) -> None:
        for index, token in enumerate(tokens):
            if token.type == "inline":
                self.inline(token, tokens[index - 1])
            elif token.level == 0 and token.map and token.nesting >= 0:
                self.unit(token, tokens, index)
            elif token.type == "list_item_open":
                self.first_of_item = True
            if token.type == "tr_close":
                self.row()
            elif token.type == "html_block" and token.map:
                self.html(token.content, token.map[0])

    def inline(self, token: Token, opened: Token) -> None:
        line = token.map[0] if token.map else 0
        if opened.type in ("th_open", "td_open"):
            self.cells.append((token.content, line))
            return
        heading = opened.type == "heading_open" and not _underlined(opened)
        self.text(token.content, line, Role.HEADING if heading else None)

    def row(self) -> None:
        row = " | ".join(content for content, _ in self.cells if content)
        self.texts += [Text(content, line, Role.CELL, row) for content, line in self.cells if content]
        self.cells = []

    def html(self, content: str, line: int) -> None:
        """An HTML block is left alone, but what follows a comment on its last line is text."""
        if not content.lstrip().startswith("<!--"):
            return
        before, end, after = content.partition(_COMMENT_END)
        if end and after.strip():
            self.texts.append(Text(after.strip(), line + before.count("\n")))

    def unit(self, token: Token, tokens: Sequence[Token], index: int) -> None:
        start, end = token.map or (0, 0)
        kind = _KINDS.get(token.type, UnitKind.LINES)
        if kind is UnitKind.HEADING:
            title = tokens[index + 1].content
            if _underlined(token) and ("\n" in title or len(title) > _MAX_UNDERLINED):
                self.units.append(Unit(UnitKind.PROSE, start, end))
            else:
                self.units.append(Unit(kind, start, end, level=int(token.tag[1]), title=title))
            return
        if kind is UnitKind.PROSE:
            self.in_footnote = _FOOTNOTE.match(tokens[index + 1].content) is not None
        elif token.type == "code_block" and self.in_footnote:
            # Obsidian reads the indented paragraphs of a footnote; CommonMark knows no footnotes.
            self.texts.append(Text(token.content.rstrip("\n"), start))
            kind = UnitKind.PROSE
        parts = _item_lines(tokens, index) if token.type.endswith("_list_open") else ()
        self.units.append(Unit(kind, start, end, parts, info=token.info.strip()))

    def without_gaps(self) -> list[Unit]:
        """The units, and each line that no block claimed as a unit of its own."""
        units: list[Unit] = []
        at = 0
        for unit in self.units:
            if at < unit.start and self.holds_text(at, unit.start):
                units.append(Unit(UnitKind.LINES, at, unit.start))
            units.append(unit)
            at = max(at, unit.end)
        if at < len(self.lines) and self.holds_text(at, len(self.lines)):
            units.append(Unit(UnitKind.LINES, at, len(self.lines)))
        return units

    def holds_text(self, start: int, end: int) -> bool:
        return not "".join(self.lines[start:end]).isspace() and any(self.lines[start:end])


def _underlined(heading: Token) -> bool:
    """A paragraph above a rule is a heading to Markdown; mostly nobody meant one."""
    return not heading.markup.startswith("#")


_MAX_UNDERLINED = 120  # characters
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]+\]:")
_KINDS = {
    "heading_open": UnitKind.HEADING,
    "paragraph_open": UnitKind.PROSE,
    "fence": UnitKind.CODE,
    "code_block": UnitKind.CODE,
    "math_block": UnitKind.CODE,
    "table_open": UnitKind.TABLE,
}


def _item_lines(tokens: Sequence[Token], index: int) -> tuple[int, ...]:
    starts = []
    while (token := tokens[index := index + 1]).level:
        if token.level == 1 and token.type == "list_item_open" and token.map:
            starts.append(token.map[0])
    return tuple(starts)
