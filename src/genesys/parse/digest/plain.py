"""Conversations as text: turns that begin with "User:", "**Assistant:**", "## Human" or "助手：". Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator

from genesys.parse.digest.values import MAX_TEXT, label, moment
from genesys.transcripts import Event, Head, Problem, Turn

__all__ = ["read_plain"]

_USER = ("user", "human", "me", "you", "用户", "我", "提问", "人类")
_ASSISTANT = ("assistant", "agent", "claude", "chatgpt", "gpt", "ai", "bot", "助手", "助理", "回答")
_ROLE = dict.fromkeys(_USER, "user") | dict.fromkeys(_ASSISTANT, "assistant")
_NAME = "|".join(sorted(map(re.escape, _ROLE), key=len, reverse=True))
_TIME = r"(?:[\[(][^\[\]()\n]{0,60}[\])][ \t]*)?"
_MARK = re.compile(
    rf"(?:[-*][ \t]+)?{_TIME}(?P<style>[*_]{{0,3}})(?P<name>{_NAME})(?:[ \t]+said)?[*_]{{0,3}}[ \t]*{_TIME}"
    r"[:：][*_]{0,3}(?:[ \t]+|(?=\S)|$)(?P<text>.*)",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"(?P<style>#{{1,6}}[ \t]+[*_]{{0,3}}|[*_]{{2,4}})(?P<name>{_NAME})(?:[ \t]*{_TIME})?"
    r"[*_]{0,4}[:：]?[ \t]*(?P<text>)$",
    re.IGNORECASE,
)
_FENCE = re.compile(r" {0,3}(```|~~~)")
_DATE = re.compile(
    r"(?:date|created|日期|时间)?\W{0,5}(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2})?)?\W*$", re.I
)
_TITLE = re.compile(r"(?:#\s+|title:\s*)(.*\S)")
MAX_FENCE = 400  # lines; a fence that long was never closed


def read_plain(lines: Iterable[tuple[int, bytes | None]], name: str) -> Iterator[Event]:
    """The events of a text; without a turn nothing but a problem. ``name`` is the title where none is given.

    The session is told by the first turn, so that a file that grows or moves stays the same conversation.
    """
    reader = _Text(name)
    for number, raw in lines:
        if raw is None:
            yield Problem(number, "the line is too long to be read")
        else:
            yield from reader.line(number, raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace"))
    yield from reader.end()


class _Text:
    def __init__(self, name: str) -> None:
        self._name, self._title, self._started = name, "", ""
        self._role = ""
        self._style: str | None = None  # how the first turn was marked; others are marked alike
        self._at = 0
        self._held: list[str] = []
        self._size = 0
        self._turns = 0
        self._fence = ""
        self._fenced = 0

    def line(self, number: int, line: str) -> Iterator[Event]:
        mark = None if self._inside_fence(line) else _MARK.match(line) or _HEADING.match(line)
        if mark is not None and self._style in (None, mark["style"].strip()):
            yield from self._turn()
            self._style = mark["style"].strip()
            self._role, self._at = _ROLE[mark["name"].lower()], number
            self._held, self._size = [mark["text"]], len(mark["text"])
            if opened := _FENCE.match(mark["text"]):
                self._fence, self._fenced = opened[1], 0
        elif self._role:
            if self._size < MAX_TEXT:
                self._held.append(line)
                self._size += len(line) + 1
        elif date := _DATE.match(line):
            self._started = self._started or moment(date[1])
        elif title := _TITLE.match(line):
            self._title = self._title or label(title[1]).strip("\"'")

    def _inside_fence(self, line: str) -> bool:
        if fence := _FENCE.match(line):
            self._fence = "" if self._fence == fence[1] else self._fence or fence[1]
            self._fenced = 0
            return True
        self._fenced += 1
        return bool(self._fence) and self._fenced < MAX_FENCE

    def _turn(self) -> Iterator[Event]:
        text = "\n".join(self._held).strip()
        if not self._role or not text:
            return
        if not self._turns:
            first = f"{self._started}\0{text}".encode("utf-8", "replace")
            session = "text-" + hashlib.blake2b(first, digest_size=8).hexdigest()
            yield Head(session, self._title or self._name, "a text", self._started)
        self._turns += 1
        lead = next(at for at, line in enumerate(self._held) if line.strip())
        yield Turn(self._turns, self._role, text[:MAX_TEXT], self._at + lead, self._started, spread=True)

    def end(self) -> Iterator[Event]:
        yield from self._turn()
        if not self._turns:
            yield Problem(1, 'no turns are found; each begins with a line like "User:" or "Assistant:"')
