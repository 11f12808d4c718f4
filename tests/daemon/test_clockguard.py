"""A clock that was set does not decay a vault; a machine that slept has grown older."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from genesys.engine.clockguard import ClockGuard, steady_clock

DAY = 86_400.0
START = 1_800_000_000.0


@dataclass
class Clocks:
    wall: float = START
    ran: float = 100.0

    def tick(self, seconds: float) -> None:
        """Time goes by, asleep or awake."""
        self.wall += seconds
        self.ran += seconds


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


def guard(clocks: Clocks) -> ClockGuard:
    return ClockGuard(lambda: clocks.wall, lambda: clocks.ran)


def test_time_that_goes_by_is_believed(clocks: Clocks) -> None:
    """Ten minutes, a night's sleep, a week's."""
    watch = guard(clocks)
    for seconds in (600, 8 * 3600, 7 * DAY):
        clocks.tick(seconds)
        assert "" == watch.doubt(START - 600)


@pytest.mark.parametrize("jump", [365 * DAY, -365 * DAY, 3600.0, -3600.0])
def test_a_clock_that_was_set_is_doubted_for_an_hour(clocks: Clocks, jump: float) -> None:
    """And believed when it has run on steadily, or was set back."""
    watch = guard(clocks)
    clocks.tick(600)
    assert "" == watch.doubt(START)
    clocks.wall += jump
    clocks.tick(600)
    assert "jumped" in watch.doubt(START)
    clocks.tick(1800)
    assert "jumped" in watch.doubt(START)
    clocks.tick(1801)
    assert "" == watch.doubt(START)


def test_a_clock_that_keeps_jumping_is_never_believed(clocks: Clocks) -> None:
    """Each jump begins the hour anew."""
    watch = guard(clocks)
    for _ in range(20):
        clocks.wall += 7200
        clocks.tick(1800)
        assert "jumped" in watch.doubt(START)


@pytest.mark.parametrize("last", [START - 200 * DAY, START + 2 * DAY])
def test_a_start_in_the_far_future_or_past_waits(clocks: Clocks, last: float) -> None:
    """Half a year without a pass, or one that was tomorrow: a wrong clock, or a long holiday."""
    watch = guard(clocks)
    clocks.tick(600)
    assert "jumped" in watch.doubt(last)
    clocks.tick(3601)
    assert "" == watch.doubt(last)


def test_a_small_correction_is_none(clocks: Clocks) -> None:
    """A time server's second, and the first pass of all."""
    watch = guard(clocks)
    clocks.wall += 1.5
    clocks.tick(600)
    assert "" == watch.doubt(None)


def test_the_steady_clock_runs() -> None:
    """Forward, in seconds."""
    assert steady_clock() <= steady_clock()
