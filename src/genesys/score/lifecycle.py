"""Where a note stands: active → dormant → fading → pruned, and core.

A note sinks one step at a time, only when its score is low *and* it lay idle *and* it has been in its
status for a while; it comes back at once when it is used or its score is clearly high. The gap between
the thresholds (0.15 down, 0.2 up) and the dwell time are the hysteresis: nothing flaps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genesys.model import Kind, LifecycleParams, Status
from genesys.score.arrays import KIND_CODE, KINDS, STATUS_CODE, STATUSES, Bools, Codes, Floats

__all__ = ["Change", "Roster", "changes", "next_status", "settled_status"]

DEFAULTS = LifecycleParams()


@dataclass(frozen=True, slots=True)
class Change:
    """One note's step: its number, both statuses, and the reason in words."""

    index: int
    old: Status
    new: Status
    reason: str


@dataclass(frozen=True, slots=True)
class Roster:
    """What the lifecycle knows of n notes besides their scores.

    ``status`` and ``kind`` int8[n] as in ``arrays``; ``days_in_status`` float64[n]; the rest bool[n].
    ``kept`` are the notes of categories that are never forgotten (None: there are none).
    """

    status: Codes
    days_in_status: Floats
    kind: Codes
    pinned: Bools
    core: Bools
    orphan: Bools
    kept: Bools | None = None


def next_status(
    current: Status,
    score: float,
    idle_days: float,
    days_in_status: float,
    kind: Kind,
    pinned: bool,
    core: bool,
    orphan: bool,
    params: LifecycleParams = DEFAULTS,
    kept: bool = False,
) -> tuple[Status, str]:
    """The status after this pass, and why; the same status and "" where nothing changes.

    Times are in days. A note was used since its status began where ``idle_days < days_in_status``.
    """
    if current is Status.PRUNED:
        return current, ""  # only an undo brings it back
    if pinned or core:
        reason = "" if current is Status.CORE else "pinned" if pinned else "core by use"
        return Status.CORE, reason
    if current is Status.CORE:
        return Status.ACTIVE, "no longer pinned or core"
    if current is not Status.ACTIVE:
        if idle_days < days_in_status:
            return Status.ACTIVE, f"used {_days(idle_days)} ago"
        if score > params.revive_score:
            return Status.ACTIVE, f"score {score:.2f} is above {params.revive_score:g}"
    if kept and current is Status.FADING:
        return Status.DORMANT, "its category is never forgotten"
    lower = _sunk(current, score, idle_days, days_in_status, params)
    if lower is Status.PRUNED and (kind is not Kind.MEMORY or not orphan):
        return current, ""
    if kept and lower is Status.FADING:
        return current, ""
    return (current, "") if lower is current else (lower, _why(lower, score, idle_days, params))


def settled_status(
    score: float,
    idle_days: float,
    pinned: bool,
    core: bool,
    params: LifecycleParams = DEFAULTS,
    kept: bool = False,
) -> Status:
    """Where a note of unknown history stands: what it would have come to by now, and never pruned.

    For the first index of a vault, and for an index rebuilt from a note without ``genesys_status``.
    """
    status = Status.ACTIVE
    for _ in (Status.DORMANT, Status.FADING):
        status, _reason = next_status(
            status, score, idle_days, idle_days, Kind.NOTE, pinned, core, False, params, kept
        )
    return status


def changes(
    roster: Roster, score: Floats, idle_days: Floats, params: LifecycleParams = DEFAULTS
) -> tuple[Change, ...]:
    """Every note whose status changes in this pass; only those that can are looked at one by one."""
    found = []
    for at in np.flatnonzero(_candidates(roster, score, idle_days, params)).tolist():
        old = STATUSES[roster.status[at]]
        new, reason = next_status(
            old,
            float(score[at]),
            float(idle_days[at]),
            float(roster.days_in_status[at]),
            KINDS[roster.kind[at]],
            bool(roster.pinned[at]),
            bool(roster.core[at]),
            bool(roster.orphan[at]),
            params,
            roster.kept is not None and bool(roster.kept[at]),
        )
        if new is not old:
            found.append(Change(at, old, new, reason))
    return tuple(found)


def _sunk(current: Status, score: float, idle: float, dwelt: float, params: LifecycleParams) -> Status:
    """One step down where score, idleness and dwell time all allow it."""
    if current is Status.ACTIVE:
        due = score < params.dormant_score and idle >= params.dormant_idle_days
        return Status.DORMANT if due and dwelt >= params.dwell_days else current
    if current is Status.DORMANT:
        due = score < params.fading_score and idle >= params.fading_idle_days
        return Status.FADING if due and dwelt >= params.dwell_days else current
    more = params.fading_idle_days + params.prune_idle_days
    due = score < params.prune_score and idle >= more
    return Status.PRUNED if due and dwelt >= params.prune_idle_days else current


def _why(new: Status, score: float, idle: float, params: LifecycleParams) -> str:
    limit = {
        Status.DORMANT: params.dormant_score,
        Status.FADING: params.fading_score,
        Status.PRUNED: params.prune_score,
    }[new]
    text = f"score {score:.3f} is below {limit:g} after {_days(idle)} without use"
    return text + ", and no note links to it" if new is Status.PRUNED else text


def _days(days: float) -> str:
    if days == float("inf"):
        return "all time"
    whole = int(days)
    return "1 day" if whole == 1 else f"{whole} days"


def _candidates(roster: Roster, score: Floats, idle: Floats, params: LifecycleParams) -> Bools:
    """A superset of the notes that change, from whole columns."""
    held = roster.pinned | roster.core
    is_core = roster.status == STATUS_CODE[Status.CORE]
    active = roster.status == STATUS_CODE[Status.ACTIVE]
    dormant = roster.status == STATUS_CODE[Status.DORMANT]
    fading = roster.status == STATUS_CODE[Status.FADING]
    dwelt = roster.days_in_status
    back = (dormant | fading) & ((idle < dwelt) | (score > params.revive_score))
    down = active & (score < params.dormant_score) & (idle >= params.dormant_idle_days)
    down |= dormant & (score < params.fading_score) & (idle >= params.fading_idle_days)
    memory = roster.kind == KIND_CODE[Kind.MEMORY]
    down |= fading & memory & roster.orphan & (score < params.prune_score)
    back |= fading & roster.kept if roster.kept is not None else False
    found: Bools = ((held != is_core) | back | down) & (roster.status != STATUS_CODE[Status.PRUNED])
    return found
