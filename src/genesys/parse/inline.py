"""Links and tags in a stretch of text, by Obsidian's rules, in one pass.

Code spans, math, HTML comments and HTML tags are stepped over; ``%%`` comments are read. Everything is
linear in the text: a token that finds no end is not looked for again.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import unquote

__all__ = ["Found", "Scan", "scan", "split_target", "tag_name"]

_PUNCTUATION = r"!-/:-@\[-`{-~"
_TOKEN = re.compile(
    rf"\\[{_PUNCTUATION}]"
    r"|`+|\$+|<!--"
    r"|<(?:[A-Za-z/?]|![A-Za-z])[^<>\n]{0,2000}+>"
    r"|!?\[\[(?!\[)((?>(?:[^\[\]\n]|\[(?!\[)|\](?!\]))*))\]\]"
    r"|!?\[|\]|\#"
)
# Not white space, not ASCII punctuation but _ - /, not general or supplemental punctuation (R40).
_TAG = re.compile(r"[^\s!-,.:-@\[-^`{-~\u2000-\u206f\u2e00-\u2e7f]++")
_DIGITS = re.compile(r"[0-9]+")
_NEXT_DOLLAR = re.compile(r"(?<!\\)\$")
_MATH_END = re.compile(r"(?<!\s)\$(?![$0-9])")
_TICKS = re.compile(r"`+")
_DESTINATION_STEP = re.compile(r"[\s\\()<]")
_ANGLE = re.compile(r"<((?>(?:[^<>\n\\]|\\.)*))>")
_TITLE_AND_END = re.compile(
    r"(?:[ \t\n]++(?:\"(?>(?:[^\"\\]|\\.)*)\"|'(?>(?:[^'\\]|\\.)*)'|\((?>(?:[^()\\]|\\.)*)\)))?"
    r"[ \t\n]*+\)",
    re.DOTALL,
)
_BLANKS = re.compile(r"[ \t\n]*+")
_ESCAPE = re.compile(rf"\\([{_PUNCTUATION}])")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]{1,31}:|//)")
_DEFINITION = re.compile(
    r"^ {0,3}\[(?!\^)[^\[\]\n]{1,200}\]:[ \t]*(?:<([^<>\n]+)>|(\S+))[ \t]*(?:[\"'(].*)?$", re.MULTILINE
)
_FILE_LIKE = re.compile(r"\.[A-Za-z0-9]{1,8}(?:#.*)?$")
_MAX_PARENS = 32  # CommonMark's own bound


@dataclass(slots=True)
class Found:
    """A link as it stands at ``text[start:end]``; ``subpath`` keeps its ``#``."""

    embed: bool
    target: str
    subpath: str
    start: int
    end: int


@dataclass(slots=True)
class Scan:
    """``tags`` are without ``#``, in order. ``comment`` is True where an HTML comment was left open."""

    links: list[Found] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    comment: bool = False


def scan(text: str, *, open_comment: bool = True) -> Scan:
    """Return the links and tags of ``text``: the content of one block, markers of lists and quotes gone.

    With ``open_comment`` a ``<!--`` without end hides the rest and is reported; else it is text.
    """
    if _INTRICATE.search(text) is None:
        return _plain_scan(text)
    return _Scanner(text, open_comment).run()


# Without any of these only wikilinks and tags are to be found, and none hides another.
_INTRICATE = re.compile(r"[`$<\\]|\](?=[(:])")
_PLAIN_TOKEN = re.compile(r"!?\[\[(?!\[)((?>(?:[^\[\]\n]|\[(?!\[)|\](?!\]))*))\]\]|(?:(?<=\s)|(?<![\s\S]))\#")


def _plain_scan(text: str) -> Scan:
    out = Scan()
    for match in _PLAIN_TOKEN.finditer(text):
        inner = match.group(1)
        if inner is None:
            written = _TAG.match(text, match.end())
            if written is not None and (name := tag_name(written.group())):
                out.tags.append(name)
        elif (parts := split_target(inner)) is not None:
            start, end = match.span()
            out.links.append(Found(text[start] == "!", parts[0], parts[1], start, end))
    return out


def tag_name(text: str) -> str:
    """Return the tag that ``text`` begins with (after ``#``), "" where there is none."""
    match = _TAG.match(text)
    name = match.group().rstrip("/") if match else ""
    return "" if not name or _DIGITS.fullmatch(name) else name


def split_target(inner: str) -> tuple[str, str] | None:
    """Return target and subpath of what stands between ``[[`` and ``]]``, None where that is nothing."""
    head, bar, _ = inner.partition("|")
    if bar:
        head = head.removesuffix("\\")  # a table writes the bar as \|
    target, hash_, rest = head.partition("#")
    target, rest = target.strip(), rest.strip()
    if not target and not rest:
        return None
    return target, hash_ + rest if rest else ""


