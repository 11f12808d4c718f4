"""What passes between the rooms about inference: notes that a language model is asked about, its findings.

Part of the vocabulary of :mod:`genesys.model`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from genesys.model import Edge

__all__ = ["Candidates", "Excerpt", "Finding", "FindingKind", "InferReport", "Question"]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A note as the model sees it: its title, its day ("" unknown) and the beginning of its text."""

    path: str
    title: str
    text: str
    day: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A memory, and the notes near it that it may have to do with."""

    note: Excerpt
    near: tuple[Excerpt, ...]


@dataclass(frozen=True, slots=True)
class Candidates:
    """``groups`` are episodes that look like one subject; ``notices`` say what could not be looked for."""

    questions: tuple[Question, ...] = ()
    groups: tuple[tuple[Excerpt, ...], ...] = ()
    notices: tuple[str, ...] = ()


class FindingKind(StrEnum):
    EDGE = "edge"
    SUMMARY = "summary"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the model found. A contradiction is a hint and is never stored.

    ``edge`` is set for an edge; ``title`` and ``text`` for a summary, ``sources`` being the notes it comes
    from; for a contradiction ``sources`` are the two notes. ``stored`` is the summary's note, or the edge's
    source, once it was stored.
    """

    number: int
    kind: FindingKind
    reason: str
    sources: tuple[str, ...]
    edge: Edge | None = None
    title: str = ""
    text: str = ""
    stored: str = ""


@dataclass(frozen=True, slots=True)
class InferReport:
    """What was asked and found. ``failed`` are (number, why it was not stored)."""

    findings: tuple[Finding, ...]
    asked: int
    failed: tuple[tuple[int, str], ...] = ()
    notices: tuple[str, ...] = ()
    applied: bool = False
