"""stdout for MCP and for nothing else (P7): taken before anything that could print is imported."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass

__all__ = ["Wire", "claim"]


@dataclass(frozen=True, slots=True)
class Wire:
    """Our end of the client's pipes, as UTF-8 lines."""

    reader: io.TextIOWrapper
    writer: io.TextIOWrapper


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
        io.TextIOWrapper(os.fdopen(inward, "rb"), encoding="utf-8", errors="replace", newline="\n"),
        io.TextIOWrapper(os.fdopen(outward, "wb"), encoding="utf-8", newline="\n"),
    )
