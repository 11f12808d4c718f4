"""Memories on their way from one program to another: the vocabulary of import and export.

The conventions of :mod:`genesys.model` hold: UNIX seconds, vault-relative NFC paths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from genesys.model import AccessKind, Edge, Factors, Json, Kind, MemoryType, Status

__all__ = ["Adopted", "Draft", "Foreign", "ForeignLink", "NoteState", "Parcel"]


@dataclass(frozen=True, slots=True)
class NoteState:
    """What an index knows of a note and its text may not say.

    ``accesses`` are (time, kind, weight), oldest first; ``factors`` is None for a note never scored.
    """

    kind: Kind = Kind.NOTE
    status: Status = Status.ACTIVE
    score: float | None = None
    factors: Factors | None = None
    pinned: bool = False
    core: bool = False
    recalls: int = 0
    last_recalled: float | None = None
    first_seen: float = 0.0
    changed_at: float = 0.0
    status_since: float = 0.0
    accesses: tuple[tuple[float, AccessKind, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Parcel:
    """One note with everything about it. ``raw`` is the file; ``title``, ``tags`` and ``properties`` are
    what it says, for programs that don't want to parse it; ``edges`` go out from it.
    """

    path: str
    raw: bytes
    mtime_ns: int = 0
    title: str = ""
    tags: tuple[str, ...] = ()
    properties: Mapping[str, Json] = field(default_factory=dict)
    state: NoteState = NoteState()
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignLink:
    """A relation of another program's record: the id it leads to, its name there, and what else it says."""

    target: str
    name: str
    rest: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Foreign:
    """A memory as another program keeps it. ``id`` is unique in its file; ``group`` is the user it belongs
    to, where the file has several. ``record`` is None for what is only named by relations.
    """

    id: str
    record: Mapping[str, Json] | None
    links: tuple[ForeignLink, ...] = ()
    group: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A record in the words of a note. ``fields`` are what has no place of its own, ``own`` the
    ``genesys_*`` state that it brings; ``created`` is an ISO date or "".
    """

    title: str
    content: str
    created: str = ""
    category: str = ""
    session: str = ""
    memory_type: MemoryType = MemoryType.SEMANTIC
    tags: tuple[str, ...] = ()
    fields: Mapping[str, Json] = field(default_factory=dict)
    own: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Adopted:
    """A file of another program's folder: its path there and its text as it is."""

    id: str
    text: str
