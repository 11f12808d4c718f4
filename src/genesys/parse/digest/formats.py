"""Which kind of transcript a file is, by its first bytes, and its events. Pure: any bytes will do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from genesys.parse.digest.claude_code import read_claude_code
from genesys.parse.digest.exports import read_exports
from genesys.parse.digest.plain import read_plain
from genesys.parse.digest.stream import lines_of, objects_of
from genesys.parse.digest.values import load
from genesys.transcripts import Event, Problem

__all__ = ["read_events"]

LOOKED_AT = 20  # lines that tell JSON Lines from one large object


def read_events(chunks: Iterable[bytes], name: str) -> Iterator[Event]:
    """The events of a transcript that comes in chunks; ``name`` is the file's, without its ending.

    A conversation begins with a :class:`Head`, its turns and runs follow in order. What can't be read is a
    :class:`Problem` and costs nothing else.
    """
    stream = (chunk for chunk in chunks if chunk)
    first = next(stream, b"")
    head = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    whole = chain([first.removeprefix(b"\xef\xbb\xbf")], stream)
    if first.startswith((b"PK\x03\x04", b"\x1f\x8b", b"%PDF")):
        yield Problem(1, "an archive or document, no transcript: unpack it first")
    elif head.startswith(b"{") and _json_lines(head):
        yield from read_claude_code(lines_of(whole), name)
    elif head.startswith(b"{") or (head.startswith(b"[") and head[1:].lstrip()[:1] in (b"{", b"]", b"")):
        yield from read_exports(objects_of(whole))
    else:
        yield from read_plain(lines_of(whole), name)


def _json_lines(head: bytes) -> bool:
    """Whether any of the first lines is a whole object that is no conversation of an export."""
    for line in head.split(b"\n", LOOKED_AT)[:LOOKED_AT]:
        row = load(line) if line.strip() else None
        if row is not None:
            return not ("mapping" in row or "chat_messages" in row or "conversations" in row)
    return False
