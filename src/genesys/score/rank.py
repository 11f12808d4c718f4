"""From scores to an order: what a text itself says for it, the note's standing, floors, doubles. Pure.

:func:`traits` looks at one passage's text and :func:`standing` at its note; :func:`order` decides ties so
that the same index always gives the same answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from genesys.model import Status
from genesys.score.fuse import Floats, Ints

__all__ = [
    "TextTraits",
    "around",
    "days_apart",
    "distinct",
    "order",
    "sharpness",
    "standing",
    "time_match",
    "traits",
]

_TIME = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekend|months?|years?|since|recently|monday|tuesday"
    r"|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|\d{4}|summer|winter|spring|autumn|fall|gestern|heute|morgen|jahre?n?|monate?n?|wochen?"
    r"|hier|demain|semaine|mois|années?)\b|[年月日]|昨天|今天|上周",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-zß-öø-ÿа-яё,;] )[A-ZÀ-ÖØ-ÞА-ЯЁ][\w'’-]+|[\"“«「『][^\"”»」』]{2,60}[\"”»」』]")
_PRONOUN = frozenset({"I", "I'm", "I'll", "I've", "I'd", "I’m", "I’ll", "I’ve", "I’d"})
LONG_WORDS = 60  # words from which a text gains no more by length
UNIT_WORDS = 10  # words at which length begins to tell
WEEK = 7.0  # days that a person who names a day may be off
SHARP = 0.25  # power by which longer ranges tell less
MOST_NAMES = 2  # names from which a text gains no more by them
_CJK_WORD = 2  # characters of Chinese or Japanese that count as a word
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_SPACE = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class TextTraits:
    """What a passage's text is like: ``length`` in [0, ln 7], ``question`` whether it only asks, ``time``
    whether it says when, ``names`` in [0, 1] how many things it names."""

    length: float
    question: bool
    time: bool
    names: float


def traits(text: str, known: frozenset[str] = frozenset()) -> TextTraits:
    """Traits of a text; ``known`` are names that tell nothing here (of the people who talk)."""
    cjk = 0 if text.isascii() else len(_CJK.findall(text))
    words = len(_SPACE.findall(text)) + cjk / _CJK_WORD
    names = {n for n in _NAME.findall(text) if n not in _PRONOUN and n not in known}
    return TextTraits(
        length=math.log1p(min(words, LONG_WORDS) / UNIT_WORDS),
        question=text.rstrip().endswith(("?", "？")),
        time=_TIME.search(text) is not None,
        names=min(len(names), MOST_NAMES) / MOST_NAMES,
    )


def days_apart(day: str, start: str, end: str) -> float:
    """Days from an ISO date to the nearest day of a range; 0 inside, infinite where one is unreadable."""
    try:
        at, low, high = (np.datetime64(text[:10], "D") for text in (day, start, end))
    except ValueError:
        return math.inf
    if low <= at <= high:
        return 0.0
    return float(min(abs((at - low).astype(int)), abs((at - high).astype(int))))


def around(start: str, end: str, days: int) -> tuple[str, str]:
    """The range of ISO dates, ``days`` wider on either side; as given where it is unreadable."""
    try:
        low, high = np.datetime64(start[:10], "D") - days, np.datetime64(end[:10], "D") + days
    except ValueError:
        return start, end
    return str(low), str(high)


def sharpness(start: str, end: str) -> float:
    """How much a range of days tells, in (0, 1]: 1 up to a week, and the less the longer it is."""
    low, high = (np.datetime64(day[:10], "D") for day in (start, end))
    days = float((high - low).astype(int)) + 1.0
    return float((WEEK / max(days, WEEK)) ** SHARP)


def time_match(day: str, ranges: Sequence[tuple[str, str]], spread_days: float) -> float:
    """How well a note of ``day`` fits the days asked for, in [0, 1]: 1 inside, halved at ``spread_days``."""
    if not day or not ranges:
        return 0.0
    nearest = min(days_apart(day, start, end) for start, end in ranges)
    return 0.0 if math.isinf(nearest) else 1.0 / (1.0 + nearest / spread_days)


def standing(status: Status, score: float | None, pinned: bool, weight: float) -> float:
    """The prior of a note, in [1 − ``weight``, 1 + ``weight``]: fading lowers it, a high decay score or a
    place in the core raises it. So small that it turns near-ties only; a note never scored stands at 1."""
    if pinned or status is Status.CORE:
        return 1.0 + weight
    if status is Status.PRUNED:
        return 0.0
    low = {Status.FADING: -1.0, Status.DORMANT: -0.5}.get(status, 0.0)
    known = 0.0 if score is None else min(max(score, 0.0), 1.0) - 0.5
    return 1.0 + weight * min(max(low + 0.5 * known, -1.0), 1.0)


def order(scores: Floats, paths: Sequence[str]) -> Ints:
    """Best first; equals by path, so the answer does not hang on row ids."""
    ranks = {path: rank for rank, path in enumerate(sorted(set(paths)))}
    place = np.array([ranks[path] for path in paths], dtype=np.int64)
    return np.lexsort((place, -scores)).astype(np.int64)


def distinct(texts: Sequence[str]) -> list[int]:
    """Which of the texts, best first, say something that none before them says: copies (equal but for
    spaces, marks and case) are left out. Short texts are never copies of each other."""
    seen: set[str] = set()
    kept = []
    for number, text in enumerate(texts):
        bare = re.sub(r"[\W_]+", " ", text).strip().casefold()
        if len(bare) >= MIN_COPY and bare in seen:
            continue
        seen.add(bare)
        kept.append(number)
    return kept


MIN_COPY = 40  # characters from which two equal texts are one memory, filed twice
