"""Times as a person types them on the command line."""

from __future__ import annotations

import re
import time
from datetime import datetime

from genesys.errors import UsageError

__all__ = ["parse_since"]

UNITS = {"h": 3600.0, "d": 86400.0, "w": 7 * 86400.0, "m": 30 * 86400.0, "y": 365 * 86400.0}


def parse_since(text: str, now: float | None = None) -> float:
    """UNIX seconds of ``2026-05-01``, ``2026-05-01T10:00``, or of ``7d`` ago (h, d, w, m, y).

    Raises:
        UsageError: it is neither.
    """
    match = re.fullmatch(r"(\d{1,6})\s*([hdwmy])", text.strip().lower())
    if match:
        return (time.time() if now is None else now) - int(match[1]) * UNITS[match[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError) as e:
        raise UsageError(
            f"{text!r} is no date", hint="write 2026-05-01, or 7d for the last seven days"
        ) from e
