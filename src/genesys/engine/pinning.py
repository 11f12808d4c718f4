"""Pins and the core."""

from __future__ import annotations

from genesys.engine import writeback
from genesys.engine.listing import to_ref
from genesys.engine.memory import note_row_of, put_file
from genesys.engine.scoring import columns, core_choice, is_kept, preferences, scores
from genesys.engine.traces import record_pin
from genesys.errors import WriteRefused
from genesys.model import Status
from genesys.reports import CoreList, NoteRef
from genesys.score.lifecycle import settled_status
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import NoteRow, StateChange
from genesys.vault import content_hash, read

__all__ = ["core_list", "pin", "unpin"]


_MEND = "mend that in the note; until then the index alone knows"
TRIES = 5  # looks at a note that somebody keeps saving before it is left to the next pass


def pin(index: Index, settings: Settings, path: str, now: float) -> NoteRef:
    """Pin a note; a pin that is there already leaves no second trace.

    Raises:
        WriteRefused: the pin holds, but the note can't carry it.
    """
    row = _current(index, settings, path, now)
    if not row.pinned:
        with index.transaction():
            index.set_states([StateChange(row.id, pinned=True, core=True, status=Status.CORE)], now)
            record_pin(index, row.id, now, settings.score)
            index.add_event("pin", path, {"was": row.status.value}, now=now)
    return _written(index, settings, path, now, "pinned")


def unpin(index: Index, settings: Settings, path: str, now: float) -> NoteRef:
    """Take the pin away. The note stays core if it is by use, else it stands where its score puts it.

    Raises:
        WriteRefused: it is unpinned, but the note can't be told.
    """
    row = _current(index, settings, path, now)
    if row.pinned:
        index.set_states([StateChange(row.id, pinned=False)], now)
        cols = columns(index)
        at = next(i for i, r in enumerate(cols.rows) if r.id == row.id)
        scored = scores(index, settings, cols, now)
        core = at in core_choice(index, settings, cols, scored).core
        status = settled_status(
            float(scored.score[at]),
            float(scored.idle_days[at]),
            False,
            core,
            settings.lifecycle,
            is_kept(row, settings.lifecycle),
        )
        with index.transaction():
            index.set_states([StateChange(row.id, core=core, status=status)], now)
            index.add_event("unpin", path, {"now": status.value}, now=now)
    return _written(index, settings, path, now, "unpinned")


def _current(index: Index, settings: Settings, path: str, now: float) -> NoteRow:
    """The note as it is on disk now: what was edited since the last pass is read first.

    Raises:
        FileGone: it was moved or deleted since.
    """
    row = note_row_of(index, path)
    if content_hash(read(settings.vault, path)) != row.content_hash:
        put_file(index, settings, path, now)
        row = note_row_of(index, path)
    return row


def _written(index: Index, settings: Settings, path: str, now: float, done: str) -> NoteRef:
    """Score the note as it stands and write it back at once (unless write-back is off)."""
    cols = columns(index)
    at = next(i for i, r in enumerate(cols.rows) if r.path == path)
    scored = scores(index, settings, cols, now)
    index.set_states(
        [StateChange(cols.rows[at].id, score=float(scored.score[at]), factors=scored.factors(at))], now
    )
    if settings.writeback != "off":
        _write(index, settings, path, now, done)
    return to_ref(note_row_of(index, path), settings)


def _write(index: Index, settings: Settings, path: str, now: float, done: str) -> None:
    told = f"{done}, but {path} can't carry the mark"
    for _ in range(TRIES):
        row = _current(index, settings, path, now)
        try:
            if writeback.write_now(index, settings, row, writeback.wanted_values(row), now):
                return
        except WriteRefused as e:
            raise WriteRefused(f"{told}: {e.message}", hint=e.hint or _MEND) from None
    raise WriteRefused(f"{told} yet: it keeps changing", hint="the next `genesys decay` tries again")


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
