"""The shapes of the page's charts.

Shapes live in a square of 1000 by 1000 that the page stretches to its width; text stands at percentages, so
that it keeps its size on every screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log10

from genesys.model import Status
from genesys.overview import Counted, Life, Overview
from genesys.page.words import day, kilo, month

__all__ = ["Area", "Bar", "Hover", "Line", "Lives", "Scores", "Tick", "Times", "lives", "scores", "times"]

SIDE = 1000.0
DAY = 86_400.0
ORDER = (Status.CORE, Status.ACTIVE, Status.DORMANT, Status.FADING, Status.PRUNED)  # from below
NAMES = {"pruned": "in the trash"}
EDGE = 12.0  # percent from an end within which a label leans inward


@dataclass(frozen=True, slots=True)
class Tick:
    """A label at so many percent of an axis; ``anchor`` says which end of the text stands there."""

    at: float
    text: str
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class Area:
    status: str
    path: str


@dataclass(frozen=True, slots=True)
class Hover:
    """A strip of the chart, in percent of its width, and what is said of it."""

    at: float
    width: float
    text: str


@dataclass(frozen=True, slots=True)
class Times:
    areas: tuple[Area, ...]
    now: float
    x: tuple[Tick, ...]
    y: tuple[Tick, ...]
    hovers: tuple[Hover, ...]
    still: int  # notes active or core at the end
    total: int


@dataclass(frozen=True, slots=True)
class Bar:
    status: str
    at: float
    width: float
    top: float
    height: float
    text: str


@dataclass(frozen=True, slots=True)
class Scores:
    bars: tuple[Bar, ...]
    y: tuple[Tick, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A note's curve in two pieces: until now, and from now on."""

    life: Life
    number: int
    before: str
    after: str
    now: float
    end: float


@dataclass(frozen=True, slots=True)
class Lives:
    lines: tuple[Line, ...]
    now: float
    x: tuple[Tick, ...]
    y: tuple[Tick, ...]
    limits: tuple[Tick, ...]


def times(view: Overview) -> Times | None:
    """Notes by status over time, stacked; None for a vault without notes."""
    looks = view.timeline
    if not looks or not any(look.statuses for look in looks):
        return None
    start, end = looks[0].time, max(looks[-1].time, looks[0].time + DAY)
    top = _ceiling(max(sum(look.statuses.values()) for look in looks))
    x = [SIDE * (look.time - start) / (end - start) for look in looks]
    floor = [0.0] * len(looks)
    areas = []
    for status in ORDER:
        upper = [low + look.statuses.get(status, 0) for low, look in zip(floor, looks, strict=True)]
        if upper != floor:
            outline = [*zip(x, upper, strict=True), *reversed(list(zip(x, floor, strict=True)))]
            areas.append(Area(status.value, _path([(a, SIDE * (1 - v / top)) for a, v in outline]) + "Z"))
        floor = upper
    last = looks[-1].statuses
    return Times(
        tuple(areas),
        100.0 * (view.now - start) / (end - start),
        _dates(start, end),
        _counts(top),
        _strips(looks, start, end),
        last.get(Status.CORE, 0) + last.get(Status.ACTIVE, 0),
        sum(last.values()),
    )


def _strips(looks: Sequence[Counted], start: float, end: float) -> tuple[Hover, ...]:
    middles = [(a.time + b.time) / 2 for a, b in pairwise(looks)]
    edges = [start, *middles, end]
    return tuple(
        Hover(
            100.0 * (low - start) / (end - start),
            100.0 * (high - low) / (end - start),
            f"{day(look.time)}{' (if nobody does anything)' if look.ahead else ''}: " + _told(look),
        )
        for look, low, high in zip(looks, edges, edges[1:], strict=False)
        if high > low
    )


def _told(look: Counted) -> str:
    there = [s.value for s in ORDER if look.statuses.get(s)]
    return ", ".join(f"{kilo(look.statuses[s])} {NAMES.get(s, s)}" for s in there)


def _dates(start: float, end: float) -> tuple[Tick, ...]:
    """Four or five dates, evenly spread."""
    return tuple(_tick(25.0 * i, month(start + (end - start) * i / 4)) for i in range(5))


def _tick(at: float, text: str) -> Tick:
    anchor = "start" if at < EDGE else "end" if at > 100.0 - EDGE else "middle"
    return Tick(round(at, 2), text, anchor)


def _counts(top: float) -> tuple[Tick, ...]:
    """The upper end of an axis of counts, and its half where that is a whole number."""
    marks = [top, top / 2] if top % 2 == 0 else [top]
    return tuple(Tick(100.0 * (1 - mark / top), kilo(int(mark))) for mark in marks)


def _ceiling(most: float) -> float:
    """The next number above ``most`` that is round to the eye."""
    unit = 10.0 ** max(0, int(log10(max(most, 1))))
    for factor in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10):
        if unit * factor >= most and unit * factor == int(unit * factor):
            return max(unit * factor, 2.0)
    return ceil(most)


def scores(view: Overview) -> Scores | None:
    """How many notes have which score, as bars in the colours of their statuses."""
    if not view.notes:
        return None
    bins = {s: view.score_bins[s.value] for s in ORDER if s.value in view.score_bins}
    count = max(len(row) for row in bins.values())
    totals = [sum(row[at] for row in bins.values()) for at in range(count)]
    top = _ceiling(max(totals))
    bars = []
    for at in range(count):
        floor = 0
        for status, row in bins.items():
            if row[at]:
                height = 100.0 * row[at] / top
                text = f"score {at / count:.2f} to {(at + 1) / count:.2f}: {kilo(row[at])} {status.value}"
                upper = 100.0 * (1 - (floor + row[at]) / top)
                bars.append(Bar(status.value, 100.0 * at / count, 100.0 / count, upper, height, text))
                floor += row[at]
    return Scores(tuple(bars), _counts(top))


def lives(view: Overview) -> Lives | None:
    """The curves of single notes; None where there are none."""
    if not view.lives:
        return None
    first = min((life.days[0] for life in view.lives if life.days), default=0.0)
    last = max((life.days[-1] for life in view.lives if life.days), default=1.0)
    top = min(1.0, max(0.2, ceil(5 * max(s for life in view.lives for s in life.scores)) / 5))
    limits = [(name, value) for name, value in view.thresholds if name != "active again" and value < top]
    years = [first + (last - first) * i / 4 for i in range(5)]
    return Lives(
        tuple(_line(life, at, first, last, top) for at, life in enumerate(view.lives)),
        100.0 * -first / (last - first),
        tuple(_tick(25.0 * i, month(view.now + d * DAY)) for i, d in enumerate(years)),
        (Tick(0.0, f"{top:.1f}"), Tick(50.0, f"{top / 2:.1f}")),
        tuple(Tick(100.0 * (1 - value / top), f"{name} below {value:g}") for name, value in limits),
    )


def _line(life: Life, number: int, first: float, last: float, top: float) -> Line:
    points = [
        (SIDE * (d - first) / (last - first), SIDE * (1 - s / top))
        for d, s in zip(life.days, life.scores, strict=True)
    ]
    turn = next((at for at, d in enumerate(life.days) if d >= 0), len(points) - 1)
    here = life.scores[turn] if life.scores else 0.0
    end = life.scores[-1] if life.scores else 0.0
    return Line(life, number, _path(points[: turn + 1]), _path(points[turn:]), here, end)


def _path(points: Iterable[tuple[float, float]]) -> str:
    return "".join(f"{'L' if at else 'M'}{x:.1f} {y:.1f}" for at, (x, y) in enumerate(points))
