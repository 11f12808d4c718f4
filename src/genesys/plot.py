"""Curves of a note's life, in the terminal and as PNG. Each curve is named where it ends."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import Any

from genesys.errors import UsageError
from genesys.reports import Curve, Curves

__all__ = ["save_png", "terminal_plot"]

HEIGHT = 16  # terminal rows: a picture that fits beside its text on a small screen
WIDEST = 100  # columns of a picture: wider says no more
AXIS = 6  # columns of the labels at the left
LEGEND_BELOW = 60  # columns: in a narrower terminal the names stand below the picture
TERMINAL_COLORS = ("red", "yellow", "green", "cyan", "magenta", "blue")
COLORS = ("#b2182b", "#e08214", "#1b7837", "#2166ac", "#762a83", "#5a5a5a")  # told apart by the colour-blind


def terminal_plot(curves: Curves, width: int) -> str:
    """The curves as braille text, at most ``width`` columns wide (but 31 at least).

    Coloured where standard output is a terminal, and not where ``NO_COLOR`` is set.
    """
    import plotille  # type: ignore[import-untyped]

    names = max(len(line.label) for line in curves.lines) + 3
    beside = width >= LEGEND_BELOW
    columns = max(24, min(width, WIDEST) - AXIS - 1 - (names if beside else 0))
    top, last = _top(curves), _last(curves)
    canvas = plotille.Canvas(columns, HEIGHT, 0.0, 0.0, last * 1.0001, top * 1.0001, mode="names")
    for at, line in enumerate(curves.lines):
        shade = TERMINAL_COLORS[at % len(TERMINAL_COLORS)]
        for x0, y0, x1, y1 in zip(line.x, line.y, line.x[1:], line.y[1:], strict=False):
            canvas.line(x0, y0, x1, y1, color=shade)
    rows = canvas.plot().split("\n")
    ends = _ends(curves.lines, top) if beside else {}
    text = [curves.title]
    text += [f"{_tick(at, top):>{AXIS - 1}}┤{row}{ends.get(at, '')}" for at, row in enumerate(rows)]
    text += _days(columns, last)
    if not beside:
        text += [f"{line.label}: ends at {line.y[-1]:.2f}" for line in curves.lines]
    text += ["thresholds: " + ", ".join(f"{name} {value:g}" for name, value in curves.thresholds)]
    return "\n".join(text)


def _top(curves: Curves) -> float:
    """The upper end of the score axis: the next fifth above every curve and threshold."""
    most = max([y for line in curves.lines for y in line.y] + [value for _, value in curves.thresholds])
    return min(1.0, max(0.2, ceil(most * 5 - 1e-9) / 5))


def _last(curves: Curves) -> float:
    return max((x for line in curves.lines for x in line.x), default=1.0) or 1.0


def _tick(row: int, top: float) -> str:
    """The score that a row stands for, at every fourth row and at both ends."""
    return f"{top * (HEIGHT - 1 - row) / (HEIGHT - 1):.2f}" if row % 5 == 0 else ""


def _ends(lines: Sequence[Curve], top: float) -> dict[int, str]:
    """The names beside the rows where their curves end; one that finds its row taken goes to the next."""
    named: dict[int, str] = {}
    for line in sorted(lines, key=lambda line: -line.y[-1]):
        row = min(HEIGHT - 1, max(0, round((HEIGHT - 1) * (1 - line.y[-1] / top))))
        free = [r for r in range(HEIGHT) if r not in named]
        named[min(free, key=lambda r: (abs(r - row), -r))] = f" ◂ {line.label}"
    return named


def _days(columns: int, last: float) -> list[str]:
    """The axis of days, with a label every so many columns."""
    marks = [round(i * (columns - 1) / 5) for i in range(6)]
    axis = "".join("┬" if at in marks else "─" for at in range(columns))
    labels = [" "] * (columns + AXIS)
    for mark in marks:
        label = f"{last * mark / (columns - 1):.0f}"
        start = min(AXIS + mark - len(label) // 2, len(labels) - len(label))
        labels[start : start + len(label)] = label
    return [f"{'':>{AXIS - 1}}└{axis}", "".join(labels).rstrip() + " days"]


def save_png(curves: Curves, path: Path) -> None:
    """Write the curves as a PNG picture.

    Raises:
        UsageError: the drawing library is not installed, or the file can't be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as e:
        raise UsageError("drawing a PNG needs matplotlib", hint="pip install 'genesys-vault[plot]'") from e
    figure = Figure(figsize=(9, 5), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    top, last = _top(curves), _last(curves)
    for line, shade in zip(curves.lines, COLORS * len(curves.lines), strict=False):
        axes.plot(line.x, line.y, color=shade, linewidth=1.8)
    _name_ends(axes, curves.lines, top, last)
    for name, value in curves.thresholds:
        axes.axhline(value, linewidth=0.8, linestyle=(0, (1, 3)), color="#777777", zorder=1.5)
        axes.annotate(f"{name} {value:g}", (last * 0.005, value), fontsize=7, color="#777777", va="bottom")
    axes.set_title(curves.title, loc="left", fontsize=11)
    axes.set(xlabel="days", ylabel="score", xlim=(0, last), ylim=(0, top))
    axes.set_xticks([last * i / 6 for i in range(7)], [f"{last * i / 6:.0f}" for i in range(7)])
    axes.grid(color="#eeeeee", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    try:
        figure.savefig(path, format="png")
    except OSError as e:
        raise UsageError(f"can't write {path}: {e.strerror}", hint="name a file that can be written") from e


def _name_ends(axes: Any, lines: Sequence[Curve], top: float, last: float) -> None:
    """Each curve's name in its colour where it ends, moved apart where two end close together."""
    least = top * 0.05  # a line of text
    at = top * 2
    shades = dict(zip([line.label for line in lines], COLORS * len(lines), strict=False))
    for line in sorted(lines, key=lambda line: -line.y[-1]):
        at = min(line.y[-1], at - least)
        axes.annotate(
            line.label, (last, line.y[-1]), (last * 1.015, max(at, 0.0)), fontsize=9, va="center",
            color=shades[line.label], annotation_clip=False,
        )  # fmt: skip
