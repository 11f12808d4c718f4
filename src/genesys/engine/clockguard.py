"""Whether the clock can be believed: a vault must not decay because a clock was set.

The wall clock is compared with one that only ever runs. A machine that slept has really grown older; one
whose clock was set has not. After a surprise nothing is decayed until the clock has run on steadily for a
while, which gives a time server the chance to correct it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["ClockGuard", "steady_clock"]

DRIFT_S = 120.0  # more than time servers slew, less than any time zone mistake
AHEAD_S = 30 * 86_400.0  # so long without a pass is a long holiday, or a wrong clock
BEHIND_S = 3_600.0
SETTLE_S = 3_600.0  # how long a doubted clock has to run on steadily


def steady_clock() -> float:
    """Seconds that nobody can set and that run on while the machine sleeps, where the system has them."""
    for name in ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC"):
        if hasattr(time, name):
            return time.clock_gettime(getattr(time, name))
    return time.monotonic()


class ClockGuard:
    """Looks at the clocks from time to time, and says whether a pass may go by them."""

    def __init__(self, clock: Callable[[], float], steady: Callable[[], float] = steady_clock) -> None:
        self._clock, self._steady = clock, steady
        self._wall, self._ran = clock(), steady()
        self._settled = float("-inf")
        self._compared = False

    def doubt(self, last_pass: float | None) -> str:
        """Why a maintenance pass should wait; "" where it need not. ``last_pass`` is in UNIX seconds."""
        wall, ran = self._clock(), self._steady()
        drift = (wall - self._wall) - (ran - self._ran)
        self._wall, self._ran = wall, ran
        if abs(drift) > DRIFT_S:
            self._settled = ran + SETTLE_S
        if not self._compared and last_pass is not None:
            self._compared = True  # once: after it has settled, the clock is believed
            if not -BEHIND_S <= wall - last_pass <= AHEAD_S:
                self._settled = max(self._settled, ran + SETTLE_S)
        if ran < self._settled:
            return f"the clock jumped; decay waits {(self._settled - ran) / 60:.0f} more minutes"
        return ""
