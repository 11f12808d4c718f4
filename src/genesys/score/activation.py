"""How available a note is in memory: ACT-R's base-level activation.

``B = ln Σ wⱼ · Δⱼ^(−d)`` with Δ in days (Anderson & Schooler 1991, "Reflections of the environment in
memory"). The most recent accesses count exactly; the older ones by the closed form of Petrov (2006),
"Computationally efficient approximation of the base-level learning equation in ACT-R": they are taken
as spread evenly over the time between the oldest exact one and the very first.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from genesys.model import ScoreParams
from genesys.score.arrays import DAY, Floats, History, totals

__all__ = ["admissible", "ages", "base_level", "reactivation", "recall_weight", "strength"]

DEFAULTS = ScoreParams()

#: Logistic arguments are cut here: e^700 is the largest round power a float64 holds.
EXPONENT_LIMIT = 700.0


def ages(time: Floats, now: float, params: ScoreParams = DEFAULTS) -> Floats:
    """Ages in days, at least ``min_age_days``; a time after ``now`` (a clock that jumped) is now."""
    age = now - time
    age /= DAY
    return np.maximum(age, params.min_age_days, out=age)


def strength(past: History, now: float, params: ScoreParams = DEFAULTS) -> Floats:
    """``Σ wⱼ · Δⱼ^(−d)`` of each note, float64[n]; 0 without accesses. ``now`` in UNIX seconds."""
    rows, decay = past.rows, params.actr_decay
    age = ages(rows.time, now, params)
    value = age**-decay
    value *= rows.weight
    total = totals(past.n, rows.note, value)
    long = np.flatnonzero(past.count > params.actr_exact)
    if len(long):
        first, recent = past.start[long], past.start[long] + past.count[long] - params.actr_exact
        # Sums over [first, recent), the older rows of each note; those up to the next note's are dropped.
        bounds = np.column_stack((first, recent)).ravel()
        old = np.add.reduceat(value, bounds)[::2]
        mass = np.add.reduceat(rows.weight, bounds, dtype=np.float64)[::2]
        total[long] += mass * _mean_power(age[recent], age[first], decay) - old
    return total


def base_level(past: History, now: float, params: ScoreParams = DEFAULTS) -> Floats:
    """Base-level activation B of each note, float64[n]; −inf without accesses."""
    total = strength(past, now, params)
    level = np.full(past.n, -np.inf)
    np.log(total, out=level, where=total > 0)
    return level


def reactivation(level: Floats, params: ScoreParams = DEFAULTS) -> Floats:
    """Retrieval probability ``1 / (1 + e^((τ−B)/s))`` in [0, 1] (Anderson & Lebiere 1998); 0 at B = −inf."""
    exponent = np.minimum((params.actr_threshold - level) / params.actr_noise, EXPONENT_LIMIT)
    return np.where(np.isneginf(level), 0.0, 1.0 / (1.0 + np.exp(exponent)))


def admissible(edit_times: Iterable[float], new: float) -> bool:
    """Whether an edit at ``new`` (UNIX seconds) counts: none of the note lies within a day of it."""
    return all(abs(new - time) >= DAY for time in edit_times)


def recall_weight(rank: int, earlier: int, params: ScoreParams = DEFAULTS) -> float:
    """Access weight of a recall that returned the note at ``rank`` (from 0), after ``earlier`` others of
    the note within the last day.

    Each earlier one halves it. With fixed d the sum can't tell ten recalls in a day from ten over a year,
    and people can: massed practice is forgotten sooner (Pavlik & Anderson 2005 vary d instead, which has
    no closed form).
    """
    weight = params.access_recall if rank < params.access_recall_top else params.access_recall_low
    return float(weight * params.massed_factor**earlier)


def _mean_power(low: Floats, high: Floats, decay: float) -> Floats:
    """Mean of x^(−d) for x even over [low, high], 0 < low ≤ high."""
    # In so narrow a range the difference of powers has no digits left; the midpoint is exact to 1e-12.
    narrow = high - low <= 1e-6 * high
    width = np.where(narrow, 1.0, high - low)
    if abs(decay - 1.0) < 1e-9:
        area = np.log(high / low)
    else:
        area = (high ** (1.0 - decay) - low ** (1.0 - decay)) / (1.0 - decay)
    return np.where(narrow, ((low + high) / 2) ** -decay, area / width)
