"""The vocabulary: what passes between the rooms is one of these, never a dict.

Times are UNIX seconds (float) unless a name says otherwise; line numbers are 1-based and count from
the first line of the file, frontmatter included; paths are vault-relative POSIX paths in NFC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from genesys.tuning import PERSON_KEYS, LifecycleParams, ParseOptions, ScoreParams

__all__ = [
    "CAUSAL",
    "NEGATIVE",
    "PERSON_KEYS",
    "SUPPORTIVE",
    "WRITTEN",
    "AccessKind",
    "Answer",
    "CreatedBy",
    "Edge",
    "EdgeType",
    "Factors",
    "FileRecord",
    "FileStat",
    "FileType",
    "Filters",
    "Hit",
    "Json",
    "Kind",
    "LifecycleParams",
    "Link",
    "LinkKind",
    "MemoryType",
    "Move",
    "Note",
    "OwnState",
    "ParseOptions",
    "Passage",
    "Plan",
    "Relation",
    "ScoreParams",
    "Skipped",
    "Status",
    "Step",
]

Json: TypeAlias = "None | bool | int | float | str | Sequence[Json] | Mapping[str, Json]"


# ------------------------------------------------------------------ enumerations


class FileType(StrEnum):
    """What a file of the vault is to us."""

    NOTE = "note"
    CANVAS = "canvas"
    ATTACHMENT = "attachment"


class LinkKind(StrEnum):
    """Where in a note a link is written."""

    LINK = "link"
    EMBED = "embed"
    PROPERTY = "property"
    FIELD = "field"


class EdgeType(StrEnum):
    """Direction is always ``source —type→ target``."""

    CAUSED_BY = "caused_by"
    SUPPORTS = "supports"
    DERIVED_FROM = "derived_from"
    RELATED_TO = "related_to"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    TEMPORAL_SEQUENCE = "temporal_sequence"


CAUSAL = frozenset({EdgeType.CAUSED_BY, EdgeType.SUPPORTS, EdgeType.DERIVED_FROM})
SUPPORTIVE = CAUSAL | {EdgeType.RELATED_TO}
NEGATIVE = frozenset({EdgeType.CONTRADICTS, EdgeType.SUPERSEDES})


class CreatedBy(StrEnum):
    """Who says that an edge exists; the first three are written in the note."""

    LINK = "link"
    FIELD = "field"
    PROPERTY = "property"
    CUE = "cue"
    TOOL = "tool"
    SEQUENCE = "sequence"
    MENTION = "mention"
    AUTO = "auto"
    LLM = "llm"


WRITTEN = frozenset({CreatedBy.LINK, CreatedBy.FIELD, CreatedBy.PROPERTY, CreatedBy.TOOL})


class Status(StrEnum):
    """Lifecycle of a note."""

    ACTIVE = "active"
    DORMANT = "dormant"
    FADING = "fading"
    PRUNED = "pruned"
    CORE = "core"


class Kind(StrEnum):
    """Who wrote the note: a person, or Genesys through ``remember``."""

    NOTE = "note"
    MEMORY = "memory"


class MemoryType(StrEnum):
    """What sort of knowledge a memory is."""

    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"
    INSIGHT = "insight"


class AccessKind(StrEnum):
    CREATE = "create"
    EDIT = "edit"
    RECALL = "recall"
    CASCADE = "cascade"
    PIN = "pin"


# ------------------------------------------------------------------ reading


# Properties whose values are people: who said, wrote or took part in what the note tells.
@dataclass(frozen=True, slots=True)
class Relation:
    """What a link means for the graph.

    ``forward`` is True where the linking note is the edge's source; ``weight`` is in (0, 1].
    """

    type: EdgeType
    forward: bool = True
    weight: float = 1.0
    created_by: CreatedBy = CreatedBy.LINK


@dataclass(frozen=True, slots=True)
class Link:
    """What the text says. ``target`` has no subpath and no alias; percent-decoded where Markdown.

    ``key`` is the property or field name, formatting stripped, as written ("" otherwise).
    ``relations`` has at least the plain one for every link that can make an edge.
    """

    kind: LinkKind
    target: str
    subpath: str = ""
    key: str = ""
    line: int = 0
    sentence: str = ""
    relations: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of blocks under one heading: the unit that is embedded and returned.

    ``text`` is the markdown as written (without block ids); ``embed_text`` is what the model reads,
    within its window; ``text_hash`` covers heading path and text, not the title or the date;
    ``search_*`` are folded for full text (see :func:`genesys.parse.text.fold`).
    """

    ordinal: int
    heading_path: tuple[str, ...]
    line_start: int
    line_end: int
    text: str
    embed_text: str
    text_hash: str
    block_id: str = ""
    search_text: str = ""
    search_heading: str = ""


