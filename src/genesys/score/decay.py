"""The score: ``relevance × connectivity × reactivation``, for a whole vault in one pass.

It is a retention weight in [0, 1] and no countdown: use raises it, and nothing but use keeps it up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genesys.model import Factors, ScoreParams
from genesys.score.activation import base_level, reactivation
from genesys.score.arrays import Accesses, Floats, History, history
from genesys.score.connectivity import connectivity
from genesys.score.relevance import freshness, idle_days, relevance, spaced_recalls, stability

__all__ = ["VaultScores", "score_note", "score_vault"]

DEFAULTS = ScoreParams()

#: Notes scored at a time: their columns stay in the cache and their memory is used again and again, which
#: takes half the time of whole columns for 50,000 notes.
BLOCK = 3072

#: Columns of :class:`VaultScores` that are computed here; focus and support come from the caller.
COMPUTED = 8


@dataclass(frozen=True, slots=True)
class VaultScores:
    """Scores of n notes and what they are made of; every column is float64[n].

    ``activation`` is −inf and ``idle_days`` inf for a note without accesses; its score is 0.
    """

    score: Floats
    relevance: Floats
    connectivity: Floats
    reactivation: Floats
    activation: Floats
    freshness: Floats
    stability: Floats
    idle_days: Floats
    focus: Floats
    support: Floats
    weight: Floats
    floor: Floats

    def __len__(self) -> int:
        return len(self.score)

    def factors(self, index: int) -> Factors:
        """One note's row; ``relevance * connectivity * reactivation`` is its score to the last bit, where no
        rule of its category changes it."""
        return Factors(*(float(getattr(self, name)[index]) for name in Factors.__slots__))


def score_vault(
    n: int,
    accesses: Accesses,
    support: Floats,
    now: float,
    focus: Floats | None = None,
    params: ScoreParams = DEFAULTS,
    weight: Floats | None = None,
    floor: Floats | None = None,
) -> VaultScores:
    """Score ``n`` notes at ``now`` (UNIX seconds). Accesses may come in any order; those by note and time
    take half as long.

    ``support`` float64[n] is W from :func:`genesys.score.connectivity.support`; ``focus`` float64[n] in
    [0, 1] is from :func:`genesys.score.relevance.focus` (None: nobody is at work). ``weight`` and ``floor``
    are a person's rules by category: a factor, and the least score (None: there are none).
    """
    focused = np.zeros(n) if focus is None else np.asarray(focus, dtype=np.float64)
    past = history(n, accesses)
    columns = tuple(np.empty(n) for _ in range(COMPUTED))
    for low in range(0, n, BLOCK):
        part = slice(low, low + BLOCK)
        scored = _score(past.part(low, low + BLOCK), support[part], now, focused[part], params)
        for column, values in zip(columns, scored, strict=True):
            column[part] = values
    score, relevant, joined, awake, level, fresh, stable, idle = columns
    ruled = weight is not None or floor is not None
    weight = np.ones(n) if weight is None else weight
    floor = np.zeros(n) if floor is None else floor
    if ruled:
        score = np.maximum(np.minimum(score * weight, 1.0), floor)
    return VaultScores(
        score, relevant, joined, awake, level, fresh, stable, idle, focused, support, weight, floor
    )


def _score(
    past: History, support: Floats, now: float, focus: Floats, params: ScoreParams
) -> tuple[Floats, ...]:
    """What is computed of :class:`VaultScores` for some notes, in its order."""
    level = base_level(past, now, params)
    awake = reactivation(level, params)
    idle = idle_days(past, now)
    stable = stability(spaced_recalls(past, params), params)
    fresh = freshness(idle, stable, params)
    relevant = relevance(fresh, focus, params)
    joined = connectivity(support, params)
    score = relevant * joined * awake
    return score, relevant, joined, awake, level, fresh, stable, idle


def score_note(
    accesses: Accesses,
    support: float,
    now: float,
    focus: float = 0.0,
    params: ScoreParams = DEFAULTS,
    weight: float = 1.0,
    floor: float = 0.0,
) -> Factors:
    """Score one note whose accesses are numbered 0: the same arithmetic as for the vault."""
    rules = (np.array([weight]), np.array([floor])) if (weight, floor) != (1.0, 0.0) else (None, None)
    scores = score_vault(1, accesses, np.array([support]), now, np.array([focus]), params, *rules)
    return scores.factors(0)
