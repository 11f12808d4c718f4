"""How well a note is held by its neighbours.

``connectivity = m + (1−m) · ln(1+W)/ln(1+12)``, at most 1. W adds up the distinct supportive neighbours,
each with its strongest edge. The logarithm is the diminishing return of further links; the vault's other
notes play no part, so a new link between two notes moves no third one's score.
"""

from __future__ import annotations

from math import log

import numpy as np

from genesys.model import EdgeType, ScoreParams
from genesys.score.arrays import (
    CAUSAL_TYPE,
    SUPPORTIVE_TYPE,
    TYPE_CODE,
    Bools,
    Edges,
    Floats,
    Ints,
    order_by,
    totals,
)

__all__ = ["connectivity", "degrees", "orphans", "pairs", "support"]

DEFAULTS = ScoreParams()
NO_NOTES = np.zeros(0, np.int64)


def pairs(edges: Edges, params: ScoreParams = DEFAULTS) -> tuple[Ints, Ints, Floats]:
    """Each pair of notes joined by a supportive edge, once: (a, b, strength), a < b.

    Strength is the largest of type weight × edge weight over the pair's edges in either direction.
    Edges of a note to itself, and edge weights that are no positive number, count for nothing.
    """
    per_type = np.where(CAUSAL_TYPE, params.weight_causal, params.weight_related)
    kept = np.flatnonzero(SUPPORTIVE_TYPE[edges.type] & (edges.weight > 0) & (edges.source != edges.target))
    if not len(kept):
        return NO_NOTES, NO_NOTES, np.zeros(0)
    source, target = edges.source[kept], edges.target[kept]
    low = np.minimum(source, target)
    high = np.maximum(source, target, out=target)
    order = order_by(low, high)
    # Into the columns at hand: fresh memory costs more than the arithmetic.
    low, high = np.take(low, order, out=source), np.take(high, order, out=low)
    kept = kept[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    starts = np.flatnonzero(first)
    value = per_type[edges.type[kept]] * np.minimum(edges.weight[kept], 1.0)
    return low[starts], high[starts], np.maximum.reduceat(value, starts)


def support(n: int, edges: Edges, params: ScoreParams = DEFAULTS) -> Floats:
    """W of each note: the sum of its distinct supportive neighbours' strengths, float64[n]."""
    a, b, value = pairs(edges, params)
    return totals(n, a, value) + totals(n, b, value)


def connectivity(total: Floats, params: ScoreParams = DEFAULTS) -> Floats:
    """Connectivity in [m, 1] for W = ``total``."""
    floor = params.connectivity_min
    share = np.log1p(total) / log(1.0 + params.connectivity_full)
    return np.minimum(floor + (1.0 - floor) * share, 1.0)


def degrees(n: int, edges: Edges, params: ScoreParams = DEFAULTS) -> Ints:
    """Number of distinct supportive neighbours of each note, int64[n]."""
    a, b, _ = pairs(edges, params)
    return np.asarray(np.bincount(a, minlength=n) + np.bincount(b, minlength=n), dtype=np.int64)


def orphans(n: int, edges: Edges) -> Bools:
    """Notes that no edge ties to another note; the order of a session ties nothing.

    Stricter than W = 0 on purpose: what supersedes or contradicts something is part of its story, and an
    orphan is what pruning may take.
    """
    tied = (edges.source != edges.target) & (edges.type != TYPE_CODE[EdgeType.TEMPORAL_SEQUENCE])
    alone = np.ones(n, dtype=np.bool_)
    alone[edges.source[tied]] = False
    alone[edges.target[tied]] = False
    return alone
