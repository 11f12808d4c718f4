"""Whether a note matters now: ``relevance = max(freshness, focus)``, at least 0.1.

Freshness halves every ``half_life_days · S`` of idleness. Stability S grows when the note is recalled at
intervals and not when it is recalled over and over (the spacing effect: Cepeda et al. 2006, "Distributed
practice in verbal recall tasks"); every spaced recall closes the same share of the way to the maximum, so
the more stable a memory, the less another recall adds (as in Wozniak's two-component model of memory).

Focus is closeness to the work of the last fortnight: the cosine to its decayed centroid, and shared tags
and links.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from genesys.model import AccessKind, ScoreParams
from genesys.score.arrays import ACCESS_CODE, DAY, Accesses, Floats, History, Ints, totals

__all__ = [
    "best_cosine",
    "centroid",
    "cosine_to",
    "focus",
    "freshness",
    "idle_days",
    "overlap",
    "recent_work",
    "relevance",
    "rescale",
    "spaced_recalls",
    "stability",
]

DEFAULTS = ScoreParams()
Vectors = npt.NDArray[np.float32]

#: Recalls beyond this many spaced ones move S by less than a thousandth of its range (0.8^32 = 0.0008).
SPACED_LIMIT = 32

#: Vaults smaller than this have no background that closeness could stand out from.
FOCUS_NOTES = 20

#: Least distance of the two limits of the cosine, so that closeness stays a matter of degree.
FOCUS_WIDTH = 0.2

#: What a note's time may lose in the key that joins note and time (seconds): rounding is no shorter gap.
KEY_SLACK_S = 0.01


def idle_days(past: History, now: float) -> Floats:
    """Days since each note's last own access, float64[n]; inf where there was none.

    A cascade is no use of the note itself, so it does not end idleness. Never below 0.
    """
    own = np.flatnonzero(past.rows.kind != ACCESS_CODE[AccessKind.CASCADE])
    last = np.full(past.n, -np.inf)
    last[past.rows.note[own]] = past.rows.time[own]  # in order: of a note's rows the latest is written last
    return np.maximum((now - last) / DAY, 0.0)


def spaced_recalls(past: History, params: ScoreParams = DEFAULTS) -> Ints:
    """Recalls at least ``stability_gap_days`` after the last one that counted (or after creation).

    int64[n], at most :data:`SPACED_LIMIT`: more make no difference to stability.
    """
    gap = params.stability_gap_days * DAY
    kind = past.rows.kind
    recall, create = ACCESS_CODE[AccessKind.RECALL], ACCESS_CODE[AccessKind.CREATE]
    practised = np.flatnonzero((kind == recall) | (kind == create))
    note, time = past.rows.note[practised], past.rows.time[practised]
    same = note[1:] == note[:-1]
    far = time[1:] - time[:-1] >= gap
    count = np.bincount(note[np.flatnonzero(same & far) + 1], minlength=past.n).astype(np.int64, copy=False)
    dense = np.zeros(past.n, dtype=np.bool_)  # recalled within a day of the last: these need a closer look
    dense[note[np.flatnonzero(same > far) + 1]] = True
    if dense.any():
        inside = np.flatnonzero(dense[note])
        count[dense] = _leaps(past.n, note[inside], time[inside], gap)[dense]
    return np.minimum(count, SPACED_LIMIT)


def _leaps(n: int, note: Ints, time: Floats, gap: float) -> Ints:
    """How often each note's times, in order, reach at least ``gap`` seconds past the last one counted."""
    origin = time.min()
    span = time.max() - origin + gap + 1.0
    key = note * span + (time - origin)  # one ascending key: notes side by side, each in time
    after = np.searchsorted(key, key + gap - KEY_SLACK_S)
    count = np.zeros(n, dtype=np.int64)
    at = np.flatnonzero(np.diff(note, prepend=-1))
    for _ in range(SPACED_LIMIT):
        owner, step = note[at], after[at]
        same = (step < len(key)) & (note[np.minimum(step, len(key) - 1)] == owner)
        at = step[same]
        if not len(at):
            break
        count[owner[same]] += 1
    return count


def stability(spaced: Ints, params: ScoreParams = DEFAULTS) -> Floats:
    """``S = S_max − (S_max − 1) · (1 − gain)^k`` after k spaced recalls, k ≤ :data:`SPACED_LIMIT`:
    from 1 towards S_max."""
    steps = np.power(1.0 - params.stability_gain, np.arange(SPACED_LIMIT + 1.0))
    table: Floats = params.stability_max - (params.stability_max - 1.0) * steps
    return table[np.minimum(spaced, SPACED_LIMIT)]


