"""What ``genesys report`` shows of a whole vault; lists are capped, their counts are not.

Apart from :mod:`genesys.reports` for a quick start: one command alone needs it. The same conventions hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from genesys.accounts import NoteRef
from genesys.model import Edge

__all__ = ["Counted", "Forgetting", "Life", "Moved", "Overview", "Reasoned", "Unresolved"]


@dataclass(frozen=True, slots=True)
class Counted:
    """How many notes of each status at a time; ``ahead`` where it is what comes if nobody does anything."""

    time: float
    statuses: Mapping[str, int]
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class Life:
    """A note's score in [0, 1] over days from now (before now: negative)."""

    note: NoteRef
    days: tuple[float, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Reasoned:
    """A note in a list, with what there is to say of it."""

    note: NoteRef
    reason: str = ""
    recalls: int = 0
    last_recalled: float = 0.0


@dataclass(frozen=True, slots=True)
class Moved:
    """A status that changed; ``uri`` is "" where the note is gone."""

    time: float
    path: str
    old: str
    new: str
    reason: str
    uri: str = ""


@dataclass(frozen=True, slots=True)
class Forgetting:
    """A note that went to the trash: when, why, and the command that brings it back ("" once it is back)."""

    time: float
    path: str
    pruned: bool
    reason: str
    undo: str


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A name that links lead to and no file has."""

    target: str
    links: int
    sources: tuple[NoteRef, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """A whole vault's memory at one moment. ``score_bins[status]`` counts notes by score, in equal bins from
    0 to 1; ``joined`` is the number of notes in the graph of causes before it was cut to ``graph``."""

    vault: str
    version: str
    now: float
    last_index: float | None
    notes: int
    memories: int
    pinned: int
    passages: int
    links: int
    accesses: int
    edges: Mapping[str, int]
    statuses: Mapping[str, int]
    skipped: int
    problems: int
    timeline: tuple[Counted, ...]
    score_bins: Mapping[str, tuple[int, ...]]
    lives: tuple[Life, ...]
    thresholds: tuple[tuple[str, float], ...]
    graph: tuple[NoteRef, ...]
    reasons: tuple[Edge, ...]
    joined: int
    core: tuple[Reasoned, ...]
    recalled: tuple[Reasoned, ...]
    moved: tuple[Moved, ...]
    forgotten: tuple[Forgetting, ...]
    orphans: tuple[NoteRef, ...]
    orphan_count: int
    unresolved: tuple[Unresolved, ...]
    unresolved_names: int
    unresolved_links: int
