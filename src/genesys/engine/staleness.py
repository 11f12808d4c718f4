"""Decisions that nobody has touched for long: marked in the memory, and unmarked when used again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from genesys.engine.memory import note_row_of
from genesys.engine.proposing import Memories, proposal
from genesys.engine.writeback import wanted_values, write_now
from genesys.errors import WriteRefused
from genesys.model import AccessKind, Json
from genesys.reports import EvolveKind, Proposal
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import EventRow, NoteRow

__all__ = ["mark", "proposals", "unmark"]

DAY_S = 86_400.0


def proposals(index: Index, settings: Settings, memories: Memories, now: float) -> list[Proposal]:
    """Decisions that have become stale, and those marked so that have been used since."""
    return list(_proposals(index, settings, memories, now))


def _proposals(index: Index, settings: Settings, memories: Memories, now: float) -> Iterator[Proposal]:
    named = {name.casefold() for name in settings.stale_categories}
    asked = {i: r for i, r in memories.rows.items() if r.own.stale or r.category.casefold() in named}
    touched = _touched(index, asked)
    for note, row in sorted(asked.items(), key=lambda pair: pair[1].path):
        idle = (now - touched[note]) / DAY_S
        old = 0 < settings.stale_days <= idle and row.category.casefold() in named
        if old and not row.own.stale and not (row.pinned or row.core):
            reason = f"a {row.category} that nobody has touched for {int(idle)} days"
            yield proposal(EvolveKind.STALE, row.path, reason, mark=str(int(touched[note])))
        elif row.own.stale and not old:
            reason = f"used {int(max(idle, 0))} days ago, so no longer stale"
            yield proposal(EvolveKind.FRESH, row.path, reason, mark=str(int(touched[note])))


def _touched(index: Index, rows: Mapping[int, NoteRow]) -> dict[int, float]:
    """When each was last created, edited, recalled or pinned; the echo of another note's recall is none."""
    last = {note: row.created_at for note, row in rows.items()}
    for access in index.accesses_of(list(rows)):
        if access.kind is not AccessKind.CASCADE:
            last[access.note_id] = max(last[access.note_id], access.time)
    return last


def mark(index: Index, settings: Settings, proposal: Proposal, now: float) -> Mapping[str, Json]:
    """Write the property, or take it out.

    Raises:
        WriteRefused: the memory can't carry it.
    """
    _set(index, settings, proposal.path, proposal.kind is EvolveKind.STALE, now)
    return {}


def unmark(index: Index, settings: Settings, event: EventRow, now: float) -> tuple[str, ...]:
    """As it was before."""
    _set(index, settings, event.path, event.detail["kind"] != EvolveKind.STALE.value, now)
    return (event.path,)


def _set(index: Index, settings: Settings, path: str, stale: bool, now: float) -> None:
    if settings.writeback == "off":
        raise WriteRefused("GENESYS_WRITEBACK=off keeps properties out of notes")
    row = note_row_of(index, path)
    values = {**wanted_values(row), "genesys_stale": True if stale else None}
    if not write_now(index, settings, row, values, now):
        raise WriteRefused(f"{path} is being changed", hint="try again when it is saved")
