"""The picture of what led to what: notes as boxes, causes at the left, groups one beside the other."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from genesys.accounts import NoteRef
from genesys.layout import components, layers, route
from genesys.model import CAUSAL, Edge, EdgeType
from genesys.overview import Overview
from genesys.quote import clean

__all__ = ["VERBS", "Arrow", "Box", "Picture", "Plan", "Spot", "picture"]

Pair: TypeAlias = tuple[str, str]
Point: TypeAlias = tuple[float, float]

WIDTH = 1080.0  # pixels of the page's column; a group that needs more is scrolled
BOX, GAP = 150.0, 32.0
ONE_LINE, TWO_LINES, ROW_GAP = 30.0, 46.0, 16.0
DROP = 34.0  # between the rows of a group that runs downwards
ACROSS = 6  # columns that fit; a group that is deeper runs from above
GROUP_GAP, MARGIN = 34.0, 10.0
LANE = 10.0  # room for an arrow that passes a column
HEAD = 7.0  # length of an arrow's head
BESIDE = 9.0  # between two arrows that join the same notes
LETTERS = 18.0  # of a line, by :func:`_wide`
NARROW, BROAD = frozenset("iljtfrI.,:;'|!()[]/ "), frozenset("mwMW@%")

#: What an arrow says, from where it starts to where it ends.
VERBS: Mapping[EdgeType, str] = {
    EdgeType.CAUSED_BY: "led to",
    EdgeType.DERIVED_FROM: "is a source of",
    EdgeType.SUPPORTS: "supports",
    EdgeType.SUPERSEDES: "supersedes",
    EdgeType.CONTRADICTS: "contradicts",
}


@dataclass(frozen=True, slots=True)
class Box:
    note: NoteRef
    number: int
    spot: Spot
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a box stands; ``down``: its group runs from above and not from the left."""

    x: float
    y: float
    height: float
    down: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """Places by path, the points that long arrows pass, and the size of all of it."""

    spots: Mapping[str, Spot]
    bends: Mapping[Pair, Sequence[Point]]
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Arrow:
    """``back``: the arrow's head is where the path starts, since the newer note stands at the right."""

    type: str
    path: str
    start: NoteRef
    end: NoteRef
    verb: str
    evidence: str
    ends: tuple[int, int]
    back: bool


@dataclass(frozen=True, slots=True)
class Picture:
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    types: tuple[tuple[str, str], ...]
    width: float
    height: float
    box: float


def picture(view: Overview) -> Picture | None:
    """The graph of causes; None where nothing is joined."""
    refs = {note.path: note for note in view.graph}
    edges = [e for e in view.reasons if e.source in refs and e.target in refs]
    if not edges:
        return None
    lines = {path: _wrapped(clean(note.title)) for path, note in refs.items()}
    plan = _spots(list(refs), [_run(e) for e in edges], lines)
    number = {path: at for at, path in enumerate(refs)}
    boxes = tuple(Box(refs[p], number[p], plan.spots[p], lines[p]) for p in refs)
    seen = Counter[Pair]()
    arrows = []
    for edge in edges:
        arrows.append(_arrow(edge, refs, plan, number, BESIDE * seen[_run(edge)]))
        seen[_run(edge)] += 1
    used = {e.type for e in edges}
    types = tuple((kind.value, kind.value.replace("_", " ")) for kind in VERBS if kind in used)
    return Picture(boxes, tuple(arrows), types, plan.width, plan.height, BOX)


def _run(edge: Edge) -> Pair:
    """From left to right: a cause before its effect, what was superseded before what replaced it."""
    return (edge.source, edge.target) if edge.type is EdgeType.SUPPORTS else (edge.target, edge.source)


def _spots(names: Sequence[str], arrows: Sequence[Pair], lines: Mapping[str, Sequence[str]]) -> Plan:
    """Every box's place: groups side by side in rows, the largest first; where a row has room below a
    smaller group, the next one stands there."""
    spots: dict[str, Spot] = {}
    bends: dict[Pair, list[Point]] = {}
    row_top, row_end, left, right, below, widest = MARGIN, MARGIN, MARGIN, MARGIN, MARGIN, 0.0
    for group in components(names, arrows):
        inside = set(group)
        own = [(a, b) for a, b in arrows if a in inside and b in inside]
        placed, through = _group(group, own, {name: _height(lines[name]) for name in group})
        width = max(spot.x for spot in placed.values()) + BOX
        height = max(spot.y + spot.height for spot in placed.values())
        if below > row_top and below + height <= row_end and left + width <= max(right, WIDTH - MARGIN):
            x, y = left, below
        elif right == MARGIN or right + GAP + width <= WIDTH - MARGIN:
            x, y = right + (GAP if right > MARGIN else 0.0), row_top
        else:
            x, y = MARGIN, row_end + GROUP_GAP
            row_top, right = y, MARGIN
        left, right, below = x, max(right, x + width), y + height + GROUP_GAP
        row_end, widest = max(row_end, y + height), max(widest, x + width)
        spots |= {n: replace(spot, x=x + spot.x, y=y + spot.y) for n, spot in placed.items()}
        bends |= {pair: [(x + px, y + py) for px, py in points] for pair, points in through.items()}
    return Plan(spots, bends, widest + MARGIN, row_end + MARGIN)


