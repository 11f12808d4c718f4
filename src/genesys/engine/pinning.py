"""Pins and the core."""

from __future__ import annotations

from dataclasses import replace

from genesys.engine import writeback
from genesys.engine.listing import to_ref
from genesys.engine.scoring import columns, core_choice, preferences, scores
from genesys.engine.traces import record_pin
from genesys.errors import NoteNotFound, WriteRefused
from genesys.model import Status
from genesys.reports import CoreList, NoteRef
from genesys.score.lifecycle import settled_status
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import NoteRow, StateChange

__all__ = ["core_list", "pin", "unpin"]


def pin(index: Index, settings: Settings, path: str, now: float) -> NoteRef:
    """Pin a note; a pin that is there already leaves no second trace.

    Raises:
        WriteRefused: the pin holds, but the note can't carry it.
    """
    row = _row(index, path)
    if not row.pinned:
        with index.transaction():
            index.set_states([StateChange(row.id, pinned=True, core=True, status=Status.CORE)], now)
            record_pin(index, row.id, now, settings.score)
            index.add_event("pin", path, {"was": row.status.value}, now)
    return _written(index, settings, path, now)


def unpin(index: Index, settings: Settings, path: str, now: float) -> NoteRef:
    """Take the pin away. The note stays core if it is by use, else it stands where its score puts it."""
    row = _row(index, path)
    if row.pinned:
        index.set_states([StateChange(row.id, pinned=False)], now)
        cols = columns(index)
        at = next(i for i, r in enumerate(cols.rows) if r.id == row.id)
        cols.rows[at] = replace(cols.rows[at], pinned=False)
        scored = scores(index, settings, cols, now)
        core = at in core_choice(index, settings, cols, scored).core
        status = settled_status(
            float(scored.score[at]), float(scored.idle_days[at]), False, core, settings.lifecycle
        )
        with index.transaction():
            index.set_states([StateChange(row.id, core=core, status=status)], now)
            index.add_event("unpin", path, {"now": status.value}, now=now)
    return _written(index, settings, path, now)


def _row(index: Index, path: str) -> NoteRow:
    rows = index.notes_by_path([path])
    if not rows:
        raise NoteNotFound(f"{path} is not in the index", hint="genesys index")
    return rows[0]


def _written(index: Index, settings: Settings, path: str, now: float) -> NoteRef:
    """Score the note as it stands and write it back at once (unless write-back is off)."""
    cols = columns(index)
    at = next(i for i, r in enumerate(cols.rows) if r.path == path)
    scored = scores(index, settings, cols, now)
    index.set_states(
        [StateChange(cols.rows[at].id, score=float(scored.score[at]), factors=scored.factors(at))], now
    )
    row = _row(index, path)
    if settings.writeback != "off":
        done = writeback.write_now(index, settings, row, writeback.wanted_values(row), now)
        if not done:
            raise WriteRefused(
                f"{path} is pinned, but it changed on disk and could not be written",
                hint="genesys index, then pin it again",
            )
    return to_ref(_row(index, path), settings)


def core_list(index: Index, settings: Settings, category: str, now: float) -> CoreList:
    """The core as the last pass left it, and what is proposed now."""
    cols = columns(index)
    choice = core_choice(index, settings, cols, scores(index, settings, cols, now))
    told = preferences(index)
    rows = [(i, r) for i, r in enumerate(cols.rows) if not category or r.category == category]
    core = [(i, r) for i, r in rows if r.status is Status.CORE or i in choice.core]
    core.sort(key=lambda x: (not x[1].pinned, -(x[1].score or 0.0), x[1].path))
    proposed = [r for i, r in rows if i in choice.proposals]
    reasons = {cols.rows[i].path: why for i, why in (*choice.core.items(), *choice.proposals.items())}
    return CoreList(
        notes=tuple(to_ref(r, settings) for _, r in core),
        proposals=tuple(to_ref(r, settings) for r in proposed),
        reasons=reasons,
        auto=tuple(sorted(told.auto)),
        approval=tuple(sorted(told.approval)),
        excluded=tuple(sorted(told.excluded)),
    )
