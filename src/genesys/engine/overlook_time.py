"""A vault's memory over time: what it was by its events, and what comes of it if nobody does anything."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import floor
from typing import Any

import numpy as np

from genesys.accounts import NoteRef
from genesys.engine.scoring import Columns, preferences
from genesys.model import Status
from genesys.overview import Counted, Life
from genesys.score.arrays import DAY, KIND_CODE, STATUS_CODE, STATUSES, Accesses, Ints
from genesys.score.connectivity import support
from genesys.score.decay import VaultScores, score_vault
from genesys.score.simulate import Scene, simulate
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import EventRow, NoteRow

__all__ = ["ahead", "lives", "past"]

YEAR = 365.0
STEP = 14.0  # days between two looks ahead
POINTS = 60  # looks back
CURVES = 5
CURVE_STEP = 5.0  # days between two points of a curve
LONGEST_PAST = 365.0  # days of a curve before now

Spans = list[tuple[float, str | None]]  # from this time on the note has this status; None: it is gone


def past(cols: Columns, events: Sequence[EventRow], now: float) -> tuple[Counted, ...]:
    """Notes by status from the first index until now, by what the events say was changed and when."""
    if not len(cols):
        return ()
    changes: dict[str, list[EventRow]] = defaultdict(list)
    for event in events:
        changes[event.path].append(event)
    lines = [_spans(row, changes.pop(row.path, ())) for row in cols.rows]
    lines += [line for rest in changes.values() if (line := _gone(rest))]
    start = min(line[0][0] for line in lines)
    times = np.linspace(start, now, POINTS) if now - start >= 1.0 else np.array([now])
    totals = [Counter[str]() for _ in times]
    for line in lines:
        for total, time in zip(totals, times.tolist(), strict=True):
            status = next((s for since, s in reversed(line) if since <= time), None)
            if status:
                total[status] += 1
    return tuple(Counted(t, dict(c)) for t, c in zip(times.tolist(), totals, strict=True))


def _spans(row: NoteRow, events: Iterable[EventRow]) -> Spans:
    spans: Spans = []
    before = row.status.value
    for event in events:
        old, new = _step(event)
        if not spans:
            spans.append((min(row.first_seen, event.time), old or before))
        spans.append((event.time, new))
    if not spans:
        return [(row.first_seen, before)]
    spans[-1] = (spans[-1][0], before)  # the present is known, whatever the events leave out
    return spans


def _gone(events: Sequence[EventRow]) -> Spans:
    """A note that is no longer there: known from its first use until it went. Its changes of status went with
    it, so the last one stands for all."""
    spans: Spans = []
    for event in events:
        old, new = _step(event)
        born = min(_used(event), default=event.time)
        if not spans and old:
            spans.append((min(born, event.time), old))
        spans.append((event.time, new))
    return spans if spans and spans[-1][1] is None else []


def _used(event: EventRow) -> list[float]:
    """When a note that went to the trash was used, as the event remembers."""
    kept: Any = event.detail.get("accesses")
    return [float(access[0]) for access in kept] if isinstance(kept, list) else []


def _step(event: EventRow) -> tuple[str | None, str | None]:
    """Status before and after an event; None where the note is not there."""
    detail: Mapping[str, object] = event.detail
    match event.kind:
        case "status":
            return str(detail.get("old")), str(detail.get("new"))
        case "pin":
            return str(detail.get("was", Status.ACTIVE.value)), Status.CORE.value
        case "unpin":
            return Status.CORE.value, str(detail.get("now", Status.ACTIVE.value))
        case "unforget":
            return None, Status.ACTIVE.value
        case _:
            return str(detail.get("status", Status.ACTIVE.value)), None


def ahead(
    index: Index, settings: Settings, cols: Columns, scored: VaultScores, now: float
) -> tuple[Counted, ...]:
    """Notes by status over the next year, if nobody edits or recalls anything."""
    if not len(cols):
        return ()
    scene = Scene(
        cols.accesses,
        cols.edges,
        np.array([KIND_CODE[r.kind] for r in cols.rows], dtype=np.int8),
        np.array([r.pinned for r in cols.rows], dtype=np.bool_),
        [r.category for r in cols.rows],
        np.array([STATUS_CODE[r.status] for r in cols.rows], dtype=np.int8),
        np.array([min(r.status_since, now) for r in cols.rows]),
        None,
        preferences(index),
    )
    line = simulate(scene, now, int(YEAR), settings.score, settings.lifecycle, STEP)
    looks = []
    for time, codes in zip(line.time.tolist(), line.status, strict=True):
        count = np.bincount(codes, minlength=len(STATUSES)).tolist()
        looks.append(Counted(time, {s.value: c for s, c in zip(STATUSES, count, strict=True) if c}, True))
    return tuple(looks)


# ------------------------------------------------------------------ single notes


def lives(
    cols: Columns, refs: Sequence[NoteRef], settings: Settings, now: float, chosen: Sequence[str]
) -> tuple[Life, ...]:
    """The score of some notes through the past year and the next, left alone from now on."""
    place = {ref.path: at for at, ref in enumerate(refs)}
    wanted = [place[path] for path in chosen if path in place] if chosen else _telling(cols, refs)
    if not wanted:
        return ()
    number = np.full(len(cols), -1, dtype=np.int64)
    number[wanted] = np.arange(len(wanted))
    held = support(len(cols), cols.edges, settings.score)[wanted]
    mine = cols.accesses.take(number[cols.accesses.note] >= 0)
    mine = replace(mine, note=number[mine.note])
    days = np.arange(-_first_day(mine, now), YEAR + 1, CURVE_STEP)
    curves = np.zeros((len(days), len(wanted)))
    for at, day in enumerate(days.tolist()):
        time = now + day * DAY
        seen = mine.take(mine.time <= time)
        curves[at] = score_vault(len(wanted), seen, held, time, None, settings.score).score
    return tuple(_life(refs[at], days, curves[:, column]) for column, at in enumerate(wanted))


def _first_day(accesses: Accesses, now: float) -> float:
    """How many days back the curves begin, a whole number of steps, so that now is one of the points."""
    oldest = (now - float(accesses.time.min(initial=now))) / DAY
    return CURVE_STEP * floor(min(max(oldest, 0.0), LONGEST_PAST) / CURVE_STEP)


def _life(ref: NoteRef, days: np.ndarray, scores: np.ndarray) -> Life:
    """Without the days before the note was there, when its score is 0."""
    first = int(np.argmax(scores > 0)) if (scores > 0).any() else 0
    return Life(ref, tuple(days[first:].tolist()), tuple(round(float(s), 5) for s in scores[first:]))


def _telling(cols: Columns, refs: Sequence[NoteRef]) -> list[int]:
    """Notes that differ: the best of the core, the one recalled last, then one of each status."""
    order: Ints = np.array(sorted(range(len(refs)), key=lambda i: (-refs[i].score, refs[i].path)), np.int64)
    recalled = [i for i in order.tolist() if cols.rows[i].last_recalled]
    last = sorted(recalled, key=lambda i: -(cols.rows[i].last_recalled or 0.0))[:2]
    best = [
        next((i for i in order.tolist() if cols.rows[i].status is status), None)
        for status in (Status.CORE, Status.ACTIVE, Status.DORMANT, Status.FADING)
    ]
    middle = [int(order[len(order) // 2])] if len(order) else []
    wanted = dict.fromkeys([i for i in (*best[:1], *last, *best[1:], *middle) if i is not None])
    return list(wanted)[:CURVES]
