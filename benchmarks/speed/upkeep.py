"""The row about the maintenance pass."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.scoring.rescore import TARGET_RATIO, measure
from benchmarks.speed.row import Row
from benchmarks.speed.setup import Setup

__all__ = ["maintenance"]

NOTES = 50_000


def maintenance(setup: Setup) -> Iterator[Row]:
    found = measure(NOTES, setup.rounds * 3)
    ours, bare = found["rescore_ms"], found["rescore_ms"] / found["ratio"]
    what = f"score {NOTES:,} notes, CPU"
    yield Row("maintenance", what, "numpy on the same arrays", bare, ours, unit="ms", most=TARGET_RATIO)
