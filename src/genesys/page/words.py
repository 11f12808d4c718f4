"""Numbers and times as a person reads them."""

from __future__ import annotations

import time

__all__ = ["ago", "day", "kilo", "month"]

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
HOUR, DAY = 3600.0, 86_400.0


def day(when: float) -> str:
    """``3 June 2026``, in the local zone."""
    local = time.localtime(when)
    return f"{local.tm_mday} {MONTHS[local.tm_mon - 1]} {local.tm_year}"


def month(when: float) -> str:
    """``Jun 2026``."""
    local = time.localtime(when)
    return f"{MONTHS[local.tm_mon - 1][:3]} {local.tm_year}"


def ago(now: float, when: float) -> str:
    """``just now``, ``5 hours ago``, ``12 days ago``; the day itself where that was over a month ago."""
    gone = now - when
    if gone < HOUR:
        return "just now"
    if gone < DAY:
        return _many(int(gone / HOUR), "hour")
    return _many(int(gone / DAY), "day") if gone < 31 * DAY else day(when)


def _many(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'} ago"


def kilo(count: int) -> str:
    """``13,415``."""
    return f"{count:,}"
