"""Bytes of a file as lines, or as the JSON objects of a list, without ever holding all of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["MAX_OBJECT", "lines_of", "objects_of"]

MAX_LINE = 32 * 1024 * 1024  # bytes; the longest lines of real transcripts hold an image of some megabytes
MAX_OBJECT = 128 * 1024 * 1024  # bytes of one conversation of an export
_MARKS = re.compile(rb'["\\{}\[\]]')


def lines_of(chunks: Iterable[bytes], limit: int = MAX_LINE) -> Iterator[tuple[int, bytes | None]]:
    """(number, line without its end); None for a line over ``limit`` bytes."""
    number, rest, skipping = 1, bytearray(), False
    for chunk in chunks:
        at = 0
        while (end := chunk.find(b"\n", at)) >= 0:
            rest += chunk[at:end]
            yield number, None if skipping or len(rest) > limit else bytes(rest).rstrip(b"\r")
            number, at, skipping = number + 1, end + 1, False
            rest.clear()
        if skipping or len(rest) + len(chunk) - at > limit:
            skipping = True
            rest.clear()
        else:
            rest += chunk[at:]
    if rest or skipping:
        yield number, None if skipping else bytes(rest).rstrip(b"\r")


def objects_of(chunks: Iterable[bytes], limit: int = MAX_OBJECT) -> Iterator[tuple[int, bytes | None]]:
    """(line it begins on, its bytes) of each outermost ``{…}``, in a list or one after another.

    None for one over ``limit`` bytes, and for one that the end of the file cuts off.
    """
    reader = _Objects(limit)
    for chunk in chunks:
        yield from reader.feed(chunk)
    if reader.depth:
        yield reader.start, None


class _Objects:
    """Braces and strings are all of JSON that has to be followed."""

    def __init__(self, limit: int) -> None:
        self.depth = 0
        self.start = 0
        self._limit = limit
        self._line = 1
        self._quoted = self._escaped = self._long = False
        self._held = bytearray()

    def feed(self, chunk: bytes) -> Iterator[tuple[int, bytes | None]]:
        begin = 0  # of what belongs to the object that is open
        counted = 0
        at = 0
        if self._escaped and chunk:  # the escaped character is the first of this chunk
            self._escaped, at = False, 1
        while mark := _MARKS.search(chunk, at):
            at = mark.end()
            byte = chunk[mark.start()]
            if byte == 0x5C:  # a backslash: what follows it means nothing
                if not self._quoted:
                    continue
                if at == len(chunk):
                    self._escaped = True
                at += 1
            elif byte == 0x22:
                self._quoted = bool(self.depth) and not self._quoted
            elif self._quoted:
                continue
            elif byte == 0x7B:
                if not self.depth:
                    begin = mark.start()
                    self._line += chunk.count(b"\n", counted, begin)
                    counted, self.start = begin, self._line
                self.depth += 1
            elif byte == 0x7D and self.depth:
                self.depth -= 1
                if not self.depth:
                    yield self.start, self._taken(chunk[begin:at])
        if self.depth:
            self._hold(chunk[begin:])
        self._line += chunk.count(b"\n", counted)

    def _hold(self, part: bytes) -> None:
        self._long = self._long or len(self._held) + len(part) > self._limit
        if self._long:
            self._held.clear()
        else:
            self._held += part

    def _taken(self, part: bytes) -> bytes | None:
        self._hold(part)
        whole = None if self._long else bytes(self._held)
        self._held.clear()
        self._long = False
        return whole