def _group(
    names: Sequence[str], arrows: Sequence[Pair], height: Mapping[str, float]
) -> tuple[dict[str, Spot], dict[Pair, list[Point]]]:
    """One group from its own corner: from the left, or from above where it is too deep for the page.

    An arrow over several columns gets room of its own in each between, so that it runs behind no box.
    """
    column = layers(names, arrows)
    first, last = min(column.values()), max(column.values())
    rows = Counter(column.values())
    down = last - first >= ACROSS and max(rows.values()) <= ACROSS
    across, bends = route(
        column, arrows, dict.fromkeys(names, BOX) if down else height, GAP if down else ROW_GAP, LANE
    )
    low = min(across.values())
    deep, middle = (TWO_LINES + DROP, TWO_LINES / 2) if down else (BOX + GAP, BOX / 2)
    spots = {}
    for name in names:
        x, y = (column[name] - first) * deep, across[name] - low
        spots[name] = Spot(y, x, height[name], True) if down else Spot(x, y, height[name])
    through = {
        pair: [((at - first) * deep + middle, y - low) for at, y in points] for pair, points in bends.items()
    }
    return spots, {pair: [(b, a) if down else (a, b) for a, b in line] for pair, line in through.items()}


def _height(lines: Sequence[str]) -> float:
    return TWO_LINES if len(lines) > 1 else ONE_LINE


def _arrow(
    edge: Edge, refs: Mapping[str, NoteRef], plan: Plan, number: Mapping[str, int], aside: float
) -> Arrow:
    first, last = _run(edge)
    back = edge.type not in CAUSAL
    start, end = (last, first) if back else (first, last)
    bends = [(x + aside, y + aside) for x, y in plan.bends[first, last]]
    return Arrow(
        edge.type.value,
        _curve(plan.spots[first], plan.spots[last], bends, aside, back),
        refs[start],
        refs[end],
        VERBS[edge.type],
        edge.evidence,
        (number[first], number[last]),
        back,
    )


def _curve(first: Spot, last: Spot, bends: Sequence[Point], aside: float, back: bool) -> str:
    """From the middle of a box's far side to that of the next one's near side, with room for the head."""
    leave, arrive = (HEAD, 0.0) if back else (0.0, HEAD)
    down = first.down
    if down:
        start = (first.x + BOX / 2 + aside, first.y + first.height + leave)
        end = (last.x + BOX / 2 + aside, last.y - arrive)
    else:
        start = (first.x + BOX + leave, first.y + first.height / 2 + aside)
        end = (last.x - arrive, last.y + last.height / 2 + aside)
    path = f"M{start[0]:.1f} {start[1]:.1f}"
    for (x1, y1), (x2, y2) in pairwise([start, *bends, end]):
        bend = max(14.0, ((y2 - y1) if down else (x2 - x1)) / 2)
        turns = (x1, y1 + bend, x2, y2 - bend) if down else (x1 + bend, y1, x2 - bend, y2)
        path += "C" + " ".join(f"{v:.1f}" for v in (*turns, x2, y2))
    return path


def _wrapped(title: str) -> tuple[str, ...]:
    """A title in at most two lines, cut where it is longer."""
    first, rest = _line(" ".join(title.split()))
    if not rest:
        return (first,)
    second, more = _line(rest)
    return first, second if not more else _cut(second) + "…"


def _line(text: str) -> tuple[str, str]:
    """As many words as a line holds, and the rest; a word that is too long is cut."""
    if _wide(text) <= LETTERS:
        return text, ""
    at = next(i for i in range(1, len(text) + 1) if _wide(text[:i]) > LETTERS) - 1
    space = text.rfind(" ", 0, at + 1)
    at = space if 3 * space >= at else at
    return text[:at].rstrip(), text[at:].lstrip()


def _cut(text: str) -> str:
    while text and _wide(text) >= LETTERS:
        text = text[:-1]
    return text.rstrip()


def _wide(text: str) -> float:
    """About how wide a text is, in ordinary letters; no font is at hand to ask."""
    return sum(_letter(c) for c in text)


def _letter(c: str) -> float:
    if unicodedata.east_asian_width(c) in "WF":
        return 1.8
    if c in NARROW:
        return 0.6
    return 1.4 if c in BROAD else 1.15 if c.isupper() or c in "=<>+~#" else 1.0
