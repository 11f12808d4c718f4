"""What the engine answers: one frozen value per use case, rendered by the shells, never a dict.

Second half of the vocabulary of :mod:`genesys.model`; the same conventions hold (UNIX seconds, 1-based
lines, vault-relative NFC paths).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from genesys.accounts import Check, IndexReport, NoteRef, StatusReport
from genesys.model import Edge, Factors, Hit, MemoryType, Skipped, Status, Step

__all__ = [
    "Amount",
    "Check",
    "ContextBlock",
    "CoreList",
    "Curve",
    "Curves",
    "DecayReport",
    "Drawing",
    "EvolveKind",
    "EvolveReport",
    "Explanation",
    "ExportReport",
    "Forgotten",
    "ImportReport",
    "IndexReport",
    "NoteRef",
    "Proposal",
    "Remembered",
    "Stats",
    "StatusChange",
    "StatusReport",
    "Subgraph",
    "WhyReport",
    "WriteReport",
]


@dataclass(frozen=True, slots=True)
class WhyReport:
    """Causes upstream and effects downstream of a note; each step carries its evidence sentence.

    ``related`` are its other typed or plain edges; ``loses_last_cause`` and ``loses_only_link`` are the
    notes that would lose their last cause, or their only link, with it (removal impact).
    """

    note: NoteRef
    upstream: tuple[Step, ...]
    downstream: tuple[Step, ...]
    related: tuple[Edge, ...] = ()
    loses_last_cause: tuple[str, ...] = ()
    loses_only_link: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """A canvas of the vault, with the number of its notes and of the edges among them; ``written`` is False
    where it stood there as it is."""

    path: str
    notes: int
    edges: int
    written: bool
    uri: str = ""


@dataclass(frozen=True, slots=True)
class Subgraph:
    """The notes reached and every edge among them (the induced subgraph, not the search tree)."""

    nodes: tuple[NoteRef, ...]
    edges: tuple[Edge, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory that was written (``created``) or found to be there already (a retry)."""

    path: str
    title: str
    created: bool
    edges: tuple[Edge, ...] = ()
    possible_conflicts: tuple[Hit, ...] = ()
    conflict_reasons: tuple[str, ...] = ()
    supersedes: str = ""
    memory_type: MemoryType | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Where a note went and how to get it back."""

    path: str
    trashed_to: str
    undo: str
    links_broken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CoreList:
    """Core notes, what is proposed for it (categories on ``approval``), and the preferences."""

    notes: tuple[NoteRef, ...]
    proposals: tuple[NoteRef, ...]
    reasons: Mapping[str, str]
    auto: tuple[str, ...]
    approval: tuple[str, ...]
    excluded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StatusChange:
    path: str
    old: Status
    new: Status
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class WriteReport:
    """One pass of write-back: paths written, and refused with the reason."""

    written: tuple[str, ...] = ()
    refused: tuple[Skipped, ...] = ()
    deferred: int = 0


@dataclass(frozen=True, slots=True)
class DecayReport:
    """One maintenance pass."""

    scored: int
    changes: tuple[StatusChange, ...]
    pruned: tuple[str, ...]
    writes: WriteReport
    seconds: float
    dry_run: bool = False


class EvolveKind(StrEnum):
    """What may become of memories, besides decay."""

    MERGE = "merge"  # one says all that the other says, and stays
    JOIN = "join"  # each says something of its own: a new memory of both
    STALE = "stale"
    FRESH = "fresh"  # no longer stale
    SHARE = "share"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One change that ``evolve`` may make. ``path`` is the memory that stays or changes, ``other`` the one
    that goes into it, or the place of a copy. ``sure``: it loses nothing, so that it needs no look.

    ``done`` and ``undo`` (an event's number) once it was made; ``refused`` says why it was not.
    """

    id: str
    kind: EvolveKind
    path: str
    reason: str
    other: str = ""
    sure: bool = True
    done: bool = False
    undo: int = 0
    refused: str = ""


@dataclass(frozen=True, slots=True)
class EvolveReport:
    """What ``evolve`` found, and with ``applied`` what it did."""

    proposals: tuple[Proposal, ...]
    notices: tuple[str, ...]
    applied: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its name, its unit and what it means."""

    name: str
    value: float
    unit: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a note has its score and status. ``factors`` multiply to ``score``."""

    note: NoteRef
    factors: Factors
    amounts: tuple[Amount, ...]
    accesses: tuple[tuple[float, str, float], ...]
    thresholds: tuple[str, ...]
    outlook: tuple[str, ...]
    why: WhyReport | None = None


@dataclass(frozen=True, slots=True)
class Stats:
    """Numbers of the memory system for people and tools."""

    notes: int
    memories: int
    passages: int
    edges: Mapping[str, int]
    statuses: Mapping[str, int]
    core: int
    pinned: int
    accesses: int
    mean_score: float
    score_histogram: tuple[int, ...]
    events: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export holds; ``size`` in bytes."""

    file: str
    format: str
    notes: int
    memories: int
    size: int


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, or would do.

    ``added`` are new notes (all counted, the first thousand named in ``paths``), ``known`` those that were
    there already; ``differs`` names notes that are there but no longer say what the file says, and were
    left alone; ``renamed`` are (path in the file, path here) where the place was taken.
    """

    format: str
    added: int
    known: int
    refused: tuple[Skipped, ...] = ()
    differs: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    paths: tuple[str, ...] = ()
    left_out: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """A block of text ready for a prompt, at most ``max_tokens`` long by our estimate."""

    text: str
    tokens: int
    paths: tuple[str, ...]
    signals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Curve:
    """One line: ``y`` (a score in [0, 1]) over ``x`` (days)."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Curves:
    """Lines that belong together, with the thresholds of the lifecycle as (name, score)."""

    title: str
    lines: tuple[Curve, ...]
    thresholds: tuple[tuple[str, float], ...] = ()
