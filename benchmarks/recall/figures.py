"""Recall of gold notes among the first k, and how sure one may be of a difference."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence

__all__ = ["interval", "mean", "percentile", "recall_at"]


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Share of the gold notes among the first ``k`` distinct notes."""
    first = list(dict.fromkeys(ranked))[:k]
    return len(set(first) & set(gold)) / len(set(gold))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], p: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(p / 100 * (len(ordered) - 1)))] if ordered else 0.0


def interval(
    a: Sequence[float], b: Sequence[float], n: int = 10_000, seed: int = 7
) -> tuple[float, float, float]:
    """(mean of a − b, low, high): paired bootstrap over questions, 95 %."""
    rng = random.Random(seed)
    rows = [x - y for x, y in zip(a, b, strict=True)]
    means = sorted(mean(rng.choices(rows, k=len(rows))) for _ in range(n))
    return mean(rows), means[int(0.025 * n)], means[int(0.975 * n)]
