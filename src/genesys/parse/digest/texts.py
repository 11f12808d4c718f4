"""What a conversation and its proposals are as notes. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence

from genesys.parse.digest.harmless import as_code, harmless, harmless_line, means_nothing
from genesys.parse.memory_text import derive_title
from genesys.parse.secrets import find_secret
from genesys.transcripts import Conversation, Head, Proposal, ProposalKind, Turn

__all__ = ["episode_text", "episode_title", "mark_of", "proposal_text", "proposal_title", "span_of"]

_SPAN = re.compile(r"^Turns (\d+) to (\d+)\b", re.MULTILINE)
TITLE_CHARS = 80
_WHO = {"user": "the user", "assistant": "the assistant", "tool": "a tool"}


def mark_of(session: str, proposal: Proposal) -> str:
    """The block id that tells where a memory comes from; the same for the same words of a conversation."""
    first = proposal.places[0]
    source = "\0".join((session, proposal.kind.value, " ".join(first.quote.split())))
    return "^g-" + hashlib.blake2b(source.encode("utf-8", "replace"), digest_size=6).hexdigest()


def proposal_text(session: str, proposal: Proposal) -> str:
    """The memory, who said it and when, and the mark by which it is found again."""
    first = proposal.places[0]
    quotes = [p.quote for p in proposal.places if proposal.origin == "llm" and p.quote not in proposal.text]
    said = "Drawn by a language model from what" if proposal.origin == "llm" else "From what"
    day = f" on {first.when[:10]}" if first.when else ""
    turns = sorted({p.turn for p in proposal.places if p.turn})
    where = f", turn{'s' if len(turns) > 1 else ''} {' and '.join(map(str, turns[:3]))}" if turns else ""
    source = f"{said} {_WHO.get(first.role, first.role)} said{day}{where} of the conversation."
    if first.role == "tool":
        source = source.replace("said", "answered")
    parts = [harmless(proposal.text), *(f"> {harmless_line(q)}" for q in quotes)]
    text = "\n\n".join([*parts, f"{source} {mark_of(session, proposal)}"])
    return (
        text if means_nothing(text) else f"{as_code(proposal.text)}\n\n{source} {mark_of(session, proposal)}"
    )


def proposal_title(proposal: Proposal) -> str:
    """The first sentence; of an error its message."""
    text = proposal.text
    if proposal.kind is ProposalKind.ERROR:
        text = text.partition("\n")[0].removeprefix("Error: ")
    return derive_title(text)


def episode_title(head: Head, *, continued: bool) -> str:
    """What the conversation was about and its day; never a day first, which would make it a daily note."""
    title = " ".join(head.title.split()) or f"Conversation in {head.source}"
    title = title if len(title) <= TITLE_CHARS else title[: TITLE_CHARS - 1].rstrip() + "…"
    if title[:1].isdigit():
        title = f"On {title}"
    day = f" ({head.started[:10]})" if head.started else ""
    return f"{title}{day}{', continued' if continued else ''}"


def span_of(note: str) -> tuple[int, int] | None:
    """The first and last turn that the note of a conversation stands for; None where it does not say."""
    found = _SPAN.search(note)
    return (int(found[1]), int(found[2])) if found else None


def episode_text(talk: Conversation, after: int = 0, *, words: bool = True) -> str:
    """The conversation from the turn behind ``after``: date, participants, and the turns word for word.

    A turn with a secret in it is left out. Without ``words`` all turns are.
    """
    turns = [turn for turn in talk.turns if turn.number > after] if words else []
    head = talk.head
    day = f" on {head.started[:10]}" if head.started else ""
    about = f"A conversation in {head.source}{day}, between the user and the assistant."
    called = f" It was called “{harmless_line(head.title)}”." if head.title else ""
    span = f"Turns {after + 1} to {talk.count}{_left_out(talk, turns, after)}."
    text = "\n".join([f"{about}{called}\n\n{span}", *_said(turns, harmless)])
    return text if means_nothing(text) else "\n".join([f"{about}\n\n{span}", *_said(turns, as_code)])


def _left_out(talk: Conversation, turns: Sequence[Turn], after: int) -> str:
    missing = talk.count - after - len(turns)
    return f" ({missing} of them are not kept here)" if missing else ""


def _said(turns: Sequence[Turn], made: Callable[[str], str]) -> Iterator[str]:
    for turn in turns:
        secret = find_secret(turn.text)
        text = f"(left out: it looks like {secret})" if secret else made(turn.text)
        yield f"\n## Turn {turn.number}, {_WHO.get(turn.role, turn.role)}\n\n{text}"
