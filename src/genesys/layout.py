"""Where the boxes of a drawing stand: columns from left to right, nothing on top of anything else.

Pure and deterministic: the same notes and arrows give the same picture. An arrow ``(a, b)`` runs from a, on
the left, to b.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

__all__ = ["Arrow", "components", "layers", "place", "route", "stack"]

Arrow: TypeAlias = tuple[str, str]

SWEEPS = 8  # passes over the columns; after so many hardly anything moves any more


def layers(names: Sequence[str], arrows: Iterable[Arrow]) -> dict[str, int]:
    """The column of each name: one to the right of the rightmost that points to it, from 0 on.

    Of a cycle, the arrow that closes it is left out.
    """
    after = _without_cycles(names, arrows)
    waiting = dict.fromkeys(names, 0)
    for ends in after.values():
        for end in ends:
            waiting[end] += 1
    column = dict.fromkeys(names, 0)
    ready = [name for name in names if not waiting[name]]
    while ready:
        name = ready.pop()
        for end in after[name]:
            column[end] = max(column[end], column[name] + 1)
            waiting[end] -= 1
            if not waiting[end]:
                ready.append(end)
    return _pulled_right(column, after)


def _pulled_right(column: Mapping[str, int], after: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """What stands further left than it must goes next to the first it points to: short arrows."""
    pulled = dict(column)
    for name in sorted(column, key=lambda n: -column[n]):
        if after[name]:
            pulled[name] = min(pulled[end] for end in after[name]) - 1
    return pulled


def _without_cycles(names: Sequence[str], arrows: Iterable[Arrow]) -> dict[str, list[str]]:
    """Successors of each name, without the arrows that lead back; no recursion, since chains may be long."""
    known = set(names)
    after: dict[str, list[str]] = {name: [] for name in names}
    for start, end in dict.fromkeys(arrows):
        if start in known and end in known and start != end:
            after[start].append(end)
    done: set[str] = set()
    for root in names:
        path: dict[str, int] = {root: 0}  # name → how many of its arrows were followed
        while path and root not in done:
            name, at = next(reversed(path.items()))
            if at >= len(after[name]):
                done.add(name)
                path.popitem()
                continue
            end = after[name][at]
            if end in path:
                del after[name][at]
                continue
            path[name] = at + 1
            if end not in done:
                path[end] = 0
    return after


def components(names: Sequence[str], arrows: Iterable[Arrow]) -> list[list[str]]:
    """The groups that hang together, the largest first; names keep their order."""
    near = _neighbours(arrows)
    seen: set[str] = set()
    groups = []
    for name in names:
        if name in seen:
            continue
        group, waiting = set[str](), [name]
        while waiting:
            at = waiting.pop()
            if at not in group:
                group.add(at)
                waiting += near[at]
        seen |= group
        groups.append([n for n in names if n in group])
    return sorted(groups, key=lambda g: -len(g))


def route(
    column: Mapping[str, int], arrows: Sequence[Arrow], height: Mapping[str, float], gap: float, lane: float
) -> tuple[dict[str, float], dict[Arrow, list[tuple[int, float]]]]:
    """:func:`place`, with room ``lane`` high in each column that an arrow passes, so that it need run behind
    no box; the upper edges, and of each arrow the (column, middle) of the lanes it takes."""
    columns, heights = dict(column), dict(height)
    lanes: dict[Arrow, list[str]] = {}
    pieces: list[Arrow] = []
    for start, end in dict.fromkeys(arrows):
        passed = range(column[start] + 1, column[end])
        lanes[start, end] = [f"\0{len(lanes)} {at}" for at in passed]  # no name has a NUL
        columns |= dict(zip(lanes[start, end], passed, strict=True))
        heights |= dict.fromkeys(lanes[start, end], lane)
        pieces += pairwise([start, *lanes[start, end], end])
    top = place(columns, pieces, heights, gap)
    bends = {pair: [(columns[n], top[n] + lane / 2) for n in names] for pair, names in lanes.items()}
    return {name: top[name] for name in column}, bends


def place(
    column: Mapping[str, int], arrows: Sequence[Arrow], height: Mapping[str, float], gap: float
) -> dict[str, float]:
    """The upper edge of each box: boxes of a column at least ``gap`` apart, near what they are joined to.

    The picture is centred around 0 as far as its columns are.
    """
    near = _neighbours(arrows)
    stacks: dict[int, list[str]] = {}
    for name, at in column.items():
        stacks.setdefault(at, []).append(name)
    middle: dict[str, float] = {}
    for names in stacks.values():
        _settle(names, dict.fromkeys(names, 0.0), height, gap, middle)
    order = sorted(stacks)
    for sweep in range(SWEEPS):
        for at in order if sweep % 2 == 0 else reversed(order):
            wished = {n: _mean([middle[o] for o in near[n] if o in middle], middle[n]) for n in stacks[at]}
            stacks[at].sort(key=lambda n: wished[n])
            _settle(stacks[at], wished, height, gap, middle)
    return {name: middle[name] - height[name] / 2 for name in column}


def _settle(
    names: Sequence[str],
    wished: Mapping[str, float],
    height: Mapping[str, float],
    gap: float,
    middle: dict[str, float],
) -> None:
    sizes = [height[name] for name in names]
    for name, top, size in zip(names, stack([wished[n] for n in names], sizes, gap), sizes, strict=True):
        middle[name] = top + size / 2


def stack(wished: Sequence[float], sizes: Sequence[float], gap: float) -> list[float]:
    """Upper edges of boxes in this order, none nearer than ``gap`` to the next, each with its middle as
    near to what is wished as the others let it (least squares)."""
    offsets, at = [], 0.0
    for size in sizes:
        offsets.append(at)
        at += size + gap
    blocks: list[list[float]] = []  # [sum of wishes, how many], the means not falling
    for want, size, offset in zip(wished, sizes, offsets, strict=True):
        blocks.append([want - size / 2 - offset, 1.0])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            last = blocks.pop()
            blocks[-1][0] += last[0]
            blocks[-1][1] += last[1]
    shifts = [total / count for total, count in blocks for _ in range(int(count))]
    return [shift + offset for shift, offset in zip(shifts, offsets, strict=True)]


def _neighbours(arrows: Iterable[Arrow]) -> defaultdict[str, list[str]]:
    near: defaultdict[str, list[str]] = defaultdict(list)
    for start, end in dict.fromkeys(arrows):
        near[start].append(end)
        near[end].append(start)
    return near


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default