def freshness(idle: Floats, stable: Floats, params: ScoreParams = DEFAULTS) -> Floats:
    """``2^(−idle/(H·S))`` in [0, 1]; ``idle`` in days."""
    return np.exp2(-idle / (params.half_life_days * stable))


def recent_work(accesses: Accesses, now: float, params: ScoreParams = DEFAULTS) -> tuple[Ints, Floats]:
    """Notes edited, created or recalled in the focus window, and how much each steers it.

    A weight is the access weight × 2^(−age/half-life), added up per note; a cascade steers nothing.
    """
    age = np.maximum((now - accesses.time) / DAY, 0.0)
    kept = (age <= params.focus_window_days) & (accesses.kind != ACCESS_CODE[AccessKind.CASCADE])
    notes, inverse = np.unique(accesses.note[kept], return_inverse=True)
    decayed = accesses.weight[kept] * np.exp2(-age[kept] / params.focus_half_life_days)
    return notes.astype(np.int64), totals(len(notes), inverse, decayed)


def centroid(vectors: Vectors, weights: Floats) -> Vectors:
    """Unit float32[dim] along the weighted mean of float32[k, dim]; zeros where there is none."""
    total = np.asarray(weights, dtype=np.float32) @ vectors
    norm = float(np.linalg.norm(total))
    return np.asarray(total / norm if norm > 0 else np.zeros_like(total), dtype=np.float32)


def cosine_to(n: int, note: Ints, vectors: Vectors, unit: Vectors) -> Floats:
    """Each note's best cosine to ``unit`` over its passages, float64[n]; 0 for notes without a vector.

    ``note`` int64[p] is the note of each row of ``vectors`` float32[p, dim], which are normalised.
    """
    return best_cosine(n, note, vectors @ unit)


def best_cosine(n: int, note: Ints, cosine: Vectors) -> Floats:
    """The best of each note's passages, float64[n]; 0 for notes without one. ``cosine`` float32[p]."""
    best = np.full(n, -1.0)
    np.maximum.at(best, note, cosine.astype(np.float64))
    best[np.bincount(note, minlength=n) == 0] = 0.0
    return best


def rescale(cosine: Floats, params: ScoreParams = DEFAULTS) -> Floats:
    """Each note's cosine to [0, 1]: 0 up to ``focus_cosine_low``, 1 from ``focus_cosine_high``.

    The limits are for MiniLM and English. On a garden of English notes the centroid of a note and half of
    its links has a median cosine of 0.56 to its other links and 0.13 to other notes; on a Chinese one, of
    which the model understands less, 0.67 and 0.54. So the lower limit rises to where ``focus_share`` of
    the vault lies above it, and the upper one with it: what is close to everything is not in focus.
    """
    low, high = params.focus_cosine_low, params.focus_cosine_high
    if len(cosine) >= FOCUS_NOTES:
        common = float(np.quantile(cosine, 1.0 - params.focus_share))
        low, high = max(low, common), max(high, common + FOCUS_WIDTH)
    return np.clip((cosine - low) / (high - low), 0.0, 1.0)


def overlap(n: int, note: Ints, term: Ints, recent: Ints, weights: Floats) -> Floats:
    """How much of the recent work's tags and links a note shares, float64[n] in [0, 1].

    ``note``, ``term`` int64[m]: the distinct (note, tag or linked note) pairs, terms numbered from 0. A
    term's pull is the share of recent work that carries it × the share of the vault that does not, so a
    tag that every note has says nothing; pulls join as 1 − Π(1 − pull), as independent hints do.
    """
    total = float(weights.sum())
    if not len(term) or total <= 0:
        return np.zeros(n)
    steer = np.zeros(n)
    steer[recent] = weights / total
    carried = np.bincount(term, steer[note])
    rare = 1.0 - np.bincount(term) / n
    pull = np.clip(carried * rare, 0.0, 1.0 - 1e-9)
    return -np.expm1(totals(n, note, np.log1p(-pull[term])))


def focus(cosine: Floats, shared: Floats, params: ScoreParams = DEFAULTS) -> Floats:
    """0.7 × rescaled cosine + 0.3 × overlap, in [0, 1]; a signal that is missing counts as 0."""
    return params.focus_cosine_weight * rescale(cosine, params) + params.focus_overlap_weight * shared


def relevance(fresh: Floats, focused: Floats, params: ScoreParams = DEFAULTS) -> Floats:
    """``max(freshness, focus)``, at least ``relevance_min``."""
    return np.maximum(np.maximum(fresh, focused), params.relevance_min)
