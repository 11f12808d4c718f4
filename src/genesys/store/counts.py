"""The figures of ``status``; apart from the other rows, since a quick start needs no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Counts"]


@dataclass(frozen=True, slots=True)
class Counts:
    """The figures of ``status``."""

    notes: int = 0
    files: int = 0
    memories: int = 0
    passages: int = 0
    links: int = 0
    unresolved: int = 0
    stale_links: int = 0
    edges: Mapping[str, int] = field(default_factory=dict)
    statuses: Mapping[str, int] = field(default_factory=dict)
    pinned: int = 0
    problems: int = 0
    skipped: int = 0
    models: Mapping[str, int] = field(default_factory=dict)
