"""stdout for MCP and for nothing else (P7): taken before anything that could print is imported."""

from __future__ import annotations

import io
import json
import os
import sys
from dataclasses import dataclass

__all__ = ["Lines", "Wire", "claim", "mended"]


@dataclass(frozen=True, slots=True)
class Wire:
    """Our end of the client's pipes, as UTF-8 lines."""

    reader: io.TextIOWrapper
    writer: io.TextIOWrapper


class Lines(io.TextIOWrapper):
    """Lines of messages, each mended on the way in."""

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        return mended(super().readline(size))


def mended(line: str) -> str:
    """The message with every half of a surrogate pair replaced (U+FFFD).

    JSON can spell what no text can hold. A strict reader drops the whole message then, and its sender waits
    for an answer that never comes.
    """
    if "\\ud" not in line.lower():
        return line
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") + "\n"


def claim() -> Wire:
    """Take descriptors 0 and 1 for the protocol.

    From then on whatever prints (a library, C code, a child process) lands on stderr, and whatever reads
    finds an empty stdin.
    """
    sys.stdout.flush()
    inward, outward = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # started without a stderr
        os.dup2(null, 1)
    os.close(null)
    return Wire(
        Lines(os.fdopen(inward, "rb"), encoding="utf-8", errors="replace", newline="\n"),
        io.TextIOWrapper(os.fdopen(outward, "wb"), encoding="utf-8", newline="\n"),
    )