class _Scanner:
    def __init__(self, text: str, open_comment: bool) -> None:
        self.text = text
        self.open_comment = open_comment
        self.out = Scan()
        self.tags: list[tuple[int, str]] = []
        self.open: list[tuple[int, bool]] = []  # (place of "[", is it an image)
        self.tick_runs: dict[int, list[int]] | None = None
        self.no_display = False

    def run(self) -> Scan:
        text, search, pos = self.text, _TOKEN.search, 0
        while (match := search(text, pos)) is not None:
            pos = self.token(match)
        if "]:" in text:
            self.definitions()
        self.out.tags = [name for _, name in self.tags]
        self.out.links.sort(key=_start)
        return self.out

    def token(self, match: re.Match[str]) -> int:
        """Handle one token and return where to go on."""
        start, end = match.span()
        if match.group(1) is not None:
            self.wikilink(match)
            return end
        first = self.text[start]
        if first == "`":
            return self.code(start, end)
        if first == "$":
            return self.math(start, end)
        if first == "<":
            return self.comment(end) if end - start == 4 and match.group() == "<!--" else end
        if first == "#":
            return self.tag(start, end)
        if first == "]":
            return self.close(start, end)
        if first != "\\":
            self.open.append((start, first == "!"))
        return end

    def wikilink(self, match: re.Match[str]) -> None:
        parts = split_target(match.group(1))
        if parts is not None:
            start, end = match.span()
            self.out.links.append(Found(self.text[start] == "!", parts[0], parts[1], start, end))

    def code(self, start: int, end: int) -> int:
        """A code span ends at the next run of as many backticks; without one the ticks are text."""
        if self.tick_runs is None:
            self.tick_runs = {}
            for run in _TICKS.finditer(self.text, start):
                self.tick_runs.setdefault(run.end() - run.start(), []).append(run.start())
        places = self.tick_runs.get(end - start, [])
        index = bisect_left(places, end)
        return places[index] + end - start if index < len(places) else end

    def math(self, start: int, end: int) -> int:
        if end - start > 1:
            close = -1 if self.no_display else self.text.find("$$", end)
            self.no_display = close < 0
            return end if close < 0 else close + 2
        if self.text[end : end + 1].isspace():
            return end
        dollar = _NEXT_DOLLAR.search(self.text, end)
        if dollar is None or not _MATH_END.match(self.text, dollar.start()):
            return end  # a price: the next dollar closes nothing
        return dollar.end()

    def comment(self, end: int) -> int:
        close = self.text.find("-->", end)
        if close >= 0:
            return close + 3
        if not self.open_comment:
            return end
        self.out.comment = True
        return len(self.text)

    def tag(self, start: int, end: int) -> int:
        if start and not self.text[start - 1].isspace():
            return end
        match = _TAG.match(self.text, end)
        if match is None:
            return end
        name = tag_name(match.group())
        if name:
            self.tags.append((start, name))
        return match.end()

    def close(self, start: int, end: int) -> int:
        """``]`` ends a link where ``(`` follows; the text between the brackets holds no tags then."""
        if not self.open:
            return end
        opening, image = self.open.pop()
        if not self.text.startswith("(", end):
            return end
        parsed = _destination(self.text, end + 1)
        if parsed is None:
            return end
        raw, after = parsed
        while self.tags and self.tags[-1][0] > opening:
            self.tags.pop()
        self.add_markdown(raw, image, opening, after)
        if not image:
            self.open.clear()  # links hold no links
        return after

    def add_markdown(self, raw: str, image: bool, start: int, end: int) -> None:
        if _SCHEME.match(raw):
            return
        parts = _markdown_target(raw)
        if parts is not None:
            self.out.links.append(Found(image, parts[0], parts[1], start, end))

    def definitions(self) -> None:
        """``[label]: note.md`` on a line: the destination of reference links."""
        for match in _DEFINITION.finditer(self.text):
            raw = match.group(1) or match.group(2)
            if _FILE_LIKE.search(raw[-300:]):
                self.add_markdown(raw, False, match.start(), match.end())


def _start(link: Found) -> int:
    return link.start


def _markdown_target(raw: str) -> tuple[str, str] | None:
    """Percent-decode, then cut at ``#``, as Obsidian does; a stray ``%`` leaves the text as it is."""
    text = _ESCAPE.sub(r"\1", raw) if "\\" in raw else raw
    if "&" in text:
        text = _ENTITY.sub(lambda m: html.unescape(m.group()), text)
    if "%" in text:
        with suppress(UnicodeDecodeError):
            text = unquote(text, errors="strict")
    target, hash_, rest = text.partition("#")
    target, rest = target.strip(), rest.strip()
    if not target and not rest:
        return None
    return target, hash_ + rest if rest else ""


def _destination(text: str, pos: int) -> tuple[str, int] | None:
    """Return (destination, end of the link) for what follows ``](``, None where it makes no link."""
    blanks = _BLANKS.match(text, pos)
    pos = blanks.end() if blanks else pos
    if text.startswith("<", pos):
        angle = _ANGLE.match(text, pos)
        if angle is None:
            return None
        raw, pos = angle.group(1), angle.end()
    else:
        end = _plain_end(text, pos)
        if end is None:
            return None
        raw, pos = text[pos:end], end
    close = _TITLE_AND_END.match(text, pos)
    return None if close is None else (raw, close.end())


def _plain_end(text: str, pos: int) -> int | None:
    """Return where a destination without angle brackets ends: at white space or its own ``)``."""
    depth = 0
    for step in _steps(text, pos):
        mark = step.group()
        if mark == "(":
            depth += 1
            if depth > _MAX_PARENS:
                return None
        elif mark == ")":
            if depth == 0:
                return step.start()
            depth -= 1
        elif mark.isspace():
            return step.start() if depth == 0 else None
    return None


def _steps(text: str, pos: int) -> Iterator[re.Match[str]]:
    while (match := _DESTINATION_STEP.search(text, pos)) is not None:
        yield match
        pos = match.end() + (1 if match.group() == "\\" else 0)
