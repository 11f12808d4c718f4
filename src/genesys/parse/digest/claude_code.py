"""Sessions of Claude Code: a JSON object a line; text, thoughts, tools and their answers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from genesys.parse.digest.values import entries, label, load, mapping, moment, text_of, words
from genesys.transcripts import Event, Head, Problem, Run, Turn

__all__ = ["read_claude_code"]

MAX_OPEN = 256  # calls that wait for their answer
MAX_OUTPUT = 4_000  # characters of a tool's output that are looked at, at either end
# What the program itself puts among a person's words.
_INSERTED = re.compile(
    r"<(system-reminder|local-command-\w{1,20}|command-\w{1,20}|bash-\w{1,20}|ide_\w{1,40}|[\w-]{1,40}-hook)>"
)
_NOT_SAID = re.compile(r"\s*(?:\[Request interrupted|Caveat: The messages below|<task-notification>)")


def read_claude_code(lines: Iterable[tuple[int, bytes | None]], name: str) -> Iterator[Event]:
    """The events of a session; ``name`` stands for its id where no line has one."""
    reader = _Session(name)
    for number, line in lines:
        if line is None:
            yield Problem(number, "the line is too long to be read")
        elif line.strip():
            row = load(line)
            if row is None:
                yield Problem(number, "no JSON object")
            else:
                yield from reader.row(number, row)


class _Session:
    def __init__(self, name: str) -> None:
        self._name = name
        self._title = ""
        self._begun = False
        self._turns = 0
        self._open: dict[str, tuple[str, str]] = {}

    def row(self, line: int, row: dict[str, Any]) -> Iterator[Event]:
        if row.get("type") == "summary" and not self._title:
            self._title = label(row.get("summary"))
        if row.get("type") not in ("user", "assistant") or row.get("isSidechain"):
            return
        when = moment(row.get("timestamp"))
        if not self._begun:
            self._begun = True
            yield Head(label(row.get("sessionId")) or self._name, self._title, "Claude Code", when)
        message = mapping(row.get("message"))
        if row["type"] == "assistant":
            self._calls(message)
        else:
            yield from self._answers(message, line, when)
        yield from self._said(row, message, line, when)

    def _said(self, row: dict[str, Any], message: dict[str, Any], line: int, when: str) -> Iterator[Event]:
        """Text that somebody wrote; not notes of the program, nor its summary of what went before."""
        if row.get("isMeta") or row.get("isCompactSummary"):
            return
        text = _own_words(text_of(message.get("content"))).strip()
        if text and not _NOT_SAID.match(text):
            self._turns += 1
            yield Turn(self._turns, row["type"], text, line, when)

    def _calls(self, message: dict[str, Any]) -> None:
        for block in map(mapping, entries(message.get("content"))):
            if block.get("type") == "tool_use":
                given = mapping(block.get("input"))
                command = words(given.get("command")) or words(given.get("file_path"))
                if len(self._open) >= MAX_OPEN:
                    self._open.pop(next(iter(self._open)))
                self._open[words(block.get("id"))] = (words(block.get("name")), command)

    def _answers(self, message: dict[str, Any], line: int, when: str) -> Iterator[Event]:
        for block in map(mapping, entries(message.get("content"))):
            if block.get("type") == "tool_result":
                tool, command = self._open.pop(words(block.get("tool_use_id")), ("", ""))
                if tool:
                    output, failed = text_of(block.get("content")), bool(block.get("is_error"))
                    yield Run(tool, command, _ends(output), failed, line, self._turns, when)


def _ends(text: str) -> str:
    return text if len(text) <= 2 * MAX_OUTPUT else f"{text[:MAX_OUTPUT]}\n{text[-MAX_OUTPUT:]}"


def _own_words(text: str) -> str:
    """The text without what the program put in; a tag that is never closed is the person's own."""
    kept: list[str] = []
    at = start = 0
    open_: set[str] = set()
    while mark := _INSERTED.search(text, at):
        close = f"</{mark[1]}>"
        end = -1 if close in open_ else text.find(close, mark.end())
        if end < 0:
            open_.add(close)
            at = mark.end()
        else:
            kept.append(text[start : mark.start()])
            at = start = end + len(close)
    return "".join([*kept, text[start:]])
