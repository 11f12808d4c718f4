"""The sentence behind an edge, as a person reads it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from genesys.model import Edge
from genesys.parse.readable import readable
from genesys.quote import clean, shorten

__all__ = ["spoken"]

_FIELD = re.compile(r"^\s*[-*+(\[]?\s*[\w -]{1,40}::\s*")  # the key of a field says what the edge's type says


def spoken(edge: Edge, limit: int) -> str:
    """At most ``limit`` characters, on one line and without marks; "" for a bare link and nothing more."""
    text = " ".join(clean(readable(_FIELD.sub("", edge.evidence))).split())
    names = {PurePosixPath(path).stem.casefold() for path in (edge.source, edge.target)}
    return "" if text.strip(" .,;()[]\"'").casefold() in names else shorten(text, limit)
