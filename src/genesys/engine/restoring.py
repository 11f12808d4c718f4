"""What notes say of themselves, taken back when an index is made anew (P1)."""

from __future__ import annotations

from dataclasses import replace
from math import log2

import numpy as np

from genesys.engine.scoring import columns, rules_of
from genesys.model import AccessKind
from genesys.score.arrays import DAY, Accesses
from genesys.score.connectivity import support
from genesys.score.decay import score_note
from genesys.score.restore import restore
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import AccessRow, NoteRow, StateChange

__all__ = ["restore_written"]

KINDS = tuple(AccessKind)


def restore_written(index: Index, settings: Settings, now: float) -> int:
    """Give notes that carry a written-back state accesses that bring them back to their score.

    Only notes that this index has never scored; how many there were.
    """
    waiting = [r for r in index.all_notes() if r.factors is None and r.own.status is not None]
    if not waiting:
        return 0
    kept_up = min(now, max(row.mtime for row in waiting))  # the last write: until then scores were kept up
    cols = columns(index)
    held = support(len(cols), cols.edges, settings.score)
    numbers = {row.id: at for at, row in enumerate(cols.rows)}
    weight, floor = rules_of(cols.rows, settings.score)
    rows: list[AccessRow] = []
    states: list[StateChange] = []
    for row in waiting:
        at = numbers[row.id]
        rules = (
            float(weight[at]) if weight is not None else 1.0,
            float(floor[at]) if floor is not None else 0.0,
        )
        found = _accesses(_unruled(row, *rules), float(held[at]), kept_up, settings)
        kinds = found.kind.tolist()
        rows += [
            AccessRow(row.id, time, _kind(KINDS[kind]), weight)
            for time, weight, kind in zip(found.time.tolist(), found.weight.tolist(), kinds, strict=True)
        ]
        factors = score_note(found, float(held[at]), now, 0.0, settings.score, *rules)
        states.append(StateChange(row.id, score=factors.score, factors=factors))
    with index.transaction():
        index.replace_accesses([r.id for r in waiting], rows)
        index.set_states(states, now)
    return len(waiting)


def _unruled(row: NoteRow, weight: float, floor: float) -> NoteRow:
    """The row with the score that it would have written without the rules for its category."""
    told = row.own.score
    if told is None or (weight, floor) == (1.0, 0.0):
        return row
    plain = None if told <= floor or told >= 1.0 or not weight else min(told / weight, 1.0)
    return replace(row, own=replace(row.own, score=plain))


def _kind(kind: AccessKind) -> AccessKind:
    """An edit is a person's, and keeps a memory for good; what we only conclude may not say that."""
    return AccessKind.PIN if kind is AccessKind.EDIT else kind


#: A score missed by more says that the note was edited or pinned since the last recall it tells of.
MISSED = 0.02


def _accesses(row: NoteRow, held: float, kept_up: float, settings: Settings) -> Accesses:
    """Accesses that give the written score at ``kept_up``."""
    params = settings.score

    def fitted(edited: float | None) -> Accesses:
        return restore(
            row.created_at,
            row.recalls,
            row.last_recalled,
            row.own.score,
            params,
            support=held,
            scored_at=kept_up,
            edited=edited,
        )

    found = fitted(None)
    reached = score_note(found, held, kept_up, 0.0, params)
    if row.own.score is not None and row.own.score - reached.score > MISSED:
        # Idle too long for that score, whatever the weights: something was done with it later.
        wanted = min(1.0, row.own.score / (reached.connectivity * reached.reactivation))
        idle = -log2(wanted) * params.half_life_days * reached.stability
        found = fitted(kept_up - idle * DAY)
    return replace(found, note=np.zeros(len(found), np.int64))
