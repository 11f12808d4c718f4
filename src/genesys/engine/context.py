"""A block of text for the head of a prompt: core memories, the best passages, the cause of each in a line.

The same text for the same state of the memory: nothing in it depends on the clock, on how long it took or
on what was asked before, and asking for it leaves no trace.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from genesys.model import Answer, Hit, Step
from genesys.quote import QUOTE_NOTICE, estimate_tokens, inline, quote, shorten_tokens
from genesys.reports import ContextBlock, CoreList, NoteRef

if TYPE_CHECKING:
    from genesys.engine.session import Genesys

__all__ = ["Block", "build", "context", "digested"]

PASSAGES = 8  # hits looked at; a block with more is a list, not a context
CORE_NOTES = 20  # looked at; the budget has room for fewer
CORE_SHARE = 0.4  # of the budget at most; what the task is about has the rest
SESSION_SHARE = 0.2
PASSAGE_FLOOR = 25  # tokens: less of a passage says nothing
PASSAGE_SHARE = 0.5  # of what is left, so that one long passage leaves room for a second voice
WHY_DEPTH = 1
_EMBEDS = re.compile(r"(?:\s*!\[\[[^\[\]\n]+\]\])+\s*")
DIGEST_TOKENS = 40  # of a core memory's summary


def context(memory: Genesys, query: str, max_tokens: int, session: str, wait: bool) -> ContextBlock:
    """The block for ``query``; see :meth:`genesys.engine.session.Genesys.context`."""
    asked = (" ".join(query.split()), max_tokens, session, memory.warmed, wait)
    with memory._lock:
        state = memory._index.state()
    return memory._blocks.get(
        asked, state, memory._clock(), lambda: _made(memory, query, max_tokens, session, wait)
    )


def _made(memory: Genesys, query: str, max_tokens: int, session: str, wait: bool) -> ContextBlock:
    vectors = None if wait or memory.warmed else False
    answer = memory.recall(query, PASSAGES, read_only=True, with_vectors=vectors)
    causes = {hit.path: memory.why(hit.path, WHY_DEPTH).upstream for hit in answer.hits}
    core = memory.core()
    chosen = digested(memory, _by_weight(core.notes)[:CORE_NOTES])
    stored = digested(memory, _session_notes(memory, session))
    return build(replace(core, notes=chosen), answer, causes, max_tokens, stored)


def _by_weight(notes: Sequence[NoteRef]) -> list[NoteRef]:
    """The best first; notes of about one score by path, so that the order does not flicker."""
    return sorted(notes, key=lambda note: (-round(note.score or 0.0, 1), note.path))


def digested(memory: Genesys, notes: Sequence[NoteRef]) -> tuple[NoteRef, ...]:
    """The notes with how they begin as their summary; one that only embeds other files has none."""
    with memory._lock:
        ids = memory._index.note_ids([note.path for note in notes])
        texts = {path: [p.text for p in memory._index.passages_of(note)] for path, note in ids.items()}
    firsts = {path: next((t for t in said if not _EMBEDS.fullmatch(t)), "") for path, said in texts.items()}
    return tuple(replace(note, summary=note.summary or firsts.get(note.path, "")) for note in notes)


def _session_notes(memory: Genesys, session: str) -> tuple[NoteRef, ...]:
    """The memories of a conversation, oldest first."""
    if not session:
        return ()
    from genesys.engine.listing import to_ref

    with memory._lock:
        ids = memory._index.sessions().get(session, [])
        rows = memory._index.note_rows(ids)
    return tuple(to_ref(rows[note], memory.settings) for note in ids if note in rows)


def build(
    core: CoreList,
    answer: Answer,
    causes: dict[str, tuple[Step, ...]],
    max_tokens: int,
    session_notes: Sequence[NoteRef] = (),
    head: str = QUOTE_NOTICE,
) -> ContextBlock:
    """Lay the parts out within the budget; a part that finds no room is left out whole."""
    block = Block(max_tokens)
    if not block.add([head]):
        return ContextBlock("", 0, ())
    block.add_list("Core memories:", _by_weight(core.notes), int(CORE_SHARE * max_tokens))
    block.add_list("Stored in this conversation:", session_notes, int(SESSION_SHARE * max_tokens))
    for number, hit in enumerate(answer.hits):
        title = ["", "What the notes say:"] if number == 0 else []
        block.add_passage(title, hit, causes.get(hit.path, ()))
    if not block.paths:
        return ContextBlock("", 0, (), answer.signals)
    return ContextBlock(block.text(), estimate_tokens(block.text()), tuple(block.paths), answer.signals)


class Block:
    """Lines that never outgrow the budget."""

    def __init__(self, max_tokens: int) -> None:
        self.max_tokens = max_tokens
        self.lines: list[str] = []
        self.paths: dict[str, None] = {}

    def text(self) -> str:
        return "\n".join(self.lines)

    def left(self) -> int:
        return self.max_tokens - estimate_tokens(self.text()) - 1

    def add(self, lines: Sequence[str]) -> bool:
        """Add all of the lines, or none."""
        if estimate_tokens("\n".join([*self.lines, *lines])) > self.max_tokens:
            return False
        self.lines += lines
        return True

    def add_list(self, title: str, notes: Sequence[NoteRef], share: int) -> None:
        """One line a note, the first ones first, within ``share`` tokens."""
        lines = ["", title]
        chosen: list[str] = []
        for note in notes:
            line = f"- {inline(note.path, 1000)}"
            line += f": {inline(shorten_tokens(note.summary, DIGEST_TOKENS))}" if note.summary else ""
            if note.path in self.paths or estimate_tokens("\n".join([*lines, line])) > share:
                continue
            lines.append(line)
            chosen.append(note.path)
        if chosen and self.add(lines):
            self.paths |= dict.fromkeys(chosen)

    def add_passage(self, head: Sequence[str], hit: Hit, upstream: Sequence[Step]) -> None:
        """Where it stands, the passage, its first cause."""
        where = f"- {inline(hit.path, 1000)}"
        where += f" under {inline(' › '.join(hit.heading_path))}" if hit.heading_path else ""
        where += f" ({inline(hit.date, 30)})" if hit.date else ""
        where += f", superseded by {inline(hit.superseded_by, 1000)}" if hit.superseded_by else ""
        cause = [f"  cause: {_cause(upstream[0])}"] if upstream else []
        room = self.left() - estimate_tokens("\n".join([*head, where, *cause]))
        text = shorten_tokens(hit.text, max(int(room * PASSAGE_SHARE), min(room, PASSAGE_FLOOR)))
        while text and estimate_tokens(quote(text)) > room:  # every line gained a "> "
            text = shorten_tokens(text, estimate_tokens(text) * 3 // 4)
        if estimate_tokens(text) < min(PASSAGE_FLOOR, estimate_tokens(hit.text)) // 2:
            return
        if self.add([*head, where, quote(text), *cause]) or self.add([*head, where, quote(text)]):
            self.paths[hit.path] = None


def _cause(step: Step) -> str:
    edge = step.edge
    said = f": {inline(edge.evidence, 160)}" if edge.evidence else ""
    return f"{edge.type.value} {inline(step.path, 1000)}{said}"
