"""How good a ranking is, and how sure one may be of it. Pure; what is drawn is drawn from a given seed.

Bootstrap intervals (Efron 1979) say how far a figure would move with other questions of the same kind.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np

__all__ = [
    "by_ranks",
    "difference",
    "hit_at",
    "interval",
    "mean",
    "ndcg_at",
    "percentile",
    "recall_at",
    "reciprocal_rank",
]

T = TypeVar("T", bound=Hashable)
RRF_K = 60  # Cormack, Clarke, Büttcher 2009
DRAWS = 2_000


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Share of the gold notes among the first ``k`` distinct notes, in [0, 1]."""
    first = set(list(dict.fromkeys(ranked))[:k])
    return len(first & set(gold)) / len(set(gold)) if gold else 0.0


def hit_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 where at least one gold note is among the first ``k`` distinct notes, else 0."""
    return float(recall_at(ranked, gold, k) > 0)


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """1 / place of the first gold note; 0 where none came."""
    wanted = set(gold)
    places = (i for i, note in enumerate(dict.fromkeys(ranked), 1) if note in wanted)
    first = next(places, 0)
    return 1.0 / first if first else 0.0


def ndcg_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Normalised discounted cumulative gain of the first ``k``, each gold note worth 1; in [0, 1]."""
    wanted = set(gold)
    first = list(dict.fromkeys(ranked))[:k]
    gain = sum(1.0 / math.log2(i + 2) for i, note in enumerate(first) if note in wanted)
    most = sum(1.0 / math.log2(i + 2) for i in range(min(k, len(wanted))))
    return gain / most if most else 0.0


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], p: float) -> float:
    """The value at ``p`` percent, one of ``values``; 0 of nothing."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(p / 100 * (len(ordered) - 1)))] if ordered else 0.0


def interval(values: Sequence[float], *, draws: int = DRAWS, seed: int = 7) -> tuple[float, float, float]:
    """(mean, low, high): 95 % bootstrap interval over questions; three zeros of nothing."""
    rows = np.asarray(values, dtype=np.float64)
    if not len(rows):
        return 0.0, 0.0, 0.0
    rng = np.random.default_rng(seed)
    means = np.array([rows[rng.integers(0, len(rows), len(rows))].mean() for _ in range(draws)])
    low, high = np.quantile(means, [0.025, 0.975])
    return float(rows.mean()), float(low), float(high)


def difference(
    a: Sequence[float], b: Sequence[float], *, draws: int = DRAWS, seed: int = 7
) -> tuple[float, float, float]:
    """(mean of a − b, low, high) over the same questions: the paired bootstrap.

    :raises ValueError: ``a`` and ``b`` are of different length.
    """
    return interval([x - y for x, y in zip(a, b, strict=True)], draws=draws, seed=seed)


def by_ranks(rankings: Sequence[Sequence[T]]) -> list[T]:
    """Reciprocal rank fusion of rankings, best first; equals in the order in which they came."""
    score: dict[T, float] = {}
    for ranked in rankings:
        for rank, item in enumerate(dict.fromkeys(ranked)):
            score[item] = score.get(item, 0.0) + 1.0 / (RRF_K + rank + 1)
    return _sorted(score)


def _sorted(score: Mapping[T, float]) -> list[T]:
    return sorted(score, key=lambda item: -score[item])
