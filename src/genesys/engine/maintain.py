"""One maintenance pass: score the vault, move statuses, choose the core, prune, write back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from genesys.engine.scoring import Columns, columns, core_choice, is_kept, scores, settled
from genesys.engine.writeback import due, write_notes
from genesys.errors import IndexMissing, VaultError
from genesys.model import AccessKind, Skipped, Status
from genesys.parse.memory_text import as_written
from genesys.reports import DecayReport, StatusChange, WriteReport
from genesys.score.arrays import DAY, KIND_CODE, STATUS_CODE
from genesys.score.connectivity import orphans
from genesys.score.decay import VaultScores
from genesys.score.lifecycle import Change, Roster, changes
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import NoteRow, StateChange
from genesys.vault import content_hash, read

if TYPE_CHECKING:
    from genesys.score.core import CoreChoice

__all__ = ["is_ours", "run"]

LAST_PASS = "maintained_at"


def run(index: Index, settings: Settings, now: float, *, dry_run: bool = False) -> DecayReport:
    """Score every note at ``now`` and act on it; with ``dry_run`` say what would change and touch nothing."""
    if index.meta_get("indexed_at") is None:
        raise IndexMissing("this vault is not indexed yet", hint="genesys index")
    start = time.perf_counter()
    cols = columns(index)
    scored = scores(index, settings, cols, now)
    choice = core_choice(index, settings, cols, scored)
    as_read = cols.rows
    cols = settled(cols, scored, choice, settings, now)
    moved = _prunable(_changes(cols, scored, choice, settings, now), cols, index, settings)
    pruned = tuple(c for c in moved if c.new is Status.PRUNED)
    listed = _listed(as_read, cols, scored, moved)
    writes = _would_write(cols, scored, choice, moved, settings, now) if dry_run else WriteReport()
    gone: tuple[str, ...] = tuple(cols.rows[c.index].path for c in pruned)
    if not dry_run:
        _store(index, cols, scored, choice, moved, now)
        gone, stayed = _prune(index, settings, cols, pruned, now)
        writes = write_notes(index, settings, due(index.all_notes(), settings, now), now)
        writes = replace(writes, refused=(*writes.refused, *stayed))
    return DecayReport(len(cols.rows), listed, gone, writes, time.perf_counter() - start, dry_run)


def _listed(
    as_read: Sequence[NoteRow], cols: Columns, scored: VaultScores, moved: Sequence[Change]
) -> tuple[StatusChange, ...]:
    """Every note whose status is another after the pass, with the reason; the first pass places them all."""
    reasons = {c.index: (c.new, c.reason) for c in moved}
    found = []
    for at, (before, row) in enumerate(zip(as_read, cols.rows, strict=True)):
        new, reason = reasons.get(at, (row.status, "first pass: where its age and use put it"))
        if new is not before.status:
            found.append(StatusChange(row.path, before.status, new, float(scored.score[at]), reason))
    return tuple(found)


def _would_write(
    cols: Columns,
    scored: VaultScores,
    choice: CoreChoice,
    moved: Sequence[Change],
    settings: Settings,
    now: float,
) -> WriteReport:
    """The notes that this pass would write into; pruned ones go without a word."""
    new = {c.index: c.new for c in moved}
    rows = [
        replace(
            row,
            status=new.get(at, row.status),
            score=float(scored.score[at]),
            core=at in choice.core,
        )
        for at, row in enumerate(cols.rows)
    ]
    paths = tuple(d.row.path for d in due(rows, settings, now))
    most = settings.writeback_max
    return WriteReport(paths[:most], deferred=max(0, len(paths) - most))


def _changes(
    cols: Columns, scored: VaultScores, choice: CoreChoice, settings: Settings, now: float
) -> tuple[Change, ...]:
    core = np.zeros(len(cols.rows), dtype=np.bool_)
    core[list(choice.core)] = True
    roster = Roster(
        status=np.array([STATUS_CODE[r.status] for r in cols.rows], dtype=np.int8),
        days_in_status=np.array([_days_in_status(r, now) for r in cols.rows]),
        kind=np.array([KIND_CODE[r.kind] for r in cols.rows], dtype=np.int8),
        pinned=np.array([r.pinned for r in cols.rows], dtype=np.bool_),
        core=core,
        orphan=orphans(len(cols), cols.edges),
        kept=np.array([is_kept(r, settings.lifecycle) for r in cols.rows], dtype=np.bool_),
    )
    found = changes(roster, scored.score, scored.idle_days, settings.lifecycle)
    return tuple(
        replace(c, reason=choice.core.get(c.index, c.reason)) if c.new is Status.CORE else c for c in found
    )


def _days_in_status(row: NoteRow, now: float) -> float:
    """How long the status has held; a clock that was ahead once must not hold it until that day comes."""
    return (now - row.status_since) / DAY if row.status_since <= now else float("inf")


def _prunable(
    moved: tuple[Change, ...], cols: Columns, index: Index, settings: Settings
) -> tuple[Change, ...]:
    """Without the prunes of memories that a person had a hand in, or that changed since they were read."""
    return tuple(
        c for c in moved if c.new is not Status.PRUNED or is_ours(cols.rows[c.index], index, settings)
    )


def is_ours(row: NoteRow, index: Index, settings: Settings) -> bool:
    """Whether the memory is as Genesys wrote it, and no person had a hand in it."""
    if any(access.kind is AccessKind.EDIT for access in index.accesses_of([row.id])):
        return False
    try:
        raw = read(settings.vault, row.path)
    except VaultError:
        return False
    return content_hash(raw) == row.content_hash and as_written(raw.decode("utf-8", "replace"))


def _store(
    index: Index,
    cols: Columns,
    scored: VaultScores,
    choice: CoreChoice,
    moved: tuple[Change, ...],
    now: float,
) -> None:
    status = {c.index: c for c in moved if c.new is not Status.PRUNED}
    states = [
        StateChange(
            row.id,
            status=status[at].new if at in status else row.status,
            score=float(scored.score[at]),
            factors=scored.factors(at),
            core=at in choice.core,
        )
        for at, row in enumerate(cols.rows)
    ]
    with index.transaction():
        index.set_states(states, now)
        for c in status.values():
            detail = {
                "old": c.old.value,
                "new": c.new.value,
                "reason": c.reason,
                "score": float(scored.score[c.index]),
            }
            index.add_event("status", cols.rows[c.index].path, detail, now=now)
        index.meta_set(LAST_PASS, repr(now))


def _prune(
    index: Index, settings: Settings, cols: Columns, pruned: tuple[Change, ...], now: float
) -> tuple[tuple[str, ...], tuple[Skipped, ...]]:
    """Memories whose time is over go to the trash; one that can't go stays and is tried next time."""
    from genesys.engine import inferring
    from genesys.engine.forgetting import trash_note
    from genesys.engine.indexing import resolve_links

    gone: list[str] = []
    stayed: list[Skipped] = []
    for change in pruned:
        row = cols.rows[change.index]
        try:
            trash_note(index, settings, row, "prune", change.reason, now, refresh=False)
        except VaultError as e:
            stayed.append(Skipped(row.path, e.message))
        else:
            gone.append(row.path)
    if gone:
        resolve_links(index)
        inferring.refresh(index)
    return tuple(gone), tuple(stayed)
