"""What a note's own properties give back when an index is made anew (P1). Pure.

The vault keeps a count of recalls and the time of the last, not every recall. The rule to spread them:
the last is where the property says; the others lie before it at ages that grow geometrically from one
hour to the note's age at that time. A log-uniform spread assumes no scale of its own, as the power law of
use has none (Anderson & Schooler 1991).
"""

from __future__ import annotations

import math
from datetime import datetime

from genesys.model import OwnState

__all__ = ["MAX_RECALLS", "clean_recalls", "clean_time", "recall_times", "timestamp"]

MAX_RECALLS = 1_000  # rows made for one note; the count itself is kept whole
FIRST_GAP_S = 3_600.0  # seconds between the last recall and the one before, where the note is old enough


def timestamp(text: str) -> float | None:
    """An ISO date or date-time as UNIX seconds, local where no zone is given; None where it is neither."""
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def clean_time(value: float | None, now: float) -> float | None:
    """A time that a property may hold: finite and not in the future."""
    if value is None or not math.isfinite(value):
        return None
    return min(value, now)


def clean_recalls(own: OwnState) -> int:
    """The number of recalls that the properties vouch for."""
    count = own.recalls if own.recalls is not None else 0
    return min(max(count, 1 if own.last_recalled is not None else 0), 10**9)


def recall_times(created: float, last: float, count: int) -> tuple[float, ...]:
    """Times (seconds) of ``count`` recalls from ``created`` to ``last``, oldest first; ends with ``last``."""
    count = min(count, MAX_RECALLS)
    if count <= 0:
        return ()
    span = max(last - created, 0.0)
    first = min(FIRST_GAP_S, span / 2)
    if first <= 0:
        return (last,) * count
    ratio = span / first
    ages = [first * ratio ** (i / count) for i in range(count - 1)]
    return (*(last - age for age in reversed(ages)), last)