@dataclass(frozen=True, slots=True)
class OwnState:
    """The ``genesys_*`` properties as they stand in a note; None where absent or unreadable."""

    status: Status | None = None
    score: float | None = None
    recalls: int | None = None
    last_recalled: float | None = None
    core: bool | None = None
    pinned: bool | None = None
    stale: bool | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A markdown file, parsed. ``problem`` is one line for ``status``; "" where all is well.

    ``created`` and ``note_date`` are ISO dates or date-times ("" unknown): the first from a property,
    the second the day the note is about (daily-note file name or ``date`` property).
    ``refuse_write`` says why write-back must leave the file alone ("" where it may write).
    """

    path: str
    title: str
    content_hash: str
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    properties: Mapping[str, Json] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    passages: tuple[Passage, ...] = ()
    created: str = ""
    note_date: str = ""
    kind: Kind = Kind.NOTE
    memory_type: MemoryType | None = None
    category: str = ""
    source_session: str = ""
    people: tuple[str, ...] = ()
    own: OwnState = OwnState()
    opted_out: bool = False
    problem: str = ""
    refuse_write: str = ""
    search_title: str = ""
    search_aliases: str = ""


@dataclass(frozen=True, slots=True)
class FileStat:
    """A file as the disk or the index knows it. ``content_hash`` is "" until it was read."""

    path: str
    type: FileType
    size: int
    mtime_ns: int
    inode: int = 0
    content_hash: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder left out, with the reason a person can act on."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file ready for the index: a note has ``note``, a canvas has ``links``, an attachment neither."""

    stat: FileStat
    note: Note | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The difference of disk and index, before anything is read."""

    added: tuple[FileStat, ...] = ()
    changed: tuple[FileStat, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0


# ------------------------------------------------------------------ the graph


@dataclass(frozen=True, slots=True)
class Edge:
    """``source —type→ target``; ``evidence`` is the sentence that says so ("" where none does)."""

    source: str
    target: str
    type: EdgeType
    weight: float
    created_by: CreatedBy
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a causal chain, from the note asked about outward."""

    path: str
    title: str
    edge: Edge
    depth: int


# ------------------------------------------------------------------ scoring


@dataclass(frozen=True, slots=True)
class Factors:
    """The score of one note and what it is made of: score = relevance × connectivity × reactivation.

    Where the person has a rule for its category, times ``weight``, at most 1, and at least ``floor``.
    """

    score: float
    relevance: float
    connectivity: float
    reactivation: float
    activation: float
    freshness: float
    focus: float
    stability: float
    support: float
    idle_days: float
    weight: float = 1.0
    floor: float = 0.0


# ------------------------------------------------------------------ recall


@dataclass(frozen=True, slots=True)
class Filters:
    """Limits of a recall or a search; empty means no limit. Times are UNIX seconds."""

    statuses: tuple[Status, ...] = ()
    kinds: tuple[Kind, ...] = ()
    category: str = ""
    tag: str = ""
    folder: str = ""
    entity: str = ""
    since: float | None = None
    active_since: float | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One note in an answer. ``signals`` hold each part's share of ``score`` and add up to it
    before ``prior`` multiplies: ``score = sum(signals.values()) * prior``. ``stale`` is a decision that
    nobody has touched for long."""

    path: str
    title: str
    score: float
    signals: Mapping[str, float]
    prior: float
    status: Status
    text: str
    heading_path: tuple[str, ...]
    line_start: int
    line_end: int
    why: str
    uri: str
    block_id: str = ""
    matched: tuple[str, ...] = ()
    via: tuple[Step, ...] = ()
    superseded_by: str = ""
    low_confidence: bool = False
    date: str = ""
    kind: Kind = Kind.NOTE
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """``signals`` names what the answer could use; ``notices`` are lines for the reader."""

    query: str
    hits: tuple[Hit, ...]
    signals: tuple[str, ...]
    notices: tuple[str, ...] = ()
    ms: float = 0.0
