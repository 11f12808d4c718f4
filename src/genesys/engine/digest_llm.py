"""Proposals of a language model: the same shape as the rules', each with words that were really said.

The model sees the conversation as quoted data. What it answers is checked against the turns; a proposal
whose quotation stands in none of them is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from genesys.errors import ModelError
from genesys.llm import Chat
from genesys.model import MemoryType
from genesys.parse.secrets import find_secret
from genesys.quote import QUOTE_NOTICE, quote
from genesys.settings import Settings
from genesys.transcripts import Conversation, Place, Proposal, ProposalKind, Turn

if TYPE_CHECKING:
    from genesys.engine.session import Progress

__all__ = ["add_proposals", "chat_of"]

CACHE = "llm.json"
PART_CHARS = 24_000  # of a conversation that the model sees at once
MAX_PARTS = 20
MAX_ASKED = 200  # times that one digest asks the model
MAX_TEXT = 1_000  # characters of a proposal
MIN_QUOTE = 6  # characters of a quotation that says anything

_SYSTEM = f"""You find what is worth remembering in a conversation. {QUOTE_NOTICE}
Answer with one JSON object and nothing else:
{{"memories": [{{"kind": "decision|preference|fact|error", "text": "...", "turn": 3, "quote": "..."}}]}}
decision: what the user decided, with the reason. preference: how the user wants things done. fact: something
lasting about the user's world, with its date where one is given. error: an error and the fix that worked.
text: one or two sentences that can be understood without the conversation, in its language.
turn: the turn's number. quote: words of that turn, copied exactly, that say it.
Leave out small talk, what was only considered, general knowledge, passwords, keys. An empty list is fine."""


def chat_of(settings: Settings) -> Chat | None:
    """The model that the settings name; None where they name none.

    Raises:
        ModelError: an address is set, but no model.
    """
    if not settings.llm_url:
        return None
    return Chat(
        settings.llm_url,
        settings.llm_model,
        settings.llm_api_key,
        settings.llm_api,
        timeout=settings.llm_timeout_s,
        cache=settings.index.parent / CACHE if settings.index.exists() else None,
    )


def add_proposals(
    chat: Chat, talks: Sequence[Conversation], progress: Progress | None = None
) -> tuple[list[Conversation], tuple[str, ...]]:
    """The conversations with the model's proposals behind the rules', and lines on what went wrong."""
    done: list[Conversation] = []
    dropped = asked = 0
    for at, talk in enumerate(talks, 1):
        if progress:
            progress("ask", at, len(talks))
        parts = list(_parts(talk.turns))
        asked += len(parts)
        try:
            if asked > MAX_ASKED:
                raise ModelError(
                    f"{MAX_ASKED} questions are enough", hint="Digest fewer conversations at once."
                )
            found, wrong = _ask(chat, parts)
        except ModelError as error:
            notice = f"from here on by rules only: {error.message} ({error.hint})"
            return [*done, *talks[at - 1 :]], (notice, *_said(dropped))
        dropped += wrong
        done.append(replace(talk, proposals=(*talk.proposals, *_new(talk.proposals, found))))
    return done, _said(dropped)


def _said(dropped: int) -> tuple[str, ...]:
    if not dropped:
        return ()
    return (f"{dropped} of the model's proposals were left out: nobody said what they quote",)


def _ask(chat: Chat, parts: Sequence[Sequence[Turn]]) -> tuple[list[Proposal], int]:
    found: list[Proposal] = []
    wrong = 0
    for part in parts:
        answer = chat.ask(_SYSTEM, "\n\n".join(_shown(turn) for turn in part), "memories")
        made = [_proposal(item, part) for item in answer["memories"]]
        found += filter(None, made)
        wrong += made.count(None)
    return found, wrong


def _parts(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    part: list[Turn] = []
    size = count = 0
    for turn in turns:
        if part and size + len(turn.text) > PART_CHARS:
            yield part
            part, size, count = [], 0, count + 1
        if count == MAX_PARTS:
            return
        part.append(turn)
        size += len(turn.text)
    if part:
        yield part


def _shown(turn: Turn) -> str:
    text = "(left out)" if find_secret(turn.text) else turn.text
    return f"Turn {turn.number}, {turn.role}:\n{quote(text)}"


def _proposal(item: Any, turns: Sequence[Turn]) -> Proposal | None:
    """One item of the answer, if it is what was asked for and its quotation stands where it says."""
    if not isinstance(item, dict):
        return None
    text, said, number = item.get("text"), item.get("quote"), item.get("turn")
    kinds = {kind.value: kind for kind in ProposalKind}
    kind = kinds.get(str(item.get("kind")))
    turn = next((t for t in turns if t.number == number), None)
    if kind is None or turn is None or not isinstance(text, str) or not isinstance(said, str):
        return None
    line = _line_of(said, turn.text)
    if not text.strip() or len(text) > MAX_TEXT or line is None:
        return None
    memory_type = MemoryType.PROCEDURAL if kind is ProposalKind.ERROR else MemoryType.SEMANTIC
    place = Place(turn.number, turn.line_of(line), turn.role, " ".join(said.split()), turn.when)
    return Proposal(0, kind, " ".join(text.split()), memory_type, (place,), "llm")


def _line_of(said: str, text: str) -> int | None:
    """The line of ``text`` on which ``said`` begins, white space aside; None where it does not stand."""
    wanted = "".join(said.split())
    if len(wanted) < MIN_QUOTE:
        return None
    at = "".join(text.split()).find(wanted)
    if at < 0:
        return None
    for number, line in enumerate(text.split("\n")):
        at -= len("".join(line.split()))
        if at < 0:
            return number
    return None


def _new(rules: Sequence[Proposal], found: Sequence[Proposal]) -> Iterator[Proposal]:
    """What the rules have not found in the same words."""
    known = [(p.kind, "".join(place.quote.split())) for p in rules for place in p.places]
    for proposal in found:
        said = "".join(proposal.places[0].quote.split())
        if not any(kind is proposal.kind and (said in words or words in said) for kind, words in known):
            known.append((proposal.kind, said))
            yield proposal
