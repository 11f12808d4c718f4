"""What a conversation should know when it starts: the core, what changed since the last one, what fades."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from genesys.engine.context import Block, digested
from genesys.engine.listing import to_ref
from genesys.model import Filters, Status
from genesys.quote import QUOTE_NOTICE, estimate_tokens, inline, untagged
from genesys.reports import ContextBlock, NoteRef

if TYPE_CHECKING:
    from genesys.engine.session import Genesys
    from genesys.store.rows import NoteStamp

__all__ = ["News", "briefing", "news"]

HEAD = "The person's notes (Genesys), as this session starts."
SEEN = "hooks_seen"  # meta: the notes as the last conversation found them
CORE_NOTES = 20  # looked at; the budget has room for fewer
CORE_SHARE = 0.5
CHANGES = 12  # named; more are counted
CHANGES_SHARE = 0.35
FADING_NOTES = 300  # looked at
FADING_SHOWN = 3  # a time; the next conversation is shown others


@dataclass(frozen=True, slots=True)
class News:
    """What changed since ``since`` (UNIX seconds), newest first. Of a note that is gone no name is kept."""

    since: float
    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    removed: int = 0

    def __bool__(self) -> bool:
        return bool(self.added or self.edited or self.moved or self.removed)

    def lines(self) -> Iterator[str]:
        for what, paths in (("added", self.added), ("edited", self.edited), ("moved to", self.moved)):
            for path in paths:
                yield f"- {what} {inline(path, 1000)}"

    def counts(self) -> str:
        named = {"added": len(self.added), "edited": len(self.edited), "moved": len(self.moved)}
        return ", ".join(f"{n} {what}" for what, n in [*named.items(), ("removed", self.removed)] if n)


def briefing(memory: Genesys, session: str) -> ContextBlock:
    """The block for the start of a conversation. It remembers what the vault was like, for the next one."""
    memory._given.forget(session)
    with memory._lock:
        seen = _seen(memory)
        stamps = memory._index.note_stamps()
        turn = int(seen.get("turn", 0))
        core = _refs(memory, Status.CORE, CORE_NOTES)
        fading = _turned(_refs(memory, Status.FADING, FADING_NOTES), turn)
        if memory._index.meta_get("indexed_at") and not memory.read_only:
            _remember(memory, stamps, turn + 1)
    core = sorted(core, key=lambda note: (not note.pinned, -round(note.score or 0.0, 1), note.path))
    changed = news(seen, stamps) if seen else News(0.0)
    return _laid_out(
        memory.settings.hooks.hook_start_tokens, digested(memory, core), changed, digested(memory, fading)
    )


def _refs(memory: Genesys, status: Status, most: int) -> list[NoteRef]:
    rows = memory._index.list_notes(Filters(statuses=(status,)), limit=most)
    return [to_ref(row, memory.settings) for row in rows]


def _turned(notes: Sequence[NoteRef], turn: int) -> list[NoteRef]:
    """A few of the notes, the best first, and others every time."""
    best = sorted(notes, key=lambda note: (-(note.score or 0.0), note.path))
    first = turn * FADING_SHOWN % len(best) if best else 0
    return (best[first:] + best[:first])[:FADING_SHOWN]


def news(seen: Mapping[str, Any], stamps: Sequence[NoteStamp]) -> News:
    """What ``stamps`` have that ``seen`` (as :func:`_remember` left it) has not."""
    before: Mapping[str, Sequence[float]] = seen["notes"]
    newest = sorted(stamps, key=lambda note: (-note.changed_at, note.path))
    old = [note for note in newest if str(note.id) in before]
    edited = [note for note in old if before[str(note.id)][1] != round(note.changed_at, 3)]
    moved = [note for note in old if before[str(note.id)][0] != _crc(note.path) and note not in edited]
    return News(
        since=float(seen["at"]),
        added=tuple(note.path for note in newest if str(note.id) not in before),
        edited=tuple(note.path for note in edited),
        moved=tuple(note.path for note in moved),
        removed=len(before) - len(old),
    )


def _crc(path: str) -> int:
    return zlib.crc32(path.encode("utf-8", "surrogatepass"))


def _seen(memory: Genesys) -> dict[str, Any]:
    """What the last conversation found; {} where there was none, or it can't be read."""
    try:
        seen = json.loads(memory._index.meta_get(SEEN) or "{}")
        return seen if {"at", "turn", "notes"} <= set(seen) else {}
    except (ValueError, TypeError):
        return {}


def _remember(memory: Genesys, stamps: Sequence[NoteStamp], turn: int) -> None:
    notes = {note.id: [_crc(note.path), round(note.changed_at, 3)] for note in stamps}
    seen = {"at": memory._clock(), "turn": turn, "notes": notes}
    memory._index.meta_set(SEEN, json.dumps(seen, separators=(",", ":")))


def _laid_out(
    max_tokens: int, core: Sequence[NoteRef], changed: News, fading: Sequence[NoteRef]
) -> ContextBlock:
    """The parts within the budget; a part that finds no room is left out."""
    block = Block(max_tokens)
    if not block.add([f"{HEAD} {QUOTE_NOTICE}"]):
        return ContextBlock("", 0, ())
    block.add_list("Core memories:", core, int(CORE_SHARE * max_tokens))
    if changed:
        _add_news(block, changed, int(CHANGES_SHARE * max_tokens))
    block.add_list("Fading notes, worth a look (pin_memory keeps one):", fading, block.left())
    if len(block.lines) == 1:
        return ContextBlock("", 0, ())
    text = untagged(block.text())
    return ContextBlock(text, estimate_tokens(text), tuple(block.paths))


def _add_news(block: Block, changed: News, share: int) -> None:
    """Counts always, names as far as they find room."""
    day = datetime.fromtimestamp(changed.since, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    lines = ["", f"Changed in the vault since the last session ({day}): {changed.counts()}"]
    for line in list(changed.lines())[:CHANGES]:
        if estimate_tokens("\n".join([*lines, line])) <= share:
            lines.append(line)
    block.add(lines)
