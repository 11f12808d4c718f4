"""What an evaluation of recall says: figures with their intervals, and what each signal brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Effect", "Evaluation", "Figure", "Ranking", "Verdict"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over questions with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """How good one way of ranking is; ``figures`` by name: ``hit@1``, ``recall@10``, ``mrr`` …, in [0, 1]."""

    name: str
    figures: Mapping[str, Figure]


class Verdict(StrEnum):
    """What can be said of a signal on these questions."""

    HELPS = "helps"
    HURTS = "hurts"
    UNSEEN = "no difference"


@dataclass(frozen=True, slots=True)
class Effect:
    """What recall loses without a signal: ``recall`` at k and ``mrr``, with minus without.

    ``off`` are the settings, as a person would write them, that switch it off.
    """

    signal: str
    recall: Figure
    mrr: Figure
    verdict: Verdict
    off: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Of ``asked`` questions, ``made_from`` ``links`` or ``pairs``; ``rankings`` begins with recall itself.

    ``skipped`` are lines of the file that could not be asked, with the reason.
    """

    asked: int
    made_from: str
    seed: int
    k: int
    rankings: tuple[Ranking, ...]
    effects: tuple[Effect, ...] = ()
    skipped: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
