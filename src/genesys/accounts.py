"""What an index pass, a look at the index and a list of notes say: the part of the engine's answers that
every command needs, apart from :mod:`genesys.reports` for a quick start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from genesys.model import Kind, Skipped, Status

__all__ = ["Check", "IndexReport", "NoteRef", "StatusReport"]


@dataclass(frozen=True, slots=True)
class NoteRef:
    """A note in a list."""

    path: str
    title: str
    status: Status = Status.ACTIVE
    score: float = 0.0
    kind: Kind = Kind.NOTE
    pinned: bool = False
    category: str = ""
    last_active: float = 0.0
    summary: str = ""
    uri: str = ""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one pass did. ``reused`` counts passages whose vector was there already."""

    notes: int
    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    touched: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    problems: int = 0
    unresolved_links: int = 0
    passages: int = 0
    embedded: int = 0
    reused: int = 0
    pending: int = 0
    kept: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class StatusReport:
    """The state of a vault's memory; cheap to make (SQL counts only, nothing is walked)."""

    vault: str
    index: str
    index_bytes: int
    notes: int
    passages: int
    vectors: int
    pending: int
    links: int
    unresolved_links: int
    edges: Mapping[str, int]
    statuses: Mapping[str, int]
    skipped: tuple[Skipped, ...]
    problems: tuple[Skipped, ...]
    model: str
    last_index: float | None
    writing: bool
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One line of ``doctor``: what was looked at, whether it is fine, and the one thing that mends it."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    warning: bool = False
