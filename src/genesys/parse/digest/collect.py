"""From a stream of events to conversations with their proposals, in bounded memory. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from genesys.parse.digest.fixes import Fixes
from genesys.parse.digest.statements import statements
from genesys.transcripts import Conversation, Event, Head, Problem, Proposal, Turn

__all__ = ["MAX_PROPOSALS", "conversations"]

KEPT_CHARS = 200_000  # of a conversation's turns that its note keeps
KEPT_OF_TURN = 4_000
MAX_PROPOSALS = 500  # of one conversation: more is no conversation but a log
MAX_PROBLEMS = 100  # reported of one file


def conversations(events: Iterable[Event], file: str) -> Iterator[Conversation | Problem]:
    """Each conversation once it has ended, and each problem as it comes (of many, the first hundred)."""
    current: _Collector | None = None
    problems = 0
    for event in events:
        if isinstance(event, Problem):
            problems += 1
            if problems <= MAX_PROBLEMS:
                yield event
        elif isinstance(event, Head):
            if current is not None:
                yield current.done()
            current = _Collector(event, file)
        elif current is not None:
            current.feed(event)
    if current is not None:
        yield current.done()
    if problems > MAX_PROBLEMS:
        yield Problem(0, f"{problems - MAX_PROBLEMS} more lines could not be read")


class _Collector:
    def __init__(self, head: Head, file: str) -> None:
        self._head, self._file = head, file
        self._fixes = Fixes()
        self._turns: list[Turn] = []
        self._size = 0
        self._count = 0
        self._ended = head.started
        self._found: dict[tuple[str, str], Proposal] = {}

    def feed(self, event: Event) -> None:
        if isinstance(event, Turn):
            self._count = event.number
            self._ended = event.when or self._ended
            if self._size < KEPT_CHARS:
                self._keep(event)
        if len(self._found) >= MAX_PROPOSALS:
            return
        said = statements(event) if isinstance(event, Turn) else iter(())
        for proposal in chain(said, self._fixes.feed(event)):
            self._found.setdefault((proposal.kind, proposal.places[0].quote), proposal)

    def _keep(self, turn: Turn) -> None:
        text = turn.text if len(turn.text) <= KEPT_OF_TURN else turn.text[:KEPT_OF_TURN].rstrip() + " …"
        self._turns.append(replace(turn, text=text))
        self._size += len(text)

    def done(self) -> Conversation:
        proposals = tuple(sorted(self._found.values(), key=lambda p: (p.places[0].turn, p.places[0].line)))
        return Conversation(self._file, self._head, self._count, tuple(self._turns), proposals, self._ended)
