"""Accesses for a note whose index is gone: made up from what was written back into the note.

A note keeps how often and when last it was recalled, and its score. When each recall was is lost, so
several histories are tried (even, widening, massed early, massed late); the one that comes nearest to the
written score with the least correction of its weights wins, and the correction closes the gap. Base-level
activation is linear in the weights, so the correction has a closed form.
"""

from __future__ import annotations

from dataclasses import replace
from math import exp, log

import numpy as np

from genesys.model import AccessKind, Factors, ScoreParams
from genesys.score.arrays import DAY, Accesses, Floats, access_rows
from genesys.score.decay import score_note

__all__ = ["restore", "synthesise"]

DEFAULTS = ScoreParams()

#: At most so many rows stand for a note's recalls; more than 32 spaced ones change no factor by 0.001, and
#: the weights of the rows carry the true number.
MAX_ROWS = 128

#: Exponents of the recalls' spread over the time from creation to the last recall: 1 is even, above it
#: early and widening, below it late. The first is the one used when nothing tells them apart.
SHAPES = (1.0, 2.0, 0.5, 4.0, 0.25)

#: Recalls of one day, as the two extreme histories have them, lie this many seconds apart.
MASSED_S = 600.0

#: ``genesys_score`` is written with two decimals, so the true one lies within this of it.
ROUNDING = 0.005

#: What a score missed by 1 costs beside a correction of weights by e: reaching the score comes first.
MISS_COST = 1e3

#: Reactivations beyond these are not told apart by two decimals of a score.
AWAKE_MIN, AWAKE_MAX = 0.001, 0.995


def synthesise(
    created: float,
    recalls: int,
    last_recalled: float | None,
    shape: float = 1.0,
    params: ScoreParams = DEFAULTS,
) -> Accesses:
    """Creation and ``recalls`` recalls, the last at ``last_recalled`` (UNIX seconds), spread by ``shape``.

    ``shape`` inf puts all others on the first day, 0 all on the last. Rows are those of note 0.
    """
    last = created if last_recalled is None else last_recalled
    first = min(created, last)
    rows = [(0, first, params.access_create, AccessKind.CREATE)]
    count = min(recalls, MAX_ROWS)
    weight = params.access_recall * recalls / max(count, 1)
    rows += [(0, time, weight, AccessKind.RECALL) for time in _spread(first, last, count, shape).tolist()]
    return access_rows(rows)


def restore(
    created: float,
    recalls: int,
    last_recalled: float | None,
    score: float | None = None,
    params: ScoreParams = DEFAULTS,
    *,
    support: float | None = None,
    focus: float = 0.0,
    scored_at: float | None = None,
    edited: float | None = None,
) -> Accesses:
    """Accesses (of note 0) that bring a note back to the score it was written with.

    Times are UNIX seconds. ``scored_at`` is until when ``score`` was kept up: now, if Genesys ran until the
    index was lost, since it rewrites a score that moves by 0.1; after a long pause, the last time it wrote
    to any note of the vault. Not the note's own modification time: just after a recall every score is
    high, and one that stood for months says little about that moment. ``support`` is the note's W once its
    links are resolved; without it, ``score`` or ``scored_at`` the recalls are spread evenly and nothing is
    fitted. ``edited`` is the last edit by a person, where known.
    """
    tail = _edit(created, last_recalled, edited, params)
    plain = synthesise(created, recalls, last_recalled, params=params).plus(tail)
    if score is None or support is None or scored_at is None:
        return plain
    at = max(scored_at, float(plain.time.max()))
    shapes = (*SHAPES, 0.0, float("inf")) if recalls > 1 else SHAPES[:1]
    best, least = plain, float("inf")
    for shape in shapes:
        rows = synthesise(created, recalls, last_recalled, shape, params).plus(tail)
        factor, reached = _correction(score_note(rows, support, at, focus, params), score, params)
        cost = max(abs(reached - score) - 2 * ROUNDING, 0.0) * MISS_COST + abs(log(factor))
        if cost < least - 1e-9:
            best, least = replace(rows, weight=rows.weight * factor), cost
        if least == 0.0:
            break  # this history needs no correction
    return best


def _spread(first: float, last: float, count: int, shape: float) -> Floats:
    """``count`` times in (first, last], the last one exactly at ``last``."""
    step = np.arange(1.0, count + 1)
    if shape == 0.0:
        return np.maximum(last - MASSED_S * (count - step), first)
    if shape == float("inf"):
        times = np.minimum(first + MASSED_S * step, last)
        times[count - 1 :] = last
        return times
    return first + (last - first) * (step / max(count, 1)) ** shape


def _correction(natural: Factors, score: float, params: ScoreParams) -> tuple[float, float]:
    """Factor on all weights that moves ``natural`` to within rounding of ``score``, and the score then."""
    target = min(max(natural.score, score - ROUNDING), score + ROUNDING)
    ceiling = natural.relevance * natural.connectivity
    if target == natural.score or ceiling <= 0:
        return 1.0, natural.score
    awake = min(max(target / ceiling, AWAKE_MIN), AWAKE_MAX)
    level = params.actr_threshold + params.actr_noise * log(awake / (1.0 - awake))
    return exp(level - natural.activation), ceiling * awake


def _edit(created: float, last_recalled: float | None, edited: float | None, params: ScoreParams) -> Accesses:
    """The last edit as a row, unless it falls together with creation."""
    if edited is None or edited < created + DAY:
        return access_rows(())
    return access_rows([(0, edited, params.access_edit, AccessKind.EDIT)])
