"""What the store hands out. Times are UNIX seconds; ``*_id`` are row ids, stable while the note exists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genesys.model import AccessKind, Factors, FileType, Json, Kind, LinkKind, MemoryType, OwnState, Status
from genesys.store.counts import Counts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "AccessArrays",
    "AccessRow",
    "Counts",
    "EdgeArrays",
    "EventRow",
    "GraphLink",
    "GraphNote",
    "LinkRow",
    "Matrix",
    "NameRow",
    "NoteRow",
    "PassageArrays",
    "PassageRow",
    "PutReport",
    "ResolveReport",
    "StateChange",
]


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A note without its text. ``factors`` is None until it was scored; ``own`` is what the file says."""

    id: int
    path: str
    title: str
    kind: Kind
    memory_type: MemoryType | None
    category: str
    status: Status
    score: float | None
    factors: Factors | None
    pinned: bool
    core: bool
    recalls: int
    last_recalled: float | None
    created: str
    created_at: float
    note_date: str
    source_session: str
    people: tuple[str, ...]
    own: OwnState
    problem: str
    refuse_write: str
    opted_out: bool
    written_hash: str
    written: Mapping[str, Json]
    first_seen: float
    changed_at: float
    status_since: float
    mtime: float
    content_hash: str


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage with what an answer says of its note."""

    id: int
    note_id: int
    ordinal: int
    heading_path: tuple[str, ...]
    line_start: int
    line_end: int
    text: str
    block_id: str
    path: str
    title: str
    status: Status
    kind: Kind
    score: float | None
    note_date: str


@dataclass(frozen=True, slots=True)
class NameRow:
    """Every name a note goes by; ``heading`` is the one over all of it, unless that is the title."""

    note_id: int
    path: str
    title: str
    aliases: tuple[str, ...]
    heading: str = ""


@dataclass(frozen=True, slots=True)
class StateChange:
    """What scoring or a tool changes of a note; None leaves a value as it is."""

    note_id: int
    status: Status | None = None
    score: float | None = None
    factors: Factors | None = None
    pinned: bool | None = None
    core: bool | None = None
    recalls: int | None = None
    last_recalled: float | None = None


@dataclass(frozen=True, slots=True)
class AccessRow:
    note_id: int
    time: float
    kind: AccessKind
    weight: float


@dataclass(frozen=True, slots=True)
class AccessArrays:
    """Accesses in columns, ordered by note and time; ``kind`` indexes :data:`ACCESS_KINDS`."""

    note_id: NDArray[np.int64]
    time: NDArray[np.float64]
    weight: NDArray[np.float64]
    kind: NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class EdgeArrays:
    """One element for each source, target and type (the strongest edge counts).

    ``type`` indexes :data:`EDGE_TYPES`, ``created_by`` :data:`CREATORS`.
    """

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    type: NDArray[np.int8]
    weight: NDArray[np.float64]
    created_by: NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class NoteStamp:
    """A note and when a person last changed it, for a comparison with an earlier state."""

    id: int
    path: str
    changed_at: float


@dataclass(frozen=True, slots=True)
class PassageArrays:
    """Where every passage stands, ordered by note and ordinal; ``key`` is that of its vector."""

    id: NDArray[np.int64]
    note_id: NDArray[np.int64]
    ordinal: NDArray[np.int32]
    key: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Every passage with its vector, float32, shape (n, dim)."""

    passage_id: NDArray[np.int64]
    note_id: NDArray[np.int64]
    vectors: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link as stored; ``target_path`` is None where it leads nowhere."""

    id: int
    source: str
    kind: LinkKind
    target: str
    subpath: str
    key: str
    line: int
    sentence: str
    target_path: str | None
    via_alias: bool


@dataclass(frozen=True, slots=True)
class GraphNote:
    path: str
    type: FileType
    title: str
    status: Status | None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphLink:
    """A written link; ``edges`` are its (type, forward, weight, created_by)."""

    source: str
    target: str
    target_path: str | None
    kind: LinkKind
    subpath: str
    key: str
    line: int
    sentence: str
    via_alias: bool
    edges: tuple[tuple[str, bool, float, str], ...]


@dataclass(frozen=True, slots=True)
class EventRow:
    id: int
    time: float
    kind: str
    path: str
    detail: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class PutReport:
    """Ids of notes that one :meth:`Index.put` found new, edited since, and new with a state of their own."""

    new: tuple[int, ...] = ()
    edited: tuple[int, ...] = ()
    restored: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ResolveReport:
    """What one :meth:`Index.resolve` did: links looked at, links that lead elsewhere than before."""

    checked: int = 0
    changed: int = 0
