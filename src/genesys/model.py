"""The vocabulary: what passes between the rooms is one of these, never a dict.

Times are UNIX seconds (float) unless a name says otherwise; line numbers are 1-based and count from
the first line of the file, frontmatter included; paths are vault-relative POSIX paths in NFC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

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
PERSON_KEYS = ("speaker", "author", "authors", "people", "person", "with", "attendees", "from", "to")


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


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """What a person's settings change in reading; its digest decides whether a re-parse is due."""

    relation_keys: tuple[tuple[str, str], ...] = ()  # (key, "[!]edge_type"), "!" reverses the edge
    person_keys: tuple[str, ...] = PERSON_KEYS
    max_note_bytes: int = 20_000_000
    passage_tokens: int = 180
    cues: bool = True


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
class ScoreParams:
    """Constants of scoring; the unit of time is the day (Anderson & Schooler 1991; Petrov 2006)."""

    actr_decay: float = 0.5
    actr_threshold: float = -2.0
    actr_noise: float = 0.5
    actr_exact: int = 32
    min_age_days: float = 1 / 24
    half_life_days: float = 180.0
    stability_max: float = 3.0
    stability_gap_days: float = 1.0
    stability_gain: float = 0.2  # share of the way to stability_max that one spaced recall closes
    relevance_min: float = 0.1
    focus_window_days: float = 14.0
    focus_half_life_days: float = 7.0  # how fast recent work stops steering the focus
    focus_cosine_low: float = 0.25  # MiniLM: nine in ten unrelated English notes are below 0.2
    focus_cosine_high: float = 0.65  # MiniLM: the nearer quarter of the notes linked to the work
    focus_share: float = 0.25  # at most this share of a vault can be in focus by closeness
    focus_cosine_weight: float = 0.7
    focus_overlap_weight: float = 0.3
    connectivity_min: float = 0.1
    connectivity_full: float = 12.0
    weight_causal: float = 1.0
    weight_related: float = 0.5
    access_create: float = 1.0
    access_edit: float = 0.5
    access_recall: float = 1.0
    access_recall_low: float = 0.5
    access_recall_top: int = 3  # ranks that count as a full recall
    massed_factor: float = 0.5  # a recall's weight for each earlier one within a day (spacing effect)
    access_cascade: float = 0.3
    access_pin: float = 1.0
    cascade_depth: int = 2
    cascade_fan: int = 32  # neighbours a note can pass on to in full; more share the same strength
    cascade_floor: float = 0.03  # weaker echoes than this leave no access


@dataclass(frozen=True, slots=True)
class LifecycleParams:
    """Thresholds of the lifecycle; scores in [0, 1], idle times in days."""

    dormant_score: float = 0.15
    dormant_idle_days: float = 30.0
    fading_score: float = 0.03
    fading_idle_days: float = 180.0
    prune_score: float = 0.01
    prune_idle_days: float = 30.0
    revive_score: float = 0.2
    dwell_days: float = 30.0  # least stay in a status before sinking to the next: no flapping
    core_threshold: float = 0.55
    core_share: float = 0.02
    core_max: int = 50
    core_leave: float = 0.5  # a core note stays until it falls below this
    core_weight_reactivation: float = 0.4
    core_weight_hub: float = 0.3
    core_weight_schema: float = 0.2
    core_weight_stability: float = 0.1
    core_hub_cap: float = 3.0  # degrees above this multiple of the vault's mean count no more


@dataclass(frozen=True, slots=True)
class Factors:
    """The score of one note and what it is made of: score = relevance × connectivity × reactivation."""

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
    before ``prior`` multiplies: ``score = sum(signals.values()) * prior``."""

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


@dataclass(frozen=True, slots=True)
class Answer:
    """``signals`` names what the answer could use; ``notices`` are lines for the reader."""

    query: str
    hits: tuple[Hit, ...]
    signals: tuple[str, ...]
    notices: tuple[str, ...] = ()
    ms: float = 0.0
