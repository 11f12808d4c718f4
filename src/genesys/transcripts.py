"""What passes between the rooms about conversations: turns, runs of tools, proposals, the report of a digest.

Part of the vocabulary of :mod:`genesys.model`; turns are counted from 1, lines of a file too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from genesys.model import Edge, EdgeType, MemoryType

__all__ = [
    "Conversation",
    "DigestReport",
    "Event",
    "Head",
    "Kept",
    "Known",
    "Place",
    "Problem",
    "Proposal",
    "ProposalKind",
    "Run",
    "Turn",
]


class ProposalKind(StrEnum):
    """What a memory from a conversation is about; also the category of its note."""

    DECISION = "decision"
    PREFERENCE = "preference"
    FACT = "fact"
    ERROR = "error"


# ------------------------------------------------------------------ reading


@dataclass(frozen=True, slots=True)
class Head:
    """A conversation begins. ``session`` tells it from all others; ``started`` is ISO or ""."""

    session: str
    title: str
    source: str  # the program it was held in
    started: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said. ``role`` is "user" or "assistant"; ``when`` is ISO or "".

    ``line`` is where it begins in the file. In JSON it stands on that line whole, however many lines it has;
    ``spread`` where its lines are the file's.
    """

    number: int
    role: str
    text: str
    line: int
    when: str = ""
    spread: bool = False

    def line_of(self, number: int) -> int:
        """The file's line on which line ``number`` (from 0) of the text stands."""
        return self.line + number if self.spread else self.line


@dataclass(frozen=True, slots=True)
class Run:
    """A tool at work after turn ``after``. ``command`` is what was run, or the file that was changed."""

    tool: str
    command: str
    output: str
    failed: bool
    line: int
    after: int
    when: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """A line or conversation that could not be read, and why."""

    line: int
    reason: str


Event: TypeAlias = Head | Turn | Run | Problem


# ------------------------------------------------------------------ proposing


@dataclass(frozen=True, slots=True)
class Place:
    """Where a proposal comes from: the turn, the line of the file, and the words themselves."""

    turn: int
    line: int
    role: str
    quote: str
    when: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A memory that a conversation may be worth. Nothing is stored until a person says so.

    ``number`` counts over a whole digest. ``related`` are (note path, edge type) of notes that the words
    name. ``known`` is the note that has it already; ``refused`` why it can't be stored ("" for neither).
    ``origin`` is "rules" or "llm".
    """

    number: int
    kind: ProposalKind
    text: str
    memory_type: MemoryType
    places: tuple[Place, ...]
    origin: str = "rules"
    related: tuple[tuple[str, EdgeType], ...] = ()
    known: str = ""
    refused: str = ""

    @property
    def category(self) -> str:
        return self.kind.value


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation, read: the turns that are kept word for word, and what it proposes.

    ``turns`` is bounded, and empty in a report; ``count`` says how many there were. ``kept`` are the notes
    that keep it already, as (path, first turn, last turn).
    """

    file: str
    head: Head
    count: int
    turns: tuple[Turn, ...]
    proposals: tuple[Proposal, ...]
    ended: str = ""
    kept: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """A note that a digest wrote (``created``) or found; ``number`` is its proposal's, 0 a conversation's.

    ``conflicts`` are notes that it may contradict, each with the reason.
    """

    number: int
    path: str
    created: bool
    edges: tuple[Edge, ...] = ()
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What the vault knows of one conversation.

    ``episodes`` are the notes that keep it, as (path, first turn, last turn). For each proposal in turn,
    ``holders`` has the note that has it already ("" where none does), ``named`` the notes its words name.
    """

    episodes: tuple[tuple[str, int, int], ...]
    holders: tuple[str, ...]
    named: tuple[tuple[tuple[str, EdgeType], ...], ...]


@dataclass(frozen=True, slots=True)
class DigestReport:
    """What a digest found, and with ``applied`` what it stored.

    ``problems`` are (file, what could not be read); ``failed`` (proposal's number, why it was not stored).
    """

    conversations: tuple[Conversation, ...]
    kept: tuple[Kept, ...] = ()
    problems: tuple[tuple[str, Problem], ...] = ()
    failed: tuple[tuple[int, str], ...] = ()
    notices: tuple[str, ...] = ()
    applied: bool = False
