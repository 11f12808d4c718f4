"""Blocks without a markdown parser: for bodies of megabytes, and for nesting that no person writes."""

from __future__ import annotations

import re

from genesys.parse.body import Body, Role, Text, Unit, UnitKind

__all__ = ["read_plain"]

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_MARKS = re.compile(r"[ \t]*+(?>(?:>[ \t]*+|[-*+][ \t]++|[0-9]{1,9}[.)][ \t]++)*)")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
_CODE = re.compile(r"(?: {4}|\t)")
_MAX_RUN = 50  # lines of one block


def read_plain(text: str) -> Body:
    """Return the blocks of a body by its lines alone: fences, math, comments, headings, paragraphs."""
    return _Lines(text.split("\n")).read()


class _Lines:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.texts: list[Text] = []
        self.units: list[Unit] = []
        self.run = 0  # first line of the paragraph that is being collected

    def read(self) -> Body:
        at = 0
        while at < len(self.lines):
            at = self.step(at)
        self.flush(len(self.lines))
        return Body(self.texts, self.units)

    def step(self, at: int) -> int:
        line = self.lines[at]
        bare = line.strip()
        if not bare:
            self.flush(at)
            self.run = at + 1
            return at + 1
        if fence := _FENCE.match(line):
            return self.skip(at, fence.group(1))
        if bare.startswith("$$") and "$$" not in bare[2:]:
            return self.skip(at, "$$")
        if bare.startswith("<!--") and "-->" not in bare:
            return self.skip(at, "-->")
        if heading := _HEADING.match(line):
            return self.heading(at, heading)
        if _CODE.match(line) and self.run == at and not _ITEM.match(line):
            return self.indented(at)
        if at - self.run >= _MAX_RUN or (at > self.run and _ITEM.match(line)):
            self.flush(at)
        return at + 1

    def flush(self, end: int) -> None:
        """Close the paragraph before line ``end``."""
        if self.run < end:
            taken = self.lines[self.run : end]
            role = Role.ITEM if _ITEM.match(taken[0]) else Role.PARAGRAPH
            content = "\n".join(_MARKS.sub("", line, count=1) for line in taken)
            self.texts.append(Text(content, self.run, role))
            self.units.append(Unit(UnitKind.LINES if role is Role.ITEM else UnitKind.PROSE, self.run, end))
        self.run = end

    def skip(self, at: int, mark: str) -> int:
        """Take a block in which nothing counts, up to the line that closes it or the last one."""
        self.flush(at)
        end = at + 1
        while end < len(self.lines) and mark not in self.lines[end]:
            end += 1
        end = min(end + 1, len(self.lines))
        self.units.append(Unit(UnitKind.LINES if mark == "-->" else UnitKind.CODE, at, end))
        self.run = end
        return end

    def heading(self, at: int, match: re.Match[str]) -> int:
        self.flush(at)
        title = match.group(2).rstrip().rstrip("#").rstrip()
        self.texts.append(Text(title, at, Role.HEADING))
        self.units.append(Unit(UnitKind.HEADING, at, at + 1, level=len(match.group(1)), title=title))
        self.run = at + 1
        return at + 1

    def indented(self, at: int) -> int:
        end = at
        while end < len(self.lines) and (_CODE.match(self.lines[end]) or not self.lines[end].strip()):
            end += 1
        self.units.append(Unit(UnitKind.CODE, at, end))
        self.run = end
        return end
